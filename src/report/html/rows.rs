//! Rows that unfold: one line each, and below it what is known of its subject.

use maud::{Markup, html};

use crate::report::words;

/// A row.
pub(super) struct Row {
    /// Name of its place on the page.
    pub(super) anchor: String,
    /// Word by which it is filtered: what became of it.
    pub(super) state: &'static str,
    /// Word by which it is filtered: its class; none in lists without filters.
    pub(super) class: Option<&'static str>,
    /// Its line.
    pub(super) line: Markup,
    /// What unfolds; none where there was no room for it.
    pub(super) details: Option<Markup>,
}

/// The rows, and of how many the details are left out.
pub(super) fn list(rows: &[Row], one: &str) -> Markup {
    let bare = rows.iter().filter(|row| row.details.is_none()).count();
    html! {
        div.rows { @for row in rows { (shown(row)) } }
        @if bare > 0 {
            p.left-out {
                "Details of the last " (words::many(bare, one)) " are left out, because a browser would be \
                 slow with them; " code { "outbox-audit explain ID" } " shows one, "
                code { "--format json" } " all."
            }
        }
    }
}

fn shown(row: &Row) -> Markup {
    html! {
        @if let Some(details) = &row.details {
            details.row data-state=(row.state) data-class=[row.class] {
                summary { (row.line) }
                // Named inside, so that a browser unfolds what a link leads to.
                div.body id=(row.anchor) { (details) }
            }
        } @else {
            div.row.bare id=(row.anchor) data-state=(row.state) data-class=[row.class] { (row.line) }
        }
    }
}
