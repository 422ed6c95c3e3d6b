//! What everybody uses who works with the tool day by day: completions, pages of the manual, quiet
//! and verbose runs.

use std::path::Path;
use std::process::{Command, Output};

use clap::CommandFactory;
use outbox_audit::cli::Cli;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/whole/shop"))
        .args(arguments)
        .output()
        .expect("it starts")
}

fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn completions_know_every_command_and_flag() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = printed(&["completions", shell]);
        for command in Cli::command().get_subcommands() {
            assert!(
                script.contains(command.get_name()),
                "{shell}: {}",
                command.get_name()
            );
        }
        let values: &[&str] = match shell {
            "bash" | "zsh" | "fish" => &["sarif", "in-toto"],
            // These complete no values.
            _ => &[],
        };
        for word in ["stream-payloads", "fail-on"].iter().chain(values) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

/// bash itself completes by the script.
#[test]
fn bash_completes_a_format() {
    let script = printed(&["completions", "bash"]);
    for (typed, before, last, completed) in [
        ("check --format sa", "--format", "sa", "sarif"),
        ("check --stream", "check", "--stream", "--stream-payloads"),
        ("rules te", "rules", "te", "test"),
        ("expl", "outbox-audit", "expl", "explain"),
    ] {
        let words = typed.split(' ').count();
        let asks = format!(
            "COMP_WORDS=(outbox-audit {typed}); COMP_CWORD={words}; \
             line=$(complete -p outbox-audit); name=${{line##*-F }}; \
             \"${{name%% *}}\" outbox-audit {last} {before}; echo \"${{COMPREPLY[*]}}\""
        );
        let output = Command::new("bash")
            .args(["--norc", "-c", &format!("{script}\n{asks}")])
            .output()
            .expect("bash starts");
        let shown = String::from_utf8_lossy(&output.stdout);
        assert_eq!(shown.trim(), completed, "{typed}: {output:?}");
    }
}

#[test]
fn every_command_has_a_page() {
    let whole = printed(&["man"]);
    assert!(whole.contains(".TH OUTBOX-AUDIT 1"), "{whole}");
    assert!(whole.contains("UNPROVEN"), "the exit statuses stand in it");
    for command in Cli::command().get_subcommands() {
        let name = command.get_name();
        let page = printed(&["man", name]);
        let title = format!(".TH OUTBOX\\-AUDIT\\-{} 1", name.to_uppercase());
        let title = [title.clone(), title.replace('\\', "")];
        assert!(title.iter().any(|one| page.contains(one)), "{name}: {page}");
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
    }
    let inner = printed(&["man", "rules", "test"]);
    assert!(
        inner.contains("OUTBOX") && inner.contains("RULES"),
        "{inner}"
    );
    let unknown = run(&["man", "nonsense"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no command `nonsense`"));
}

#[test]
fn help_tells_the_exit_statuses() {
    for arguments in [&["--help"][..], &["check", "--help"]] {
        let help = printed(arguments);
        for line in ["0  GO ", "1  HOLD ", "3  UNPROVEN ", "2  usage"] {
            assert!(help.contains(line), "{arguments:?}: {line}");
        }
    }
}

/// Times are told beside the report, never in it.
#[test]
fn a_verbose_run_tells_how_long_each_part_took() {
    for format in ["terminal", "json"] {
        let output = run(&[
            "check",
            "--verbose",
            "--as-of",
            "2026-01-01",
            "--format",
            format,
        ]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = told
            .strip_prefix("time: ")
            .unwrap_or_else(|| panic!("{told}"));
        assert_eq!(line.lines().count(), 1);
        let parts: Vec<(&str, f64)> = line
            .trim()
            .split(" · ")
            .map(|part| {
                let (word, time) = part.split_once(' ').expect("a word and a time");
                let seconds = time.strip_suffix(" s").expect("seconds");
                (word, seconds.parse().expect("a number"))
            })
            .collect();
        let words: Vec<&str> = parts.iter().map(|(word, _)| *word).collect();
        assert_eq!(
            words,
            [
                "read", "map", "derive", "check", "ask", "judge", "write", "together"
            ]
        );
        let sum: f64 = parts.iter().take(7).map(|(_, took)| took).sum();
        assert!((sum - parts[7].1).abs() < 0.1, "{line}");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("together 0"));
    }
}

#[test]
fn a_quiet_run_says_the_verdict_and_nothing_else() {
    let output = run(&["check", "--quiet", "--as-of", "2026-01-01"]);
    assert!(output.stderr.is_empty(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.starts_with("HOLD") && text.lines().count() <= 2,
        "{text}"
    );
}

/// `script` gives the program a terminal; colours are there, and gone where they are not wanted.
#[cfg(target_os = "linux")]
#[test]
fn colours_on_a_terminal_unless_they_are_not_wanted() {
    let on_terminal = |no_color: Option<&str>, term: &str| {
        let program = env!("CARGO_BIN_EXE_outbox-audit");
        let mut command = Command::new("script");
        command
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/whole/shop"))
            .args([
                "-qec",
                &format!("{program} check --as-of 2026-01-01"),
                "/dev/null",
            ])
            .env_remove("NO_COLOR")
            .env("TERM", term);
        if let Some(value) = no_color {
            command.env("NO_COLOR", value);
        }
        let output = command.output().expect("script starts");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        output.stdout.contains(&0x1b)
    };
    assert!(on_terminal(None, "xterm"));
    assert!(on_terminal(Some(""), "xterm"));
    assert!(!on_terminal(Some("1"), "xterm"));
    assert!(!on_terminal(None, "dumb"));
}
