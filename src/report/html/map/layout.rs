//! Where each box of a drawing stands: its layer from left to right, and its line.

use std::collections::BTreeMap;

use crate::model::check::Subject;
use crate::model::consumer::{Consumer, PathState, Phase};
use crate::model::effect::Effect;
use crate::model::report::EffectRow;
use crate::report::words;

use super::super::book::Book;

/// The layers, from left to right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    /// What starts consumers.
    Event,
    /// What takes it.
    Consumer,
    /// What that leaves behind.
    Effect,
    /// The events that this sets off.
    SetsOff,
}

/// A box.
#[derive(Debug)]
pub(super) struct Node {
    /// Its layer.
    pub(super) layer: Layer,
    /// Its line, from 0.
    pub(super) line: usize,
    /// Where the page says more of it.
    pub(super) href: Option<String>,
    /// Word of its colour.
    pub(super) state: &'static str,
    /// Word by which effects are filtered.
    pub(super) class: Option<&'static str>,
    /// What it is called.
    pub(super) name: String,
    /// What stands below the name.
    pub(super) says: String,
}

/// A line between two boxes, each by its layer and line.
#[derive(Debug)]
pub(super) struct Edge {
    /// Left end.
    pub(super) from: (Layer, usize),
    /// Right end.
    pub(super) to: (Layer, usize),
    /// True for what follows in a later delivery.
    pub(super) later: bool,
}

/// The drawing of one event.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    /// Boxes, from left to right in each line.
    pub(super) nodes: Vec<Node>,
    /// Lines between them.
    pub(super) edges: Vec<Edge>,
    /// Lines of boxes.
    pub(super) lines: usize,
}

/// Events that have consumers: where the page lists them, for those that it lists.
pub(super) type Taken = BTreeMap<String, Option<String>>;

/// Gives each effect a line of its own; a consumer stands at its first effect, the event on top.
pub(super) fn lay_out(
    book: &Book<'_>,
    taken: &Taken,
    event: &str,
    consumers: &[&Consumer],
) -> Drawing {
    let mut drawing = Drawing::default();
    let count = words::many(consumers.len(), "consumer");
    let trigger = consumers.first().map(|one| &one.trigger);
    let object = trigger.and_then(|trigger| trigger.object.as_deref());
    drawing.nodes.push(Node {
        layer: Layer::Event,
        line: 0,
        href: taken.get(event).cloned().flatten(),
        state: "event",
        class: None,
        name: trigger.map_or_else(String::new, words::event_word),
        says: match object {
            Some(object) => format!("{object} · {count}"),
            None => count,
        },
    });
    for consumer in consumers {
        let line = drawing.lines;
        drawing.nodes.push(Node {
            layer: Layer::Consumer,
            line,
            href: book.href(&Subject::Consumer(consumer.id.clone())),
            state: consumer.path.word(),
            class: None,
            name: consumer.title.to_string(),
            says: path(consumer).to_owned(),
        });
        drawing.edges.push(Edge {
            from: (Layer::Event, 0),
            to: (Layer::Consumer, line),
            later: false,
        });
        let of_it = book.effects_of(&consumer.id);
        for row in of_it {
            effect(&mut drawing, book, line, row);
            sets_off(&mut drawing, taken, &row.facts.effect);
            drawing.lines += 1;
        }
        if of_it.is_empty() {
            drawing.lines += 1;
        }
    }
    drawing
}

fn effect(drawing: &mut Drawing, book: &Book<'_>, consumer: usize, row: &EffectRow) {
    let effect = &row.facts.effect;
    let state = words::disposition(row);
    let class = words::class(row.facts.class);
    let line = drawing.lines;
    drawing.nodes.push(Node {
        layer: Layer::Effect,
        line,
        href: book.href(&Subject::Effect(effect.id.clone())),
        state,
        class: Some(class),
        name: words::effect(effect),
        says: format!("{class} · {} · {state}", words::second_delivery(row)),
    });
    drawing.edges.push(Edge {
        from: (Layer::Consumer, consumer),
        to: (Layer::Effect, line),
        later: false,
    });
}

/// The events that a write sets off and that a consumer takes: the first by name, and how many more.
fn sets_off(drawing: &mut Drawing, taken: &Taken, effect: &Effect) {
    let line = drawing.lines;
    let inside = effect.runs_inside.iter().map(|event| (event, false));
    let later = effect.enqueues.iter().map(|event| (event, true));
    let all = inside.chain(later);
    let events: Vec<_> = all
        .filter_map(|((event, object), later)| {
            let href = taken.get(&words::event_of(event, Some(object)))?;
            Some((event, object, href, later))
        })
        .collect();
    let Some((event, object, href, later)) = events.first() else {
        return;
    };
    drawing.nodes.push(Node {
        layer: Layer::SetsOff,
        line,
        href: (*href).clone(),
        state: "event",
        class: None,
        name: event.to_string(),
        says: match events.len() - 1 {
            0 => object.to_string(),
            rest => format!("{object} · and {rest} more"),
        },
    });
    drawing.edges.push(Edge {
        from: (Layer::Effect, line),
        to: (Layer::SetsOff, line),
        later: *later,
    });
}

fn path(consumer: &Consumer) -> &'static str {
    match (&consumer.path, consumer.trigger.phase) {
        (PathState::On(_), Phase::InsideSave) => "on the path, inside the save",
        (PathState::On(_), _) => "on the path",
        (PathState::Off(_), _) => "off the path",
        (PathState::Dormant { .. }, _) => "dormant",
        (PathState::Unknown(_), _) => "not known whether on the path",
    }
}
