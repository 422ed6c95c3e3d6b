//! Every check has a page, a row in the README and fixtures, and they say what the code says.

use std::fs;
use std::path::{Path, PathBuf};

use outbox_audit::checks::CHECKS;
use outbox_audit::model::check::CheckInfo;

/// Sections of a page, in this order. The last one stands where the check can be unknown.
const SECTIONS: [&str; 5] = [
    "What it checks",
    "Why it matters",
    "Example",
    "How to fix",
    "When it is unknown",
];

/// What an engineer reads in two minutes.
const LINES: std::ops::RangeInclusive<usize> = 25..=45;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The title as a sentence.
fn sentence(info: &CheckInfo) -> String {
    let mut letters = info.title.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

fn sections(page: &str) -> Vec<&str> {
    page.lines()
        .filter_map(|line| line.strip_prefix("## "))
        .collect()
}

fn can_be_unknown(info: &CheckInfo) -> bool {
    sections(info.page).contains(&SECTIONS[4])
}

#[test]
fn ids_are_names_and_each_stands_once() {
    let mut ids: Vec<&str> = CHECKS.iter().map(|check| check.info.id).collect();
    for id in &ids {
        assert!(
            id.chars()
                .all(|each| each.is_ascii_lowercase() || each == '-'),
            "{id} is kebab-case"
        );
    }
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count, "each id stands once");
}

#[test]
fn every_page_has_its_sections() {
    for check in CHECKS {
        let info = check.info;
        let page = info.page;
        let file = format!("src/checks/{}.md", info.id.replace('-', "_"));
        assert_eq!(
            page,
            read(&root().join(&file)),
            "{file} is the page of {}",
            info.id
        );
        let mut lines = page.lines();
        assert_eq!(lines.next(), Some(&*format!("# {}", info.id)), "{file}");
        assert_eq!(lines.next(), Some(""), "{file}");
        assert_eq!(lines.next(), Some(&*sentence(info)), "{file}: its title");
        let found = sections(page);
        let wanted = if can_be_unknown(info) {
            &SECTIONS[..]
        } else {
            &SECTIONS[..4]
        };
        assert_eq!(found, wanted, "{file}: its sections");
        let count = page.lines().count();
        assert!(LINES.contains(&count), "{file} has {count} lines");
        for (at, line) in page.lines().enumerate() {
            assert!(
                line.chars().count() <= 100,
                "{file}:{} is longer than 100",
                at + 1
            );
        }
    }
}

#[test]
fn no_page_is_left_over() {
    let mut pages: Vec<String> = Vec::new();
    for entry in fs::read_dir(root().join("src/checks")).expect("the folder can be read") {
        let path = entry.expect("its entries can be read").path();
        if path.extension().is_some_and(|ending| ending == "md") {
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            pages.push(stem.expect("its name is UTF-8").replace('_', "-"));
        }
    }
    pages.sort();
    let mut ids: Vec<&str> = CHECKS.iter().map(|check| check.info.id).collect();
    ids.sort_unstable();
    assert_eq!(pages, ids, "pages against checks");
}

#[test]
fn ids_in_pages_name_checks() {
    for check in CHECKS {
        for word in check.info.page.split('`').skip(1).step_by(2) {
            let looks_like_a_check = word.contains('-')
                && word
                    .chars()
                    .all(|each| each.is_ascii_lowercase() || each == '-')
                && !word.starts_with('-');
            let known = outbox_audit::checks::find(word).is_some()
                // Kinds of contracts are spelled in the same way.
                || matches!(word, "idempotency-key" | "accepted-duplicate");
            assert!(
                !looks_like_a_check || known,
                "{}: `{word}` is no check",
                check.info.id
            );
        }
    }
}

#[test]
fn the_readme_has_a_row_for_every_check() {
    let readme = read(&root().join("README.md"));
    let found: Vec<&str> = readme
        .lines()
        .filter(|line| line.starts_with("| [`") && line.contains("](src/checks/"))
        .collect();
    let wanted: Vec<String> = CHECKS
        .iter()
        .map(|check| {
            let CheckInfo {
                id,
                clause,
                title,
                weight,
                ..
            } = check.info;
            let page = id.replace('-', "_");
            format!(
                "| [`{id}`](src/checks/{page}.md) | {clause} | {} | {title} |",
                weight.word()
            )
        })
        .collect();
    assert_eq!(
        found, wanted,
        "rows of the README against CHECKS, in their order"
    );
}

#[test]
fn every_check_has_its_fixtures() {
    for check in CHECKS {
        let info = check.info;
        let folder = root().join("fixtures/checks").join(info.id);
        let mut names: Vec<String> = fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.expect("its entries can be read").path())
            .filter_map(|path: PathBuf| Some(path.file_name()?.to_str()?.to_owned()))
            .collect();
        names.sort();
        let has = |prefix: &str| names.iter().any(|name| name.starts_with(prefix));
        assert!(has("good-"), "{}: a fixture good-*", info.id);
        assert!(
            has("bad-") || has("unknown-"),
            "{}: a fixture bad-* or unknown-*",
            info.id
        );
        assert_eq!(
            has("unknown-"),
            can_be_unknown(info),
            "{}: a fixture unknown-* goes with the section `{}` of its page",
            info.id,
            SECTIONS[4]
        );
        for name in names {
            assert!(
                ["good-", "bad-", "unknown-"]
                    .iter()
                    .any(|kind| name.starts_with(kind)),
                "{}/{name} begins with good-, bad- or unknown-",
                info.id
            );
        }
    }
}
