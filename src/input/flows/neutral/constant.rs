//! Literals of the neutral format.

use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Constant {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Number,
    /// A text.
    String(String),
    /// A list or map, taken as it stands.
    Json,
}

impl<'de> Deserialize<'de> for Constant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ConstantVisitor;
        impl<'de> Visitor<'de> for ConstantVisitor {
            type Value = Constant;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a literal")
            }
            fn visit_unit<E>(self) -> Result<Constant, E> {
                Ok(Constant::Null)
            }
            fn visit_none<E>(self) -> Result<Constant, E> {
                Ok(Constant::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Constant, E> {
                Ok(Constant::Bool(value))
            }
            fn visit_i64<E>(self, _: i64) -> Result<Constant, E> {
                Ok(Constant::Number)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Constant, E> {
                Ok(Constant::Number)
            }
            fn visit_i128<E>(self, _: i128) -> Result<Constant, E> {
                Ok(Constant::Number)
            }
            fn visit_u128<E>(self, _: u128) -> Result<Constant, E> {
                Ok(Constant::Number)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Constant, E> {
                Ok(Constant::Number)
            }
            fn visit_str<E>(self, text: &str) -> Result<Constant, E> {
                Ok(Constant::String(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Constant, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Constant::Json)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Constant, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Constant::Json)
            }
        }
        deserializer.deserialize_any(ConstantVisitor)
    }
}
