//! The report in every format, on reports built by hand: what a person sees and a program reads.

// Builders may panic: a sample that cannot be built is a failed test.
#![allow(clippy::unwrap_used)]

mod github;
mod gitlab;
mod hostile;
mod in_toto;
mod json;
mod junit;
mod large;
mod machines;
mod markdown;
mod read_back;
mod samples;
mod sarif;
mod scope;
mod snapshots;
mod terminal;
