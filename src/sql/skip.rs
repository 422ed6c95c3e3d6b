//! Passing over a statement that moves data, at the speed of looking for a few bytes.

use super::lexer::{Lexer, TokenKind};
use super::scan;

impl Lexer<'_> {
    /// Passes over the rest of a statement without making tokens; false if the text ends inside a
    /// string or comment.
    pub(super) fn skip_statement(&mut self) -> bool {
        loop {
            let rest = self.rest(self.at);
            let Some(step) = rest.iter().position(|byte| STOPS[*byte as usize]) else {
                self.at = self.bytes.len();
                return true;
            };
            // A custom delimiter may stand among the bytes just passed.
            if let Some(delimiter) = self.delimiter {
                let span = rest.get(..step + delimiter.len()).unwrap_or(rest);
                if let Some(found) = memchr::memmem::find(span, delimiter) {
                    self.at += found + delimiter.len();
                    return true;
                }
            }
            self.at += step;
            let byte = self.byte(self.at);
            if byte == b';' {
                self.at += 1;
                if self.delimiter.is_none() {
                    return true;
                }
                continue;
            }
            if byte == b'\\' {
                // psql: the command that sends the statement ends it.
                if self.rules.postgres && self.byte(self.at + 1) == b'g' {
                    return true;
                }
                self.at += 1;
                continue;
            }
            // An E'…' string and the `$` inside a word need the byte before.
            let before = self.at.checked_sub(1).map_or(0, |at| self.byte(at));
            if byte == b'$' && (scan::is_word(before) || !self.rules.postgres) {
                self.at += 1;
                continue;
            }
            let earlier = self.at.checked_sub(2).map_or(0, |at| self.byte(at));
            if byte == b'\''
                && self.rules.postgres
                && before | 0x20 == b'e'
                && !scan::is_word(earlier)
            {
                self.at -= 1;
            }
            let token = self.advance();
            match token.kind {
                TokenKind::Broken => return false,
                TokenKind::End | TokenKind::Terminator => return true,
                _ => {}
            }
        }
    }
}

/// Bytes at which passing over has to look closer.
const STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    let bytes = b";'\"`$-/#*[\\";
    let mut at = 0;
    while at < bytes.len() {
        stops[bytes[at] as usize] = true;
        at += 1;
    }
    stops
};
