//! The sentences that every format shares, so that one fact reads the same wherever it stands.
//!
//! What comes back holds text from outside as it is; each format escapes it in its own way.

use crate::model::check::FurtherDelivery;
use crate::model::consumer::{PathState, Via};
use crate::model::effect::{Class, Effect, EffectKind, Target};
use crate::model::evidence::{Evidence, InputKind, ObservedBy, Reason, Why};
use crate::model::facts::{DeferredFamily, Further, ScopeState};
use crate::model::report::{
    ConditionState, Disposition, EffectRow, FailOn, Inventory, Report, TreeState, Verdict,
    WaiverState,
};

/// `1 effect`, `2 effects`.
pub(crate) fn many(count: usize, one: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{} {one}s", grouped(count)),
    }
}

/// A number with its thousands apart: `1,204`.
pub(crate) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The dispositions in the order of their urgency, with the words of a count.
pub(crate) const COUNTED: [(Disposition, &str); 6] = [
    (Disposition::Blocked, "blocked"),
    (Disposition::Unknown, "unknown"),
    (Disposition::Accepted, "accepted"),
    (Disposition::Safe, "safe"),
    (Disposition::OffPath, "off the path"),
    (Disposition::Deferred, "deferred"),
];

/// The effects counted by what became of them; parts that add up to all of them.
pub(crate) fn effect_counts(report: &Report) -> Vec<(Disposition, String)> {
    let waived = report
        .effects
        .iter()
        .filter(|row| row.disposition == Disposition::Blocked && row.waived)
        .count();
    COUNTED
        .iter()
        .map(|(disposition, word)| (*disposition, report.count(*disposition), *word))
        .filter(|(disposition, count, _)| *count > 0 || *disposition == Disposition::Blocked)
        .map(|(disposition, count, word)| {
            let of_these = match disposition {
                Disposition::Blocked if waived > 0 => {
                    format!(" ({} waived)", grouped(waived))
                }
                _ => String::new(),
            };
            (disposition, format!("{} {word}{of_these}", grouped(count)))
        })
        .collect()
}

/// The consumers counted by path: how large the map is, and how much of it is not known.
pub(crate) fn inventory(report: &Report) -> String {
    let states = [
        ("on", "on the path"),
        ("off", "off it"),
        ("dormant", "dormant"),
        ("unknown", "unknown"),
    ];
    let parts: Vec<String> = states
        .into_iter()
        .map(|(state, word)| {
            let consumers = report.consumers.iter();
            let count = consumers.filter(|one| one.path.word() == state).count();
            (count, word)
        })
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{} {word}", grouped(count)))
        .collect();
    match parts.is_empty() {
        true => "no consumer was found".to_owned(),
        false => format!(
            "{}: {}{}",
            many(report.consumers.len(), "consumer"),
            parts.join(" · "),
            shown_by_source(&report.inventory)
        ),
    }
}

/// Events that are told by name.
const EVENTS: usize = 5;

/// Where source was read: how many consumers are known to the end, and the events of the tree that
/// none of them takes.
fn shown_by_source(inventory: &Inventory) -> String {
    let Some(source) = &inventory.source else {
        return String::new();
    };
    let mut words = format!(
        "; {} classified, {} unknown",
        grouped(inventory.classified),
        grouped(inventory.unknown)
    );
    let events = source.untaken.iter().take(EVENTS);
    let mut events: Vec<String> = events
        .map(|(event, place)| format!("{event} ({place})"))
        .collect();
    let more = source.untaken.len().saturating_sub(EVENTS);
    if more > 0 {
        events.push(many(more, "more event"));
    }
    if !events.is_empty() {
        words.push_str(&format!("; no known consumer takes {}", events.join(", ")));
    }
    words
}

/// State of a condition, for a person.
pub(crate) fn state(state: ConditionState) -> &'static str {
    match state {
        ConditionState::Met => "met",
        ConditionState::NotMet => "not met",
        ConditionState::NotShown => "not shown",
        ConditionState::NotApplicable => "not applicable",
    }
}

/// What became of an effect, for a person.
pub(crate) fn disposition(row: &EffectRow) -> &'static str {
    match row.disposition {
        Disposition::Blocked if row.waived => "waived",
        other => other.word(),
    }
}

/// A class, for a person and for JSON.
pub(crate) fn class(class: Class) -> &'static str {
    class.word()
}

/// `create Opportunity`, `set Lead.region`, `mail`, `call api.example.com`.
pub(crate) fn effect(effect: &Effect) -> String {
    let target = effect.target.name();
    let verb = match effect.kind {
        EffectKind::Insert => "create",
        EffectKind::Upsert => "create or change",
        EffectKind::FindOrCreate => "find or create",
        EffectKind::Update | EffectKind::RecordSet => "set",
        EffectKind::Increment => "increment",
        EffectKind::Append => "append to",
        EffectKind::Toggle => "toggle",
        EffectKind::Recompute => "recompute",
        EffectKind::Delete => "delete",
        EffectKind::Mail => "mail",
        EffectKind::Http => "call",
        EffectKind::Publish => "publish to",
        EffectKind::File => "write file",
        EffectKind::Process => "run",
        EffectKind::Unmapped => "unmapped action on",
    };
    // A target that only repeats the word of its kind says nothing more.
    if matches!(&effect.target, Target::Outside(word) if **word == *effect.kind.word()) {
        return effect.kind.word().to_owned();
    }
    if !effect.kind.is_set() {
        return format!("{verb} {target}");
    }
    let mut fields = effect.writes.iter().filter(|write| !write.by_platform);
    match (fields.next(), fields.next(), fields.count()) {
        (None, _, _) => format!("{verb} {target}"),
        (Some(one), None, _) => format!("{verb} {target}.{}", one.field),
        (Some(one), Some(two), 0) => format!("{verb} {target}.{}, {}", one.field, two.field),
        (Some(one), Some(_), more) => {
            format!("{verb} {target}.{} and {} more fields", one.field, more + 1)
        }
    }
}

/// What a second delivery does: the first scenario that does harm, named when it is not the
/// plain repetition.
pub(crate) fn second_delivery(row: &EffectRow) -> String {
    let Further {
        sequential,
        concurrent,
        after_prefix,
        ..
    } = row.facts.further;
    let harm = |one: Option<FurtherDelivery>| one.filter(|word| *word != FurtherDelivery::NoOp);
    if let Some(word) = harm(sequential) {
        return word.word().to_owned();
    }
    if let Some(word) = harm(concurrent) {
        return format!("{} if concurrent", word.word());
    }
    if let Some(word) = harm(after_prefix) {
        return format!("{} after a crash", word.word());
    }
    match sequential.or(concurrent).or(after_prefix) {
        Some(word) => word.word().to_owned(),
        None if row.disposition == Disposition::OffPath => "none".to_owned(),
        None => "not known".to_owned(),
    }
}

/// Why an effect is outside the gate's scope, when it is.
pub(crate) fn out_of_scope(row: &EffectRow) -> Option<&str> {
    match &row.facts.scope {
        ScopeState::Deferred(why) => Some(why),
        ScopeState::InScope => None,
    }
}

/// How something lies on the path, or why not, in one sentence.
pub(crate) fn path(state: &PathState) -> String {
    match state {
        PathState::On(Via::Delivery) => "the outbox delivers to it".to_owned(),
        PathState::On(Via::Writes(writes)) if writes.is_empty() => {
            "runs inside the writes of the path".to_owned()
        }
        PathState::On(Via::Writes(writes)) => {
            format!("runs inside {} of the path", many(writes.len(), "write"))
        }
        PathState::Off(off) => off.why.to_string(),
        PathState::Dormant { would_need, .. } => format!("dormant: {would_need}"),
        PathState::Unknown(reason) => reason.sentence.clone(),
    }
}

/// State of the tree.
pub(crate) fn tree(tree: &TreeState) -> String {
    match tree {
        TreeState::Commit {
            commit,
            clean: true,
            ..
        } => format!("{commit}, clean"),
        TreeState::Commit { commit, .. } => format!("{commit}, with uncommitted changes"),
        TreeState::None => "not under version control".to_owned(),
    }
}

/// An input that was not given, in the two words of the head.
pub(crate) fn missing(kind: InputKind) -> &'static str {
    match kind {
        InputKind::Configuration => "no configuration",
        InputKind::Rules => "no rules",
        InputKind::Flows => "no flows",
        InputKind::Schema => "no schema files",
        InputKind::Database => "no database",
        InputKind::Source => "no source",
        InputKind::Tests => "no tests",
        InputKind::Answers => "no answers",
    }
}

/// True of a gap that only says that an input was not given.
pub(crate) fn was_not_given(reason: &Reason) -> bool {
    reason.why == Why::NotGiven
}

/// The stage and what fails the run, with the exit status.
pub(crate) fn stage(report: &Report) -> String {
    let stage = report.stage.word();
    let fails = match report.fail_on {
        FailOn::Hold => "HOLD",
        FailOn::Unproven => "HOLD and UNPROVEN",
    };
    format!(
        "{stage}; fails on {fails}; exit status {}",
        report.exit_status
    )
}

/// Heading of the list of changes.
pub(crate) fn changes(report: &Report) -> String {
    let count = many(report.changes.len(), "change");
    match report.changes_minimal {
        true => format!("{count} (smallest set)"),
        false => format!("{count} (a set that suffices; a smaller one may exist)"),
    }
}

/// What stands in place of an empty list of changes.
pub(crate) fn no_changes(report: &Report) -> &'static str {
    match report.verdict {
        Verdict::Go => "Nothing is left to change.",
        _ => "No set of changes was found; each finding and each gap above says its next step.",
    }
}

/// `conditions 1, 3`.
pub(crate) fn served(conditions: &[usize]) -> Option<String> {
    let list: Vec<String> = conditions.iter().map(usize::to_string).collect();
    match list.len() {
        0 => None,
        1 => Some(format!("condition {}", list.concat())),
        _ => Some(format!("conditions {}", list.join(", "))),
    }
}

/// Whether a deferred family is on the path today.
pub(crate) fn on_path_today(family: &DeferredFamily) -> &'static str {
    match (family.on_path.is_empty(), family.unknown) {
        (false, _) => "yes",
        (true, true) => "not known",
        (true, false) => "no",
    }
}

/// What became of a waiver.
pub(crate) fn waiver(state: WaiverState) -> &'static str {
    match state {
        WaiverState::Applied => "applied",
        WaiverState::Expired => "expired",
        WaiverState::Unused => "unused",
        WaiverState::Ignored => "ignored",
        WaiverState::Refused => "refused",
    }
}

/// The heading of what people accepted, with how often.
pub(crate) fn accepted_by_people(report: &Report, duplicates: usize) -> String {
    let of = |state: WaiverState| {
        let rows = report.waivers.iter();
        (rows.filter(|row| row.state == state).count(), state)
    };
    let states = [
        WaiverState::Applied,
        WaiverState::Expired,
        WaiverState::Unused,
        WaiverState::Refused,
        WaiverState::Ignored,
    ];
    let mut parts = Vec::new();
    if duplicates > 0 {
        parts.push(many(duplicates, "duplicate"));
    }
    let waivers = states.map(of).into_iter().filter(|(count, _)| *count > 0);
    parts.extend(
        waivers.map(|(count, state)| format!("{} {}", many(count, "waiver"), waiver(state))),
    );
    format!("Accepted by people: {}", parts.join(", "))
}

/// How an observation was made.
pub(crate) fn observed(evidence: &Evidence) -> String {
    match &evidence.by {
        ObservedBy::Text => "read in".to_owned(),
        ObservedBy::Catalog => "catalog of".to_owned(),
        ObservedBy::Query { id } => format!("query {id} on"),
        ObservedBy::Answer { id } => format!("answer to query {id} in"),
        ObservedBy::TestResult => "test result in".to_owned(),
        ObservedBy::Rule { .. } => "known by".to_owned(),
        ObservedBy::Declared => "declared in".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1204), "1,204");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(many(1, "change"), "1 change");
        assert_eq!(many(2, "change"), "2 changes");
    }
}
