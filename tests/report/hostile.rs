//! Names that try to break out of a terminal, a table, a tag or a drawing.

use outbox_audit::model::report::Report;
use outbox_audit::report::{Format, RenderOptions, render};
use proptest::prelude::*;

use crate::markdown::markdown;
use crate::read_back::read_back;
use crate::samples::many::{NASTY, blocked};
use crate::terminal::terminal;

/// HTML that the report itself writes.
fn is_ours(html: &str) -> bool {
    let html = html.trim();
    let known = [
        "<br>",
        "</details>",
        "<code>",
        "</code>",
        "</a>",
        "<b>",
        "</b>",
    ];
    known.contains(&html)
        || html.starts_with("<details><summary><a name=\"b-")
        || (html.starts_with("<details><summary>") && html.contains("none holds the flag"))
}

fn assert_contained(report: &Report) {
    let text = markdown(report);
    let page = read_back(&text);
    for html in &page.html {
        // A block of HTML comes in lines; ours hold one tag pair, and user text only escaped.
        let bare = html.replace("&lt;", "").replace("&gt;", "");
        assert!(is_ours(&bare), "{html}");
        assert_eq!(
            bare.matches('<').count(),
            bare.matches('>').count(),
            "{html}"
        );
        assert!(
            !bare.contains("<script") && !bare.contains("<!--"),
            "{html}"
        );
    }
    assert!(
        page.links.iter().all(|link| link.starts_with("#b-")),
        "{:?}",
        page.links
    );
    assert_eq!(page.images, 0);
    let known = [
        "What was read",
        "Conditions",
        "Blockers",
        "To reach GO",
        "Consumer map",
    ];
    assert!(
        page.headings[1..].iter().all(|one| known.contains(&&**one)),
        "{:?}",
        page.headings
    );
    for (above, rows) in &page.tables {
        let wide = rows[0].len();
        assert!(rows.iter().all(|row| row.len() == wide), "{above}");
    }
    assert_eq!(page.rows("Blockers").len(), report.effects.len());
    for (language, code) in &page.blocks {
        if language == "mermaid" {
            let plain =
                |line: &str| line.matches('"').count().is_multiple_of(2) && !line.contains('`');
            assert!(code.lines().all(plain), "{code}");
        }
    }
    // Outside of code nothing is left that GitHub makes a mention, a reference or a link of.
    for (at, _) in page.prose.match_indices('@') {
        assert!(
            page.prose[at + 1..].starts_with('\u{200b}'),
            "{}",
            &page.prose[at..]
        );
    }
    for (at, _) in page.prose.match_indices('#') {
        let next = page.prose[at + 1..].chars().next();
        assert!(
            !next.is_some_and(|one| one.is_ascii_digit()),
            "{}",
            &page.prose[at..]
        );
    }
    assert!(!page.prose.contains("://") && !page.prose.contains("www."));
    for html in &page.html {
        for (at, _) in html.match_indices('@') {
            assert!(html[at + 1..].starts_with("&#8203;"), "{html}");
        }
    }
}

fn assert_shown(page: &str) {
    for character in page.chars().filter(|one| *one != '\n') {
        assert!(!character.is_control(), "{character:?}");
        assert!(!matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'));
    }
}

#[test]
fn a_name_that_tries_everything_stays_a_name() {
    let report = blocked(3, 3, NASTY);
    assert_contained(&report);
    for page in [terminal(&report, true), markdown(&report)] {
        assert_shown(&page);
        assert!(
            page.contains("u{202e}") || page.contains("u\\{202e}"),
            "the override is shown"
        );
    }
}

#[test]
fn a_name_without_end_is_cut_in_the_middle() {
    let name = format!("start{}end", "x".repeat(10_000));
    let report = blocked(2, 2, &name);
    for page in [terminal(&report, true), markdown(&report)] {
        assert!(page.chars().count() < 30_000, "{}", page.len());
        assert!(page.contains('…'));
    }
    // Programs get all of it.
    let json = render(&report, Format::Json, &RenderOptions::default());
    assert!(json.contains(&name));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever characters a name is made of, no format lets it out.
    #[test]
    fn no_name_breaks_out(name in "[\\PC\\x00-\\x7f|`<>@#\\[\\]*_~$:\\\\\"\u{202e}\u{2066}]{1,60}") {
        let report = blocked(2, 2, &name);
        assert_contained(&report);
        assert_shown(&terminal(&report, true));
        assert_shown(&markdown(&report));
    }
}
