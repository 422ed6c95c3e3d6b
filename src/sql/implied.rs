//! Whether the values of a row put it under a partial index: three-valued logic over what is known
//! of each column.
//!
//! The types of the columns are not known here, so only what holds for every type is decided: a
//! number in a text column, two spellings that a collation may merge, give no answer.

use std::cmp::Ordering;

use crate::model::schema::{Comparison, PredicateTree, SqlLiteral};

use super::values::{decimal, equal, order};

/// What is known of one column of the row.
#[derive(Debug, Clone, PartialEq)]
pub enum RowValue {
    /// Its value.
    Literal(SqlLiteral),
    /// Some value that is not NULL.
    NotNull,
    /// NULL.
    Null,
    /// Nothing.
    Unknown,
}

/// Whether the predicate is true of the row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Implied {
    /// It is.
    Yes,
    /// It is not; the name of the column that decides.
    No(String),
    /// It cannot be decided; the column or the text that leaves it open.
    Unknown(String),
}

/// The truth values a predicate can still take; an empty set does not occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Can {
    be_true: bool,
    be_false: bool,
    be_null: bool,
}

const TRUE: Can = Can {
    be_true: true,
    be_false: false,
    be_null: false,
};
const FALSE: Can = Can {
    be_true: false,
    be_false: true,
    be_null: false,
};
const NULL: Can = Can {
    be_true: false,
    be_false: false,
    be_null: true,
};
const TRUE_OR_FALSE: Can = Can {
    be_true: true,
    be_false: true,
    be_null: false,
};
const ANYTHING: Can = Can {
    be_true: true,
    be_false: true,
    be_null: true,
};

/// Decides a predicate for a row; the index covers the row only where the answer is yes.
pub fn implied(tree: &PredicateTree, row: &dyn Fn(&str) -> RowValue) -> Implied {
    let can = eval(tree, row);
    if can == TRUE {
        return Implied::Yes;
    }
    let is_no = !can.be_true;
    let decides = culprit(tree, row, is_no, false).unwrap_or_else(|| "the predicate".to_owned());
    match is_no {
        true => Implied::No(decides),
        false => Implied::Unknown(decides),
    }
}

fn eval(tree: &PredicateTree, row: &dyn Fn(&str) -> RowValue) -> Can {
    match tree {
        PredicateTree::And(parts) => parts.iter().fold(TRUE, |all, part| {
            let can = eval(part, row);
            Can {
                be_true: all.be_true && can.be_true,
                be_false: all.be_false || can.be_false,
                be_null: (all.be_null && (can.be_true || can.be_null))
                    || (can.be_null && (all.be_true || all.be_null)),
            }
        }),
        PredicateTree::Or(parts) => parts.iter().fold(FALSE, |any, part| {
            let can = eval(part, row);
            Can {
                be_true: any.be_true || can.be_true,
                be_false: any.be_false && can.be_false,
                be_null: (any.be_null && (can.be_false || can.be_null))
                    || (can.be_null && (any.be_false || any.be_null)),
            }
        }),
        PredicateTree::Not(inner) => {
            let can = eval(inner, row);
            Can {
                be_true: can.be_false,
                be_false: can.be_true,
                be_null: can.be_null,
            }
        }
        PredicateTree::Compare {
            column,
            operator,
            literal,
        } => compare(&row(column), *operator, literal),
        PredicateTree::In { column, literals } => {
            let value = row(column);
            literals
                .iter()
                .fold(FALSE, |any, literal| {
                    let can = compare(&value, Comparison::Equal, literal);
                    Can {
                        be_true: any.be_true || can.be_true,
                        be_false: any.be_false && can.be_false,
                        be_null: any.be_null || can.be_null,
                    }
                })
                .settled()
        }
        PredicateTree::IsNull(column) => is_null(&row(column)),
        PredicateTree::IsNotNull(column) => {
            let can = is_null(&row(column));
            Can {
                be_true: can.be_false,
                be_false: can.be_true,
                be_null: false,
            }
        }
        PredicateTree::Truth(column) => truth(&row(column)),
        PredicateTree::Opaque(_) => ANYTHING,
    }
}

impl Can {
    /// A list with one sure match is true whatever else stands in it.
    fn settled(self) -> Self {
        if self.be_true && !self.be_false && !self.be_null {
            TRUE
        } else {
            self
        }
    }
}

fn is_null(value: &RowValue) -> Can {
    match value {
        RowValue::Null | RowValue::Literal(SqlLiteral::Null) => TRUE,
        RowValue::NotNull | RowValue::Literal(_) => FALSE,
        RowValue::Unknown => TRUE_OR_FALSE,
    }
}

fn truth(value: &RowValue) -> Can {
    match value {
        RowValue::Null | RowValue::Literal(SqlLiteral::Null) => NULL,
        RowValue::Literal(SqlLiteral::Bool(value)) => sure(*value),
        RowValue::Literal(SqlLiteral::Number(number)) => match decimal(number) {
            Some(number) => sure(number != 0.0),
            None => TRUE_OR_FALSE,
        },
        RowValue::Literal(SqlLiteral::String(_)) | RowValue::NotNull => TRUE_OR_FALSE,
        RowValue::Unknown => ANYTHING,
    }
}

fn sure(value: bool) -> Can {
    if value { TRUE } else { FALSE }
}

fn compare(value: &RowValue, operator: Comparison, literal: &SqlLiteral) -> Can {
    if *literal == SqlLiteral::Null {
        return NULL;
    }
    let value = match value {
        RowValue::Null | RowValue::Literal(SqlLiteral::Null) => return NULL,
        RowValue::NotNull => return TRUE_OR_FALSE,
        RowValue::Unknown => return ANYTHING,
        RowValue::Literal(value) => value,
    };
    let answer = match operator {
        Comparison::Equal => equal(value, literal),
        Comparison::NotEqual => equal(value, literal).map(|equal| !equal),
        Comparison::Less => order(value, literal).map(Ordering::is_lt),
        Comparison::LessOrEqual => order(value, literal).map(Ordering::is_le),
        Comparison::Greater => order(value, literal).map(Ordering::is_gt),
        Comparison::GreaterOrEqual => order(value, literal).map(Ordering::is_ge),
    };
    answer.map_or(TRUE_OR_FALSE, sure)
}

/// The first column, or text not understood, that keeps the predicate from being surely true.
fn culprit(
    tree: &PredicateTree,
    row: &dyn Fn(&str) -> RowValue,
    is_no: bool,
    negated: bool,
) -> Option<String> {
    match tree {
        PredicateTree::And(parts) | PredicateTree::Or(parts) => parts
            .iter()
            .find_map(|part| culprit(part, row, is_no, negated)),
        PredicateTree::Not(inner) => culprit(inner, row, is_no, !negated),
        PredicateTree::Opaque(text) => (!is_no).then(|| text.to_string()),
        PredicateTree::Compare { column, .. }
        | PredicateTree::In { column, .. }
        | PredicateTree::IsNull(column)
        | PredicateTree::IsNotNull(column)
        | PredicateTree::Truth(column) => {
            let can = eval(tree, row);
            let (good, bad) = match negated {
                true => (can.be_false, can.be_true),
                false => (can.be_true, can.be_false),
            };
            let decides = match is_no {
                true => !good,
                false => good && (bad || can.be_null),
            };
            decides.then(|| column.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::schema::Dialect;
    use crate::sql::predicate::parse;

    fn decide(predicate: &str, row: &[(&str, RowValue)]) -> Implied {
        let tree = parse(predicate, Dialect::Postgres, &|_| true);
        implied(&tree, &|name| {
            row.iter()
                .find(|(column, _)| *column == name)
                .map_or(RowValue::Unknown, |(_, value)| value.clone())
        })
    }

    fn text(value: &str) -> RowValue {
        RowValue::Literal(SqlLiteral::String(value.into()))
    }

    fn number(value: &str) -> RowValue {
        RowValue::Literal(SqlLiteral::Number(value.into()))
    }

    #[test]
    fn what_the_row_decides() {
        let row = [
            ("deleted_at", RowValue::Null),
            ("status", text("active")),
            ("kind", RowValue::NotNull),
            ("flag", number("1")),
        ];
        for (predicate, expected) in [
            ("deleted_at IS NULL", Implied::Yes),
            (
                "(deleted_at IS NULL) AND ((status)::text = 'active'::text)",
                Implied::Yes,
            ),
            (
                "status = ANY (ARRAY['active'::text, 'open'::text])",
                Implied::Yes,
            ),
            (
                "(status)::text = ANY ((ARRAY['active'::character varying, 'open'::character varying])::text[])",
                Implied::Yes,
            ),
            ("status = ANY ('{active,open}'::text[])", Implied::Yes),
            ("status <> ALL (ARRAY['done'::text])", Implied::Yes),
            ("status IN ('open', 'done')", Implied::No("status".into())),
            ("status NOT IN ('active')", Implied::No("status".into())),
            ("flag = true", Implied::Yes),
            ("flag", Implied::Yes),
            ("flag IS TRUE AND NOT flag IS FALSE", Implied::Yes),
            ("NOT flag", Implied::No("flag".into())),
            ("kind = 'x'", Implied::Unknown("kind".into())),
            ("kind IS NOT NULL", Implied::Yes),
            ("other IS NOT NULL", Implied::Unknown("other".into())),
            ("other = 1 OR status = 'active'", Implied::Yes),
            (
                "lower(status) = 'active'",
                Implied::Unknown("lower(status) = 'active'".into()),
            ),
            (
                "deleted_at > '2020-01-01'",
                Implied::No("deleted_at".into()),
            ),
            ("status = 'Active'", Implied::Unknown("status".into())),
            ("status IS DISTINCT FROM 'done'", Implied::Yes),
            ("1 <= flag", Implied::Yes),
            ("flag BETWEEN 0 AND 1 AND deleted_at IS NULL", Implied::Yes),
        ] {
            assert_eq!(decide(predicate, &row), expected, "{predicate}");
        }
    }
}
