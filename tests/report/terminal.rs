//! The terminal: columns, counts, names, folding.

use outbox_audit::model::evidence::{InputKind, Reason, Why};
use outbox_audit::model::inputs::{InputState, ReadInput};
use outbox_audit::model::report::{Disposition, Report};
use outbox_audit::report::{Format, RenderOptions, render};
use unicode_width::UnicodeWidthStr;

use crate::samples::many::{NASTY, blocked};
use crate::samples::{hold::hold, plain};

pub(crate) fn terminal(report: &Report, verbose: bool) -> String {
    let options = RenderOptions {
        verbose,
        ..RenderOptions::default()
    };
    render(report, Format::Terminal, &options)
}

fn assert_narrow(page: &str, width: usize) {
    for line in page.lines() {
        // Places are there to be opened, and stay whole.
        if !line.contains("-->") {
            assert!(line.width() <= width, "{} columns: {line}", line.width());
        }
        assert_eq!(line, line.trim_end());
    }
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for report in [
        hold(),
        plain::unproven(),
        plain::go(),
        plain::empty(),
        blocked(70, 3, NASTY),
        blocked(3, 3, "名前の長い対象"),
    ] {
        for width in [60, 80, 120] {
            for verbose in [false, true] {
                let options = RenderOptions {
                    width,
                    verbose,
                    ..RenderOptions::default()
                };
                assert_narrow(&render(&report, Format::Terminal, &options), width);
            }
        }
    }
}

#[test]
fn the_counts_of_the_verdict_add_up_to_all_effects() {
    for report in [hold(), plain::unproven(), plain::go()] {
        let page = terminal(&report, false);
        let line = page
            .lines()
            .find(|line| line.contains(" effects: "))
            .unwrap();
        let after = page[page.find(" effects: ").unwrap()..]
            .split("\n\n")
            .next()
            .unwrap();
        let (_, counts) = after.split_once(": ").unwrap();
        let sum: usize = counts
            .split('·')
            .map(|part| {
                part.split_whitespace()
                    .next()
                    .unwrap()
                    .parse::<usize>()
                    .unwrap()
            })
            .sum();
        assert_eq!(sum, report.effects.len(), "{line}");
    }
}

#[test]
fn every_blocked_effect_and_every_blocking_check_is_named() {
    let report = hold();
    let page = terminal(&report, false);
    for row in &report.effects {
        let id = row.facts.effect.id.to_string();
        assert_eq!(
            page.contains(&format!("= subject: {id}")),
            row.disposition == Disposition::Blocked,
            "{id}"
        );
    }
    for obligation in report.obligations.iter().filter(|one| one.holds_the_flag()) {
        let scoped = !obligation.subject.to_string().contains("Approve discount");
        let head = format!("error[{}]", obligation.check.id);
        assert!(!scoped || page.contains(&head), "{head}");
    }
}

#[test]
fn marks_stand_under_what_they_mark() {
    let page = terminal(&hold(), false);
    let lines: Vec<&str> = page.lines().collect();
    let at = lines
        .iter()
        .position(|line| line.contains("\"target_object\": \"Opportunity\""))
        .unwrap();
    assert_eq!(lines[at].find("\"Opportunity\""), lines[at + 1].find('^'));
    assert_eq!(lines[at + 1].matches('^').count(), "\"Opportunity\"".len());
    // A tab before the marks counts as the spaces it is shown as.
    let at = lines
        .iter()
        .position(|line| line.contains("Idempotency-Key\": \"{!record.id}\""))
        .unwrap();
    let column = |line: &str, text: &str| line[..line.find(text).unwrap()].width();
    assert_eq!(
        column(lines[at], "\"{!record.id}\""),
        column(lines[at + 1], "^")
    );
}

#[test]
fn a_statement_is_shown_once() {
    let page = terminal(&hold(), false);
    assert_eq!(
        page.matches("CREATE UNIQUE INDEX uq_opportunity_lead")
            .count(),
        1
    );
    assert!(page.contains("add UNIQUE (lead_id) on Opportunity (shown above)"));
    assert!(page.contains("statement above"));
}

#[test]
fn safe_effects_are_folded_until_they_are_asked_for() {
    let folded = terminal(&hold(), false);
    assert!(folded.contains("1 safe · 1 off the path · 1 deferred: --verbose lists them"));
    assert!(!folded.contains("set Lead.region  "));
    let unfolded = terminal(&hold(), true);
    assert!(unfolded.contains("Copy region → set Lead.region"));
    assert!(unfolded.contains("S1, S2: every value comes from the snapshot"));
    assert!(unfolded.contains("its flow is inactive"));
}

#[test]
fn one_missing_input_is_said_once_however_many_checks_it_leaves_open() {
    let page = terminal(&hold(), false);
    assert_eq!(page.matches("the queue's source was not given").count(), 1);
    assert!(page.contains("unknown[2 checks]"));
    assert!(page.contains("= checks: lost-savepoint, non-atomic-claim"));
}

#[test]
fn colour_adds_nothing_but_colour() {
    let report = hold();
    let coloured = RenderOptions {
        color: true,
        ..RenderOptions::default()
    };
    let coloured = render(&report, Format::Terminal, &coloured);
    assert!(coloured.contains("\u{1b}["));
    let plain = anstream::adapter::strip_str(&coloured).to_string();
    assert_eq!(plain, terminal(&report, false));
}

#[test]
fn quiet_is_the_verdict_alone() {
    let quiet = RenderOptions {
        quiet: true,
        ..RenderOptions::default()
    };
    let page = render(&hold(), Format::Terminal, &quiet);
    assert!(page.starts_with("HOLD  3 of 5 conditions not met, 2 not shown\n"));
    assert!(page.lines().count() <= 3, "{page}");
}

#[test]
fn findings_beyond_the_first_are_counted_by_check() {
    let page = terminal(&blocked(200, 7, "Thing"), false);
    assert!(page.contains("150 findings of 150 more subjects are not shown in full"));
    for number in 0..200 {
        assert!(page.contains(&format!("Thing {number:05}")), "{number}");
    }
    let all = terminal(&blocked(200, 7, "Thing"), true);
    assert_eq!(all.matches("error[").count(), 200);
}

/// Many files make one schema, and many files may fail: the head stays a head, and counts the rest.
#[test]
fn the_head_names_a_few_inputs_and_counts_the_others() {
    let mut report = plain::go();
    let kinds = [InputKind::Flows, InputKind::Schema];
    report.inputs = kinds.map(|kind| input(kind, 892, 3_000)).into();
    let page = terminal(&report, false);
    let head = page.split("Map ").next().expect("a head");
    assert!(head.lines().count() < 40, "{head}");
    let flat = head.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("Read 1 flow, 1 flow, 1 flow, 889 more files · 31 tables Not"),
        "{flat}"
    );
    for kind in ["flows", "schema"] {
        let more = format!("{kind}: 2,997 more not read: --verbose lists them");
        assert!(flat.contains(&more), "{flat}");
        assert!(flat.contains(&format!("{kind}: f2 is torn")), "{flat}");
    }
    assert!(!flat.contains("f3 is torn"), "{flat}");
    let all = terminal(&report, true);
    assert!(
        all.contains("f2999 is torn") && !all.contains("()"),
        "{all}"
    );
    let page = crate::markdown::markdown(&report);
    assert!(!page.contains("`: |"), "{page}");
}

/// Files of one kind; those of a schema share one summary.
fn input(kind: InputKind, read: usize, torn: usize) -> InputState {
    let summary = |at: usize| match (kind, at) {
        (InputKind::Flows, _) => "1 flow",
        (_, 0) => "31 tables",
        _ => "",
    };
    let file = |at: usize| ReadInput {
        name: format!("{}/{at}", kind.word()).into(),
        digest: None,
        summary: summary(at).into(),
    };
    let reason = |at: usize| Reason {
        why: Why::NotParsed,
        needs: Some(kind),
        sentence: format!("f{at} is torn"),
        place: None,
        next_step: "mend it".into(),
    };
    InputState {
        kind,
        read: (0..read).map(file).collect(),
        unknown: (0..torn).map(|at| reason(at).into()).collect(),
    }
}
