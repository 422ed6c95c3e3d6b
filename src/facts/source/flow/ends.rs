//! How transactions end: which of them are committed at all, and what each commit keeps together
//! with an effect.

use std::collections::BTreeMap;

use super::Flow;
use super::state::{Set, State};
use super::statements::OUTER;

/// What is known of the ends of transactions.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// Transactions that some way commits.
    committed: Set,
    /// Writes that every commit of a transaction keeps, of those that keep an effect.
    kept: BTreeMap<(usize, usize), Set>,
    /// Transactions that a function commits when it ends, by the body that runs.
    deferred: Vec<Set>,
    /// Every commit, in the order they were met.
    all: Vec<usize>,
    /// Calls that ask for a commit, whether or not one is open.
    asked: usize,
    /// What the blocks around a statement began.
    blocks: Vec<Set>,
    /// The same of the functions around.
    outer: Vec<Vec<Set>>,
    /// Transactions behind which another one begins.
    over: Set,
}

impl Ends {
    /// True of a transaction that is committed somewhere, or by whoever called the handler.
    pub(super) fn is_committed(&self, tx: usize) -> bool {
        tx == OUTER || self.committed.contains(&tx)
    }

    /// How many calls asked for a commit.
    pub(super) fn asked(&self) -> usize {
        self.asked
    }

    /// A call asks for a commit.
    pub(super) fn ask(&mut self) {
        self.asked += 1;
    }

    /// A block begins that began these.
    pub(super) fn enter_block(&mut self, tx: Set) {
        self.blocks.push(tx);
    }

    /// It ends.
    pub(super) fn leave_block(&mut self) -> Set {
        self.blocks.pop().unwrap_or_default()
    }

    /// What the blocks around began.
    pub(super) fn blocks(&self) -> impl Iterator<Item = usize> {
        self.blocks.iter().flatten().copied()
    }

    /// What runs behind is in another transaction.
    pub(super) fn over(&mut self, tx: usize) {
        self.over.insert(tx);
    }

    /// True if another transaction began since.
    pub(super) fn is_over(&self, tx: usize) -> bool {
        self.over.contains(&tx)
    }

    /// How many commits were met.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// What was committed since there were so many.
    pub(super) fn since(&self, count: usize) -> Set {
        self.all.iter().skip(count).copied().collect()
    }

    /// True if every commit of a transaction that keeps an effect keeps a write as well.
    pub(super) fn keeps(&self, tx: usize, effect: usize, write: usize) -> bool {
        let kept = self.kept.get(&(tx, effect));
        kept.is_some_and(|kept| kept.contains(&write))
    }
}

impl<'a> Flow<'a, '_> {
    /// A transaction is committed.
    pub(super) fn commit(&mut self, tx: usize, state: &State<'a>) {
        self.ends.committed.insert(tx);
        self.ends.all.push(tx);
        for (effect, ran) in &*state.met {
            let kept = self.ends.kept.entry((tx, *effect));
            let kept = kept.or_insert_with(|| ran.clone());
            kept.retain(|one| ran.contains(one));
        }
    }

    /// A body begins whose transactions may be committed where it ends.
    pub(super) fn begin_body(&mut self) {
        let around = std::mem::take(&mut self.ends.blocks);
        self.ends.outer.push(around);
        self.ends.deferred.push(Set::new());
    }

    /// A transaction is committed where the body ends, by what is deferred.
    pub(super) fn commit_deferred(&mut self, tx: Set) {
        if let Some(deferred) = self.ends.deferred.last_mut() {
            deferred.extend(tx);
        }
    }

    /// The body ends; in these states, of those that do not fail.
    pub(super) fn end_body(&mut self, ends: &[State<'a>]) {
        self.ends.blocks = self.ends.outer.pop().unwrap_or_default();
        let deferred = self.ends.deferred.pop().unwrap_or_default();
        for tx in deferred {
            for state in ends {
                self.commit(tx, state);
            }
        }
    }

    /// The handler ends: what is around it, and whoever called it, commits what it opened.
    pub(super) fn end_of_handler(&mut self, around: &Set, state: State<'a>) {
        let given = self.given.pop().unwrap_or_default();
        let left = given.into_iter().filter(|given| !given.fails);
        let mut ends: Vec<State<'a>> = left.map(|given| given.state).collect();
        if !state.left {
            ends.push(state);
        }
        for state in &ends {
            self.commit(OUTER, state);
            for tx in around {
                self.commit(*tx, state);
            }
        }
    }
}
