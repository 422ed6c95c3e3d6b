//! The report for a browser, in a real one: what it shows, that it is quiet, that it can be used
//! with keys, without script, on a narrow screen and on paper.

// Builders may panic: a sample that cannot be built is a failed test.
#![allow(clippy::unwrap_used)]

mod chromium;
mod filters;
mod hostile;
mod large;
mod links;
mod looks;
mod reports;

#[allow(dead_code, reason = "shared with the tests of the other formats")]
#[path = "../report/samples/mod.rs"]
mod samples;
