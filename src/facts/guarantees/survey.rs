//! Goes through an outline along every way and notes, for each thing that is asked about, what came
//! before it on each of them.
//!
//! What came before is a set of marks; a state is the set of all such sets, one for each way that
//! differs. Loops are gone through until nothing changes.

use std::collections::{BTreeSet, HashMap};

use crate::model::guarantee::{Caught, Node, Outline, What};
use crate::model::place::Place;

/// Marks, one bit each.
pub(super) type Marks = u64;

/// The mark that something was committed.
pub(super) const COMMITTED: Marks = 1 << 63;

/// The mark that a transaction ended that may have been a savepoint of another.
pub(super) const MAYBE: Marks = 1 << 61;

/// The mark that a statement changed no row: what is behind it is that of nothing written.
pub(super) const NO_ROW: Marks = 1 << 62;

/// More ways than this are not told apart.
const MAX_WAYS: usize = 256;

/// Marks on each way that leads somewhere; empty where none does.
pub(super) type Ways = BTreeSet<Marks>;

/// What is asked of an outline.
pub(super) struct Asked<'q, 'n> {
    /// The marks that a thing sets.
    pub(super) marks: &'q dyn Fn(&'n Node) -> Marks,
    /// Marks that end with the transaction in which they were set: locks.
    pub(super) held: Marks,
    /// Marks that a rollback does not undo: calls.
    pub(super) stays: Marks,
}

/// Something that sets marks.
#[derive(Debug)]
pub(super) struct Sighting<'n> {
    /// It.
    pub(super) node: &'n Node,
    /// The marks that it sets.
    pub(super) marks: Marks,
    /// What came before it.
    pub(super) before: Ways,
    /// The transaction in which it stands, the outermost.
    pub(super) within: Option<usize>,
    /// The handlers around it, the innermost last.
    pub(super) handlers: Vec<&'n [Caught]>,
    /// True if it stands in a loop.
    pub(super) looped: bool,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Survey<'n> {
    /// All that set marks, in order.
    pub(super) sightings: Vec<Sighting<'n>>,
    /// The ends of outermost transactions that keep what they wrote: by number, and the marks.
    pub(super) commits: Vec<(usize, Ways, Place)>,
    /// Ways to the end without an error.
    pub(super) ends: Ways,
    /// Ways that end with an error.
    pub(super) raises: Ways,
    /// True if there are more ways than are told apart.
    pub(super) lost: bool,
}

impl Survey<'_> {
    /// Those that set a mark.
    pub(super) fn of(&self, mark: Marks) -> impl Iterator<Item = &Sighting<'_>> {
        self.sightings
            .iter()
            .filter(move |one| one.marks & mark != 0)
    }
}

/// Surveys an outline.
pub(super) fn survey<'n>(outline: &'n Outline, asked: &Asked<'_, 'n>) -> Survey<'n> {
    survey_of(&outline.nodes, asked)
}

/// Surveys some of an outline.
pub(super) fn survey_of<'n>(nodes: &'n [Node], asked: &Asked<'_, 'n>) -> Survey<'n> {
    let mut run = Run {
        asked,
        found: Survey::default(),
        by_node: HashMap::new(),
        within: Vec::new(),
        numbers: HashMap::new(),
        handlers: Vec::new(),
        loops: 0,
        out: Out::default(),
        begun: false,
    };
    let mut ways = Ways::from([0]);
    run.nodes(nodes, &mut ways);
    let out = std::mem::take(&mut run.out);
    run.found.ends = join(ways, out.returns);
    run.found.raises = out.raises;
    run.found
}

/// Ways that leave the ordinary order.
#[derive(Debug, Default)]
struct Out {
    returns: Ways,
    raises: Ways,
    leaves: Ways,
}

struct Run<'q, 'n> {
    asked: &'q Asked<'q, 'n>,
    found: Survey<'n>,
    by_node: HashMap<usize, usize>,
    within: Vec<usize>,
    numbers: HashMap<usize, usize>,
    handlers: Vec<&'n [Caught]>,
    loops: usize,
    out: Out,
    /// True if the next transaction may be a savepoint.
    begun: bool,
}

fn join(mut one: Ways, other: Ways) -> Ways {
    one.extend(other);
    one
}

impl<'n> Run<'_, 'n> {
    fn nodes(&mut self, nodes: &'n [Node], ways: &mut Ways) {
        for node in nodes {
            if ways.is_empty() {
                return;
            }
            if ways.len() > MAX_WAYS {
                self.found.lost = true;
                let all = ways.iter().fold(0, |all, one| all | one);
                let both = ways.iter().fold(u64::MAX, |all, one| all & one);
                *ways = Ways::from([both, all]);
            }
            self.node(node, ways);
        }
    }

    fn see(&mut self, node: &'n Node, ways: &mut Ways) {
        let marks = (self.asked.marks)(node);
        if marks == 0 {
            return;
        }
        let key = std::ptr::from_ref(node).addr();
        let at = *self.by_node.entry(key).or_insert_with(|| {
            self.found.sightings.push(Sighting {
                node,
                marks,
                before: Ways::new(),
                within: match &node.what {
                    What::Statement(ran) if ran.apart => None,
                    _ => self.within.first().copied(),
                },
                handlers: self.handlers.clone(),
                looped: self.loops > 0,
            });
            self.found.sightings.len() - 1
        });
        if let Some(one) = self.found.sightings.get_mut(at) {
            one.before.extend(ways.iter().copied());
        }
        *ways = ways.iter().map(|way| way | marks).collect();
    }

    fn node(&mut self, node: &'n Node, ways: &mut Ways) {
        match &node.what {
            What::Statement(_) => {
                self.out.raises.extend(ways.iter().copied());
                self.see(node, ways);
            }
            What::Call(call) => {
                self.out.raises.extend(ways.iter().copied());
                self.see(node, ways);
                if let Some(body) = &call.body {
                    let outer = std::mem::take(&mut self.out.returns);
                    let leaves = std::mem::take(&mut self.out.leaves);
                    self.nodes(body, ways);
                    let returns = std::mem::replace(&mut self.out.returns, outer);
                    self.out.leaves = leaves;
                    ways.extend(returns);
                }
            }
            What::Branch { test, arms } => {
                self.see(node, ways);
                let mut all = Ways::new();
                for (at, arm) in arms.iter().enumerate() {
                    let mut own = ways.clone();
                    if test.no_row.is_some_and(|holds| holds == (at == 0)) {
                        own = own.iter().map(|way| way | NO_ROW).collect();
                    }
                    self.nodes(arm, &mut own);
                    all.extend(own);
                }
                *ways = all;
            }
            What::Loop { each, test, body } => self.rounds(*each || test.is_some(), body, ways),
            What::Transaction(body) => self.transaction(node, body, ways),
            What::Try {
                body,
                handlers,
                finally,
            } => self.attempt(body, handlers, finally, ways),
            What::Begun => self.begun = true,
            What::Commit => {
                let number = usize::MAX;
                self.found
                    .commits
                    .push((number, ways.clone(), node.place.clone()));
                *ways = self.ended(ways);
            }
            What::Return(_) => {
                self.see(node, ways);
                self.out.returns.append(ways);
            }
            What::Raise(_) => {
                self.see(node, ways);
                self.out.raises.append(ways);
            }
            What::Leave => self.out.leaves.append(ways),
            What::Assign(..) => self.see(node, ways),
        }
    }

    fn ended(&self, ways: &Ways) -> Ways {
        let held = self.asked.held;
        ways.iter().map(|way| (way & !held) | COMMITTED).collect()
    }

    fn rounds(&mut self, ends: bool, body: &'n [Node], ways: &mut Ways) {
        let outer = std::mem::take(&mut self.out.leaves);
        self.loops += 1;
        let start = ways.clone();
        let mut entry = start.clone();
        let mut behind = Ways::new();
        for _ in 0..8 {
            let mut own = entry.clone();
            self.nodes(body, &mut own);
            behind.extend(own);
            let next: Ways = start
                .iter()
                .chain(&behind)
                .chain(&self.out.leaves)
                .copied()
                .collect();
            if next == entry {
                break;
            }
            entry = next;
        }
        self.loops -= 1;
        let leaves = std::mem::replace(&mut self.out.leaves, outer);
        *ways = match ends {
            true => join(join(start, behind), leaves),
            false => leaves,
        };
    }

    fn transaction(&mut self, node: &'n Node, body: &'n [Node], ways: &mut Ways) {
        let key = std::ptr::from_ref(node).addr();
        let next = self.numbers.len();
        let number = *self.numbers.entry(key).or_insert(next);
        let is_outer = self.within.is_empty();
        let begun = std::mem::take(&mut self.begun);
        let entry = ways.clone();
        let outer = std::mem::take(&mut self.out);
        self.within.push(number);
        self.nodes(body, ways);
        self.within.pop();
        let inner = std::mem::replace(&mut self.out, outer);
        let kept: Ways = ways
            .iter()
            .chain(&inner.returns)
            .chain(&inner.leaves)
            .copied()
            .collect();
        if is_outer && !kept.is_empty() {
            self.found.commits.push((number, kept, node.place.clone()));
        }
        let end = |run: &Self, ways: &Ways| match is_outer {
            true if begun => ways.iter().map(|way| way | MAYBE).collect(),
            true => run.ended(ways),
            false => ways.clone(),
        };
        *ways = end(self, ways);
        let (returns, leaves) = (end(self, &inner.returns), end(self, &inner.leaves));
        self.out.returns.extend(returns);
        self.out.leaves.extend(leaves);
        for way in inner.raises {
            let stays = way & self.asked.stays;
            self.out
                .raises
                .extend(entry.iter().map(|before| before | stays));
        }
    }

    fn attempt(
        &mut self,
        body: &'n [Node],
        handlers: &'n [Caught],
        finally: &'n [Node],
        ways: &mut Ways,
    ) {
        let outer = std::mem::take(&mut self.out.raises);
        self.handlers.push(handlers);
        self.nodes(body, ways);
        self.handlers.pop();
        let raised = std::mem::replace(&mut self.out.raises, outer);
        let all = handlers.iter().any(takes_all);
        if !all {
            self.out.raises.extend(raised.iter().copied());
        }
        for handler in handlers {
            let mut own = raised.clone();
            self.nodes(&handler.body, &mut own);
            ways.extend(own);
        }
        self.nodes(finally, ways);
    }
}

/// True of a handler that takes every error.
pub(super) fn takes_all(caught: &Caught) -> bool {
    let mut types = caught.takes.iter();
    caught.takes.is_empty() || types.any(|of| matches!(&**of, "Exception" | "BaseException"))
}
