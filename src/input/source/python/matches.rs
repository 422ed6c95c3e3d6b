//! `match`.

use std::sync::Arc;

use tree_sitter::Node;

use super::Lower;
use crate::input::source::syntax::{children, fields, other};
use crate::model::source::{Arm, Block, Expr, ExprKind, Pattern, StmtKind};

impl<'t> Lower<'t, '_> {
    pub(super) fn match_statement(&mut self, node: Node<'t>) -> StmtKind {
        let mut subjects = fields(node, "subject");
        let of = match subjects.len() {
            1 => subjects.pop().map(|one| self.expr(one)),
            _ => {
                let parts = subjects.into_iter().map(|one| self.expr(one)).collect();
                Some(other(self.read.at(node), parts))
            }
        };
        let cases = node.child_by_field_name("body").map(children);
        let mut arms = Vec::new();
        for case in cases.unwrap_or_default() {
            if case.kind() != "case_clause" {
                continue;
            }
            let mut patterns = Vec::new();
            for pattern in children(case) {
                if pattern.kind() == "case_pattern" {
                    self.case_patterns(pattern, &mut patterns);
                }
            }
            // `case _`.
            patterns.retain(|pattern| *pattern != Pattern::Ignore);
            let guard = case.child_by_field_name("guard");
            let guard = guard.map(|guard| self.expr(guard));
            let body = case.child_by_field_name("consequence");
            let stmts = body.map_or_else(Vec::new, |body| self.statements(body));
            arms.push(Arm {
                patterns,
                guard,
                body: Block { stmts },
            });
        }
        StmtKind::Match { of, arms }
    }

    fn case_patterns(&mut self, node: Node<'t>, out: &mut Vec<Pattern>) {
        match node.kind() {
            "union_pattern" => {
                for one in children(node) {
                    let made = self.case_pattern(one);
                    out.push(made);
                }
            }
            "case_pattern" => {
                let inner = children(node);
                match inner.first() {
                    Some(one) if self.read.enter(*one) => {
                        self.case_patterns(*one, out);
                        self.read.leave();
                    }
                    _ => out.push(Pattern::Ignore),
                }
            }
            _ => {
                let made = self.case_pattern(node);
                out.push(made);
            }
        }
    }

    fn case_pattern(&mut self, node: Node<'t>) -> Pattern {
        if !self.read.enter(node) {
            return Pattern::Ignore;
        }
        let at = self.read.at(node);
        let made = match node.kind() {
            "dotted_name" => {
                let names = children(node);
                match names[..] {
                    [one] if self.read.text(one) == "_" => Pattern::Ignore,
                    [one] => Pattern::Name(self.read.name(one), None),
                    _ => Pattern::Value(Box::new(self.path(&names, node))),
                }
            }
            "class_pattern" | "tuple_pattern" | "list_pattern" | "dict_pattern" => {
                let mut of: Arc<str> = "".into();
                let mut parts: Vec<(Arc<str>, Pattern)> = Vec::new();
                for child in children(node) {
                    if node.kind() == "class_pattern" && child.kind() == "dotted_name" {
                        of = self.read.name(child);
                        continue;
                    }
                    let inner = children(child);
                    let number = Arc::from(parts.len().to_string());
                    match (inner.first(), inner.get(1)) {
                        (Some(one), _) if one.kind() == "keyword_pattern" => {
                            let named = children(*one);
                            if let [name, value] = named[..] {
                                let name = self.read.name(name);
                                parts.push((name, self.case_pattern(value)));
                            }
                        }
                        _ if child.kind() == "case_pattern" => {
                            parts.push((number, self.case_pattern(child)));
                        }
                        _ => {}
                    }
                }
                Pattern::Parts { of, parts }
            }
            "as_pattern" => match children(node).last() {
                Some(name) => Pattern::Name(self.read.name(*name), None),
                None => Pattern::Ignore,
            },
            "case_pattern" => match children(node).first() {
                Some(one) => self.case_pattern(*one),
                None => match self.read.text(node) {
                    "_" => Pattern::Ignore,
                    _ => Pattern::Value(Box::new(other(at, Vec::new()))),
                },
            },
            "splat_pattern" => match children(node).first() {
                Some(name) => Pattern::Name(self.read.name(*name), None),
                None => Pattern::Ignore,
            },
            _ => Pattern::Value(Box::new(self.expr(node))),
        };
        self.read.leave();
        made
    }

    /// `Status.DONE`.
    fn path(&mut self, names: &[Node<'t>], whole: Node<'t>) -> Expr {
        let mut made: Option<Expr> = None;
        for name in names {
            let at = self.read.at(*name);
            let text = self.read.name(*name);
            made = Some(Expr {
                at,
                kind: match made {
                    Some(of) => ExprKind::Field {
                        of: Box::new(of),
                        name: text,
                        at,
                    },
                    None => ExprKind::Name(text),
                },
            });
        }
        made.unwrap_or_else(|| other(self.read.at(whole), Vec::new()))
    }
}
