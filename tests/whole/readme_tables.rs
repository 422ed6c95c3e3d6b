//! The tables of each README, read back and compared with the report row by row.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::audit::{json_with, list, system, text};

/// The systems, with the flags that their README gives.
const SYSTEMS: &[(&str, &[&str])] = &[
    ("nexuscrm", &[]),
    ("nexuscrm-repaired", &[]),
    ("shop", &["--dialect", "sqlite"]),
];

/// Flow, effect, class, disposition.
type Row = [String; 4];

fn readme(name: &str) -> String {
    fs::read_to_string(system(name).join("README.md")).expect("each system has a README")
}

/// The rows of the first table below a heading, by the names of its columns.
fn table(readme: &str, heading: &str) -> Vec<BTreeMap<String, String>> {
    let cells = |line: &str| -> Vec<String> {
        let inner = line.trim().trim_start_matches('|').trim_end_matches('|');
        inner
            .split('|')
            .map(|cell| cell.trim().to_owned())
            .collect()
    };
    let mut lines = readme
        .lines()
        .skip_while(|line| line.trim_start_matches('#').trim() != heading || !line.starts_with('#'))
        .skip(1)
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'));
    let names = cells(lines.next().expect("a table below the heading"));
    let rows: Vec<_> = lines
        .skip(1)
        .map(|line| {
            let row = cells(line);
            assert_eq!(row.len(), names.len(), "{line}");
            names.iter().cloned().zip(row).collect()
        })
        .collect();
    assert!(!rows.is_empty(), "the table below {heading} has rows");
    rows
}

/// The word of the platform for what an effect does, and what it does it to.
fn effect(effect: &Value) -> String {
    let target = text(effect, "target");
    let declared = text(effect, "consumer").starts_with("declared:");
    match &*text(effect, "kind") {
        "mail" if !declared => "SendEmail".to_owned(),
        "http" => "CallWebhook".to_owned(),
        "unmapped" => target,
        kind if declared => format!("{kind} {target}"),
        "insert" | "find-or-create" => format!("CreateRecord {target}"),
        "record-set" => format!("UpdateRecord {target}, in memory"),
        "update" => format!("UpdateRecord {target}"),
        kind => format!("{kind} {target}"),
    }
}

fn disposition(effect: &Value) -> String {
    let word = text(effect, "disposition");
    match &*text(effect, "path") {
        "dormant" => format!("{word} (dormant)"),
        _ => word,
    }
}

/// The rows of the report. The README lists flows as the metadata does and the report by name, so
/// both are sorted by flow; the effects of one flow stay in their order.
fn rows_of_report(report: &Value) -> Vec<Row> {
    let title = |id: &Value| {
        let consumer = list(report, "consumers")
            .iter()
            .find(|each| each["id"] == *id);
        text(consumer.expect("the consumer is listed"), "title")
    };
    let mut rows: Vec<Row> = list(report, "effects")
        .iter()
        .map(|each| {
            [
                title(&each["consumer"]),
                effect(each),
                text(each, "class"),
                disposition(each),
            ]
        })
        .collect();
    rows.sort_by(|one, other| one[0].cmp(&other[0]));
    rows
}

fn rows_of_readme(readme: &str) -> Vec<Row> {
    let mut rows: Vec<Row> = table(readme, "Effects")
        .into_iter()
        .map(|row| ["Flow", "Effect", "Class", "Disposition"].map(|name| row[name].clone()))
        .collect();
    rows.sort_by(|one, other| one[0].cmp(&other[0]));
    rows
}

#[test]
fn every_effect_is_what_the_readme_says() {
    for (name, flags) in SYSTEMS {
        let report = json_with(&system(name), flags);
        let (said, found) = (rows_of_readme(&readme(name)), rows_of_report(&report));
        let missing: Vec<_> = said.iter().filter(|row| !found.contains(row)).collect();
        let more: Vec<_> = found.iter().filter(|row| !said.contains(row)).collect();
        assert!(
            missing.is_empty() && more.is_empty(),
            "{name}: the README says\n{missing:#?}\nthe report says\n{more:#?}"
        );
        assert_eq!(said, found, "{name}: order and count");
    }
}

#[test]
fn the_counts_are_those_of_the_readme() {
    for (name, flags) in SYSTEMS {
        let report = json_with(&system(name), flags);
        let readme = readme(name);
        let sentence = readme
            .lines()
            .find(|line| line.starts_with("One row for each effect"))
            .expect("the README counts");
        let sentence = sentence.replace("none ", "0 ");
        let count = |word: &str| -> u64 {
            let before = sentence.split_once(word).map(|(before, _)| before);
            let number = before.and_then(|before| before.split_whitespace().last());
            number.and_then(|number| number.parse().ok()).unwrap_or(0)
        };
        let counts = &report["counts"];
        for (words, key) in [
            (" blocked", "blocked"),
            (" safe", "safe"),
            (" unknown", "unknown"),
            (" off the path", "off-path"),
        ] {
            assert_eq!(counts[key], count(words), "{name}: {key} in {sentence:?}");
        }
        assert_eq!(
            list(&report, "effects").len() as u64,
            count(" in all"),
            "{name}"
        );
    }
}

#[test]
fn the_conditions_are_those_of_the_readme() {
    for (name, flags) in SYSTEMS {
        let report = json_with(&system(name), flags);
        let readme = readme(name);
        let heading = readme
            .lines()
            .find_map(|line| {
                line.strip_prefix("## The ")
                    .filter(|rest| rest.ends_with("conditions"))
            })
            .expect("the README lists the conditions");
        let said: Vec<String> = table(&readme, &format!("The {heading}"))
            .into_iter()
            .map(|row| row["Expected"].replace(' ', "-"))
            .collect();
        let found: Vec<String> = list(&report, "gate")
            .iter()
            .map(|each| text(each, "state"))
            .collect();
        assert_eq!(said, found, "{name}");
        let verdict = text(&report, "verdict");
        let promised = format!(
            "Expected verdict: **{verdict}**, exit status {}.",
            report["exit_status"]
        );
        assert!(readme.contains(&promised), "{name}: {promised}");
    }
}

/// The flows of the README are the consumers of the report, each at least once; those of the source
/// have a table of their own.
#[test]
fn every_consumer_has_a_row() {
    for (name, flags) in SYSTEMS {
        let report = json_with(&system(name), flags);
        let readme = readme(name);
        let rows = rows_of_readme(&readme);
        let mut code = Vec::new();
        for consumer in list(&report, "consumers") {
            let title = text(consumer, "title");
            if text(consumer, "origin") == "code" {
                code.push([title, text(consumer, "path")]);
            } else {
                assert!(rows.iter().any(|row| row[0] == title), "{name}: {title}");
            }
        }
        let said: Vec<[String; 2]> = match readme.contains("## Consumers in the source") {
            true => table(&readme, "Consumers in the source")
                .into_iter()
                .map(|row| ["Consumer", "Path"].map(|column| row[column].clone()))
                .collect(),
            false => Vec::new(),
        };
        assert_eq!(said, code, "{name}");
    }
}

/// What the README says that the source shows of the rules of the pack.
#[test]
fn the_source_shows_what_the_readme_says() {
    for (name, flags) in &SYSTEMS[..2] {
        let report = json_with(&system(name), flags);
        let said: BTreeMap<String, String> = table(&readme(name), "What the source shows")
            .into_iter()
            .map(|row| (row["Rule"].clone(), row["Outcome"].clone()))
            .collect();
        let found: BTreeMap<String, String> = list(&report, "obligations")
            .iter()
            .filter(|each| text(each, "check") == "unconfirmed-rule")
            .map(|each| {
                let subject = text(each, "subject");
                let rule = subject.strip_prefix("rule:nexuscrm/").unwrap_or(&subject);
                (rule.to_owned(), text(each, "outcome").replace('-', " "))
            })
            .collect();
        assert_eq!(said, found, "{name}");
    }
}

/// Where the residuals say that a save emits no event, the place is in the source.
#[test]
fn writes_past_the_outbox_are_named() {
    for (name, functions) in [
        (
            "nexuscrm",
            &["Records.Import", "Records.Restore", "Records.Purge"][..],
        ),
        ("nexuscrm-repaired", &["Records.Import"][..]),
    ] {
        let report = json_with(&system(name), &[]);
        let residuals = list(&report, "residuals").iter();
        let residuals: Vec<&str> = residuals.filter_map(Value::as_str).collect();
        let past: Vec<&&str> = residuals
            .iter()
            .filter(|one| one.contains("enqueues no event at source/persistence/"))
            .collect();
        assert_eq!(past.len(), functions.len(), "{name}: {past:?}");
        for function in functions {
            assert!(past.iter().any(|one| one.contains(function)), "{function}");
        }
        assert!(!residuals.iter().any(|one| one.contains("bulk insert")));
    }
}
