//! outbox-audit: proves, or refuses to prove, that every consumer of an outbox survives redelivery.

pub mod checks;
pub mod cli;
pub mod expr;
pub mod facts;
pub mod input;
pub mod model;
pub mod report;
pub mod rules;
pub mod sql;
pub mod verdict;
