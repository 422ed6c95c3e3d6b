//! Runs the binary on a system, and what its JSON holds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The day on which waivers are judged, so that no report depends on the clock.
pub(crate) const DAY: &str = "2026-01-01";

/// What one run left behind.
pub(crate) struct Run {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The folder of a bundled system.
pub(crate) fn system(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/whole")
        .join(name)
}

/// A copy that a test may change.
pub(crate) fn copy(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    copy_into(&system(name), folder.path());
    folder
}

/// The same, with results of tests that name no digests of what they ran with: an edit of the copy says
/// nothing of them then.
pub(crate) fn copy_with_unbound_results(name: &str) -> tempfile::TempDir {
    let folder = copy(name);
    let file = folder.path().join("tests/redelivery.json");
    if let Ok(text) = fs::read_to_string(&file) {
        let is_bound = |line: &&str| line.contains("\"redelivery.digests\"");
        let bound = text.lines().filter(is_bound).count();
        assert!(bound > 0, "no result names a digest");
        let unbound: Vec<&str> = text.lines().filter(|line| !is_bound(line)).collect();
        fs::write(&file, unbound.join("\n")).expect("it is written");
    }
    folder
}

fn copy_into(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("the folder can be read") {
        let path = entry.expect("its entries can be read").path();
        let target = to.join(path.file_name().expect("it has a name"));
        if path.is_dir() {
            fs::create_dir(&target).expect("a folder is made");
            copy_into(&path, &target);
        } else {
            fs::copy(&path, &target).expect("it is copied");
        }
    }
}

/// Runs `check` in a folder, with the day fixed.
pub(crate) fn check_in(folder: &Path, arguments: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .current_dir(folder)
        // Wide, so that quotes show much of their lines.
        .env("COLUMNS", "120")
        .args(["check", "--as-of", DAY])
        .args(arguments)
        .output()
        .expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it writes UTF-8");
    Run {
        status: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// The JSON report of a folder, with flags of its own.
pub(crate) fn json_with(folder: &Path, flags: &[&str]) -> Value {
    let run = check_in(folder, &[&["--format", "json"], flags].concat());
    assert!(matches!(run.status, Some(0 | 1 | 3)), "{}", run.stderr);
    serde_json::from_str(&run.stdout).expect("it prints JSON")
}

/// The JSON report of a folder.
pub(crate) fn json(folder: &Path) -> Value {
    json_with(folder, &[])
}

/// A text of an object; empty if there is none.
pub(crate) fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

/// The entries of a list.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// Subject, check and outcome: what an audit decided, without words and places.
pub(crate) type Decision = (String, String, String);

/// All that was decided.
pub(crate) fn decisions(report: &Value) -> BTreeSet<Decision> {
    let all = list(report, "obligations");
    let set: BTreeSet<Decision> = all
        .iter()
        .map(|each| {
            (
                text(each, "subject"),
                text(each, "check"),
                text(each, "outcome"),
            )
        })
        .collect();
    assert_eq!(
        set.len(),
        all.len(),
        "one outcome for each subject and check"
    );
    set
}

/// Effect ids with their dispositions.
pub(crate) fn dispositions(report: &Value) -> BTreeSet<(String, String)> {
    list(report, "effects")
        .iter()
        .map(|effect| (text(effect, "id"), text(effect, "disposition")))
        .collect()
}
