//! From an offset within a string value back to the place in the file that holds it.

use std::sync::Arc;

use crate::model::metadata::{Node, NodeOrigin, Text};
use crate::model::place::Place;
use crate::model::text::TextFile;

/// Finds the place of a part of one string value.
#[derive(Debug, Clone)]
pub(super) struct Locator {
    /// The file and the offset of the value's first byte in it, when the value stands in a file.
    source: Option<(Arc<TextFile>, u32)>,
    /// The place of the whole value.
    whole: Place,
}

impl Locator {
    /// For a JSON string.
    pub(super) fn node(node: &Node) -> Self {
        let source = match &node.origin {
            NodeOrigin::File(file) => Some((Arc::clone(file), node.start)),
            NodeOrigin::Row { .. } => None,
        };
        Self {
            source,
            whole: node.place(),
        }
    }

    /// For a text, with the file it stands in when that is at hand.
    pub(super) fn text(text: &Text, file: Option<&Arc<TextFile>>) -> Self {
        let source = text.place.span().and_then(|span| {
            let file = file?;
            Some((Arc::clone(file), file.offset(span.start)?))
        });
        Self {
            source,
            whole: text.place.clone(),
        }
    }

    /// The place of the bytes `start..end` of the unescaped value.
    pub(super) fn place(&self, start: u32, end: u32) -> Place {
        let Some((file, base)) = &self.source else {
            return self.whole.clone();
        };
        let Some(raw) = file.text().get(*base as usize..) else {
            return self.whole.clone();
        };
        match (raw_offset(raw, start), raw_offset(raw, end)) {
            (Some(from), Some(to)) => file.place(base + from, base + to),
            _ => self.whole.clone(),
        }
    }

    /// The place of the whole value.
    pub(super) fn whole(&self) -> &Place {
        &self.whole
    }
}

/// The offset in a JSON string token (or in a plain scalar) of an offset in its unescaped value.
fn raw_offset(raw: &str, wanted: u32) -> Option<u32> {
    let mut characters = raw.char_indices();
    let quoted = raw.starts_with('"');
    if quoted {
        characters.next();
    }
    let mut unescaped = 0u32;
    while let Some((at, character)) = characters.next() {
        if unescaped >= wanted {
            return Some(at as u32);
        }
        if quoted && character == '"' {
            return None;
        }
        if quoted && character == '\\' {
            unescaped += escape_length(&mut characters)?;
        } else {
            unescaped += character.len_utf8() as u32;
        }
    }
    (unescaped >= wanted).then_some(raw.len() as u32)
}

/// Reads the rest of an escape; gives the number of UTF-8 bytes it stands for.
fn escape_length(characters: &mut std::str::CharIndices<'_>) -> Option<u32> {
    let (_, kind) = characters.next()?;
    if kind != 'u' {
        return Some(1);
    }
    let first = hex4(characters)?;
    if (0xD800..0xDC00).contains(&first) {
        characters.next()?;
        characters.next()?;
        hex4(characters)?;
        return Some(4);
    }
    char::from_u32(first).map(|character| character.len_utf8() as u32)
}

fn hex4(characters: &mut std::str::CharIndices<'_>) -> Option<u32> {
    let mut code = 0;
    for _ in 0..4 {
        let (_, digit) = characters.next()?;
        code = code * 16 + digit.to_digit(16)?;
    }
    Some(code)
}

#[cfg(test)]
mod tests {
    use super::raw_offset;

    #[test]
    fn escapes_are_stepped_over() {
        let raw = r#""a\"b\u00e9c""#;
        // unescaped: a " b é c
        assert_eq!(raw_offset(raw, 0), Some(1));
        assert_eq!(raw_offset(raw, 1), Some(2));
        assert_eq!(raw_offset(raw, 2), Some(4));
        assert_eq!(raw_offset(raw, 5), Some(11));
        assert_eq!(raw_offset(raw, 6), Some(12));
        assert_eq!(raw_offset(raw, 7), None);
    }
}
