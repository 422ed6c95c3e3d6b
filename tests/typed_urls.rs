//! A URL with a password that is typed in a wrong place, or stands in source, never comes back.

use std::fs;
use std::path::Path;
use std::process::Command;

use clap::ValueEnum;
use outbox_audit::report::Format;

const URL: &str = "https://bob:hunter2@host/y?token=s3cr3t";

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let source = format!(
        "import celery, requests\n\napp = celery.Celery()\n\n@app.task\ndef bill(order):\n    \
         requests.post('{URL}', json=order)\n"
    );
    for (name, text) in [
        ("tasks.py", source.as_str()),
        (
            "outbox-audit.yaml",
            "version: 1\ninputs: {source: tasks.py}\n",
        ),
    ] {
        fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

/// Everything it wrote, and that no secret is in it.
fn told(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("it starts");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("it is text");
    for secret in ["hunter2", "s3cr3t"] {
        let joined: String = text.split_whitespace().collect();
        assert!(!joined.contains(secret), "{arguments:?}: {text}");
    }
    assert!(!text.contains("panicked"), "{text}");
    text
}

#[test]
fn a_url_in_any_argument() {
    let project = project();
    let folder = project.path();
    let output = format!("json={URL}");
    let accepted = ["--reason", "r", "--owner", "o", "--expires", "2030-01-01"];
    let waive = |check: &'static str, subject: &'static str| {
        [&["waive", check, subject][..], &accepted].concat()
    };
    let mut lines: Vec<Vec<&str>> = vec![
        vec!["explain", URL],
        vec!["check", "--output", &output],
        vec!["check", "--output", URL],
        waive(URL, "s"),
        waive("unprotected-external", URL),
        vec!["map", "--changed-since", URL],
        vec!["rules", "show", URL],
        vec!["diff", URL, URL],
        vec![URL],
    ];
    for command in [
        "check",
        "verify",
        "map",
        "schema",
        "backlog",
        "backfill",
        "queries",
        "init",
        "man",
        "completions",
    ] {
        lines.push(vec![command, URL]);
    }
    for command in ["check", "map", "schema", "backlog"] {
        for flag in [
            "--pack",
            "--rules",
            "--config",
            "--flows",
            "--schema",
            "--source",
            "--tests",
            "--answers",
            "--dialect",
            "--stage",
            "--fail-on",
            "--as-of",
            "--format",
            "--threads",
            "--table",
            "--database",
        ] {
            lines.push(vec![command, flag, URL]);
        }
    }
    for flag in ["--rules", "--pack"] {
        lines.push(vec!["rules", "list", flag, URL]);
        lines.push(vec!["rules", "show", "go", flag, URL]);
        lines.push(vec!["rules", "test", flag, URL]);
    }
    for flag in ["--owner", "--expires", "--reason"] {
        let mut line = waive("unprotected-external", "s");
        let at = line.iter().position(|one| *one == flag).expect("the flag");
        line[at + 1] = URL;
        lines.push(line);
    }
    for line in lines {
        let text = told(folder, &line);
        assert!(!text.is_empty(), "{line:?}");
    }
}

#[test]
fn a_url_in_source() {
    let project = project();
    for format in ["terminal", "json", "mermaid", "dot"] {
        let text = told(project.path(), &["map", "--verbose", "--format", format]);
        assert!(text.contains("@host/y"), "{format}: {text}");
    }
    for format in Format::value_variants() {
        let format = format.to_possible_value().expect("it can be typed");
        told(
            project.path(),
            &["check", "--verbose", "--format", format.get_name()],
        );
    }
}
