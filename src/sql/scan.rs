//! The inner loops of the lexer: where a word, a string, a comment or a tag ends.

use crate::model::schema::Dialect;

use super::mode::Rules;

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

/// How deep block comments nest in each other; one that does not nest is 1 deep.
pub(super) fn nesting(rest: &[u8], rules: Rules) -> u32 {
    match rules.postgres {
        true => u32::MAX,
        // What MySQL skips for its version may hold an ordinary comment.
        false if rules.mysql && (rest.starts_with(b"/*!") || rest.starts_with(b"/*M!")) => 2,
        false => 1,
    }
}

/// The end of a block comment that nests as deep as that, or nothing when it is never closed.
/// SQLite lets the end of the text close one.
pub(super) fn block_comment(
    bytes: &[u8],
    start: usize,
    nesting: u32,
    rules: Rules,
) -> Option<usize> {
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
            (Some(b'/'), Some(b'*')) if depth < nesting => {
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
        // MySQL reads TiDB's own comments as comments.
        (b'T', b'!') if rules.dialect == Dialect::Tidb => {
            let mut end = 4;
            if at(end) == b'[' {
                end += memchr::memchr(b']', rest.get(end..)?)? + 1;
            }
            Some(end)
        }
        (b'M', b'!') if rules.dialect == Dialect::Mariadb => {
            let (version, end) = version(rest, 4);
            (version <= NEWEST_MARIADB).then_some(end)
        }
        (b'!', _) => {
            let (version, end) = version(rest, 3);
            let runs = match rules.dialect {
                // MariaDB passes over what is new in MySQL 5.7 to 9.
                Dialect::Mariadb => {
                    !(50_700..=99_999).contains(&version) && version <= NEWEST_MARIADB
                }
                // TiDB reads the number and runs what follows, whatever it is.
                Dialect::Tidb => true,
                _ => version <= NEWEST_MYSQL,
            };
            runs.then_some(end)
        }
        _ => None,
    }
}

/// The highest version that a release of the 9 series can have; a comment for a later one
/// (`/*!99999 … */`) is skipped by every server there is.
const NEWEST_MYSQL: u32 = 90_999;

/// The highest version that a release of the 12 series can have. Source: MariaDB Knowledge Base,
/// "Comment Syntax".
const NEWEST_MARIADB: u32 = 129_999;

/// The five or six digits of a version at `start`, and where they end; zero if there are none.
fn version(rest: &[u8], start: usize) -> (u32, usize) {
    let digits = rest.get(start..).unwrap_or_default();
    let count = digits
        .iter()
        .take(6)
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let value = digits
        .iter()
        .take(count)
        .fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
    (value, start + count)
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
