//! What a condition, or a pattern, says once it is known to hold or not to hold.

use crate::model::source::{Expr, ExprKind, Operator, Pattern};

use super::super::frame::Frame;
use super::Flow;
use super::counts::{counted, mirrored, number};
use super::state::{Holds, Set, State, Val, both, either};

/// What is known once a test is decided.
#[derive(Debug, Clone)]
pub(super) struct Test {
    /// Guards passed if it holds.
    pub(super) yes: Holds,
    /// Guards passed if not.
    pub(super) no: Holds,
    /// Effects of whose error it tells, and the outcome that means that there is one.
    pub(super) error_of: Option<(Set, bool)>,
}

impl Default for Test {
    fn default() -> Self {
        Self {
            yes: Some(Set::new()),
            no: Some(Set::new()),
            error_of: None,
        }
    }
}

impl Test {
    fn not(self) -> Self {
        Self {
            yes: self.no,
            no: self.yes,
            error_of: self.error_of.map(|(of, truth)| (of, !truth)),
        }
    }

    /// It is always so.
    fn always() -> Self {
        Self {
            no: None,
            ..Self::default()
        }
    }
}

/// What a literal means as a truth, where it means one.
fn truth(expr: &Expr) -> Option<bool> {
    match &expr.kind {
        ExprKind::Nil => Some(false),
        ExprKind::Bool(truth) => Some(*truth),
        ExprKind::Number(number) => Some(&**number != "0"),
        ExprKind::Text(text) => text.is_empty().then_some(false),
        _ => None,
    }
}

impl<'a> Flow<'a, '_> {
    /// Runs a condition.
    pub(super) fn test(
        &mut self,
        expr: &'a Expr,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Test {
        match &expr.kind {
            ExprKind::Not(inner) => self.test(inner, frame, state).not(),
            ExprKind::Binary { op, left, right } => match op {
                Operator::And => {
                    let first = self.test(left, frame, state);
                    let mut inner = state.clone();
                    inner.pass(&first.yes);
                    let second = self.test(right, frame, &mut inner);
                    let no = either(&first.no, &both(&first.yes, &second.no));
                    Test {
                        yes: both(&first.yes, &second.yes),
                        no,
                        error_of: None,
                    }
                }
                Operator::Or => {
                    let first = self.test(left, frame, state);
                    let second = self.test(right, frame, state);
                    Test {
                        yes: either(&first.yes, &second.yes),
                        no: both(&first.no, &second.no),
                        error_of: None,
                    }
                }
                Operator::Equal | Operator::NotEqual => {
                    let test = self.equal(left, right, frame, state);
                    match op {
                        Operator::Equal => test,
                        _ => test.not(),
                    }
                }
                Operator::Less | Operator::AtMost | Operator::More | Operator::AtLeast => {
                    self.ordered(*op, left, right, frame, state)
                }
                _ => {
                    self.eval(left, frame, state);
                    self.eval(right, frame, state);
                    Test::default()
                }
            },
            _ => {
                let val = self.eval(expr, frame, state);
                self.truthy(&val)
            }
        }
    }

    fn truthy(&self, val: &Val) -> Test {
        Test {
            yes: val.yes.clone(),
            no: val.no.clone(),
            error_of: (val.is_error && !val.errors.is_empty()).then(|| (val.errors.clone(), true)),
        }
    }

    /// `left == right`.
    fn equal(
        &mut self,
        left: &'a Expr,
        right: &'a Expr,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Test {
        let marked = self.is_mark(left, frame) || self.is_mark(right, frame);
        let (of, with) = match (truth(left), truth(right)) {
            (_, Some(truth)) if !marked => (left, truth),
            (Some(truth), None) if !marked => (right, truth),
            _ => return self.unlike(left, right, frame, state),
        };
        let val = self.eval(of, frame, state);
        if let (true, Some(number)) = (val.is_count, number(left).or(number(right))) {
            return counted(&val, Operator::Equal, number);
        }
        let test = self.truthy(&val);
        match with {
            true => test,
            false => test.not(),
        }
    }

    /// `left < right` and its like.
    fn ordered(
        &mut self,
        op: Operator,
        left: &'a Expr,
        right: &'a Expr,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Test {
        let (of, op, with, number) = match (number(left), number(right)) {
            (None, Some(number)) => (left, op, right, number),
            (Some(number), None) => (right, mirrored(op), left, number),
            _ => return self.unlike(left, right, frame, state),
        };
        let val = self.eval(of, frame, state);
        if val.is_count {
            return counted(&val, op, number);
        }
        // `n > 0`, `n >= 1`; `n < 1`, `n <= 0`: whether there are any.
        match (op, number) {
            (Operator::More, 0) | (Operator::AtLeast, 1) => self.truthy(&val),
            (Operator::Less, 1) | (Operator::AtMost, 0) => self.truthy(&val).not(),
            _ => self.beside(&val, with, frame),
        }
    }

    /// A comparison with something of which only the name is known.
    fn unlike(
        &mut self,
        left: &'a Expr,
        right: &'a Expr,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Test {
        let mut val = self.eval(left, frame, state);
        let other = self.eval(right, frame, state);
        let mut with = right;
        if val.says_nothing() || matches!(left.kind, ExprKind::Text(_) | ExprKind::Number(_)) {
            val = other;
            with = left;
        }
        if self.is_mark(left, frame) || self.is_mark(right, frame) {
            self.map_violation(&val);
            return Test::default();
        }
        if val.is_error {
            return Test {
                yes: val.yes,
                ..Test::default()
            };
        }
        self.beside(&val, with, frame)
    }

    /// `status == "paid"`: what was read decides, one way or the other.
    fn beside(&mut self, val: &Val, with: &'a Expr, frame: &Frame<'a, '_>) -> Test {
        let (equal, differ) = self.compared(val, with, frame);
        Test {
            yes: Some(equal),
            no: Some(differ),
            error_of: None,
        }
    }

    /// Binds the names of a pattern; tells what is known if it fits, and if it does not.
    pub(super) fn fits(
        &mut self,
        pattern: &'a Pattern,
        val: &Val,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Test {
        match pattern {
            Pattern::Ignore => Test::always(),
            Pattern::Type(_) => Test::default(),
            Pattern::Name(name, of) => {
                if let Some(id) = frame.id {
                    state.set((id, name), val.clone());
                }
                match of {
                    Some(_) => Test::default(),
                    None => Test::always(),
                }
            }
            Pattern::Value(value) => match truth(value) {
                Some(true) => self.truthy(val),
                Some(false) => self.truthy(val).not(),
                None => {
                    if self.is_mark(value, frame) {
                        self.map_violation(val);
                        return Test::default();
                    }
                    let (equal, differ) = self.compared(val, value, frame);
                    Test {
                        yes: match val.is_error {
                            true => val.yes.clone(),
                            false => Some(equal),
                        },
                        no: Some(if val.is_error { Set::new() } else { differ }),
                        error_of: None,
                    }
                }
            },
            Pattern::Parts { of, parts } => {
                let inner = |val: &Val, flow: &mut Self, state: &mut State<'a>| {
                    let mut all = Test::always();
                    for (at, (_, part)) in parts.iter().enumerate() {
                        // `(id, state)` of a row.
                        let test = match of.is_empty() {
                            true => {
                                let val = flow.item_of_row(val, at);
                                flow.fits(part, &val, frame, state)
                            }
                            false => flow.fits(part, val, frame, state),
                        };
                        all = Test {
                            yes: both(&all.yes, &test.yes),
                            no: either(&all.no, &test.no),
                            error_of: None,
                        };
                    }
                    all
                };
                match &**of {
                    "Ok" => {
                        let test = inner(&val.inside(), self, state);
                        Test {
                            yes: both(&val.went, &test.yes),
                            no: either(&val.failed, &test.no),
                            error_of: None,
                        }
                    }
                    "Err" => {
                        inner(&val.error(), self, state);
                        Test {
                            yes: val.failed.clone(),
                            no: val.went.clone(),
                            error_of: (!val.errors.is_empty()).then(|| (val.errors.clone(), true)),
                        }
                    }
                    "Some" => {
                        let test = inner(val, self, state);
                        Test {
                            yes: both(&val.yes, &test.yes),
                            no: either(&val.no, &test.no),
                            error_of: None,
                        }
                    }
                    _ => {
                        inner(val, self, state);
                        Test::default()
                    }
                }
            }
        }
    }

    /// The same for a value that is written out: of a tuple each part is looked at by itself.
    pub(super) fn fits_value(
        &mut self,
        of: &'a Expr,
        pattern: &'a Pattern,
        val: &Val,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Test {
        let (ExprKind::Make { fields, .. }, Pattern::Parts { of: kind, parts }) =
            (&of.kind, pattern)
        else {
            return self.fits(pattern, val, frame, state);
        };
        if !kind.is_empty() || fields.len() != parts.len() {
            return self.fits(pattern, val, frame, state);
        }
        let mut all = Test::always();
        for (field, (_, part)) in fields.iter().zip(parts) {
            let val = self.eval(&field.value, frame, state);
            let test = self.fits(part, &val, frame, state);
            all = Test {
                yes: both(&all.yes, &test.yes),
                no: either(&all.no, &test.no),
                error_of: None,
            };
        }
        all
    }

    /// Where a condition is decided, the variable that it asks is no longer open.
    pub(super) fn narrow(
        &self,
        condition: &'a Expr,
        truth_is: bool,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) {
        let (of, holds) = match &condition.kind {
            ExprKind::Not(inner) => return self.narrow(inner, !truth_is, frame, state),
            ExprKind::Binary { op, left, right } => match (op, truth_is) {
                (Operator::And, true) | (Operator::Or, false) => {
                    self.narrow(left, truth_is, frame, state);
                    return self.narrow(right, truth_is, frame, state);
                }
                (Operator::Equal | Operator::NotEqual, _) => {
                    let (of, with) = match (truth(left), truth(right)) {
                        (None, Some(with)) => (left, with),
                        (Some(with), None) => (right, with),
                        _ => return,
                    };
                    let is_equal = (*op == Operator::Equal) == truth_is;
                    match (with, is_equal) {
                        (true, false) => return,
                        (with, is_equal) => (&**of, with == is_equal),
                    }
                }
                _ => return,
            },
            ExprKind::Name(_) => (condition, truth_is),
            _ => return,
        };
        let (ExprKind::Name(name), Some(id)) = (&of.kind, frame.id) else {
            return;
        };
        let mut val = state.var((id, name));
        match holds {
            true => val.no = None,
            false => val.yes = None,
        }
        state.set((id, name), val);
    }
}
