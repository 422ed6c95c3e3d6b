//! The map as a Mermaid flowchart. GitHub draws at most 500 edges and 50,000 characters.

use std::io::{self, Write};

use crate::model::map::ConsumerMap;
use crate::model::secret::without_url_secrets;

use super::{at, left_out, picture};

const MAX_NODES: usize = 180;
const MAX_EDGES: usize = 360;
const MAX_LABEL: usize = 80;

/// Writes it.
///
/// # Errors
/// If `out` does.
pub fn write(map: &ConsumerMap, out: &mut dyn Write) -> io::Result<()> {
    let picture = picture(map, MAX_NODES, MAX_EDGES);
    writeln!(out, "flowchart LR")?;
    for (number, consumer) in picture.consumers.iter().enumerate() {
        let event = consumer.event.as_deref().unwrap_or("?");
        writeln!(
            out,
            "  c{number}[\"{}<br/>on {}<br/>{}\"]",
            text(&consumer.handler),
            text(event),
            text(&at(&consumer.registered_at))
        )?;
    }
    for (number, effect) in picture.effects.iter().enumerate() {
        writeln!(out, "  e{number}([\"{}\"])", text(effect))?;
    }
    for (from, to, standing) in &picture.edges {
        match *standing {
            "" => writeln!(out, "  c{from} --> e{to}")?,
            word => writeln!(out, "  c{from} -->|{word}| e{to}")?,
        }
    }
    if let Some(sentence) = left_out(&picture) {
        writeln!(out, "  more[\"{}\"]", text(&sentence))?;
    }
    Ok(())
}

/// A label: Mermaid reads quotes, markup and `#` codes in it.
fn text(label: &str) -> String {
    let mut out = String::new();
    for c in without_url_secrets(label).chars().take(MAX_LABEL) {
        match c {
            '"' | '<' | '>' | '&' | '#' | '`' | '\\' | '[' | ']' | '{' | '}' | '(' | ')' | '|' => {
                out.push_str(&format!("#{};", u32::from(c)));
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
