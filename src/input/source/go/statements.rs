//! Statements of Go that hold others: blocks, branches, loops, switches.

use std::sync::Arc;

use tree_sitter::Node;

use super::Lower;
use crate::input::source::syntax::{block_of, children, expression, fields, join, other};
use crate::model::source::{Arm, Block, Expr, ExprKind, Operator, Pattern, Stmt, StmtKind};

impl<'t> Lower<'t> {
    /// The statements of a block, or of what stands for one.
    pub(super) fn block(&mut self, node: Node<'t>) -> Block {
        let mut stmts = Vec::new();
        for inner in children(node) {
            match inner.kind() {
                "statement_list" => {
                    for stmt in children(inner) {
                        self.stmt(stmt, &mut stmts);
                    }
                }
                _ => self.stmt(inner, &mut stmts),
            }
        }
        Block { stmts }
    }

    /// Adds a statement.
    pub(super) fn stmt(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) {
        if !self.read.enter(node) {
            return;
        }
        self.stmt_inside(node, out);
        self.read.leave();
    }

    fn stmt_inside(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) {
        let at = self.at(node);
        let kind = match node.kind() {
            "type_declaration" => return self.type_declaration(node),
            "block" => StmtKind::Block(self.block(node)),
            "labeled_statement" => {
                for inner in children(node).into_iter().skip(1) {
                    self.stmt(inner, out);
                }
                return;
            }
            "if_statement" => self.branch(node),
            "for_statement" => self.each(node),
            "expression_switch_statement" => self.switch(node),
            "type_switch_statement" => self.type_switch(node),
            "select_statement" => StmtKind::Match {
                of: None,
                arms: self.arms(node, |lower, case| lower.communication(case)),
            },
            "ERROR" | "function_declaration" | "method_declaration" => {
                return self.broken(node, out);
            }
            _ => {
                match self.simple(node) {
                    Some(stmts) => out.extend(stmts),
                    None => out.push(expression(self.expr(node))),
                }
                return;
            }
        };
        let kind = self.after_initializer(node, Stmt { at, kind });
        out.push(Stmt { at, kind });
    }

    /// What a broken part holds is read as far as it goes; a function in a function is where a
    /// bracket is missing.
    fn broken(&mut self, node: Node<'t>, out: &mut Vec<Stmt>) {
        if node.kind() != "ERROR" {
            return self.function(node);
        }
        for inner in children(node) {
            self.stmt(inner, out);
        }
    }

    /// The statement alone, or a block that begins with its initializer.
    fn after_initializer(&mut self, node: Node<'t>, stmt: Stmt) -> StmtKind {
        let Some(first) = node.child_by_field_name("initializer") else {
            return stmt.kind;
        };
        let mut stmts = Vec::new();
        self.stmt(first, &mut stmts);
        stmts.push(stmt);
        StmtKind::Block(Block { stmts })
    }

    fn branch(&mut self, node: Node<'t>) -> StmtKind {
        let part = |field| node.child_by_field_name(field);
        let condition = self.condition(node, part("condition"));
        let then = part("consequence").map(|then| self.block(then));
        let otherwise = match part("alternative") {
            Some(block) if block.kind() == "block" => self.block(block),
            Some(branch) => {
                let mut stmts = Vec::new();
                self.stmt(branch, &mut stmts);
                Block { stmts }
            }
            None => Block::default(),
        };
        StmtKind::If {
            condition,
            then: then.unwrap_or_default(),
            otherwise,
        }
    }

    fn condition(&mut self, of: Node<'t>, condition: Option<Node<'t>>) -> Expr {
        match condition {
            Some(condition) => self.expr(condition),
            None => other(self.at(of), Vec::new()),
        }
    }

    fn each(&mut self, node: Node<'t>) -> StmtKind {
        let body = node.child_by_field_name("body");
        let head = children(node).into_iter().next();
        let head = head.filter(|head| Some(*head) != body);
        let mut over = None;
        let mut patterns = Vec::new();
        let mut each = false;
        let mut step = Vec::new();
        let mut first = Vec::new();
        match head {
            Some(head) if head.kind() == "range_clause" => {
                each = true;
                over = head
                    .child_by_field_name("right")
                    .map(|over| self.expr(over));
                patterns = self.patterns(head.child_by_field_name("left"));
            }
            Some(head) if head.kind() == "for_clause" => {
                if let Some(stmt) = head.child_by_field_name("initializer") {
                    self.stmt(stmt, &mut first);
                }
                let condition = head.child_by_field_name("condition");
                over = condition.map(|condition| self.expr(condition));
                if let Some(stmt) = head.child_by_field_name("update") {
                    self.stmt(stmt, &mut step);
                }
            }
            Some(condition) => over = Some(self.expr(condition)),
            None => {}
        }
        let mut body = body.map(|body| self.block(body)).unwrap_or_default();
        body.stmts.extend(step);
        let kind = StmtKind::Loop {
            patterns,
            over,
            each,
            body,
        };
        if first.is_empty() {
            return kind;
        }
        let at = self.at(node);
        first.push(Stmt { at, kind });
        StmtKind::Block(Block { stmts: first })
    }

    fn switch(&mut self, node: Node<'t>) -> StmtKind {
        let of = node.child_by_field_name("value");
        let of = of.map(|of| self.expr(of));
        let by_value = of.is_some();
        let arms = self.arms(node, |lower, case| {
            let mut values = lower.list(case.child_by_field_name("value"));
            let (patterns, guard) = if by_value {
                let values = values.into_iter();
                let value = |value| Pattern::Value(Box::new(value));
                (values.map(value).collect(), None)
            } else {
                let first = (!values.is_empty()).then(|| values.remove(0));
                (Vec::new(), first.map(|first| any_of(first, values)))
            };
            Arm {
                patterns,
                guard,
                body: Block::default(),
            }
        });
        StmtKind::Match { of, arms }
    }

    fn type_switch(&mut self, node: Node<'t>) -> StmtKind {
        let of = node.child_by_field_name("value");
        let of = of.map(|of| self.expr(of));
        let alias = node.child_by_field_name("alias");
        let alias = alias.and_then(|list| children(list).into_iter().next());
        let alias = alias.map(|alias| self.read.name(alias));
        let shown = of.clone();
        let arms = self.arms(node, |lower, case| {
            let types = fields(case, "type").into_iter();
            let types = types.map(|of| match lower.read.text(of) {
                "nil" => Pattern::Value(Box::new(Expr {
                    at: lower.at(of),
                    kind: ExprKind::Nil,
                })),
                _ => {
                    let of = lower.type_ref(of);
                    match &alias {
                        Some(alias) => Pattern::Name(Arc::clone(alias), Some(of)),
                        None => Pattern::Type(of),
                    }
                }
            });
            let patterns: Vec<Pattern> = types.collect();
            let mut body = Block::default();
            // The name is bound in every arm, to the value as it is where no one type is known.
            let binds = patterns.iter().any(|it| matches!(it, Pattern::Name(..)));
            if let (Some(alias), Some(shown), false) = (&alias, &shown, binds) {
                let kind = StmtKind::Let {
                    patterns: vec![Pattern::Name(Arc::clone(alias), None)],
                    of: None,
                    values: vec![without_calls(shown)],
                    otherwise: Block::default(),
                };
                body = block_of(Stmt { at: shown.at, kind });
            }
            Arm {
                patterns,
                guard: None,
                body,
            }
        });
        StmtKind::Match { of, arms }
    }

    fn communication(&mut self, case: Node<'t>) -> Arm {
        let mut body = Block::default();
        if let Some(first) = case.child_by_field_name("communication") {
            self.stmt(first, &mut body.stmts);
        }
        Arm {
            patterns: Vec::new(),
            guard: None,
            body,
        }
    }

    /// The arms of a switch; `head` reads what stands before the colon.
    fn arms(&mut self, node: Node<'t>, head: impl Fn(&mut Self, Node<'t>) -> Arm) -> Vec<Arm> {
        let mut arms: Vec<Arm> = Vec::new();
        let mut lent: Vec<Pattern> = Vec::new();
        for case in children(node) {
            if !case.kind().ends_with("_case") {
                continue;
            }
            let mut arm = head(self, case);
            if !lent.is_empty() && !arm.patterns.is_empty() {
                lent.append(&mut arm.patterns);
                arm.patterns = std::mem::take(&mut lent);
            }
            let lists = children(case).into_iter();
            let lists = lists.filter(|list| list.kind() == "statement_list");
            let stmts: Vec<Node<'t>> = lists.flat_map(children).collect();
            let falls = |node: &Node<'t>| node.kind() == "fallthrough_statement";
            if matches!(stmts.as_slice(), [only] if falls(only)) && arm.guard.is_none() {
                lent = arm.patterns;
                continue;
            }
            for stmt in stmts {
                self.stmt(stmt, &mut arm.body.stmts);
            }
            arms.push(arm);
        }
        arms
    }
}

/// `case a, b:` of a switch without a value.
fn any_of(first: Expr, rest: Vec<Expr>) -> Expr {
    let rest = rest.into_iter().map(|next| (Operator::Or, next));
    join(first, rest.collect())
}

/// The value of a type switch again, where a second copy of a call would be a second call.
fn without_calls(value: &Expr) -> Expr {
    match &value.kind {
        ExprKind::Name(_) => value.clone(),
        _ => other(value.at, Vec::new()),
    }
}
