//! Names and parts that are given a value.

use std::rc::Rc;
use std::sync::Arc;

use crate::model::source::{Expr, ExprKind, Pattern};

use super::RowAt;
use super::rows::{column_of, with};
use super::value::{Env, Kind, Val};

/// Gives a name its value.
pub(super) fn bind<'a>(pattern: &Pattern, val: Val<'a>, env: &mut Env<'a>) {
    match pattern {
        Pattern::Name(name, _) => {
            Rc::make_mut(env).insert(Arc::clone(name), val);
        }
        Pattern::Parts { of, parts } => {
            let val = match val.kind {
                // `Some(row)` of a statement that gives a row where it changed one.
                Kind::Hit(step, true) => Val {
                    kind: Kind::Row(step, RowAt::Read),
                    ..val
                },
                _ => val,
            };
            for (at, part) in parts {
                let val = match &val.kind {
                    // `(id, payload)` of a row.
                    Kind::Row(step, row) if of.is_empty() => {
                        let at = Val::of(Kind::Text(Arc::clone(at)));
                        column_of(*step, row, &at).taking(&val)
                    }
                    _ => val.clone(),
                };
                bind(part, val, env);
            }
        }
        _ => {}
    }
}

/// Gives what an expression names its value; a part of a struct that is known too.
pub(super) fn assign<'a>(target: &Expr, val: Val<'a>, env: &mut Env<'a>) {
    match &target.kind {
        ExprKind::Name(name) => {
            Rc::make_mut(env).insert(Arc::clone(name), val);
        }
        ExprKind::Field { of, name, .. } => {
            if let ExprKind::Name(holder) = &of.kind {
                let names = Rc::make_mut(env);
                let held = names.entry(Arc::clone(holder)).or_default();
                if matches!(held.kind, Kind::Unknown) {
                    held.kind = Kind::Made(Rc::default());
                }
                if let Kind::Made(parts) = &mut held.kind {
                    Rc::make_mut(parts).insert(Arc::clone(name), val);
                }
            }
        }
        // Which element it is does not matter: the list holds what is put into it.
        ExprKind::Index { of, .. } => {
            if let ExprKind::Name(holder) = &of.kind
                && let Some(held) = Rc::make_mut(env).get_mut(holder)
                && let Kind::List(_, element) = &mut held.kind
            {
                *element = Rc::new(with((**element).clone(), val));
            }
        }
        _ => {}
    }
}
