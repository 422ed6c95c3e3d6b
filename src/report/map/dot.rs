//! The map as a Graphviz graph.

use std::io::{self, Write};

use crate::model::map::ConsumerMap;
use crate::model::secret::without_url_secrets;

use super::{at, left_out, picture};

/// Writes it.
///
/// # Errors
/// If `out` does.
pub fn write(map: &ConsumerMap, out: &mut dyn Write) -> io::Result<()> {
    let picture = picture(map, usize::MAX, usize::MAX);
    writeln!(
        out,
        "digraph consumers {{\n  rankdir=LR;\n  node [shape=box];"
    )?;
    for (number, consumer) in picture.consumers.iter().enumerate() {
        let event = consumer.event.as_deref().unwrap_or("?");
        writeln!(
            out,
            "  c{number} [label=\"{}\\non {}\\n{}\"];",
            text(&consumer.handler),
            text(event),
            text(&at(&consumer.registered_at))
        )?;
    }
    for (number, effect) in picture.effects.iter().enumerate() {
        writeln!(
            out,
            "  e{number} [label=\"{}\", shape=ellipse];",
            text(effect)
        )?;
    }
    for (from, to, standing) in &picture.edges {
        match *standing {
            "" => writeln!(out, "  c{from} -> e{to};")?,
            word => writeln!(out, "  c{from} -> e{to} [label=\"{word}\"];")?,
        }
    }
    if let Some(sentence) = left_out(&picture) {
        writeln!(out, "  more [label=\"{}\"];", text(&sentence))?;
    }
    writeln!(out, "}}")
}

fn text(label: &str) -> String {
    let mut out = String::new();
    for c in without_url_secrets(label).chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
