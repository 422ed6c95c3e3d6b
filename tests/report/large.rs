//! Reports of every size: under the limit, and no blocker uncounted.

use std::io;

use clap::ValueEnum;
use outbox_audit::model::check::Subject;
use outbox_audit::model::report::{Disposition, Report};
use outbox_audit::report::{Format, RenderOptions, render, write};
use proptest::prelude::*;

use crate::markdown::markdown;
use crate::read_back::read_back;
use crate::samples::checks::UNGUARDED_CREATE;
use crate::samples::many::{NASTY, blocked};
use crate::samples::parts::{finding, not_met};
use crate::samples::plain::go;

/// The limit of an issue on GitHub.
const MOST: usize = 65_536;

fn number(text: &str) -> usize {
    text.replace(',', "").parse().unwrap()
}

/// The findings that the page accounts for: the row's checks, or the counts of the groups.
fn accounted(text: &str) -> (usize, usize) {
    let page = read_back(text);
    let rows = page.rows("Blockers");
    let stated = text
        .split("**")
        .find(|part| part.ends_with(" finding") || part.ends_with(" findings"));
    let stated = stated.map_or(0, |part| number(part.split(' ').next().unwrap()));
    let grouped = page
        .tables
        .iter()
        .any(|(_, rows)| rows[0] == ["Check", "Target", "Findings"]);
    let sum = match grouped {
        true => rows.iter().map(|row| number(&row[2])).sum(),
        false => rows
            .iter()
            .map(|row| {
                let words = row[1].split_whitespace();
                words
                    .filter(|word| ["unguarded-create", "unhandled-conflict"].contains(word))
                    .count()
            })
            .sum(),
    };
    (stated, sum)
}

fn assert_counted(report: &Report) {
    let text = markdown(report);
    assert!(text.chars().count() <= MOST, "{}", text.chars().count());
    let findings = report.obligations.len();
    assert_eq!(accounted(&text), (findings, findings));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn blockers_are_counted_whatever_their_number(
        count in 1usize..5_000,
        targets in 1usize..5_000,
        name in prop_oneof![Just("Thing".to_owned()), Just(NASTY.to_owned()), Just("名".repeat(300))],
        double in any::<bool>(),
    ) {
        let mut report = blocked(count, targets, &name);
        if double {
            let place = report.effects[0].facts.effect.place.clone();
            let id = report.effects[0].facts.effect.id.clone();
            report.obligations.push(not_met(Subject::Effect(id), &UNGUARDED_CREATE, finding("s", "l", place)));
        }
        assert_counted(&report);
    }
}

#[test]
fn what_gives_way_gives_way_in_order() {
    let rich = markdown(&blocked(5, 5, "Thing"));
    assert!(rich.contains("```sql") && rich.contains("^^^"));
    // Shortened: the source line goes, the notes stay; the first keep theirs, as far as there is room.
    let short = markdown(&blocked(120, 5, "Thing"));
    assert!(short.contains("- fixed by the snapshot"));
    assert_eq!(short.matches("<details>").count(), 120);
    let folded: Vec<bool> = short
        .split("<details>")
        .skip(1)
        .map(|block| block.contains("^^^"))
        .collect();
    let whole = folded.iter().filter(|quotes| **quotes).count();
    assert!(folded[0] && (1..120).contains(&whole), "{whole}");
    assert!(short.chars().count() > MOST - 2_500, "the room is used");
    // As many as fit, with a note for the rest.
    let fitting = markdown(&blocked(180, 5, "Thing"));
    let shown = fitting.matches("<details>").count();
    assert!((1..180).contains(&shown), "{shown}");
    assert!(fitting.contains(&format!("Details of B{} to B180 are left out", shown + 1)));
    assert_eq!(read_back(&fitting).links.len(), shown);
    assert!(
        fitting.chars().count() > MOST - 2_500,
        "the room is used: {}",
        fitting.chars().count()
    );
    // Grouped.
    let grouped = markdown(&blocked(5_000, 40, "Thing"));
    assert!(grouped.contains("grouped by check and target"));
    assert_eq!(read_back(&grouped).rows("Blockers").len(), 80);
}

#[test]
fn safe_effects_give_way_before_blockers() {
    let mut report = blocked(150, 150, "Thing");
    let template = go();
    for number in 0..2_000 {
        let mut safe = blocked(1, 1, &format!("Safe {number}")).effects.remove(0);
        safe.disposition = Disposition::Safe;
        safe.proof = template.effects[1].proof.clone();
        report.effects.push(safe);
    }
    let text = markdown(&report);
    assert!(text.chars().count() <= MOST);
    let page = read_back(&text);
    assert_eq!(page.rows("Blockers").len(), 150);
    assert_eq!(page.rows("Safe effects"), [["create", "2,000"]]);
}

/// Keeps nothing: what is measured is the writer.
struct Nowhere(usize);

impl io::Write for Nowhere {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn written(report: &Report, format: Format) -> usize {
    let mut out = Nowhere(0);
    write(report, format, &RenderOptions::default(), &mut out).unwrap();
    out.0
}

#[test]
fn every_format_grows_no_faster_than_the_report() {
    let (small, large) = (
        blocked(1_000, 200, "Thing"),
        blocked(10_000, 2_000, "Thing"),
    );
    for format in Format::value_variants().iter().copied() {
        let (small, large) = (written(&small, format), written(&large, format));
        assert!(
            small > 0 && large <= small * 11,
            "{format:?}: {small} {large}"
        );
    }
}

/// GitHub refuses a file with more results; what is left out is told.
#[test]
fn sarif_holds_as_many_results_as_are_taken() {
    let text = render(
        &blocked(25_001, 10, "Thing"),
        Format::Sarif,
        &RenderOptions::default(),
    );
    let log: serde_json::Value = serde_json::from_str(&text).unwrap();
    let run = &log["runs"][0];
    assert_eq!(run["results"].as_array().unwrap().len(), 25_000);
    assert_eq!(run["properties"]["findings"], 25_001);
    let note = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(note["level"], "error");
    let says = note["message"]["text"].as_str().unwrap();
    assert!(says.starts_with("1 more finding left out"), "{says}");
}
