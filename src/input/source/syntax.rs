//! What the tree readers share: a parse of bounded effort, and the way from nodes to names,
//! positions and bounded depth.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;
use std::sync::Arc;

use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Tree};

use crate::model::place::Pos;
use crate::model::source::{
    Block, Expr, ExprKind, FileRole, Operator, SourceFile, Stmt, StmtKind, TypeRef,
};
use crate::model::text::TextFile;

/// Deepest nesting that is followed: people write less, and whoever walks a tree may recurse.
pub(super) const MAX_DEPTH: usize = 300;

/// Parser operations per byte that are allowed, in units of one progress call. Whole files need
/// less than a tenth of it; garbage can need any number.
const EFFORT_PER_BYTE: usize = 20;
const EFFORT_AT_LEAST: usize = 1_000_000;

/// Longest run of one operator that is kept as it was written; longer ones are halved.
const LONG_CHAIN: usize = 16;

/// What a reader is told of a file.
pub(super) struct About<'a> {
    /// What the file is there for.
    pub(super) role: FileRole,
    /// Qualified name of its package or module.
    pub(super) package: Arc<str>,
    /// The path of the file's module as imports write it, and the name that stands for it, where
    /// they differ.
    pub(super) renamed: Option<super::packages::Renamed>,
    /// Names that packages of the tree give themselves, by qualified name.
    pub(super) named: &'a BTreeMap<Arc<str>, Arc<str>>,
    /// The modules of Python in the tree.
    pub(super) modules: &'a super::python::modules::Modules,
}

/// Parses a text; none if it would take too much effort.
pub(super) fn parse(language: &Language, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    parse_with(&mut parser, text, text.len())
}

/// Parses what a parser is set to, of so many bytes.
pub(super) fn parse_with(parser: &mut Parser, text: &str, bytes: usize) -> Option<Tree> {
    let mut left = bytes * EFFORT_PER_BYTE + EFFORT_AT_LEAST;
    let mut progress = |_: &ParseState| match left.checked_sub(100) {
        Some(rest) => {
            left = rest;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let mut read = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
    let options = ParseOptions::new().progress_callback(&mut progress);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    if tree.is_none() {
        parser.reset();
    }
    tree
}

/// The children that mean something: named, and no comments.
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    let named = node.named_children(&mut cursor);
    named.filter(|child| !child.is_extra()).collect()
}

/// The children of one field, in order.
pub(super) fn fields<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    let all = node.children_by_field_name(field, &mut cursor);
    all.filter(Node::is_named).collect()
}

/// First positions of the parts of a tree that did not parse; those within another are not told.
pub(super) fn broken(root: Node<'_>, file: &TextFile) -> Vec<Pos> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if node.is_error() || node.is_missing() {
            found.push(file.pos(node.start_byte() as u32));
        } else if node.has_error() {
            let mut cursor = node.walk();
            open.extend(node.children(&mut cursor));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// A file while it is read.
pub(super) struct Reading<'t> {
    file: &'t TextFile,
    names: HashMap<&'t str, Arc<str>>,
    depth: usize,
    unparsed: Vec<Pos>,
}

impl<'t> Reading<'t> {
    pub(super) fn new(file: &'t TextFile) -> Self {
        Self {
            file,
            names: HashMap::new(),
            depth: 0,
            unparsed: Vec::new(),
        }
    }

    /// The whole text.
    pub(super) fn whole(&self) -> &'t str {
        self.file.text()
    }

    /// The text of a node.
    pub(super) fn text(&self, node: Node<'_>) -> &'t str {
        self.file.text().get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a node as a name, one allocation for each name of the file.
    pub(super) fn name(&mut self, node: Node<'_>) -> Arc<str> {
        let text = self.text(node);
        let made = self.names.entry(text).or_insert_with(|| text.into());
        Arc::clone(made)
    }

    /// Position of the first character of a node.
    pub(super) fn at(&self, node: Node<'_>) -> Pos {
        self.file.pos(node.start_byte() as u32)
    }

    /// Position just behind a node.
    pub(super) fn end(&self, node: Node<'_>) -> Pos {
        self.file.pos(node.end_byte() as u32)
    }

    /// Goes one level down; false, and noted as not read, where that is too deep. A call that says
    /// true is followed by one of [`Reading::leave`].
    pub(super) fn enter(&mut self, node: Node<'_>) -> bool {
        if self.depth >= MAX_DEPTH {
            self.not_read(node);
            return false;
        }
        self.depth += 1;
        true
    }

    /// Comes back one level.
    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// How many levels are left.
    pub(super) fn room(&self) -> usize {
        MAX_DEPTH.saturating_sub(self.depth)
    }

    /// Notes that a node was not read.
    pub(super) fn not_read(&mut self, node: Node<'_>) {
        let at = self.at(node);
        self.unparsed.push(at);
    }

    /// Puts the parts that were not read into the file.
    pub(super) fn finish(mut self, root: Node<'_>, file: &mut SourceFile) {
        self.unparsed.extend(broken(root, self.file));
        self.unparsed.sort_unstable();
        self.unparsed.dedup();
        file.unparsed = self.unparsed;
    }
}

/// An expression whose parts alone are known.
pub(super) fn other(at: Pos, parts: Vec<Expr>) -> Expr {
    Expr {
        at,
        kind: ExprKind::Other(parts),
    }
}

/// A statement that is an expression.
pub(super) fn expression(expr: Expr) -> Stmt {
    Stmt {
        at: expr.at,
        kind: StmtKind::Expr(expr),
    }
}

/// A block of one statement.
pub(super) fn block_of(stmt: Stmt) -> Block {
    Block { stmts: vec![stmt] }
}

/// A type by its name or word alone.
pub(super) fn plain(name: impl Into<Arc<str>>) -> TypeRef {
    TypeRef {
        name: name.into(),
        args: Vec::new(),
        returns: Vec::new(),
    }
}

/// Joins a run of operands from left to right. Runs of one operator that are long are halved
/// instead: `a + b + … + z` means the same, and nobody has to recurse as deep as it is long.
pub(super) fn join(first: Expr, rest: Vec<(Operator, Expr)>) -> Expr {
    let mut out = first;
    let mut rest = rest.into_iter().peekable();
    while let Some((op, right)) = rest.next() {
        let mut run = vec![out, right];
        while let Some((_, next)) = rest.next_if(|(next, _)| may_halve(op) && *next == op) {
            run.push(next);
        }
        out = halve(op, run);
    }
    out
}

/// How deep [`join`] nests such a run.
pub(super) fn levels(rest: &[(Operator, Expr)]) -> usize {
    let mut levels = LONG_CHAIN;
    let mut before = None;
    for (op, _) in rest {
        let goes_on = may_halve(*op) && before == Some(*op);
        levels += usize::from(!goes_on);
        before = Some(*op);
    }
    levels
}

fn may_halve(op: Operator) -> bool {
    matches!(op, Operator::Add | Operator::And | Operator::Or)
}

fn halve(op: Operator, mut run: Vec<Expr>) -> Expr {
    if run.len() > LONG_CHAIN {
        let right = run.split_off(run.len() / 2);
        return binary(op, halve(op, run), halve(op, right));
    }
    let mut run = run.into_iter();
    let first = run.next();
    let first = first.unwrap_or_else(|| other(Pos { line: 1, column: 1 }, Vec::new()));
    run.fold(first, |left, right| binary(op, left, right))
}

fn binary(op: Operator, left: Expr, right: Expr) -> Expr {
    Expr {
        at: left.at,
        kind: ExprKind::Binary {
            op,
            left: Box::new(left),
            right: Box::new(right),
        },
    }
}

/// Operators as languages with the braces of C write them.
pub(super) fn operator(op: &str) -> Operator {
    match op {
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        "==" => Operator::Equal,
        "!=" => Operator::NotEqual,
        "<" => Operator::Less,
        "<=" => Operator::AtMost,
        ">" => Operator::More,
        ">=" => Operator::AtLeast,
        "&&" => Operator::And,
        "||" => Operator::Or,
        _ => Operator::Other,
    }
}
