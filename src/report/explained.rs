//! What an id names in a report: an effect, a consumer or another subject, a finding, an observation.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::check::{Obligation, Subject};
use crate::model::evidence::Evidence;
use crate::model::nearest::nearest_few;
use crate::model::report::Report;

use super::fingerprint::fingerprint;

/// Ids that are offered for one that names nothing.
const OFFERED: usize = 5;

/// What an id names.
#[derive(Debug, Clone)]
pub enum Explained<'r> {
    /// An effect, a consumer, the queue or another subject.
    Subject(Subject),
    /// One check on one subject, named by its fingerprint.
    Obligation(&'r Obligation),
    /// An observation, by its number in the report.
    Evidence(usize, &'r Arc<Evidence>),
}

/// True of what can only be the id of something in a report, not that of a check.
pub fn names_something_in_a_report(id: &str) -> bool {
    let whole = [Subject::System, Subject::Queue, Subject::Backlog];
    id.contains(':')
        || whole.iter().any(|subject| subject.to_string() == id)
        || is_fingerprint(id)
        || evidence_number(id).is_some()
}

fn is_fingerprint(id: &str) -> bool {
    id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn evidence_number(id: &str) -> Option<usize> {
    let digits = id.strip_prefix('e')?;
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok())?
}

/// What the id names in this report.
///
/// # Errors
/// If it names nothing: the ids that are most like it.
pub fn find<'r>(report: &'r Report, id: &str) -> Result<Explained<'r>, Vec<String>> {
    if let Some(number) = evidence_number(id) {
        let found = number.checked_sub(1).and_then(|at| report.evidence.get(at));
        return match found {
            Some(evidence) => Ok(Explained::Evidence(number, evidence)),
            None => Err(Vec::new()),
        };
    }
    if is_fingerprint(id) {
        let of_it = |one: &&Obligation| {
            fingerprint(one.check.id, &one.subject.to_string()).eq_ignore_ascii_case(id)
        };
        let found = report.obligations.iter().find(of_it);
        return found.map(Explained::Obligation).ok_or_else(Vec::new);
    }
    let subjects = subjects(report);
    let found = subjects.iter().find(|subject| subject.to_string() == id);
    match found {
        Some(subject) => Ok(Explained::Subject(subject.clone())),
        None => Err(like(id, &subjects)),
    }
}

/// Everything that has an id of its own.
fn subjects(report: &Report) -> BTreeSet<Subject> {
    let effects = report.effects.iter();
    let consumers = report.consumers.iter();
    effects
        .map(|row| Subject::Effect(row.facts.effect.id.clone()))
        .chain(consumers.map(|one| Subject::Consumer(one.id.clone())))
        .chain(report.obligations.iter().map(|one| one.subject.clone()))
        .collect()
}

/// Ids in which what was typed stands, and those that differ from it by a few letters.
fn like(id: &str, subjects: &BTreeSet<Subject>) -> Vec<String> {
    let names: Vec<String> = subjects.iter().map(Subject::to_string).collect();
    let typed = id.to_lowercase();
    let holding = names
        .iter()
        .filter(|name| !typed.is_empty() && name.to_lowercase().contains(&typed));
    let mut offered: Vec<String> = holding.take(OFFERED).cloned().collect();
    // What was typed may be the beginning of an id, with a slip in it.
    let typed = id.chars().count();
    let begins = |name: &String| name.chars().take(typed).collect::<String>();
    let beginnings: Vec<String> = names.iter().map(begins).collect();
    let whole: Vec<&str> = names.iter().map(String::as_str).collect();
    let near = |candidates: &[&str]| -> Vec<String> {
        let near = nearest_few(id, candidates, OFFERED);
        near.into_iter().map(str::to_owned).collect()
    };
    let mut near_all = near(&whole);
    let parts: Vec<&str> = beginnings.iter().map(String::as_str).collect();
    for begin in near(&parts) {
        let same = names.iter().zip(&beginnings);
        near_all.extend(
            same.filter(|(_, one)| **one == begin)
                .map(|(name, _)| name.clone()),
        );
    }
    for name in near_all {
        if offered.len() < OFFERED && !offered.contains(&name) {
            offered.push(name);
        }
    }
    offered
}
