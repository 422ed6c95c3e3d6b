//! Where code compares something with a word, and what it runs if the word is there.

use std::sync::Arc;

use crate::model::place::Pos;
use crate::model::source::{Block, Expr, ExprKind, Operator, Pattern, Stmt, StmtKind};

use super::frame::{Analysis, Frame};
use super::program::FnId;
use super::walk::{self, Part};

/// A comparison with a word.
#[derive(Debug)]
pub(super) struct Compared<'a> {
    /// The word, as it was asked for.
    pub(super) word: Arc<str>,
    /// What runs if it is there.
    pub(super) runs: &'a Block,
    /// Where it stands.
    pub(super) at: Pos,
}

/// Every comparison of a function with one of these words, whatever the case of their letters.
pub(super) fn find<'a>(
    analysis: &Analysis<'a>,
    id: FnId,
    words: &[&Arc<str>],
) -> Vec<Compared<'a>> {
    let mut search = Search {
        analysis,
        frame: &analysis.frame(id),
        words,
        found: Vec::new(),
    };
    search.block(&analysis.program.function(id).body);
    search.found
}

struct Search<'a, 's, 'f> {
    analysis: &'s Analysis<'a>,
    frame: &'s Frame<'a, 'f>,
    words: &'s [&'s Arc<str>],
    found: Vec<Compared<'a>>,
}

impl<'a> Search<'a, '_, '_> {
    fn block(&mut self, block: &'a Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
            let mut open: Vec<Part<'a>> = Vec::new();
            walk::stmt_parts(stmt, &mut |part| open.push(part));
            while let Some(part) = open.pop() {
                match part {
                    Part::Block(block) => self.block(block),
                    Part::Closure(closure) => self.block(&closure.body),
                    Part::Expr(expr) => walk::parts(expr, &mut |part| open.push(part)),
                }
            }
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::If {
                condition, then, ..
            } => self.condition(condition, then),
            StmtKind::Match { arms, .. } => {
                for arm in arms {
                    for pattern in &arm.patterns {
                        if let Pattern::Value(value) = pattern {
                            self.is(value, value.at, &arm.body);
                        }
                    }
                    if let Some(guard) = &arm.guard {
                        self.condition(guard, &arm.body);
                    }
                }
            }
            _ => {}
        }
    }

    /// A condition that holds only, or also, for a word.
    fn condition(&mut self, condition: &'a Expr, runs: &'a Block) {
        match &condition.kind {
            ExprKind::Binary {
                op: Operator::And | Operator::Or,
                left,
                right,
            } => {
                self.condition(left, runs);
                self.condition(right, runs);
            }
            ExprKind::Binary {
                op: Operator::Equal,
                left,
                right,
            } => {
                self.is(left, condition.at, runs);
                self.is(right, condition.at, runs);
            }
            // `strings.EqualFold(kind, Word)`.
            ExprKind::Call(call) if call.args.len() == 2 => {
                for arg in &call.args {
                    self.is(arg, condition.at, runs);
                }
            }
            _ => {}
        }
    }

    fn is(&mut self, value: &'a Expr, at: Pos, runs: &'a Block) {
        self.analysis.refuel();
        let texts = self.analysis.texts(value, self.frame);
        let [only] = texts.options.as_slice() else {
            return;
        };
        let Some(text) = only.constant() else {
            return;
        };
        let mut words = self.words.iter();
        if let Some(word) = words.find(|word| word.eq_ignore_ascii_case(text)) {
            self.found.push(Compared {
                word: Arc::clone(word),
                runs,
                at,
            });
        }
    }
}
