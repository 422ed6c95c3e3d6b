//! Flags, packs and configuration that are wrong: nothing is audited, and it is said where.

use std::path::{Path, PathBuf};

use crate::attempt::{command, folder, judge, refused};

fn system() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/whole/nexuscrm")
}

#[test]
fn a_pack_that_is_not_there() {
    refused(
        &system(),
        &["--pack", "nexuscmr"],
        &[
            "unknown pack `nexuscmr`; there are: expr-lang, go, greatbook, neutral, nexuscrm, python, rust",
        ],
    );
}

#[test]
fn flags_that_are_misspelt() {
    refused(
        &system(),
        &["--shcema", "x"],
        &[
            "unexpected argument '--shcema' found",
            "a similar argument exists: '--schema'",
        ],
    );
    refused(
        &system(),
        &["--format", "htlm"],
        &[
            "invalid value 'htlm' for '--format <FORMAT>'",
            "possible values: terminal",
        ],
    );
    refused(&system(), &["--as-of", "2026-02-30"], &["--as-of"]);
    refused(
        &system(),
        &["--output", "report.md"],
        &["write FORMAT=PATH, for example markdown=report.md"],
    );
    refused(&system(), &["--threads", "0"], &["--threads"]);
}

/// The line is shown with marks under the word, and all problems come at once.
#[test]
fn a_configuration_with_misspelt_keys() {
    let text = "version: 1\ngate:\n  flagg: X\ninputs:\n  flow: flows.json\n";
    let outer = folder(&[("outbox-audit.yaml", text.as_bytes())]);
    let output = command(outer.path(), &[]).output().expect("it starts");
    let told = judge(&output);
    assert_eq!((told.status, &*told.stdout), (2, ""));
    let lines: Vec<String> = String::from_utf8(output.stderr)
        .expect("UTF-8")
        .lines()
        .map(str::to_owned)
        .collect();
    let has = |line: &str| {
        assert!(
            lines.iter().any(|each| each == line),
            "{line}\nis not in\n{lines:#?}"
        )
    };
    has("error: unknown key `flagg` in `gate`");
    has(" --> outbox-audit.yaml:3:3");
    has("3 |   flagg: X");
    has("  |   ^^^^^ did you mean `flag`?");
    has(" --> outbox-audit.yaml:5:3");
    has("5 |   flow: flows.json");
    has("  |   ^^^^ did you mean `flows`?");
    has("error: 2 problems in outbox-audit.yaml; nothing was audited");
}

/// Keys, values, packs, checks, flows, consumers, objects and fields: one round, not four.
#[test]
fn a_configuration_with_names_that_lead_nowhere_and_other_problems() {
    let text = "version: 1
gate:
  colour: red
  pack: nexuscrn
  named: [Convert lead to oportunity]
inputs: {flows: flows.json, database: 'sqlite:database.sqlite'}
natural_keys:
  Oportunity: [lead_id]
  Invoice: [oportunity_id, nothing_alike]
exclusions: [{consumer: nobody, reason: r}]
waivers: [{check: unguarded-creates, subject: s, reason: r, owner: o, expires: 2026-02-30}]
horizon: long
";
    let read = |name: &str| std::fs::read(system().join(name)).expect("it is there");
    let outer = folder(&[
        ("outbox-audit.yaml", text.as_bytes()),
        ("flows.json", &read("metadata/flows.json")),
        ("database.sqlite", &read("database.sqlite")),
    ]);
    let expected = [
        "unknown key `colour` in `gate` --> outbox-audit.yaml:3:3",
        "no rule pack is called `nexuscrn` --> outbox-audit.yaml:4:9",
        "did you mean `nexuscrm`?",
        "no flow is called `Convert lead to oportunity` --> outbox-audit.yaml:5:11",
        "did you mean `Convert lead to opportunity`?",
        "no object is called `Oportunity` --> outbox-audit.yaml:8:3",
        "did you mean `Opportunity`?",
        "no field of Invoice is called `oportunity_id` --> outbox-audit.yaml:9:13",
        "did you mean `opportunity_id`?",
        "no field of Invoice is called `nothing_alike` --> outbox-audit.yaml:9:28",
        "no consumer is called `nobody` --> outbox-audit.yaml:10:25",
        "none of the 39 consumers is called so",
        "`2026-02-30` is no day of the calendar --> outbox-audit.yaml:11:80",
        "outbox-audit.yaml:12:10",
        "error: 9 problems in outbox-audit.yaml; nothing was audited",
    ];
    refused(outer.path(), &[], &expected);

    // What the inputs are cannot be followed: what is found instead says nothing of names.
    let text = text.replace("inputs:", "inptus:");
    std::fs::write(outer.path().join("outbox-audit.yaml"), text).expect("written");
    let told = refused(outer.path(), &[], &[expected[1], "did you mean `inputs`?"]);
    assert!(!told.stderr.contains("no flow"), "{}", told.stderr);
    assert!(!told.stderr.contains("no object"), "{}", told.stderr);
}

/// A schema that was read in part may define what is named.
#[test]
fn an_object_that_may_stand_in_what_was_not_read_is_no_problem() {
    let flows = b"version: 1\nconsumers: []\n";
    let config = "version: 1\nnatural_keys: {lead: [idd]}\n";
    let sound = "CREATE TABLE leads (id TEXT PRIMARY KEY);\n";
    let audit = |config: &str, schema: &str, status: i32, words: &[&str]| {
        let outer = folder(&[
            ("flows.yaml", flows),
            ("outbox-audit.yaml", config.as_bytes()),
            ("schema.sql", schema.as_bytes()),
        ]);
        let arguments = &["--dialect", "sqlite"];
        match status {
            2 => refused(outer.path(), arguments, words),
            _ => super::attempt::reported(outer.path(), arguments, status, words),
        };
    };
    audit(config, sound, 2, &["no object is called `lead`"]);
    audit(config, &format!("{sound}CREATE TABL lead (;\n"), 3, &[]);
    // A table of which not all is known.
    let keys = &config.replace("lead:", "leads:");
    audit(keys, sound, 2, &["no field of leads is called `idd`"]);
    let part = format!("{sound}ALTER TABLE leads FROBNICATE idd;\n");
    audit(keys, &part, 3, &[]);
}

#[test]
fn a_configuration_that_cannot_be_read() {
    let outer = folder(&[
        ("bad.yaml", b"version: 1\ngate: \xff\n"),
        ("twice.yaml", b"version: 1\nversion: 1\n"),
    ]);
    refused(
        outer.path(),
        &["--config", "nowhere.yaml"],
        &[
            "the configuration cannot be read",
            "--> nowhere.yaml",
            "`outbox-audit init` writes one",
        ],
    );
    refused(
        outer.path(),
        &["--config", "bad.yaml"],
        &["bad.yaml", "UTF-8"],
    );
    refused(
        outer.path(),
        &["--config", "."],
        &["the configuration is a directory, not a file"],
    );
    refused(
        outer.path(),
        &["--config", "twice.yaml"],
        &["twice.yaml:2:1"],
    );
}

#[test]
fn rules_that_cannot_be_read() {
    let outer = folder(&[
        ("rules.yaml", b"pack: mine\nnonsense: true\n"),
        ("cut.yaml", b"pack: ["),
    ]);
    for file in ["rules.yaml", "cut.yaml", "nowhere.yaml"] {
        let path = outer.path().join(file);
        refused(
            &system(),
            &["--rules", path.to_str().expect("UTF-8")],
            &[file],
        );
    }
}
