//! The scan of Python.

use super::Names;
use super::lex::Lex;

/// Looks at a file of Python.
pub(super) fn scan(bytes: &[u8]) -> Names {
    let mut lex = Lex::new(bytes);
    while lex.at < bytes.len() {
        match lex.peek(0) {
            b'#' => lex.line_comment(),
            quote @ (b'"' | b'\'') => string(&mut lex, quote, false),
            bracket @ (b'(' | b')' | b'[' | b']' | b'{' | b'}') => lex.bracket(bracket),
            // What stands behind it is part of the line.
            b'\\' => lex.at += 2,
            byte if Lex::is_part(byte) => word(&mut lex),
            _ => lex.at += 1,
        }
    }
    lex.finish()
}

fn word(lex: &mut Lex<'_>) {
    let name = lex.name();
    let quote = lex.peek(0);
    if matches!(quote, b'"' | b'\'') && name.len() <= 2 && name.iter().all(is_prefix) {
        let formats = name
            .iter()
            .any(|byte| matches!(byte, b'f' | b'F' | b't' | b'T'));
        return string(lex, quote, formats);
    }
    if name == b"def" {
        return lex.function();
    }
    if name.first().is_some_and(u8::is_ascii_digit) {
        return;
    }
    let mut at = lex.at;
    // Blanks, and lines that go on.
    while let Some(b' ' | b'\t' | b'\r' | b'\n' | b'\\' | b')') = lex.bytes.get(at) {
        at += 1;
    }
    let is_call = matches!(lex.bytes.get(at), Some(b'(' | b'['));
    lex.note(name, is_call || decorates(lex, name));
}

/// True of the last name of a line that begins with `@`: a decorator is called.
fn decorates(lex: &Lex<'_>, name: &[u8]) -> bool {
    let start = lex.at - name.len();
    // No decorator that anybody writes is longer.
    let before = lex
        .bytes
        .get(start.saturating_sub(300)..start)
        .unwrap_or_default();
    let line = before.iter().rposition(|byte| *byte == b'\n');
    let line = before
        .get(line.map_or(0, |at| at + 1)..)
        .unwrap_or_default();
    line.trim_ascii_start().starts_with(b"@")
}

fn is_prefix(byte: &u8) -> bool {
    matches!(byte.to_ascii_lowercase(), b'r' | b'b' | b'u' | b'f' | b't')
}

/// A string of one or three quotes. The code inside an f-string is read as text and as code.
fn string(lex: &mut Lex<'_>, quote: u8, formats: bool) {
    let long = lex.peek(1) == quote && lex.peek(2) == quote;
    let close: &[u8] = match (long, quote) {
        (true, b'"') => b"\"\"\"",
        (true, _) => b"'''",
        (false, b'"') => b"\"",
        (false, _) => b"'",
    };
    let start = lex.at + close.len();
    let mut at = start;
    loop {
        let rest = lex.bytes.get(at..).unwrap_or_default();
        match rest.first() {
            None => return lex.tear(),
            Some(b'\\') => at += 2,
            Some(b'\n') if !long => {
                lex.torn_at(at - lex.at);
                return;
            }
            _ if rest.starts_with(close) => break,
            _ => at += 1,
        }
    }
    let inside = lex.bytes.get(start..at).unwrap_or_default();
    lex.words_of(inside);
    if formats {
        names_inside(lex, inside);
    }
    lex.at = at + close.len();
}

/// Every word of the values in an f-string may be called.
fn names_inside(lex: &mut Lex<'_>, inside: &[u8]) {
    let words = inside.split(|byte| !Lex::is_part(*byte));
    for word in words.filter(|word| !word.is_empty()) {
        lex.note(word, true);
    }
}
