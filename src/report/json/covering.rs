//! What the document goes through on its way out, line by line, so that no field can be forgotten:
//! secrets in URLs are covered, and characters that a reader would not see are escaped. The
//! document is written with one string a line.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::model::secret::without_url_secrets;
use crate::report::visible;

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
            Ok(text) => self
                .out
                .write_all(seen(&without_url_secrets(text)).as_bytes())?,
            Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        }
        self.line.clear();
        Ok(())
    }
}

/// The same JSON with hidden characters escaped; they stand in strings only. Serde escapes those
/// below U+0020.
fn seen(line: &str) -> Cow<'_, str> {
    let hidden = |character: char| character != '\n' && visible::hides(character);
    // Most lines are plain: bytes below U+007F hide nothing that Serde leaves.
    if line.bytes().all(|byte| byte < 0x7f) || !line.chars().any(hidden) {
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
