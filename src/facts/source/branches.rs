//! What code does for the words of the rule packs: each comparison with one, and all that the code
//! behind it can reach.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::effect::EffectKind;
use crate::model::map::WordBranch;
use crate::model::place::Place;
use crate::model::source::{Block, Expr, ExprKind, FileRole, Operator, Stmt, StmtKind};
use crate::rules::Becomes;

use super::buses::Buses;
use super::calls::Calls;
use super::compared::{self, Compared};
use super::finds_first;
use super::frame::Analysis;
use super::mapped;
use super::program::{FnId, title};
use super::reach;
use super::reached::Reached;
use super::walk::{self, Part};

/// A branch and the function in which it stands.
#[derive(Debug)]
pub(super) struct Branch {
    /// What the map keeps of it.
    pub(super) branch: WordBranch,
    /// The function.
    pub(super) within: FnId,
}

/// Every branch of the product's own code, by word and place.
pub(super) fn find<'a>(analysis: &Analysis<'a>, buses: &Buses, calls: &Calls<'a>) -> Vec<Branch> {
    let words = words(analysis);
    if words.is_empty() {
        return Vec::new();
    }
    let mut compared: Vec<(FnId, Compared<'a>)> = Vec::new();
    for id in analysis.program.functions() {
        if analysis.program.file(id).role == FileRole::Product && calls.can_reach(id) {
            let found = compared::find(analysis, id, &words);
            compared.extend(found.into_iter().map(|one| (id, one)));
        }
    }
    let mut within: BTreeMap<Arc<str>, BTreeSet<FnId>> = BTreeMap::new();
    for (id, one) in &compared {
        within.entry(Arc::clone(&one.word)).or_default().insert(*id);
    }
    let keys: Vec<&Arc<str>> = analysis
        .rules
        .actions
        .iter()
        .flat_map(|rule| &rule.idempotency_names)
        .collect();
    let codes = analysis.rules.confirms.iter();
    let codes: Vec<&Arc<str>> = codes.flat_map(|(_, rule)| &rule.finds_first).collect();
    let mut found: Vec<Branch> = compared
        .into_iter()
        .map(|(id, one)| {
            let reach = reach::follow_block(analysis, buses, calls, one.runs, id);
            let place = analysis.program.file(id).place(one.at);
            let again = within.get(&one.word);
            let prefix = format!("branch:{}", one.word);
            Branch {
                branch: WordBranch {
                    function: title(analysis.program.function(id)),
                    passes_on: again.is_some_and(|again| {
                        let mut entered = reach.entered.iter().filter(|inner| **inner != id);
                        entered.any(|inner| again.contains(inner))
                    }),
                    effects: reach
                        .effects
                        .iter()
                        .map(|effect| mapped(&prefix, effect))
                        .collect(),
                    has_gaps: !reach.lost.is_empty(),
                    key_names: key_names(analysis, &reach.entered, (id, one.runs), &keys),
                    takes_row: finds_first::find(analysis, calls, &reach.entered, &codes),
                    skips_equal: reach
                        .effects
                        .iter()
                        .filter(|effect| effect.kind == EffectKind::Update)
                        .find_map(|effect| skips_equal(analysis, &reach.entered, effect)),
                    place,
                    word: one.word,
                },
                within: id,
            }
        })
        .collect();
    found.sort_by(|a, b| (&a.branch.word, &a.branch.place).cmp(&(&b.branch.word, &b.branch.place)));
    found
}

/// The words by which the packs in force tell what is done.
fn words<'r>(analysis: &Analysis<'r>) -> Vec<&'r Arc<str>> {
    let rules = analysis.rules.actions.iter();
    let live = rules.filter(|rule| rule.becomes != Becomes::Dormant);
    let words: BTreeSet<&Arc<str>> = live.flat_map(|rule| &rule.words).collect();
    words.into_iter().collect()
}

/// Literal names of idempotency keys in the code that a branch runs.
fn key_names<'a>(
    analysis: &Analysis<'a>,
    entered: &BTreeSet<FnId>,
    (id, runs): (FnId, &'a Block),
    names: &[&Arc<str>],
) -> Vec<(Arc<str>, Place)> {
    let mut found = Vec::new();
    let mut look = |id: FnId, block: &'a Block| {
        let file = analysis.program.file(id);
        walk::each_expr(block, &mut |expr| {
            let ExprKind::Text(text) = &expr.kind else {
                return;
            };
            if names.iter().any(|name| name.eq_ignore_ascii_case(text)) {
                found.push((Arc::clone(text), file.place(expr.at)));
            }
        });
    };
    look(id, runs);
    for id in entered {
        look(*id, &analysis.program.function(*id).body);
    }
    found.sort();
    found.dedup();
    found
}

/// Where a function on the way to an update leaves early because nothing differs: a return that
/// depends on a name which is set only where two values are not equal.
fn skips_equal(
    analysis: &Analysis<'_>,
    entered: &BTreeSet<FnId>,
    effect: &Reached,
) -> Option<Place> {
    for id in entered {
        let function = analysis.program.function(*id);
        let file = analysis.program.file(*id);
        let places = effect.path.iter().map(|hop| &hop.place);
        let is_on_the_way = places.chain([&effect.place]).any(|place| {
            place.span().is_some_and(|span| {
                span.file == file.path && span.start >= function.at && span.start < function.end
            })
        });
        if !is_on_the_way {
            continue;
        }
        let mut blocks = vec![&function.body];
        while let Some(block) = blocks.pop() {
            if let Some(stmt) = leaves_early(block) {
                return Some(file.place(stmt.at));
            }
            for stmt in &block.stmts {
                inner_blocks(stmt, &mut blocks);
            }
        }
    }
    None
}

/// The statement of a block that leaves it where nothing differs.
fn leaves_early(block: &Block) -> Option<&Stmt> {
    let mut differ: BTreeSet<&str> = BTreeSet::new();
    for stmt in &block.stmts {
        if let StmtKind::If {
            condition, then, ..
        } = &stmt.kind
            && matches!(
                then.stmts.last().map(|it| &it.kind),
                Some(StmtKind::Return(_))
            )
            && is_empty_test(condition)
            && walk::names_in(condition)
                .iter()
                .any(|name| differ.contains(name))
        {
            return Some(stmt);
        }
        let mut open = vec![stmt];
        while let Some(stmt) = open.pop() {
            if let StmtKind::If {
                condition, then, ..
            } = &stmt.kind
                && is_difference(condition)
            {
                differ.extend(then.stmts.iter().flat_map(assigned));
            }
            let mut inner = Vec::new();
            inner_blocks(stmt, &mut inner);
            open.extend(inner.into_iter().flat_map(|block| &block.stmts));
        }
    }
    None
}

/// `!x`, `len(x) == 0`.
fn is_empty_test(condition: &Expr) -> bool {
    matches!(
        condition.kind,
        ExprKind::Not(_)
            | ExprKind::Binary {
                op: Operator::Equal,
                ..
            }
    )
}

/// `a != b`, `!same(a, b)`.
fn is_difference(condition: &Expr) -> bool {
    match &condition.kind {
        ExprKind::Binary {
            op: Operator::NotEqual,
            right,
            ..
        } => !matches!(right.kind, ExprKind::Nil),
        ExprKind::Not(of) => matches!(&of.kind, ExprKind::Call(call) if call.args.len() >= 2),
        _ => false,
    }
}

fn assigned(stmt: &Stmt) -> Vec<&str> {
    match &stmt.kind {
        StmtKind::Assign { targets, .. } => targets.iter().filter_map(walk::whole).collect(),
        _ => Vec::new(),
    }
}

/// Blocks of a statement, those of closures in it too.
fn inner_blocks<'a>(stmt: &'a Stmt, blocks: &mut Vec<&'a Block>) {
    let mut open: Vec<Part<'a>> = Vec::new();
    walk::stmt_parts(stmt, &mut |part| open.push(part));
    while let Some(part) = open.pop() {
        match part {
            Part::Block(block) => blocks.push(block),
            Part::Closure(closure) => blocks.push(&closure.body),
            Part::Expr(expr) => walk::parts(expr, &mut |part| open.push(part)),
        }
    }
}
