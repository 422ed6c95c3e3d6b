//! outbox-audit: proves, or refuses to prove, that every consumer of an outbox survives redelivery.

pub mod model;
pub mod report;
