//! The configuration file.

pub mod database;
pub mod date;
