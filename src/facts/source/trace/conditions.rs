//! What an expression gives, as far as it decides what workers do.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::model::source::{Expr, ExprKind, Operator};

use super::super::frame::Frame;
use super::super::walk::{self, Part};
use super::statements::Walk;
use super::value::{Env, Kind, Val};

impl<'a> Walk<'a, '_> {
    /// The value of an expression; of a call, its first result.
    pub(super) fn eval(
        &mut self,
        expr: &'a Expr,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Val<'a> {
        match &expr.kind {
            ExprKind::Text(text) | ExprKind::Number(text) => Val::of(Kind::Text(Arc::clone(text))),
            ExprKind::Bool(is) => Val::of(Kind::Bool(*is)),
            ExprKind::Nil => Val::of(Kind::Nil),
            ExprKind::Name(name) => match env.get(name) {
                Some(val) => val.clone(),
                None => self.constant(expr, frame),
            },
            ExprKind::Field { of, name, .. } => self.field(expr, of, name, frame, env),
            ExprKind::Index { of, by } => {
                let of = self.eval(of, frame, env);
                let by = self.eval(by, frame, env);
                // `os.environ["FLAG"]`.
                let is_flag =
                    by.text().is_some() && by.text().map(|text| &**text) == self.wanted.flag;
                let kind = if is_flag {
                    Kind::FlagText
                } else {
                    Kind::Unknown
                };
                Val::of(kind).taking(&of)
            }
            ExprKind::Call(_) => {
                let mut results = self.results(expr, frame, env);
                match results.is_empty() {
                    true => Val::default(),
                    false => results.swap_remove(0),
                }
            }
            ExprKind::Closure(closure) => match frame.id {
                Some(id) => Val::of(Kind::Closure(closure, env.clone(), id)),
                None => Val::default(),
            },
            ExprKind::Make { fields, .. } => {
                let mut parts = BTreeMap::new();
                for (at, field) in fields.iter().enumerate() {
                    let val = self.eval(&field.value, frame, env);
                    let key = field.key.as_ref().and_then(|key| match &key.kind {
                        ExprKind::Text(text) => Some(Arc::clone(text)),
                        _ => None,
                    });
                    let name = field.name.clone().or(key);
                    parts.insert(name.unwrap_or_else(|| at.to_string().into()), val);
                }
                Val::of(Kind::Made(Rc::new(parts)))
            }
            ExprKind::Binary { op, left, right } => {
                let left = self.eval(left, frame, env);
                // The right side of `a && f()` runs where `a` holds; it is gone through as it stands.
                let right = self.eval(right, frame, env);
                compared(*op, left, right)
            }
            ExprKind::Not(of) => negated(self.eval(of, frame, env)),
            ExprKind::Cast { value, .. } => self.eval(value, frame, env),
            ExprKind::Block(block) => self.block_value(block, frame, env),
            ExprKind::Type(_) => Val::default(),
            ExprKind::Other(_) => {
                let mut all = Val::default();
                let mut open = Vec::new();
                walk::parts(expr, &mut |part| open.push(part));
                for part in open {
                    if let Part::Expr(inner) = part {
                        let val = self.eval(inner, frame, env);
                        all = all.taking(&val);
                    }
                }
                all
            }
        }
    }

    /// A constant of a package, or a text that the function around it builds.
    fn constant(&mut self, expr: &'a Expr, frame: &Frame<'a, '_>) -> Val<'a> {
        self.analysis.refuel();
        let texts = self.analysis.texts(expr, frame);
        if let ([text], true) = (&texts.constants()[..], texts.complete)
            && texts.options.len() == 1
        {
            return Val::of(Kind::Text((*text).into()));
        }
        let mut val = Val::default();
        // An error that has a name: `errors.Is(err, ErrLost)`.
        if let ExprKind::Name(name) | ExprKind::Field { name, .. } = &expr.kind
            && name.starts_with(char::is_uppercase)
        {
            val.codes.insert(Arc::clone(name));
        }
        val
    }

    fn field(
        &mut self,
        expr: &'a Expr,
        of: &'a Expr,
        name: &Arc<str>,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Val<'a> {
        if self.analysis.package_of(of, frame).is_some() {
            return self.constant(expr, frame);
        }
        let holder = self.eval(of, frame, env);
        if let Kind::Made(parts) = &holder.kind
            && let Some(part) = parts.get(name)
        {
            return part.clone();
        }
        let mut val = Val::default().taking(&holder);
        val.carries.clear();
        if let Kind::Result(at) = holder.kind
            && self.holds_count(name, frame)
        {
            val.kind = Kind::Count(at);
            return val;
        }
        if self.map.flag_fields.contains(name) {
            val.kind = Kind::Flag(true);
            return val;
        }
        self.analysis.refuel();
        let ty = self.analysis.type_of(expr, frame);
        let names = ty.map_or_else(Vec::new, |ty| self.analysis.names_of(&ty));
        if self.analysis.begins(&names) {
            val.kind = Kind::Pool;
        }
        val
    }
}

/// The value of `left op right`.
fn compared<'a>(op: Operator, left: Val<'a>, right: Val<'a>) -> Val<'a> {
    let equal = match op {
        Operator::Equal => true,
        Operator::NotEqual => false,
        Operator::And | Operator::Or => return joined(op, left, right),
        Operator::Subtract if difference(&left, &right).is_some() => {
            let number = difference(&left, &right).unwrap_or_default();
            return Val::of(Kind::Text(number.to_string().into()));
        }
        Operator::Add => {
            let kind = match (&left.kind, &right.kind) {
                (Kind::Text(one), Kind::Text(two)) => Kind::Text(format!("{one}{two}").into()),
                (_, Kind::Text(one)) if &**one == "1" => Kind::Raised,
                (Kind::Now | Kind::OfClock, _) => Kind::OfClock,
                _ => Kind::Unknown,
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
            let clock = [&left, &right]
                .iter()
                .any(|side| matches!(side.kind, Kind::Now | Kind::OfClock));
            let kind = if clock { Kind::OfClock } else { Kind::Unknown };
            return Val::of(kind).taking(&left).taking(&right);
        }
    };
    let mut both = Val::default().taking(&left).taking(&right);
    both.kind = match (&left.kind, &right.kind) {
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
            Kind::Unknown
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
pub(super) fn holds(op: Operator, count: i64, number: &str) -> Option<bool> {
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

/// One known number without another.
fn difference(left: &Val<'_>, right: &Val<'_>) -> Option<i64> {
    let (left, right): (i64, i64) = (left.text()?.parse().ok()?, right.text()?.parse().ok()?);
    left.checked_sub(right)
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
        // `err != nil || n == 0`: nothing was won.
        (Kind::Failed(true), Kind::Hit(step, false))
        | (Kind::Hit(step, false), Kind::Failed(true)) => Kind::Hit(*step, false),
        (Kind::Failed(failed), _) | (_, Kind::Failed(failed)) => Kind::Failed(*failed),
        _ => Kind::Unknown,
    };
    Val::of(kind).taking(&left).taking(&right)
}

fn negated(val: Val<'_>) -> Val<'_> {
    let kind = match &val.kind {
        Kind::Bool(is) => Kind::Bool(!is),
        Kind::Flag(set) => Kind::Flag(!set),
        Kind::Hit(step, hit) => Kind::Hit(*step, !hit),
        Kind::Failed(failed) => Kind::Failed(!failed),
        _ => Kind::Unknown,
    };
    let bound = val.bound.clone().map(|(bound, above)| (bound, !above));
    Val { kind, bound, ..val }
}
