//! What the source of a test shows: that an event comes twice to the consumer itself, and that
//! something is asserted after it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::evidence::{Evidence, InputKind, ObservedBy, Reason, Why};
use crate::model::map::{ConsumerMap, Delivery};
use crate::model::place::Place;
use crate::model::source::{ExprKind, FileRole, SourceTree};
use crate::model::tests::{TestResults, plain};
use crate::rules::Rules;

use super::buses::Buses;
use super::delivered::{Event, Walk};
use super::frame::Analysis;
use super::program::{FnId, Program};
use super::walk;

/// What the source of each test shows, or why it shows nothing; by the name of the test.
type Tested = BTreeMap<Arc<str>, Result<Arc<Evidence>, Arc<Reason>>>;

/// Holds each result of a test against the test's source, as far as that was read.
pub fn hold_tests(results: &mut TestResults, tree: SourceTree, rules: &Rules, map: &ConsumerMap) {
    if tree.tests.is_empty() {
        return;
    }
    let names = results.runs.iter().map(|run| Arc::clone(&run.name));
    let names = names.collect();
    // What cannot be looked at stays as it is: not read.
    let Ok(tested) = super::on_deep_stack(|| tested(tree, rules, map, &names)) else {
        return;
    };
    for run in &mut results.runs {
        run.source = tested.get(&run.name).cloned();
    }
}

fn tested(
    mut tree: SourceTree,
    rules: &Rules,
    map: &ConsumerMap,
    names: &BTreeSet<Arc<str>>,
) -> Tested {
    let mut of_tests = BTreeSet::new();
    for mut file in std::mem::take(&mut tree.tests) {
        of_tests.insert(Arc::clone(&file.path));
        // Read as any other code: what is part of a test is told by its path.
        file.role = FileRole::Product;
        for function in &mut file.functions {
            function.test = false;
        }
        tree.files.push(file);
    }
    let program = Program::new(&tree);
    let analysis = Analysis::new(&program, rules);
    let buses = Buses::of(&analysis);
    let is_product = |id: &FnId| !of_tests.contains(&program.file(*id).path);
    let live = || {
        let consumers = map.consumers.iter();
        consumers.filter(|one| matches!(one.delivery, Delivery::Outbox(_)))
    };
    let handlers: BTreeSet<&Place> = live().map(|one| &one.handler_at).collect();
    let at = |id: &FnId| program.file(*id).place(program.function(*id).at);
    let holds = |id: &FnId, place: &Place| {
        let function = program.function(*id);
        place.span().is_some_and(|span| {
            span.file == program.file(*id).path
                && function.at <= span.start
                && span.start < function.end
        })
    };
    let all: Vec<FnId> = program.functions().collect();
    let registered: BTreeSet<&Place> = live().map(|one| &one.registered_at).collect();
    let shared = Shared {
        buses: buses
            .dispatching
            .keys()
            .copied()
            .filter(is_product)
            .collect(),
        handlers: all
            .iter()
            .copied()
            .filter(|id| handlers.contains(&at(id)))
            .collect(),
        registers: all
            .iter()
            .copied()
            .filter(|id| registered.iter().any(|place| holds(id, place)))
            .collect(),
        of_tests: &of_tests,
        analysis: &analysis,
    };
    names
        .iter()
        .filter_map(|name| Some((Arc::clone(name), shared.look(name, &all)?)))
        .collect()
}

/// What every test is held against.
pub(super) struct Shared<'a, 's> {
    /// The program with its tests.
    pub(super) analysis: &'s Analysis<'a>,
    /// Methods of the product that run the handlers of an event.
    pub(super) buses: BTreeSet<FnId>,
    /// Handlers themselves.
    pub(super) handlers: BTreeSet<FnId>,
    /// Functions of the product that subscribe them.
    pub(super) registers: BTreeSet<FnId>,
    /// Files of tests.
    pub(super) of_tests: &'s BTreeSet<Arc<str>>,
}

impl<'a> Shared<'a, '_> {
    fn look(&self, name: &str, all: &[FnId]) -> Option<Result<Arc<Evidence>, Arc<Reason>>> {
        let (function, part) = match name.split_once('/') {
            Some((function, part)) => (function, Some(plain(part))),
            None => (name, None),
        };
        let program = self.analysis.program;
        let mut found = all.iter().copied().filter(|id| {
            let one = program.function(*id);
            &*one.name == function
                && one.owner.is_none()
                && self.of_tests.contains(&program.file(*id).path)
        });
        let id = found.next()?;
        let place = program.file(id).place(program.function(id).at);
        let none = |why: String| {
            Some(Err(Arc::new(Reason {
                why: Why::NotDecidable,
                needs: Some(InputKind::Tests),
                sentence: format!("`{name}` passed, and is no evidence: {why}"),
                place: Some(place.clone()),
                next_step:
                    "let the test deliver the event twice to the consumer itself and compare \
                            the rows after it"
                        .into(),
            })))
        };
        if found.next().is_some() {
            return none(format!("there are several tests `{function}`"));
        }
        let mut literals = BTreeSet::new();
        walk::each_expr(&program.function(id).body, &mut |expr| {
            if let ExprKind::Text(text) = &expr.kind {
                literals.insert(plain(text));
            }
        });
        let is_named = part.as_ref().is_none_or(|part| literals.contains(part));
        let wanted = usize::from(part.is_some());
        let mut walk = Walk::new(self, part);
        walk.function(id);
        if !is_named || walk.parts < wanted {
            return none("its source names no such part".to_owned());
        }
        if walk.parts > wanted {
            return none("several parts of its source can be the one that ran".to_owned());
        }
        let events = walk.events;
        match judged(&events) {
            Ok((delivered, asserted)) => Some(Ok(Arc::new(Evidence {
                input: InputKind::Tests,
                by: ObservedBy::Text,
                place: delivered.clone(),
                says: format!(
                    "`{name}` delivers the event twice to the consumer, and asserts at {asserted}"
                )
                .into(),
            }))),
            Err(why) => none(why),
        }
    }
}

/// The second delivery of one event and the assertion behind it; or what is missing.
fn judged(events: &[Event]) -> Result<(&Place, &Place), String> {
    if let Some(place) = events.iter().find_map(|event| match event {
        Event::Skipped(place) => Some(place),
        _ => None,
    }) {
        return Err(format!("it skips at {place}"));
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut second = None;
    let mut subscribed = false;
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Subscribed => subscribed = true,
            Event::Delivered {
                event,
                times,
                place,
                by_bus,
            } => {
                if *by_bus && !subscribed {
                    return Err(format!(
                        "the consumer is not subscribed where it publishes at {place}"
                    ));
                }
                let count = counts.entry(event).or_default();
                *count += times;
                if *count >= 2 && second.is_none() {
                    second = Some((at, place));
                }
            }
            _ => {}
        }
    }
    let Some((at, delivered)) = second else {
        let stand_in = events.iter().find_map(|event| match event {
            Event::StandIn(place) => Some(place),
            _ => None,
        });
        return Err(match (counts.is_empty(), stand_in) {
            (true, Some(place)) => format!(
                "it hands the event to a type of the tests at {place}, and not to the consumer"
            ),
            (true, None) => "nothing in it hands an event to the consumer itself".to_owned(),
            (false, _) => "it delivers no event twice".to_owned(),
        });
    };
    let mut later = events.iter().skip(at + 1);
    let asserted = later.find_map(|event| match event {
        Event::Asserted(place) => Some(place),
        _ => None,
    });
    match asserted {
        Some(asserted) => Ok((delivered, asserted)),
        None => Err(format!(
            "it asserts nothing after the second delivery at {delivered}"
        )),
    }
}
