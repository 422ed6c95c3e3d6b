//! The model of the queue's protocol: which promise guards which property, how far the search goes,
//! and that real servers do step by step what the model says.

#[path = "../servers/mod.rs"]
mod servers;

mod faults;
mod laws;
mod replay;
mod runs;
mod sql;
mod table;
mod waits;
mod wire;
