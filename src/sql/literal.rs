//! What quoted names and string literals say once their quotes and escapes are taken off.

use std::borrow::Cow;

use crate::model::schema::Dialect;

/// The name that an identifier token means: quotes taken off; in PostgreSQL an unquoted one is
/// folded to lower case.
pub fn name(text: &str, dialect: Dialect) -> Cow<'_, str> {
    let first = text.as_bytes().first().copied().unwrap_or(0);
    match first {
        b'"' | b'`' | b'\'' => undouble(inner(text, 1), first),
        b'[' => Cow::Borrowed(inner(text, 1)),
        b'U' | b'u' if text.as_bytes().get(1) == Some(&b'&') => {
            Cow::Owned(unicode(&undouble(inner(text, 3), b'"')))
        }
        _ if dialect == Dialect::Postgres && text.bytes().any(|byte| byte.is_ascii_uppercase()) => {
            Cow::Owned(text.to_ascii_lowercase())
        }
        _ => Cow::Borrowed(text),
    }
}

/// The value of a string literal, or nothing for a blob or bit string.
pub fn string(text: &str, dialect: Dialect) -> Option<Cow<'_, str>> {
    let bytes = text.as_bytes();
    let mysql = matches!(dialect, Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb);
    match (bytes.first()?, bytes.get(1)) {
        (b'\'', _) if mysql => Some(Cow::Owned(backslashed(inner(text, 1), b'\''))),
        (b'"', _) => Some(Cow::Owned(backslashed(inner(text, 1), b'"'))),
        (b'\'', _) => Some(undouble(inner(text, 1), b'\'')),
        (b'E' | b'e', _) => Some(Cow::Owned(backslashed(inner(text, 2), b'\''))),
        (b'N' | b'n', _) => Some(undouble(inner(text, 2), b'\'')),
        (b'U' | b'u', Some(b'&')) => Some(Cow::Owned(unicode(&undouble(inner(text, 3), b'\'')))),
        (b'$', _) => {
            let tag = text.get(1..)?.find('$')? + 2;
            text.get(tag..text.len().checked_sub(tag)?)
                .map(Cow::Borrowed)
        }
        _ => None,
    }
}

/// The text without its prefix and the closing quote.
fn inner(text: &str, prefix: usize) -> &str {
    text.len()
        .checked_sub(1)
        .and_then(|end| text.get(prefix..end))
        .unwrap_or("")
}

fn undouble(text: &str, quote: u8) -> Cow<'_, str> {
    let quote = quote as char;
    if !text.contains(quote) {
        return Cow::Borrowed(text);
    }
    let doubled: String = [quote, quote].iter().collect();
    Cow::Owned(text.replace(&doubled, &quote.to_string()))
}

fn backslashed(text: &str, quote: u8) -> String {
    let quote = quote as char;
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n') => plain.push('\n'),
                Some('t') => plain.push('\t'),
                Some('r') => plain.push('\r'),
                Some('b') => plain.push('\u{8}'),
                Some('0') => plain.push('\0'),
                Some(other) => plain.push(other),
                None => {}
            },
            _ if character == quote => {
                characters.next_if_eq(&quote);
                plain.push(quote);
            }
            _ => plain.push(character),
        }
    }
    plain
}

/// `\0061` and `\+000061` of PostgreSQL's `U&` spellings.
fn unicode(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        plain.push_str(rest.get(..at).unwrap_or(""));
        rest = rest.get(at + 1..).unwrap_or("");
        let (skip, digits) = if rest.starts_with('+') {
            (1, 6)
        } else {
            (0, 4)
        };
        let code = rest
            .get(skip..skip + digits)
            .and_then(|code| u32::from_str_radix(code, 16).ok())
            .and_then(char::from_u32);
        match code {
            Some(character) => {
                plain.push(character);
                rest = rest.get(skip + digits..).unwrap_or("");
            }
            None => {
                plain.push('\\');
                rest = rest.strip_prefix('\\').unwrap_or(rest);
            }
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_quotes_and_fold_in_postgres_alone() {
        assert_eq!(name("\"a\"\"B\"", Dialect::Postgres), "a\"B");
        assert_eq!(name("AbC", Dialect::Postgres), "abc");
        assert_eq!(name("AbC", Dialect::Sqlite), "AbC");
        assert_eq!(name("[a b]", Dialect::Sqlite), "a b");
        assert_eq!(name("U&\"d\\0061t\\+000061\"", Dialect::Postgres), "data");
    }

    #[test]
    fn strings_lose_their_escapes() {
        let value = |text, dialect| string(text, dialect).map(Cow::into_owned);
        assert_eq!(value("'it''s'", Dialect::Sqlite).as_deref(), Some("it's"));
        assert_eq!(value(r"'it\'s'", Dialect::Mysql).as_deref(), Some("it's"));
        assert_eq!(value(r"'a\b'", Dialect::Postgres).as_deref(), Some(r"a\b"));
        assert_eq!(
            value("$q$it's$q$", Dialect::Postgres).as_deref(),
            Some("it's")
        );
        assert_eq!(value("x'00'", Dialect::Sqlite), None);
    }
}
