//! The stable identity of a finding: its check and its subject, nothing that moves with the text.

use sha2::{Digest, Sha256};

use crate::model::digest::short_hex;

/// First 16 hex digits of SHA-256 over `1`, NUL, check id, NUL, subject id. No path, line or
/// wording enters it, so that it survives reformatting, moves and new sentences.
pub fn fingerprint(check: &str, subject: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(b"1\0");
    hash.update(check.as_bytes());
    hash.update(b"\0");
    hash.update(subject.as_bytes());
    short_hex(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn the_value_is_the_one_that_sha256sum_gives() {
        // printf '1\0unguarded-create\0flow:a/action/CreateRecord:B' | sha256sum
        assert_eq!(
            fingerprint("unguarded-create", "flow:a/action/CreateRecord:B"),
            "d9f0eaa22a346a05"
        );
    }
}
