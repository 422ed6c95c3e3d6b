//! One run on bad input, with what holds of every such run already asserted.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

/// What came out, blanks and line ends collapsed, so that wrapping parts no sentence.
pub(crate) struct Attempt {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outbox-audit"));
    command
        .current_dir(folder)
        .args(["check", "--as-of", "2026-01-01"])
        .args(arguments);
    command
}

fn flat(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Judges what holds of every run on bad input.
pub(crate) fn judge(output: &Output) -> Attempt {
    let attempt = Attempt {
        status: output.status.code().expect("no signal ended it"),
        stdout: flat(&output.stdout),
        stderr: flat(&output.stderr),
    };
    for text in [&attempt.stdout, &attempt.stderr] {
        assert!(!text.contains("panicked"), "{text}");
        assert!(!text.contains("RUST_BACKTRACE"), "{text}");
    }
    assert_ne!(attempt.status, 0, "{}", attempt.stdout);
    assert!(matches!(attempt.status, 1..=3), "{}", attempt.status);
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        assert!(!line.starts_with("GO"), "{line}");
        assert!(!line.contains("\"verdict\": \"GO\""), "{line}");
    }
    attempt
}

/// Runs `check` and expects a report that says each of the words, and the next step of each.
pub(crate) fn reported(folder: &Path, arguments: &[&str], status: i32, words: &[&str]) -> Attempt {
    let attempt = judge(&command(folder, arguments).output().expect("it starts"));
    assert_eq!(
        attempt.status, status,
        "{}{}",
        attempt.stdout, attempt.stderr
    );
    assert_eq!(attempt.stderr, "", "the report is on stdout");
    assert!(attempt.stdout.contains("next: "), "{}", attempt.stdout);
    for word in words {
        assert!(
            attempt.stdout.contains(word),
            "{word} is not in {}",
            attempt.stdout
        );
    }
    attempt
}

/// Runs `check` and expects no report, status 2 and each of the words on stderr.
pub(crate) fn refused(folder: &Path, arguments: &[&str], words: &[&str]) -> Attempt {
    let attempt = judge(&command(folder, arguments).output().expect("it starts"));
    assert_eq!(attempt.status, 2, "{}{}", attempt.stdout, attempt.stderr);
    assert_eq!(attempt.stdout, "", "nothing looks like a report");
    assert!(attempt.stderr.starts_with("error: "), "{}", attempt.stderr);
    for word in words {
        assert!(
            attempt.stderr.contains(word),
            "{word} is not in {}",
            attempt.stderr
        );
    }
    attempt
}

/// The JSON report.
pub(crate) fn json_of(folder: &Path, arguments: &[&str]) -> Value {
    let output = command(folder, &[&["--format", "json"], arguments].concat())
        .output()
        .expect("it starts");
    judge(&output);
    serde_json::from_slice(&output.stdout).expect("it prints JSON")
}

/// The reason of an input of that kind that says the words.
pub(crate) fn reason(report: &Value, kind: &str, words: &str) -> Value {
    let inputs = report["inputs"].as_array().expect("inputs");
    let input = inputs
        .iter()
        .find(|input| input["kind"] == kind)
        .expect("the input is listed");
    let reasons = input["unknown"].as_array().expect("its reasons");
    let found = reasons.iter().find(|each| {
        each["sentence"]
            .as_str()
            .is_some_and(|text| text.contains(words))
    });
    let reason = found
        .unwrap_or_else(|| panic!("no reason says {words}: {reasons:?}"))
        .clone();
    assert!(
        reason["next_step"]
            .as_str()
            .is_some_and(|step| !step.is_empty()),
        "{reason}"
    );
    assert!(reason["place"]["file"].is_string(), "{reason}");
    reason
}

/// Line and column of a place.
pub(crate) fn position(place: &Value) -> (u64, u64) {
    let number = |key: &str| {
        place[key]
            .as_u64()
            .unwrap_or_else(|| panic!("{place} has no {key}"))
    };
    (number("line"), number("column"))
}

/// Flow metadata with one flow.
pub(crate) fn one_flow(action: &str, config: &Value) -> Value {
    json!([{"name": "F", "status": "Active", "trigger_object": "Lead", "trigger_type": "afterCreate",
        "action_type": action, "action_config": config}])
}

/// A folder with files.
pub(crate) fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).expect("it is written");
    }
    folder
}
