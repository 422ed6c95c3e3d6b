//! From a source tree to the consumer map: what each handler can reach.

mod buses;
mod calls;
mod classes;
mod decorators;
mod draws;
mod effects;
mod examples;
mod format;
mod frame;
mod handler;
mod handler_args;
mod interfaces;
mod joined;
mod libraries;
mod matching;
mod origins;
mod producers;
mod program;
mod reach;
mod reached;
mod relations;
mod resolve;
mod scope;
mod streams;
mod subscriptions;
mod text;
mod texts;
mod types;
mod walk;
mod wrappers;

pub use examples::examples;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::consumer::ConsumerId;
use crate::model::effect::EffectKind;
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::map::{ConsumerMap, MappedConsumer, MappedEffect, Unresolved};
use crate::model::source::{FileRole, SourceFile, SourceTree};
use crate::rules::Rules;

use buses::Buses;
use calls::Calls;
use frame::Analysis;
use handler::Handler;
use program::Program;
use reached::Reached;
use subscriptions::{Subscription, event_names};

/// Maps a tree: every subscription, and all that its handler can reach.
pub fn map(tree: &SourceTree, rules: &Rules) -> ConsumerMap {
    let analysis = Analysis::new(Program::new(tree), rules);
    let buses = Buses::of(&analysis);
    let calls = Calls::of(&analysis, &buses);
    let mut map = ConsumerMap {
        files: tree
            .files
            .iter()
            .map(|file| &file.path)
            .collect::<BTreeSet<_>>()
            .len(),
        scanned: tree.scanned,
        gaps: tree.gaps.iter().cloned().chain(unparsed(tree)).collect(),
        ..ConsumerMap::default()
    };
    for subscription in subscriptions::find(&analysis, &buses, &calls) {
        add(&analysis, &buses, &calls, &subscription, &mut map);
    }
    map.producers = producers::find(&analysis, &buses, &calls);
    map.consumers.sort_by(|a, b| {
        (&a.registered_at, &a.event, &a.handler_at).cmp(&(
            &b.registered_at,
            &b.event,
            &b.handler_at,
        ))
    });
    name_apart(&mut map);
    map
}

/// Parts of files that did not parse, or that are nested deeper than is read: a call in them is not
/// seen.
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

fn add<'a>(
    analysis: &Analysis<'a>,
    buses: &Buses,
    calls: &Calls<'a>,
    subscription: &Subscription<'a>,
    map: &mut ConsumerMap,
) {
    let file = analysis.program.file(subscription.within);
    let registered_at = file.place(subscription.call.at);
    let (title, handler_at) = match subscription.handler {
        Some(handler) => (handler.title(analysis), handler.place(analysis)),
        None => (
            program::title(analysis.program.function(subscription.within)),
            registered_at.clone(),
        ),
    };
    let mut effects = Vec::new();
    let mut lost = Vec::new();
    let mut called = Vec::new();
    if let Some(handler) = subscription.handler {
        let mut handlers = vec![handler];
        handlers.extend(subscription.hooks.iter().copied().map(Handler::Function));
        let reach = reach::follow(analysis, buses, calls, &handlers, subscription.sureness);
        called = libraries::called(analysis, calls, handler);
        effects = reach.effects;
        lost = reach.lost;
    } else if subscription.by.is_none_or(|rule| rule.relays.is_none()) {
        lost.push(reached::Lost {
            place: registered_at.clone(),
            call: "its handler".to_owned(),
            why: "the tree does not show which function this subscription runs".to_owned(),
        });
    }
    effects.extend(by_library(analysis, subscription, &registered_at));
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
            effects: effects.iter().map(|effect| mapped(&id, effect)).collect(),
            libraries: called.clone(),
            id,
        });
    }
}

/// What the library does with what the handler returns, or by itself.
fn by_library<'a>(
    analysis: &Analysis<'a>,
    subscription: &Subscription<'a>,
    place: &crate::model::place::Place,
) -> Option<Reached> {
    let rule = subscription.by?;
    let (kind, target) = match (&rule.publishes, rule.relays) {
        (Some(publishes), _) => {
            let frame = analysis.frame(subscription.within);
            let topic = publishes.topic.checked_sub(1)?;
            let texts = analysis.texts(subscription.call.args.get(topic)?, &frame);
            let names: Vec<String> = texts.options.iter().map(text::Text::shown).collect();
            (publishes.kind, names.join(" | "))
        }
        (None, Some(kind)) => (kind, "?".to_owned()),
        (None, None) => return None,
    };
    Some(Reached {
        kind,
        target,
        place: place.clone(),
        path: Vec::new(),
        sureness: subscription.sureness,
        draws: Vec::new(),
        rule: Arc::clone(&rule.id),
    })
}

fn mapped(consumer: &ConsumerId, effect: &Reached) -> MappedEffect {
    let within = effect.path.last().map_or("handler", |hop| &*hop.function);
    let id = format!(
        "{consumer}/{within}/{}:{}",
        kind_title(effect.kind),
        effect.target
    );
    MappedEffect {
        id: id.into(),
        kind: effect.kind,
        target: effect.target.as_str().into(),
        place: effect.place.clone(),
        path: effect.path.clone(),
        sureness: effect.sureness,
        draws: effect.draws.clone(),
        rule: Arc::clone(&effect.rule),
    }
}

/// `find-or-create` as ids write it: `FindOrCreate`.
fn kind_title(kind: EffectKind) -> String {
    let mut title = String::new();
    for part in kind.word().split('-') {
        let mut chars = part.chars();
        title.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        title.push_str(chars.as_str());
    }
    title
}

/// Equal names get `~2`, `~3` (consumers) and `#2`, `#3` (effects), in order.
fn name_apart(map: &mut ConsumerMap) {
    let mut seen: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    for consumer in &mut map.consumers {
        let count = seen.entry(Arc::clone(&consumer.id.0)).or_default();
        *count += 1;
        let mut old = String::new();
        if *count > 1 {
            old = consumer.id.0.to_string();
            consumer.id = ConsumerId(format!("{}~{count}", consumer.id.0).into());
        }
        let mut inner: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        for effect in &mut consumer.effects {
            if !old.is_empty() {
                effect.id = effect.id.replacen(&old, &consumer.id.0, 1).into();
            }
            let count = inner.entry(Arc::clone(&effect.id)).or_default();
            *count += 1;
            if *count > 1 {
                effect.id = format!("{}#{count}", effect.id).into();
            }
        }
    }
}
