//! JSON that stands inside a JSON string, as exports of JSON columns write it, with the places of
//! its parts in the file around it.

use crate::input::json::{self, JsonFault};
use crate::model::metadata::{Node, NodeKind};
use crate::model::place::Place;

/// Parses the text of a string node.
///
/// The nodes get the offsets of the file. A string inside spans its characters alone, not its
/// quotes, which are escaped out there. Where offsets mean nothing (a row of a database), every
/// node spans the whole string.
///
/// # Errors
/// What is wrong with the text, and where in the file.
pub(super) fn parse(node: &Node) -> Result<Node, (JsonFault, Place)> {
    let text = node.string().map_or("", |text| text);
    let map = Map::new(node, text.len());
    match json::parse_text(text, &node.origin) {
        Ok(mut inner) => {
            map.shift(&mut inner);
            Ok(inner)
        }
        Err(error) => {
            let at = map.at(error.offset);
            Err((error.fault, node.origin.place(at, at)))
        }
    }
}

/// From byte offsets of the unescaped text to those of the file.
struct Map {
    /// One entry per byte and one behind the last; empty where the offsets are not known.
    offsets: Vec<u32>,
    whole: (u32, u32),
}

impl Map {
    fn new(node: &Node, length: usize) -> Self {
        let whole = (node.start, node.end);
        let offsets = node.source().and_then(|raw| offsets(raw, node.start));
        Self {
            offsets: offsets
                .filter(|it| it.len() == length + 1)
                .unwrap_or_default(),
            whole,
        }
    }

    fn at(&self, offset: u32) -> u32 {
        self.offsets
            .get(offset as usize)
            .copied()
            .unwrap_or(self.whole.0)
    }

    fn shift(&self, node: &mut Node) {
        let quote = u32::from(matches!(node.kind, NodeKind::String(_)));
        (node.start, node.end) = if self.offsets.is_empty() {
            self.whole
        } else {
            (self.at(node.start + quote), self.at(node.end - quote))
        };
        match &mut node.kind {
            NodeKind::Array(items) => items.iter_mut().for_each(|item| self.shift(item)),
            NodeKind::Object(members) => {
                for member in members {
                    member.key_start = self.at(member.key_start);
                    member.key_end = self.at(member.key_end);
                    self.shift(&mut member.value);
                }
            }
            _ => {}
        }
    }
}

/// For each byte of the unescaped text the offset of the character or escape that gives it.
fn offsets(raw: &str, start: u32) -> Option<Vec<u32>> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    let mut offsets = Vec::with_capacity(inner.len() + 1);
    let mut rest = inner;
    while let Some(first) = rest.chars().next() {
        let (read, bytes) = match first {
            '\\' => escape(rest)?,
            _ => (first.len_utf8(), first.len_utf8()),
        };
        let at = start + 1 + (inner.len() - rest.len()) as u32;
        offsets.resize(offsets.len() + bytes, at);
        rest = rest.get(read..)?;
    }
    offsets.push(start + 1 + inner.len() as u32);
    Some(offsets)
}

/// How many bytes an escape takes, and how many it stands for.
fn escape(rest: &str) -> Option<(usize, usize)> {
    if rest.as_bytes().get(1) != Some(&b'u') {
        return Some((2, 1));
    }
    let code = u32::from_str_radix(rest.get(2..6)?, 16).ok()?;
    match char::from_u32(code) {
        Some(character) => Some((6, character.len_utf8())),
        // The first half of a pair; the parser refuses a lone one.
        None => Some((12, 4)),
    }
}
