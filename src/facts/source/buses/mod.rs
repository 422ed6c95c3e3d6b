//! Buses of the tree itself, found by what they do: one function keeps the handlers it is given, another
//! one hands an event to what was kept. No name decides.

mod hands_on;
mod interfaces;
mod keeps;
pub(super) mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::place::Pos;
use crate::model::source::{Function, TypeRef};

use super::frame::Analysis;
use super::program::FnId;
use hands_on::{Handed, HandsOn};
use keeps::kept_by;

/// The word that stands for a rule where a bus of the tree itself decides.
pub(super) const BUS: &str = "bus of the tree";

/// How a handler is given to what keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Given {
    /// As a parameter, by its number from 0.
    Param(usize),
    /// As what the call decorates.
    Decorated,
}

/// A function that keeps handlers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keeps {
    /// What the handler is.
    pub(super) handler: Given,
    /// Number of the parameter that names the event, from 0.
    pub(super) event: Option<usize>,
    /// The methods of a handler that are run, where it is an object.
    pub(super) methods: Vec<Arc<str>>,
    /// The number of the rule by which what was kept is subscribed elsewhere.
    pub(super) rule: Option<usize>,
}

/// Where handlers are kept: a field of a type by qualified name, a variable of a package, or a table that is
/// written out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Store {
    Field(String, Arc<str>),
    Variable(String),
    Table(String),
}

/// The buses of a tree.
#[derive(Debug, Default)]
pub(super) struct Buses {
    /// Functions that keep handlers.
    pub(super) keeping: BTreeMap<FnId, Keeps>,
    /// Functions that call kept handlers: with the number of the parameter that names the event.
    pub(super) dispatching: BTreeMap<FnId, Option<usize>>,
    /// Calls that subscribe what was kept: each handler is told where it was given to be kept.
    pub(super) relays: BTreeSet<(FnId, Pos)>,
    /// Calls of handlers that a table holds which is written out, with the name of the table.
    pub(super) tables: BTreeMap<(FnId, Pos), String>,
    /// Interfaces that a field keeps many of by a key: a table of handlers.
    pub(super) interfaces: BTreeSet<String>,
}

impl Buses {
    /// Finds them.
    pub(super) fn of(analysis: &Analysis<'_>) -> Self {
        let mut kept: BTreeMap<Store, Vec<keeps::Kept>> = BTreeMap::new();
        let program = analysis.program;
        for id in program.functions() {
            for (store, one) in kept_by(analysis, id) {
                kept.entry(store).or_default().push(one);
            }
        }
        let mut buses = Self {
            interfaces: interfaces::of(analysis),
            ..Self::default()
        };
        let tables = tables::of(program);
        if kept.is_empty() && tables.is_empty() {
            return buses;
        }
        for id in program.functions() {
            analysis.refuel();
            let found = HandsOn::of(analysis, id, &kept, &tables);
            for Handed {
                store,
                method,
                relay,
                at,
            } in found
            {
                if let Store::Table(name) = store {
                    buses
                        .dispatching
                        .insert(id, event_param(program.function(id)));
                    buses.tables.insert((id, at), name);
                    continue;
                }
                match relay {
                    None => {
                        let event = event_param(program.function(id));
                        buses.dispatching.insert(id, event);
                    }
                    Some(_) => {
                        buses.relays.insert((id, at));
                    }
                }
                for one in kept.get(&store).into_iter().flatten() {
                    let keeps = buses
                        .keeping
                        .entry(one.by)
                        .or_insert_with(|| one.keeps.clone());
                    keeps.rule = keeps.rule.or(relay);
                    if let Some(method) = &method
                        && !keeps.methods.contains(method)
                    {
                        keeps.methods.push(Arc::clone(method));
                    }
                }
            }
        }
        buses
    }
}

/// The parameter that says which handlers run: the first that is neither a context nor the payload.
fn event_param(function: &Function) -> Option<usize> {
    let mut params = function.params.iter().enumerate();
    params
        .find(|(_, param)| !is_context(&param.of))
        .map(|(at, _)| at)
}

fn is_context(of: &TypeRef) -> bool {
    of.name.ends_with("context.Context")
}
