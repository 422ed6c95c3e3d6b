//! Names that try to become markup, script or a request: they stay names.

use outbox_audit::model::report::Report;

use crate::chromium::Page;
use crate::reports::{SYSTEMS, audited, written};
use crate::samples::many::{NASTY, blocked};

/// More that HTML, SVG, attributes, addresses and the script could trip over.
const WORSE: [&str; 8] = [
    "</script><script>window.hit = 1</script>",
    "\"><img src=x onerror=\"window.hit = 1\">",
    "' autofocus onfocus='window.hit = 1",
    "</style><style>body{display:none}</style>",
    "</title><svg onload=\"window.hit = 1\">",
    "]]><!-- <base href=https://evil.example> {{7*7}} ${7*7}",
    "&lt;b&gt; &amp;#60;script&amp;#62; javascript:window.hit=1",
    "<a href=\"https://evil.example\">x</a><iframe src=\"https://evil.example\"></iframe>",
];

/// Shows a report that is full of a name.
fn show(page: &mut Page, report: &Report) {
    let folder = tempfile::tempdir().unwrap();
    let file = written(report, folder.path());
    page.open(&file);
    let asked = page.requests();
    assert_eq!(asked.len(), 1, "only the page itself: {asked:?}");
}

fn assert_only_ours(page: &mut Page) {
    assert_eq!(page.value("window.hit === undefined"), true);
    assert_eq!(page.faults(), [""; 0]);
    assert_eq!(page.number("document.scripts.length"), 1);
    assert_eq!(page.number("document.querySelectorAll('style').length"), 1);
    let foreign = page.texts(
        "[...document.querySelectorAll('*')].map((one) => one.localName).filter((name) =>
          ['img', 'iframe', 'base', 'link', 'object', 'embed', 'image', 'use', 'foreignObject'].includes(name))",
    );
    assert_eq!(foreign, [""; 0]);
    let handlers = page.texts(
        "[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames()).filter((name) =>
          name.startsWith('on') || name === 'style' || name === 'src' || name === 'autofocus')",
    );
    assert_eq!(handlers, [""; 0]);
    let away = page.texts(
        "[...document.querySelectorAll('[href]')].map((one) => one.getAttribute('href')).filter((href) => !href.startsWith('#'))",
    );
    assert_eq!(away, [""; 0]);
}

#[test]
fn no_name_becomes_markup_or_script() {
    let mut page = Page::new(1280, 900);
    for name in WORSE.iter().chain([&NASTY]) {
        show(&mut page, &blocked(3, 3, name));
        assert_only_ours(&mut page);
        let rows = "document.querySelectorAll('#effects .row').length";
        assert_eq!(page.number(rows), 3);
        // It is shown as it is written, as far as it fits.
        let title = page.text("document.querySelector('#effects bdi').textContent");
        let begins: String = name.chars().take(30).collect();
        assert!(title.starts_with(&begins), "{title}");
    }
}

#[test]
fn what_reorders_or_hides_is_written_out() {
    let mut page = Page::new(1280, 900);
    let name = "a\u{202e}b\u{2066}c\u{200b}d\u{feff}\u{1b}[31m";
    show(&mut page, &blocked(2, 2, name));
    let text = page.text("document.documentElement.outerHTML");
    let hidden = |one: char| matches!(one, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}' | '\u{1b}');
    assert!(!text.contains(hidden));
    assert!(text.contains("\\u{202e}") && text.contains("\\u{2066}"));
}

#[test]
fn a_name_without_end_does_not_widen_the_page() {
    let mut page = Page::new(1280, 900);
    for name in [
        "x".repeat(10_000),
        "名前".repeat(5_000),
        "a b".repeat(4_000),
    ] {
        show(&mut page, &blocked(3, 3, &name));
        assert_only_ours(&mut page);
        for width in [400, 1280] {
            page.resize(width, 800);
            page.settle();
            let wide = page.number("document.documentElement.scrollWidth");
            assert!(wide <= u64::from(width), "{wide} for {width}");
        }
    }
}

#[test]
fn the_policy_refuses_whatever_is_put_in() {
    let report = audited(SYSTEMS[2]);
    let mut page = Page::of(&report.html, 1280, 900);
    assert_only_ours(&mut page);
    // Were something to get in all the same, it would neither run nor ask.
    page.value(
        "document.body.insertAdjacentHTML('beforeend',
           '<img src=\"https://evil.example/x.png\" onerror=\"window.hit = 1\"><p style=\"color:red\">x</p>');
         const script = document.createElement('script');
         script.textContent = 'window.hit = 1';
         document.body.append(script);
         fetch('https://evil.example/').catch(() => {});
         1",
    );
    page.settle();
    assert_eq!(page.value("window.hit === undefined"), true);
    let refused = page.faults().len();
    assert!(
        refused >= 4,
        "image, handler, script and request are refused: {refused}"
    );
}

#[test]
fn the_systems_are_quiet() {
    for system in SYSTEMS {
        let report = audited(system);
        let mut page = Page::of(&report.html, 1280, 900);
        let asked = page.requests();
        assert_eq!(asked.len(), 1, "{asked:?}");
        assert!(asked[0].starts_with("file://"));
        assert_only_ours(&mut page);
    }
}
