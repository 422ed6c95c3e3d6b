//! What everybody uses who works with the tool day by day: completions, pages of the manual, quiet
//! and verbose runs.

use std::path::Path;
use std::process::{Command, Output};

use clap::{CommandFactory, ValueEnum};
use outbox_audit::cli::Cli;
use outbox_audit::report::Format;

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

/// Reports and maps that were written into the project are none of its inputs.
#[test]
fn what_was_written_into_the_project_is_not_read_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let shop = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/whole/shop");
    for name in ["flows.yaml", "schema.sql"] {
        std::fs::copy(shop.join(name), folder.path().join(name)).expect("it is copied");
    }
    let run = |arguments: &[String]| {
        let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
            .current_dir(folder.path())
            .args(["check", "--as-of", "2026-01-01", "--format", "json"])
            .args(arguments)
            .output()
            .expect("it starts");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        output.stdout
    };
    let outputs: Vec<String> = Format::value_variants()
        .iter()
        .filter_map(|format| Some(format.to_possible_value()?.get_name().to_owned()))
        .flat_map(|name| {
            ["json", "xml", "md"].map(|ending| format!("--output={name}=of-{name}.{ending}"))
        })
        .collect();
    let before = run(&outputs);
    let count = std::fs::read_dir(folder.path())
        .expect("the folder")
        .count();
    assert_eq!(count, 2 + outputs.len());
    let after = run(&[]);
    assert!(before == after, "{}", String::from_utf8_lossy(&after));
}

/// A server that takes the connection and never answers: on a terminal a line says what is waited
/// for, and it is gone at the end; elsewhere there is none.
#[cfg(target_os = "linux")]
#[test]
fn a_long_run_says_on_a_terminal_what_it_does() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("its address");
    let folder = tempfile::tempdir().expect("a folder");
    let config = "version: 1\nlimits: {timeout_seconds: 4}\n";
    std::fs::write(folder.path().join("outbox-audit.yaml"), config).expect("it is written");
    let check = |more: &str| {
        format!(
            "{} check --as-of 2026-01-01 {more} --database postgres://auditor@{address}/crm",
            env!("CARGO_BIN_EXE_outbox-audit")
        )
    };
    let on_terminal = |more: &str| {
        let output = Command::new("script")
            .current_dir(folder.path())
            .args(["-qec", &check(more), "/dev/null"])
            .env("TERM", "xterm")
            .output()
            .expect("script starts");
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let shown = on_terminal("");
    let (before, after) = shown.split_once("reading the inputs … 2 s").expect(&shown);
    assert!(before.ends_with("\r\u{1b}[K"), "{before:?}");
    let (line, rest) = after.rsplit_once("\r\u{1b}[K").expect("it is taken away");
    assert!(
        !line.contains("UNPROVEN") && rest.contains("UNPROVEN"),
        "{shown:?}"
    );
    assert!(!on_terminal("--quiet").contains(" … "));
    let piped = Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", &check("")])
        .output()
        .expect("sh starts");
    assert!(
        !String::from_utf8_lossy(&piped.stderr).contains('…'),
        "{piped:?}"
    );
}
