//! Consumers in the document.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::evidence::Reason;
use super::place::Place;
use super::rows::Row;
use crate::model::consumer::{Consumer as Model, ConsumerOrigin, Phase};
use crate::model::report::Report;
use crate::report::words;

/// A consumer of events.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Consumer<'r> {
    /// Stable name.
    pub id: &'r str,
    /// What a person calls it.
    pub title: &'r str,
    /// `flow`, `code` or `declared`.
    #[schemars(extend("enum" = ["flow", "code", "declared"]))]
    pub origin: &'static str,
    /// What starts it.
    pub trigger: Trigger<'r>,
    /// `on`, `off`, `dormant` or `unknown`.
    #[schemars(extend("enum" = ["on", "off", "dormant", "unknown"]))]
    pub path: &'static str,
    /// Why, in one sentence.
    pub path_reason: String,
    /// What is not known about it.
    pub gaps: Vec<Reason<'r>>,
    /// Where it is defined.
    pub place: Place<'r>,
}

/// What starts a consumer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Trigger<'r> {
    /// The event type, when the trigger maps to one.
    pub event: Option<&'r str>,
    /// The object whose events it takes.
    pub object: Option<&'r str>,
    /// The trigger as written.
    pub word: &'r str,
    /// `after-commit`, `inside-save` or `elsewhere`.
    #[schemars(extend("enum" = ["after-commit", "inside-save", "elsewhere"]))]
    pub phase: &'static str,
    /// Conditions that decide whether it runs, as written.
    pub conditions: Vec<&'r str>,
}

impl<'r> Consumer<'r> {
    fn new(consumer: &'r Model) -> Self {
        let trigger = &consumer.trigger;
        Self {
            id: &consumer.id.0,
            title: &consumer.title,
            origin: match consumer.origin {
                ConsumerOrigin::Flow => "flow",
                ConsumerOrigin::Code => "code",
                ConsumerOrigin::Declared => "declared",
            },
            trigger: Trigger {
                event: trigger.event.as_deref(),
                object: trigger.object.as_deref(),
                word: &trigger.word,
                phase: match trigger.phase {
                    Phase::AfterCommit => "after-commit",
                    Phase::InsideSave => "inside-save",
                    Phase::Elsewhere => "elsewhere",
                },
                conditions: trigger.conditions.iter().map(|one| &*one.text).collect(),
            },
            path: consumer.path.word(),
            path_reason: words::path(&consumer.path),
            gaps: consumer.gaps.iter().map(Reason::new).collect(),
            place: Place::new(&consumer.place),
        }
    }
}

impl Row for Consumer<'_> {
    fn write<S: Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(report.consumers.iter().map(Consumer::new))
    }
}
