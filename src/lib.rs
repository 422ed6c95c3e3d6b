//! outbox-audit: proves, or refuses to prove, that every consumer of an outbox survives redelivery.

pub mod expr;
pub mod facts;
pub mod model;
pub mod rules;
