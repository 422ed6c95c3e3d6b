//! S4: what hangs on a write is known.

use std::borrow::Cow;

use crate::model::check::{CheckInfo, Obligation, Outcome, Weight};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::facts::{EffectFacts, Facts, Hanging, HangingKind};

use super::{about, live_effects, met, unknown};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "unread-side-effect",
    clause: "S4",
    title: "a write sets off something that was not read",
    weight: Weight::Gate,
    decides_effect: true,
    page: include_str!("unread_side_effect.md"),
};

/// At most so many consumers are named in a proof.
const NAMED: usize = 3;

/// Decides it for every write to the database on the path.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    let nothing_read = (!facts.schema_was_read()).then(|| match facts.written_tables() {
        1 => "one table".to_owned(),
        many => format!("{many} tables"),
    });
    for effect in live_effects(facts) {
        let kind = effect.effect.kind;
        let writes = kind.is_create()
            || kind.is_set()
            || matches!(
                effect.effect.rows,
                crate::model::effect::RowChoice::OwnRecord
            );
        if writes {
            out.push(about(
                effect,
                &INFO,
                outcome(effect, nothing_read.as_deref()),
            ));
        }
    }
}

/// `nothing_read` are the tables that are written, in words, where no schema was read at all.
fn outcome(effect: &EffectFacts, nothing_read: Option<&str>) -> Outcome {
    let trigger = effect.hangs.iter().find_map(|hanging| match &hanging.what {
        HangingKind::DatabaseTrigger(name) => Some((name, &hanging.place)),
        _ => None,
    });
    if let Some((name, place)) = trigger {
        return unknown(Reason {
            why: Why::NotDecidable,
            needs: Some(InputKind::Source),
            sentence: format!(
                "trigger {name} runs on this write of {}, and what its body does was not read",
                effect.effect.target.name()
            ),
            place: Some(place.clone()),
            next_step: "look whether it may run twice, and drop it or move its work into the flow"
                .into(),
        });
    }
    let unread = |hanging: &Hanging| matches!(hanging.what, HangingKind::UnreadTable);
    if let (Some(tables), true) = (nothing_read, effect.hangs.iter().any(unread)) {
        return unknown(Reason {
            why: Why::NotGiven,
            needs: Some(InputKind::Schema),
            sentence: format!(
                "no schema was read, so which triggers run on writes to {tables} is not known"
            ),
            place: None,
            next_step: "give the schema (--schema) or the database (--database)".into(),
        });
    }
    if let Some(hanging) = effect
        .hangs
        .iter()
        .find(|one| matches!(one.what, HangingKind::UnreadTable))
    {
        let table = effect.effect.target.name();
        return unknown(Reason {
            why: Why::NotResolved,
            needs: Some(InputKind::Schema),
            sentence: format!(
                "no schema that was read has a table {table}: which triggers run on this write is not known"
            ),
            place: Some(hanging.place.clone()),
            next_step: format!("give the schema that defines {table}"),
        });
    }
    let mut parts = Vec::new();
    for hanging in &effect.hangs {
        match &hanging.what {
            HangingKind::InsideWrite(consumers) => {
                parts.push(format!("inside it run {}", names(consumers)));
            }
            HangingKind::Cascade {
                event, consumers, ..
            } => parts.push(format!("its {event} goes to {}", names(consumers))),
            HangingKind::DatabaseTrigger(_)
            | HangingKind::UnreadTable
            | HangingKind::Platform(_) => {}
        }
    }
    let sentence: Cow<'static, str> = if parts.is_empty() {
        "nothing that was read hangs on it".into()
    } else {
        format!("{}: each judged for itself", parts.join("; ")).into()
    };
    met(sentence, effect.effect.by_rule.clone())
}

fn names(consumers: &[crate::model::consumer::ConsumerId]) -> String {
    let first: Vec<&str> = consumers
        .iter()
        .take(NAMED)
        .map(|consumer| &*consumer.0)
        .collect();
    let more = consumers.len().saturating_sub(first.len());
    if more > 0 {
        format!("{} and {more} more", first.join(", "))
    } else {
        first.join(", ")
    }
}
