//! Constants that a cycle writes to one field in turn: whether its conditions lead back.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::expr::{self, BinaryOp, Expr, ExprKind};
use crate::model::consumer::{Consumer, ConsumerId};
use crate::model::effect::{Assignment, Effect};
use crate::model::facts::CycleRest;

use super::rest::{FieldKey, key, unknown};

/// Different constants for one field: they alternate unless conditions keep them apart. Gives the
/// fields whose conditions end it, or why it does not end.
pub(super) fn conflicting_constants(
    members: &[&Effect],
    consumers: &HashMap<&ConsumerId, &Consumer>,
) -> Result<Vec<String>, Box<CycleRest>> {
    let mut by_field: BTreeMap<FieldKey, Vec<(&Effect, &Assignment)>> = BTreeMap::new();
    for effect in members {
        for write in effect.writes.iter().filter(|write| !write.by_platform) {
            let key = key(effect.target.name(), &write.field);
            by_field.entry(key).or_default().push((effect, write));
        }
    }
    let mut ended = Vec::new();
    for ((_, field), writers) in by_field {
        let texts: BTreeSet<&str> = writers
            .iter()
            .map(|(_, write)| &*write.value.text)
            .collect();
        let Some((effect, _)) = writers.first().filter(|_| texts.len() > 1) else {
            continue;
        };
        let open = |why: String| Err(Box::new(unknown(effect, &why)));
        if writers
            .iter()
            .any(|(_, write)| write.value.constant.is_none())
        {
            return open(format!("`{field}` is set to different values in it"));
        }
        match walk_values(&field, &writers, consumers) {
            Walk::Ends => ended.push(field),
            Walk::Circles(values) => {
                return Err(Box::new(CycleRest::Never(
                    format!("`{field}` alternates: {}", values.join(" → ")).into(),
                )));
            }
            Walk::Unclear => {
                return open(format!(
                    "`{field}` is set to different values under conditions that were not decided"
                ));
            }
        }
    }
    Ok(ended)
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
    consumers: &HashMap<&ConsumerId, &Consumer>,
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

/// What a condition asks of one field.
pub(super) enum Needs {
    /// The field must have this value.
    Value(String),
    /// No condition.
    Nothing,
    /// A condition of another kind.
    Unclear,
}

/// What the condition of a consumer asks of a field.
pub(super) fn required_value(consumer: &Consumer, field: &str) -> Needs {
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
