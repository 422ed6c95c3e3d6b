//! What the checks on the promises of the queue share: one obligation for those that belong together.

use std::sync::Arc;

use crate::model::check::{CheckInfo, Finding, Obligation, Outcome, Severity, Subject, Weight};
use crate::model::evidence::{Fact, InputKind};
use crate::model::facts::Facts;
use crate::model::queue::Promise;

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
    let all: Vec<&Fact<Arc<str>>> = promises
        .iter()
        .filter_map(|promise| facts.queue.promises.get(promise))
        .collect();
    let mut broken = all.iter().filter_map(|fact| match fact {
        Fact::Absent(evidence) => Some(evidence),
        _ => None,
    });
    if let Some(first) = broken.next() {
        let severity = match check.weight {
            Weight::Gate => Severity::Error,
            Weight::Advisory => Severity::Warning,
        };
        let mut finding = Finding::new(first.says.to_string(), first.place.clone())
            .severity(severity)
            .cites([Arc::clone(first)]);
        for further in broken {
            if further.says != first.says {
                finding = finding
                    .note(format!("{}: {}", further.place, further.says))
                    .cites([Arc::clone(further)]);
            }
        }
        return not_met(finding);
    }
    let unknown = all.iter().find_map(|fact| match fact {
        Fact::Unknown(reason) => Some(reason),
        _ => None,
    });
    if let Some(reason) = unknown {
        return Outcome::Unknown(Arc::clone(reason));
    }
    let mut sentences: Vec<&str> = Vec::new();
    let mut evidence = Vec::new();
    for fact in &all {
        if let Fact::Shown(how, seen) = fact {
            if !sentences.contains(&&**how) {
                sentences.push(how);
            }
            evidence.push(Arc::clone(seen));
        }
    }
    met(sentences.join("; "), evidence)
}
