//! Expressions of source code. Parentheses, `await`, `?`, `&` and `*` leave no trace but a flag of
//! the call: they change no meaning here.

use std::sync::Arc;

use super::statement::{Block, Pattern};
use super::{Param, TypeRef};
use crate::model::place::Pos;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// Position of its first character.
    pub at: Pos,
    /// What it is.
    pub kind: ExprKind,
}

/// Kinds of expressions.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// A string literal, decoded.
    Text(Arc<str>),
    /// A number, as written.
    Number(Arc<str>),
    /// `true` or `false`.
    Bool(bool),
    /// `nil`, `None`, `null`.
    Nil,
    /// A name, or a path of names that only modules and types can lead (`QueueTask::MessageV1`),
    /// as written, without generic arguments.
    Name(Arc<str>),
    /// `of.name`.
    Field {
        /// The value.
        of: Box<Expr>,
        /// The field, or the member of a package.
        name: Arc<str>,
        /// Position of the name.
        at: Pos,
    },
    /// `of[by]`, a slice of it too.
    Index {
        /// The value.
        of: Box<Expr>,
        /// The index.
        by: Box<Expr>,
    },
    /// A call.
    Call(Box<Call>),
    /// A function without a name.
    Closure(Arc<Closure>),
    /// A value made of its parts: a composite literal, a struct expression, a list or map literal.
    Make {
        /// Its type, where one is written.
        of: Option<TypeRef>,
        /// Its parts.
        fields: Vec<MadeField>,
    },
    /// `left op right`.
    Binary {
        /// Operator.
        op: Operator,
        /// Left side.
        left: Box<Expr>,
        /// Right side.
        right: Box<Expr>,
    },
    /// `!of`.
    Not(Box<Expr>),
    /// A value taken as another type: a conversion, `as`, a type assertion.
    Cast {
        /// The type.
        to: TypeRef,
        /// The value.
        value: Box<Expr>,
    },
    /// Statements whose last one is the value: a block, `if` and `match` as a value, an `async`
    /// block; of a loop, the list of what its rounds give: a comprehension.
    Block(Box<Block>),
    /// A type where an expression stands: an argument of `make` or `new`, a generic function.
    Type(TypeRef),
    /// What the reader does not model; its parts are kept, so that no call is lost.
    Other(Vec<Expr>),
}

/// A call.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// What is called: a name, a field of a receiver, a closure.
    pub callee: Expr,
    /// Position of the called name: of `Subscribe` in `bus.Subscribe(…)`.
    pub at: Pos,
    /// Position just behind the closing bracket.
    pub end: Pos,
    /// Generic arguments that are written.
    pub generics: Vec<TypeRef>,
    /// Arguments. Those of a macro too, as far as they are expressions.
    pub args: Vec<Expr>,
    /// Names of the arguments that are given by name, by position in `args`.
    pub named: Vec<(usize, Arc<str>)>,
    /// What a decorator is put on: the name of a function, method or class. A base class is a
    /// decorator of those made of it, called `__init_subclass__`.
    pub decorates: Option<Box<Expr>>,
    /// True of a macro: `sqlx::query!(…)`.
    pub is_macro: bool,
    /// True if an error of it ends the function at once: `?`.
    pub tried: bool,
}

/// A function without a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Closure {
    /// Parameters.
    pub params: Vec<Param>,
    /// Types of the results, where they are written.
    pub returns: Vec<TypeRef>,
    /// Body.
    pub body: Block,
    /// Position of its first character.
    pub at: Pos,
    /// Position just behind it.
    pub end: Pos,
}

/// A part of a made value.
#[derive(Debug, Clone, PartialEq)]
pub struct MadeField {
    /// Its name; none in a list, or for a part known by its position.
    pub name: Option<Arc<str>>,
    /// The key of a map literal, where it is no plain name.
    pub key: Option<Expr>,
    /// Its value.
    pub value: Expr,
}

/// Binary operators, as far as they matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `+`, also of texts.
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `&&`
    And,
    /// `||`
    Or,
    /// Any other.
    Other,
}

impl Closure {
    /// Names that its parameters bind, in order.
    pub fn bound(&self) -> impl Iterator<Item = &Pattern> {
        self.params.iter().map(|param| &param.pattern)
    }
}
