//! SARIF 2.1.0, for code scanning and editors. Results are findings and nothing else; what is not
//! known stands among the notifications of the run, with the verdict.

mod flow;
mod location;
mod message;
mod result;
mod rule;
mod run;

use std::io::{self, Write};

use serde::Serialize;

use crate::model::report::Report;

use super::json::Covering;
use super::view::View;
use run::{Context, Run};

/// Most results: GitHub refuses a file with more. Those that hold the flag come first, and a
/// notification says how many are left out.
pub(super) const MOST: usize = 25_000;

#[derive(Serialize)]
struct Log<'c> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'c>; 1],
}

/// Writes the log, result by result, with a line end behind it.
///
/// # Errors
/// Whatever `out` returns.
pub(super) fn write_to(report: &Report, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let view = View::new(report);
    let context = Context::new(&view);
    let log = Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [Run::new(&context)],
    };
    let mut covered = Covering::new(io::BufWriter::new(out));
    serde_json::to_writer_pretty(&mut covered, &log)?;
    covered.write_all(b"\n")?;
    covered.flush()
}
