//! The scan of Rust.

use super::Names;
use super::lex::Lex;

/// Looks at a file of Rust.
pub(super) fn scan(bytes: &[u8]) -> Names {
    let mut lex = Lex::new(bytes);
    while lex.at < bytes.len() {
        match (lex.peek(0), lex.peek(1)) {
            (b'/', b'/') => lex.line_comment(),
            (b'/', b'*') => block_comment(&mut lex),
            (b'"', _) => lex.string(true),
            (b'\'', _) => quote(&mut lex),
            (bracket @ (b'(' | b')' | b'[' | b']' | b'{' | b'}'), _) => lex.bracket(bracket),
            (byte, _) if Lex::is_part(byte) => word(&mut lex),
            _ => lex.at += 1,
        }
    }
    lex.finish()
}

fn word(lex: &mut Lex<'_>) {
    let start = lex.at;
    let first = lex.peek(0);
    let mut name = lex.name();
    if matches!(name, b"r" | b"br" | b"cr") {
        let mut hashes = 0;
        while lex.peek(hashes) == b'#' {
            hashes += 1;
        }
        if lex.peek(hashes) == b'"' {
            let close = [b"\"".as_slice(), &vec![b'#'; hashes]].concat();
            return lex.raw_string(hashes + 1, &close);
        }
        if name == b"r" && hashes == 1 && Lex::is_part(lex.peek(1)) {
            lex.at += 1;
            lex.name();
            name = lex.bytes.get(start..lex.at).unwrap_or_default();
        }
    }
    if name == b"fn" {
        // `fn(…)` is a type; what follows is taken for a name, which adds one at most.
        return lex.function();
    }
    // A number, unless it names a part of a tuple.
    let part = start.checked_sub(1).and_then(|at| lex.bytes.get(at)) == Some(&b'.');
    if first.is_ascii_digit() && !part {
        return;
    }
    let (at, next) = lex.next(lex.at);
    let after = lex.bytes.get(at + 1).copied().unwrap_or(0);
    let is_call = match next {
        b'(' => true,
        b'!' => after != b'=',
        b':' if after == b':' => lex.next(at + 2).1 == b'<',
        b')' => lex.closes_and_calls(at),
        _ => false,
    };
    lex.note(name, is_call);
}

/// `/* … */`, which nests.
fn block_comment(lex: &mut Lex<'_>) {
    let mut depth = 0usize;
    loop {
        let rest = lex.bytes.get(lex.at..).unwrap_or_default();
        let Some(next) = memchr::memchr2(b'/', b'*', rest) else {
            return lex.tear();
        };
        lex.at += next;
        match (lex.peek(0), lex.peek(1)) {
            (b'/', b'*') => {
                depth += 1;
                lex.at += 2;
            }
            (b'*', b'/') => {
                lex.at += 2;
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return;
                }
            }
            _ => lex.at += 1,
        }
    }
}

/// A character, or a lifetime.
fn quote(lex: &mut Lex<'_>) {
    if lex.peek(1) == b'\\' {
        let rest = lex.bytes.get(lex.at + 3..).unwrap_or_default();
        match memchr::memchr(b'\'', rest) {
            Some(end) if end < 12 => lex.at += end + 4,
            _ => lex.torn_at(2),
        }
        return;
    }
    let length = match lex.peek(1) {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    };
    if lex.peek(1 + length) == b'\'' {
        lex.at += length + 2;
    } else {
        lex.at += 1;
        if Lex::is_part(lex.peek(0)) {
            lex.name();
        }
    }
}
