//! String literals of Rust, decoded as the language decodes them.

/// The text of a string literal of any kind, quotes included in `written`.
pub(super) fn decode(written: &str) -> String {
    let inner = written.trim_start_matches(['b', 'c']);
    if let Some(raw) = inner.strip_prefix('r') {
        let hashes = raw.bytes().take_while(|byte| *byte == b'#').count();
        let inner = raw.get(hashes + 1..).unwrap_or_default();
        let end = inner.len().saturating_sub(hashes + 1);
        return inner.get(..end).unwrap_or(inner).replace("\r\n", "\n");
    }
    let inner = inner.strip_prefix('"').unwrap_or(inner);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        rest = escape(after, &mut out);
    }
    out.push_str(rest);
    out.replace("\r\n", "\n")
}

/// Decodes what follows a backslash and gives back the rest.
fn escape<'a>(after: &'a str, out: &mut String) -> &'a str {
    let mut characters = after.chars();
    let Some(kind) = characters.next() else {
        return after;
    };
    let rest = characters.as_str();
    let code = |text: &str| u32::from_str_radix(&text.replace('_', ""), 16).ok();
    let decoded = match kind {
        'n' => Some(('\n', rest)),
        'r' => Some(('\r', rest)),
        't' => Some(('\t', rest)),
        '0' => Some(('\0', rest)),
        '\\' | '\'' | '"' => Some((kind, rest)),
        // The line goes on at its next character.
        '\n' | '\r' => return rest.trim_start(),
        'x' => rest
            .split_at_checked(2)
            .and_then(|(number, rest)| Some((char::from_u32(code(number)?)?, rest))),
        'u' => rest
            .strip_prefix('{')
            .and_then(|rest| rest.split_once('}'))
            .and_then(|(number, rest)| Some((char::from_u32(code(number)?)?, rest))),
        _ => None,
    };
    match decoded {
        Some((character, rest)) => {
            out.push(character);
            rest
        }
        None => {
            out.push('\\');
            after
        }
    }
}
