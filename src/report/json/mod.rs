//! The report for programs. The document is written element by element: memory does not grow
//! with the number of effects or obligations.

mod covering;
pub mod v1;

use std::io::{self, Write};

use crate::model::report::Report;
use covering::Covering;

/// Writes the document, indented by two spaces, with a line end behind it.
///
/// # Errors
/// Whatever `out` returns.
pub(super) fn write_to(report: &Report, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let mut buffered = Covering::new(io::BufWriter::new(&mut *out));
    serde_json::to_writer_pretty(&mut buffered, &v1::Document::new(report))?;
    buffered.write_all(b"\n")?;
    buffered.flush()
}
