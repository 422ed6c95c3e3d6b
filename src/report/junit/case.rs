//! One check on one subject as a test case.

use std::io::{self, Write};

use super::Suite;
use super::xml::{Attributes, Xml};
use crate::model::check::{Finding, Obligation, Outcome};
use crate::model::evidence::Reason;
use crate::model::report::{Condition, ConditionState, EffectRow};
use crate::report::anchor::{Anchor, Anchors};
use crate::report::fingerprint::fingerprint;
use crate::report::standing::Standing;
use crate::report::view::View;
use crate::report::visible;

/// How a case ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Pass,
    Failure,
    Error,
    Skipped,
}

/// A test case.
pub(super) struct Case {
    name: String,
    /// Where a person has to look: a path, and a line where one is meant.
    at: Option<(String, Option<u32>)>,
    end: End,
    /// What kind of failure or error: the check.
    kind: &'static str,
    /// The first sentence, and what stands below it.
    message: String,
    details: Vec<String>,
}

/// How many cases ended how.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Counts {
    fn count(&mut self, end: End) {
        self.tests += 1;
        match end {
            End::Pass => {}
            End::Failure => self.failures += 1,
            End::Error => self.errors += 1,
            End::Skipped => self.skipped += 1,
        }
    }

    /// Of these cases.
    pub(super) fn of(cases: &[Case]) -> Self {
        let mut counts = Self::default();
        cases.iter().for_each(|case| counts.count(case.end));
        counts
    }

    /// Of the cases of a suite, before they are made.
    pub(super) fn of_suite(view: &View<'_>, suite: &Suite<'_, '_>) -> Self {
        let mut counts = Self::default();
        for obligation in &suite.obligations {
            counts.count(end(view.standing(obligation)));
        }
        suite
            .hanging
            .iter()
            .for_each(|_| counts.count(End::Failure));
        suite.unsaid.iter().for_each(|_| counts.count(End::Error));
        counts
    }

    /// Takes others in.
    pub(super) fn add(&mut self, other: &Self) {
        self.tests += other.tests;
        self.failures += other.failures;
        self.errors += other.errors;
        self.skipped += other.skipped;
    }

    /// The attributes of a suite. An audit takes no time that means anything.
    pub(super) fn attributes(&self, name: &str) -> Attributes {
        vec![
            ("name", name.to_owned()),
            ("tests", self.tests.to_string()),
            ("failures", self.failures.to_string()),
            ("errors", self.errors.to_string()),
            ("skipped", self.skipped.to_string()),
            ("time", "0".to_owned()),
        ]
    }
}

fn end(standing: Standing) -> End {
    match standing {
        Standing::Blocks => End::Failure,
        Standing::Open => End::Error,
        Standing::Met | Standing::Advisory => End::Pass,
        Standing::Waived | Standing::Outside | Standing::OpenOutside | Standing::NotApplicable => {
            End::Skipped
        }
    }
}

/// A condition of the gate.
pub(super) fn condition((at, condition): (usize, &Condition)) -> Case {
    Case {
        name: format!("{} {}", at + 1, condition.title),
        at: None,
        end: match condition.state {
            ConditionState::Met => End::Pass,
            ConditionState::NotMet => End::Failure,
            ConditionState::NotShown => End::Error,
            ConditionState::NotApplicable => End::Skipped,
        },
        kind: condition.state.word(),
        message: condition.why.clone(),
        details: Vec::new(),
    }
}

/// A check.
pub(super) fn check(
    view: &View<'_>,
    anchors: &Anchors<'_, '_>,
    suite: &str,
    obligation: &Obligation,
) -> Case {
    let standing = view.standing(obligation);
    let subject = obligation.subject.to_string();
    let (message, mut details) = match &obligation.outcome {
        Outcome::Met(proof) => (proof.sentence.to_string(), Vec::new()),
        Outcome::NotApplicable(why) => ((*why).to_owned(), Vec::new()),
        Outcome::Unknown(reason) => of_reason(reason),
        Outcome::NotMet(finding) => of_finding(anchors, finding),
    };
    let waiver = obligation.waiver.filter(|_| standing == Standing::Waived);
    let waiver = waiver.and_then(|at| view.report.waivers.get(at as usize));
    let before = match (standing, waiver) {
        (Standing::Waived, Some(row)) => format!(
            "waived by {} until {} ({}): ",
            row.waiver.owner, row.waiver.expires, row.waiver.reason
        ),
        (Standing::Outside, _) => "outside the gate: ".to_owned(),
        (Standing::OpenOutside, _) => "not known, and not asked by the gate: ".to_owned(),
        (Standing::Advisory, _) => "advisory: ".to_owned(),
        _ => String::new(),
    };
    let has_finding = matches!(obligation.outcome, Outcome::NotMet(_) | Outcome::Unknown(_));
    let at = has_finding.then(|| located(anchors.of(obligation)));
    if has_finding {
        let print = fingerprint(obligation.check.id, &subject);
        details.push(format!("finding: {print} {subject}"));
    }
    Case {
        name: named(obligation.check.id, suite, &subject),
        at,
        end: end(standing),
        kind: obligation.check.id,
        message: format!("{before}{message}"),
        details,
    }
}

/// An effect that is blocked by what hangs on it.
pub(super) fn hanging(anchors: &Anchors<'_, '_>, suite: &str, row: &EffectRow) -> Case {
    of_effect(anchors, suite, row, End::Failure)
}

/// An effect that is unknown, of which no check says so.
pub(super) fn unsaid(anchors: &Anchors<'_, '_>, suite: &str, row: &EffectRow) -> Case {
    of_effect(anchors, suite, row, End::Error)
}

fn of_effect(anchors: &Anchors<'_, '_>, suite: &str, row: &EffectRow, end: End) -> Case {
    let effect = &row.facts.effect;
    Case {
        name: named("effect", suite, &effect.id.0),
        at: anchors.of_place(&effect.place).map(located),
        end,
        kind: row.disposition.word(),
        message: row.reason.clone(),
        details: Vec::new(),
    }
}

/// `unguarded-create action/CreateRecord:Opportunity`: the check, and what of the suite it is about.
fn named(check: &str, suite: &str, subject: &str) -> String {
    let within = match subject.strip_prefix(suite) {
        Some(rest) => rest.trim_start_matches([':', '/']),
        None => subject,
    };
    format!("{check} {within}").trim_end().to_owned()
}

fn located(anchor: Anchor<'_>) -> (String, Option<u32>) {
    let line = anchor.span.map(|span| span.start.line);
    (anchor.path, line)
}

fn of_reason(reason: &Reason) -> (String, Vec<String>) {
    (
        reason.sentence.clone(),
        vec![format!("next: {}", reason.next_step)],
    )
}

fn of_finding(anchors: &Anchors<'_, '_>, finding: &Finding) -> (String, Vec<String>) {
    // From the top of the repository, as the attribute of the case.
    let at = match anchors.of_place(&finding.place) {
        Some(Anchor {
            path,
            span: Some(span),
        }) => format!("{path}:{}:{}", span.start.line, span.start.column),
        Some(Anchor { path, span: None }) => path,
        None => finding.place.to_string(),
    };
    let mut details = vec![format!("at {at}")];
    details.extend(finding.notes.iter().cloned());
    let steps = finding.interleaving.iter();
    details.extend(steps.map(|step| format!("{} {}", step.actor, step.does)));
    for (at, set) in finding.repairs.iter().enumerate() {
        let word = if at == 0 { "fix" } else { "or" };
        details.extend(set.iter().map(|change| format!("{word}: {}", change.title)));
    }
    (finding.sentence.clone(), details)
}

impl Case {
    /// Writes the case.
    pub(super) fn write<W: Write>(&self, suite: &str, xml: &mut Xml<W>) -> io::Result<()> {
        let mut attributes: Attributes = vec![
            ("classname", suite.to_owned()),
            ("name", self.name.clone()),
            ("time", "0".to_owned()),
        ];
        if let Some((file, line)) = &self.at {
            attributes.push(("file", file.clone()));
            attributes.extend(line.map(|line| ("line", line.to_string())));
        }
        let message = visible::sentence(&self.message);
        let mut lines = vec![message.clone()];
        lines.extend(self.details.iter().map(|line| visible::sentence(line)));
        let says = lines.join("\n");
        xml.open("testcase", &attributes)?;
        let with_kind = || vec![("message", message.clone()), ("type", self.kind.to_owned())];
        match self.end {
            End::Pass => xml.element("system-out", &Vec::new(), &says)?,
            End::Failure => xml.element("failure", &with_kind(), &says)?,
            End::Error => xml.element("error", &with_kind(), &says)?,
            End::Skipped => xml.element("skipped", &vec![("message", message)], "")?,
        }
        xml.close("testcase")
    }
}
