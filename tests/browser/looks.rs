//! Screens, colours, keys and paper.

use serde_json::json;

use crate::chromium::Page;
use crate::reports::{SYSTEMS, audited};

/// What overflows the window, but for boxes that scroll by themselves.
const WIDE: &str = "document.documentElement.scrollWidth > document.documentElement.clientWidth";

#[test]
fn a_narrow_screen_scrolls_tables_and_not_the_page() {
    for system in SYSTEMS {
        let report = audited(system);
        let mut page = Page::of(&report.html, 400, 800);
        page.click("[data-fold=open]");
        page.value("document.querySelectorAll('details').forEach((one) => one.open = true)");
        page.settle();
        assert_eq!(page.value(WIDE), false, "{system:?}");
        let boxed = page.value(
            "[...document.querySelectorAll('table')].every((one) => one.parentElement.classList.contains('scroll'))",
        );
        assert_eq!(boxed, true);
    }
}

#[test]
fn verdict_reason_and_next_step_stand_on_the_first_screen() {
    for system in SYSTEMS {
        let report = audited(system);
        for (width, height) in [(1280, 800), (400, 800)] {
            let mut page = Page::of(&report.html, width, height);
            let bottom = page.number(
                "Math.round(document.querySelector('.verdict').getBoundingClientRect().bottom)",
            );
            assert!(bottom < u64::from(height), "{system:?}: {bottom}");
            let verdict = page.text("document.querySelector('h1').textContent");
            assert_eq!(verdict, report.json["verdict"].as_str().unwrap());
            let said = page.text("document.querySelector('.verdict').textContent");
            let first = report.json["changes_to_go"][0]["title"].as_str();
            assert_eq!(said.contains("Next step"), first.is_some());
        }
    }
}

/// The least contrast of a text against what is behind it, by the formula of WCAG 2.
const CONTRAST: &str = "(() => {
  const light = (color) => {
    const part = color.match(/[\\d.]+/g).slice(0, 3).map((one) => one / 255);
    const [r, g, b] = part.map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (one) => {
    for (; one; one = one.parentElement) {
      const color = getComputedStyle(one).backgroundColor;
      if (!color.startsWith('rgba(0, 0, 0, 0')) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  let worst = [99, ''];
  for (const one of document.querySelectorAll('body *')) {
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || one.closest('svg, script, .skip') || !one.checkVisibility()) continue;
    const [a, b] = [light(getComputedStyle(one).color), light(behind(one))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst[0]) worst = [ratio, one.outerHTML.slice(0, 200)];
  }
  return worst;
})()";

#[test]
fn texts_can_be_read_in_light_and_dark() {
    let report = audited(SYSTEMS[0]);
    let mut page = Page::of(&report.html, 1280, 900);
    page.value("document.querySelectorAll('details').forEach((one) => one.open = true)");
    let mut pages = Vec::new();
    for scheme in ["light", "dark"] {
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        page.call("Emulation.setEmulatedMedia", media);
        page.settle();
        let worst = page.value(CONTRAST);
        assert!(worst[0].as_f64().unwrap() >= 4.5, "{scheme}: {worst}");
        pages.push(page.text("getComputedStyle(document.body).backgroundColor"));
    }
    assert_ne!(pages[0], pages[1]);
}

#[test]
fn everything_can_be_reached_and_unfolded_with_keys() {
    let report = audited(SYSTEMS[2]);
    let mut page = Page::of(&report.html, 1280, 900);
    let mut seen = Vec::new();
    let mut unfolded = false;
    for _ in 0..200 {
        page.press("Tab");
        let at = page.text(
            "(() => { const one = document.activeElement; const look = getComputedStyle(one);
               const box = one.querySelector && one.querySelector('.box');
               const ring = look.outlineStyle !== 'none' || (box && getComputedStyle(box).strokeWidth === '3px');
               return one.localName + (ring ? '' : ' without ring'); })()",
        );
        assert!(
            !at.contains("without ring") || at.starts_with("body"),
            "{at}"
        );
        if at == "summary"
            && !unfolded
            && page.value("!!document.activeElement.closest('#effects')") == true
        {
            page.press("Enter");
            assert_eq!(
                page.value("document.activeElement.parentElement.open"),
                true
            );
            unfolded = true;
        }
        if at.starts_with("body") {
            break;
        }
        seen.push(at);
    }
    assert!(unfolded);
    for kind in ["a", "summary", "input", "button", "div"] {
        assert!(seen.iter().any(|one| one == kind), "{kind}: {seen:?}");
    }
    let tabs = page.number("document.querySelectorAll('[tabindex]:not([tabindex=\"0\"])').length");
    assert_eq!(tabs, 0, "the order of keys is that of the page");
}

#[test]
fn a_checkbox_turns_with_the_space_bar() {
    let report = audited(SYSTEMS[2]);
    let mut page = Page::of(&report.html, 1280, 900);
    page.value("document.querySelector('input[value=safe]').focus()");
    page.press(" ");
    assert_eq!(
        page.text("document.getElementById('shown').textContent"),
        "Showing 1 of 3 effects"
    );
}

#[test]
fn paper_shows_what_blocks_and_no_filters() {
    let report = audited(SYSTEMS[0]);
    let mut page = Page::of(&report.html, 1280, 900);
    page.call("Emulation.setEmulatedMedia", json!({"media": "print"}));
    page.settle();
    let visible = |selector: &str| {
        format!(
            "[...document.querySelectorAll({selector:?})].filter((one) => one.checkVisibility()).length"
        )
    };
    assert_eq!(page.number(&visible("nav, #filters")), 0);
    let blocked = page.number(&visible("#effects [data-state=blocked] > .body"));
    assert_eq!(blocked, 23, "folded on the screen, printed in full");
    assert_eq!(
        page.number(&visible("#effects [data-state=safe] > .body")),
        0
    );
    let pdf = page.call("Page.printToPDF", json!({"printBackground": false}));
    assert!(pdf["data"].as_str().unwrap().len() > 50_000);
}
