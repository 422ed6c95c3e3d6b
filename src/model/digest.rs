//! Digests as reports show them.

use std::fmt::{self, Write as _};

use sha2::{Digest, Sha256};

/// The first 16 hex digits of the SHA-256.
pub fn short(bytes: &[u8]) -> String {
    short_hex(&Sha256::digest(bytes))
}

/// The same of a value as its `Debug` prints it, without making the text.
pub fn short_of_debug(value: &dyn fmt::Debug) -> String {
    let mut writer = Hashing(Sha256::new());
    // It takes every write.
    let _ = write!(writer, "{value:?}");
    short_hex(&writer.0.finalize())
}

/// The first 16 hex digits of a digest.
pub fn short_hex(digest: &[u8]) -> String {
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

struct Hashing(Sha256);

impl fmt::Write for Hashing {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
