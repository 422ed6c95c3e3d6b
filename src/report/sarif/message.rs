//! Texts of SARIF: what would be a placeholder or a link in them is escaped as the standard says.

use serde::Serialize;

use crate::report::visible;

/// A message.
#[derive(Serialize)]
pub(super) struct Message {
    text: String,
}

/// The message of a sentence.
pub(super) fn message(sentence: &str) -> Message {
    Message {
        text: escaped(&visible::sentence(sentence)),
    }
}

/// The message of paragraphs, each a sentence.
pub(super) fn paragraphs<'a>(all: impl IntoIterator<Item = &'a str>) -> Message {
    let shown: Vec<String> = all.into_iter().map(visible::sentence).collect();
    Message {
        text: escaped(&shown.join("\n")),
    }
}

/// Braces open placeholders (§3.11.5), brackets links (§3.11.6).
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '{' | '}' => out.push(character),
            '[' | ']' | '\\' => out.push('\\'),
            _ => {}
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_becomes_a_placeholder_or_a_link() {
        assert_eq!(
            message("{0} [x](javascript:1) {!record.id}").text,
            "{{0}} \\[x\\](javascript:1) {{!record.id}}"
        );
        assert_eq!(message("a\u{202e}b").text, "a\\\\u{{202e}}b");
        assert_eq!(paragraphs(["a", "b\nc"]).text, "a\nb c");
    }
}
