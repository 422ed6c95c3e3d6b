//! What may be a secret, covered by as many asterisks, so that columns stay true. Covering too much
//! costs a quote, too little a secret.

/// Words of a key whose value is covered.
const SECRET_WORDS: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "authorization",
    "api_key",
    "api-key",
    "apikey",
    "credential",
    "private",
    "cookie",
    "signature",
];

/// True if a key of that name may hold a secret.
pub fn is_secret_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| lower.contains(word))
}

/// As many asterisks as the text has characters.
pub fn asterisks(text: &str) -> String {
    "*".repeat(text.chars().count())
}

/// The text with user information and query of URLs covered.
pub fn without_url_secrets(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains("://") {
        return text.into();
    }
    let mut characters: Vec<char> = text.chars().collect();
    cover_urls(&mut characters);
    characters.into_iter().collect::<String>().into()
}

/// A source line with URLs and the values of keys that name a secret covered.
pub fn covered(text: &str) -> String {
    // Most lines hold neither: they are not taken apart.
    if !text.contains("://") && !is_secret_name(text) {
        return text.to_owned();
    }
    let mut characters: Vec<char> = text.chars().collect();
    cover_urls(&mut characters);
    cover_values(&mut characters);
    characters.into_iter().collect()
}

fn cover_urls(characters: &mut [char]) {
    let mut at = 0;
    while let Some(found) = find(characters, at, "://") {
        let start = found + 3;
        let end = characters
            .iter()
            .enumerate()
            .skip(start)
            .find(|(_, character)| {
                character.is_whitespace()
                    || matches!(character, '"' | '\'' | '<' | '>' | '`' | '\\')
            })
            .map_or(characters.len(), |(end, _)| end);
        let authority_end = (start..end)
            .find(|at| matches!(characters.get(*at), Some('/' | '?' | '#')))
            .unwrap_or(end);
        if let Some(mark) = (start..authority_end)
            .rev()
            .find(|at| characters.get(*at) == Some(&'@'))
        {
            cover(characters, start, mark);
        }
        if let Some(mark) = (start..end).find(|at| characters.get(*at) == Some(&'?')) {
            cover(characters, mark + 1, end);
        }
        at = end.max(start);
    }
}

fn cover_values(characters: &mut [char]) {
    let lower: Vec<char> = characters.iter().map(char::to_ascii_lowercase).collect();
    for word in SECRET_WORDS {
        let mut at = 0;
        while let Some(found) = find(&lower, at, word) {
            at = found + word.len();
            // The value of a JSON or YAML key: what stands behind the colon.
            let Some(colon) =
                (at..lower.len().min(at + 24)).find(|at| lower.get(*at) == Some(&':'))
            else {
                continue;
            };
            let Some(open) = (colon..lower.len()).find(|at| lower.get(*at) == Some(&'"')) else {
                continue;
            };
            let close = (open + 1..lower.len())
                .find(|at| {
                    lower.get(*at) == Some(&'"') && lower.get(at.wrapping_sub(1)) != Some(&'\\')
                })
                .unwrap_or(lower.len());
            let is_formula = lower.get(open + 1..open + 3) == Some(&['{', '!'])
                || lower.get(open + 1) == Some(&'=');
            if is_formula {
                cover_literals(characters, open + 1, close);
            } else {
                cover(characters, open + 1, close);
            }
        }
    }
}

/// The text inside of quotes; names and calls of a formula are no secret.
fn cover_literals(characters: &mut [char], from: usize, to: usize) {
    let mut quote = None;
    for at in from..to {
        match (characters.get(at).copied(), quote) {
            (Some(mark @ ('"' | '\'' | '`')), None) => quote = Some(mark),
            (Some(mark), Some(open)) if mark == open => quote = None,
            (Some('\\'), Some('"')) => {}
            (Some(_), Some(_)) => cover(characters, at, at + 1),
            _ => {}
        }
    }
}

fn cover(characters: &mut [char], from: usize, to: usize) {
    for at in from..to {
        if let Some(character) = characters.get_mut(at) {
            *character = '*';
        }
    }
}

fn find(characters: &[char], from: usize, wanted: &str) -> Option<usize> {
    let wanted: Vec<char> = wanted.chars().collect();
    (from..characters.len().saturating_sub(wanted.len() - 1))
        .find(|at| characters.get(*at..at + wanted.len()) == Some(&wanted[..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_covered_in_place() {
        assert_eq!(
            covered(r#""url": "https://bob:pw@host/a?key=1","#),
            r#""url": "https://******@host/a?*****","#
        );
        assert_eq!(
            covered(r#""Authorization": "Bearer abc","#),
            r#""Authorization": "**********","#
        );
        assert_eq!(
            covered(r#""portal_password": "{!BCRYPT(record.p)}""#),
            r#""portal_password": "{!BCRYPT(record.p)}""#
        );
        assert_eq!(
            covered(r#""Authorization": "{!\"Bearer abc\" + record.p + 'x'}""#),
            r#""Authorization": "{!\"**********\" + record.p + '*'}""#
        );
    }

    #[test]
    fn urls_inside_of_sentences_are_covered() {
        assert_eq!(
            without_url_secrets("`https://bob:pw@host/a?k=1` is called"),
            "`https://******@host/a?***` is called"
        );
        assert_eq!(without_url_secrets("a: b"), "a: b");
    }
}
