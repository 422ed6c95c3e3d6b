//! Long lists of the document: made one element at a time while they are written.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::model::report::Report;

/// A list that stands in the report and takes its written form only while it is written.
///
/// `T` names the written form; its lifetime is that of the report in hand.
#[derive(Debug)]
pub struct Rows<'r, T> {
    report: &'r Report,
    written: PhantomData<T>,
}

/// A written form that is one row of a report.
pub(super) trait Row {
    /// Hands the rows to a serializer.
    fn write<S: Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error>;
}

impl<'r, T> Rows<'r, T> {
    pub(super) fn new(report: &'r Report) -> Self {
        Self {
            report,
            written: PhantomData,
        }
    }
}

impl<T: Row> Serialize for Rows<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        T::write(self.report, serializer)
    }
}

impl<T: JsonSchema> JsonSchema for Rows<'_, T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Vec::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<T>::json_schema(generator)
    }
}
