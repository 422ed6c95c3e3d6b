//! Filters show what they say, and their counts are those of the report.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::chromium::Page;
use crate::reports::{SYSTEMS, audited};

const SHOWN: &str = "[...document.querySelectorAll('#effects .row')].filter((row) => !row.hidden)";

fn state(effect: &Value) -> &str {
    match effect["waived"].as_bool() {
        Some(true) if effect["disposition"] == "blocked" => "waived",
        _ => effect["disposition"].as_str().unwrap(),
    }
}

fn counted<'j>(
    effects: &'j [Value],
    word: impl Fn(&'j Value) -> &'j str,
) -> BTreeMap<&'j str, u64> {
    let mut counts = BTreeMap::new();
    for effect in effects {
        *counts.entry(word(effect)).or_insert(0) += 1;
    }
    counts
}

/// The counts that stand beside the choices of a group.
fn choices(page: &mut Page, group: &str) -> BTreeMap<String, u64> {
    let value = page.value(&format!(
        "Object.fromEntries([...document.querySelectorAll('input[name={group}]')].map((one) =>
           [one.value, Number(one.parentElement.querySelector('b').textContent)]))"
    ));
    serde_json::from_value(value).unwrap()
}

fn shown(page: &mut Page) -> u64 {
    page.number(&format!("{SHOWN}.length"))
}

fn said(page: &mut Page) -> String {
    page.text("document.getElementById('shown').textContent")
}

#[test]
fn each_filter_shows_the_effects_of_the_report_that_it_names() {
    for system in SYSTEMS {
        let report = audited(system);
        let effects = report.json["effects"].as_array().unwrap();
        let mut page = Page::of(&report.html, 1280, 900);
        let all = effects.len() as u64;
        assert_eq!(shown(&mut page), all, "{system:?}");
        let states = counted(effects, state);
        let classes = counted(effects, |one| one["class"].as_str().unwrap());
        let borrowed = |map: BTreeMap<String, u64>| map;
        assert_eq!(
            borrowed(choices(&mut page, "state")),
            states
                .iter()
                .map(|(word, count)| ((*word).to_owned(), *count))
                .collect()
        );
        assert_eq!(
            borrowed(choices(&mut page, "class")),
            classes
                .iter()
                .map(|(word, count)| ((*word).to_owned(), *count))
                .collect()
        );
        for (group, counts) in [("state", &states), ("class", &classes)] {
            for (word, count) in counts {
                let choice = format!("input[name={group}][value={word}]");
                page.click(&choice);
                assert_eq!(shown(&mut page), *count, "{system:?} {word}");
                assert!(said(&mut page).starts_with(&format!("Showing {count} of {all} ")));
                page.click(&choice);
            }
        }
        assert_eq!(shown(&mut page), all);
    }
}

#[test]
fn filters_narrow_each_other_and_the_counts_follow() {
    let report = audited(SYSTEMS[0]);
    let effects = report.json["effects"].as_array().unwrap();
    let mut page = Page::of(&report.html, 1280, 900);
    page.click("input[name=state][value=blocked]");
    let blocked: Vec<Value> = effects
        .iter()
        .filter(|one| state(one) == "blocked")
        .cloned()
        .collect();
    let classes = counted(&blocked, |one| one["class"].as_str().unwrap());
    let told = choices(&mut page, "class");
    for (class, count) in &told {
        let wanted = classes.get(class.as_str()).copied().unwrap_or_default();
        assert_eq!(*count, wanted, "{class}");
    }
    page.click("input[name=class][value=create]");
    assert_eq!(shown(&mut page), classes["create"]);
    // What is filtered out fades in the map.
    let bright = page.number("document.querySelectorAll('#map [data-class]:not(.dim)').length");
    assert_eq!(bright, classes["create"]);
    page.click("#filters [type=reset]");
    assert_eq!(shown(&mut page), effects.len() as u64);
    assert_eq!(
        page.number("document.querySelectorAll('#map .dim').length"),
        0
    );
}

#[test]
fn words_find_names_whatever_their_case() {
    let report = audited(SYSTEMS[0]);
    let mut page = Page::of(&report.html, 1280, 900);
    page.click("#filters [type=search]");
    page.write("CONVERT opportunity");
    let found = page.texts(&format!(
        "{SHOWN}.map((row) => row.querySelector('bdi').textContent)"
    ));
    assert!(!found.is_empty() && found.len() < 10, "{found:?}");
    assert!(
        found
            .iter()
            .any(|one| one == "Convert lead to opportunity → create Opportunity")
    );
    page.write(" no such word");
    assert_eq!(shown(&mut page), 0);
    assert_eq!(said(&mut page), "Showing 0 of 43 effects");
}

#[test]
fn a_link_to_a_filtered_row_lifts_the_filter_and_unfolds_it() {
    let report = audited(SYSTEMS[0]);
    let mut page = Page::of(&report.html, 1280, 900);
    page.click("input[name=state][value=safe]");
    let blocked = "#map a[data-state=blocked]";
    let href = page.text(&format!(
        "document.querySelector({blocked:?}).getAttribute('href')"
    ));
    page.click(blocked);
    assert_eq!(shown(&mut page), 43);
    let open = page.value(&format!(
        "document.querySelector({href:?}).parentElement.open"
    ));
    assert_eq!(open, true);
    let focus = page.text("document.activeElement.tagName");
    assert_eq!(focus, "SUMMARY", "the focus goes along");
}

#[test]
fn rows_unfold_and_fold_together() {
    let report = audited(SYSTEMS[0]);
    let mut page = Page::of(&report.html, 1280, 900);
    let open = "document.querySelectorAll('#effects .row[open]').length";
    page.click("input[name=state][value=safe]");
    page.click("[data-fold=open]");
    assert_eq!(page.number(open), 8, "only what is shown unfolds");
    page.click("[data-fold=close]");
    assert_eq!(page.number(open), 0);
}
