//! Blocks that hold something open, and the one transaction that Python code is in without naming it.
//!
//! A handler of Python is taken to write to one database: what runs while a transaction is open runs
//! in it, whichever value it is called on.

use std::collections::BTreeSet;

use crate::model::source::{Block, Expr, ExprKind, Language, Pattern};

use super::super::frame::Frame;
use super::super::scope::Bound;
use super::super::walk;
use super::Flow;
use super::run::Last;
use super::state::{Set, State, Val};
use super::statements::OUTER;

impl<'a> Flow<'a, '_> {
    /// A block that something is open around; it ends what it began.
    pub(super) fn with(
        &mut self,
        (of, name, body): (&'a Expr, Option<&'a Pattern>, &'a Block),
        last: Last,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Val {
        let before = state.open.clone();
        let (ended, begun) = (self.ends.asked(), self.transactions.len());
        let val = self.eval(of, frame, state);
        // A function of the tree that is a block gives way to the body in its middle: what it
        // begins is open there, and what it commits it commits behind.
        let calls_tree = self.calls_tree(of, frame);
        if calls_tree && state.open.is_empty() && self.transactions.len() > begun {
            let new = self.transactions.values().copied();
            state.open = new.filter(|tx| *tx >= begun).take(1).collect();
        }
        let commits = calls_tree && self.ends.asked() > ended || self.is_connection(of, frame);
        let inner: Set = state.open.difference(&before).copied().collect();
        if let Some(name) = name {
            self.fits(name, &val, frame, state);
        }
        self.ends.enter_block(inner);
        let value = self.block(body, last, frame, state);
        let inner = self.ends.leave_block();
        if !state.left {
            for tx in inner {
                self.commit(tx, state);
            }
            if commits && state.open.is_subset(&before) {
                self.commit_implicit(state);
            }
        }
        // A transaction that it began is over behind the block.
        state.open = state.open.intersection(&before).copied().collect();
        value
    }

    fn calls_tree(&self, of: &'a Expr, frame: &Frame<'a, '_>) -> bool {
        let ExprKind::Call(call) = &of.kind else {
            return false;
        };
        self.analysis.refuel();
        let callee = self.analysis.resolve(call, frame);
        matches!(callee, super::super::resolve::Callee::Functions(..))
    }

    /// True of a connection by itself: the block commits what was written through it.
    fn is_connection(&self, of: &'a Expr, frame: &Frame<'a, '_>) -> bool {
        if frame.file.language != Language::Python {
            return false;
        }
        self.analysis.refuel();
        let ty = self.analysis.type_of(of, frame);
        let names = ty.map_or_else(Vec::new, |ty| self.analysis.names_of(&ty));
        let mut names = names.iter();
        names.any(|name| self.is_transaction_type(name, frame))
    }

    /// The function ends inside of blocks: what they hold is committed.
    pub(super) fn leave_blocks(&mut self, state: &State<'a>) {
        let inside: BTreeSet<usize> = self.ends.blocks().collect();
        for tx in inside {
            self.commit(tx, state);
        }
    }

    /// The transactions in which a statement of Python runs: what is open, else the one that the
    /// library begins by itself, else none but its own.
    pub(super) fn around_statement(
        &mut self,
        of: &'a Expr,
        is_implicit: bool,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Set {
        if !state.open.is_empty() {
            return state.open.clone();
        }
        if !is_implicit {
            return Set::new();
        }
        let known = state.implicit;
        let tx = known.unwrap_or_else(|| match self.is_given(of, frame) {
            true if !self.ends.is_over(OUTER) => OUTER,
            _ => self.begun(frame.file.place(of.at)),
        });
        state.implicit = Some(tx);
        [tx].into()
    }

    /// True of what whoever called the handler gave to it.
    fn is_given(&self, of: &'a Expr, frame: &Frame<'a, '_>) -> bool {
        let Some(name) = walk::whole(of) else {
            return false;
        };
        let Some(binding) = frame.binding(self.analysis, name, of.at).copied() else {
            return false;
        };
        match binding.is {
            Bound::Param(at, _) => match frame.argument(self.analysis, at) {
                Some((arg, caller)) => self.is_given(arg, caller),
                None => true,
            },
            Bound::Value {
                value: Some(value), ..
            } => match &value.kind {
                // `cursor = connection.cursor()`
                ExprKind::Call(call) => match &call.callee.kind {
                    ExprKind::Field { of, .. } => self.is_given(of, frame),
                    _ => false,
                },
                _ => self.is_given(value, frame),
            },
            _ => false,
        }
    }

    /// The transaction that is open, or that the library began by itself, is committed.
    pub(super) fn commit_implicit(&mut self, state: &mut State<'a>) {
        for tx in state.open.iter().copied().chain(state.implicit) {
            self.commit(tx, state);
            self.ends.over(tx);
        }
        state.implicit = None;
    }

    /// What is given runs behind the commit.
    pub(super) fn behind_commit(state: &State<'a>) -> State<'a> {
        State {
            open: Set::new(),
            implicit: None,
            launched: None,
            ..state.clone()
        }
    }
}
