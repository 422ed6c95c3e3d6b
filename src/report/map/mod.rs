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

/// The nodes and edges of a picture: a consumer and one node for each kind and target it reaches.
struct Picture<'a> {
    consumers: Vec<&'a MappedConsumer>,
    /// Labels of effects, each once, in the order they come.
    effects: Vec<String>,
    /// Consumer and effect, by their numbers.
    edges: Vec<(usize, usize)>,
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
            if picture.edges.contains(&(from, to)) {
                continue;
            }
            if picture.edges.len() >= edges {
                picture.left_out.1 += 1;
                continue;
            }
            picture.edges.push((from, to));
        }
    }
    picture
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
