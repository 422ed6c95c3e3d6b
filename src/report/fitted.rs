//! Lines of a text that are too wide for the terminal go on below, indented.

use std::io::{self, Write};

use super::visible::visible;
use super::wrap::columns;

/// The widest first column under whose neighbour a line goes on.
const LABEL: usize = 12;

/// Writes each line that `write` gives, broken at spaces where it is wider than `width` columns. A
/// word that is wider than a line, like a path, stands whole on its own.
///
/// # Errors
/// If `out` does.
pub(crate) fn fitted(
    width: usize,
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut text = Vec::new();
    write(&mut text)?;
    for line in String::from_utf8_lossy(&text).lines() {
        write_line(&visible(line), width, out)?;
    }
    Ok(())
}

fn write_line(line: &str, width: usize, out: &mut dyn Write) -> io::Result<()> {
    if columns(line) <= width {
        return writeln!(out, "{}", line.trim_end());
    }
    let hang = " ".repeat(hang(line));
    let mut shown = String::new();
    // Columns of the line that is being filled, and whether it holds a word.
    let (mut used, mut filled) = (0, false);
    // Spaces in front of the next word.
    let mut gap = "";
    for word in pieces(line) {
        if word.starts_with(' ') {
            gap = word;
            continue;
        }
        if filled && used + gap.len() + columns(word) > width {
            shown.push('\n');
            shown.push_str(&hang);
            used = hang.len();
        } else {
            shown.push_str(gap);
            used += gap.len();
        }
        shown.push_str(word);
        used += columns(word);
        filled = true;
        gap = "";
    }
    writeln!(out, "{shown}")
}

/// Runs of spaces, and what stands between them.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    let mut left = line;
    std::iter::from_fn(move || {
        let spaces = left.starts_with(' ');
        let end = left
            .find(|character| (character == ' ') != spaces)
            .unwrap_or(left.len());
        let (piece, rest) = left.split_at(end);
        left = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The columns by which a line goes on: below its second column, where the first is a narrow one,
/// else a little further than it begins.
fn hang(line: &str) -> usize {
    let begins = line.len() - line.trim_start_matches(' ').len();
    let first = line.trim_start_matches(' ').split("  ").next();
    let label = begins + first.map_or(0, columns);
    let gap = line
        .get(label..)
        .map_or(0, |rest| rest.len() - rest.trim_start_matches(' ').len());
    match gap >= 2 && label + gap <= LABEL {
        true => label + gap,
        false => begins + 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, width: usize) -> String {
        let mut out = Vec::new();
        fitted(width, &mut out, |out| out.write_all(text.as_bytes())).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_that_fits_stays_as_it_is() {
        assert_eq!(shown("  a   b\n\nc\n", 10), "  a   b\n\nc\n");
    }

    #[test]
    fn a_line_goes_on_below_its_second_column() {
        assert_eq!(
            shown("effect  one, two, three", 16),
            "effect  one,\n        two,\n        three\n"
        );
    }

    #[test]
    fn a_sentence_goes_on_a_little_further_in() {
        assert_eq!(
            shown("  one two three  (four)", 12),
            "  one two\n    three\n    (four)\n"
        );
    }

    #[test]
    fn a_word_wider_than_a_line_stands_whole() {
        assert_eq!(
            shown("  at some/long/path.go:12, see", 12),
            "  at\n    some/long/path.go:12,\n    see\n"
        );
    }

    #[test]
    fn wide_characters_count_as_they_are_shown() {
        assert_eq!(shown("名前名前 名前", 10), "名前名前\n  名前\n");
    }

    #[test]
    fn what_would_move_the_cursor_is_escaped() {
        assert_eq!(shown("a\u{1b}[2Jb", 80), "a\\u{1b}[2Jb\n");
    }
}
