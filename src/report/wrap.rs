//! Breaking text into lines of at most so many columns, as a terminal counts them.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// Breaks a text at its spaces; a word that is wider than a line breaks after a separator, or
/// where it must. `first` and `rest` are the columns of the first and of the following lines.
pub(crate) fn wrap(text: &str, first: usize, rest: usize) -> Vec<String> {
    let words = text.split(' ').filter(|word| !word.is_empty());
    fill(words, first.max(8), rest.max(8), true)
}

/// Breaks a statement at spaces and after commas outside quotes, so that it still runs when it
/// is copied; a token that is wider than a line stays whole.
pub(crate) fn wrap_sql(statement: &str, first: usize, rest: usize) -> Vec<String> {
    fill(tokens(statement), first.max(8), rest.max(8), false)
}

fn fill<'t>(
    words: impl Iterator<Item = &'t str>,
    first: usize,
    rest: usize,
    break_words: bool,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in words {
        let room = if lines.is_empty() { first } else { rest };
        let wide = columns(word);
        if !line.is_empty() && used + 1 + wide <= room {
            line.push(' ');
            line.push_str(word);
            used += 1 + wide;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        let room = if lines.is_empty() { first } else { rest };
        if wide <= room || !break_words {
            line.push_str(word);
            used = wide;
            continue;
        }
        let mut left = word;
        loop {
            let room = if lines.is_empty() { first } else { rest };
            let (head, tail) = left.split_at(break_at(left, room));
            if tail.is_empty() {
                line.push_str(head);
                used = columns(head);
                break;
            }
            lines.push(head.to_owned());
            left = tail;
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// The byte at which a word that is too wide breaks: behind the last separator that fits in the
/// second half of the line, else behind the last character that fits.
fn break_at(word: &str, room: usize) -> usize {
    let mut used = 0;
    let mut hard = 0;
    let mut soft = None;
    for (at, character) in word.char_indices() {
        used += character.width().unwrap_or(0);
        if used > room && hard > 0 {
            return soft.unwrap_or(hard);
        }
        hard = at + character.len_utf8();
        let separates = matches!(
            character,
            '/' | '.' | ',' | ':' | '_' | '-' | ')' | '@' | '#'
        );
        if separates && used * 2 > room {
            soft = Some(hard);
        }
    }
    word.len()
}

/// Pieces of a statement between which a line may break: split at spaces and behind commas,
/// never inside quotes or brackets of an identifier.
fn tokens(statement: &str) -> impl Iterator<Item = &str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut quote = None;
    for (at, character) in statement.char_indices() {
        match (quote, character) {
            (Some(end), found) if found == end => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(character),
            (None, '[') => quote = Some(']'),
            (None, ' ') => {
                pieces.push(statement.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            (None, ',') => {
                pieces.push(statement.get(start..=at).unwrap_or_default());
                start = at + 1;
            }
            (None, _) => {}
        }
    }
    pieces.push(statement.get(start..).unwrap_or_default());
    pieces.into_iter().filter(|piece| !piece.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_to_their_columns_and_lose_no_word() {
        let text = "the quick brown 名前 fox jumps over the lazy dog";
        let lines = wrap(text, 10, 14);
        assert!(columns(&lines[0]) <= 10);
        assert!(lines[1..].iter().all(|line| columns(line) <= 14));
        assert_eq!(lines.join(" "), text);
    }

    #[test]
    fn a_word_too_wide_breaks_behind_a_separator() {
        assert_eq!(
            wrap("flow:convert/action/CreateRecord", 20, 20),
            ["flow:convert/action/", "CreateRecord"]
        );
        assert_eq!(wrap(&"x".repeat(20), 8, 8).concat(), "x".repeat(20));
    }

    #[test]
    fn a_statement_never_breaks_inside_quotes() {
        let sql = "CREATE UNIQUE INDEX \"my own index\" ON \"a b\" (x,'y z',w)";
        let lines = wrap_sql(sql, 20, 20);
        assert!(lines.iter().any(|line| line.contains("\"my own index\"")));
        assert!(lines.iter().any(|line| line.contains("'y z'")));
        assert_eq!(lines.concat().replace(' ', ""), sql.replace(' ', ""));
    }
}
