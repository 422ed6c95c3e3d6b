//! SQL text of every dialect: one tolerant lexer, statements, the DDL reader, predicates, defaults.

pub mod cursor;
pub mod ddl;
pub mod implied;
pub mod lexer;
pub mod literal;
pub mod nullness;
pub mod predicate;
mod scan;
pub mod script;
pub mod volatility;
