//! Names that try to break out of a document for programs: what a program reads back is the name
//! with what would not be seen escaped, and nothing beside it.

use clap::ValueEnum;
use outbox_audit::model::report::Report;
use outbox_audit::report::{Format, RenderOptions, render};
use proptest::prelude::*;
use serde_json::Value;

use crate::github::annotations;
use crate::gitlab::issues;
use crate::junit::cases;
use crate::samples::many::{NASTY, blocked};
use crate::sarif::{results, sarif};

/// As a person shall see a name: the escapes of the terminal.
fn seen(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        let hidden = character.is_control()
            || matches!(character, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        match character {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if hidden => out.push_str(&format!("\\u{{{:x}}}", character as u32)),
            _ => out.push(character),
        }
    }
    out
}

/// True if nothing in it moves, reorders or hides.
fn is_plain(text: &str) -> bool {
    let lines = text.split('\n');
    lines.into_iter().all(|line| seen(line) == line)
}

/// Undoes what SARIF asks of message strings.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        match (character, next) {
            ('\\', Some('[' | ']' | '\\')) | ('{', Some('{')) | ('}', Some('}')) => {
                out.extend(characters.next());
            }
            ('[' | ']' | '\\' | '{' | '}', _) => panic!("{character} stands alone in {text}"),
            _ => out.push(character),
        }
    }
    out
}

/// Every string of a JSON value.
fn strings<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(items) => items.iter().for_each(|one| strings(one, found)),
        Value::Object(fields) => fields.values().for_each(|one| strings(one, found)),
        _ => {}
    }
}

fn assert_contained(report: &Report) {
    let count = report.obligations.len();
    // No byte of any file moves a cursor or reorders a line.
    for format in Format::value_variants().iter().copied() {
        let text = render(report, format, &RenderOptions::default());
        assert!(is_plain(&text), "{format:?}");
    }
    let run = sarif(report);
    assert_eq!(results(&run).len(), count);
    for (one, obligation) in results(&run).iter().zip(&report.obligations) {
        let says = unescaped(one["message"]["text"].as_str().unwrap());
        assert!(is_plain(&says), "{says}");
        assert!(says.starts_with("a second delivery creates a second "));
        // Programs get the whole name.
        let named = &one["locations"][0]["logicalLocations"][0]["fullyQualifiedName"];
        assert!(
            report
                .obligations
                .iter()
                .any(|each| *named == each.subject.to_string())
        );
        assert!(one["ruleId"] == obligation.check.id || count > 1);
    }
    let (commands, others) = annotations(report);
    assert_eq!(commands.len(), (count + 1).min(10));
    assert_eq!(others.len(), usize::from(count + 1 > 10));
    for command in &commands {
        assert_eq!(command.word, "error");
        let known = ["file", "line", "endLine", "col", "endColumn", "title"];
        assert!(
            command
                .properties
                .iter()
                .all(|(key, _)| known.contains(&&**key))
        );
        assert!(is_plain(&command.message), "{}", command.message);
    }
    let issues = issues(report);
    assert_eq!(issues.len(), count);
    let mut all = Vec::new();
    issues.iter().for_each(|one| strings(one, &mut all));
    assert!(all.iter().all(|text| is_plain(text)));
    let cases = cases(report);
    assert_eq!(cases.len(), count + report.gate.len());
    for case in &cases {
        assert!(is_plain(&case.suite) && is_plain(&case.name) && is_plain(&case.text));
    }
}

#[test]
fn a_name_that_tries_everything_stays_a_name() {
    let more = "%0A::error::x ]]> <![CDATA[ $(reboot) `id` \"; rm -rf / #'";
    for name in [
        NASTY,
        more,
        "\u{fffe}\u{ffff}\u{0}\u{1b}[2J",
        "::set-output name=a::b",
    ] {
        let report = blocked(3, 3, name);
        assert_contained(&report);
        let shown = seen(name);
        let issues = issues(&report);
        let first = issues[0]["description"].as_str().unwrap();
        let start: String = shown.chars().take(10).collect();
        assert!(first.starts_with(&start), "{first} is not {shown}");
    }
}

#[test]
fn a_name_without_end_is_cut_where_people_read_and_whole_where_programs_do() {
    let name = format!("start{}end", "x".repeat(10_000));
    let report = blocked(2, 2, &name);
    assert_contained(&report);
    let run = sarif(&report);
    let one = &results(&run)[0];
    let says = one["message"]["text"].as_str().unwrap();
    assert!(says.chars().count() < 2_000 && says.contains('…'));
    let (commands, _) = annotations(&report);
    assert!(
        commands
            .iter()
            .all(|one| one.message.chars().count() <= 4_000)
    );
    let subject = report.obligations[0].subject.to_string();
    assert!(
        cases(&report)
            .iter()
            .any(|case| subject.starts_with(&case.suite))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever characters a name is made of, no format lets it out.
    #[test]
    fn no_name_breaks_out(name in "[\\PC\\x00-\\x7f%:,;|`<>&@#\\[\\]{}*_~$\\\\\"'\u{202e}\u{2066}\u{fffe}]{1,60}") {
        assert_contained(&blocked(2, 2, &name));
    }
}
