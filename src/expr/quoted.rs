//! String and bytes literals: finds their end and resolves their escapes in one pass.
//!
//! expr scans a literal first (parser/lexer/lexer.go, `scanString`, `scanEscape`) and resolves the
//! escapes afterwards (parser/lexer/utils.go, `unescape`, `unescapeBytes`); what is accepted here
//! is what passes both.

use super::ParseError;
use super::lexer::Lexer;

/// What an escape stands for.
enum Escape {
    /// A character (or a lone surrogate, or a value that wrapped around in expr).
    Character(u32),
    /// A single byte given as `\xNN` or `\NNN`.
    Byte(u8),
}

/// The value of a string whose opening `quote`, at `start`, is already taken.
pub(super) fn string(
    lexer: &mut Lexer<'_>,
    start: usize,
    quote: char,
) -> Result<String, ParseError> {
    let mut value = String::new();
    while let Some(c) = next_inside(lexer, start, quote)? {
        match c {
            '\\' => match escape(lexer, quote)? {
                Escape::Character(code) => value.push(character(code)),
                Escape::Byte(byte) => value.push(char::from(byte)),
            },
            plain => value.push(plain),
        }
    }
    Ok(value)
}

/// The value of a bytes literal whose `b` and opening `quote` are already taken; it began at `start`.
pub(super) fn bytes(
    lexer: &mut Lexer<'_>,
    start: usize,
    quote: char,
) -> Result<Vec<u8>, ParseError> {
    let mut value = Vec::new();
    while let Some(c) = next_inside(lexer, start, quote)? {
        let escape_at = lexer.position();
        match c {
            '\\' => match escape(lexer, quote)? {
                Escape::Byte(byte) => value.push(byte),
                Escape::Character(_) => {
                    return Err(ParseError::at(
                        escape_at.saturating_sub(1),
                        "a bytes literal takes no `\\u` or `\\U` escape".to_owned(),
                    ));
                }
            },
            plain => value.extend_from_slice(plain.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Ok(value)
}

/// The value of a raw string whose opening backtick, at `start`, is already taken; a doubled
/// backtick stands for one (source: expr-lang v1.17 parser/lexer/lexer.go, `scanRawString`).
pub(super) fn raw_string(lexer: &mut Lexer<'_>, start: usize) -> Result<String, ParseError> {
    let mut value = String::new();
    loop {
        match lexer.bump() {
            None => return Err(not_terminated(start)),
            Some('`') => {
                if lexer.peek() != Some('`') {
                    return Ok(value);
                }
                lexer.bump();
                value.push('`');
            }
            Some(plain) => value.push(plain),
        }
    }
}

/// The next character before the closing quote, a carriage return as a newline; `None` at the quote.
fn next_inside(
    lexer: &mut Lexer<'_>,
    start: usize,
    quote: char,
) -> Result<Option<char>, ParseError> {
    match lexer.bump() {
        None | Some('\n') => Err(not_terminated(start)),
        Some('\r') => Ok(Some('\n')),
        Some(c) if c == quote => Ok(None),
        Some(c) => Ok(Some(c)),
    }
}

fn not_terminated(start: usize) -> ParseError {
    ParseError::at(start, "the literal has no closing quote".to_owned())
}

/// Reads one escape whose backslash is already taken.
fn escape(lexer: &mut Lexer<'_>, quote: char) -> Result<Escape, ParseError> {
    let backslash = lexer.position().saturating_sub(1);
    let read = match lexer.bump() {
        Some('a') => Some(Escape::Byte(0x07)),
        Some('b') => Some(Escape::Byte(0x08)),
        Some('f') => Some(Escape::Byte(0x0c)),
        Some('n') => Some(Escape::Byte(b'\n')),
        Some('r') => Some(Escape::Byte(b'\r')),
        Some('t') => Some(Escape::Byte(b'\t')),
        Some('v') => Some(Escape::Byte(0x0b)),
        Some('\\') => Some(Escape::Byte(b'\\')),
        Some(c) if c == quote => u8::try_from(c).ok().map(Escape::Byte),
        Some(c @ '0'..='3') => digits(lexer, 8, 2)
            .and_then(|low| u8::try_from((c.to_digit(8)? << 6) | low).ok())
            .map(Escape::Byte),
        Some('x') => digits(lexer, 16, 2)
            .and_then(|value| u8::try_from(value).ok())
            .map(Escape::Byte),
        Some('u') if lexer.peek() == Some('{') => braced(lexer)
            .filter(|code| *code <= 0x10_FFFF)
            .map(Escape::Character),
        Some('u') => digits(lexer, 16, 4).map(Escape::Character),
        // expr keeps the value in 32 signed bits: above 7FFFFFFF it is negative and passes its check.
        Some('U') => digits(lexer, 16, 8)
            .filter(|code| !(0x11_0000..0x8000_0000).contains(code))
            .map(Escape::Character),
        _ => None,
    };
    read.ok_or_else(|| {
        ParseError::at(
            backslash,
            "the escape is none of `\\a \\b \\f \\n \\r \\t \\v \\\\`, the quote itself, `\\NNN`, `\\xNN`, `\\uNNNN`, \
             `\\u{N}` or `\\UNNNNNNNN`"
                .to_owned(),
        )
    })
}

fn digits(lexer: &mut Lexer<'_>, radix: u32, count: u32) -> Option<u32> {
    let mut value: u32 = 0;
    for _ in 0..count {
        let digit = lexer.peek().and_then(|c| c.to_digit(radix))?;
        lexer.bump();
        value = (value * radix) | digit;
    }
    Some(value)
}

/// `{…}` with one to six hexadecimal digits.
fn braced(lexer: &mut Lexer<'_>) -> Option<u32> {
    lexer.bump();
    let mut value: u32 = 0;
    for taken in 0..=6 {
        let next = lexer.bump()?;
        if next == '}' {
            return (taken > 0).then_some(value);
        }
        value = (value << 4) | next.to_digit(16)?;
    }
    None
}

/// The character of an escape's value. A surrogate becomes U+FFFD as in Go; of a wrapped-around
/// value Go writes the lowest byte, which is U+FFFD too where it is no ASCII.
fn character(code: u32) -> char {
    let code = if code >= 0x8000_0000 {
        Some(code & 0xFF).filter(|byte| *byte < 0x80)
    } else {
        Some(code)
    };
    code.and_then(char::from_u32)
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}
