//! The command line: what it accepts, what it refuses, and that no password comes back.

use clap::CommandFactory;
use outbox_audit::cli::{Cli, Command, Format, RulesCommand, parse_from};
use outbox_audit::input::config::database::DatabaseRef;
use outbox_audit::model::report::{FailOn, Stage};
use outbox_audit::model::schema::Dialect;

fn parse(line: &str) -> Result<Cli, clap::Error> {
    parse_from(std::iter::once("outbox-audit").chain(line.split_whitespace()))
}

#[test]
fn the_declaration_holds_together() {
    Cli::command().debug_assert();
}

#[test]
fn check_takes_every_flag() {
    let cli = parse(
        "check proj --config c.yaml --pack nexuscrm --pack own --rules r --flows a --flows b \
         --schema s.sql --dialect tidb --database env:DB --source src --tests t.xml --answers q.json \
         --stage tree --fail-on hold --as-of 2026-11-30 --no-waivers --format json \
         --output markdown=r.md --output terminal=t.txt --threads 2 --verbose",
    )
    .unwrap();
    let Command::Check(check) = cli.command else {
        panic!("not check")
    };
    assert_eq!(check.packs, ["nexuscrm", "own"]);
    assert_eq!(check.flows.len(), 2);
    assert_eq!(check.dialect, Some(Dialect::Tidb));
    assert_eq!(check.database, Some(DatabaseRef::Env("DB".into())));
    assert_eq!((check.stage, check.fail_on), (Stage::Tree, FailOn::Hold));
    assert_eq!(check.as_of.as_deref(), Some("2026-11-30"));
    assert_eq!(check.format, Format::Json);
    assert_eq!(check.outputs.len(), 2);
    assert_eq!(check.threads, Some(2));
    assert!(check.no_waivers && check.verbose && !check.quiet);
}

#[test]
fn check_needs_nothing_and_has_safe_defaults() {
    let Command::Check(check) = parse("check").unwrap().command else {
        panic!("not check")
    };
    assert_eq!(
        (check.stage, check.fail_on, check.format),
        (Stage::PreFlip, FailOn::Unproven, Format::Terminal)
    );
    assert_eq!(check.path, None);
}

#[test]
fn the_other_commands_parse() {
    assert!(
        matches!(parse("explain unguarded-create").unwrap().command, Command::Explain(e) if e.id == "unguarded-create")
    );
    assert!(matches!(
        parse("rules test --pack nexuscrm").unwrap().command,
        Command::Rules(RulesCommand::Test(_))
    ));
    assert!(matches!(
        parse("init . --force").unwrap().command,
        Command::Init(init) if init.force
    ));
    assert!(matches!(
        parse("schema --dialect mysql a.sql --table t").unwrap().command,
        Command::Schema(schema) if schema.files.len() == 1 && schema.tables == ["t"]
    ));
    assert!(parse("schema").is_err(), "neither file nor database");
    assert!(matches!(
        parse("backlog proj --database env:DB --format json").unwrap().command,
        Command::Backlog(backlog) if backlog.outbox.database == Some(DatabaseRef::Env("DB".into()))
    ));
    assert!(matches!(
        parse("backfill --schema a.sql --dialect mariadb").unwrap().command,
        Command::Backfill(backfill) if backfill.batch == 500
    ));
    assert!(parse("backfill --batch 0").is_err(), "no row a batch");
    assert!(matches!(
        parse("queries --schema a.sql").unwrap().command,
        Command::Queries(queries) if queries.schema.len() == 1
    ));
}

#[test]
fn commands_of_later_are_not_announced() {
    for later in ["verify", "diff", "waive"] {
        assert_eq!(parse(later).unwrap_err().exit_code(), 2, "{later}");
    }
}

#[test]
fn help_and_version_are_no_failures() {
    for line in ["--help", "--version", "check --help"] {
        assert_eq!(parse(line).unwrap_err().exit_code(), 0, "{line}");
    }
}

#[test]
fn errors_suggest_what_was_meant() {
    let texts: Vec<String> = [
        "chek",
        "check --databse env:A",
        "check --format jsn",
        "check --dialect postgers",
        "check --as-of 2026-02-30",
        "check --output report.md",
        "check --output pdf=r.pdf",
        "check --database app.db",
        "check --threads 0",
        "check --verbose --quiet",
    ]
    .iter()
    .map(|line| {
        let error = parse(line).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        format!("$ outbox-audit {line}\n{error}")
    })
    .collect();
    insta::assert_snapshot!(texts.join("\n"));
}

#[test]
fn the_help_of_check_reads_well() {
    let mut cli = Cli::command().term_width(80);
    cli.build();
    let check = cli.find_subcommand_mut("check").unwrap();
    insta::assert_snapshot!(check.render_long_help());
}

#[test]
fn the_help_reads_well() {
    insta::assert_snapshot!(Cli::command().term_width(80).render_help());
}

#[test]
fn a_password_never_comes_back_wherever_the_url_stands() {
    let url = "postgres://auditor:hunter2@db.internal:5432/crm?password=hunter2";
    for line in [
        format!("check --databse={url}"),
        format!("check --databse {url}"),
        format!("check . {url}"),
        format!("check --format {url}"),
        format!("check --format={url}"),
        format!("check --database env:{url}"),
        format!("check --database sqlite: {url} x"),
        format!("check --database {url} --stage late"),
        format!("check --database={url} --database={url}"),
        url.to_owned(),
        format!("check --output {url}"),
        format!("check --output markdown={url} --as-of {url}"),
        format!("check --threads {url}"),
        format!("schema --database {url} --format xml"),
        "check --database auditor:hunter2@tcp(db:3306)/crm".to_owned(),
    ] {
        let error = parse(&line).unwrap_err();
        let text = format!("{error} {error:?} {}", error.render().ansi());
        assert!(!text.contains("hunter2"), "{line}:\n{text}");
        assert_eq!(error.exit_code(), 2);
    }
    let cli = parse(&format!("check --database {url}")).unwrap();
    assert!(!format!("{cli:?}").contains("hunter2"));
}
