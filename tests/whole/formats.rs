//! The formats for programs, of whole systems: the same findings by the same names, at places that
//! can be opened.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use clap::ValueEnum;
use outbox_audit::report::Format;
use roxmltree::Document;
use serde_json::Value;

use crate::audit::{check_in, copy, list, system, text};

/// Every report of one run, by the name of its format.
pub(crate) fn all_formats(folder: &Path, flags: &[&str]) -> BTreeMap<String, String> {
    let out = tempfile::tempdir().expect("a folder");
    let names: Vec<String> = Format::value_variants()
        .iter()
        .filter_map(|format| Some(format.to_possible_value()?.get_name().to_owned()))
        .collect();
    let path = |name: &str| out.path().join(name);
    let outputs: Vec<String> = names
        .iter()
        .map(|name| format!("--output={name}={}", path(name).display()))
        .collect();
    let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
    let run = check_in(folder, &[&["--quiet"], &outputs[..], flags].concat());
    assert!(matches!(run.status, Some(0 | 1 | 3)), "{}", run.stderr);
    names
        .into_iter()
        .map(|name| {
            let text = fs::read_to_string(path(&name)).expect("it is written");
            (name, text)
        })
        .collect()
}

/// The reports of the bundled systems, made once for all tests of this file.
fn bundled() -> &'static [(&'static str, BTreeMap<String, String>)] {
    static ALL: OnceLock<Vec<(&str, BTreeMap<String, String>)>> = OnceLock::new();
    ALL.get_or_init(|| {
        SYSTEMS
            .iter()
            .map(|(name, flags)| (*name, all_formats(&system(name), flags)))
            .collect()
    })
}

fn parsed(formats: &BTreeMap<String, String>, name: &str) -> Value {
    serde_json::from_str(&formats[name]).expect("it is JSON")
}

const SYSTEMS: &[(&str, &[&str])] = &[
    ("nexuscrm", &[]),
    ("nexuscrm-repaired", &[]),
    ("shop", &[]),
    ("shop", &["--dialect", "sqlite", "--stage", "tree"]),
];

#[test]
fn the_same_findings_by_the_same_names() {
    for (name, formats) in bundled() {
        let report = parsed(formats, "json");
        let prints: BTreeSet<String> = list(&report, "obligations")
            .iter()
            .filter_map(|one| one.get("finding"))
            .map(|one| text(one, "fingerprint"))
            .collect();
        let run = parsed(formats, "sarif")["runs"][0].clone();
        let sarif: Vec<String> = list(&run, "results")
            .iter()
            .map(|one| text(&one["partialFingerprints"], "outboxAudit/v1"))
            .collect();
        assert_eq!(
            sarif.iter().cloned().collect::<BTreeSet<_>>(),
            prints,
            "{name}"
        );
        assert_eq!(sarif.len(), prints.len(), "{name}: each once");
        let gitlab: BTreeSet<String> = parsed(formats, "gitlab")
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| text(one, "fingerprint"))
            .collect();
        assert!(gitlab.is_superset(&prints), "{name}");
        for print in &prints {
            let named = format!("finding: {print} ");
            assert!(formats["junit"].contains(&named), "{name}: {print}");
        }
        // Of annotations there are only the first ten of each kind.
        for line in formats["github"].lines() {
            if let Some((_, rest)) = line.split_once("title=") {
                let print = rest.split(['(', ')']).nth(1).unwrap_or_default();
                let is_print =
                    print.len() == 16 && print.chars().all(|one| one.is_ascii_hexdigit());
                assert!(!is_print || gitlab.contains(print), "{name}: {line}");
            }
        }
    }
}

/// Failures if and only if it is HOLD; errors and no failure if it is UNPROVEN; neither is a GO.
#[test]
fn junit_ends_as_the_verdict_does() {
    let mut seen = BTreeSet::new();
    for (name, formats) in bundled() {
        let verdict = text(&parsed(formats, "json"), "verdict");
        let document = Document::parse(&formats["junit"]).expect("it is XML");
        let root = document.root_element();
        let count = |key: &str| {
            root.attribute(key)
                .expect(key)
                .parse::<usize>()
                .expect("a number")
        };
        let says = match (count("failures"), count("errors")) {
            (0, 0) => "GO",
            (0, _) => "UNPROVEN",
            _ => "HOLD",
        };
        assert_eq!(says, verdict, "{name}");
        seen.insert(verdict);
    }
    assert!(seen.contains("GO") && seen.contains("HOLD"), "{seen:?}");
}

/// Text at a place of a file of this repository.
fn stands(path: &str, line: u64, column: u64, wide: usize) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let whole = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
    let line = whole.split('\n').nth(line as usize - 1);
    let line = line.unwrap_or_else(|| panic!("{path} has no such line"));
    line.chars().skip(column as usize - 1).take(wide).collect()
}

/// A path as it is written in a URI.
fn decoded(uri: &str) -> String {
    let mut bytes = Vec::new();
    let mut left = uri.bytes();
    while let Some(byte) = left.next() {
        if byte == b'%' {
            let digits = [left.next().expect("a digit"), left.next().expect("a digit")];
            let digits = std::str::from_utf8(&digits).expect("ASCII");
            bytes.push(u8::from_str_radix(digits, 16).expect("hex"));
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).expect("UTF-8")
}

fn physical<'a>(value: &'a Value, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("physicalLocation"));
            fields.values().for_each(|one| physical(one, found));
        }
        Value::Array(items) => items.iter().for_each(|one| physical(one, found)),
        _ => {}
    }
}

/// Paths count from the top of the repository, wherever in it the audited system lies.
#[test]
fn every_place_of_every_format_opens_at_its_text() {
    for (name, formats) in bundled() {
        let log = parsed(formats, "sarif");
        let mut places = Vec::new();
        physical(&log, &mut places);
        let mut quoted = 0;
        for place in places {
            let path = decoded(&text(&place["artifactLocation"], "uri"));
            let Some(region) = place.get("region") else {
                let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(&path);
                assert!(file.exists(), "{name}: {path}");
                continue;
            };
            let number = |key: &str| region[key].as_u64().expect(key);
            let Some(snippet) = region["snippet"]["text"].as_str() else {
                assert!(!stands(&path, number("startLine"), 1, 1).is_empty());
                continue;
            };
            let wide = snippet.chars().count();
            let written = stands(&path, number("startLine"), number("startColumn"), wide);
            let same = written.chars().zip(snippet.chars());
            assert!(
                written.chars().count() == wide
                    && same
                        .clone()
                        .all(|(one, shown)| one == shown || shown == '*'),
                "{name} {path}: {written} is not {snippet}"
            );
            assert_eq!(number("endColumn"), number("startColumn") + wide as u64);
            quoted += 1;
        }
        assert!(quoted > 0, "{name}: {quoted}");
        for issue in parsed(formats, "gitlab").as_array().expect("a list") {
            let location = &issue["location"];
            let line = location["lines"]["begin"].as_u64().expect("a line");
            stands(&text(location, "path"), line, 1, 1);
        }
        let junit = Document::parse(&formats["junit"]).expect("it is XML");
        for case in junit.descendants() {
            let line = case
                .attribute("line")
                .map(|line| line.parse().expect("a number"));
            if let (Some(file), Some(line)) = (case.attribute("file"), line) {
                stands(file, line, 1, 1);
            }
        }
        for line in formats["github"]
            .lines()
            .filter(|line| line.contains("line="))
        {
            let property = |key: &str| {
                let from = line.split(&format!("{key}=")).nth(1).expect(key);
                from.split([',', ':']).next().expect(key).to_owned()
            };
            let number = |key: &str| property(key).parse::<u64>().expect(key);
            let shown = stands(&property("file"), number("line"), number("col"), 1);
            assert!(!shown.trim().is_empty(), "{name}: {line}");
        }
    }
}

/// Outside of a repository paths count from the audited directory.
#[test]
fn outside_of_a_repository_paths_are_those_of_the_report() {
    let copy = copy("shop");
    let formats = all_formats(copy.path(), &[]);
    let run = parsed(&formats, "sarif")["runs"][0].clone();
    let first = &list(&run, "results")[0]["locations"][0]["physicalLocation"];
    let uri = text(&first["artifactLocation"], "uri");
    assert!(copy.path().join(decoded(&uri)).exists(), "{uri}");
    assert!(!formats["sarif"].contains("fixtures/whole"));
}
