//! JUnit XML: a suite for the gate, one for each consumer, and one for each other subject; a case
//! for each check. Failures are what holds the flag, errors what the gate asks and is not known; so
//! a run without either is a GO.

mod case;
mod xml;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::model::check::{Obligation, Subject};
use crate::model::report::{EffectRow, Report};

use super::anchor::Anchors;
use super::view::{Blocker, View};
use case::{Case, Counts};
use xml::Xml;

/// What one suite tells of.
#[derive(Default)]
struct Suite<'v, 'r> {
    /// Checks in the order of the report.
    obligations: Vec<&'r Obligation>,
    /// Effects that are blocked by what hangs on them, without a finding of their own.
    hanging: Vec<&'v Blocker<'r>>,
    /// Unknown effects that no check speaks of.
    unsaid: Vec<&'r EffectRow>,
}

/// Writes the suites; each case is made while it is written.
///
/// # Errors
/// Whatever `out` returns.
pub(super) fn write_to(report: &Report, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let view = View::new(report);
    let anchors = Anchors::new(&view);
    let suites = suites(&view);
    let gate: Vec<Case> = report
        .gate
        .iter()
        .enumerate()
        .map(case::condition)
        .collect();
    let of_gate = Counts::of(&gate);
    let counts: Vec<Counts> = suites
        .values()
        .map(|suite| Counts::of_suite(&view, suite))
        .collect();
    let mut all = of_gate;
    counts.iter().for_each(|one| all.add(one));
    let mut xml = Xml::new(io::BufWriter::new(out))?;
    xml.open("testsuites", &all.attributes("outbox-audit"))?;
    xml.open("testsuite", &of_gate.attributes("gate"))?;
    for case in &gate {
        case.write("gate", &mut xml)?;
    }
    xml.close("testsuite")?;
    for ((name, suite), counts) in suites.iter().zip(&counts) {
        xml.open("testsuite", &counts.attributes(name))?;
        for case in cases(&view, &anchors, name, suite) {
            case.write(name, &mut xml)?;
        }
        xml.close("testsuite")?;
    }
    xml.close("testsuites")?;
    xml.finish()
}

fn suites<'v, 'r>(view: &'v View<'r>) -> BTreeMap<Cow<'r, str>, Suite<'v, 'r>> {
    let mut suites: BTreeMap<Cow<'r, str>, Suite<'v, 'r>> = BTreeMap::new();
    for obligation in &view.report.obligations {
        let suite = suites.entry(suite_of(view, &obligation.subject));
        suite.or_default().obligations.push(obligation);
    }
    for blocker in view.blockers.iter().filter(|one| one.findings.is_empty()) {
        let suite = suites.entry(suite_of(view, &blocker.subject));
        suite.or_default().hanging.push(blocker);
    }
    for row in &view.unsaid {
        let suite = suites.entry(Cow::Borrowed(&*row.facts.effect.consumer.0));
        suite.or_default().unsaid.push(row);
    }
    suites
}

/// The suite of a subject: that of its consumer, where it has one.
fn suite_of<'r>(view: &View<'r>, subject: &Subject) -> Cow<'r, str> {
    match (view.effect(subject), subject) {
        (Some(row), _) => Cow::Borrowed(&*row.facts.effect.consumer.0),
        (None, Subject::Effect(id)) => Cow::Owned(id.to_string()),
        (None, Subject::Consumer(id)) => Cow::Owned(id.to_string()),
        (None, Subject::System) => Cow::Borrowed("system"),
        (None, Subject::Queue) => Cow::Borrowed("queue"),
        (None, Subject::Backlog) => Cow::Borrowed("backlog"),
        (None, Subject::Input(_)) => Cow::Borrowed("inputs"),
        (None, Subject::Field(_)) => Cow::Borrowed("fields"),
        (None, Subject::Contract(_)) => Cow::Borrowed("contracts"),
        (None, Subject::Rule(_)) => Cow::Borrowed("rules"),
        (None, Subject::Guarantee(_)) => Cow::Borrowed("guarantees"),
    }
}

fn cases<'c>(
    view: &'c View<'_>,
    anchors: &'c Anchors<'_, '_>,
    name: &'c str,
    suite: &'c Suite<'_, '_>,
) -> impl Iterator<Item = Case> + 'c {
    let checks = suite.obligations.iter();
    let checks = checks.map(move |one| case::check(view, anchors, name, one));
    let hanging = suite.hanging.iter().filter_map(|one| one.effect);
    let hanging = hanging.map(move |row| case::hanging(anchors, name, row));
    let unsaid = suite.unsaid.iter();
    let unsaid = unsaid.map(move |row| case::unsaid(anchors, name, row));
    checks.chain(hanging).chain(unsaid)
}
