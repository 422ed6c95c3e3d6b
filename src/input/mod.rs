//! All that touches the outside: readers report what stands there and never classify.

pub mod schema;
