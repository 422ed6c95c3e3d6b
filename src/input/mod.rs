//! All that touches the outside: readers report what stands there and never classify it.

pub mod files;
pub mod flows;
pub mod json;
