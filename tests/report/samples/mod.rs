//! Sample reports, built from the model's own types.

pub mod checks;
pub mod hold;
pub mod parts;
pub mod plain;
pub mod many;
