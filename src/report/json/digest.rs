//! The digest of the document as it is written, for statements about it.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use crate::model::report::Report;

use super::sealing::UNSEALED;

/// Behind the seal there is its quote, a line end, the last brace and a line end.
const BEHIND: usize = 4;

/// The whole SHA-256 of the document, in hex, and its seal.
///
/// # Errors
/// None of its own: what is written goes nowhere else.
pub(in crate::report) fn digest(report: &Report) -> io::Result<(String, String)> {
    let mut hashing = Hashing::default();
    super::write_to(report, &mut hashing)?;
    let digest = hashing.hash.finalize();
    let end = hashing.tail.len().saturating_sub(BEHIND);
    let seal = hashing.tail.get(end.saturating_sub(UNSEALED.len())..end);
    let seal = String::from_utf8_lossy(seal.unwrap_or_default()).into_owned();
    let hex = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((hex, seal))
}

/// Hashes what is written, and keeps its end.
#[derive(Default)]
struct Hashing {
    hash: Sha256,
    tail: Vec<u8>,
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hash.update(bytes);
        let most = UNSEALED.len() + BEHIND;
        let from = bytes.len().saturating_sub(most);
        self.tail
            .extend_from_slice(bytes.get(from..).unwrap_or_default());
        self.tail.drain(..self.tail.len().saturating_sub(most));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
