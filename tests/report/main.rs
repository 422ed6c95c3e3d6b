//! The report in every format, on reports built by hand: what a person sees and a program reads.

mod hostile;
mod json;
mod large;
mod markdown;
mod read_back;
mod samples;
mod snapshots;
mod terminal;
