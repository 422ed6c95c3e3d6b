//! Predicates of partial indexes, as parsed.

use std::sync::Arc;

/// The predicate of a partial index.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicate {
    /// As the engine prints it or the text writes it.
    pub text: Arc<str>,
    /// As parsed.
    pub tree: PredicateTree,
}

/// A predicate over the columns of one row.
#[derive(Debug, Clone, PartialEq)]
pub enum PredicateTree {
    /// All hold.
    And(Vec<PredicateTree>),
    /// At least one holds.
    Or(Vec<PredicateTree>),
    /// It does not hold.
    Not(Box<PredicateTree>),
    /// Column compared with a literal.
    Compare {
        /// Column name.
        column: Arc<str>,
        /// The comparison.
        operator: Comparison,
        /// The literal.
        literal: SqlLiteral,
    },
    /// Column in a list of literals.
    In {
        /// Column name.
        column: Arc<str>,
        /// The list.
        literals: Vec<SqlLiteral>,
    },
    /// Column IS NULL.
    IsNull(Arc<str>),
    /// Column IS NOT NULL.
    IsNotNull(Arc<str>),
    /// A column used as a truth value.
    Truth(Arc<str>),
    /// Not understood; the text.
    Opaque(Arc<str>),
}

/// Comparison operators of predicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// A literal in SQL.
#[derive(Debug, Clone, PartialEq)]
pub enum SqlLiteral {
    /// NULL.
    Null,
    /// TRUE or FALSE.
    Bool(bool),
    /// A number as written.
    Number(Arc<str>),
    /// A string, unescaped.
    String(Arc<str>),
}
