//! The consumer map as a drawing, when it is small enough to be read.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crate::model::consumer::Phase;
use crate::model::effect::Target;
use crate::model::report::Disposition;
use crate::report::view::View;
use crate::report::words;

use super::escape::mermaid;
use super::page::Page;

/// Most nodes of a drawing that is still read.
const NODES: usize = 30;

/// Longest label, in characters.
const LABEL: usize = 48;

/// Nodes and arrows, each once.
#[derive(Default)]
struct Drawing {
    nodes: BTreeMap<(Shape, String), usize>,
    arrows: BTreeSet<(usize, &'static str, String, usize)>,
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shape {
    Event,
    Consumer,
    Table,
    Outside,
}

impl Drawing {
    fn node(&mut self, shape: Shape, label: &str) -> usize {
        let next = self.nodes.len();
        *self.nodes.entry((shape, label.to_owned())).or_insert(next)
    }
}

/// Draws what may be on the path: event, consumer, target, and the events that writes enqueue.
pub(super) fn draw(page: &mut Page, view: &View<'_>) {
    let mut drawing = Drawing::default();
    for consumer in &view.report.consumers {
        if !consumer.path.may_be_on() {
            continue;
        }
        if drawing.nodes.len() > NODES {
            break;
        }
        let to = drawing.node(Shape::Consumer, &consumer.title);
        let from = drawing.node(Shape::Event, &words::event(&consumer.trigger));
        let arrow = match consumer.trigger.phase {
            Phase::InsideSave => "inside the save",
            _ => "",
        };
        drawing.arrows.insert((from, "-->", arrow.to_owned(), to));
    }
    for row in &view.report.effects {
        if drawing.nodes.len() > NODES {
            break;
        }
        let effect = &row.facts.effect;
        if !effect.path.may_be_on() || row.disposition == Disposition::OffPath {
            continue;
        }
        let from = drawing.node(Shape::Consumer, view.consumer_title(row));
        let shape = match effect.target {
            Target::Object(_) => Shape::Table,
            Target::Outside(_) | Target::Unknown(_) => Shape::Outside,
        };
        let to = drawing.node(shape, effect.target.name());
        let says = format!("{}, {}", effect.kind.word(), words::disposition(row));
        drawing.arrows.insert((from, "-->", says, to));
        for (event, object) in &effect.enqueues {
            let event = drawing.node(Shape::Event, &words::event_of(event, Some(object)));
            drawing
                .arrows
                .insert((to, "-.->", "enqueues".to_owned(), event));
        }
    }
    match drawing.nodes.len() {
        0 => {}
        all if all > NODES => {
            page.heading("Consumer map");
            page.line("Too large to be read as a drawing; `outbox-audit map` lists it.");
        }
        _ => write(page, &drawing),
    }
}

fn write(page: &mut Page, drawing: &Drawing) {
    page.heading("Consumer map");
    page.line("```mermaid\nflowchart LR");
    for ((shape, label), at) in &drawing.nodes {
        let label = mermaid(label, LABEL);
        page.line(&match shape {
            Shape::Event => format!("  n{at}([\"{label}\"])"),
            Shape::Consumer => format!("  n{at}[\"{label}\"]"),
            Shape::Table => format!("  n{at}[(\"{label}\")]"),
            Shape::Outside => format!("  n{at}{{{{\"{label}\"}}}}"),
        });
    }
    for (from, arrow, label, to) in &drawing.arrows {
        let label = match label.is_empty() {
            true => String::new(),
            false => format!("|\"{}\"|", mermaid(label, LABEL)),
        };
        page.line(&format!("  n{from} {arrow}{label} n{to}"));
    }
    page.line("```");
}
