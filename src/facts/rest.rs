//! Whether a cycle of writes comes to rest, where an update with equal values changes nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::model::consumer::{Consumer, ConsumerId};
use crate::model::effect::{Assignment, Effect, EffectId, OnConflict};
use crate::model::evidence::{Reason, Why};
use crate::model::facts::CycleRest;
use crate::model::value::{FieldRef, Literal, Root, Shape, ValueSource};

use super::again::{Again, again};
use super::alternation::{Needs, conflicting_constants, required_value};

use super::tables::Tables;

/// Creates by consumer and the name of their result.
pub(super) type Steps<'a> = HashMap<(&'a ConsumerId, &'a Arc<str>), &'a Effect>;

/// What tells whether a stored and a new value print alike, and what runs inside a write.
pub(super) struct Columns<'a> {
    /// Sets on the record being saved, by object in lower case.
    pub(super) in_memory: &'a BTreeMap<String, Vec<&'a Effect>>,
    /// Creates whose rows later steps use.
    pub(super) steps: &'a Steps<'a>,
    /// The schema, when one was read.
    pub(super) schema: Option<&'a Tables<'a>>,
    /// Column types for which equal values print alike.
    pub(super) prints_alike: &'a [Arc<str>],
}

/// A field of an object, in lower case.
pub(super) type FieldKey = (String, String);

/// Decides whether the writes of a cycle stop changing anything.
pub(super) fn rest_of(
    members: &[&Effect],
    consumers: &HashMap<&ConsumerId, &Consumer>,
    guarded: &dyn Fn(&EffectId) -> bool,
    columns: &Columns<'_>,
) -> CycleRest {
    let turn = next_round(members, consumers, columns);
    let going: Vec<&Effect> = turn.going;
    if let (true, Some(field)) = (going.is_empty(), &turn.ended) {
        return CycleRest::Rests(
            format!("its condition asks for a change of `{field}`, which the cycle leaves alone")
                .into(),
        );
    }
    let members = &going;
    let moving = members.iter().find_map(|effect| {
        if effect.kind.is_create() && !guarded(&effect.id) {
            let why = format!("each round creates another row of {}", effect.target.name());
            return Some((effect, Arc::from(why)));
        }
        Some((effect, changes_each_round(effect)?))
    });
    match moving {
        Some((_, why)) if turn.surely => return CycleRest::Never(why),
        Some((effect, why)) => {
            return unknown(effect, &format!("{why}, and a condition may end it"));
        }
        None => {}
    }
    if let Some(effect) = members.iter().find(|effect| effect.kind.is_create()) {
        return unknown(
            effect,
            "whether its creates end depends on how many rows they reach",
        );
    }
    if let Some(effect) = members.iter().find(|effect| !effect.equal_update_is_no_op) {
        return CycleRest::Never(
            format!(
                "an update of {} counts as a change even with equal values",
                effect.target.name()
            )
            .into(),
        );
    }
    let ended = match conflicting_constants(members, consumers) {
        Ok(ended) => ended,
        Err(rest) => return *rest,
    };
    let written: BTreeSet<FieldKey> = members
        .iter()
        .flat_map(|member| {
            member
                .writes
                .iter()
                .map(|write| key(member.target.name(), &write.field))
        })
        .collect();
    if let Some(effect) = members
        .iter()
        .find(|effect| reads_in_circles(effect, &written, consumers, columns.steps))
    {
        return unknown(
            effect,
            "its values depend on fields that the cycle itself writes",
        );
    }
    if let Some((effect, field)) = members.iter().find_map(|effect| undone(effect, columns)) {
        return unknown(
            effect,
            &format!("a flow inside the save writes `{field}`, which the cycle sets, again"),
        );
    }
    let fed = members
        .iter()
        .find_map(|effect| fed_inside(effect, consumers, columns));
    if let Some((effect, field)) = fed {
        return unknown(
            effect,
            &format!("a flow inside the save writes `{field}`, which the cycle reads"),
        );
    }
    // An effect whose condition has ended writes nothing, however its values print.
    let goes_on = |effect: &&&Effect| {
        !ended.iter().any(|field| {
            consumers
                .get(&effect.consumer)
                .is_some_and(|consumer| matches!(required_value(consumer, field), Needs::Value(_)))
        })
    };
    let open = members
        .iter()
        .filter(goes_on)
        .find_map(|effect| unlike(effect, columns));
    match (open, ended.first()) {
        (Some((effect, field)), _) => unknown(
            effect,
            &format!("equality compares printed forms, and `{field}` is not known to print alike"),
        ),
        (None, Some(field)) => CycleRest::Rests(
            format!("the conditions on `{field}` end it: no value leads back to an earlier one")
                .into(),
        ),
        (None, None) => CycleRest::Rests(
            "the second round writes equal values, which change nothing and enqueue nothing".into(),
        ),
    }
}

/// What is left of a cycle in its second round.
struct NextRound<'a> {
    /// The effects whose conditions do not end it.
    going: Vec<&'a Effect>,
    /// The field whose change a condition asks for, where that ended an effect.
    ended: Option<Arc<str>>,
    /// True if every condition holds again for sure.
    surely: bool,
}

fn next_round<'a>(
    members: &[&'a Effect],
    consumers: &HashMap<&ConsumerId, &Consumer>,
    columns: &Columns<'_>,
) -> NextRound<'a> {
    let mut written: BTreeSet<FieldKey> = BTreeSet::new();
    let inside = columns.in_memory.values().flatten().copied();
    for effect in members.iter().copied().chain(inside) {
        let object = effect.target.name();
        written.extend(effect.writes.iter().map(|write| key(object, &write.field)));
    }
    let mut turn = NextRound {
        going: Vec::new(),
        ended: None,
        surely: true,
    };
    for effect in members {
        let said = consumers.get(&effect.consumer).map(|consumer| {
            let object = consumer.trigger.object.as_deref().unwrap_or_default();
            again(consumer, &|field| written.contains(&key(object, field)))
        });
        match said {
            Some(Again::Ends(field)) => {
                turn.ended = turn.ended.or(Some(field));
                turn.surely = false;
                continue;
            }
            Some(Again::Steady) => {}
            Some(Again::Open) | None => turn.surely = false,
        }
        turn.going.push(effect);
    }
    turn
}

pub(super) fn unknown(effect: &Effect, why: &str) -> CycleRest {
    CycleRest::Unknown(Arc::new(Reason {
        why: Why::NotDecidable,
        needs: None,
        sentence: format!(
            "whether the cycle through `{}` comes to rest is not decided: {why}",
            effect.id
        ),
        place: Some(effect.place.clone()),
        next_step: "add a condition that is false once the value is set, or break the cycle".into(),
    }))
}

/// Why an effect writes something new in every round, when it surely does.
fn changes_each_round(effect: &Effect) -> Option<Arc<str>> {
    effect.writes.iter().find_map(|write| {
        let own = write.value.reads(&write.field);
        if settles(write) {
            return None;
        }
        let moving = write.value.draws.iter().find(|draw| {
            matches!(
                draw.source,
                ValueSource::Clock | ValueSource::Random | ValueSource::Sequence
            )
        });
        if let Some(draw) = moving {
            return Some(
                format!(
                    "each round writes a new value of `{}` to `{}`",
                    draw.what, write.field
                )
                .into(),
            );
        }
        match write.value.shape {
            Shape::Accumulates if own => Some(
                format!(
                    "each round changes `{}` by `{}`",
                    write.field, write.value.text
                )
                .into(),
            ),
            Shape::Toggles if own => {
                Some(format!("each round turns `{}` into its opposite", write.field).into())
            }
            _ => None,
        }
    })
}

/// True if an assignment computes its value from fields that the cycle writes.
fn reads_in_circles(
    effect: &Effect,
    written: &BTreeSet<FieldKey>,
    consumers: &HashMap<&ConsumerId, &Consumer>,
    steps: &Steps<'_>,
) -> bool {
    let object = consumers
        .get(&effect.consumer)
        .and_then(|consumer| consumer.trigger.object.as_deref())
        .unwrap_or_default();
    let reads = |field: &FieldRef| match field.root {
        Root::Step => steps
            .get(&(&effect.consumer, &field.name))
            .is_none_or(|create| row_moves(create, object, written)),
        _ => written.contains(&key(object, &field.name)),
    };
    effect.writes.iter().any(|write| {
        let mut fields = write
            .value
            .draws
            .iter()
            .filter_map(|draw| draw.field.as_ref());
        !settles(write) && fields.any(reads)
    })
}

/// True if an earlier step may hold another row in the next round: it makes one each time, or looks
/// it up by what the cycle writes.
fn row_moves(create: &Effect, object: &str, written: &BTreeSet<FieldKey>) -> bool {
    let looked_up: &[Arc<str>] = match &create.on_conflict {
        OnConflict::FindFirst { fields, .. } => fields,
        _ => return true,
    };
    create
        .writes
        .iter()
        .filter(|write| {
            looked_up
                .iter()
                .any(|field| field.eq_ignore_ascii_case(&write.field))
        })
        .flat_map(|write| &write.value.draws)
        .filter_map(|draw| draw.field.as_ref())
        .any(|field| field.root == Root::Step || written.contains(&key(object, &field.name)))
}

/// True if applying the assignment to its own result changes nothing: a normal form of the field,
/// or a value only where the field is empty.
fn settles(write: &Assignment) -> bool {
    match write.value.shape {
        Shape::Normalises => write.value.reads(&write.field),
        // What is kept is read first.
        Shape::FillsEmpty => write.value.draws.first().is_some_and(|draw| {
            draw.field.as_ref().is_some_and(|kept| {
                matches!(kept.root, Root::Record | Root::Written)
                    && kept.name.eq_ignore_ascii_case(&write.field)
            })
        }),
        _ => false,
    }
}

/// A field that the effect, or what starts it, reads of the event's record, and that a flow inside
/// the save of such a record sets.
fn fed_inside<'a>(
    effect: &'a Effect,
    consumers: &HashMap<&ConsumerId, &Consumer>,
    columns: &Columns<'_>,
) -> Option<(&'a Effect, Arc<str>)> {
    let trigger = &consumers.get(&effect.consumer)?.trigger;
    let object = trigger.object.as_deref().unwrap_or_default();
    let inside = columns.in_memory.get(&object.to_ascii_lowercase())?;
    let values = effect.writes.iter().map(|write| &write.value);
    values
        .chain(&trigger.conditions)
        .flat_map(|value| &value.draws)
        .filter_map(|draw| draw.field.as_ref())
        .find(|field| {
            inside
                .iter()
                .flat_map(|set| &set.writes)
                .any(|set| set.field.eq_ignore_ascii_case(&field.name))
        })
        .map(|field| (effect, Arc::clone(&field.name)))
}

/// The first field of a write that a flow inside that write sets anew.
fn undone<'a>(effect: &'a Effect, columns: &Columns<'_>) -> Option<(&'a Effect, Arc<str>)> {
    let object = effect.target.name().to_ascii_lowercase();
    let inside = columns.in_memory.get(&object)?;
    effect
        .writes
        .iter()
        .find(|write| {
            inside.iter().flat_map(|set| &set.writes).any(|set| {
                let keeps = set.value.shape == Shape::Plain && set.value.reads(&set.field);
                set.field.eq_ignore_ascii_case(&write.field) && !keeps
            })
        })
        .map(|write| (effect, Arc::clone(&write.field)))
}

/// The first field whose stored and new value may print differently although they are equal.
fn unlike<'a>(effect: &'a Effect, columns: &Columns<'_>) -> Option<(&'a Effect, Arc<str>)> {
    let table = columns
        .schema
        .and_then(|schema| schema.table(effect.target.name()));
    effect
        .writes
        .iter()
        .find(|write| {
            let text_value = matches!(
                write.value.constant,
                Some(Literal::String(_) | Literal::Null) | None
            );
            let text_column = table
                .and_then(|table| table.column(&write.field))
                .is_some_and(|column| {
                    let base = column
                        .data_type
                        .split(['(', ' '])
                        .next()
                        .unwrap_or_default();
                    columns
                        .prints_alike
                        .iter()
                        .any(|kind| kind.eq_ignore_ascii_case(base))
                });
            !(text_value && text_column)
        })
        .map(|write| (effect, Arc::clone(&write.field)))
}

pub(super) fn key(object: &str, field: &str) -> FieldKey {
    (object.to_ascii_lowercase(), field.to_ascii_lowercase())
}
