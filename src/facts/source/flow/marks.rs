//! What a read was asked for, and which write makes the answer another one: a look under a lock tells
//! a further delivery apart only if what it looks for is set in the same transaction.

use std::sync::Arc;

use crate::model::schema::SqlLiteral;
use crate::model::source::Expr;
use crate::sql::statement::{DrawSource, Expression, Form};

use super::super::frame::Frame;
use super::Flow;
use super::made::Said;
use super::state::{Set, Val};
use super::statements::{Kind, Statement};

/// The answer that leaves the way to the effect open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// The read.
    pub(super) read: usize,
    /// The column, where it is known; none of whether there is a row at all.
    pub(super) column: Option<Arc<str>>,
    /// What it is compared with: a constant; none of a truth, or of what is not known.
    pub(super) with: Option<String>,
    /// What is known of the comparison.
    pub(super) how: How,
}

/// How a value is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum How {
    /// It is nothing, zero or false.
    #[default]
    Falsy,
    /// It equals the constant.
    Equal,
    /// It does not equal the constant.
    Unlike,
}

/// Two spellings of one name: `PaidAt`, `paid_at`.
fn is_same(column: &str, field: &str) -> bool {
    let letters = |name: &str| -> String {
        let kept = name.chars().filter(|letter| *letter != '_');
        kept.flat_map(char::to_lowercase).collect()
    };
    letters(column) == letters(field)
}

/// A column that is written, with its text where that is one and known.
type Written = (Arc<str>, Option<String>);

impl Said {
    fn text_of(&self, value: &Expression) -> Option<String> {
        match (&value.form, &value.draws[..]) {
            (Form::Literal(literal), _) => Some(match literal {
                SqlLiteral::Bool(truth) => truth.to_string(),
                SqlLiteral::Null => String::new(),
                SqlLiteral::Number(text) | SqlLiteral::String(text) => text.to_string(),
            }),
            (Form::Plain, [only]) => match &only.source {
                DrawSource::Placeholder(at) => self.params.get(at)?.constant.clone(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The columns that it writes.
    pub(super) fn written(&self) -> Option<Vec<Written>> {
        if let Some(change) = &self.change {
            let set = change.set.iter();
            return Some(
                set.map(|(column, value)| (Arc::clone(column), self.text_of(value)))
                    .collect(),
            );
        }
        let row = self.row.as_ref()?;
        let values = row.values.iter();
        values
            .map(|(column, value)| Some((column.clone()?, self.text_of(value))))
            .collect()
    }
}

impl Asked {
    /// True of a write that makes the answer another one, as far as is known.
    fn is_ended_by(&self, write: &Statement) -> bool {
        let Some(column) = &self.column else {
            // Whether there is a row: a row makes it.
            return matches!(write.kind, Kind::Claim | Kind::Insert)
                || write.said.is_none() && write.fields.is_none();
        };
        let fields = |fields: &std::collections::BTreeSet<Arc<str>>| -> Vec<Written> {
            fields
                .iter()
                .map(|field| (Arc::clone(field), None))
                .collect()
        };
        let said = write.said.as_ref().and_then(Said::written);
        let Some(written) = said.or_else(|| write.fields.as_ref().map(fields)) else {
            return true;
        };
        let mut of = written.iter().filter(|(name, _)| is_same(column, name));
        of.any(|(_, text)| match (self.how, text, &self.with) {
            (How::Falsy, Some(text), _) => !matches!(&**text, "" | "0" | "false"),
            (How::Equal, Some(text), Some(with)) => text != with,
            (How::Unlike, Some(text), Some(with)) => text == with,
            _ => true,
        })
    }
}

impl<'a> Flow<'a, '_> {
    /// True if one of the answers that were passed is ended by a write that is kept together with
    /// the effect.
    pub(super) fn is_marked(&self, read: usize, effect: usize, passed: &Set) -> bool {
        let Some(looked) = self.statements.get(read) else {
            return false;
        };
        let own = self.seen.get(effect).and_then(|seen| seen.own);
        let with = own.and_then(|own| self.statements.get(own)?.tx.as_ref());
        let writes = self
            .statements
            .iter()
            .enumerate()
            .filter(|(number, write)| {
                let is_write = matches!(
                    write.kind,
                    Kind::Claim | Kind::Insert | Kind::UpdateIf | Kind::Write
                );
                let tx = write.tx.iter().flatten().filter(|tx| {
                    looked.tx.as_ref().is_some_and(|of| of.contains(tx))
                        && with.is_none_or(|of| of.contains(tx))
                });
                let mut tx = tx.copied();
                is_write
                    && !looked.table.is_empty()
                    && looked.table.eq_ignore_ascii_case(&write.table)
                    && (own == Some(*number) || tx.any(|tx| self.ends.keeps(tx, effect, *number)))
            });
        let writes: Vec<&Statement> = writes.map(|(_, write)| write).collect();
        writes
            .iter()
            .any(|write| self.ends_answer(read, write, passed))
    }

    /// True if a write makes one of the answers of a read that were passed another one.
    pub(super) fn ends_answer(&self, read: usize, write: &Statement, passed: &Set) -> bool {
        let asked = passed
            .iter()
            .filter_map(|number| self.statements.get(*number));
        let mut asked = asked.filter_map(|statement| statement.asked.as_ref());
        asked.any(|asked| asked.read == read && asked.is_ended_by(write))
    }

    /// The number of an answer.
    fn asked(&mut self, asked: Asked, at: usize) -> Option<usize> {
        let place = self.statements.get(asked.read)?.place.clone();
        let kind = Kind::Asked(asked.read, at, asked.how == How::Equal);
        let number = self.number(kind, place, String::new());
        if let Some(statement) = self.statements.get_mut(number) {
            statement.asked = Some(asked);
        }
        Some(number)
    }

    /// A number for a place of the text, to tell answers apart.
    fn spot(&mut self, expr: &'a Expr, frame: &Frame<'a, '_>) -> usize {
        let place = frame.file.place(expr.at);
        let next = self.spots.len() + FIRST_SPOT;
        *self.spots.entry(place).or_insert(next)
    }

    /// The same value, of which it is known which column of its row it is.
    pub(super) fn column(&mut self, val: &Val, name: Option<Arc<str>>, at: usize) -> Val {
        let reads: Vec<usize> = val
            .of
            .iter()
            .copied()
            .filter(|of| self.is_read(*of))
            .collect();
        let mut out = val.clone();
        if reads.is_empty() || val.is_error {
            return out;
        }
        out.columns = name.iter().cloned().collect();
        let strip = |set: &mut Set, statements: &[Statement]| {
            set.retain(|one| {
                let asked = statements.get(*one).and_then(|it| it.asked.as_ref());
                asked.is_none_or(|asked| !reads.contains(&asked.read))
            });
        };
        let mut no = out.no.take().unwrap_or_default();
        strip(&mut no, &self.statements);
        for read in &reads {
            let asked = Asked {
                read: *read,
                column: name.clone(),
                ..Asked::default()
            };
            no.extend(self.asked(asked, at));
            no.insert(*read);
        }
        out.no = Some(no);
        out
    }

    /// The column of a field, or of a part of a row.
    pub(super) fn field_of_row(
        &mut self,
        val: &Val,
        name: &Arc<str>,
        expr: &'a Expr,
        frame: &Frame<'a, '_>,
    ) -> Val {
        let at = self.spot(expr, frame);
        self.column(val, Some(Arc::clone(name)), at)
    }

    /// The column that stands at a position of what a read gives.
    pub(super) fn item_of_row(&mut self, val: &Val, at: usize) -> Val {
        let mut found = None;
        for of in &val.of {
            let items = self.statements.get(*of).map(|read| &read.items);
            found = found.or_else(|| items.and_then(|items| items.get(at).cloned()));
        }
        match found {
            Some(name) => self.column(val, name, at + 1),
            None => val.clone(),
        }
    }

    /// The one column that a read gives, if it gives one.
    pub(super) fn only_item(&mut self, val: &Val) -> Val {
        let mut of = val.of.iter().filter_map(|of| self.statements.get(*of));
        match of.any(|read| read.items.len() == 1) {
            true => self.item_of_row(val, 0),
            false => val.clone(),
        }
    }

    /// What is passed where a row was not found.
    pub(super) fn no_row(&mut self, reads: &Set) -> Set {
        let mut passed = reads.clone();
        for read in reads {
            let asked = Asked {
                read: *read,
                ..Asked::default()
            };
            passed.extend(self.asked(asked, 0));
        }
        passed
    }

    /// What is passed where what was read equals something, and where it does not.
    pub(super) fn compared(
        &mut self,
        val: &Val,
        with: &'a Expr,
        frame: &Frame<'a, '_>,
    ) -> (Set, Set) {
        let reads: Set = val
            .of
            .iter()
            .copied()
            .filter(|of| self.is_read(*of))
            .collect();
        let (mut equal, mut unlike) = (reads.clone(), reads.clone());
        if reads.is_empty() {
            return (equal, unlike);
        }
        let constant = self.constant(with, frame);
        let at = self.spot(with, frame);
        let mut columns = val.columns.iter().cloned();
        let column = match (columns.next(), columns.next()) {
            (Some(one), None) => Some(one),
            // The whole row: any column may be meant.
            _ => None,
        };
        for read in reads {
            let asked = |how| Asked {
                read,
                column: column.clone(),
                with: constant.clone(),
                how,
            };
            equal.extend(self.asked(asked(How::Equal), at));
            unlike.extend(self.asked(asked(How::Unlike), at));
        }
        (equal, unlike)
    }
}

/// Numbers below it are those of the columns of a row.
const FIRST_SPOT: usize = 10_000;
