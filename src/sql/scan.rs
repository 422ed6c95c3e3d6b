//! The inner loops of the lexer: where a word, a string, a comment or a tag ends.

use crate::model::schema::Dialect;

use super::lexer::Rules;

/// True of bytes that continue an identifier; every byte of a non-ASCII character does.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

/// True of bytes that begin an identifier.
pub(super) fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | 0x80..)
}

pub(super) fn word_end(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let length = rest.iter().position(|byte| !is_word(*byte));
    start + length.unwrap_or(rest.len())
}

pub(super) fn line_end(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    start + memchr::memchr(b'\n', rest).unwrap_or(rest.len())
}

/// The end of a number: digits, fraction, exponent, hexadecimal, digit separators.
pub(super) fn number_end(bytes: &[u8], start: usize) -> usize {
    let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
    let mut end = start;
    if at(start) == b'0' && matches!(at(start + 1), b'x' | b'X') {
        end = start + 2;
        while at(end).is_ascii_hexdigit() || at(end) == b'_' {
            end += 1;
        }
        return end;
    }
    let digits = |mut end: usize| {
        while at(end).is_ascii_digit() || (at(end) == b'_' && at(end + 1).is_ascii_digit()) {
            end += 1;
        }
        end
    };
    end = digits(end);
    if at(end) == b'.' {
        end = digits(end + 1);
    }
    if matches!(at(end), b'e' | b'E') {
        let sign = usize::from(matches!(at(end + 1), b'+' | b'-'));
        if at(end + 1 + sign).is_ascii_digit() {
            end = digits(end + 1 + sign);
        }
    }
    end
}

/// The end of a string or quoted name that opens at `open`; its quote doubled is a literal quote.
pub(super) fn quoted(bytes: &[u8], open: usize, backslash: bool) -> Option<usize> {
    let quote = *bytes.get(open)?;
    let mut at = open + 1;
    loop {
        let rest = bytes.get(at..)?;
        let found = if backslash {
            memchr::memchr2(quote, b'\\', rest)?
        } else {
            memchr::memchr(quote, rest)?
        };
        at += found;
        // A backslash takes the next byte along, and so does a quote before a quote.
        if *bytes.get(at)? != quote || bytes.get(at + 1) == Some(&quote) {
            at += 2;
        } else {
            return Some(at + 1);
        }
    }
}

/// The end of a block comment, or nothing when it is never closed. PostgreSQL nests them; SQLite
/// lets the end of the text close one.
pub(super) fn block_comment(bytes: &[u8], start: usize, rules: Rules) -> Option<usize> {
    let mut depth = 1u32;
    let mut at = start + 2;
    loop {
        let rest = bytes.get(at..)?;
        let Some(found) = memchr::memchr2(b'*', b'/', rest) else {
            return rules.sqlite.then_some(bytes.len());
        };
        at += found;
        let pair = (bytes.get(at).copied(), bytes.get(at + 1).copied());
        match pair {
            (Some(b'*'), Some(b'/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return Some(at);
                }
            }
            (Some(b'/'), Some(b'*')) if rules.postgres => {
                depth += 1;
                at += 2;
            }
            _ => at += 1,
        }
    }
}

/// The length of the opening of a comment whose content the engine runs: `/*!`, `/*!50100`,
/// `/*M!100100`, `/*T![feature]`; nothing for an ordinary comment or one for another version.
pub(super) fn executable(rest: &[u8], rules: Rules) -> Option<usize> {
    if !rules.mysql {
        return None;
    }
    let at = |index: usize| rest.get(index).copied().unwrap_or(0);
    match (at(2), at(3)) {
        (b'T', b'!') => {
            let mut end = 4;
            if at(end) == b'[' {
                end += memchr::memchr(b']', rest.get(end..)?)? + 1;
            }
            Some(end)
        }
        (b'M', b'!') if rules.dialect == Dialect::Mariadb => versioned(rest, 4, rules.dialect),
        (b'!', _) => versioned(rest, 3, rules.dialect),
        _ => None,
    }
}

/// MariaDB passes over MySQL's own versions 5.7 to 9.x, and both over versions not yet made.
/// Source: MariaDB Knowledge Base, "Comment Syntax".
fn versioned(rest: &[u8], start: usize, dialect: Dialect) -> Option<usize> {
    let mut end = start;
    let mut version = 0u32;
    while let Some(digit) = rest.get(end).filter(|byte| byte.is_ascii_digit())
        && end < start + 6
    {
        version = version * 10 + u32::from(digit - b'0');
        end += 1;
    }
    let runs = match dialect {
        Dialect::Mariadb => !(50700..=99999).contains(&version) && version < 130_000,
        _ => version < 100_000,
    };
    runs.then_some(end)
}

/// The length of `$$` or `$tag$` at the start of `rest`.
pub(super) fn dollar_tag(rest: &[u8]) -> Option<usize> {
    let tag = rest.get(1..)?;
    if tag.first() == Some(&b'$') {
        return Some(2);
    }
    if !starts_word(*tag.first()?) {
        return None;
    }
    let length = tag
        .iter()
        .position(|byte| !is_word(*byte) || *byte == b'$')?;
    (tag.get(length) == Some(&b'$')).then_some(length + 2)
}

/// The length of a known operator of two or three characters at the start of `rest`, or zero.
pub(super) fn operator(rest: &[u8]) -> usize {
    const THREE: [&[u8]; 5] = [b"<=>", b"->>", b"#>>", b"!~*", b"!~~"];
    const TWO: [&[u8]; 19] = [
        b"::", b"<=", b">=", b"<>", b"!=", b"||", b"->", b":=", b"==", b"&&", b"@>", b"<@", b"#>",
        b"~*", b"!~", b"<<", b">>", b"?|", b"?&",
    ];
    if THREE.iter().any(|operator| rest.starts_with(operator)) {
        3
    } else if TWO.iter().any(|operator| rest.starts_with(operator)) {
        2
    } else {
        0
    }
}
