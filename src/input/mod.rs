//! All that touches the outside. Readers report what they find; they never classify.

pub mod config;
pub mod evidence;
pub mod files;
pub mod flows;
pub mod gather;
pub mod git;
pub mod init;
pub mod json;
pub mod names;
pub mod outbox;
pub mod report;
pub mod schema;
pub mod settings;
pub mod source;
