//! Where an enforcer that protects has its limits: when it ends, what it takes for equal.

use std::sync::Arc;

use crate::model::schema::{Enforcer, PredicateTree};

use super::guard::{GuardInput, part_columns};

/// Rule 5: what makes it stop guarding while redelivery is still possible.
pub(super) fn lapses(input: &GuardInput<'_>, enforcer: &Enforcer) -> Option<Arc<str>> {
    if input.table.unlogged {
        return Some(
            format!(
                "{} is unlogged: a crash empties it, guard and all",
                input.table.name
            )
            .into(),
        );
    }
    let predicate = enforcer.predicate.as_ref()?;
    let columns = predicate_columns(&predicate.tree);
    let soft = columns.iter().find(|column| {
        input
            .soft_delete
            .iter()
            .any(|name| name.eq_ignore_ascii_case(column))
    });
    let why = match soft {
        Some(_) => format!(
            "a soft-deleted row leaves `{}` and frees its key",
            predicate.text
        ),
        None => format!("a row that leaves `{}` frees its key", predicate.text),
    };
    Some(why.into())
}

pub(super) fn predicate_columns(tree: &PredicateTree) -> Vec<Arc<str>> {
    match tree {
        PredicateTree::And(items) | PredicateTree::Or(items) => {
            items.iter().flat_map(predicate_columns).collect()
        }
        PredicateTree::Not(inner) => predicate_columns(inner),
        PredicateTree::Compare { column, .. } | PredicateTree::In { column, .. } => {
            vec![Arc::clone(column)]
        }
        PredicateTree::IsNull(column)
        | PredicateTree::IsNotNull(column)
        | PredicateTree::Truth(column) => vec![Arc::clone(column)],
        PredicateTree::Opaque(_) => Vec::new(),
    }
}

/// Rule 6: equality that takes two different values for one.
pub(super) fn coarse(input: &GuardInput<'_>, enforcer: &Enforcer) -> Option<Arc<str>> {
    enforcer.parts.iter().find_map(|part| {
        let name = part.to_text();
        if part.column.is_none() {
            return Some(
                format!("`{name}` is compared, which can be equal for different values").into(),
            );
        }
        if let Some(length) = part.prefix_length {
            return Some(format!("only the first {length} characters of `{name}` are compared").into());
        }
        let collation = part.collation.as_deref().or_else(|| {
            input
                .table
                .column(part.column.as_deref()?)?
                .collation
                .as_deref()
        })?;
        let lower = collation.to_ascii_lowercase();
        let folds = lower == "nocase"
            || lower == "rtrim"
            || lower.ends_with("_ci")
            || lower.ends_with("_ai");
        folds.then(|| format!("`{name}` is compared with collation {collation}, which takes different values for equal").into())
    })
}

/// True if every part is the same for every event.
pub(super) fn constant_key(input: &GuardInput<'_>, enforcer: &Enforcer) -> bool {
    let mut columns = enforcer
        .parts
        .iter()
        .map(|part| part_columns(input.dialect, input.table, part));
    columns.all(|columns| {
        columns.is_some_and(|columns| {
            columns
                .iter()
                .all(|column| !(input.row)(column).value.may_differ())
        })
    })
}
