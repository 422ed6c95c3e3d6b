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
        &["unknown pack `nexuscmr`; there are: expr-lang, neutral, nexuscrm"],
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
