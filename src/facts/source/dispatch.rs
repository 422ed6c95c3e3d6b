//! Which buses of the tree the dispatcher of the outbox hands events to.
//!
//! The dispatcher is found by what it does: it hands on an event that it does not name itself, and
//! it, or who calls it, looks at or marks rows of the outbox table.

use std::collections::BTreeMap;

use crate::model::map::Delivery;
use crate::model::place::Place;

use super::buses::Buses;
use super::calls::{Calls, Site};
use super::frame::Analysis;
use super::producers::is_outbox_table;
use super::program::FnId;
use super::resolve::Callee;
use super::subscriptions::{Subscription, short};
use crate::sql::verbs::{Verbs, verbs};

/// The statements of a dispatcher stand at most so many calls below it.
const DEEP: u32 = 6;
/// And at most so many callers above the call that hands the event on.
const HIGH: usize = 3;

/// The buses that get events of the outbox, by qualified type, with the call that hands them on.
#[derive(Debug, Default)]
pub(super) struct Dispatchers {
    fed: BTreeMap<String, Place>,
}

impl Dispatchers {
    /// Finds them.
    pub(super) fn of<'a>(analysis: &Analysis<'a>, buses: &Buses, calls: &Calls<'a>) -> Self {
        let mut fed = BTreeMap::new();
        let sites: Vec<(&Site<'a>, FnId)> = calls
            .sites
            .iter()
            .filter_map(|site| Some((site, handed_on(analysis, buses, site)?)))
            .collect();
        if sites.is_empty() {
            return Self::default();
        }
        let near = near_outbox(analysis, calls);
        for (site, method) in sites {
            if is_below(calls, site.within, &near) {
                let place = analysis.program.file(site.within).place(site.call.at);
                fed.entry(bus_of(analysis, method)).or_insert(place);
            }
        }
        Self { fed }
    }

    /// Who hands events to a subscriber.
    pub(super) fn to<'a>(
        &self,
        analysis: &Analysis<'a>,
        buses: &Buses,
        subscription: &Subscription<'a>,
    ) -> Delivery {
        let Some((bus, place)) = self.fed.first_key_value() else {
            return Delivery::Unknown(
                "the tree shows no dispatcher that hands events of the outbox on".into(),
            );
        };
        let frame = analysis.frame(subscription.within);
        let Callee::Functions(ids, _) = analysis.resolve(subscription.call, &frame) else {
            return Delivery::Unknown(
                format!(
                    "the dispatcher of the outbox hands events on at {place}; whether they come to \
                     this subscription is not shown"
                )
                .into(),
            );
        };
        let mut own = ids.iter().filter(|id| buses.keeping.contains_key(id));
        match own.next().map(|id| bus_of(analysis, *id)) {
            Some(own) => match self.fed.get(&own) {
                Some(place) => Delivery::Outbox(place.clone()),
                None => Delivery::Elsewhere(
                    format!(
                        "it is subscribed to {}; the dispatcher of the outbox hands events to {} \
                         at {place}",
                        short(&own),
                        short(bus)
                    )
                    .into(),
                ),
            },
            None => Delivery::Unknown(
                format!(
                    "the dispatcher of the outbox hands events on at {place}; whether they come to \
                     this subscription is not shown"
                )
                .into(),
            ),
        }
    }
}

/// The type whose method it is.
fn bus_of(analysis: &Analysis<'_>, method: FnId) -> String {
    let owner = analysis.program.function(method).owner.as_deref();
    let file = analysis.program.file(method);
    owner.map_or_else(String::new, |owner| analysis.program.named(file, owner))
}

/// The method of a bus that a call runs with an event which the call itself does not name.
fn handed_on<'a>(analysis: &Analysis<'a>, buses: &Buses, site: &Site<'a>) -> Option<FnId> {
    let Callee::Functions(ids, _) = &site.callee else {
        return None;
    };
    let method = ids.iter().find(|id| buses.dispatching.contains_key(id))?;
    let event = (*buses.dispatching.get(method)?)?;
    analysis.refuel();
    let frame = analysis.frame(site.within);
    let texts = analysis.texts(site.call.args.get(event)?, &frame);
    let named = texts.complete && texts.options.iter().all(|text| text.constant().is_some());
    // Another method of the same bus only passes on what it is given.
    let own = bus_of(analysis, site.within) == bus_of(analysis, *method);
    (!named && !own).then_some(*method)
}

/// Functions from which a statement that looks at or marks rows of the outbox is not far.
fn near_outbox<'a>(analysis: &Analysis<'a>, calls: &Calls<'a>) -> Vec<bool> {
    let mut near = vec![false; analysis.program.functions().count()];
    let mut open: Vec<FnId> = Vec::new();
    for site in &calls.sites {
        analysis.refuel();
        let frame = analysis.frame(site.within);
        let texts = analysis.sql_of(site.call, &site.callee, &frame);
        if texts
            .iter()
            .any(|text| marks_outbox(analysis, &text.as_sql()))
        {
            open.push(site.within);
        }
    }
    for _ in 0..DEEP {
        let mut above = Vec::new();
        for id in open {
            if !std::mem::replace(&mut near[id.index()], true) {
                above.extend(calls.callers(id).map(|site| site.within));
            }
        }
        open = above;
    }
    near
}

/// True of a statement about the outbox that is no insert into it.
fn marks_outbox(analysis: &Analysis<'_>, sql: &str) -> bool {
    let named = |name: &str| is_outbox_table(analysis, name);
    match verbs(sql, super::effects::dialect(sql)) {
        Verbs::Writes(writes) => writes
            .iter()
            .any(|write| !write.kind.is_create() && named(&write.table)),
        Verbs::Reads | Verbs::Calls(_) => sql
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .any(named),
        Verbs::Other(_) | Verbs::NotSql => false,
    }
}

fn is_below(calls: &Calls<'_>, within: FnId, near: &[bool]) -> bool {
    let mut open = vec![within];
    for _ in 0..=HIGH {
        if open.iter().any(|id| near.get(id.index()) == Some(&true)) {
            return true;
        }
        open = open
            .into_iter()
            .flat_map(|id| calls.callers(id).map(|site| site.within))
            .collect();
        open.sort();
        open.dedup();
    }
    false
}
