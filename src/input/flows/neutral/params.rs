//! What the placeholders of a statement stand for, as the neutral format writes it.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::at::At;
use super::format::Value;

/// A list for placeholders that are counted, a map for those with names.
#[derive(Debug, Clone)]
pub enum Params {
    /// By position, from the first.
    List(Vec<At<Value>>),
    /// By name, without `:`, `@` or the like before it; a number names a position.
    Map(Vec<(At<String>, At<Value>)>),
}

impl<'de> Deserialize<'de> for Params {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ParamsVisitor;
        impl<'de> Visitor<'de> for ParamsVisitor {
            type Value = Params;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of values, or names with their values")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Params, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Params::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Params, A::Error> {
                let mut named = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    named.push(entry);
                }
                Ok(Params::Map(named))
            }
        }
        deserializer.deserialize_any(ParamsVisitor)
    }
}

impl JsonSchema for Params {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Params".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<Value>();
        schemars::json_schema!({
            "anyOf": [
                {"type": "array", "items": value},
                {"type": "object", "additionalProperties": value}
            ]
        })
    }
}
