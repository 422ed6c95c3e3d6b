//! Which rows an effect touches, and when a statement touches them only once.

use std::sync::Arc;

use super::evidence::Reason;
use super::value::{Literal, Value};

/// Which rows an effect touches.
#[derive(Debug, Clone)]
pub enum RowChoice {
    /// A new one.
    New,
    /// The row the event is about.
    OwnRecord,
    /// The record being saved, in memory.
    BeingSaved,
    /// The one named by this value.
    Named(Box<Value>),
    /// Those found by a search of live rows.
    Search(Box<Value>),
    /// Those whose columns equal given values; the schema tells whether that is one row.
    Where {
        /// The columns.
        columns: Vec<Arc<str>>,
        /// What they are compared with.
        value: Box<Value>,
        /// The comparison that the statement itself makes false.
        consumes: Option<Box<Consumed>>,
    },
    /// Not known.
    Unknown(Box<Reason>),
    /// No row: it leaves the database.
    None,
}

/// A column that must equal a constant, and that the same statement sets to another one: on the rows
/// that it changed the statement finds nothing a second time.
#[derive(Debug, Clone, PartialEq)]
pub struct Consumed {
    /// The column.
    pub column: Arc<str>,
    /// What it must equal.
    pub wanted: Literal,
}

impl Consumed {
    /// True if a column with this value can be what is wanted. Collations take many texts for equal:
    /// only numbers, and plain words that differ in a letter or digit, are surely not.
    pub fn is_met_by(&self, constant: Option<&Literal>) -> bool {
        constant.is_none_or(|constant| !differ(&self.wanted, constant))
    }
}

fn differ(wanted: &Literal, other: &Literal) -> bool {
    let is_word = |text: &str| {
        !text.is_empty()
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
            // A text that is a number may equal one that is written otherwise.
            && text.parse::<f64>().is_err()
    };
    match (wanted, other) {
        (Literal::Null, _) => false,
        (_, Literal::Null) => true,
        (Literal::Bool(one), Literal::Bool(other)) => one != other,
        (Literal::Number(one), Literal::Number(other)) => {
            match (one.parse::<i64>(), other.parse::<i64>()) {
                (Ok(one), Ok(other)) => one != other,
                _ => false,
            }
        }
        (Literal::String(one), Literal::String(other)) => {
            is_word(one) && is_word(other) && !one.eq_ignore_ascii_case(other)
        }
        _ => false,
    }
}
