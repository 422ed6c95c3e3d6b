//! Statements that hold others.

use tree_sitter::Node;

use super::Lower;
use crate::input::source::syntax::{children, expression, fields};
use crate::model::source::{Arm, Block, Expr, ExprKind, Handler, Stmt, StmtKind};

impl<'t> Lower<'t, '_> {
    /// The statements of a block or module, in order.
    pub(super) fn statements(&mut self, node: Node<'t>) -> Vec<Stmt> {
        let mut out = Vec::new();
        for child in children(node) {
            if self.read.enter(child) {
                self.statement(child, &mut out);
                self.read.leave();
            }
        }
        out
    }

    fn block(&mut self, node: Option<Node<'t>>) -> Block {
        let stmts = node.map_or_else(Vec::new, |node| self.statements(node));
        Block { stmts }
    }

    fn statement(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) {
        let at = self.read.at(node);
        let kind = match node.kind() {
            "if_statement" => self.if_statement(node),
            "for_statement" => self.for_statement(node),
            "while_statement" => self.while_statement(node),
            "try_statement" => self.try_statement(node),
            "with_statement" => self.with_statement(node),
            "match_statement" => self.match_statement(node),
            "function_definition" => return out.extend(self.function(node, &[])),
            "class_definition" => return out.extend(self.class_decl(node, &[])),
            "decorated_definition" => {
                let decorators: Vec<Node<'t>> = children(node)
                    .into_iter()
                    .filter(|child| child.kind() == "decorator")
                    .collect();
                let Some(inner) = node.child_by_field_name("definition") else {
                    return;
                };
                return out.extend(match inner.kind() {
                    "class_definition" => self.class_decl(inner, &decorators),
                    _ => self.function(inner, &decorators),
                });
            }
            // The indented rest of something that did not parse.
            "block" | "ERROR" => return out.extend(self.statements(node)),
            _ => return self.simple(node, out),
        };
        out.push(Stmt { at, kind });
        // What runs behind a loop that is not left early.
        if matches!(node.kind(), "for_statement" | "while_statement") {
            for clause in fields(node, "alternative") {
                let body = clause.child_by_field_name("body");
                out.extend(self.block(body).stmts);
            }
        }
    }

    fn if_statement(&mut self, node: Node<'t>) -> StmtKind {
        let condition = self.field_expr(node, "condition");
        let then = self.block(node.child_by_field_name("consequence"));
        let clauses = fields(node, "alternative");
        let (elifs, elses): (Vec<Node<'t>>, Vec<Node<'t>>) = clauses
            .into_iter()
            .partition(|clause| clause.kind() == "elif_clause");
        if elifs.is_empty() {
            let otherwise = elses
                .first()
                .and_then(|node| node.child_by_field_name("body"));
            let otherwise = self.block(otherwise);
            return StmtKind::If {
                condition,
                then,
                otherwise,
            };
        }
        let mut arms = vec![Arm {
            patterns: Vec::new(),
            guard: Some(condition),
            body: then,
        }];
        for clause in elifs {
            arms.push(Arm {
                patterns: Vec::new(),
                guard: Some(self.field_expr(clause, "condition")),
                body: self.block(clause.child_by_field_name("consequence")),
            });
        }
        for clause in elses {
            arms.push(Arm {
                patterns: Vec::new(),
                guard: None,
                body: self.block(clause.child_by_field_name("body")),
            });
        }
        StmtKind::Match { of: None, arms }
    }

    fn for_statement(&mut self, node: Node<'t>) -> StmtKind {
        let patterns = self.targets(node);
        let over = node
            .child_by_field_name("right")
            .map(|over| self.expr(over));
        let body = self.block(node.child_by_field_name("body"));
        StmtKind::Loop {
            patterns,
            over,
            each: true,
            body,
        }
    }

    /// What each round of a loop binds.
    pub(super) fn targets(&mut self, node: Node<'t>) -> Vec<crate::model::source::Pattern> {
        let Some(left) = node.child_by_field_name("left") else {
            return Vec::new();
        };
        match left.kind() {
            "pattern_list" | "tuple_pattern" => {
                let parts = children(left).into_iter();
                parts.map(|part| self.pattern(part)).collect()
            }
            _ => vec![self.pattern(left)],
        }
    }

    fn while_statement(&mut self, node: Node<'t>) -> StmtKind {
        let over = self.field_expr(node, "condition");
        let body = self.block(node.child_by_field_name("body"));
        StmtKind::Loop {
            patterns: Vec::new(),
            // `while True` and `while 1` have no condition.
            over: (!matches!(over.kind, ExprKind::Bool(true) | ExprKind::Number(_)))
                .then_some(over),
            each: false,
            body,
        }
    }

    fn try_statement(&mut self, node: Node<'t>) -> StmtKind {
        let mut body = self.block(node.child_by_field_name("body"));
        let mut handlers = Vec::new();
        let mut finally = Block::default();
        for clause in children(node) {
            let inner = children(clause);
            let last = inner.last().copied().filter(|last| last.kind() == "block");
            match clause.kind() {
                "except_clause" => handlers.push(self.except(clause, last)),
                // It runs where nothing was raised: behind the body.
                "else_clause" => {
                    let more = self.block(clause.child_by_field_name("body"));
                    body.stmts.extend(more.stmts);
                }
                "finally_clause" => finally = self.block(last),
                _ => {}
            }
        }
        StmtKind::Try {
            body,
            handlers,
            finally,
        }
    }

    fn except(&mut self, clause: Node<'t>, body: Option<Node<'t>>) -> Handler {
        let mut takes = Vec::new();
        let mut name = None;
        for value in fields(clause, "value") {
            let mut types = value;
            if value.kind() == "as_pattern" {
                let alias = value.child_by_field_name("alias");
                name = alias.map(|alias| self.read.name(alias));
                types = children(value).into_iter().next().unwrap_or(value);
            }
            match types.kind() {
                "tuple" | "expression_list" => {
                    takes.extend(children(types).into_iter().map(|of| self.type_of(of)));
                }
                _ => takes.push(self.type_of(types)),
            }
        }
        if let Some(alias) = clause.child_by_field_name("alias") {
            name = Some(self.read.name(alias));
        }
        Handler {
            takes,
            name,
            body: self.block(body),
        }
    }

    /// Of several values the later ones are entered inside the earlier ones.
    fn with_statement(&mut self, node: Node<'t>) -> StmtKind {
        let clause = children(node)
            .into_iter()
            .find(|child| child.kind() == "with_clause");
        let mut entered = Vec::new();
        let mut items = clause.map(children).unwrap_or_default();
        // `with (a as b, c as d):` may be read as one tuple.
        if let [one] = items[..]
            && let Some(value) = one.child_by_field_name("value")
            && value.kind() == "tuple"
        {
            items = children(value);
        }
        for item in items {
            let value = item.child_by_field_name("value").unwrap_or(item);
            let mut of = value;
            let mut name = None;
            if value.kind() == "as_pattern" {
                let alias = value.child_by_field_name("alias");
                name = alias.map(|alias| self.pattern(alias));
                of = children(value).into_iter().next().unwrap_or(value);
            }
            let at = self.read.at(item);
            entered.push((at, self.expr(of), name));
        }
        let mut body = self.block(node.child_by_field_name("body"));
        let mut outer = None;
        for (at, of, name) in entered.into_iter().rev() {
            if let Some(kind) = outer.take() {
                body = Block {
                    stmts: vec![Stmt { at, kind }],
                };
            }
            outer = Some(StmtKind::With {
                of,
                name,
                body: std::mem::take(&mut body),
            });
        }
        outer.unwrap_or(StmtKind::Block(body))
    }

    /// The expression of a field.
    pub(super) fn field_expr(&mut self, node: Node<'t>, field: &str) -> Expr {
        match node.child_by_field_name(field) {
            Some(inner) => self.expr(inner),
            None => crate::input::source::syntax::other(self.read.at(node), Vec::new()),
        }
    }

    /// An expression as a statement.
    pub(super) fn run(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) {
        let made = self.expr(node);
        out.push(expression(made));
    }
}
