//! A source line with its marks, as the report quotes it.

use anstyle::Style;

use super::page::{BLUE, Page};
use crate::model::place::Place;
use crate::model::report::Report;
use crate::report::excerpt::quoted;
use crate::report::quote::mark;
use crate::report::visible;
use crate::report::wrap::{columns, wrap};

/// Columns that a label wants for itself when it moves under the marks.
const LABEL_ROOM: usize = 36;

/// Columns before the `|` of a quoted line.
pub(super) fn gutter(place: &Place) -> usize {
    place
        .span()
        .map_or(2, |span| span.start.line.to_string().len().max(2))
}

/// Writes the place, the source line if the report quotes it, the marks and the label.
pub(super) fn write(page: &mut Page, report: &Report, place: &Place, label: &str, style: Style) {
    let gutter = gutter(place);
    let arrow = page.paint(BLUE, &format!("{}-->", " ".repeat(gutter)));
    // A place is not wrapped: it is there to be opened.
    page.line(&format!("{arrow} {}", visible::name(&place.to_string())));
    let line = place
        .span()
        .and_then(|span| Some((span, quoted(report, span)?)));
    let bar = page.paint(BLUE, &format!("{} |", " ".repeat(gutter)));
    let label = visible::sentence(label);
    let Some((span, excerpt)) = line else {
        page.line(&bar);
        if !label.is_empty() {
            let mark = format!("{} = ", " ".repeat(gutter));
            page.labelled(&mark, BLUE, &label);
        }
        return;
    };
    page.line(&bar);
    let room = page.width.saturating_sub(gutter + 3);
    let marked = mark(span, &excerpt, room);
    let number = page.paint(BLUE, &format!("{:>gutter$} |", span.start.line));
    page.line(&format!("{number} {}", marked.text));
    let marks = page.paint(style, &"^".repeat(marked.wide));
    let before = " ".repeat(marked.before);
    let beside = marked.before + marked.wide + 1 + columns(&label);
    if beside <= room {
        let label = page.paint(style, &label);
        page.line(&format!("{bar} {before}{marks} {label}"));
    } else {
        page.line(&format!("{bar} {before}{marks}"));
        let wanted = columns(&label).max(LABEL_ROOM);
        let indent = marked.before.min(room.saturating_sub(wanted));
        let wide = room.saturating_sub(indent);
        for line in wrap(&label, wide, wide) {
            let line = page.paint(style, &line);
            page.line(&format!("{bar} {}{line}", " ".repeat(indent)));
        }
    }
    page.line(&bar);
}
