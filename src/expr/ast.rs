//! The tree of one expr-lang expression: every node kind the grammar can make, with its place in the text.
//!
//! How names are bound can be read from the tree alone:
//! * [`ExprKind::Let`] binds its name in `body` and nowhere else (not in its own `value`);
//! * [`ExprKind::Closure`] binds the pointers of [`ExprKind::Pointer`]; a pointer belongs to the
//!   nearest closure around it;
//! * every other [`ExprKind::Ident`] is a variable of the environment, or, as the callee of a
//!   [`ExprKind::Call`], a function of it.

use super::walk::height_of_children;

/// Half-open range of byte offsets into the parsed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span32 {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just past the last byte.
    pub end: u32,
}

impl Span32 {
    /// The part of `text` that the span covers, or `""` when `text` is not the parsed text.
    pub fn slice(self, text: &str) -> &str {
        let (Ok(start), Ok(end)) = (usize::try_from(self.start), usize::try_from(self.end)) else {
            return "";
        };
        text.get(start..end).unwrap_or_default()
    }
}

/// One node of the tree.
///
/// The tree is never higher than [`MAX_HEIGHT`](super::MAX_HEIGHT), so it is safe to walk it, to
/// compare it and to drop it by recursion.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What the node is.
    pub kind: ExprKind,
    /// The text of the node, with the parentheses that belong to its first and last operand but
    /// without a pair around the node itself.
    pub span: Span32,
    height: u32,
}

impl Expr {
    /// A node of `kind` over the text at `span`.
    pub fn new(kind: ExprKind, span: Span32) -> Self {
        let height = height_of_children(&kind).saturating_add(1);
        Self { kind, span, height }
    }

    /// How many nodes lie on the longest way down from here, this node included (1 for a leaf).
    pub fn height(&self) -> u32 {
        self.height
    }
}

/// The kinds of nodes (source: expr-lang v1.17 ast/node.go, with the differences told at the variants).
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// `nil`.
    Nil,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number in decimal, hexadecimal, octal or binary form.
    Int(i64),
    /// A number with a point or an exponent; always finite.
    Float(f64),
    /// A string literal, its escapes resolved; also a member's and a map key's plain name.
    Str(String),
    /// A bytes literal `b"…"`, its escapes resolved.
    Bytes(Vec<u8>),
    /// `[a, b]`.
    Array(Vec<Expr>),
    /// `{key: value}`, the entries in written order (a key may occur twice).
    Map(Vec<MapEntry>),
    /// A name: a variable, or a function where it is a callee.
    Ident(String),
    /// The current element of the nearest closure (`#`, or left out before a `.field`), with an
    /// empty name; or one of its other values (`#index`, `#acc`), named without the `#`.
    ///
    /// The grammar takes any name; only `index` and `acc` mean something to expr.
    Pointer(String),
    /// `object.name`, `object?.name`, `object[key]` or `object?.[key]`.
    Member {
        /// What the member is taken of.
        object: Box<Expr>,
        /// The key; an [`ExprKind::Str`] for `.name`.
        property: Box<Expr>,
        /// Whether a `nil` object is let through (`?.`).
        optional: bool,
        /// Whether the key stands in brackets.
        computed: bool,
    },
    /// `object[from:to]`.
    Slice {
        /// What is sliced.
        object: Box<Expr>,
        /// First index taken; the beginning where absent.
        from: Option<Box<Expr>>,
        /// First index not taken; the end where absent.
        to: Option<Box<Expr>>,
    },
    /// `not a`, `-a`, `+a`; also the negation in `a not in b`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// What it is applied to.
        operand: Box<Expr>,
    },
    /// `a + b` and the like.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `a < b <= c`: each neighbouring pair is compared and all must hold.
    ///
    /// expr makes `a < b && b <= c` of it and shares the node `b` (parser/parser.go,
    /// `parseComparison`); here every operand stands once. A single comparison is a
    /// [`ExprKind::Binary`], so `rest` has at least two steps.
    Comparison {
        /// Leftmost operand.
        first: Box<Expr>,
        /// The further operands, each with the operator before it.
        rest: Vec<ComparisonStep>,
    },
    /// `from..to`, both ends included.
    Range {
        /// First number.
        from: Box<Expr>,
        /// Last number.
        to: Box<Expr>,
    },
    /// `a ?? b`: `b` where `a` is `nil`.
    Coalesce {
        /// Value that is tried first.
        left: Box<Expr>,
        /// Value taken instead of `nil`.
        right: Box<Expr>,
    },
    /// A choice between two values.
    Conditional {
        /// Which of the three notations it was written in.
        form: ConditionalForm,
        /// The condition; in `a ?: b` it is also the value of the first branch.
        condition: Box<Expr>,
        /// Value where the condition holds; absent in `a ?: b`, where expr uses the condition.
        then: Option<Box<Expr>>,
        /// Value where it does not hold.
        otherwise: Box<Expr>,
    },
    /// `let name = value; body`.
    Let {
        /// The bound name.
        name: String,
        /// Place of the name.
        name_span: Span32,
        /// What it is bound to; the name is not yet in force here.
        value: Box<Expr>,
        /// Everything after the `;` that the name is in force in.
        body: Box<Expr>,
    },
    /// `a; b; c`: all are evaluated, the last is the value. Has at least two items.
    Sequence(Vec<Expr>),
    /// A call of a function that is no builtin, or of a method.
    Call {
        /// An [`ExprKind::Ident`] for `f(…)`, an [`ExprKind::Member`] for `a.f(…)`.
        callee: Box<Expr>,
        /// The arguments; in a pipe the piped value comes first.
        args: Vec<Expr>,
        /// How the call was written.
        form: CallForm,
    },
    /// A call of one of the [`BUILTINS`](super::BUILTINS).
    ///
    /// A host program may replace a builtin by a function of its own under the same name, which
    /// the text does not show; only [`CallForm::Global`] rules that out.
    Builtin {
        /// The builtin's name.
        name: String,
        /// Place of the name.
        name_span: Span32,
        /// The arguments; in a pipe the piped value comes first. A predicate is an
        /// [`ExprKind::Closure`].
        args: Vec<Expr>,
        /// How the call was written.
        form: CallForm,
    },
    /// The predicate of a builtin, evaluated once for each element.
    Closure {
        /// What is evaluated; the pointers in it belong to this closure.
        body: Box<Expr>,
    },
    /// The end of an optional chain: a `nil` met at a `?.` inside makes the whole chain `nil`.
    Chain(Box<Expr>),
}

/// One `key: value` of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapEntry {
    /// The key: an [`ExprKind::Str`] for a name, a string or a number (as written), else the
    /// expression in parentheses.
    pub key: Expr,
    /// The value.
    pub value: Expr,
}

/// One further operand of an [`ExprKind::Comparison`].
#[derive(Debug, Clone, PartialEq)]
pub struct ComparisonStep {
    /// One of `<`, `<=`, `>`, `>=`.
    pub op: BinaryOp,
    /// The operand right of it.
    pub operand: Expr,
}

/// Operators with one operand (source: expr-lang v1.17 parser/operator/operator.go).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `not` or `!`.
    Not,
    /// `-`.
    Neg,
    /// `+`.
    Plus,
}

/// Operators with two operands (source: expr-lang v1.17 parser/operator/operator.go); `..`, `??`
/// and `|` have node kinds of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `or` or `||`.
    Or,
    /// `and` or `&&`.
    And,
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `<`.
    Lt,
    /// `>`.
    Gt,
    /// `<=`.
    Le,
    /// `>=`.
    Ge,
    /// `in`.
    In,
    /// `matches`: a regular expression on the right.
    Matches,
    /// `contains`.
    Contains,
    /// `startsWith`.
    StartsWith,
    /// `endsWith`.
    EndsWith,
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`.
    Div,
    /// `%`.
    Rem,
    /// `**` or `^`.
    Pow,
}

/// How a choice was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConditionalForm {
    /// `a ? b : c`.
    Ternary,
    /// `a ?: c`.
    Elvis,
    /// `if a { b } else { c }`; `else if` nests.
    If,
}

/// How a call was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallForm {
    /// `f(a)`.
    Plain,
    /// `a | f()`.
    Pipe,
    /// `::f(a)`: the builtin is meant even where the host replaced it.
    Global,
}
