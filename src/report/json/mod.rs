//! The report for programs. The document is written element by element: memory does not grow
//! with the number of effects or obligations.

mod covering;
mod digest;
mod sealing;
pub mod v1;

use std::io::{self, Write};

use crate::model::report::Report;
pub(super) use covering::Covering;
pub(super) use digest::digest;
use sealing::Sealing;

/// Writes the document, indented by two spaces, with a line end behind it.
///
/// # Errors
/// Whatever `out` returns.
pub(super) fn write_to(report: &Report, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let mut sealing = Sealing::new(io::BufWriter::new(&mut *out));
    let mut buffered = Covering::new(&mut sealing);
    serde_json::to_writer_pretty(&mut buffered, &v1::Document::new(report))?;
    buffered.write_all(b"\n")?;
    buffered.flush()?;
    drop(buffered);
    sealing.finish()
}
