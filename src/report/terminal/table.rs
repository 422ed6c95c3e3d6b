//! A table without lines: columns as wide as they need, wrapped where they may give way.

use anstyle::Style;
use rayon::prelude::*;

use super::page::{PLAIN, Page};
use crate::report::visible;
use crate::report::wrap::{columns, wrap};

/// Spaces between two columns.
const GAP: usize = 2;

/// Columns by which the following lines of a cell are indented.
const HANG: usize = 2;

/// Fewest columns that a wrapped cell is given.
const NARROW: usize = 12;

/// One cell: text and its colour.
pub(super) struct Cell {
    text: String,
    style: Style,
}

/// A plain cell; names in it are made visible and cut.
pub(super) fn cell(text: &str) -> Cell {
    styled(text, PLAIN)
}

/// A coloured cell.
pub(super) fn styled(text: &str, style: Style) -> Cell {
    Cell {
        text: visible::cut(&visible::visible(text), visible::NAME_CHARS * 2),
        style,
    }
}

/// Writes rows with their columns aligned. The columns in `give` share what is left of the width
/// and wrap; the others are as wide as their widest cell. One space stands before the first.
pub(super) fn write(page: &mut Page, rows: Vec<Vec<Cell>>, give: &[usize]) {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..count)
        .map(|at| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            cells.map(|cell| columns(&cell.text)).max().unwrap_or(0)
        })
        .collect();
    let spent = 1 + GAP * count.saturating_sub(1);
    let mut left = page.width.saturating_sub(spent);
    for (at, width) in widths.iter().enumerate() {
        if !give.contains(&at) {
            left = left.saturating_sub(*width);
        }
    }
    // A column that needs less than its share leaves the rest to the others.
    let mut wanting = give.len();
    let mut by_need: Vec<(usize, usize)> = give
        .iter()
        .filter_map(|at| widths.get(*at).map(|width| (*width, *at)))
        .collect();
    by_need.sort_unstable();
    for (need, at) in by_need {
        let share = left / wanting.max(1);
        let given = need.min(share.max(NARROW));
        left = left.saturating_sub(given);
        wanting = wanting.saturating_sub(1);
        if let Some(width) = widths.get_mut(at) {
            *width = given;
        }
    }
    let laid: Vec<Vec<String>> = rows
        .into_par_iter()
        .map(|row| lines_of(page, &row, &widths))
        .collect();
    for line in laid.iter().flatten() {
        page.line(line);
    }
}

fn lines_of(page: &Page, row: &[Cell], widths: &[usize]) -> Vec<String> {
    let wrapped: Vec<Vec<String>> = row
        .iter()
        .zip(widths)
        .map(|(cell, width)| hang(wrap(&cell.text, *width, width.saturating_sub(HANG))))
        .collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let line_at = |at: usize| {
        let mut line = String::from(" ");
        let mut pending = 0;
        for ((lines, cell), width) in wrapped.iter().zip(row).zip(widths) {
            let text = lines.get(at).map(String::as_str).unwrap_or_default();
            if !text.is_empty() {
                line.push_str(&" ".repeat(pending));
                pending = 0;
                line.push_str(&page.paint(cell.style, text));
            }
            pending += width.saturating_sub(columns(text)) + GAP;
        }
        line
    };
    (0..height).map(line_at).collect()
}

/// Indents the following lines of a cell, so that they do not look like a row.
fn hang(lines: Vec<String>) -> Vec<String> {
    let lines = lines.into_iter().enumerate();
    lines
        .map(|(at, line)| match at {
            0 => line,
            _ => format!("{}{line}", " ".repeat(HANG)),
        })
        .collect()
}
