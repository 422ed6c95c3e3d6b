//! What can be typed: commands, flags and their values. It runs nothing.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::input::config::database::DatabaseRef;
use crate::model::report::{FailOn, Stage};
use crate::model::schema::Dialect;
pub use crate::report::Format;
pub use inspect::{
    BackfillArgs, BacklogArgs, MapArgs, MapFormat, OutboxArgs, SchemaArgs, SchemaFormat,
};
pub use values::Output;

mod inspect;
mod scaffold;
mod values;

pub use scaffold::{ScaffoldArgs, TestLanguage};

const EXIT_STATUS: &str = "\
Exit status of check:
  0  GO        every condition of the gate is shown
  1  HOLD      something is shown unsafe
  3  UNPROVEN  nothing is shown unsafe, but something is not shown safe
  2  usage, configuration or rule pack wrong, or an output not writable
Other commands: 0 done, 2 could not run; `verify` 0 holds, 1 changed, 3 cannot tell; `diff` 1 if worse; `rules test` 1 if an example fails.";

const VERIFY_STATUS: &str = "\
Audits anew, and compares every outcome with the report. Exit status:
  0  it holds      1  the report or an outcome changed
  3  cannot tell: another version of the tool, or an input that cannot be read now
  2  could not run";

/// Proves, or refuses to prove, that every consumer of a transactional outbox survives redelivery.
#[derive(Debug, Parser)]
#[command(name = "outbox-audit", version, after_help = EXIT_STATUS, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Audit a project and print the verdict
    #[command(after_help = EXIT_STATUS)]
    Check(Box<CheckArgs>),
    /// Print where each guarantee is enforced and which tests would fail if it broke
    Guarantees(Box<CheckArgs>),
    /// Explain a check, or one thing that a report names
    Explain(ExplainArgs),
    /// Look at the rule packs and run their examples
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Say whether a report still holds for this tree and database
    #[command(after_help = VERIFY_STATUS)]
    Verify(VerifyArgs),
    /// Compare two reports: what appeared, vanished, turned
    Diff(DiffArgs),
    /// Accept a finding until a day: writes a waiver into the configuration
    Waive(WaiveArgs),
    /// Print redelivery tests for an effect, to be filled in, in the language of the system
    Scaffold(ScaffoldArgs),
    /// Write a commented outbox-audit.yaml from what is found
    Init(InitArgs),
    /// List the consumers of a source tree and all that each can reach
    Map(MapArgs),
    /// Print what enforces uniqueness, table by table
    Schema(SchemaArgs),
    /// Count the rows that wait in the outbox of a live database
    Backlog(BacklogArgs),
    /// Print the SQL that fills record keys of rows that wait; it is not run
    Backfill(BackfillArgs),
    /// Print the SQL that counts the rows that wait, to be run by hand
    Queries(OutboxArgs),
    /// Print the completions of a shell
    Completions(CompletionsArgs),
    /// Print a page of the manual, for `man -l -`
    Man(ManArgs),
}

/// Arguments of `check`.
#[derive(Debug, Default, Args)]
pub struct CheckArgs {
    /// The project to audit [default: the current directory]
    #[arg(value_parser = values::path())]
    pub path: Option<PathBuf>,
    /// Configuration file [default: outbox-audit.yaml in PATH or above]
    #[arg(long, value_name = "FILE", value_parser = values::path())]
    pub config: Option<PathBuf>,
    /// Rule pack to use; may be repeated
    #[arg(long = "pack", value_name = "NAME")]
    pub packs: Vec<String>,
    /// File or directory with rules of your own; may be repeated
    #[arg(long, value_name = "PATH", value_parser = values::path())]
    pub rules: Vec<PathBuf>,

    /// Flow metadata, file or directory; may be repeated
    #[arg(long, value_name = "PATH", value_parser = values::path(), help_heading = "Inputs")]
    pub flows: Vec<PathBuf>,
    /// Schema as SQL, migrations or system_tables.json; may be repeated
    #[arg(long, value_name = "PATH", value_parser = values::path(), help_heading = "Inputs")]
    pub schema: Vec<PathBuf>,
    /// SQL dialect of the schema [default: told from the text]
    #[arg(long, value_name = "DIALECT", help_heading = "Inputs")]
    pub dialect: Option<Dialect>,
    /// Live database: env:NAME, sqlite:FILE or a URL (never shown again)
    #[arg(long, value_name = "DATABASE", value_parser = values::DatabaseValue, help_heading = "Inputs")]
    pub database: Option<DatabaseRef>,
    /// Source tree; may be repeated
    #[arg(long, value_name = "PATH", value_parser = values::path(), help_heading = "Inputs")]
    pub source: Vec<PathBuf>,
    /// Results of redelivery tests; may be repeated
    #[arg(long, value_name = "PATH", value_parser = values::path(), help_heading = "Inputs")]
    pub tests: Vec<PathBuf>,
    /// Count among so many rows of the outbox only; what is counted so is unknown, with its bound
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Inputs")]
    pub sample: Option<u64>,
    /// Read payloads of rows that wait row by row, where the database cannot compute their keys
    #[arg(long, conflicts_with = "sample", help_heading = "Inputs")]
    pub stream_payloads: bool,
    /// Answers to printed queries
    #[arg(long, value_name = "FILE", value_parser = values::path(), help_heading = "Inputs")]
    pub answers: Option<PathBuf>,

    /// What is expected to be unread
    #[arg(
        long,
        value_name = "STAGE",
        default_value = "pre-flip",
        help_heading = "Verdict"
    )]
    pub stage: Stage,
    /// Which verdicts give a failing exit status
    #[arg(
        long,
        value_name = "VERDICT",
        default_value = "unproven",
        help_heading = "Verdict"
    )]
    pub fail_on: FailOn,
    /// Day on which waivers are judged, YYYY-MM-DD [default: today]
    #[arg(long, value_name = "DATE", value_parser = values::day, help_heading = "Verdict")]
    pub as_of: Option<String>,
    /// Judge as if there were no waivers
    #[arg(long, help_heading = "Verdict")]
    pub no_waivers: bool,

    /// Format of the report on stdout
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "terminal",
        help_heading = "Output"
    )]
    pub format: Format,
    /// Write a report to a file too, for example markdown=report.md; may be repeated
    #[arg(long = "output", value_name = "FORMAT=PATH", value_parser = values::output, help_heading = "Output")]
    pub outputs: Vec<Output>,
    /// Threads to use [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Output")]
    pub threads: Option<u16>,
    /// Show what is safe and off the path too, and on stderr how long each part took
    #[arg(long, short, conflicts_with = "quiet", help_heading = "Output")]
    pub verbose: bool,
    /// Print only the verdict line
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

/// Arguments of `verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The report, as `check --output json=FILE` wrote it
    #[arg(value_name = "REPORT", value_parser = values::path())]
    pub report: PathBuf,
    /// What is audited anew, named as it was for the report.
    #[command(flatten)]
    pub check: Box<CheckArgs>,
}

/// Arguments of `diff`.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// The older report, as `check --output json=FILE` wrote it
    #[arg(value_name = "OLD", value_parser = values::path())]
    pub old: PathBuf,
    /// The newer one
    #[arg(value_name = "NEW", value_parser = values::path())]
    pub new: PathBuf,
}

/// Arguments of `waive`.
#[derive(Debug, Args)]
pub struct WaiveArgs {
    /// Check id, as the finding shows it
    #[arg(value_name = "CHECK")]
    pub check_id: String,
    /// Subject id, as the finding shows it
    #[arg(value_name = "SUBJECT")]
    pub subject: String,
    /// Why it is accepted
    #[arg(long, value_name = "TEXT", required = true, value_parser = values::text, help_heading = "Waiver")]
    pub reason: String,
    /// Who answers for it
    #[arg(long, value_name = "NAME", required = true, value_parser = values::text, help_heading = "Waiver")]
    pub owner: String,
    /// Last day it applies, YYYY-MM-DD
    #[arg(long, value_name = "DATE", required = true, value_parser = values::day, help_heading = "Waiver")]
    pub expires: String,
    /// What is audited, to see that there is such a finding.
    #[command(flatten)]
    pub check: Box<CheckArgs>,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A check; or what a report of PATH names: an id, a fingerprint, an observation (e12)
    #[arg(value_name = "CHECK|ID")]
    pub id: String,
    /// What is audited to find it; a check needs none of this.
    #[command(flatten)]
    pub check: Box<CheckArgs>,
}

/// Commands on rule packs.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// List packs and their entries
    List(RulesArgs),
    /// Print one pack or entry
    Show(RulesShowArgs),
    /// Run the examples of every entry
    Test(RulesArgs),
}

/// Which packs to look at.
#[derive(Debug, Args)]
pub struct RulesArgs {
    /// File or directory with rules of your own; may be repeated
    #[arg(long, value_name = "PATH", value_parser = values::path())]
    pub rules: Vec<PathBuf>,
    /// Only this pack; may be repeated
    #[arg(long = "pack", value_name = "NAME")]
    pub packs: Vec<String>,
}

/// Arguments of `rules show`.
#[derive(Debug, Args)]
pub struct RulesShowArgs {
    /// A pack, an entry, or PACK/ENTRY
    #[arg(value_name = "NAME")]
    pub name: String,
    /// File or directory with rules of your own; may be repeated
    #[arg(long, value_name = "PATH", value_parser = values::path())]
    pub rules: Vec<PathBuf>,
}

/// Arguments of `init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The project to look at [default: the current directory]
    #[arg(value_parser = values::path())]
    pub path: Option<PathBuf>,
    /// Overwrite an existing outbox-audit.yaml
    #[arg(long)]
    pub force: bool,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// A command, and a command of it [default: the program]
    #[arg(value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// Reads the arguments, the program's name first.
///
/// # Errors
/// Wrong usage, and also `--help` and `--version`: `exit_code` of the error tells them apart. A URL
/// that was typed anywhere is not repeated in it.
pub fn parse_from<I, A>(arguments: I) -> Result<Cli, clap::Error>
where
    I: IntoIterator<Item = A>,
    A: Into<OsString> + Clone,
{
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    Cli::try_parse_from(&arguments)
        .map_err(|error| values::without_urls(error, &arguments, &mut Cli::command()))
}
