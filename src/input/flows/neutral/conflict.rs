//! What happens when a unique key is taken, as the neutral format writes it.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// What happens when a unique key is taken: a word, or one of the maps.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub enum Conflict {
    /// The same for every key.
    Word(ConflictWord),
    /// For one key.
    Key(ConflictKey),
}

/// What happens on a conflict with any key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConflictWord {
    /// The statement fails.
    Error,
    /// Nothing is written.
    DoNothing,
    /// The rows in the way are deleted.
    Replace,
}

/// What happens on a conflict with one key; exactly one of `do_nothing`, `update`, `find_first`
/// and `caught`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = one_of(),
    "dependentRequired" = {"retries": ["find_first"], "sees_deleted": ["find_first"]}
))]
pub struct ConflictKey {
    /// Nothing is written if the key of these columns is taken.
    pub do_nothing: Option<Vec<String>>,
    /// The row in the way is changed if the key of these columns is taken.
    pub update: Option<Vec<String>>,
    /// Looked up by these columns first.
    pub find_first: Option<Vec<String>>,
    /// With `find_first`: whether a violation of the key is caught and the row taken.
    pub retries: Option<bool>,
    /// With `find_first`: whether the lookup sees rows that are marked deleted.
    pub sees_deleted: Option<bool>,
    /// The violation of this constraint is taken for "already done".
    pub caught: Option<String>,
}

/// Exactly one of the four is given; a lookup says how it ends too.
fn one_of() -> serde_json::Value {
    let given = |kinds: &[(&str, &str)]| {
        let keys: Vec<&str> = kinds.iter().map(|(key, _)| *key).collect();
        let types: serde_json::Map<String, serde_json::Value> = kinds
            .iter()
            .map(|(key, kind)| ((*key).to_owned(), serde_json::json!({"type": kind})))
            .collect();
        serde_json::json!({"required": keys, "properties": types})
    };
    serde_json::json!([
        given(&[("do_nothing", "array")]),
        given(&[("update", "array")]),
        given(&[
            ("find_first", "array"),
            ("retries", "boolean"),
            ("sees_deleted", "boolean")
        ]),
        given(&[("caught", "string")]),
    ])
}

impl<'de> Deserialize<'de> for Conflict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ConflictVisitor;
        impl<'de> Visitor<'de> for ConflictVisitor {
            type Value = Conflict;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`error`, `do-nothing`, `replace`, or one of `do_nothing`, `update`, `find_first`, `caught` with its columns")
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<Conflict, E> {
                let word = serde::de::value::StrDeserializer::new(word);
                ConflictWord::deserialize(word).map(Conflict::Word)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Conflict, A::Error> {
                ConflictKey::deserialize(MapAccessDeserializer::new(map)).map(Conflict::Key)
            }
        }
        deserializer.deserialize_any(ConflictVisitor)
    }
}
