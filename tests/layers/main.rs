//! Who may import whom. Every path of every source file is read, not only `use`: a path in an
//! expression, a type, a pattern, a macro call or an attribute imports just as well.
//!
//! Also: each file opens with `//!`, and none is longer than 400 lines.

mod imports;

use std::fs;
use std::path::{Path, PathBuf};

use imports::{Breach, breaches_of, module_of};

/// May name every folder, and what `lib.rs` defines.
const EVERYBODY: &str = "*";

/// What each folder may name beside itself, as paths below the crate root. `lib.rs` and `main.rs`
/// are not listed: they may name everybody, and only the door behind them may name what they define.
const LAYERS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("sql", &["model"]),
    ("expr", &["model"]),
    ("rules", &["model"]),
    ("input", &["model", "sql"]),
    // A search over what the facts say of the queue; it knows no reader and no rule.
    ("protocol", &["model"]),
    ("facts", &["model", "sql", "expr", "rules", "protocol"]),
    ("checks", &["model"]),
    ("verdict", &["model"]),
    ("report", &["model"]),
    // The doors: what was typed becomes a call, what came back becomes output.
    ("command", &[EVERYBODY]),
    // What only the door does: proposed keys are asked of the database once more.
    ("keys", &["model", "sql"]),
    // The same for what guarantees ask of settings and rows.
    ("guarantees", &[EVERYBODY]),
    // The command line reads databases and days as the configuration does.
    (
        "cli",
        &[
            "model",
            "report",
            "rules",
            "input::config::database",
            "input::config::date",
        ],
    ),
];

/// No file is longer, tests included.
const MAX_LINES: usize = 400;

/// Every Rust file below a folder of the crate, sorted, relative to it and with `/`.
fn files(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut folders: Vec<PathBuf> = vec![root.clone()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder can be read") {
            let path = entry.expect("its entries can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let below = path.strip_prefix(&root).expect("it lies below");
                let name = below
                    .to_str()
                    .expect("its name is UTF-8")
                    .replace('\\', "/");
                found.push((name, fs::read_to_string(&path).expect("it is UTF-8")));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no Rust file below {folder}");
    found
}

fn none(breaches: Vec<Breach>) {
    let list: Vec<String> = breaches.iter().map(ToString::to_string).collect();
    assert!(
        list.is_empty(),
        "{} breaches:\n{}",
        list.len(),
        list.join("\n")
    );
}

#[test]
fn imports_point_at_the_leaves() {
    let all = files("src");
    none(
        all.iter()
            .flat_map(|(file, text)| breaches_of(file, text))
            .collect(),
    );
}

#[test]
fn every_folder_has_its_row_and_every_row_its_folder() {
    let all = files("src");
    let mut found: Vec<String> = all
        .iter()
        .filter_map(|(file, _)| module_of(file).into_iter().next())
        .collect();
    found.dedup();
    let mut rows: Vec<&str> = LAYERS.iter().map(|(name, _)| *name).collect();
    rows.sort_unstable();
    found.sort();
    found.dedup();
    assert_eq!(found, rows, "folders of src against the rows of LAYERS");
}

#[test]
fn every_file_says_what_it_is_for() {
    let mut breaches = Vec::new();
    for folder in ["src", "tests"] {
        for (file, text) in files(folder) {
            if !text.starts_with("//!") {
                let says = "it does not open with `//!`".to_owned();
                breaches.push(Breach {
                    file: format!("{folder}/{file}"),
                    line: 1,
                    says,
                });
            }
        }
    }
    none(breaches);
}

#[test]
fn no_file_is_too_long() {
    let mut breaches = Vec::new();
    for folder in ["src", "tests"] {
        for (file, text) in files(folder) {
            let lines = text.lines().count();
            if lines > MAX_LINES {
                let says = format!("it has {lines} lines, more than {MAX_LINES}");
                breaches.push(Breach {
                    file: format!("{folder}/{file}"),
                    line: MAX_LINES + 1,
                    says,
                });
            }
        }
    }
    none(breaches);
}

/// The reader itself: each way of naming a module counts, at its line.
#[test]
fn a_breach_is_found_wherever_it_stands() {
    for (file, text, line) in [
        ("model/x.rs", "use crate::sql::Lexer;", 1),
        (
            "model/x.rs",
            "use crate::{\n model::a,\n sql::Lexer,\n};",
            3,
        ),
        ("model/x.rs", "use super::super::sql::Lexer;", 1),
        ("model/mod.rs", "use super::sql::Lexer;", 1),
        ("model/x.rs", "use crate::*;", 1),
        ("facts/x.rs", "\nfn f() { crate::report::page(); }", 2),
        (
            "facts/x.rs",
            "fn f() -> Option<crate::report::Page> { None }",
            1,
        ),
        (
            "facts/x.rs",
            "fn f() { match 1 { crate::report::ONE => {} _ => {} } }",
            1,
        ),
        ("facts/x.rs", "fn f() { vec![crate::report::page()]; }", 1),
        (
            "facts/x.rs",
            "mod tests {\n use super::super::super::report::Page;\n}",
            2,
        ),
        (
            "facts/x.rs",
            "#[serde(with = \"crate::report::words\")]\nstruct S;",
            1,
        ),
        ("checks/x.rs", "use crate::facts::derive;", 1),
        ("cli.rs", "use crate::input::config::load::load;", 1),
        ("report/x.rs", "use crate::audit;", 1),
        ("odd.rs", "use crate::model::Place;", 1),
    ] {
        let lines: Vec<usize> = breaches_of(file, text)
            .iter()
            .map(|breach| breach.line)
            .collect();
        assert_eq!(lines, [line], "{file}: {text}");
    }
}

#[test]
fn what_is_allowed_is_no_breach() {
    for (file, text) in [
        (
            "facts/x.rs",
            "use crate::model::Place; use crate::rules::Rules; use super::y::Z;",
        ),
        (
            "facts/x.rs",
            "mod tests { use super::*; use super::super::guard; }",
        ),
        (
            "facts/x.rs",
            "//! Like crate::report.\n/// See [`crate::report`].\nfn f() {}",
        ),
        ("facts/x.rs", "fn f() { let text = \"crate::report\"; }"),
        (
            "cli/values.rs",
            "use crate::input::config::date::parse_day; use super::Format;",
        ),
        (
            "lib.rs",
            "use crate::report::render; pub fn audit() { self::facts::derive(); }",
        ),
        ("main.rs", "fn main() { outbox_audit::report::render(); }"),
    ] {
        assert_eq!(breaches_of(file, text), [], "{file}: {text}");
    }
}
