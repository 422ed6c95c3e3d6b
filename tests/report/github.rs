//! Workflow commands, read back as the runner reads them.

use outbox_audit::model::report::Report;
use outbox_audit::report::{Format, RenderOptions, fingerprint, render};

use crate::samples::many::blocked;
use crate::samples::{hold::hold, plain};

/// One command as the runner understands it.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) word: String,
    pub(crate) properties: Vec<(String, String)>,
    pub(crate) message: String,
}

impl Command {
    pub(crate) fn property(&self, name: &str) -> Option<&str> {
        let found = self.properties.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

fn data(text: &str) -> String {
    text.replace("%0D", "\r")
        .replace("%0A", "\n")
        .replace("%25", "%")
}

fn property(text: &str) -> String {
    data(&text.replace("%3A", ":").replace("%2C", ","))
}

/// Reads the lines of a log; what is no command comes second.
pub(crate) fn read(text: &str) -> (Vec<Command>, Vec<String>) {
    let (mut commands, mut others) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let Some(rest) = line.trim_start().strip_prefix("::") else {
            assert!(!line.contains("##["), "an older command: {line}");
            others.push(line.to_owned());
            continue;
        };
        let (head, message) = rest.split_once("::").unwrap();
        let (word, list) = head.split_once(' ').unwrap_or((head, ""));
        let pairs = list.split(',').map(|pair| pair.split_once('=').unwrap());
        commands.push(Command {
            word: word.to_owned(),
            properties: pairs
                .map(|(key, value)| (key.to_owned(), property(value)))
                .collect(),
            message: data(message),
        });
    }
    (commands, others)
}

pub(crate) fn annotations(report: &Report) -> (Vec<Command>, Vec<String>) {
    read(&render(report, Format::Github, &RenderOptions::default()))
}

#[test]
fn the_verdict_comes_first_in_its_own_kind() {
    for (report, word, verdict) in [
        (hold(), "error", "HOLD: OUTBOX_PULL_WORKER"),
        (plain::unproven(), "warning", "UNPROVEN: OUTBOX_PULL_WORKER"),
        (plain::go(), "notice", "GO: OUTBOX_PULL_WORKER"),
        (plain::empty(), "warning", "UNPROVEN"),
    ] {
        let (commands, _) = annotations(&report);
        assert_eq!(commands[0].word, word);
        assert_eq!(commands[0].property("title"), Some(verdict));
    }
}

#[test]
fn a_finding_is_annotated_at_its_place_with_harm_and_fix() {
    let (commands, others) = annotations(&hold());
    assert!(others.is_empty(), "{others:?}");
    let subject = "flow:Convert lead/action/CreateRecord:Opportunity";
    let title = format!(
        "unguarded-create ({})",
        fingerprint("unguarded-create", subject)
    );
    let one = commands
        .iter()
        .find(|one| one.property("title") == Some(&title))
        .unwrap();
    assert_eq!(one.word, "error");
    for (name, value) in [
        ("file", "fixtures/whole/nexuscrm/metadata/flows.json"),
        ("line", "6"),
        ("endLine", "6"),
        ("col", "24"),
        ("endColumn", "36"),
    ] {
        assert_eq!(one.property(name), Some(value), "{name}");
    }
    let lines: Vec<&str> = one.message.lines().collect();
    assert_eq!(
        lines[0],
        "Convert lead → create Opportunity: a second delivery creates a second Opportunity"
    );
    assert!(lines.contains(&"fix: add UNIQUE (lead_id) on Opportunity"));
    let open = commands.iter().filter(|one| {
        one.word == "warning" && one.property("title").unwrap().starts_with("not known: ")
    });
    assert_eq!(open.count(), 6);
}

#[test]
fn no_more_than_github_shows_and_the_rest_is_counted() {
    let (commands, others) = annotations(&blocked(100_000, 10, "Thing"));
    assert_eq!(commands.len(), 10);
    assert_eq!(
        others,
        ["99,991 more not annotated: GitHub shows 10 of a kind; the other formats list all"]
    );
}
