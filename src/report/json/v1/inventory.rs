//! The inventory in the document.

use schemars::JsonSchema;
use serde::Serialize;

use super::place::Place;
use crate::model::report::Report;

/// How much of the consumer map is known.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Inventory<'r> {
    /// Number of consumers.
    pub consumers: usize,
    /// Those of which all is known: whether they run, and every effect.
    pub classified: usize,
    /// Those of which something is not known.
    pub unknown: usize,
    /// Events that the source emits and that no known consumer takes; null where no source was read.
    pub untaken: Option<Vec<UntakenEvent<'r>>>,
}

/// An event that no known consumer takes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UntakenEvent<'r> {
    /// The event, or the topic.
    pub event: &'r str,
    /// Where it is emitted.
    pub place: Place<'r>,
}

impl<'r> Inventory<'r> {
    pub(super) fn new(report: &'r Report) -> Self {
        let inventory = &report.inventory;
        Self {
            consumers: report.consumers.len(),
            classified: inventory.classified,
            unknown: inventory.unknown,
            untaken: inventory.source.as_ref().map(|source| {
                let events = source.untaken.iter();
                let of = |(event, place)| UntakenEvent {
                    event,
                    place: Place::new(place),
                };
                events.map(|(event, place)| of((&**event, place))).collect()
            }),
        }
    }
}
