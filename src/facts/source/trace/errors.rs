//! Conditions on errors: for which of them they hold.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use super::value::{Kind, Val};

/// Numbers and names of errors.
pub(super) type Codes = Rc<BTreeSet<Arc<str>>>;

/// Stands for every number of the engine, where only the type of an error is asked for.
pub(in crate::facts) const ANY_CODE: &str = "*";

/// Stands for errors of which nobody knows which they are.
pub(in crate::facts) const UNKNOWN_CODE: &str = "?";

/// Of what a condition on an error holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::facts) struct Truth {
    /// Where there is no error.
    pub(in crate::facts) none: bool,
    /// Where it is one of those that are named.
    pub(in crate::facts) coded: bool,
    /// Where it is any other.
    pub(in crate::facts) other: bool,
}

impl Truth {
    /// `err != nil`, or the opposite.
    pub(in crate::facts) fn failed(is: bool) -> Self {
        Self {
            none: !is,
            coded: is,
            other: is,
        }
    }

    /// `errors.Is(err, …)`, or the opposite.
    pub(super) fn coded(is: bool) -> Self {
        Self {
            none: !is,
            coded: is,
            other: !is,
        }
    }

    /// The arm in which errors that are not named go, if those go the other way than no error.
    pub(in crate::facts) fn failing_arm(self) -> Option<bool> {
        (self.none != self.other).then_some(self.other)
    }

    /// True if an arm is taken only where there is an error.
    pub(in crate::facts) fn is_failing(self, arm: bool) -> bool {
        self.none != arm
    }

    fn zip(self, other: Self, how: impl Fn(bool, bool) -> bool) -> Self {
        Self {
            none: how(self.none, other.none),
            coded: how(self.coded, other.coded),
            other: how(self.other, other.other),
        }
    }

    fn negated(self) -> Self {
        self.zip(self, |is, _| !is)
    }
}

/// What a value says of an error.
pub(super) fn said(val: &Val<'_>) -> Option<(Codes, Truth)> {
    match &val.kind {
        Kind::Failed(is) => Some((Codes::default(), Truth::failed(*is))),
        Kind::Coded(codes, truth) => Some((Rc::clone(codes), *truth)),
        _ => None,
    }
}

/// A condition with a name for what it is.
pub(super) fn kind<'a>((codes, truth): (Codes, Truth)) -> Kind<'a> {
    match truth.coded == truth.other && truth.none != truth.other {
        true => Kind::Failed(truth.other),
        false => Kind::Coded(codes, truth),
    }
}

/// `!a`.
pub(super) fn negated<'a>(codes: &Codes, truth: Truth) -> Kind<'a> {
    Kind::Coded(Rc::clone(codes), truth.negated())
}

/// `a && b`, `a || b`, where both speak of an error.
pub(super) fn joined<'a>(any: bool, one: &Val<'a>, two: &Val<'a>) -> Option<Kind<'a>> {
    let (mine, its) = (said(one)?, said(two)?);
    let how = |one: bool, two: bool| if any { one || two } else { one && two };
    let narrow = |codes: &Codes| codes.contains(ANY_CODE);
    let both = match (mine.0.is_empty(), its.0.is_empty()) {
        (true, _) => (its.0, mine.1.zip(its.1, how)),
        (_, true) => (mine.0, mine.1.zip(its.1, how)),
        // The type of an error, and one of its numbers.
        _ if narrow(&mine.0) && !narrow(&its.0) => within(mine.1, its, how)?,
        _ if narrow(&its.0) && !narrow(&mine.0) => within(its.1, mine, how)?,
        _ if mine.0 == its.0 => (mine.0, mine.1.zip(its.1, how)),
        // `a || b`, `!a && !b`: one set of both.
        _ if mine.1 == its.1 && mine.1.none == mine.1.other && mine.1.coded == any => {
            let all = mine.0.union(&its.0).cloned().collect();
            (Rc::new(all), mine.1)
        }
        _ => return None,
    };
    Some(kind(both))
}

/// A question about numbers, asked of errors of one type only.
fn within(
    of_type: Truth,
    (codes, truth): (Codes, Truth),
    how: impl Fn(bool, bool) -> bool,
) -> Option<(Codes, Truth)> {
    let joined = Truth {
        none: how(of_type.none, truth.none),
        coded: how(of_type.coded, truth.coded),
        other: how(of_type.other, truth.other),
    };
    // Errors of the type that are not named must go where those of other types go.
    (how(of_type.coded, truth.other) == joined.other).then_some((codes, joined))
}

/// What two answers of a function come to: one where a condition on an error holds, or does not, and
/// another one elsewhere.
pub(super) fn either<'a>(one: &Kind<'a>, two: &Kind<'a>) -> Option<Kind<'a>> {
    match (one, two) {
        (Kind::ToldOf(codes, truth, arm, says), Kind::ToldOf(others, its, other, said))
            if codes == others && truth == its && arm != other && says != said =>
        {
            let truth = if arm == says { *truth } else { truth.negated() };
            Some(kind((Rc::clone(codes), truth)))
        }
        // `if … { return true }; return false`.
        (Kind::ToldOf(codes, asked, arm, says), Kind::Bool(is))
        | (Kind::Bool(is), Kind::ToldOf(codes, asked, arm, says))
            if says != is && asked.coded == *arm && asked.none != *arm && asked.other != *arm =>
        {
            Some(Kind::Coded(Rc::clone(codes), Truth::coded(*says)))
        }
        (Kind::ToldOf(_, asked, arm, says), rest) | (rest, Kind::ToldOf(_, asked, arm, says)) => {
            let (codes, told) = match (one, two) {
                (Kind::ToldOf(codes, ..), _) | (_, Kind::ToldOf(codes, ..)) => (codes, rest),
                _ => return None,
            };
            let Kind::Coded(named, truth) = told else {
                return None;
            };
            let all_coded = asked.coded == *arm && asked.none != *arm && asked.other != *arm;
            if all_coded && codes.contains(ANY_CODE) {
                return None;
            }
            if all_coded && *says == truth.coded && truth.coded != truth.other {
                let all = named.union(codes).cloned().collect();
                return Some(Kind::Coded(Rc::new(all), *truth));
            }
            // What is told of all but those that are named is what the rest tells of them.
            (*says == truth.other && *says == truth.none).then(|| told.clone())
        }
        (Kind::Coded(codes, truth), Kind::Bool(is))
        | (Kind::Bool(is), Kind::Coded(codes, truth))
            if *is == truth.other && *is == truth.none =>
        {
            Some(Kind::Coded(Rc::clone(codes), *truth))
        }
        (Kind::Coded(codes, truth), Kind::Coded(others, its))
            if codes == others && truth == its =>
        {
            Some(one.clone())
        }
        _ => None,
    }
}
