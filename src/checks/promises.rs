//! What the checks on the promises of the queue share: one obligation for those that belong together.

use std::sync::Arc;

use crate::model::check::{CheckInfo, Finding, Obligation, Outcome, Severity, Subject, Weight};
use crate::model::evidence::{Evidence, Fact, InputKind, Reason};
use crate::model::facts::Facts;
use crate::model::queue::{Beside, Promise};

use super::{met, not_met};

/// Decides some promises together: broken if one is, unknown if one is not known. Where the source
/// was not read nothing is asked: the condition says so.
pub(super) fn decide(
    facts: &Facts,
    check: &'static CheckInfo,
    promises: &[Promise],
    out: &mut Vec<Obligation>,
) {
    let mut inputs = facts.inputs.iter();
    let was_read = inputs.any(|state| state.kind == InputKind::Source && !state.read.is_empty());
    if facts.outbox.looked_for.is_empty() || !was_read {
        return;
    }
    out.push(Obligation {
        subject: Subject::Queue,
        check,
        outcome: outcome(facts, check, promises),
        waiver: None,
    });
}

fn outcome(facts: &Facts, check: &CheckInfo, promises: &[Promise]) -> Outcome {
    let all: Vec<(Promise, &Fact<Arc<str>>)> = promises
        .iter()
        .filter_map(|promise| Some((*promise, facts.queue.promises.get(promise)?)))
        .collect();
    let broken: Vec<(Promise, &Arc<Evidence>)> = all
        .iter()
        .filter_map(|(promise, fact)| match fact {
            Fact::Absent(evidence) => Some((*promise, evidence)),
            _ => None,
        })
        .collect();
    if let Some(finding) = finding(facts, check, &broken) {
        return not_met(finding);
    }
    let unknown = all.iter().find_map(|(promise, fact)| match fact {
        Fact::Unknown(reason) => Some((*promise, reason)),
        _ => None,
    });
    if let Some((promise, reason)) = unknown {
        return Outcome::Unknown(supposed(facts, promises, promise, reason));
    }
    let mut sentences: Vec<&str> = Vec::new();
    let mut evidence = Vec::new();
    for (_, fact) in &all {
        if let Fact::Shown(how, seen) = fact {
            if !sentences.contains(&&**how) {
                sentences.push(how);
            }
            evidence.push(Arc::clone(seen));
        }
    }
    met(sentences.join("; "), evidence)
}

/// The first that is broken, the others as notes, and the shortest run in which one of them does harm.
fn finding(
    facts: &Facts,
    check: &CheckInfo,
    broken: &[(Promise, &Arc<Evidence>)],
) -> Option<Finding> {
    let (_, first) = broken.first()?;
    let severity = match check.weight {
        Weight::Gate => Severity::Error,
        Weight::Advisory => Severity::Warning,
    };
    let search = |promise: &Promise| facts.queue_harm.by_promise.get(promise);
    let worst = broken
        .iter()
        .filter_map(|(promise, _)| search(promise)?.harms.first().map(|harm| (*promise, harm)))
        .min_by_key(|(_, harm)| {
            let together = harm.beside == Beside::AsFound;
            (!harm.property.harms_rows(), together, harm.steps.len())
        });
    let mut finding = Finding::new(first.says.to_string(), first.place.clone())
        .severity(severity)
        .cites([Arc::clone(first)]);
    let told = worst.map_or(broken[0].0, |(promise, _)| promise);
    if let Some(search) = search(&told) {
        finding = finding.note(search.to_text());
        if let Some((_, harm)) = worst {
            let ends = match facts.queue_harm.as_mysql {
                true => {
                    "; transactions end as MySQL's do, because the engine is not known or has no model"
                }
                false => "",
            };
            finding = finding.note(format!("found in {}{ends}", search.bound.to_text()));
            finding.interleaving.clone_from(&harm.steps);
        }
    }
    let mut said = vec![&first.says];
    for (promise, further) in &broken[1..] {
        if said.contains(&&further.says) {
            continue;
        }
        said.push(&further.says);
        let then = match search(promise).map(|search| search.harms.first()) {
            Some(Some(harm)) => format!("; then {}", harm.property.failure()),
            Some(None) => "; by itself no harm within this bound".to_owned(),
            None => String::new(),
        };
        finding = finding
            .note(format!("{}: {}{then}", further.place, further.says))
            .cites([Arc::clone(further)]);
    }
    Some(finding)
}

/// Why a promise is not known, with what would go wrong if it were broken. A reason that other checks
/// give too is left as it is: it is told once for all of them.
fn supposed(
    facts: &Facts,
    promises: &[Promise],
    promise: Promise,
    reason: &Arc<Reason>,
) -> Arc<Reason> {
    let shared = facts.queue.promises.iter().any(|(other, fact)| {
        !promises.contains(other) && matches!(fact, Fact::Unknown(theirs) if theirs == reason)
    });
    let search = facts.queue_harm.by_promise.get(&promise);
    match search.and_then(|search| search.harms.first()) {
        Some(harm) if !shared => Arc::new(Reason {
            sentence: format!(
                "{}; if it were broken: {}",
                reason.sentence,
                harm.property.failure()
            ),
            ..Reason::clone(reason)
        }),
        _ => Arc::clone(reason),
    }
}
