//! Sample reports, built from the model's own types.

pub mod checks;
pub mod hold;
pub mod many;
pub mod parts;
pub mod plain;
