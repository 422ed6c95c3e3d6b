//! Who emits events: calls that publish, calls of a bus of the tree, rows of an outbox.

use std::sync::Arc;

use crate::model::effect::EffectKind;
use crate::model::map::{Producer, Sureness};

use super::buses::{BUS, Buses};
use super::calls::{Calls, Site};
use super::frame::{Analysis, Frame};
use super::program::title;
use super::resolve::Callee;
use super::text::{Text, Texts};

/// An event that only callers name is followed out of this many functions.
const MAX_CALLERS: usize = 4;
/// And to at most this many calls in all.
const MAX_CALLS: usize = 200;

/// Every producer of the product's own code, by place: where the event is named, not where a
/// function that takes its name as a parameter hands it on.
pub(super) fn find<'a>(analysis: &Analysis<'a>, buses: &Buses, calls: &Calls<'a>) -> Vec<Producer> {
    let mut found: Vec<Producer> = Vec::new();
    for site in &calls.sites {
        let mut open = vec![vec![site]];
        let mut left = MAX_CALLS;
        while let Some(chain) = open.pop() {
            let Some((outer, within)) = chain.split_first() else {
                break;
            };
            analysis.refuel();
            let frame = analysis.frame(outer.within);
            let Some(emitted) = emitted(analysis, buses, outer, within, &frame) else {
                break;
            };
            let callers: Vec<&Site<'a>> = calls.callers(outer.within).take(left).collect();
            let follows = !emitted.known && chain.len() <= MAX_CALLERS && !callers.is_empty();
            if follows {
                left -= callers.len();
                for caller in callers {
                    let mut longer = vec![caller];
                    longer.extend(&chain);
                    open.push(longer);
                }
                continue;
            }
            let file = analysis.program.file(outer.within);
            found.extend(emitted.events.into_iter().map(|(kind, event)| Producer {
                event: event.into(),
                kind,
                function: title(analysis.program.function(outer.within)),
                place: file.place(outer.call.at),
                rule: Arc::clone(&emitted.rule),
                sureness: emitted.sureness,
            }));
        }
    }
    found.sort_by(|a, b| (&a.place, &a.event).cmp(&(&b.place, &b.event)));
    found.dedup_by(|a, b| a.place == b.place && a.event == b.event);
    found
}

/// What a call emits.
struct Emitted {
    events: Vec<(EffectKind, String)>,
    /// True if every event is known in full.
    known: bool,
    rule: Arc<str>,
    sureness: Sureness,
}

/// What the last of some calls emits, each standing in the function that the one before it runs.
fn emitted<'a>(
    analysis: &Analysis<'a>,
    buses: &Buses,
    site: &Site<'a>,
    within: &[&Site<'a>],
    frame: &Frame<'a, '_>,
) -> Option<Emitted> {
    if let Some((next, rest)) = within.split_first() {
        let mut inner = frame.enter(analysis, next.within, site.call);
        inner.depth = 0;
        return emitted(analysis, buses, next, rest, &inner);
    }
    if let Callee::Functions(ids, sureness) = &site.callee
        && let Some(event) = ids.iter().find_map(|id| buses.dispatching.get(id))
    {
        let texts = match event.and_then(|at| site.call.args.get(at)) {
            Some(arg) => analysis.texts(arg, frame),
            None => Texts::hole("event"),
        };
        let shown = texts.options.iter().map(Text::shown);
        return Some(Emitted {
            events: shown.map(|event| (EffectKind::Publish, event)).collect(),
            known: texts.options.iter().all(|text| text.constant().is_some()),
            rule: BUS.into(),
            sureness: *sureness,
        });
    }
    let effects = analysis.effects_of(site.call, &site.callee, frame)?;
    let found = effects.found.into_iter();
    let mut events: Vec<(EffectKind, String)> =
        found.map(|found| (found.kind, found.target)).collect();
    events.retain(|(kind, target)| {
        *kind == EffectKind::Publish || is_outbox(analysis, *kind, target)
    });
    if events.is_empty() {
        return None;
    }
    Some(Emitted {
        known: !events.iter().any(|(_, event)| event.contains('$')),
        events,
        rule: effects.rule,
        sureness: effects.sure,
    })
}

/// True of a new row of a table that a rule calls an outbox.
pub(super) fn is_outbox(analysis: &Analysis<'_>, kind: EffectKind, table: &str) -> bool {
    kind.is_create() && is_outbox_table(analysis, table)
}

/// True of a table that a rule calls an outbox.
pub(super) fn is_outbox_table(analysis: &Analysis<'_>, table: &str) -> bool {
    let mut tables = analysis.rules.outboxes.iter().flat_map(|rule| &rule.table);
    tables.any(|outbox| outbox.eq_ignore_ascii_case(table))
}
