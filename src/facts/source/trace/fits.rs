//! What it tells that a pattern fits a result with an error in it.

use std::sync::Arc;

use crate::model::source::{ExprKind, Pattern};

use super::value::{Kind, Val};
use super::{errors, logic};

/// What it tells that one of the patterns of an arm fits: `Ok(true)`, `Err(Error::Lost)`, `None`.
pub(super) fn fit<'a>(patterns: &'a [Pattern], val: &Val<'a>) -> Option<Val<'a>> {
    let mut told = Val::default().taking(val);
    let mut kinds = Vec::new();
    for pattern in patterns {
        kinds.push(fit_one(pattern, val, &mut told)?);
    }
    // `Ok(()) | Err(Error::Lost)`: either of both.
    let either = |one: Kind<'a>, two: Kind<'a>| {
        errors::joined(true, &Val::of(one), &Val::of(two)).unwrap_or_default()
    };
    told.kind = kinds.into_iter().reduce(either).unwrap_or_default();
    Some(told)
}

fn fit_one<'a>(pattern: &'a Pattern, val: &Val<'a>, told: &mut Val<'a>) -> Option<Kind<'a>> {
    let good = |is: bool| match &val.kind {
        Kind::Hit(step, hit) => Kind::Hit(*step, *hit == is),
        Kind::Flag(set) => Kind::Flag(*set == is),
        _ => Kind::Unknown,
    };
    match pattern {
        Pattern::Value(value) => match &value.kind {
            ExprKind::Bool(is) => Some(good(*is)),
            ExprKind::Nil => Some(good(false)),
            ExprKind::Name(name) if &**name == "None" => Some(good(false)),
            _ => None,
        },
        Pattern::Parts { of, parts } => {
            let inner = match &parts[..] {
                [] => None,
                [(_, inner)] => Some(inner),
                _ => return None,
            };
            match (&**of, inner) {
                ("Ok", Some(Pattern::Value(value))) => match &value.kind {
                    ExprKind::Bool(is) => Some(good(*is)),
                    ExprKind::Text(_) => None,
                    _ => Some(Kind::Unknown),
                },
                ("Ok", Some(inner)) if is_anything(inner) => Some(match val.about.is_empty() {
                    true => Kind::Unknown,
                    false => Kind::Failed(false),
                }),
                ("Some", Some(inner)) if is_anything(inner) => Some(good(true)),
                ("Err", Some(inner)) if is_anything(inner) => Some(Kind::Failed(true)),
                ("Err", Some(inner)) => {
                    let name = last_name(inner);
                    told.codes.extend(name.clone());
                    Some(match val.about.is_empty() {
                        true => Kind::Unknown,
                        false => logic::named(name, true),
                    })
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// True of a pattern that fits whatever there is.
fn is_anything(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Ignore | Pattern::Name(..) => true,
        Pattern::Parts { of, parts } => of.is_empty() && parts.is_empty(),
        _ => false,
    }
}

/// `Lost` of `Error::Lost` and `Error::Lost(_)`.
fn last_name(pattern: &Pattern) -> Option<Arc<str>> {
    let whole = match pattern {
        Pattern::Value(value) => match &value.kind {
            ExprKind::Name(name) => Arc::clone(name),
            _ => return None,
        },
        Pattern::Parts { of, .. } => Arc::clone(of),
        _ => return None,
    };
    Some(whole.rsplit("::").next().unwrap_or(&whole).into())
}
