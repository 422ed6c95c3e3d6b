//! The class of an effect, and what a further delivery of it does.

use crate::model::check::FurtherDelivery;
use crate::model::effect::{Class, Effect, EffectKind, OnConflict, RowChoice};
use crate::model::facts::Further;
use crate::model::guard::{ConflictEnding, CreateFacts};
use crate::model::value::{Nullness, Root, Shape, Value, ValueSource};

/// The class. A set that cannot be read keeps its class and is unknown by its obligations.
pub(super) fn class_of(effect: &Effect, conditions: &[Value]) -> Class {
    let kind = effect.kind;
    if kind.is_external() {
        return Class::External;
    }
    let decided_by_chance = conditions
        .iter()
        .chain(&effect.runs_if)
        .flat_map(Value::unstable)
        .any(|draw| {
            // A condition on the record being saved, as it is or was, is asked anew at each save.
            let of_the_save = kind == EffectKind::RecordSet
                && draw
                    .field
                    .as_ref()
                    .is_some_and(|field| matches!(field.root, Root::Written | Root::Prior));
            draw.source != ValueSource::Unknown && !of_the_save && !is_written(draw.field.as_ref())
        });
    match kind {
        EffectKind::Recompute => Class::Derived,
        EffectKind::Unmapped => Class::Unknown,
        _ if decided_by_chance => Class::StateDependent,
        EffectKind::Insert | EffectKind::Upsert | EffectKind::FindOrCreate => Class::Create,
        EffectKind::Delete => match effect.rows {
            RowChoice::Search(_) => Class::StateDependent,
            _ => Class::Delete,
        },
        EffectKind::Increment | EffectKind::Append | EffectKind::Toggle => Class::StateDependent,
        EffectKind::RecordSet => record_set_class(effect),
        _ => set_class(effect),
    }
}

fn is_written(field: Option<&crate::model::value::FieldRef>) -> bool {
    field.is_some_and(|field| field.root == Root::Written)
}

fn set_class(effect: &Effect) -> Class {
    let row_moves = match &effect.rows {
        RowChoice::Search(_) => true,
        RowChoice::Named(value) => value
            .unstable()
            .any(|draw| draw.source != ValueSource::Unknown),
        _ => false,
    };
    let value_moves = effect
        .writes
        .iter()
        .flat_map(|write| write.value.unstable())
        .any(|draw| draw.source != ValueSource::Unknown);
    if row_moves || value_moves {
        Class::StateDependent
    } else {
        Class::DeterministicSet
    }
}

/// A set on the record being saved is computed from that record each time: it converges unless it
/// feeds on itself or on something that moves.
fn record_set_class(effect: &Effect) -> Class {
    let mut derived = false;
    for write in &effect.writes {
        for draw in write.value.unstable() {
            if is_written(draw.field.as_ref()) {
                derived = true;
            } else if draw.source != ValueSource::Unknown {
                return Class::StateDependent;
            }
        }
        if feeds_on_itself(&write.field, &write.value) {
            return Class::StateDependent;
        }
    }
    if derived {
        Class::Derived
    } else {
        Class::DeterministicSet
    }
}

/// True if a value is computed from the very field it is written to, and is not a normal form of it.
pub(super) fn feeds_on_itself(field: &str, value: &Value) -> bool {
    value.reads(field) && !matches!(value.shape, Shape::Normalises | Shape::Plain)
}

/// What a further delivery does.
pub(super) fn further_of(effect: &Effect, class: Class, create: Option<&CreateFacts>) -> Further {
    use FurtherDelivery::{
        Destructive, Duplicate, Error, Lost, NoOp, Overwrite, RepeatedExternal, Swallowed,
    };
    let all = |word| Further {
        sequential: Some(word),
        concurrent: Some(word),
        after_prefix: Some(word),
        guard_lapsed: None,
    };
    if effect.kind == EffectKind::Unmapped {
        return Further::default();
    }
    if effect.kind.is_external() {
        let constant_key = effect
            .idempotency_key
            .as_ref()
            .is_some_and(|key| !key.may_differ());
        return all(if constant_key {
            Swallowed
        } else {
            RepeatedExternal
        });
    }
    if let Some(create) = create {
        // What was not read of the table may end in any way.
        if create.table.is_err() {
            return Further::default();
        }
        let guard_lapsed = create
            .guard()
            .and_then(|guard| guard.lapses.as_ref())
            .map(|_| Duplicate);
        return match &create.ending {
            ConflictEnding::NoOp(_) => Further {
                guard_lapsed,
                ..all(NoOp)
            },
            ConflictEnding::Error(_) => Further {
                guard_lapsed,
                ..all(Error)
            },
            ConflictEnding::Lost(_) => all(Lost),
            ConflictEnding::Changes { moving: None, .. } => Further {
                guard_lapsed,
                ..all(NoOp)
            },
            ConflictEnding::Changes { .. } | ConflictEnding::WrongRow(_) => all(Overwrite),
            ConflictEnding::Overwrites(_) => all(Overwrite),
            ConflictEnding::Destroys(_) => all(Destructive),
            ConflictEnding::Unknown(_) => Further::default(),
            ConflictEnding::NoGuard if create.is_open() => Further::default(),
            ConflictEnding::NoGuard => unguarded(effect),
        };
    }
    match class {
        // Other rows than the first time are deleted.
        Class::StateDependent if effect.kind == EffectKind::Delete => all(Destructive),
        Class::StateDependent => all(Overwrite),
        Class::DeterministicSet | Class::Derived | Class::Delete => all(NoOp),
        _ => Further::default(),
    }
}

/// Without an index a lookup finds the row only if the earlier delivery is over, and only by
/// values that are the same again.
fn unguarded(effect: &Effect) -> Further {
    let alone = match &effect.on_conflict {
        OnConflict::FindFirst { fields, .. } => finds_again(effect, fields),
        _ => Some(FurtherDelivery::Duplicate),
    };
    Further {
        sequential: alone,
        concurrent: Some(FurtherDelivery::Duplicate),
        after_prefix: alone,
        guard_lapsed: None,
    }
}

/// What a lookup by these fields leads to: NULL finds nothing, nor does a value drawn anew.
fn finds_again(effect: &Effect, fields: &[std::sync::Arc<str>]) -> Option<FurtherDelivery> {
    let values = effect.writes.iter().filter(|write| {
        fields
            .iter()
            .any(|field| field.eq_ignore_ascii_case(&write.field))
    });
    let mut found = Some(FurtherDelivery::NoOp);
    for value in values.map(|write| &write.value) {
        if matches!(value.null, Nullness::Always | Nullness::Maybe)
            || value
                .unstable()
                .any(|draw| draw.source != ValueSource::Unknown)
        {
            return Some(FurtherDelivery::Duplicate);
        }
        if value.unstable().next().is_some() {
            found = None;
        }
    }
    found
}
