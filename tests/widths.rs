//! What the commands print for people fits the terminal: no line is wider than COLUMNS says, unless
//! it holds a single word, which a break would only make harder to copy.

use std::path::Path;
use std::process::Command;

use unicode_width::UnicodeWidthStr;

/// What the program prints in a terminal of so many columns.
fn printed(arguments: &[&str], columns: usize) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("COLUMNS", columns.to_string())
        .output()
        .expect("it starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {text}");
    assert!(text.lines().count() > 1, "{arguments:?}: {text}");
    text
}

fn assert_fits(arguments: &[&str]) {
    for columns in [60, 80, 100] {
        for line in printed(arguments, columns).lines() {
            assert!(
                line.width() <= columns || !line.trim().contains(' '),
                "{arguments:?} in {columns} columns: {line}"
            );
            assert_eq!(line, line.trim_end(), "{arguments:?}");
        }
    }
}

/// The words of a text: what is broken otherwise is said all the same.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// The folders with source among those of the fixtures.
fn trees() -> Vec<String> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut trees = vec!["fixtures/checks".to_owned()];
    for group in ["queue", "source/go", "source/rust", "whole"] {
        let entries = std::fs::read_dir(fixtures.join(group)).expect("it can be listed");
        let names = entries.map(|entry| entry.expect("listed").file_name());
        trees.extend(names.map(|name| format!("fixtures/{group}/{}", name.to_string_lossy())));
    }
    trees.sort();
    trees
}

#[test]
fn the_rules_fit() {
    assert_fits(&["rules", "list"]);
}

#[test]
fn the_map_fits() {
    for tree in trees() {
        assert_fits(&["map", &tree]);
        assert_fits(&["map", "--verbose", &tree]);
    }
}

#[test]
fn the_backlog_fits() {
    assert_fits(&["backlog", "fixtures/whole/nexuscrm"]);
    assert_fits(&["backlog", "fixtures/whole/nexuscrm-repaired"]);
}

#[test]
fn no_word_is_lost_where_a_line_breaks() {
    for arguments in [
        &["rules", "list"][..],
        &["map", "--verbose", "fixtures/source/go/claims"],
        &["map", "fixtures/whole/nexuscrm"],
    ] {
        let (narrow, wide) = (printed(arguments, 60), printed(arguments, 120));
        assert!(
            narrow.lines().count() > wide.lines().count(),
            "{arguments:?}"
        );
        assert_eq!(words(&narrow), words(&wide), "{arguments:?}");
    }
}
