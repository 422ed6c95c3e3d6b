//! The report in every format, on reports built by hand: what a person sees and a program reads.

mod samples;
mod terminal;
