//! String literals of Go, decoded as the language decodes them.

/// The text of an interpreted or raw string literal, quotes included in `written`.
pub(super) fn decode(written: &str) -> String {
    if let Some(raw) = written.strip_prefix('`') {
        // Carriage returns are no part of a raw string.
        return raw.trim_end_matches('`').replace('\r', "");
    }
    let inner = written.strip_prefix('"').unwrap_or(written);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if !inner.contains('\\') {
        return inner.to_owned();
    }
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        rest = escape(after, &mut bytes);
    }
    bytes.extend_from_slice(rest.as_bytes());
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Decodes what follows a backslash and gives back the rest.
fn escape<'a>(after: &'a str, bytes: &mut Vec<u8>) -> &'a str {
    let Some(kind) = after.chars().next() else {
        return after;
    };
    let rest = after.get(kind.len_utf8()..).unwrap_or_default();
    let simple = match kind {
        'a' => Some(0x07),
        'b' => Some(0x08),
        'f' => Some(0x0C),
        'n' => Some(b'\n'),
        'r' => Some(b'\r'),
        't' => Some(b'\t'),
        'v' => Some(0x0B),
        '\\' | '\'' | '"' => Some(kind as u8),
        _ => None,
    };
    if let Some(byte) = simple {
        bytes.push(byte);
        return rest;
    }
    let number = |text: &'a str, digits: usize, radix: u32| {
        let (number, rest) = text.split_at_checked(digits)?;
        Some((u32::from_str_radix(number, radix).ok()?, rest))
    };
    let decoded = match kind {
        'x' => number(rest, 2, 16),
        'u' => number(rest, 4, 16),
        'U' => number(rest, 8, 16),
        '0'..='7' => number(after, 3, 8),
        _ => None,
    };
    match decoded {
        Some((code, rest)) if matches!(kind, 'u' | 'U') => {
            let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            rest
        }
        Some((code, rest)) => {
            bytes.push(code as u8);
            rest
        }
        None => {
            bytes.push(b'\\');
            after
        }
    }
}
