//! A create or set has a test that delivers its event again, which ran and passed.

use std::sync::Arc;

use crate::model::check::{Change, CheckInfo, Finding, Obligation, Outcome, Weight};
use crate::model::consumer::ConsumerId;
use crate::model::evidence::{Evidence, InputKind, ObservedBy, Reason, Why};
use crate::model::facts::{EffectFacts, Facts};
use crate::model::tests::{Grade, TestLink, TestOutcome, TestSource, plain};

use super::{about, live_effects, met, not_met};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "untested-redelivery",
    clause: "test",
    title: "an effect that no passing test delivers twice",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("untested_redelivery.md"),
};

/// Decides it for every create and set on the path that a consumer's own steps make.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    let asked = |effect: &&EffectFacts| {
        let kind = effect.effect.kind;
        (kind.is_create() || kind.is_set()) && !effect.effect.is_platform_row()
    };
    let unread = unread(facts);
    let unlinked = Arc::new(unlinked(facts));
    for effect in live_effects(facts).filter(asked) {
        let outcome = match &unread {
            Some(reason) => Outcome::Unknown(Arc::clone(reason)),
            None => outcome(facts, effect, &unlinked),
        };
        out.push(about(effect, &INFO, outcome));
    }
}

/// Why there are no results at all.
fn unread(facts: &Facts) -> Option<Arc<Reason>> {
    let mut states = facts.inputs.iter();
    let state = states.find(|state| state.kind == InputKind::Tests)?;
    match state.read.is_empty() {
        true => state.unknown.first().cloned(),
        false => None,
    }
}

fn unlinked(facts: &Facts) -> Reason {
    let names = &facts.redelivery.by_name;
    let hint = match names.is_empty() {
        true => String::new(),
        false => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("; a name alone shows nothing ({})", names.join(", "))
        }
    };
    let strange: String = facts
        .redelivery
        .strange
        .iter()
        .map(|one| format!("; {one}"))
        .collect();
    Reason {
        why: Why::NotResolved,
        needs: Some(InputKind::Tests),
        sentence: format!("no test result is linked to the effect{hint}{strange}"),
        place: None,
        next_step: "annotate the test that delivers its event twice with `redelivery`, or name it \
                    under `tests` in outbox-audit.yaml"
            .into(),
    }
}

fn outcome(facts: &Facts, effect: &EffectFacts, unlinked: &Arc<Reason>) -> Outcome {
    let tests = &facts.redelivery;
    if tests.links.is_empty() && tests.missing.is_empty() {
        return Outcome::Unknown(Arc::clone(unlinked));
    }
    let title = facts
        .consumer(&effect.effect.consumer)
        .map_or("", |consumer| &*consumer.title);
    let subjects = [&*effect.effect.id.0, &*effect.effect.consumer.0, title].map(plain);
    let links: Vec<&TestLink> = subjects
        .iter()
        .filter_map(|subject| tests.links.get(subject))
        .flatten()
        .collect();
    let failed = links
        .iter()
        .find(|link| link.run.outcome == TestOutcome::Failed && link.doubt.is_none());
    if let Some(failed) = failed {
        return not_met(finding(effect, failed));
    }
    let missing = subjects
        .iter()
        .find_map(|subject| tests.missing.get(subject));
    // The strongest test counts; where none does, the first says why.
    let consumer = &effect.effect.consumer;
    let mut best: Option<Held<'_>> = None;
    for held in links.into_iter().map(|link| Held::of(link, consumer)) {
        let better = best.as_ref().is_none_or(|other| held.rank() > other.rank());
        if better {
            best = Some(held);
        }
    }
    if let Some(Held {
        link,
        shows: Ok(credit),
    }) = &best
    {
        return met(credit.sentence(link), credit.evidence(link));
    }
    match (best.and_then(|held| held.shows.err()), missing) {
        (Some(why), _) => Outcome::Unknown(why),
        (None, Some(missing)) => Outcome::Unknown(Arc::clone(missing)),
        (None, None) => Outcome::Unknown(Arc::clone(unlinked)),
    }
}

/// A test, with what it shows of a consumer.
struct Held<'l> {
    link: &'l TestLink,
    shows: Result<Credit<'l>, Arc<Reason>>,
}

/// What is credited to a test that passed, by its source.
struct Credit<'l> {
    source: &'l TestSource,
    grade: Grade,
    /// Why that is not what it is said to show.
    not: Option<&'l str>,
}

impl<'l> Held<'l> {
    fn of(link: &'l TestLink, consumer: &ConsumerId) -> Self {
        let shows = match (&link.run.source, link.run.outcome, &link.doubt) {
            (Some(Ok(source)), TestOutcome::Passed, None) if is_about(source, consumer) => {
                Ok(credit(source, link.grade))
            }
            (Some(Ok(source)), TestOutcome::Passed, None) => Err(Arc::new(elsewhere(link, source))),
            _ => Err(no_evidence(link)),
        };
        Self { link, shows }
    }

    fn rank(&self) -> (bool, bool, bool, Option<Grade>) {
        let run = &self.link.run;
        (
            run.outcome == TestOutcome::Passed,
            self.link.doubt.is_none(),
            self.shows.is_ok(),
            self.shows.as_ref().ok().map(|credit| credit.grade),
        )
    }
}

/// True if the event can come to a consumer: a handler of the source is known by its id, all that a
/// bus reaches by no name.
fn is_about(source: &TestSource, consumer: &ConsumerId) -> bool {
    let to = source.to.as_ref();
    to.is_none_or(|to| !consumer.0.starts_with("code:") || to.contains(consumer))
}

/// The grade that is claimed, where the source shows it; the strongest that it shows else.
fn credit(source: &TestSource, claimed: Grade) -> Credit<'_> {
    let strongest = source.grades.last().copied().unwrap_or_default();
    let (grade, not) = match source.grades.contains(&claimed) {
        true => (claimed, None),
        false => (strongest, source.not.get(&claimed).map(String::as_str)),
    };
    Credit { source, grade, not }
}

impl Credit<'_> {
    fn sentence(&self, link: &TestLink) -> String {
        let test = &link.run.id;
        let said = format!("`{test}` delivers its event twice, and passed");
        match self.not {
            Some(why) => format!("{said}; {}", self.lowered(link.grade, why)),
            None => said,
        }
    }

    fn lowered(&self, claimed: Grade, why: &str) -> String {
        format!(
            "credited as {}, not as {}: {why}",
            self.grade.word(),
            claimed.word()
        )
    }

    /// The result and the source of a test that together are evidence.
    fn evidence(&self, link: &TestLink) -> Vec<Arc<Evidence>> {
        let run = &link.run;
        let grade = match self.not {
            Some(why) => self.lowered(link.grade, why),
            None => self.grade.word().to_owned(),
        };
        let passed = Evidence {
            input: InputKind::Tests,
            by: ObservedBy::TestResult,
            place: run.place.clone(),
            says: format!("`{}` passed ({grade})", run.id).into(),
        };
        vec![Arc::new(passed), Arc::clone(&self.source.evidence)]
    }
}

fn elsewhere(link: &TestLink, source: &TestSource) -> Reason {
    let to = source.to.iter().flatten().next();
    let to = to.map_or("another consumer", |to| &*to.0);
    Reason {
        why: Why::NotDecidable,
        needs: Some(InputKind::Tests),
        sentence: format!(
            "`{}` passed, and is no evidence: it delivers the event to {to}, and not to this consumer",
            link.run.id
        ),
        place: Some(source.evidence.place.clone()),
        next_step: "let the test deliver the event to this consumer, or correct the annotation"
            .into(),
    }
}

/// Why a test that did not fail is no evidence.
fn no_evidence(link: &TestLink) -> Arc<Reason> {
    if let (TestOutcome::Passed, None, Some(Err(why))) =
        (link.run.outcome, &link.doubt, &link.run.source)
    {
        return Arc::clone(why);
    }
    let run = &link.run;
    if let (TestOutcome::Passed, Some(doubt)) = (run.outcome, &link.doubt) {
        return Arc::clone(doubt);
    }
    if run.outcome != TestOutcome::Passed {
        return Arc::new(Reason {
            why: Why::NotDecidable,
            needs: Some(InputKind::Tests),
            sentence: format!("the redelivery test `{}` {}", run.id, run.outcome),
            place: Some(run.place.clone()),
            next_step: "run it to its end, and give its result".into(),
        });
    }
    Arc::new(Reason {
        why: Why::NotDecidable,
        needs: Some(InputKind::Tests),
        sentence: format!(
            "`{}` passed ({}), and the test's source was not read: whether it delivers the event \
             twice to the consumer itself and looks at the rows is not known",
            run.id,
            link.grade.word()
        ),
        place: Some(run.place.clone()),
        next_step: "read the test: whether it asks for exactly one row after two deliveries; no \
                    waiver covers what is unknown"
            .into(),
    })
}

fn finding(effect: &EffectFacts, link: &TestLink) -> Finding {
    let test = &link.run.id;
    Finding::new(
        format!(
            "the test `{test}` delivers the event of {} again, and failed",
            effect.effect.id
        ),
        link.run.place.clone(),
    )
    .label("a redelivery test failed")
    .note(format!("grade: {}", link.grade.word()))
    .repair(vec![Change {
        key: format!("test:{test}"),
        title: format!("make the redelivery test `{test}` pass"),
        how: None,
    }])
}
