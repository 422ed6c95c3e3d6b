//! Format texts: `fmt.Sprintf` of Go, `format!` of Rust.

use crate::model::source::Language;

/// A piece of a format text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text that stands as it is.
    Plain(String),
    /// An argument, by its number behind the format text, from 0.
    Argument(usize),
    /// A variable by name.
    Named(String),
}

/// Cuts a format text into its pieces.
pub(super) fn pieces(style: Language, template: &str) -> Vec<Piece> {
    match style {
        Language::Go => verbs(template),
        Language::Python | Language::Rust => braces(template),
    }
}

/// `%s`, `%[1]d`, `%%` and their flags.
fn verbs(template: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut next = 0;
    let mut chars = template.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            plain.push(c);
            continue;
        }
        let mut index = String::new();
        let verb = loop {
            match chars.next() {
                Some('[') => {
                    index.clear();
                    while let Some(digit) = chars.next_if(|c| *c != ']') {
                        index.push(digit);
                    }
                    chars.next();
                }
                Some('+' | '-' | '#' | ' ' | '.' | '0'..='9') => {}
                // The width is an argument of its own.
                Some('*') => next += 1,
                other => break other,
            }
        };
        match verb {
            Some('%') => plain.push('%'),
            None => plain.push('%'),
            Some(_) => {
                if !plain.is_empty() {
                    pieces.push(Piece::Plain(std::mem::take(&mut plain)));
                }
                if let Ok(given) = index.parse::<usize>() {
                    next = given.saturating_sub(1);
                }
                pieces.push(Piece::Argument(next));
                next += 1;
            }
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Plain(plain));
    }
    pieces
}

/// `{}`, `{0}`, `{name}`, `{name:?}`, `{{`.
fn braces(template: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut next = 0;
    let mut chars = template.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' if chars.next_if_eq(&'{').is_some() => plain.push('{'),
            '}' if chars.next_if_eq(&'}').is_some() => plain.push('}'),
            '{' => {
                let mut inside = String::new();
                while let Some(c) = chars.next_if(|c| *c != '}') {
                    inside.push(c);
                }
                chars.next();
                if !plain.is_empty() {
                    pieces.push(Piece::Plain(std::mem::take(&mut plain)));
                }
                let name = inside.split(':').next().unwrap_or_default().trim();
                pieces.push(match name.parse::<usize>() {
                    Ok(at) => Piece::Argument(at),
                    Err(_) if name.is_empty() => {
                        next += 1;
                        Piece::Argument(next - 1)
                    }
                    Err(_) => Piece::Named(name.to_owned()),
                });
            }
            c => plain.push(c),
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Plain(plain));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Piece {
        Piece::Plain(text.to_owned())
    }

    #[test]
    fn verbs_take_arguments_in_order_or_by_number() {
        let found = pieces(Language::Go, "a %s %[1]d 5%% %-10v");
        let wanted = [
            plain("a "),
            Piece::Argument(0),
            plain(" "),
            Piece::Argument(0),
            plain(" 5% "),
            Piece::Argument(1),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn braces_take_arguments_and_names() {
        let found = pieces(Language::Rust, "{{}} {} {1:>5} {name:?}");
        let wanted = [
            plain("{} "),
            Piece::Argument(0),
            plain(" "),
            Piece::Argument(1),
            plain(" "),
            Piece::Named("name".to_owned()),
        ];
        assert_eq!(found, wanted);
    }
}
