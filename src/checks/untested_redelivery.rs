//! A create or set has a test that delivers its event again, which ran and passed.

use std::sync::Arc;

use crate::model::check::{Change, CheckInfo, Finding, Obligation, Outcome, Weight};
use crate::model::evidence::{Evidence, InputKind, ObservedBy, Reason, Why};
use crate::model::facts::{EffectFacts, Facts};
use crate::model::tests::{Grade, TestLink, TestOutcome, plain};

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
    let mut best: Option<(&TestLink, Arc<Reason>)> = None;
    for link in links {
        let why = no_evidence(link);
        let better = best
            .as_ref()
            .is_none_or(|(other, _)| rank(link) > rank(other));
        if better {
            best = Some((link, why));
        }
    }
    if let Some((shown, link)) = best
        .as_ref()
        .and_then(|(link, _)| Some((evidence(link)?, link)))
    {
        return met(
            format!("`{}` delivers its event twice, and passed", link.run.id),
            shown,
        );
    }
    match (best, missing) {
        (Some((_, why)), _) => Outcome::Unknown(why),
        (None, Some(missing)) => Outcome::Unknown(Arc::clone(missing)),
        (None, None) => Outcome::Unknown(Arc::clone(unlinked)),
    }
}

fn rank(link: &TestLink) -> (bool, bool, bool, Grade) {
    let passed = link.run.outcome == TestOutcome::Passed;
    let shows = matches!(link.run.source, Some(Ok(_)));
    (passed, link.doubt.is_none(), shows, link.grade)
}

/// The result and the source of a test that together are evidence.
fn evidence(link: &TestLink) -> Option<Vec<Arc<Evidence>>> {
    let run = &link.run;
    let Some(Ok(source)) = &run.source else {
        return None;
    };
    (run.outcome == TestOutcome::Passed && link.doubt.is_none()).then(|| {
        let passed = Evidence {
            input: InputKind::Tests,
            by: ObservedBy::TestResult,
            place: run.place.clone(),
            says: format!("`{}` passed ({})", run.id, link.grade.word()).into(),
        };
        vec![Arc::new(passed), Arc::clone(source)]
    })
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
