//! The markdown of the bundled systems, read back by a parser that had no part in writing it.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::audit::{check_in, json_with, list, system, text};

/// What a comment on GitHub takes, in characters.
const MOST: usize = 65_536;

/// Rows below a heading, the head of the table left out; cells as text.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let mut above = String::new();
    let (mut in_heading, mut in_table, mut in_head) = (false, false, false);
    let mut rows: Vec<Vec<String>> = Vec::new();
    for event in Parser::new_ext(page, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                in_heading = true;
                above.clear();
            }
            Event::End(TagEnd::Heading(_)) => in_heading = false,
            Event::Start(Tag::Table(_)) => in_table = above == heading,
            Event::End(TagEnd::Table) => in_table = false,
            Event::Start(Tag::TableHead) => in_head = true,
            Event::End(TagEnd::TableHead) => in_head = false,
            Event::Start(Tag::TableRow) if in_table => rows.push(Vec::new()),
            Event::Start(Tag::TableCell) if in_table && !in_head => {
                rows.last_mut()
                    .expect("a cell stands in a row")
                    .push(String::new());
            }
            Event::Text(text) | Event::Code(text) => {
                if in_heading {
                    above.push_str(&text);
                }
                if in_table && !in_head {
                    let cell = rows.last_mut().and_then(|row| row.last_mut());
                    cell.expect("text stands in a cell").push_str(&text);
                }
            }
            _ => {}
        }
    }
    rows
}

#[test]
fn every_blocker_has_a_row() {
    for (name, blocked, others) in [
        ("nexuscrm", 23, 1),
        ("nexuscrm-repaired", 0, 0),
        ("shop", 2, 0),
    ] {
        let page = check_in(&system(name), &["--format", "markdown"]).stdout;
        let report = json_with(&system(name), &[]);
        let count = |disposition: &str| {
            let all = list(&report, "effects").iter();
            all.filter(|effect| text(effect, "disposition") == disposition)
                .count()
        };
        let beside: std::collections::BTreeSet<String> = list(&report, "obligations")
            .iter()
            .filter(|each| text(each, "weight") == "gate" && text(each, "outcome") == "not-met")
            .map(|each| text(each, "subject"))
            .filter(|subject| {
                !list(&report, "effects")
                    .iter()
                    .any(|effect| text(effect, "id") == *subject)
            })
            .collect();
        assert_eq!(
            (count("blocked"), beside.len()),
            (blocked, others),
            "{name}: {beside:?}"
        );
        assert_eq!(rows(&page, "Blockers").len(), blocked + others, "{name}");
        assert_eq!(rows(&page, "Safe effects").len(), count("safe"), "{name}");
        assert_eq!(
            rows(&page, "Off the path").len(),
            count("off-path"),
            "{name}"
        );
        assert_eq!(
            rows(&page, "Conditions").len(),
            list(&report, "gate").len(),
            "{name}"
        );
    }
}

#[test]
fn it_fits_a_comment() {
    for name in ["nexuscrm", "nexuscrm-repaired", "shop"] {
        let page = check_in(&system(name), &["--format", "markdown", "--verbose"]).stdout;
        let length = page.encode_utf16().count();
        assert!(length < MOST, "{name}: {length} characters");
    }
}
