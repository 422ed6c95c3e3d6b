//! Puts the seal of the document at its end, where the document was written with an empty one.

use std::io::{self, Write};

use crate::model::seal::Sealer;

/// What stands for the seal while the document is written; as long as one.
pub(super) const UNSEALED: &str = "0000000000000000";

/// Passes the document on, holding back its end.
pub(super) struct Sealing<W: Write> {
    out: W,
    held: Vec<u8>,
    sealer: Sealer,
}

fn end(seal: &str) -> String {
    format!(",\n  \"seal\": \"{seal}\"\n}}\n")
}

impl<W: Write> Sealing<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            held: Vec::new(),
            sealer: Sealer::default(),
        }
    }

    /// Writes the end with the seal in it.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if self.held != end(UNSEALED).as_bytes() {
            return Err(io::Error::other("the seal is not the last of the document"));
        }
        self.out.write_all(end(&self.sealer.seal()).as_bytes())?;
        self.out.flush()
    }
}

impl<W: Write> Write for Sealing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        let length = self.held.len().saturating_sub(end(UNSEALED).len());
        let passed = self.held.get(..length).unwrap_or_default();
        self.sealer.update(passed);
        self.out.write_all(passed)?;
        self.held.drain(..length);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
