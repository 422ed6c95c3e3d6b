//! The seal of a document: a digest of all that stands before it, by which an edit shows.
//!
//! It shows a slip of the hand, not a forger: whoever changes a document can seal it anew.

use sha2::{Digest, Sha256};

use super::digest::short_hex;

/// Takes the text of a document piece by piece. White space between its tokens does not count,
/// everything else does, the order of its keys too.
#[derive(Debug, Default)]
pub struct Sealer {
    hash: Sha256,
    in_string: bool,
    escaped: bool,
}

impl Sealer {
    /// Takes the next piece, wherever it was cut.
    pub fn update(&mut self, bytes: &[u8]) {
        let kept: Vec<u8> = bytes
            .iter()
            .copied()
            .filter(|one| self.keeps(*one))
            .collect();
        self.hash.update(&kept);
    }

    fn keeps(&mut self, byte: u8) -> bool {
        if !self.in_string {
            self.in_string = byte == b'"';
            return !byte.is_ascii_whitespace();
        }
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => self.in_string = false,
            _ => {}
        }
        true
    }

    /// The first 16 hex digits of SHA-256 over what it took.
    pub fn seal(self) -> String {
        short_hex(&self.hash.finalize())
    }
}

/// True if the document ends with its seal, and the seal is that of all that stands before it.
pub fn is_sealed(text: &str, seal: &str) -> bool {
    let Some(at) = text.rfind("\"seal\"") else {
        return false;
    };
    let (before, tail) = text.split_at(at);
    let tail: String = tail.split_whitespace().collect();
    let Some(before) = before.trim_end().strip_suffix(',') else {
        return false;
    };
    let mut sealer = Sealer::default();
    sealer.update(before.as_bytes());
    tail == format!("\"seal\":\"{seal}\"}}") && sealer.seal() == seal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_between_tokens_is_nobodys_decision() {
        let sealed = |pieces: &[&str]| {
            let mut sealer = Sealer::default();
            pieces
                .iter()
                .for_each(|piece| sealer.update(piece.as_bytes()));
            sealer.seal()
        };
        let seal = sealed(&["{ \"a\": \"b \\", "\" c\",\n \"d\" : 1"]);
        assert_eq!(seal, sealed(&["{\"a\":\"b \\\" c\",\"d\":1"]));
        assert_ne!(seal, sealed(&["{\"a\":\"b \\\"c\",\"d\":1"]));
        let whole = format!("{{\"a\":\"b \\\" c\",\"d\":1, \"seal\" : \"{seal}\"\n}}\n");
        assert!(is_sealed(&whole, &seal));
        assert!(!is_sealed(&whole.replace(":1", ":2"), &seal));
        assert!(!is_sealed(&whole.replace("\n}", ", \"e\": 1}"), &seal));
    }
}
