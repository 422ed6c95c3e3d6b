//! Who emits events: calls that publish, calls of a bus of the tree, rows of an outbox.

use std::sync::Arc;

use crate::model::effect::EffectKind;
use crate::model::map::{Producer, Sureness};

use super::buses::Buses;
use super::calls::{Calls, Site};
use super::frame::Analysis;
use super::program::title;
use super::resolve::Callee;

/// Every producer of the product's own code, by place.
pub(super) fn find<'a>(analysis: &Analysis<'a>, buses: &Buses, calls: &Calls<'a>) -> Vec<Producer> {
    let mut found: Vec<Producer> = Vec::new();
    for site in &calls.sites {
        analysis.refuel();
        let (emitted, rule, sureness) = emitted(analysis, buses, site);
        let file = analysis.program.file(site.within);
        found.extend(emitted.into_iter().map(|(kind, event)| Producer {
            event: event.into(),
            kind,
            function: title(analysis.program.function(site.within)),
            place: file.place(site.call.at),
            rule: Arc::clone(&rule),
            sureness,
        }));
    }
    found.sort_by(|a, b| (&a.place, &a.event).cmp(&(&b.place, &b.event)));
    found
}

type Emitted = (Vec<(EffectKind, String)>, Arc<str>, Sureness);

fn emitted<'a>(analysis: &Analysis<'a>, buses: &Buses, site: &Site<'a>) -> Emitted {
    let frame = analysis.frame(site.within);
    if let Callee::Functions(ids, sureness) = &site.callee
        && let Some(event) = ids.iter().find_map(|id| buses.dispatching.get(id))
    {
        let arg = event.and_then(|at| site.call.args.get(at));
        let events = match arg {
            Some(arg) => analysis.texts(arg, &frame).options,
            None => Vec::new(),
        };
        let events = events
            .iter()
            .map(|event| (EffectKind::Publish, event.shown()))
            .collect();
        return (events, "bus of the tree".into(), *sureness);
    }
    match analysis.effects_of(site.call, &site.callee, &frame) {
        Some(effects) => {
            let mut found = effects.found;
            found.retain(|(kind, target)| {
                *kind == EffectKind::Publish || is_outbox(analysis, *kind, target)
            });
            (found, effects.rule, effects.sure)
        }
        None => (Vec::new(), "".into(), Sureness::High),
    }
}

/// True of a new row of a table that a rule calls an outbox.
fn is_outbox(analysis: &Analysis<'_>, kind: EffectKind, table: &str) -> bool {
    let mut tables = analysis.rules.outboxes.iter().flat_map(|rule| &rule.table);
    kind.is_create() && tables.any(|outbox| outbox.eq_ignore_ascii_case(table))
}
