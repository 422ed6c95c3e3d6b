//! What the document goes through on its way out, line by line, so that no field can be forgotten:
//! secrets in URLs are covered, and characters that a reader would not see are escaped. The
//! document is written with one string a line.

use std::borrow::Cow;
use std::io::{self, Write};

use memchr::memmem;

use crate::model::secret::without_url_secrets;
use crate::report::visible;

/// So many bytes are collected before their whole lines are covered and passed on.
const BLOCK: usize = 32 * 1024;

/// Holds lines back until they are whole, covers them and passes them on.
pub(in crate::report) struct Covering<W: Write> {
    out: W,
    held: Vec<u8>,
}

impl<W: Write> Covering<W> {
    pub(in crate::report) fn new(out: W) -> Self {
        Self {
            out,
            held: Vec::with_capacity(2 * BLOCK),
        }
    }

    /// Passes on the first `length` bytes that are held.
    fn pass_on(&mut self, length: usize) -> io::Result<()> {
        let block = self.held.get(..length).unwrap_or_default();
        let text = std::str::from_utf8(block)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        if is_plain(text) {
            self.out.write_all(block)?;
        } else {
            for line in text.split_inclusive('\n') {
                match is_plain(line) {
                    true => self.out.write_all(line.as_bytes())?,
                    false => self
                        .out
                        .write_all(seen(&without_url_secrets(line)).as_bytes())?,
                }
            }
        }
        self.held.drain(..length);
        Ok(())
    }
}

/// True of a text that has no URL and no hidden character: bytes below U+007F hide nothing that
/// Serde leaves.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    text.is_ascii()
        && memchr::memchr(0x7f, bytes).is_none()
        && memmem::find(bytes, b"://").is_none()
}

/// The same JSON with hidden characters escaped; they stand in strings only. Serde escapes those
/// below U+0020.
fn seen(line: &str) -> Cow<'_, str> {
    let hidden = |character: char| character != '\n' && visible::hides(character);
    if !line.chars().any(hidden) {
        return line.into();
    }
    let mut out = String::with_capacity(line.len() + 16);
    for character in line.chars() {
        if hidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(character);
        }
    }
    out.into()
}

impl<W: Write> Write for Covering<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let before = self.held.len();
        self.held.extend_from_slice(bytes);
        if self.held.len() < BLOCK {
            return Ok(());
        }
        // Of a line that is longer than a block, no byte is looked at twice.
        let from = if before < BLOCK { 0 } else { before };
        let added = self.held.get(from..).unwrap_or_default();
        match memchr::memrchr(b'\n', added) {
            Some(end) => self.pass_on(from + end + 1),
            None => Ok(()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on(self.held.len())?;
        self.out.flush()
    }
}
