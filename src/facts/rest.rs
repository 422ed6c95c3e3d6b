//! Whether a cycle of writes comes to rest, where an update with equal values changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::expr::{self, BinaryOp, Expr, ExprKind};
use crate::model::consumer::{Consumer, ConsumerId};
use crate::model::effect::{Assignment, Effect, EffectId};
use crate::model::evidence::{Reason, Why};
use crate::model::facts::CycleRest;
use crate::model::schema::Schema;
use crate::model::value::{Literal, Shape, ValueSource};

/// What tells whether a stored and a new value print alike, and what runs inside a write.
pub(super) struct Columns<'a> {
    /// Sets on the record being saved, by object in lower case.
    pub(super) in_memory: &'a BTreeMap<String, Vec<&'a Effect>>,
    /// The schema, when one was read.
    pub(super) schema: Option<&'a Schema>,
    /// Column types for which equal values print alike.
    pub(super) prints_alike: &'a [Arc<str>],
}

/// A field of an object, in lower case.
type FieldKey = (String, String);

/// Decides whether the writes of a cycle stop changing anything.
pub(super) fn rest_of(
    members: &[&Effect],
    consumers: &BTreeMap<&ConsumerId, &Consumer>,
    guarded: &dyn Fn(&EffectId) -> bool,
    columns: &Columns<'_>,
) -> CycleRest {
    for effect in members {
        if effect.kind.is_create() && !guarded(&effect.id) {
            return CycleRest::Never(
                format!("each round creates another row of {}", effect.target.name()).into(),
            );
        }
    }
    if let Some(never) = members.iter().find_map(|effect| changes_each_round(effect)) {
        return CycleRest::Never(never);
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
    if let Some(rest) = conflicting_constants(members, consumers) {
        return rest;
    }
    if let Some(effect) = members
        .iter()
        .find(|effect| reads_in_circles(effect, members, consumers))
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
    match members.iter().find_map(|effect| unlike(effect, columns)) {
        Some((effect, field)) => unknown(
            effect,
            &format!("equality compares printed forms, and `{field}` is not known to print alike"),
        ),
        None => CycleRest::Rests(
            "the second round writes equal values, which change nothing and enqueue nothing".into(),
        ),
    }
}

fn unknown(effect: &Effect, why: &str) -> CycleRest {
    CycleRest::Unknown(Box::new(Reason {
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
        // Once the field is filled, its own value stands.
        if own && write.value.shape == Shape::FillsEmpty {
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

/// Different constants for one field: they alternate unless conditions keep them apart.
fn conflicting_constants(
    members: &[&Effect],
    consumers: &BTreeMap<&ConsumerId, &Consumer>,
) -> Option<CycleRest> {
    let mut by_field: BTreeMap<FieldKey, Vec<(&Effect, &Assignment)>> = BTreeMap::new();
    for effect in members {
        for write in effect.writes.iter().filter(|write| !write.by_platform) {
            let key = key(effect.target.name(), &write.field);
            by_field.entry(key).or_default().push((effect, write));
        }
    }
    let mut rested = None;
    for ((_, field), writers) in &by_field {
        let texts: BTreeSet<&str> = writers
            .iter()
            .map(|(_, write)| &*write.value.text)
            .collect();
        if texts.len() < 2 {
            continue;
        }
        let (effect, _) = writers.first()?;
        if writers
            .iter()
            .any(|(_, write)| write.value.constant.is_none())
        {
            return Some(unknown(
                effect,
                &format!("`{field}` is set to different values in it"),
            ));
        }
        match walk_values(field, writers, consumers) {
            Walk::Ends => {
                rested = Some(CycleRest::Rests(
                    format!(
                        "the conditions on `{field}` end it: no value leads back to an earlier one"
                    )
                    .into(),
                ));
            }
            Walk::Circles(values) => {
                return Some(CycleRest::Never(
                    format!("`{field}` alternates: {}", values.join(" → ")).into(),
                ));
            }
            Walk::Unclear => {
                return Some(unknown(
                    effect,
                    &format!(
                        "`{field}` is set to different values under conditions that were not decided"
                    ),
                ));
            }
        }
    }
    rested
}

enum Walk {
    Ends,
    Circles(Vec<String>),
    Unclear,
}

/// Follows the values a field takes: an effect applies at a value if its condition allows it.
fn walk_values(
    field: &str,
    writers: &[(&Effect, &Assignment)],
    consumers: &BTreeMap<&ConsumerId, &Consumer>,
) -> Walk {
    let mut steps: Vec<(Option<String>, String)> = Vec::new();
    for (effect, write) in writers {
        let Some(needs) = consumers
            .get(&effect.consumer)
            .map(|consumer| required_value(consumer, field))
        else {
            return Walk::Unclear;
        };
        match needs {
            Needs::Value(value) => steps.push((Some(value), write.value.text.to_string())),
            Needs::Nothing => steps.push((None, write.value.text.to_string())),
            Needs::Unclear => return Walk::Unclear,
        }
    }
    for (_, start) in &steps {
        let mut seen = vec![start.clone()];
        let mut at = start.clone();
        while let Some((_, next)) = steps
            .iter()
            .find(|(needs, sets)| *sets != at && needs.as_ref().is_none_or(|needs| *needs == at))
        {
            let circles = seen.contains(next);
            seen.push(next.clone());
            if circles {
                return Walk::Circles(seen);
            }
            at = next.clone();
        }
    }
    Walk::Ends
}

enum Needs {
    /// The field must have this value.
    Value(String),
    /// No condition.
    Nothing,
    /// A condition of another kind.
    Unclear,
}

fn required_value(consumer: &Consumer, field: &str) -> Needs {
    match consumer.trigger.conditions.as_slice() {
        [] => Needs::Nothing,
        [condition] => match expr::parse(&condition.text) {
            Ok(tree) => equality_on(&tree, field).map_or(Needs::Unclear, Needs::Value),
            Err(_) => Needs::Unclear,
        },
        _ => Needs::Unclear,
    }
}

/// The literal a condition compares the field with, when that is all the condition does.
fn equality_on(tree: &Expr, field: &str) -> Option<String> {
    let ExprKind::Binary {
        op: BinaryOp::Eq,
        left,
        right,
    } = &tree.kind
    else {
        return None;
    };
    let named = |expr: &Expr| match &expr.kind {
        ExprKind::Ident(name) => name.eq_ignore_ascii_case(field),
        ExprKind::Member {
            object, property, ..
        } => {
            matches!(&object.kind, ExprKind::Ident(root) if root == "record")
                && matches!(&property.kind, ExprKind::Str(name) if name.eq_ignore_ascii_case(field))
        }
        _ => false,
    };
    let literal = |expr: &Expr| match &expr.kind {
        ExprKind::Str(text) => Some(text.clone()),
        ExprKind::Bool(value) => Some(value.to_string()),
        ExprKind::Int(value) => Some(value.to_string()),
        _ => None,
    };
    if named(left) {
        literal(right)
    } else if named(right) {
        literal(left)
    } else {
        None
    }
}

/// True if an assignment computes its value from fields that the cycle writes.
fn reads_in_circles(
    effect: &Effect,
    members: &[&Effect],
    consumers: &BTreeMap<&ConsumerId, &Consumer>,
) -> bool {
    let object = consumers
        .get(&effect.consumer)
        .and_then(|consumer| consumer.trigger.object.as_deref())
        .unwrap_or_default();
    let written: BTreeSet<FieldKey> = members
        .iter()
        .flat_map(|member| {
            member
                .writes
                .iter()
                .map(|write| key(member.target.name(), &write.field))
        })
        .collect();
    effect.writes.iter().any(|write| {
        let settles = matches!(write.value.shape, Shape::Normalises | Shape::FillsEmpty)
            && write.value.reads(&write.field);
        !settles
            && write.value.draws.iter().any(|draw| {
                draw.field
                    .as_ref()
                    .is_some_and(|field| written.contains(&key(object, &field.name)))
            })
    })
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

fn key(object: &str, field: &str) -> FieldKey {
    (object.to_ascii_lowercase(), field.to_ascii_lowercase())
}
