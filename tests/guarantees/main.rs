//! Guarantees on the whole system of `fixtures/whole/greatbook`: kept as it stands, and each of the small
//! edits that break one of them is found, by the kind of check that speaks of it.

mod groups;
mod manifest;
#[path = "../servers/mod.rs"]
mod servers;
mod variants;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn system() -> PathBuf {
    root().join("fixtures/whole/greatbook")
}

/// Copies a folder, so that it is under no version control, and lets the results of its tests name no digest:
/// they are those of the tree then, whatever is edited in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("the folder can be made");
    for entry in std::fs::read_dir(from).expect("the folder can be read") {
        let entry = entry.expect("its entries can be read");
        let target = to.join(entry.file_name());
        match entry.file_type().expect("it has a type").is_dir() {
            true => copy(&entry.path(), &target),
            false if target.extension().is_some_and(|ending| ending == "xml") => {
                let text = std::fs::read_to_string(entry.path()).expect("the results can be read");
                let (before, rest) = text.split_once("<properties>").expect("they name digests");
                let (bound, after) = rest.split_once("</properties>").expect("it is closed");
                assert!(bound.contains("redelivery.digests"), "{bound}");
                std::fs::write(target, format!("{before}{after}")).expect("they can be written");
            }
            false => {
                std::fs::copy(entry.path(), target).expect("the file can be copied");
            }
        }
    }
}

/// The results of its tests: what lies beside them says which variants were run.
fn results(tree: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(tree.join("evidence"))
        .expect("the folder can be read")
        .map(|entry| entry.expect("its entries can be read").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "xml"))
        .collect();
    files.sort();
    assert!(files.len() >= 5, "{files:?}");
    files
        .into_iter()
        .flat_map(|file| ["--tests".into(), file])
        .collect()
}

/// The report on a tree of that shape.
fn report(tree: &Path, more: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .args([
            "check",
            "--pack",
            "greatbook",
            "--format",
            "json",
            "--as-of",
            "2026-12-31",
        ])
        .args(["--dialect", "postgres", "--schema"])
        .arg(tree.join("schema.sql"))
        .args(results(tree))
        .args(more)
        .arg(tree)
        .output()
        .expect("it starts");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Outcome and sentence of every check of guarantees, by check and subject.
fn outcomes(report: &Value) -> Vec<(String, String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = report["obligations"]
        .as_array()
        .expect("it has obligations");
    all.iter()
        .filter(|one| one["clause"] == "guarantee")
        .map(|one| {
            let said = [
                &one["finding"]["sentence"],
                &one["reason"]["sentence"],
                &one["proof"],
            ];
            let said = said.iter().find_map(|it| it.as_str()).unwrap_or_default();
            (
                text(&one["check"]),
                text(&one["subject"]),
                text(&one["outcome"]),
                said.to_owned(),
            )
        })
        .collect()
}
