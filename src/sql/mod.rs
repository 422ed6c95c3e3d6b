//! SQL text of every dialect: one tolerant lexer, statements, the DDL reader, predicates, defaults.

mod body;
mod client;
pub mod columns;
pub mod constant;
pub mod cursor;
pub mod ddl;
pub mod effect;
pub mod expression;
pub mod implied;
pub mod lexer;
pub mod literal;
mod mode;
pub mod nullness;
mod operand;
pub mod outbox;
mod precedence;
pub mod predicate;
pub mod same;
mod scan;
pub mod script;
mod skip;
pub mod standing;
pub mod statement;
pub mod storage;
mod values;
pub mod verbs;
pub mod volatility;
