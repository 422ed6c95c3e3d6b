//! One report value, several formats. Everything shown comes from the value: no file is read here.

mod accepted;
mod account;
mod anchor;
mod backlog;
mod comparison;
mod excerpt;
pub mod explained;
mod fingerprint;
mod fitted;
mod gaps;
mod github;
mod gitlab;
mod guarantees;
mod headline;
mod html;
mod in_toto;
mod json;
mod junit;
mod map;
mod markdown;
mod page;
mod quote;
mod sarif;
mod schema;
mod standing;
mod terminal;
mod view;
mod visible;
mod words;
mod wrap;

use std::io;

use crate::model::report::Report;

pub use backlog::v1 as backlog_v1;
pub use backlog::{write_backlog_json, write_backlog_text};
pub use comparison::{write_comparison, write_verification};
pub use fingerprint::fingerprint;
pub(crate) use fitted::fitted;
pub use guarantees::write_guarantees;
pub use in_toto::{PREDICATE, Statement};
pub use json::v1;
pub use map::{MapDocument, write_map_dot, write_map_json, write_map_mermaid, write_map_table};
pub use page::write_page;
pub use schema::{write_schema_json, write_schema_text};

/// A format a report can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, clap::ValueEnum)]
pub enum Format {
    /// Text for a terminal of 80 columns
    #[default]
    Terminal,
    /// Markdown for an issue or a pull request; never longer than GitHub takes
    Markdown,
    /// The whole matrix, for programs: document `report`, version 1
    Json,
    /// SARIF 2.1.0, for code scanning: findings
    Sarif,
    /// JUnit XML: a suite per consumer, a case per check
    Junit,
    /// Annotations of a GitHub Actions run
    Github,
    /// Code Quality of GitLab: findings, and what is not known
    Gitlab,
    /// in-toto statement, to be signed: the verdict on the JSON report
    InToto,
    /// One file for a browser, with the map drawn; it asks nothing of the network
    Html,
}

/// How much of a report is shown, and on what. Nothing of it changes the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenderOptions {
    /// Columns of the terminal; fewer than 60 count as 60.
    pub width: usize,
    /// True to colour the words of the terminal.
    pub color: bool,
    /// True to unfold what the terminal folds: safe effects, long lists.
    pub verbose: bool,
    /// True to print the verdict alone on the terminal.
    pub quiet: bool,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            width: 80,
            color: false,
            verbose: false,
            quiet: false,
        }
    }
}

/// Renders a report into one string.
pub fn render(report: &Report, format: Format, options: &RenderOptions) -> String {
    let mut bytes = Vec::new();
    match write(report, format, options, &mut bytes) {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
        // A vector takes every write and no key of a document is anything but a string.
        Err(_) => String::new(),
    }
}

/// One thing of a report, with all that is known of it, as text.
pub fn explain(
    report: &Report,
    explained: &explained::Explained<'_>,
    options: &RenderOptions,
) -> String {
    terminal::explain::render(report, explained, options)
}

/// Writes a report; documents for programs are streamed, so that their memory does not grow with
/// the report.
///
/// # Errors
/// Whatever `out` returns.
pub fn write(
    report: &Report,
    format: Format,
    options: &RenderOptions,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    match format {
        Format::Terminal => out.write_all(terminal::render(report, options).as_bytes()),
        Format::Markdown => out.write_all(markdown::render(report).as_bytes()),
        Format::Json => json::write_to(report, out),
        Format::Sarif => sarif::write_to(report, out),
        Format::Github => github::write_to(report, out),
        Format::Gitlab => gitlab::write_to(report, out),
        Format::Junit => junit::write_to(report, out),
        Format::InToto => in_toto::write_to(report, out),
        Format::Html => out.write_all(html::render(report).as_bytes()),
    }
}
