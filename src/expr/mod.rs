//! The whole grammar of the expression language expr (Go's expr-lang/expr v1.17), read into a tree with places.
//!
//! Only the grammar: no types are checked, nothing is evaluated, and which functions and variables
//! exist is up to the caller. [`parse`] is safe on hostile text: nesting, height and size of the
//! tree are bounded, and every byte is read once.
//!
//! What expr's parser accepts is accepted here and what it refuses is refused, except:
//! * names outside ASCII: vowel marks and circled letters are taken as letters, which Go does not do;
//! * nesting beyond [`MAX_NESTING`] and trees higher than [`MAX_HEIGHT`] are refused;
//! * a host program's own settings (renamed, disabled or overridden builtins, `if` as a plain
//!   name, another node limit than the default [`MAX_NODES`]) are not known here.

mod ast;
mod builtins;
mod calls;
mod collections;
mod lexer;
mod number;
mod operands;
mod operators;
mod parser;
mod postfix;
mod precedence;
mod quoted;
mod statements;
#[cfg(test)]
mod tests;
mod token;
mod walk;

pub use ast::{
    BinaryOp, CallForm, ComparisonStep, ConditionalForm, Expr, ExprKind, MapEntry, Span32, UnaryOp,
};
pub use builtins::{BUILTINS, BuiltinName, builtin};
pub use walk::Walk;

/// How deep expressions may be nested in one another, counted in operands within operands.
pub const MAX_NESTING: u32 = 200;

/// How many nodes a tree may be high; a chain like `a + b + c` is one higher with each operator.
pub const MAX_HEIGHT: u32 = 1024;

/// How many nodes a tree may have (source: expr-lang v1.17 conf/config.go, `DefaultMaxNodes`).
pub const MAX_NODES: u32 = 10_000;

/// Why a text is no expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// Byte offset of the place where reading stopped.
    pub offset: u32,
    /// One sentence on what is wrong there, without a full stop.
    pub message: String,
}

impl ParseError {
    fn at(offset: usize, message: String) -> Self {
        Self {
            offset: lexer::offset(offset),
            message,
        }
    }
}

/// Reads `text` as one expression.
///
/// # Errors
/// Where `text` is not in the language, or exceeds [`MAX_NESTING`], [`MAX_HEIGHT`],
/// [`MAX_NODES`] or 4 GiB.
pub fn parse(text: &str) -> Result<Expr, ParseError> {
    parser::parse(text)
}
