//! `outbox-audit.yaml`: found, read, checked; every problem at once, with its place.
//!
//! The file is read into a tree (`tree`), and the tree key by key into [`Config`] (`fields` and
//! the four section readers). [`document`] describes the same shape for the JSON Schema.

pub mod database;
pub mod date;
pub mod document;
mod fields;
mod gate;
mod guarantees;
pub mod horizon;
mod inputs;
mod load;
mod names;
pub mod problem;
mod promises;
mod queue;
pub mod render;
mod secret;
mod syntax;

pub(in crate::input) mod tree;
mod types;
pub mod waive;

pub use load::{Draft, FILE_NAME, draft, find, finished, load, parse};
pub use names::check_names;
pub use types::{
    Config, ConfiguredDatabase, ConfiguredInputs, ConfiguredPath, Limits, OutboxOverrides,
    OutboxStates,
};
