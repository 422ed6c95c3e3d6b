//! A look at a table: what it asks for, and what code that follows does where a row was there.

use crate::model::schema::Dialect;
use crate::model::source::{Call, Expr, ExprKind, Language, Operator, Pattern, Stmt, StmtKind};
use crate::sql::query::{Comparison, Term, query};

/// A statement that looks at a table, and the names it binds.
pub(super) struct Look<'a> {
    /// The call that looks.
    pub(super) call: &'a Call,
    names: Vec<&'a str>,
    /// True if the last of the names is an error: it is nothing where a row was there.
    ends_in_error: bool,
}

impl<'a> Look<'a> {
    /// The look that a statement makes by a call.
    pub(super) fn of(stmt: &'a Stmt, call: &'a Call, language: Language, is_error: bool) -> Self {
        let names = match &stmt.kind {
            StmtKind::Let { patterns, .. } => patterns
                .iter()
                .flat_map(Pattern::names)
                .map(|name| &**name)
                .collect(),
            StmtKind::Assign { targets, .. } => targets
                .iter()
                .filter_map(|target| match &target.kind {
                    ExprKind::Name(name) => Some(&**name),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        };
        let ends_in_error = language == Language::Go && (names.len() > 1 || is_error);
        Self {
            call,
            names,
            ends_in_error,
        }
    }

    /// True of a statement that ends the function where the row was there.
    pub(super) fn is_taken_by(&self, stmt: &Stmt) -> bool {
        let ends =
            |stmts: &[Stmt]| matches!(stmts.last().map(|it| &it.kind), Some(StmtKind::Return(_)));
        match &stmt.kind {
            StmtKind::If {
                condition,
                then,
                otherwise,
            } => match self.holds(condition) {
                Some(true) => ends(&then.stmts),
                Some(false) => ends(&otherwise.stmts),
                None => false,
            },
            StmtKind::Match { of: Some(of), arms } => {
                let mut arms = arms.iter();
                self.is_name(of) && arms.any(|arm| ends(&arm.body.stmts))
            }
            _ => false,
        }
    }

    /// Whether a condition holds where the row was there; none if that is not known.
    fn holds(&self, condition: &Expr) -> Option<bool> {
        match &condition.kind {
            ExprKind::Not(of) => self.holds(of).map(|holds| !holds),
            ExprKind::Name(_) if self.is_name(condition) && !self.is_error(condition) => Some(true),
            ExprKind::Binary { op, left, right } => match op {
                Operator::And => both(self.holds(left), self.holds(right), false),
                Operator::Or => both(self.holds(left), self.holds(right), true),
                Operator::Equal => self.equals(left, right),
                Operator::NotEqual => self.equals(left, right).map(|equal| !equal),
                _ => None,
            },
            // A question about the error: there is none.
            ExprKind::Call(call) => {
                let mut args = call.args.iter();
                args.any(|arg| self.is_error(arg)).then_some(false)
            }
            _ => None,
        }
    }

    fn equals(&self, left: &Expr, right: &Expr) -> Option<bool> {
        let (name, with) = match self.is_name(left) {
            true => (left, right),
            false => (right, left),
        };
        if !self.is_name(name) {
            return None;
        }
        match (&with.kind, self.is_error(name)) {
            (ExprKind::Nil, is_error) => Some(is_error),
            (_, true) => Some(false),
            (ExprKind::Text(text), false) if text.is_empty() => Some(false),
            _ => None,
        }
    }

    fn is_name(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Name(name) if self.names.contains(&&**name))
    }

    fn is_error(&self, expr: &Expr) -> bool {
        let last = self.names.last().filter(|_| self.ends_in_error);
        last.is_some_and(|last| matches!(&expr.kind, ExprKind::Name(name) if **name == **last))
    }

    /// True of two looks for the same thing.
    pub(super) fn is_like(&self, other: &Call) -> bool {
        let asks = |call: &Call| -> Option<Vec<String>> {
            let callee = written(&call.callee)?;
            let args = call.args.iter().map(written);
            std::iter::once(Some(callee)).chain(args).collect()
        };
        asks(self.call).is_some_and(|asked| asks(other) == Some(asked))
    }
}

/// Both of two answers, or either of them where `decides` is true.
fn both(left: Option<bool>, right: Option<bool>, decides: bool) -> Option<bool> {
    match (left, right) {
        (Some(one), _) | (_, Some(one)) if one == decides => Some(decides),
        (Some(_), Some(_)) => Some(!decides),
        _ => None,
    }
}

/// A plain name or path, as written; a part of a list is none, since it may leave columns out.
fn written(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name.to_string()),
        ExprKind::Field { of, name, .. } => Some(format!("{}.{name}", written(of)?)),
        ExprKind::Text(text) | ExprKind::Number(text) => Some(format!("`{text}`")),
        _ => None,
    }
}

/// True of a query of one table that looks by values alone: a condition of its own, such as a mark of deleted
/// rows, leaves out rows that the key holds. So does passing over what is locked. What is not read to its end
/// is none.
pub(super) fn looks_by_values(sql: &str, is_hole: impl Fn(&str) -> bool) -> bool {
    let dialects = [Dialect::Postgres, Dialect::Mysql];
    let mut read = dialects.into_iter().filter_map(|it| query(sql, it));
    read.next().is_some_and(|query| {
        let by_values = query
            .only_if
            .as_ref()
            .is_some_and(|it| is_by_values(it, &is_hole));
        query.tables.len() == 1 && query.locks != Some(true) && by_values
    })
}

fn is_by_values(condition: &Term, is_hole: &impl Fn(&str) -> bool) -> bool {
    // What the code puts into the text: conditions made of the key, or a value.
    let is_put_in = |term: &Term| matches!(term, Term::Column(None, name) if is_hole(name));
    let is_value = |term: &Term| matches!(term, Term::Placeholder(_)) || is_put_in(term);
    let mut open = vec![condition];
    while let Some(term) = open.pop() {
        match term {
            Term::And(left, right) => open.extend([&**left, &**right]),
            Term::Compare(Comparison::Equal, left, right) => match (&**left, &**right) {
                (Term::Column(..), value) | (value, Term::Column(..)) if is_value(value) => {}
                _ => return false,
            },
            term if is_put_in(term) => {}
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_by_values_has_no_condition_of_its_own() {
        let is_hole = |text: &str| text == "hole_of_x";
        for good in [
            "SELECT id FROM t WHERE a = ? AND b = ?",
            "SELECT id FROM t\n\tWHERE a = ?\n\tAND b = ?",
            "SELECT id FROM t WHERE hole_of_x",
            "SELECT id FROM t WHERE a = $1 FOR UPDATE",
            "SELECT id FROM t WHERE a = hole_of_x LIMIT 1",
        ] {
            assert!(looks_by_values(good, is_hole), "{good}");
        }
        for bad in [
            "SELECT id FROM t",
            "SELECT id FROM t WHERE hole_of_x AND deleted = 0",
            "SELECT id FROM t WHERE a = ?\nAND deleted = 0",
            "SELECT id FROM t WHERE a = ?\nAND deleted IS NULL",
            "SELECT id FROM t WHERE a = ? OR b = ?",
            "SELECT id FROM t WHERE a > ?",
            "SELECT id FROM t WHERE NOT a = ?",
            "SELECT id FROM t WHERE a = ? FOR UPDATE SKIP LOCKED",
            "SELECT t.id FROM t JOIN u ON u.id = t.id WHERE t.a = ?",
        ] {
            assert!(!looks_by_values(bad, is_hole), "{bad}");
        }
    }
}
