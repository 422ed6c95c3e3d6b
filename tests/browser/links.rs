//! Whatever the page leads to is there, and says what the report says.

use std::collections::BTreeSet;

use crate::chromium::Page;
use crate::reports::{SYSTEMS, audited, written};
use crate::samples::many::blocked;

/// Links that lead nowhere, and names that stand twice.
const BROKEN: &str = "(() => {
  const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  const links = [...document.querySelectorAll('a')].map((one) => one.getAttribute('href'));
  const there = new Set(ids);
  const dead = links.filter((href) => !href.startsWith('#') || !there.has(href.slice(1)));
  return [...twice, ...dead];
})()";

#[test]
fn every_link_leads_to_something_on_the_page() {
    for system in SYSTEMS {
        let report = audited(system);
        let mut page = Page::of(&report.html, 1280, 900);
        assert!(page.number("document.querySelectorAll('a').length") > 10);
        assert_eq!(page.texts(BROKEN), [""; 0], "{system:?}");
    }
}

#[test]
fn every_link_leads_somewhere_where_most_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(&blocked(6_000, 50, "Thing"), folder.path());
    let mut page = Page::of(&file, 1280, 900);
    assert_eq!(
        page.texts(BROKEN.replace("ids.indexOf(id) !== at", "false").as_str()),
        [""; 0]
    );
}

#[test]
fn every_subject_and_finding_of_the_report_is_on_the_page() {
    for system in SYSTEMS {
        let report = audited(system);
        let mut page = Page::of(&report.html, 1280, 900);
        let text = page.text("document.body.textContent");
        for list in ["consumers", "effects"] {
            for one in report.json[list].as_array().unwrap() {
                let id = one["id"].as_str().unwrap();
                assert!(text.contains(id), "{system:?}: {id}");
            }
        }
        let ids: BTreeSet<String> = page
            .texts("[...document.querySelectorAll('.finding[id]')].map((one) => one.id.slice(2))")
            .into_iter()
            .collect();
        let obligations = report.json["obligations"].as_array().unwrap();
        let found = obligations.iter().filter(|one| one["outcome"] == "not-met");
        let wanted: BTreeSet<String> = found
            .map(|one| one["finding"]["fingerprint"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(ids, wanted, "{system:?}");
        for one in obligations {
            for (part, key) in [
                ("finding", "sentence"),
                ("reason", "sentence"),
                ("reason", "next_step"),
            ] {
                if let Some(sentence) = one[part][key].as_str().filter(|one| !one.contains('`')) {
                    let sentence = sentence.trim_end_matches('.');
                    assert!(text.contains(sentence), "{system:?}: {sentence}");
                }
            }
        }
        assert!(text.contains(report.json["verdict"].as_str().unwrap()));
    }
}

#[test]
fn a_link_unfolds_what_it_leads_to_without_script_too() {
    let report = audited(SYSTEMS[0]);
    let mut page = Page::new(1280, 900);
    page.without_script();
    page.open(&report.html);
    let blocked = "#map a[data-state=blocked]";
    let href = page.text(&format!(
        "document.querySelector({blocked:?}).getAttribute('href')"
    ));
    page.click(blocked);
    let open = page.value(&format!(
        "document.querySelector({href:?}).parentElement.open"
    ));
    assert_eq!(open, true);
    assert_eq!(
        page.value("document.getElementById('filters').hidden"),
        true
    );
    let rows = page.number("[...document.querySelectorAll('#effects .row')].filter((one) => one.checkVisibility()).length");
    assert_eq!(rows, 43, "nothing is hidden where no filter is");
}

/// Letters and digits: what is left of a text whatever its markup.
fn letters(text: &str) -> String {
    text.chars().filter(|one| one.is_alphabetic()).collect()
}

#[test]
fn the_pages_of_checks_are_those_that_explain_prints() {
    let report = audited(SYSTEMS[0]);
    let mut page = Page::of(&report.html, 1280, 900);
    let obligations = report.json["obligations"].as_array().unwrap();
    let spoken = obligations
        .iter()
        .filter(|one| one["outcome"] == "not-met" || one["outcome"] == "unknown");
    let spoken: BTreeSet<&str> = spoken.map(|one| one["check"].as_str().unwrap()).collect();
    assert!(spoken.len() > 10);
    for check in spoken {
        let info = outbox_audit::checks::find(check).unwrap();
        let shown = page.text(&format!(
            "document.getElementById('check-{check}').textContent"
        ));
        let text = info.page.split_once('\n').unwrap().1;
        let wanted = format!("{text}Clause {}{}", info.clause, info.weight.word());
        assert_eq!(letters(&shown), letters(&wanted), "{check}");
    }
}
