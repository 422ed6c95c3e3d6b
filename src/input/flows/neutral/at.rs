//! A value of a YAML file with the bytes it was read from.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use serde_saphyr::Spanned;

use crate::model::metadata::Text;
use crate::model::place::Place;
use crate::model::text::TextFile;

/// A value and where it stands; behind an alias, where it is defined.
#[derive(Debug, Clone)]
pub struct At<T> {
    /// The value.
    pub value: T,
    start: u32,
    end: u32,
}

impl<T> At<T> {
    /// Its place.
    pub(super) fn place(&self, file: &TextFile) -> Place {
        file.place(self.start, self.end)
    }

    /// Offset of its first byte in the file.
    pub(super) fn begin(&self) -> u32 {
        self.start
    }

    /// The stretch of the file it was read from, blanks included.
    pub(super) fn span_text<'f>(&self, file: &'f TextFile) -> &'f str {
        let source = file.text().get(self.start as usize..self.end as usize);
        source.unwrap_or_default()
    }

    /// The text it was read from.
    pub(super) fn source<'f>(&self, file: &'f TextFile) -> &'f str {
        let source = file.text().get(self.start as usize..self.end as usize);
        source.unwrap_or_default().trim()
    }
}

impl At<String> {
    /// The text; none if it is blank, or the word for nothing without quotes.
    pub(super) fn filled(&self, file: &TextFile) -> Option<&str> {
        let nothing = matches!(self.source(file), "" | "~" | "null" | "Null" | "NULL");
        Some(self.value.trim()).filter(|it| !it.is_empty() && !nothing)
    }

    /// The text with its place.
    pub(super) fn text(&self, file: &TextFile) -> Text {
        Text {
            value: Arc::from(&*self.value),
            place: self.place(file),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Spanned { value, defined, .. } = Spanned::<T>::deserialize(deserializer)?;
        let span = defined.span();
        // Files are shorter than 4 GiB.
        let start = span.byte_offset().unwrap_or(0) as u32;
        let end = start.saturating_add(span.byte_len().unwrap_or(0) as u32);
        Ok(At { value, start, end })
    }
}

/// The place is no part of the format.
impl<T: JsonSchema> JsonSchema for At<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}
