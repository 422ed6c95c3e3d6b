//! The scan of Go.

use super::Names;
use super::lex::Lex;

/// Looks at a file of Go.
pub(super) fn scan(bytes: &[u8]) -> Names {
    let mut lex = Lex::new(bytes);
    while lex.at < bytes.len() {
        match (lex.peek(0), lex.peek(1)) {
            (b'/', b'/') => lex.line_comment(),
            (b'/', b'*') => lex.block_comment(),
            (b'"', _) => lex.string(false),
            (b'`', _) => lex.raw_string(1, b"`"),
            (b'\'', _) => rune(&mut lex),
            (bracket @ (b'(' | b')' | b'[' | b']' | b'{' | b'}'), _) => lex.bracket(bracket),
            (byte, _) if Lex::is_part(byte) => {
                let name = lex.name();
                if name == b"func" {
                    lex.function();
                } else if !byte.is_ascii_digit() {
                    let is_call = match lex.peek(0) {
                        b'(' | b'[' => true,
                        b' ' | b'\t' | b')' | b'/' | b'\r' | b'\n' => {
                            matches!(lex.next(lex.at).1, b'(' | b'[')
                                || lex.closes_and_calls(lex.at)
                        }
                        _ => false,
                    };
                    lex.note(name, is_call);
                }
            }
            _ => lex.at += 1,
        }
    }
    lex.finish()
}

/// `'x'`, `'\''`.
fn rune(lex: &mut Lex<'_>) {
    let escaped = lex.peek(1) == b'\\';
    lex.at += if escaped { 3 } else { 2 };
    // Digits of an escape, or the rest of a character of several bytes.
    while lex.at < lex.bytes.len() && Lex::is_part(lex.peek(0)) {
        lex.at += 1;
    }
    match lex.peek(0) {
        b'\'' => lex.at += 1,
        _ => lex.torn = true,
    }
}
