//! YAML as it stands: every value with its place, every scalar as the text that was written.
//!
//! The reader of typed values stops at the first thing it does not expect. A person wants all
//! problems at once, so the file is first read into this tree, which refuses nothing but broken
//! YAML. It also keeps YAML's guesses away: `no`, `1.0` and `0x10` stay what they are.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Error, Location, NonFiniteFloatPolicy, Spanned};

/// A value and where it stands, in byte offsets of the file.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::input) struct Node {
    pub(in crate::input) kind: NodeKind,
    pub(in crate::input) start: u32,
    pub(in crate::input) end: u32,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::input) enum NodeKind {
    /// Nothing, `~` or `null`.
    Null,
    /// A scalar, as written; of quoted and block scalars the content.
    Text(String),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the file, repeated keys included.
    Map(Vec<(Node, Node)>),
}

impl NodeKind {
    /// What a person calls it.
    pub(in crate::input) fn name(&self) -> &'static str {
        match self {
            NodeKind::Null => "nothing",
            NodeKind::Text(_) => "text",
            NodeKind::List(_) => "a list",
            NodeKind::Map(_) => "keys and values",
        }
    }
}

impl Node {
    /// True of nothing and of a list without entries.
    pub(in crate::input) fn is_empty(&self) -> bool {
        match &self.kind {
            NodeKind::Null => true,
            NodeKind::List(items) => items.is_empty(),
            NodeKind::Text(_) | NodeKind::Map(_) => false,
        }
    }
}

/// Reads one document.
///
/// # Errors
/// Broken YAML, more than one document, or more nodes, aliases or depth than a configuration needs.
pub(in crate::input) fn read(text: &str) -> Result<Node, Box<Error>> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: 50_000,
            max_events: 200_000,
            max_depth: 32,
            max_anchors: 100,
            max_aliases: 1_000,
            max_documents: 2,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 50_000,
        },
        // All of them are wanted, to report each one beyond the first.
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        // `.inf` and `1e999` are text like everything else.
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    };
    let raw: Spanned<Raw> = serde_saphyr::from_str_with_options(text, options).map_err(Box::new)?;
    Ok(place(raw, text))
}

/// The first and last byte of a location.
pub(super) fn offsets(location: Location) -> (u32, u32) {
    let span = location.span();
    let start = span.byte_offset().unwrap_or(0) as u32;
    (start, start + span.byte_len().unwrap_or(0) as u32)
}

/// What the deserializer reports, before scalars are taken back from the text.
enum Raw {
    Null,
    /// A scalar that YAML would guess to be something else than text.
    Guessed,
    Text(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<Raw>, Spanned<Raw>)>),
}

fn place(raw: Spanned<Raw>, text: &str) -> Node {
    let (start, end) = offsets(raw.defined);
    let kind = match raw.value {
        Raw::Null => NodeKind::Null,
        Raw::Guessed => {
            let written = text.get(start as usize..end as usize).unwrap_or_default();
            NodeKind::Text(written.trim().to_owned())
        }
        Raw::Text(text) => NodeKind::Text(text),
        Raw::List(items) => {
            NodeKind::List(items.into_iter().map(|item| place(item, text)).collect())
        }
        Raw::Map(entries) => NodeKind::Map(
            entries
                .into_iter()
                .map(|(key, value)| (place(key, text), place(value, text)))
                .collect(),
        ),
    };
    Node { kind, start, end }
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Raw, E> {
        Ok(Raw::Guessed)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Raw, E> {
        Ok(Raw::Guessed)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Raw, E> {
        Ok(Raw::Guessed)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Raw, E> {
        Ok(Raw::Guessed)
    }

    fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Raw, E> {
        Ok(Raw::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Raw, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Raw::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Raw, A::Error> {
        let mut map = Vec::new();
        while let Some(key) = entries.next_key()? {
            let value = entries.next_value()?;
            map.push((key, value));
            if map.len() > 50_000 {
                return Err(A::Error::custom("a mapping with more than 50,000 keys"));
            }
        }
        Ok(Raw::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree as nested brackets, for comparison.
    fn shown(node: &Node) -> String {
        match &node.kind {
            NodeKind::Null => "~".to_owned(),
            NodeKind::Text(text) => format!("{text:?}"),
            NodeKind::List(items) => {
                format!(
                    "[{}]",
                    items.iter().map(shown).collect::<Vec<_>>().join(" ")
                )
            }
            NodeKind::Map(entries) => {
                let pairs: Vec<String> = entries
                    .iter()
                    .map(|(key, value)| format!("{}={}", shown(key), shown(value)))
                    .collect();
                format!("{{{}}}", pairs.join(" "))
            }
        }
    }

    #[test]
    fn scalars_arrive_as_written() {
        let text = "a: [no, on, 1.0, 0x10, 1_0, 007, .nan, 1e999, 2026-01-02, \"7\", '', ~, a b]\n\
                    no: yes\n1: 2\n";
        assert_eq!(
            shown(&read(text).unwrap()),
            r#"{"a"=["no" "on" "1.0" "0x10" "1_0" "007" ".nan" "1e999" "2026-01-02" "7" "" ~ "a b"] "no"="yes" "1"="2"}"#
        );
    }

    #[test]
    fn repeated_keys_anchors_and_merges_are_kept() {
        let text = "a: &x {k: 1, k: 2}\nb: *x\nc:\n  <<: *x\n  d: 3\n";
        assert_eq!(
            shown(&read(text).unwrap()),
            r#"{"a"={"k"="1" "k"="2"} "b"={"k"="1" "k"="2"} "c"={"d"="3" "k"="1"}}"#
        );
    }

    #[test]
    fn offsets_are_bytes_of_the_text() {
        let text = "é: 'ü'\nb: no\n";
        let NodeKind::Map(entries) = read(text).unwrap().kind else {
            panic!("no mapping")
        };
        let slices: Vec<&str> = entries
            .iter()
            .flat_map(|(key, value)| [key, value])
            .map(|node| &text[node.start as usize..node.end as usize])
            .collect();
        assert_eq!(slices, ["é", "'ü'", "b", "no"]);
    }

    #[test]
    fn bombs_and_depth_end_early() {
        let mut bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for (name, of) in "bcdefghij".chars().zip("abcdefghi".chars()) {
            let nine = [format!("*{of}").as_str(); 9].join(",");
            bomb += &format!("{name}: &{name} [{nine}]\n");
        }
        assert!(read(&bomb).is_err());
        assert!(read(&"[".repeat(100_000)).is_err());
        assert!(read(&"{a: ".repeat(100_000)).is_err());
        assert!(read(&"- ".repeat(100_000)).is_err());
    }
}
