//! Tables that are written out: lists of handlers by event.

use std::collections::BTreeSet;

use crate::model::source::{Expr, ExprKind, MadeField};

use super::super::program::Program;

/// The names of variables whose value is a table of lists of functions, as far as it is written out.
pub(super) fn of(program: &Program<'_>) -> BTreeSet<String> {
    let all = program.value_names();
    all.filter(|name| {
        let value = program
            .value_named(name)
            .and_then(|(_, decl)| decl.value.as_ref());
        value.is_some_and(|value| lists(value).next().is_some())
    })
    .map(str::to_owned)
    .collect()
}

/// The entries of a table, each with the items of its list: a key, and at least one name of a function.
pub(in super::super) fn lists(value: &Expr) -> impl Iterator<Item = (&MadeField, &[MadeField])> {
    let entries = match &value.kind {
        ExprKind::Make { fields, .. } => fields.as_slice(),
        _ => &[],
    };
    entries.iter().filter_map(|entry| {
        let ExprKind::Make { fields, .. } = &entry.value.kind else {
            return None;
        };
        let has_key = entry.key.is_some() || entry.name.is_some();
        let mut items = fields.iter();
        let may_run = items.any(|item| {
            item.name.is_none()
                && matches!(
                    item.value.kind,
                    ExprKind::Name(_) | ExprKind::Field { .. } | ExprKind::Closure(_)
                )
        });
        (has_key && may_run).then_some((entry, fields.as_slice()))
    })
}
