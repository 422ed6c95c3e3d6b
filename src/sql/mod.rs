//! SQL text of every dialect: one tolerant lexer, statements, the DDL reader, predicates, defaults.

pub mod cursor;
pub mod lexer;
pub mod literal;
mod scan;
pub mod script;
