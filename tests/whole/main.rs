//! The bundled systems, audited as a user audits them: through the binary, judged by its JSON.
//!
//! The README of each system says what is right, row by row; the tool has to agree with it.

mod audit;
mod formats;
mod fragile;
mod markdown;
mod places;
mod readme_tables;
mod removed_keys;
mod same_bytes;
mod secrets;
mod verdicts;
