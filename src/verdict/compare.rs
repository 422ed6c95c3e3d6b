//! Holds two sets of decisions against each other: what appeared, what vanished, what turned.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::decisions::{Comparison, Decision, Decisions, RecordedInput, Turn};

/// Compares an older report with a newer one.
pub fn compare(old: &Decisions, new: &Decisions) -> Comparison {
    let (before, after) = (index(old), index(new));
    let mut turns = Vec::new();
    for (key, one) in &before {
        match after.get(key) {
            Some(other) if word(one) == word(other) => {}
            other => turns.push(turn(Some(one), other.copied())),
        }
    }
    let appeared = after.iter().filter(|(key, _)| !before.contains_key(*key));
    turns.extend(appeared.map(|(_, one)| turn(None, Some(one))));
    turns.sort_by(|a, b| (&a.subject, &a.check).cmp(&(&b.subject, &b.check)));
    let differs = |(id, state): &(String, String)| {
        let now = new.head.gate.iter().find(|(other, _)| other == id);
        let now = now.map_or("not asked", |(_, state)| state);
        (now != state).then(|| (id.clone(), state.clone(), now.to_owned()))
    };
    let mut conditions: Vec<_> = old.head.gate.iter().filter_map(differs).collect();
    let is_new = |(id, _): &&(String, String)| old.head.gate.iter().all(|(other, _)| other != id);
    let added = new.head.gate.iter().filter(is_new);
    conditions.extend(added.map(|(id, state)| (id.clone(), "not asked".into(), state.clone())));
    let verdict = (old.head.verdict != new.head.verdict)
        .then(|| (old.head.verdict.clone(), new.head.verdict.clone()));
    let mut worse = Vec::new();
    if rank_of_verdict(&new.head.verdict) > rank_of_verdict(&old.head.verdict) {
        worse.push(format!(
            "the verdict: {} before, {} now",
            old.head.verdict, new.head.verdict
        ));
    }
    worse.extend(what_is_worse(old, new, &turns));
    let (inputs, unread) = inputs(&old.head.inputs, &new.head.inputs);
    Comparison {
        verdict,
        conditions,
        turns,
        inputs,
        unread,
        worse,
    }
}

type Index<'d> = BTreeMap<(&'d str, &'d str), &'d Decision>;

fn index(decisions: &Decisions) -> Index<'_> {
    let outcomes = decisions.outcomes.iter();
    outcomes
        .map(|one| ((&*one.subject, &*one.check), one))
        .collect()
}

fn word(one: &Decision) -> String {
    match one.waived {
        true => format!("{} (waived)", one.outcome),
        false => one.outcome.clone(),
    }
}

fn turn(before: Option<&Decision>, after: Option<&Decision>) -> Turn {
    let any = after.or(before);
    Turn {
        subject: any.map(|one| one.subject.clone()).unwrap_or_default(),
        check: any.map(|one| one.check.clone()).unwrap_or_default(),
        gate: any.is_some_and(|one| one.gate),
        before: before.map(word),
        after: after.map(word),
    }
}

fn rank_of_verdict(verdict: &str) -> u8 {
    match verdict {
        "GO" => 0,
        "UNPROVEN" => 1,
        _ => 2,
    }
}

/// How bad an outcome is; what is not asked is as good as what does not arise.
fn rank(outcome: &str) -> u8 {
    match outcome {
        "not-met" => 2,
        "unknown" => 1,
        _ => 0,
    }
}

/// The worst outcome of each subject that can decide the verdict.
fn worst(decisions: &Decisions) -> BTreeMap<&str, u8> {
    let mut worst = BTreeMap::new();
    for one in decisions.outcomes.iter().filter(|one| one.gate) {
        let place: &mut u8 = worst.entry(&*one.subject).or_default();
        *place = (*place).max(rank(&word(one)));
    }
    worst
}

/// What is newly not met, and each subject that is worse off than it was. What a repair leaves open on
/// a subject that was shown unsafe is no step back.
fn what_is_worse(old: &Decisions, new: &Decisions, turns: &[Turn]) -> Vec<String> {
    let rank_of = |outcome: &Option<String>| outcome.as_deref().map_or(0, rank);
    let said = |turn: &Turn| {
        format!(
            "{} of {}: {} before, {} now",
            turn.check,
            turn.subject,
            turn.before.as_deref().unwrap_or("not asked"),
            turn.after.as_deref().unwrap_or("not asked")
        )
    };
    let before = worst(old);
    let rises: BTreeSet<&str> = worst(new)
        .into_iter()
        .filter(|(subject, rank)| *rank > before.get(subject).copied().unwrap_or(0))
        .map(|(subject, _)| subject)
        .collect();
    let counts = |turn: &&Turn| {
        let (was, is) = (rank_of(&turn.before), rank_of(&turn.after));
        let newly = is == 2 && was < 2;
        turn.gate && is > was && (newly || rises.contains(&*turn.subject))
    };
    turns.iter().filter(counts).map(said).collect()
}

/// What differs between the inputs, and which of them can no longer be read.
fn inputs(old: &[RecordedInput], new: &[RecordedInput]) -> (Vec<String>, Vec<String>) {
    let (mut differ, mut unread) = (Vec::new(), Vec::new());
    for input in old {
        let now = new.iter().find(|other| other.kind == input.kind);
        let kind = &input.kind;
        let Some(now) = now else {
            if !input.read.is_empty() {
                unread.push(format!("{kind}: read then, not given now"));
            }
            continue;
        };
        let gone = !input.read.is_empty() && now.read.is_empty();
        if gone || now.unknown.len() > input.unknown.len() {
            unread.push(match gone {
                true => format!("{kind}: read then, not given or not readable now"),
                false => format!("{kind}: a part of it cannot be read now"),
            });
        }
        let digests: BTreeMap<&str, &Option<String>> = now
            .read
            .iter()
            .map(|(name, digest)| (&**name, digest))
            .collect();
        for (name, digest) in &input.read {
            match digests.get(&**name) {
                None if !gone => differ.push(format!("{kind}: {name} is no longer read")),
                Some(other) if *other != digest => differ.push(format!("{kind}: {name} changed")),
                _ => {}
            }
        }
        let known: std::collections::BTreeSet<&str> =
            input.read.iter().map(|(name, _)| &**name).collect();
        let added = now.read.iter().filter(|(name, _)| !known.contains(&**name));
        differ.extend(added.map(|(name, _)| format!("{kind}: {name} is new")));
    }
    for input in new {
        let is_new = old.iter().all(|other| other.kind != input.kind);
        differ.extend(
            input
                .read
                .iter()
                .filter(|_| is_new)
                .map(|(name, _)| format!("{}: {name} is new", input.kind)),
        );
    }
    (differ, unread)
}
