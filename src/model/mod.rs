//! The words of the audit: places, values, consumers, effects, schema, obligations and the report.
//!
//! Nothing here reads, decides or prints. Every other module speaks in these types, and this
//! module imports none of them.

pub mod backlog;
pub mod check;
pub mod conflict;
pub mod consumer;
pub mod decisions;
pub mod dialect;
pub mod digest;
pub mod duplicates;
pub mod effect;
pub mod evidence;
pub mod facts;
pub mod guarantee;
pub mod guard;
pub mod inputs;
pub mod map;
pub mod metadata;
pub mod name;
pub mod nearest;
pub mod outbox;
pub mod phase;
pub mod place;
pub mod plan;
pub mod predicate;
pub mod queue;
pub mod redelivery;
pub mod report;
pub mod routine;
pub mod row_choice;
pub mod schema;
pub mod scope;
pub mod seal;
pub mod secret;
pub mod server;
pub mod settings;
pub mod source;
pub mod template;
pub mod tests;
pub mod text;
pub mod value;
