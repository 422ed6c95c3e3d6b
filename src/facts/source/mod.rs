//! From a source tree to the consumer map: what each handler can reach.

mod acknowledged;
mod branches;
mod buses;
mod by_bus;
mod by_name;
mod calls;
mod classes;
mod compared;
mod declared;
mod decorators;
mod dispatch;
mod draws;
mod dropped;
mod effects;
mod examples;
mod finds_first;
mod flow;
mod format;
mod frame;
mod handed_on;
mod handler;
mod handler_args;
mod held;
mod ids;
mod interfaces;
mod joined;
mod learned;
mod libraries;
mod listed;
mod looked;
mod matching;
mod origins;
pub(in crate::facts) mod outline;
mod overrides;
mod producers;
mod program;
mod reach;
mod reached;
mod relations;
mod resolve;
mod scope;
mod signature;
mod streams;
mod subscriptions;
mod tested;
mod text;
mod texts;
mod threads;
pub(in crate::facts) mod trace;
mod types;
mod unqueued;
mod walk;
mod wrappers;

pub use examples::examples;
pub use tested::hold_tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::consumer::ConsumerId;
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::guarantee::Code;
use crate::model::map::{ConsumerMap, Delivery, MappedConsumer, Unresolved};
use crate::model::place::Place;
use crate::model::source::{FileRole, Language, SourceFile, SourceTree};
use crate::rules::Rules;

use buses::Buses;
use calls::Calls;
use dispatch::Dispatchers;
use frame::Analysis;
use handler::Handler;
use ids::name_apart;
use listed::{by_library, mapped};
use program::Program;
use reached::{Lost, Reached};
use subscriptions::{Subscription, event_names};
use threads::Threads;

/// The analysis goes down the calls of a tree; deep ones need more than a thread has by itself.
const STACK_BYTES: usize = 256 * 1024 * 1024;

/// [`map`] on a thread with a stack that is deep enough.
///
/// # Errors
/// If no such thread can be started, or if it ends before the work is done.
pub fn map_on_deep_stack(tree: &SourceTree, rules: &Rules) -> Result<ConsumerMap, Reason> {
    on_deep_stack(|| map(tree, rules))
}

/// Runs an analysis of a tree where deeply nested code does not end the program; an error if no such
/// thread can be started, or if it ends before the work is done.
pub(in crate::facts) fn on_deep_stack<T: Send>(
    run: impl FnOnce() -> T + Send,
) -> Result<T, Reason> {
    let not_done = |why: String| Reason {
        why: Why::NotParsed,
        needs: Some(InputKind::Source),
        sentence: format!("the analysis of the source tree ended before it was done: {why}"),
        place: None,
        next_step: "raise the limit of memory, or name a smaller part of the tree".to_owned(),
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, run)
            .map_err(|error| not_done(error.to_string()))?;
        thread
            .join()
            .map_err(|_| not_done("it met a tree that it cannot follow".to_owned()))
    })
}

/// Maps a tree: every subscription, and all that its handler can reach.
pub fn map(tree: &SourceTree, rules: &Rules) -> ConsumerMap {
    map_and_trace(tree, rules, None, None).map
}

/// What one analysis of a tree gives.
pub(in crate::facts) struct Analysed {
    /// The map.
    pub(in crate::facts) map: ConsumerMap,
    /// What workers do, where they are wanted.
    pub(in crate::facts) trace: Option<trace::Trace>,
    /// What functions do, where some are named.
    pub(in crate::facts) code: Option<Code>,
}

/// Maps a tree, walks its workers where they are wanted, and reads the functions that are named: one
/// analysis serves all.
pub(in crate::facts) fn map_and_trace(
    tree: &SourceTree,
    rules: &Rules,
    wanted: Option<trace::Wanted<'_>>,
    named: Option<&BTreeSet<Arc<str>>>,
) -> Analysed {
    let threads = Threads::start();
    let program = Program::new(tree);
    let analysis = Analysis::new(&program, rules);
    let buses = Buses::of(&analysis);
    let (analysis, calls) = Calls::of(analysis, &buses, &threads);
    let mut map = ConsumerMap {
        files: tree
            .files
            .iter()
            .map(|file| &file.path)
            .collect::<BTreeSet<_>>()
            .len(),
        scanned: tree.scanned,
        tests: tree.left_out,
        gaps: tree.gaps.iter().cloned().chain(unparsed(tree)).collect(),
        ..ConsumerMap::default()
    };
    let mut found = subscriptions::find(&analysis, &buses, &calls);
    for subscription in &mut found {
        subscription.acked = analysis.acknowledged(subscription);
    }
    let dispatchers = Dispatchers::of(&analysis, &buses, &calls);
    let branches = branches::find(&analysis, &buses, &calls);
    let matters = flow::matters(&analysis, &calls);
    let shared = analysis.shared();
    let followed = threads.map(&found, 1, |some| {
        let analysis = shared.clone().begin();
        let whole = Whole {
            analysis: &analysis,
            buses: &buses,
            calls: &calls,
            dispatchers: &dispatchers,
            branches: &branches,
            matters: &matters,
        };
        let follow = |one| Followed::of(&whole, one);
        some.iter().map(follow).collect::<Vec<_>>()
    });
    for (subscription, followed) in found.iter().zip(followed.into_iter().flatten()) {
        add(&analysis, subscription, followed, &mut map);
    }
    map.branches = branches.into_iter().map(|found| found.branch).collect();
    map.bus_loses = handed_on::by_bus(&analysis, &calls, &buses);
    map.producers = producers::find(&analysis, &buses, &calls);
    map.functions = program.spans();
    map.unqueued = unqueued::find(&analysis, &calls, &map.producers);
    map.consumers.sort_by(|a, b| {
        (&a.registered_at, &a.event, &a.handler_at).cmp(&(
            &b.registered_at,
            &b.event,
            &b.handler_at,
        ))
    });
    name_apart(&mut map);
    let handlers: Vec<Handler<'_>> = found.iter().filter_map(|found| found.handler).collect();
    let trace = wanted.map(|wanted| trace::trace(&analysis, &buses, &calls, &handlers, wanted));
    let code = named.map(|named| outline::outlines(&analysis, &calls, named));
    Analysed { map, trace, code }
}

/// Parts of files that did not parse, or are nested too deeply: a call in them is not seen.
fn unparsed(tree: &SourceTree) -> impl Iterator<Item = Reason> {
    let read = |file: &&SourceFile| file.role == FileRole::Product;
    tree.files.iter().filter(read).filter_map(|file| {
        let first = file.unparsed.first()?;
        Some(Reason {
            why: Why::NotParsed,
            needs: Some(InputKind::Source),
            sentence: format!(
                "{} of {} could not be read: what it calls is not seen",
                match file.unparsed.len() {
                    1 => "one part".to_owned(),
                    count => format!("{count} parts"),
                },
                file.path
            ),
            place: Some(file.place(*first)),
            next_step: "see that the file compiles; split what is nested too deeply".to_owned(),
        })
    })
}

/// All that consumers are made from.
struct Whole<'a, 'w> {
    analysis: &'w Analysis<'a>,
    buses: &'w Buses,
    calls: &'w Calls<'a>,
    dispatchers: &'w Dispatchers,
    branches: &'w [branches::Branch],
    matters: &'w [bool],
}

/// What a subscription leads to.
struct Followed {
    effects: Vec<Reached>,
    lost: Vec<Lost>,
    called: Vec<Arc<str>>,
    branches: Vec<usize>,
    drops_errors: Option<Place>,
    hands_errors_on: Option<Place>,
    loses_errors: Option<(Place, bool)>,
    delivery: Delivery,
}

impl Followed {
    fn of<'a>(whole: &Whole<'a, '_>, subscription: &Subscription<'a>) -> Self {
        let Whole {
            analysis,
            buses,
            calls,
            ..
        } = *whole;
        let place = registered_at(analysis, subscription);
        let mut effects = Vec::new();
        let mut lost = Vec::new();
        let mut called = Vec::new();
        let mut branches = Vec::new();
        let (mut drops_errors, mut hands_errors_on, mut loses_errors) = (None, None, None);
        if let Some(handler) = subscription.handler {
            let mut handlers = vec![handler];
            handlers.extend(subscription.hooks.iter().copied().map(Handler::Function));
            let reach = reach::follow(analysis, buses, calls, &handlers, subscription.sureness);
            called = libraries::called(analysis, calls, handler);
            let mut entered = reach.entered;
            entered.insert(handler.within());
            let all = whole.branches.iter().enumerate();
            branches = all
                .filter(|(_, branch)| entered.contains(&branch.within))
                .map(|(at, _)| at)
                .collect();
            drops_errors = dropped::find(analysis, calls, handler, &entered);
            let by_value = analysis.program.file(handler.within()).language == Language::Go;
            match handed_on::find(analysis, calls, handler, &entered) {
                handed_on::Errors::HandedOn(place) => hands_errors_on = Some(place),
                handed_on::Errors::Lost(place, dropped) if by_value => {
                    loses_errors = Some((place, dropped));
                }
                _ => {}
            }
            effects = reach.effects;
            let acked = subscription.acked.clone();
            flow::judge(analysis, whole.matters, handler, acked, &mut effects);
            lost = reach.lost;
        } else if subscription.by.is_none_or(|rule| rule.relays.is_none()) {
            lost.push(Lost {
                place: place.clone(),
                call: "its handler".to_owned(),
                why: "the tree does not show which function this subscription runs".to_owned(),
            });
        }
        effects.extend(by_library(analysis, subscription, &place));
        Self {
            effects,
            lost,
            called,
            branches,
            drops_errors,
            hands_errors_on,
            loses_errors,
            delivery: whole.dispatchers.to(analysis, buses, subscription),
        }
    }
}

fn registered_at(analysis: &Analysis<'_>, subscription: &Subscription<'_>) -> Place {
    let file = analysis.program.file(subscription.within);
    file.place(subscription.call.at)
}

fn add<'a>(
    analysis: &Analysis<'a>,
    subscription: &Subscription<'a>,
    followed: Followed,
    map: &mut ConsumerMap,
) {
    let file = analysis.program.file(subscription.within);
    let registered_at = registered_at(analysis, subscription);
    let (title, handler_at) = match subscription.handler {
        Some(handler) => (handler.title(analysis), handler.place(analysis)),
        None => (
            program::title(analysis.program.function(subscription.within)),
            registered_at.clone(),
        ),
    };
    let Followed {
        effects,
        lost,
        called,
        branches,
        drops_errors,
        hands_errors_on,
        loses_errors,
        delivery,
    } = followed;
    for event in event_names(&subscription.events) {
        let shown = event.as_deref().unwrap_or("?");
        let id = format!("code:{}:{title}@{shown}", file.language.word());
        let id = ConsumerId(id.into());
        map.unresolved.extend(lost.iter().map(|lost| Unresolved {
            consumer: id.clone(),
            call: lost.call.as_str().into(),
            why: lost.why.as_str().into(),
            place: lost.place.clone(),
        }));
        map.consumers.push(MappedConsumer {
            language: file.language,
            event: event.map(Into::into),
            registered_at: registered_at.clone(),
            handler: Arc::clone(&title),
            handler_at: handler_at.clone(),
            rule: Arc::clone(&subscription.rule),
            sureness: subscription.sureness,
            effects: effects.iter().map(|effect| mapped(&id.0, effect)).collect(),
            libraries: called.clone(),
            delivery: delivery.clone(),
            branches: branches.clone(),
            drops_errors: drops_errors.clone(),
            hands_errors_on: hands_errors_on.clone(),
            loses_errors: loses_errors.clone(),
            id,
        });
    }
}
