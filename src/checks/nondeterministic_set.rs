//! S1: every value a set writes is the same on every delivery.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::check::{CheckInfo, Finding, FurtherDelivery, Obligation, Outcome, Weight};
use crate::model::effect::{Assignment, EffectKind};
use crate::model::evidence::{Evidence, Reason, Why};
use crate::model::facts::{EffectFacts, Facts};
use crate::model::secret::{asterisks, is_secret_name};
use crate::model::value::{Draw, Root, Shape, ValueSource};

use super::{about, changes, contract, live_effects, met, unknown};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "nondeterministic-set",
    clause: "S1",
    title: "a set whose value differs between deliveries",
    weight: Weight::Gate,
    decides_effect: true,
    page: include_str!("nondeterministic_set.md"),
};

/// Decides it for every set on the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for effect in live_effects(facts) {
        if effect.effect.kind.is_set() {
            out.push(about(effect, &INFO, outcome(facts, effect)));
        }
    }
}

fn outcome(facts: &Facts, effect: &EffectFacts) -> Outcome {
    if let Some(how) = moves_by_kind(effect.effect.kind) {
        return contract::outcome(effect, by_kind(effect, how));
    }
    let in_memory = effect.effect.kind == EffectKind::RecordSet;
    if in_memory && effect.repeating_carriers.is_empty() {
        return met(
            "it runs only inside guarded creates: the first delivery's values stand",
            evidence(effect),
        );
    }
    if let Some(how) = &effect.feedback
        && let Some(write) = effect.effect.writes.first()
    {
        let finding =
            moving(effect, write, &write.value.text, &write.value.place).note(how.to_string());
        return contract::outcome(effect, finding);
    }
    if in_memory && let Some(finding) = feeds_on_record(effect) {
        return contract::outcome(effect, finding);
    }
    let mut open = None;
    for write in &effect.effect.writes {
        for draw in write.value.unstable() {
            let seen_in_memory = draw
                .field
                .as_ref()
                .is_some_and(|field| field.root == Root::Written);
            if in_memory && seen_in_memory {
                continue;
            }
            if draw.source == ValueSource::Unknown {
                open = open.or(Some((write, draw)));
            } else {
                let mut finding = finding(effect, write, draw);
                if let Some(step) = draw.step() {
                    finding
                        .repairs
                        .extend(changes::of_step(facts, effect, step));
                }
                return contract::outcome(effect, finding);
            }
        }
    }
    match open {
        Some((write, draw)) => unknown(reason(effect, write, draw)),
        None => met(proof(effect), evidence(effect)),
    }
}

/// Kinds that change the stored value by what is stored.
fn moves_by_kind(kind: EffectKind) -> Option<&'static str> {
    match kind {
        EffectKind::Increment => Some("adds to the stored value"),
        EffectKind::Append => Some("extends the stored value"),
        EffectKind::Toggle => Some("inverts the stored value"),
        _ => None,
    }
}

fn by_kind(effect: &EffectFacts, how: &'static str) -> Finding {
    let field = effect
        .effect
        .writes
        .first()
        .map_or("it", |write| &*write.field);
    Finding::new(
        format!(
            "a second delivery {how} of {}.{field} once more",
            effect.effect.target.name()
        ),
        effect.effect.place.clone(),
    )
    .label(how)
    .further(FurtherDelivery::Overwrite)
    .step("A", format!("claims e1, {how}, commits, stalls"))
    .step("B", format!("takes e1 over and {how} again"))
    .repair(vec![changes::rewrite(
        &effect.effect,
        field,
        "the stored value",
    )])
}

/// A value of the record being saved that is computed from itself, or from a field that the same
/// action sets, in an order that nothing defines.
fn feeds_on_record(effect: &EffectFacts) -> Option<Finding> {
    let writes = &effect.effect.writes;
    for write in writes {
        let itself = write.value.reads(&write.field)
            && !matches!(write.value.shape, Shape::Normalises | Shape::Plain);
        if itself {
            return Some(
                moving(effect, write, &write.value.text, &write.value.place).note(format!(
                    "`{}` is computed from its own stored value",
                    write.field
                )),
            );
        }
        let other = writes
            .iter()
            .find(|other| other.field != write.field && write.value.reads(&other.field));
        if let Some(other) = other {
            return Some(
                moving(effect, write, &write.value.text, &write.value.place).note(format!(
                    "`{}` is set by the same action, and the order of its assignments is not defined",
                    other.field
                )),
            );
        }
    }
    None
}

fn finding(effect: &EffectFacts, write: &Assignment, draw: &Draw) -> Finding {
    let why = match draw.source {
        ValueSource::Clock => "the clock",
        ValueSource::Random => "a random source",
        ValueSource::Sequence => "a sequence",
        ValueSource::LiveState => "live state",
        ValueSource::StepResult => "a row that is made anew each time",
        ValueSource::Deployment => "the deployment",
        ValueSource::Locale => "the locale of the host",
        _ => "something outside",
    };
    let mut finding = moving(effect, write, &draw.what, &draw.place)
        .note(format!("`{}` draws from {why}", draw.what));
    if let Some(note) = &draw.note {
        finding = finding.note(note.to_string());
    }
    finding
}

fn moving(
    effect: &EffectFacts,
    write: &Assignment,
    what: &str,
    place: &crate::model::place::Place,
) -> Finding {
    let target = effect.effect.target.name();
    let field = &write.field;
    Finding::new(
        format!("a second delivery writes another value to {target}.{field}"),
        place.clone(),
    )
    .label("not the same on every delivery")
    .further(FurtherDelivery::Overwrite)
    .step(
        "A",
        format!("claims e1, sets {field} by `{what}`, commits, stalls"),
    )
    .step(
        "B",
        format!("takes e1 over later and sets {field} to another value"),
    )
    .repair(vec![changes::rewrite(
        &effect.effect,
        field,
        &format!("`{what}`"),
    )])
}

fn reason(effect: &EffectFacts, write: &Assignment, draw: &Draw) -> Reason {
    let why = draw
        .note
        .as_ref()
        .map_or_else(|| format!("`{}`", draw.what), |note| note.to_string());
    Reason {
        why: Why::NotResolved,
        needs: None,
        sentence: format!(
            "whether {}.{} gets the same value on every delivery is not known: {why}",
            effect.effect.target.name(),
            write.field
        ),
        place: Some(draw.place.clone()),
        next_step: "correct the value, or describe what it uses in a rule pack (--rules)".into(),
    }
}

/// The rules that say what it does, and the guards that keep the rows it uses the same ones.
fn evidence(effect: &EffectFacts) -> Vec<Arc<Evidence>> {
    let rules = effect.effect.by_rule.iter();
    rules.chain(&effect.rests_on).cloned().collect()
}

/// A constant of a field whose name says that it is secret is covered.
fn shown(write: &Assignment) -> Cow<'_, str> {
    let text = &*write.value.text;
    if write.value.draws.is_empty() && is_secret_name(&write.field) {
        asterisks(text).into()
    } else {
        text.into()
    }
}

fn proof(effect: &EffectFacts) -> String {
    let writes = &effect.effect.writes;
    let parts: Vec<String> = writes
        .iter()
        .take(4)
        .map(|write| format!("{} = `{}`", write.field, shown(write)))
        .collect();
    let more = writes.len().saturating_sub(parts.len());
    let tail = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    if effect.effect.kind == EffectKind::RecordSet {
        return format!(
            "computed anew from the record at each save: {}{tail}",
            parts.join(", ")
        );
    }
    let steps: BTreeSet<&str> = writes
        .iter()
        .flat_map(|write| &write.value.draws)
        .filter_map(Draw::step)
        .collect();
    let sources = match steps.into_iter().collect::<Vec<_>>().as_slice() {
        [] => "constants and the event's snapshot".to_owned(),
        [step] => {
            format!("constants, the event's snapshot and the row that `{step}` finds or creates")
        }
        _ => {
            "constants, the event's snapshot and rows that earlier steps find or create".to_owned()
        }
    };
    format!("only {sources}: {}{tail}", parts.join(", "))
}
