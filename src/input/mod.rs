//! All that touches the outside. Readers report what they find; they never classify.

pub mod config;
pub mod init;
