//! A quoted source line: what of it is shown, and the columns of its marks.

use crate::model::place::Span;

use super::excerpt::Excerpt;
use super::visible;
use super::wrap::columns;

/// A line ready to be shown with the columns of its marks.
pub(crate) struct Marked {
    /// The line as shown.
    pub(crate) text: String,
    /// Columns before the marks.
    pub(crate) before: usize,
    /// Columns of the marks; at least one.
    pub(crate) wide: usize,
}

/// Lays out the line: tabs become spaces, hidden characters are written out, and a line that is
/// too wide is cut to a window around the marks.
pub(crate) fn mark(span: &Span, excerpt: &Excerpt, room: usize) -> Marked {
    let pieces: Vec<String> = excerpt.text.chars().map(piece).collect();
    let length = pieces.len();
    let within = |column: u32| (column.saturating_sub(excerpt.first_column) as usize).min(length);
    let start = within(span.start.column);
    let end = match span.end.line == span.start.line {
        true => within(span.end.column),
        false => length,
    };
    let end = end.max(start);
    let whole: usize = pieces.iter().map(|piece| columns(piece)).sum();
    let (mut from, mut to) = (0, length);
    let (begins, ends) = (excerpt.first_column == 1, !excerpt.goes_on);
    if whole + usize::from(!begins) + usize::from(!ends) > room {
        // Two columns are kept for the signs of the cut, and a third of the line for what
        // stands before the marks.
        let inner = room.saturating_sub(2);
        let lead = back(&pieces, start, inner / 3);
        // Where the end of the line would leave room unused, show more of what stands before.
        from = lead.min(back(&pieces, length, inner));
        to = forward(&pieces, from, inner);
    }
    let mut text = String::new();
    if from > 0 || !begins {
        text.push('…');
    }
    let shown = |range: std::ops::Range<usize>| pieces.get(range).unwrap_or_default().concat();
    let cut = columns(&text);
    text.push_str(&shown(from..to));
    if to < length || !ends {
        text.push('…');
    }
    let (start, end) = (start.clamp(from, to), end.clamp(from, to));
    Marked {
        before: cut + columns(&shown(from..start)),
        wide: columns(&shown(start..end)).max(1),
        text,
    }
}

/// The text that stands at a place of one line; none where the excerpt does not hold all of it.
pub(crate) fn stretch(span: &Span, excerpt: &Excerpt) -> Option<String> {
    if span.start.line != span.end.line || span.start.column >= span.end.column {
        return None;
    }
    let before = span.start.column.checked_sub(excerpt.first_column)? as usize;
    let wide = (span.end.column - span.start.column) as usize;
    let text: String = excerpt.text.chars().skip(before).take(wide).collect();
    (text.chars().count() == wide).then_some(text)
}

fn piece(character: char) -> String {
    let mut out = String::new();
    match character {
        '\t' => out.push_str("    "),
        other => visible::push(&mut out, other),
    }
    out
}

/// The first position whose pieces up to `end` fit the columns.
fn back(pieces: &[String], end: usize, room: usize) -> usize {
    let mut used = 0;
    let before = pieces.get(..end).unwrap_or_default();
    for (at, piece) in before.iter().enumerate().rev() {
        used += columns(piece);
        if used > room {
            return at + 1;
        }
    }
    0
}

/// The last position whose pieces from `start` fit the columns.
fn forward(pieces: &[String], start: usize, room: usize) -> usize {
    let mut used = 0;
    let after = pieces.get(start..).unwrap_or_default();
    for (at, piece) in after.iter().enumerate() {
        used += columns(piece);
        if used > room {
            return start + at;
        }
    }
    pieces.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::place::Pos;

    fn span(start: u32, end: u32) -> Span {
        Span {
            file: "f".into(),
            start: Pos {
                line: 1,
                column: start,
            },
            end: Pos {
                line: 1,
                column: end,
            },
        }
    }

    fn marked(
        text: &str,
        first_column: u32,
        start: u32,
        end: u32,
        room: usize,
    ) -> (String, String) {
        let excerpt = Excerpt {
            text: text.to_owned(),
            first_column,
            goes_on: false,
        };
        let marked = mark(&span(start, end), &excerpt, room);
        let line: String = marked.text.chars().collect();
        (
            line,
            format!("{}{}", " ".repeat(marked.before), "^".repeat(marked.wide)),
        )
    }

    #[test]
    fn wide_characters_and_tabs_keep_the_marks_under_the_text() {
        assert_eq!(
            marked("\t名前 = x", 1, 2, 4, 70),
            ("    名前 = x".into(), "    ^^^^".into())
        );
        // A combining accent takes no column of its own.
        assert_eq!(
            marked("e\u{301}x", 1, 3, 4, 70),
            ("e\u{301}x".into(), " ^".into())
        );
    }

    #[test]
    fn hidden_characters_are_shown_and_the_marks_move_with_them() {
        let (line, marks) = marked("a\u{202e}bc", 1, 3, 4, 70);
        assert_eq!(line, "a\\u{202e}bc");
        assert_eq!(marks.find('^'), line.find('b'));
    }

    #[test]
    fn a_long_line_is_cut_to_a_window_around_the_marks() {
        let text = format!("{}HERE{}", "a".repeat(500), "b".repeat(500));
        let (line, marks) = marked(&text, 1, 501, 505, 70);
        assert!(columns(&line) <= 70, "{line}");
        assert!(line.starts_with('…') && line.ends_with('…'));
        let at = line.chars().position(|one| one == 'H').unwrap();
        assert_eq!(marks, format!("{}^^^^", " ".repeat(at)));
    }

    #[test]
    fn a_window_that_starts_later_in_the_file_counts_from_its_own_first_column() {
        assert_eq!(
            marked("abcdef", 101, 103, 105, 70),
            ("…abcdef".into(), "   ^^".into())
        );
        // A span outside of the window still has a mark at its edge.
        assert_eq!(marked("abcdef", 101, 1, 2, 70).1, " ^");
        assert_eq!(marked("abcdef", 101, 900, 901, 70).1, "       ^");
    }
}
