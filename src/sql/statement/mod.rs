//! Statements that write rows, read into plain data: what is inserted, updated or deleted, by which
//! values, and what happens when a key is taken.
//!
//! Nothing is guessed. What the reader does not know is [`NotUnderstood`], with its place.

mod ast;
mod condition;
mod conflict;
mod expression;
mod insert;
mod merge;
mod placeholder;
mod query;
mod update;
mod with;

#[cfg(test)]
mod tests;

use crate::model::schema::Dialect;

use super::cursor::{Cursor, Stop};
use super::lexer::{Lexer, TokenKind};

use expression::Scope;

pub use ast::{
    ArmAction, Assignment, Condition, ConflictArm, ConflictTarget, Delete, Draw, DrawSource,
    Expression, Form, Insert, InsertVerb, Lookup, Merge, MergeInsert, Name, Placeholder, Rows,
    Statement, TargetPart, Update,
};

/// Why a statement was not read, and where in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotUnderstood {
    /// Offset of what was not understood.
    pub start: u32,
    /// Offset just behind it.
    pub end: u32,
    /// What it is, in half a sentence.
    pub why: String,
}

impl NotUnderstood {
    fn at(stop: Stop, why: impl Into<String>) -> Self {
        Self {
            start: stop.start,
            end: stop.end,
            why: why.into(),
        }
    }
}

impl From<Stop> for NotUnderstood {
    fn from(stop: Stop) -> Self {
        Self::at(stop, "it is not understood here")
    }
}

/// Reads one statement; a `;` may end it.
///
/// # Errors
/// If it is not a single INSERT, REPLACE, UPDATE, DELETE or MERGE, or holds a clause that is not known.
pub fn parse(text: &str, dialect: Dialect) -> Result<Statement, NotUnderstood> {
    let mut lexer = Lexer::new(text, dialect);
    let mut tokens = Vec::new();
    let mut ended = false;
    loop {
        let token = lexer.advance();
        let stop = Stop {
            start: token.start,
            end: token.end,
        };
        match token.kind {
            TokenKind::End => break,
            TokenKind::Broken => {
                return Err(NotUnderstood::at(
                    stop,
                    "a string or comment is never closed",
                ));
            }
            TokenKind::Terminator => ended = true,
            _ if ended => return Err(NotUnderstood::at(stop, "a second statement follows")),
            _ => tokens.push(token),
        }
    }
    let tokens = placeholder::joined(text, &tokens);
    let mut cursor = Cursor::new(text, &tokens, dialect);
    let scope = Scope {
        counted: placeholder::counted(text, &tokens).into(),
        ..Scope::default()
    };
    let statement = statement(&mut cursor, &scope)?;
    match cursor.at_end() {
        true => Ok(statement),
        false => Err(cursor.stop().into()),
    }
}

fn statement(cursor: &mut Cursor<'_>, scope: &Scope) -> Result<Statement, NotUnderstood> {
    if cursor.is_any(&["INSERT", "REPLACE"]) {
        return insert::insert(cursor, scope).map(|insert| Statement::Insert(Box::new(insert)));
    }
    if cursor.eat("UPDATE") {
        return update::update(cursor, scope).map(|update| Statement::Update(Box::new(update)));
    }
    if cursor.eat("DELETE") {
        return update::delete(cursor, scope).map(|delete| Statement::Delete(Box::new(delete)));
    }
    if cursor.eat("MERGE") {
        return merge::merge(cursor, scope).map(|merge| Statement::Merge(Box::new(merge)));
    }
    if cursor.eat("WITH") {
        return with::with(cursor, scope);
    }
    let why = "only INSERT, REPLACE, UPDATE, DELETE and MERGE are read";
    Err(NotUnderstood::at(cursor.stop(), why))
}

/// Reads what may end every statement: `RETURNING …`; true if it stands there.
fn returning(cursor: &mut Cursor<'_>) -> bool {
    let found = cursor.eat("RETURNING");
    if found {
        cursor.finish();
    }
    found
}
