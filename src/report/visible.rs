//! Text from outside made safe to print: what a terminal or a reader would not see is shown
//! escaped, and names without end are cut in the middle.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::model::secret::without_url_secrets;

/// Longest name shown, in characters.
pub(crate) const NAME_CHARS: usize = 120;

/// Longest sentence shown, in characters.
pub(crate) const SENTENCE_CHARS: usize = 1_000;

/// True of characters that move the cursor, reorder the line or show nothing at all: a name
/// made with them looks like another one. The joiners that scripts and emoji need stay.
pub(crate) fn hides(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{061c}'
                | '\u{180e}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Appends one character as it may be shown.
pub(crate) fn push(out: &mut String, character: char) {
    match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        other if hides(other) => {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{{{:x}}}", other as u32);
        }
        other => out.push(other),
    }
}

/// The text with every hidden character escaped, and secrets in URLs covered.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in without_url_secrets(text).chars() {
        push(&mut out, character);
    }
    out
}

/// At most `most` characters: the middle gives way to `…`.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let tail = most.saturating_sub(1) / 2;
    let head = most.saturating_sub(1) - tail;
    let mut out: String = text.chars().take(head).collect();
    out.push('…');
    out.extend(text.chars().skip(count - tail));
    out
}

/// Longest line of a statement shown, in characters.
const STATEMENT_CHARS: usize = 2_000;

/// A line of a statement or command, ready to be shown.
pub(crate) fn statement(line: &str) -> String {
    cut(&visible(line.trim()), STATEMENT_CHARS)
}

/// A name, ready to be shown.
pub(crate) fn name(text: &str) -> String {
    cut(&visible(text), NAME_CHARS)
}

/// A sentence, ready to be shown: its words cut like names, itself at a length that is still read.
/// An expression in it that goes over several lines is shown on one.
pub(crate) fn sentence(text: &str) -> String {
    let shown = visible(&on_one_line(text));
    if shown.len() <= NAME_CHARS {
        return shown;
    }
    let mut out = String::with_capacity(shown.len());
    for (at, word) in shown.split(' ').enumerate() {
        if at > 0 {
            out.push(' ');
        }
        out.push_str(&cut(word, NAME_CHARS));
    }
    cut(&out, SENTENCE_CHARS)
}

/// White space with a line break or a tab in it becomes one blank.
fn on_one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(['\n', '\r', '\t']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut blanks = String::new();
    for character in text.chars() {
        if matches!(character, ' ' | '\n' | '\r' | '\t') {
            blanks.push(character);
            continue;
        }
        let broken = blanks.contains(['\n', '\r', '\t']);
        out.push_str(if broken { " " } else { &blanks });
        blanks.clear();
        out.push(character);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_written_out() {
        assert_eq!(
            visible("a\u{202e}b\u{1b}[31m\nc\u{9b}"),
            "a\\u{202e}b\\u{1b}[31m\\nc\\u{9b}"
        );
        assert_eq!(visible("naïve 名前 👩‍👧"), "naïve 名前 👩‍👧");
    }

    #[test]
    fn an_expression_over_several_lines_stays_one_sentence() {
        assert_eq!(
            sentence("set from `CASE\r\n\t WHEN  a\n  END` here\n"),
            "set from `CASE WHEN  a END` here"
        );
        assert_eq!(name("a\nb"), "a\\nb", "a name is shown as it is");
    }

    #[test]
    fn long_names_keep_both_ends() {
        let long = format!("start{}end", "x".repeat(10_000));
        let shown = name(&long);
        assert_eq!(shown.chars().count(), NAME_CHARS);
        assert!(shown.starts_with("start") && shown.ends_with("end") && shown.contains('…'));
        assert_eq!(cut("abcdef", 5), "ab…ef");
        assert_eq!(cut("名前名前名", 5), "名前名前名");
    }

    #[test]
    fn a_long_name_inside_a_sentence_leaves_the_sentence_readable() {
        let text = format!("the table {} has no key", "t".repeat(9_000));
        let shown = sentence(&text);
        assert!(shown.starts_with("the table t") && shown.ends_with("t has no key"));
        assert!(shown.chars().count() < 200);
    }
}
