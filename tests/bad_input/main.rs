//! Input that cannot be used: each gets a clear sentence with its place and the next step, stays
//! unknown in the report, and never a panic, a GO or exit status 0.

mod attempt;
mod command_line;
mod databases;
mod folders;
mod metadata;
mod outputs;
mod sizes;
mod tests;
