//! Text from outside, as a page may show it. The template escapes what means something to HTML;
//! here what a reader would not see is written out, and what has no end is cut.

use maud::{Markup, html};

use crate::report::{visible, words};

/// A name, an id or a place.
pub(super) fn name(raw: &str) -> String {
    visible::name(raw)
}

/// A name or title that keeps the direction of its letters to itself.
pub(super) fn title(raw: &str) -> Markup {
    html! { bdi { (visible::sentence(raw)) } }
}

/// A name, id or place as code.
pub(super) fn code(raw: &str) -> Markup {
    html! { code { (visible::name(raw)) } }
}

/// A sentence; what stands between backticks is code.
pub(super) fn prose(raw: &str) -> Markup {
    let shown = visible::sentence(raw);
    let pieces: Vec<&str> = shown.split('`').collect();
    // A backtick without a partner is only a sign.
    let paired = pieces.len() % 2 == 1;
    html! {
        @if paired {
            @for (at, piece) in pieces.iter().enumerate() {
                @if at % 2 == 1 { code { (piece) } } @else { (piece) }
            }
        } @else {
            (shown)
        }
    }
}

/// The same with a capital letter.
pub(super) fn capital(raw: &str) -> Markup {
    let mut letters = raw.trim().chars();
    let first = letters.next().map(|one| one.to_ascii_uppercase());
    let whole: String = first.into_iter().chain(letters).collect();
    prose(&whole)
}

/// The same, and it ends like a sentence.
pub(super) fn sentence(raw: &str) -> Markup {
    let ends = raw.trim_end().ends_with(['.', '?', '!']);
    html! { (capital(raw)) @if !ends { "." } }
}

/// Lines of a statement or command that are shown.
const STATEMENT: usize = 60;

/// A statement or command, line by line.
pub(super) fn statement(how: &str) -> Markup {
    let mut lines: Vec<String> = how
        .lines()
        .take(STATEMENT)
        .map(|line| {
            let indent = line.len() - line.trim_start_matches(' ').len();
            format!("{}{}", " ".repeat(indent), visible::statement(line))
        })
        .collect();
    let more = how.lines().count().saturating_sub(STATEMENT);
    if more > 0 {
        lines.push(format!("… {}", words::many(more, "more line")));
    }
    html! { pre.how tabindex="0" { code { (lines.join("\n")) } } }
}

/// Says how many entries of a list are left out; nothing where none is.
pub(super) fn more(all: usize, most: usize, one: &str) -> Markup {
    let rest = all.saturating_sub(most);
    html! {
        @if rest > 0 {
            p.left-out { (words::many(rest, &format!("more {one}"))) " left out of this page; "
                code { "--format json" } " holds all." }
        }
    }
}

/// A table in a box of its own, so that a narrow screen scrolls it and not the page.
pub(super) fn table(label: &str, heads: &[&str], rows: Markup) -> Markup {
    html! {
        div.scroll role="region" aria-label=(label) tabindex="0" {
            table {
                thead { tr { @for head in heads { th scope="col" { (head) } } } }
                tbody { (rows) }
            }
        }
    }
}
