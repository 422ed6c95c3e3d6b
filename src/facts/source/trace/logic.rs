//! Comparisons, and what they tell.

use std::rc::Rc;
use std::sync::Arc;

use crate::model::source::Operator;

use super::UNKNOWN_CODE;
use super::errors::{self, Truth};
use super::spans::computed;
use super::value::{Kind, Val};

/// The value of `left op right`.
pub(super) fn compared<'a>(op: Operator, left: Val<'a>, right: Val<'a>) -> Val<'a> {
    let equal = match op {
        Operator::Equal => true,
        Operator::NotEqual => false,
        Operator::And | Operator::Or => return joined(op, left, right),
        Operator::Subtract | Operator::Multiply | Operator::Divide
            if computed(op, &left, &right).is_some() =>
        {
            return Val::of(computed(op, &left, &right).unwrap_or_default());
        }
        Operator::Add => {
            let kind = match (&left.kind, &right.kind) {
                (Kind::Text(one), Kind::Text(two)) => Kind::Text(format!("{one}{two}").into()),
                (_, Kind::Text(one)) if &**one == "1" => Kind::Raised,
                (Kind::Now(loops) | Kind::OfClock(_, loops), _) => {
                    Kind::OfClock(None, Arc::clone(loops))
                }
                _ => computed(op, &left, &right).unwrap_or_default(),
            };
            return Val::of(kind).taking(&left).taking(&right);
        }
        Operator::Less | Operator::AtMost | Operator::More | Operator::AtLeast => {
            let both = Val::default().taking(&left).taking(&right);
            return match (&left.kind, &right.kind) {
                // `n > 0`, `n >= 1`; `n < 1`; and the other way round.
                (Kind::Count(step), Kind::Text(number)) => {
                    Val::of(asked(*step, |count| holds(op, count, number))).taking(&both)
                }
                (Kind::Text(number), Kind::Count(step)) => {
                    let op = turned(op);
                    Val::of(asked(*step, |count| holds(op, count, number))).taking(&both)
                }
                (Kind::Count(_), _) | (_, Kind::Count(_)) => both,
                (_, Kind::Text(bound)) => Val {
                    bound: Some((
                        Arc::clone(bound),
                        matches!(op, Operator::More | Operator::AtLeast),
                    )),
                    ..both
                },
                (Kind::Text(bound), _) => Val {
                    bound: Some((
                        Arc::clone(bound),
                        matches!(op, Operator::Less | Operator::AtMost),
                    )),
                    ..both
                },
                _ => both,
            };
        }
        _ => {
            let kind = match (&left.kind, &right.kind) {
                (Kind::Now(loops) | Kind::OfClock(_, loops), _)
                | (_, Kind::Now(loops) | Kind::OfClock(_, loops)) => {
                    Kind::OfClock(None, Arc::clone(loops))
                }
                _ => Kind::Unknown,
            };
            return Val::of(kind).taking(&left).taking(&right);
        }
    };
    let mut both = Val::default().taking(&left).taking(&right);
    both.kind = match (&left.kind, &right.kind) {
        (_, Kind::Nil) if left.nil_tells.is_some() => told_by_nil(&left, equal),
        (Kind::Nil, _) if right.nil_tells.is_some() => told_by_nil(&right, equal),
        (Kind::Nil, Kind::Nil) => Kind::Bool(equal),
        (Kind::Text(one), Kind::Text(two)) => Kind::Bool((one == two) == equal),
        (Kind::Bool(one), Kind::Bool(two)) => Kind::Bool((one == two) == equal),
        (Kind::Tx(_) | Kind::Pool | Kind::Made(_) | Kind::Closure(..), Kind::Nil)
        | (Kind::Nil, Kind::Tx(_) | Kind::Pool | Kind::Made(_) | Kind::Closure(..)) => {
            Kind::Bool(!equal)
        }
        (Kind::Count(step), Kind::Text(number)) | (Kind::Text(number), Kind::Count(step)) => {
            asked(*step, |count| holds(op, count, number))
        }
        (Kind::FlagText, Kind::Text(word)) | (Kind::Text(word), Kind::FlagText) => {
            let off = is_off(word);
            both.missing = (!word.is_empty()).then_some(off);
            Kind::Flag(equal != off)
        }
        (Kind::Flag(set), Kind::Bool(is)) | (Kind::Bool(is), Kind::Flag(set)) => {
            Kind::Flag((set == is) == equal)
        }
        (Kind::Flag(set), Kind::Text(word)) | (Kind::Text(word), Kind::Flag(set)) => {
            let off = is_off(word);
            Kind::Flag((*set != off) == equal)
        }
        (Kind::Hit(step, hit), Kind::Bool(is)) | (Kind::Bool(is), Kind::Hit(step, hit)) => {
            Kind::Hit(*step, (hit == is) == equal)
        }
        (_, Kind::Nil) | (Kind::Nil, _) if !both.about.is_empty() => Kind::Failed(!equal),
        (_, Kind::Text(code)) | (Kind::Text(code), _) => {
            both.codes.insert(Arc::clone(code));
            match both.about.is_empty() {
                true => Kind::Unknown,
                false => named([Arc::clone(code)], equal),
            }
        }
        // `err == ErrLost`.
        (Kind::Unknown, Kind::Unknown) if sentinel(&left, &right).is_some() => {
            named(sentinel(&left, &right).unwrap_or_default(), equal)
        }
        _ => Kind::Unknown,
    };
    both
}

/// What a question about a row count tells: none and one are asked, and a question that answers both
/// alike, or cannot be answered, tells nothing.
pub(super) fn asked<'a>(step: usize, holds: impl Fn(i64) -> Option<bool>) -> Kind<'a> {
    match (holds(0), holds(1)) {
        (Some(none), Some(one)) if none != one => Kind::Hit(step, one),
        _ => Kind::Unknown,
    }
}

/// `count op number`; none if the text is no whole number.
pub(in crate::facts::source) fn holds(op: Operator, count: i64, number: &str) -> Option<bool> {
    let number: i64 = number.parse().ok()?;
    Some(match op {
        Operator::Less => count < number,
        Operator::AtMost => count <= number,
        Operator::More => count > number,
        Operator::AtLeast => count >= number,
        Operator::Equal => count == number,
        Operator::NotEqual => count != number,
        _ => return None,
    })
}

/// The name of an error that another value is compared with.
fn sentinel(left: &Val<'_>, right: &Val<'_>) -> Option<Vec<Arc<str>>> {
    let of = |name: &Val<'_>, err: &Val<'_>| {
        (name.about.is_empty() && !name.codes.is_empty() && !err.about.is_empty())
            .then(|| name.codes.iter().cloned().collect())
    };
    of(left, right).or_else(|| of(right, left))
}

/// True of errors with these numbers or names, or of all others.
pub(super) fn named<'a>(codes: impl IntoIterator<Item = Arc<str>>, is: bool) -> Kind<'a> {
    Kind::Coded(Rc::new(codes.into_iter().collect()), Truth::coded(is))
}

/// True of a setting that says no.
pub(in crate::facts) fn is_off(word: &str) -> bool {
    matches!(&*word.to_lowercase(), "" | "0" | "false" | "off" | "no")
}

/// The operator of the same comparison with its sides changed over.
fn turned(op: Operator) -> Operator {
    match op {
        Operator::Less => Operator::More,
        Operator::AtMost => Operator::AtLeast,
        Operator::More => Operator::Less,
        Operator::AtLeast => Operator::AtMost,
        other => other,
    }
}

/// `a && b`, `a || b`: what is known of either holds of both only as far as the operator says.
fn joined<'a>(op: Operator, left: Val<'a>, right: Val<'a>) -> Val<'a> {
    let decides = op == Operator::Or;
    let kind = match (&left.kind, &right.kind) {
        (Kind::Bool(is), _) if *is == decides => Kind::Bool(decides),
        (Kind::Bool(_), other) => other.clone(),
        (other, Kind::Bool(is)) if *is != decides => other.clone(),
        // Where `a && b` holds, `a` holds; where `a || b` does not hold, `a` does not.
        (Kind::Flag(set), _) | (_, Kind::Flag(set)) if *set != decides => Kind::Flag(*set),
        (Kind::Hit(step, hit), _) | (_, Kind::Hit(step, hit)) if *hit != decides => {
            Kind::Hit(*step, *hit)
        }
        _ if errors::joined(decides, &left, &right).is_some() => {
            errors::joined(decides, &left, &right).unwrap_or_default()
        }
        // `err != nil || n == 0`: nothing was won.
        (Kind::Failed(true), Kind::Hit(step, false))
        | (Kind::Hit(step, false), Kind::Failed(true)) => Kind::Hit(*step, false),
        // A further question about the same error, which is not known.
        (Kind::Failed(failed), _) if same_steps(&left, &right) => vague(*failed, decides),
        (_, Kind::Failed(failed)) if same_steps(&left, &right) => vague(*failed, decides),
        (Kind::Failed(failed), _) | (_, Kind::Failed(failed)) => Kind::Failed(*failed),
        _ => Kind::Unknown,
    };
    Val::of(kind).taking(&left).taking(&right)
}

/// `v == nil`, where that tells whether a statement changed a row.
fn told_by_nil<'a>(val: &Val<'a>, equal: bool) -> Kind<'a> {
    match val.nil_tells {
        Some((step, hit)) => Kind::Hit(step, hit == equal),
        None => Kind::Unknown,
    }
}

/// True of two values that are about the same steps.
fn same_steps(left: &Val<'_>, right: &Val<'_>) -> bool {
    left.about.iter().any(|steps| right.about.contains(steps))
}

/// `err != nil && …`: of some errors, and nobody knows which.
fn vague<'a>(failed: bool, any: bool) -> Kind<'a> {
    let truth = match (failed, any) {
        (true, false) => Truth::coded(true),
        (false, true) => Truth::coded(false),
        _ => return Kind::Failed(failed),
    };
    Kind::Coded(Rc::new([Arc::from(UNKNOWN_CODE)].into()), truth)
}

/// `!a`.
pub(super) fn negated(val: Val<'_>) -> Val<'_> {
    let kind = match &val.kind {
        Kind::Bool(is) => Kind::Bool(!is),
        Kind::Flag(set) => Kind::Flag(!set),
        Kind::Hit(step, hit) => Kind::Hit(*step, !hit),
        Kind::Failed(failed) => Kind::Failed(!failed),
        Kind::Coded(codes, truth) => errors::negated(codes, *truth),
        _ => Kind::Unknown,
    };
    let bound = val.bound.clone().map(|(bound, above)| (bound, !above));
    Val { kind, bound, ..val }
}
