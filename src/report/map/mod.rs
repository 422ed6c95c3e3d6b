//! The consumer map as documents: a table for people, JSON for programs, graphs for pictures.

mod dot;
mod json;
mod mermaid;
mod table;

pub use dot::write as write_map_dot;
pub use json::{MapDocument, write as write_map_json};
pub use mermaid::write as write_map_mermaid;
pub use table::write as write_map_table;

use crate::model::map::{ConsumerMap, MappedConsumer, MappedEffect};
use crate::model::place::Place;
use crate::model::redelivery::Worth;

/// `file:line` of a place in a text; the place as it prints otherwise.
fn at(place: &Place) -> String {
    match place.span() {
        Some(span) => format!("{}:{}", span.file, span.start.line),
        None => place.to_string(),
    }
}

/// What an effect does, and on what.
fn label(effect: &MappedEffect) -> String {
    format!("{} {}", effect.kind.word(), effect.target)
}

/// The worth of the best guard of an effect, as a picture says it; nothing where there is none.
fn standing(effect: &MappedEffect) -> &'static str {
    match effect.guards.first().map(|guard| guard.worth) {
        Some(Worth::Full) => "guarded",
        Some(Worth::Partial) => "partly",
        Some(Worth::Advisory) => "advisory",
        Some(Worth::None) | None => "",
    }
}

/// The nodes and edges of a picture: a consumer and one node for each kind and target it reaches.
struct Picture<'a> {
    consumers: Vec<&'a MappedConsumer>,
    /// Labels of effects, each once, in the order they come.
    effects: Vec<String>,
    /// Consumer and effect, by their numbers, and how far it is guarded.
    edges: Vec<(usize, usize, &'static str)>,
    /// Consumers and edges that are left out.
    left_out: (usize, usize),
}

/// The part of a map that a picture of so many nodes and edges can show.
fn picture(map: &ConsumerMap, nodes: usize, edges: usize) -> Picture<'_> {
    let mut picture = Picture {
        consumers: Vec::new(),
        effects: Vec::new(),
        edges: Vec::new(),
        left_out: (0, 0),
    };
    for consumer in &map.consumers {
        if picture.consumers.len() + picture.effects.len() >= nodes {
            picture.left_out.0 += 1;
            continue;
        }
        let from = picture.consumers.len();
        picture.consumers.push(consumer);
        for effect in &consumer.effects {
            let label = label(effect);
            let known = picture.effects.iter().position(|known| *known == label);
            let room = picture.consumers.len() + picture.effects.len() < nodes;
            let to = match known {
                Some(to) => to,
                None if room => {
                    picture.effects.push(label);
                    picture.effects.len() - 1
                }
                None => {
                    picture.left_out.1 += 1;
                    continue;
                }
            };
            // Several effects of one label are as good as the worst of them.
            let known = picture.edges.iter_mut().rev();
            let mut known = known.take_while(|edge| edge.0 == from);
            if let Some(edge) = known.find(|edge| edge.1 == to) {
                if rank(standing(effect)) < rank(edge.2) {
                    edge.2 = standing(effect);
                }
                continue;
            }
            if picture.edges.len() >= edges {
                picture.left_out.1 += 1;
                continue;
            }
            picture.edges.push((from, to, standing(effect)));
        }
    }
    picture
}

fn rank(standing: &str) -> usize {
    let worst_first = ["", "advisory", "partly", "guarded"];
    worst_first
        .iter()
        .position(|word| *word == standing)
        .unwrap_or(0)
}

/// What a picture leaves out, in one sentence; none if it shows all.
fn left_out(picture: &Picture<'_>) -> Option<String> {
    match picture.left_out {
        (0, 0) => None,
        (consumers, edges) => Some(format!(
            "not shown: {consumers} consumers and {edges} effects; the table and the JSON have all"
        )),
    }
}
