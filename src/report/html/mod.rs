//! The report as one file for a browser: it asks nothing of the network, and reads without script.
//!
//! What would make it too long to be used gives way: details first, beginning with effects that ask
//! nothing of the reader, then rows of lists. The page counts whatever it leaves out.

mod book;
mod conditions;
mod consumers;
mod effects;
mod evidence;
mod filters;
mod finding;
mod gaps;
mod head;
mod inputs;
mod map;
mod pages;
mod rows;
mod subject;
mod subjects;
mod tail;
mod tally;
mod text;
mod to_do;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::model::report::Report;

use super::headline;
use book::Book;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Renders the report.
pub(super) fn render(report: &Report) -> String {
    let mut book = Book::new(report);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (in_head(report))
            body {
                a.skip href="#to-do" { "Skip to what to do" }
                (head::top(&book))
                main {
                    div.first {
                        (to_do::section(&book))
                        (conditions::section(&book))
                    }
                    (map::section(&book))
                    (effects::section(&mut book))
                    (subjects::section(&mut book))
                    (gaps::section(&book))
                    (consumers::section(&mut book))
                    (tail::deferred(report))
                    (tail::accepted(&book))
                    (tail::residuals(report))
                    (pages::section(report))
                    (inputs::section(report))
                }
                (head::foot(report))
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// The head: the policy comes first, so that it holds for all that follows.
fn in_head(report: &Report) -> Markup {
    let policy = format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    );
    let subject = text::name(&report.subject);
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            title { (headline::verdict(report)) ": " (subject) }
            style { (PreEscaped(STYLE)) }
        }
    }
}

/// A digest as the policy names it.
fn digest(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_one_that_openssl_gives() {
        // printf 'a{}' | openssl dgst -sha256 -binary | base64
        assert_eq!(
            digest("a{}"),
            "sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk="
        );
    }

    #[test]
    fn neither_style_nor_script_can_end_its_element() {
        for text in [STYLE, SCRIPT] {
            assert!(!text.contains("</") && !text.contains("<!--"));
        }
    }
}
