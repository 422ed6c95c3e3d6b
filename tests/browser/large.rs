//! Large systems stay usable, and what is left out is counted.

use outbox_audit::model::check::Outcome;
use outbox_audit::model::report::{Disposition, Report};

use crate::chromium::Page;
use crate::reports::written;
use crate::samples::many::blocked;

fn page_of(report: &Report) -> (Page, usize) {
    let folder = tempfile::tempdir().unwrap();
    let file = written(report, folder.path());
    let size = std::fs::metadata(&file).unwrap().len();
    (Page::of(&file, 1280, 900), size as usize)
}

#[test]
fn two_thousand_effects_stay_usable() {
    let (mut page, _) = page_of(&blocked(2_000, 200, "Thing"));
    page.settle();
    let loaded = page.worked();
    assert!(loaded < 4_000, "{loaded} ms of work to load");
    assert_eq!(
        page.number("document.querySelectorAll('#effects .row').length"),
        2_000
    );
    assert_eq!(
        page.number("document.querySelectorAll('#map [data-class]').length"),
        2_000
    );
    page.click("#filters [type=search]");
    page.write("01234");
    let filtered = page.worked() - loaded;
    assert!(filtered < 1_500, "{filtered} ms of work to filter");
    println!("{loaded} ms of work to load, {filtered} ms to filter");
    let shown = page.text("document.getElementById('shown').textContent");
    assert_eq!(shown, "Showing 1 of 2,000 effects");
}

#[test]
fn a_hundred_thousand_findings_are_bounded_and_counted() {
    let mut report = blocked(100_000, 500, "Thing");
    for row in report.effects.iter_mut().skip(40_000) {
        row.disposition = Disposition::Safe;
    }
    let (mut page, size) = page_of(&report);
    assert!(size < 20_000_000, "{size} bytes");
    let listed = page.number("document.querySelectorAll('#effects .row').length");
    assert!((1_000..10_000).contains(&listed), "{listed}");
    // Those left out are told by state and class, and with those listed they are all.
    let rest = page.texts(
        "[...document.querySelectorAll('#effects table tbody tr')].map((row) => row.textContent)",
    );
    let left = 40_000 - listed;
    let grouped = format!("{},{:03}", left / 1_000, left % 1_000);
    assert_eq!(
        rest,
        [
            format!("blockedcreate{grouped}"),
            "safecreate60,000".to_owned()
        ]
    );
    let text = page.text("document.body.textContent");
    for said in [
        "more effects not listed here",
        "consumers not drawn",
        "more consumers left out",
    ] {
        assert!(text.contains(said), "{said}");
    }
}

#[test]
fn what_blocks_is_never_left_out_for_what_is_safe() {
    let mut report = blocked(4_000, 50, "Thing");
    for row in report.effects.iter_mut().take(3_990) {
        row.disposition = Disposition::Safe;
    }
    let (mut page, _) = page_of(&report);
    let rows = "document.querySelectorAll('#effects details[data-state=blocked]').length";
    assert_eq!(page.number(rows), 10);
    let drawn = "document.querySelectorAll('#map [data-state=blocked]').length";
    assert_eq!(page.number(drawn), 10);
}

#[test]
fn details_that_would_be_too_long_are_left_out_and_counted() {
    let mut report = blocked(2_000, 50, "Thing");
    for obligation in &mut report.obligations {
        if let Outcome::NotMet(finding) = &mut obligation.outcome {
            finding.notes = vec!["word ".repeat(150); 20];
        }
    }
    let (mut page, size) = page_of(&report);
    assert!(size < 14_000_000, "{size} bytes");
    let folded = page.number("document.querySelectorAll('#effects div.row').length");
    let whole = page.number("document.querySelectorAll('#effects details.row').length");
    assert!(folded > 0 && whole > 100 && folded + whole == 2_000);
    let said = page.text("document.querySelector('#effects .left-out').textContent");
    let grouped = format!("{},{:03}", folded / 1_000, folded % 1_000);
    let count = if folded < 1_000 {
        folded.to_string()
    } else {
        grouped
    };
    assert!(
        said.starts_with(&format!("Details of the last {count} effects are left out")),
        "{said}"
    );
}
