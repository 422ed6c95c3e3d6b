//! Rows that are written past the outbox: where no function on the way to the write inserts a row
//! of the outbox; and events that are handed to the bus without it.

use std::collections::BTreeSet;

use crate::model::effect::EffectKind;
use crate::model::map::{Producer, UnqueuedWrite};
use crate::model::source::FileRole;

use super::buses::BUS;
use super::calls::{Calls, Site};
use super::effects::Found;
use super::frame::{Analysis, Frame};
use super::producers::is_outbox;
use super::program::{FnId, title};

/// A text that only callers name is followed out of this many functions.
const MAX_CALLERS: usize = 5;
/// And to at most this many calls in all, from one write.
const MAX_CALLS: usize = 2_000;

/// Told of each way: its calls, how many of them it takes until the statement is known, and what is
/// left behind.
type Seen<'a, 'c, 's> = dyn FnMut(&[&'c Site<'a>], usize, &[Found]) + 's;

/// Finds them, by place. Without an insert into an outbox the tree has none that could be missing.
pub(super) fn find<'a>(
    analysis: &Analysis<'a>,
    calls: &Calls<'a>,
    producers: &[Producer],
) -> Vec<UnqueuedWrite> {
    let mut enqueues: Vec<FnId> = Vec::new();
    let mut writes: Vec<(&Site<'a>, Vec<&Site<'a>>)> = Vec::new();
    for site in &calls.sites {
        let is_product = analysis.program.file(site.within).role == FileRole::Product;
        let frame = analysis.frame(site.within);
        if is_product && analysis.speaks_of_effect(site.call, &site.callee, &frame) {
            outward(analysis, calls, site, &mut |chain, worded, found| {
                if found
                    .iter()
                    .any(|it| is_outbox(analysis, it.kind, &it.target))
                {
                    enqueues.extend(chain.first().map(|site| site.within));
                } else if found.iter().any(is_record) {
                    // Who asks for the write, not who words it.
                    let asks = chain.len().saturating_sub(worded + 1);
                    writes.extend(chain.get(asks).map(|site| (*site, chain.to_vec())));
                }
            });
        }
    }
    let mut found: Vec<UnqueuedWrite> = producers
        .iter()
        .filter(|producer| &*producer.rule == BUS && is_delivered(analysis, &producer.event))
        .map(|producer| UnqueuedWrite {
            function: producer.function.clone(),
            event: Some(producer.event.clone()),
            place: producer.place.clone(),
        })
        .collect();
    if enqueues.is_empty() {
        return found;
    }
    let covered = above(analysis, calls, enqueues);
    for (site, chain) in writes {
        if !chain.iter().any(|site| covered[site.within.index()]) {
            found.push(UnqueuedWrite {
                function: title(analysis.program.function(site.within)),
                event: None,
                place: analysis.program.file(site.within).place(site.call.at),
            });
        }
    }
    found.sort_by(|a, b| (&a.place, &a.event).cmp(&(&b.place, &b.event)));
    found.dedup();
    let mut told = BTreeSet::new();
    found.retain(|one| told.insert((one.function.clone(), one.event.clone())));
    found
}

/// Goes from a call that writes to its callers, as long as only they name what is written: each way
/// with what the call leaves behind there, the outermost call first, and how many of its calls it
/// takes until the statement is known.
fn outward<'a, 'c>(
    analysis: &Analysis<'a>,
    calls: &'c Calls<'a>,
    site: &'c Site<'a>,
    seen: &mut Seen<'a, 'c, '_>,
) {
    let mut open = vec![(vec![site], None)];
    let mut left = MAX_CALLS;
    while let Some((chain, known)) = open.pop() {
        let Some((outer, within)) = chain.split_first() else {
            break;
        };
        analysis.refuel();
        let frame = analysis.frame(outer.within);
        let found = written(analysis, outer, within, &frame);
        let is_known = found.iter().all(|it| it.kind != EffectKind::Unmapped);
        let known = known.or(is_known.then_some(chain.len()));
        let worded = known.unwrap_or(chain.len());
        if !found.iter().any(|it| it.target.contains('$')) {
            seen(&chain, worded, &found);
            continue;
        }
        let callers = calls.callers(outer.within);
        let product = callers
            .filter(|site| analysis.program.file(site.within).role == FileRole::Product)
            .filter(|site| !chain.iter().any(|inner| inner.within == site.within));
        let callers: Vec<&Site<'a>> = product.take(left).collect();
        if callers.is_empty() || chain.len() > MAX_CALLERS {
            seen(&chain, worded, &found);
            continue;
        }
        left -= callers.len();
        for caller in callers {
            let mut longer = vec![caller];
            longer.extend(&chain);
            open.push((longer, known));
        }
    }
}

/// What the last of some calls leaves behind, each standing in the function that the one before it
/// runs.
fn written<'a>(
    analysis: &Analysis<'a>,
    site: &Site<'a>,
    within: &[&Site<'a>],
    frame: &Frame<'a, '_>,
) -> Vec<Found> {
    if let Some((next, rest)) = within.split_first() {
        let mut inner = frame.enter(analysis, next.within, site.call);
        inner.depth = 0;
        return written(analysis, next, rest, &inner);
    }
    let effects = analysis.effects_of(site.call, &site.callee, frame);
    effects.map_or_else(Vec::new, |effects| effects.found)
}

/// A write to a table that nothing names: of records of any kind.
fn is_record(found: &Found) -> bool {
    let kind = found.kind;
    let written = kind.is_create() || kind.is_set() || kind == EffectKind::Delete;
    written && found.target.starts_with('$')
}

/// True of an event that the outbox delivers too.
fn is_delivered(analysis: &Analysis<'_>, event: &str) -> bool {
    let platform = analysis.rules.platform.as_ref();
    let mut rules = platform.iter().flat_map(|(_, platform)| &platform.enqueues);
    rules.any(|rule| *rule.event == *event)
}

/// Functions from which a row of the outbox is inserted.
fn above(analysis: &Analysis<'_>, calls: &Calls<'_>, start: Vec<FnId>) -> Vec<bool> {
    let mut covered = vec![false; analysis.program.functions().count()];
    let mut open = start;
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut covered[id.index()], true) {
            open.extend(calls.callers(id).map(|site| site.within));
        }
    }
    covered
}
