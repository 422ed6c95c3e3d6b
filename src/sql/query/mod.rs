//! Queries that look for rows, read as data and asked of rows: two queries mean the same where they
//! choose the same rows of every table, however they are written.

mod ask;
mod parse;
mod spans;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::sql::statement::Placeholder;

pub use ask::{Given, Row, Value, World, chosen, computed, holds};
pub use parse::{condition, query};

/// A part of a condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Term {
    /// A column, with the table or alias in front of it.
    Column(Option<Arc<str>>, Arc<str>),
    /// A text.
    Text(Arc<str>),
    /// A whole number.
    Number(i64),
    /// NULL.
    Null,
    /// TRUE or FALSE.
    Bool(bool),
    /// A value that the caller gives.
    Placeholder(Placeholder),
    /// A span of time: how many of a unit, and the unit in microseconds; none where the text holds it.
    Span(Box<Term>, Option<i64>),
    /// The database's clock.
    Clock,
    /// `(a, b)`.
    Row(Vec<Term>),
    /// `NOT a`.
    Not(Box<Term>),
    /// `a AND b`.
    And(Box<Term>, Box<Term>),
    /// `a OR b`.
    Or(Box<Term>, Box<Term>),
    /// A comparison: `=`, `<>`, `<`, `<=`, `>`, `>=`, `<=>`.
    Compare(Comparison, Box<Term>, Box<Term>),
    /// `a IS NULL`.
    IsNull(Box<Term>),
    /// `a IN (…)`.
    In(Box<Term>, Vec<Term>),
    /// `a IN (SELECT …)`.
    InQuery(Box<Term>, Box<Query>),
    /// `EXISTS (SELECT …)`.
    Exists(Box<Query>),
    /// `a + b`, `a - b` and the like, by the operator.
    Arithmetic(Arc<str>, Box<Term>, Box<Term>),
    /// `f(a, b)`.
    Call(Arc<str>, Vec<Term>),
}

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    Differ,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `<=>`, `IS NOT DISTINCT FROM`
    Same,
}

/// A query over tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    /// What it gives, as far as it is an expression; none for `*` and what is not read.
    pub gives: Vec<Option<Term>>,
    /// The tables, in order.
    pub tables: Vec<Source>,
    /// WHERE.
    pub only_if: Option<Term>,
    /// ORDER BY, with true for descending; a part that is not read is none.
    pub order: Vec<(Option<Term>, bool)>,
    /// True if a LIMIT bounds it.
    pub limited: bool,
    /// What it locks: `FOR UPDATE`, with true where rows that are locked are passed over.
    pub locks: Option<bool>,
}

/// A table of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The table.
    pub table: Arc<str>,
    /// What the query calls it.
    pub alias: Arc<str>,
    /// The condition of its join.
    pub on: Option<Term>,
    /// True if rows without a partner stay.
    pub left: bool,
}
