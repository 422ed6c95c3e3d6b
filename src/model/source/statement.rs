//! Statements of source code.

use std::sync::Arc;

use super::TypeRef;
use super::expression::Expr;
use crate::model::place::Pos;

/// Statements in order. In a block that is a value, the last one is an [`StmtKind::Expr`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    /// Position of its first character.
    pub at: Pos,
    /// What it is.
    pub kind: StmtKind,
}

/// Kinds of statements. Conditions with a statement before them (`if x := f(); x != nil`) are a
/// block of the two.
#[derive(Debug, Clone, PartialEq)]
pub enum StmtKind {
    /// `let x = …`, `x, err := f()`, `var x T`: new names.
    Let {
        /// What is bound: one pattern for each value, or several for the results of one call.
        patterns: Vec<Pattern>,
        /// Type, where one is written.
        of: Option<TypeRef>,
        /// Values; empty where none is given.
        values: Vec<Expr>,
        /// Runs where a refutable pattern does not fit (`let … else`).
        otherwise: Block,
    },
    /// `a, b = c, d`, `a += 1`.
    Assign {
        /// What is assigned to.
        targets: Vec<Expr>,
        /// How.
        op: AssignOp,
        /// Values.
        values: Vec<Expr>,
    },
    /// An expression.
    Expr(Expr),
    /// `if`. `if let` is a [`StmtKind::Match`] of two arms.
    If {
        /// Condition.
        condition: Expr,
        /// Runs if it holds.
        then: Block,
        /// Runs if not.
        otherwise: Block,
    },
    /// A loop: `for x in xs`, `for k, v := range xs`, `while c`, `for ;;`.
    Loop {
        /// What each round binds.
        patterns: Vec<Pattern>,
        /// What it goes over; the condition of a `while`.
        over: Option<Expr>,
        /// True if `over` is a list that is gone through, false if it is a condition.
        each: bool,
        /// Body; a step statement stands at its end.
        body: Block,
    },
    /// `match`, `switch`, `select`.
    Match {
        /// What is looked at; none for a `switch` of conditions and for `select`.
        of: Option<Expr>,
        /// The arms, in order.
        arms: Vec<Arm>,
    },
    /// `return`, with its values.
    Return(Vec<Expr>),
    /// `break`, `continue`, `raise`.
    Leave(Leaves),
    /// Runs when the function ends: `defer`.
    Defer(Expr),
    /// Runs beside: `go f()`.
    Spawn(Expr),
    /// A block.
    Block(Block),
    /// A block with a value that is entered before it and left behind it: `with`.
    With {
        /// The value.
        of: Expr,
        /// What it is called inside.
        name: Option<Pattern>,
        /// The block.
        body: Block,
    },
    /// A block whose errors are caught.
    Try {
        /// The block.
        body: Block,
        /// Handlers, in order.
        handlers: Vec<Handler>,
        /// Runs in any case.
        finally: Block,
    },
}

/// What a statement leaves without giving a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaves {
    /// The round: `continue`.
    Round,
    /// The innermost loop, or the choice that it stands in: `break`.
    Inner,
    /// What a label names: `break outer`, `goto`.
    Named,
    /// The function, or what catches the error: `raise`.
    Raised,
}

/// How an assignment changes its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AssignOp {
    /// `=`
    Set,
    /// `+=`, `++`
    Add,
    /// Any other that reads the target.
    Change,
}

/// An arm of a match.
#[derive(Debug, Clone, PartialEq)]
pub struct Arm {
    /// Patterns, any of which fits; empty for the default.
    pub patterns: Vec<Pattern>,
    /// A condition beside the pattern, or the condition of a `switch` without a value.
    pub guard: Option<Expr>,
    /// Body.
    pub body: Block,
}

/// A handler of errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Handler {
    /// Types of errors it takes; empty for all.
    pub takes: Vec<TypeRef>,
    /// The name it gives to the error.
    pub name: Option<Arc<str>>,
    /// Body.
    pub body: Block,
}

/// What a name, parameter or arm binds.
#[derive(Debug, Clone, PartialEq)]
pub enum Pattern {
    /// Nothing: `_`.
    Ignore,
    /// A name. In a type switch, with the type of the arm.
    Name(Arc<str>, Option<TypeRef>),
    /// A value to compare with: a literal, a constant, a unit variant.
    Value(Box<Expr>),
    /// A type of a type switch that binds no name.
    Type(TypeRef),
    /// A struct, tuple struct or enum variant with its parts, by name or position.
    Parts {
        /// Type or variant, as written; empty for a tuple or a list.
        of: Arc<str>,
        /// Parts.
        parts: Vec<(Arc<str>, Pattern)>,
    },
}

impl Pattern {
    /// The names it binds, in order.
    pub fn names(&self) -> Vec<&Arc<str>> {
        let mut names = Vec::new();
        let mut open = vec![self];
        while let Some(pattern) = open.pop() {
            match pattern {
                Pattern::Name(name, _) => names.push(name),
                Pattern::Parts { parts, .. } => {
                    open.extend(parts.iter().rev().map(|(_, part)| part));
                }
                _ => {}
            }
        }
        names
    }
}
