//! `select!`: a match without a value, each arm beginning with what it waits for.

use tree_sitter::Node;

use super::Lower;
use super::macros::{split, tokens};
use super::patterns::name_or_none;
use crate::input::source::syntax::{block_of, expression};
use crate::model::place::Pos;
use crate::model::source::{Arm, Block, Expr, ExprKind, Pattern, Stmt, StmtKind};

impl Lower<'_> {
    /// The arms of a `select!`: `pattern = what it waits for, if guard => body`.
    pub(super) fn select(&mut self, list: Node<'_>) -> StmtKind {
        let all = tokens(list);
        let mut rest = all.as_slice();
        let mut arms = Vec::new();
        while let Some(arrow) = rest.iter().position(|token| token.kind() == "=>") {
            let (head, tail) = rest.split_at(arrow);
            let tail = tail.get(1..).unwrap_or_default();
            let is_block = |token: &Node<'_>| {
                token.kind() == "token_tree" && self.read.text(*token).starts_with('{')
            };
            let next = |tokens: &[Node<'_>]| tokens.iter().position(|token| token.kind() == ",");
            let (body, after) = match tail.first() {
                Some(first) if is_block(first) && tail.get(1).is_none_or(|t| t.kind() != ".") => {
                    tail.split_at(1)
                }
                _ => tail.split_at(next(tail).unwrap_or(tail.len())),
            };
            rest = match after {
                [comma, more @ ..] if comma.kind() == "," => more,
                more => more,
            };
            arms.push(self.select_arm(head, body));
        }
        if !rest.is_empty() {
            let left = self.calls(rest);
            let body = block_of(expression(left));
            arms.push(Arm {
                patterns: Vec::new(),
                guard: None,
                body,
            });
        }
        StmtKind::Match { of: None, arms }
    }

    fn select_arm(&mut self, head: &[Node<'_>], body: &[Node<'_>]) -> Arm {
        let mut stmts = Vec::new();
        let mut guard = None;
        let sign = head.iter().position(|token| token.kind() == "=");
        if let Some(sign) = sign {
            let (pattern, waits) = head.split_at(sign);
            let waits = waits.get(1..).unwrap_or_default();
            // `biased;` stands before the first arm.
            let pattern = split(pattern, &[";"]).pop().unwrap_or_default();
            let comma = waits.iter().position(|token| token.kind() == ",");
            let (waits, condition) = waits.split_at(comma.unwrap_or(waits.len()));
            if let [_, word, condition @ ..] = condition {
                guard = (word.kind() == "if").then(|| self.loose(condition));
            }
            let at = head.first().map(|first| self.read.at(*first));
            let waited = self.loose(waits);
            let kind = StmtKind::Let {
                patterns: vec![self.token_pattern(pattern)],
                of: None,
                values: vec![waited],
                otherwise: Block::default(),
            };
            let at = at.unwrap_or(Pos { line: 1, column: 1 });
            stmts.push(Stmt { at, kind });
        }
        if !body.is_empty() {
            let value = self.loose(body);
            match value.kind {
                ExprKind::Block(block) => stmts.extend(block.stmts),
                _ => stmts.push(expression(value)),
            }
        }
        Arm {
            patterns: Vec::new(),
            guard,
            body: Block { stmts },
        }
    }

    /// A pattern that stands as tokens.
    fn token_pattern(&mut self, all: &[Node<'_>]) -> Pattern {
        let all: Vec<Node<'_>> = all
            .iter()
            .copied()
            .filter(|token| !matches!(token.kind(), "mutable_specifier" | "&"))
            .collect();
        let Some((last, before)) = all.split_last() else {
            return Pattern::Ignore;
        };
        if last.kind() == "token_tree" {
            if !self.read.enter(*last) {
                return Pattern::Ignore;
            }
            let of: String = before.iter().map(|token| self.read.text(*token)).collect();
            let inner = tokens(*last);
            let inner = split(&inner, &[","]).into_iter().enumerate();
            let inner = inner.map(|(at, piece)| (at.to_string().into(), self.token_pattern(piece)));
            let parts = inner.collect();
            self.read.leave();
            let of = of.into();
            return Pattern::Parts { of, parts };
        }
        match (last.kind(), before) {
            ("identifier", []) => {
                let name = self.read.name(*last);
                if name.starts_with(char::is_uppercase) {
                    let at = self.read.at(*last);
                    let kind = name_or_none(name);
                    return Pattern::Value(Box::new(Expr { at, kind }));
                }
                Pattern::Name(name, None)
            }
            _ => Pattern::Ignore,
        }
    }
}
