//! Covers secrets in URLs on their way into the document, line by line, so that no field of it can
//! be forgotten. The document is written with one string a line.

use std::io::{self, Write};

use crate::model::secret::without_url_secrets;

/// Holds a line back until it is whole, covers it and passes it on.
pub(super) struct Covering<W: Write> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> Covering<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            line: Vec::new(),
        }
    }

    fn pass_on(&mut self) -> io::Result<()> {
        match std::str::from_utf8(&self.line) {
            Ok(text) => self.out.write_all(without_url_secrets(text).as_bytes())?,
            Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        }
        self.line.clear();
        Ok(())
    }
}

impl<W: Write> Write for Covering<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, behind) = rest.split_at(end + 1);
            self.line.extend_from_slice(line);
            self.pass_on()?;
            rest = behind;
        }
        self.line.extend_from_slice(rest);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()?;
        self.out.flush()
    }
}
