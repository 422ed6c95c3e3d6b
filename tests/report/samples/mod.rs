//! Sample reports, built from the model's own types.

pub(crate) mod checks;
pub(crate) mod hold;
pub(crate) mod many;
pub(crate) mod parts;
pub(crate) mod plain;
