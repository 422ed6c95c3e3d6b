//! Source text as it is kept in the model: on one line, blanks single.

use std::sync::Arc;

/// The text with every run of blanks made one, outside quotes.
pub(super) fn one_line(text: &str) -> Arc<str> {
    let is_plain = !text.contains(|character: char| character.is_whitespace() && character != ' ')
        && !text.contains("  ");
    if is_plain {
        return text.into();
    }
    let mut line = String::with_capacity(text.len());
    let mut quote = None;
    let mut blank = false;
    for character in text.chars() {
        match quote {
            Some(open) if character == open => quote = None,
            None if "'\"`".contains(character) => quote = Some(character),
            _ => {}
        }
        if quote.is_none() && character.is_whitespace() {
            blank = true;
            continue;
        }
        if blank && !line.is_empty() {
            line.push(' ');
        }
        blank = false;
        line.push(character);
    }
    line.into()
}
