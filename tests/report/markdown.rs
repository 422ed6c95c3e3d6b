//! The markdown, read back: verdict, conditions, blockers, details, the way to GO.

use outbox_audit::model::report::{Disposition, Report};
use outbox_audit::report::{Format, RenderOptions, render};

use crate::read_back::{ReadBack, read_back};
use crate::samples::{hold::hold, plain};

pub(crate) fn markdown(report: &Report) -> String {
    render(report, Format::Markdown, &RenderOptions::default())
}

fn parsed(report: &Report) -> ReadBack {
    read_back(&markdown(report))
}

#[test]
fn the_sections_stand_in_the_order_of_a_review() {
    let headings = parsed(&hold()).headings;
    assert_eq!(
        headings,
        [
            "HOLD: OUTBOX_PULL_WORKER on fixtures/whole/nexuscrm",
            "What was read",
            "Conditions",
            "Blockers",
            "To reach GO",
            "Not shown",
            "Advisory",
            "Safe effects",
            "Off the path",
            "Outside the gate's scope",
            "Deferred inventory",
            "Consumer map",
            "Accepted duplicates and waivers",
            "Residuals",
        ]
    );
}

#[test]
fn every_blocked_effect_has_a_row_that_leads_to_its_details() {
    let report = hold();
    let text = markdown(&report);
    let page = read_back(&text);
    let rows = page.rows("Blockers");
    let blocked = report.count(Disposition::Blocked);
    assert_eq!(rows.len(), blocked + 1, "the queue is one more subject");
    assert_eq!(page.links.len(), rows.len());
    for link in &page.links {
        let name = link.strip_prefix('#').expect("a link within the page");
        assert_eq!(text.matches(&format!("<a name=\"{name}\">")).count(), 1);
    }
    let convert = &rows[0];
    assert_eq!(convert[0], "B1");
    assert_eq!(
        convert[1],
        "Convert lead → create Opportunity unguarded-create unhandled-conflict burned-autonumber"
    );
    assert_eq!(convert[2], "metadata/flows.json:6:24");
    assert_eq!(convert[3], "create");
    assert_eq!(convert[4], "duplicate");
    assert_eq!(
        convert[5],
        "add UNIQUE (lead_id) on Opportunity and find or create on it"
    );
    assert!(page.text.contains("8 findings block") || text.contains("**8 findings** block"));
}

#[test]
fn tables_name_what_was_read_and_where_each_condition_stands() {
    let page = parsed(&hold());
    let inputs = page.rows("What was read");
    assert_eq!(
        inputs[1],
        [
            "flows",
            "metadata/flows.json: 10 flows, 10 effects",
            "0123456789abcdef"
        ]
    );
    assert!(inputs[3][1].starts_with("not read: the database could not be read"));
    assert!(inputs[3][1].contains("--answers"));
    let states: Vec<&str> = page.rows("Conditions").iter().map(|row| &*row[2]).collect();
    assert_eq!(
        states,
        ["not met", "not shown", "not met", "not shown", "not met"]
    );
    assert_eq!(page.rows("Safe effects").len(), 1);
    assert_eq!(page.rows("Off the path")[0][2], "its flow is inactive");
    let deferred = page.rows("Deferred inventory");
    assert_eq!(deferred[0][2], "yes: flow:Notify owner, flow:Push lead");
    assert_eq!(deferred[1][2], "not known");
    assert_eq!(deferred[2][2], "no");
    let accepted = page.rows("Accepted duplicates and waivers");
    assert_eq!(accepted[0][1..3], ["accepted", "integrations"]);
    assert_eq!(accepted[2][1..4], ["expired", "crm-team", "2026-12-31"]);
}

#[test]
fn details_hold_the_marked_line_the_harm_and_the_statement() {
    let page = parsed(&hold());
    let quoted = page
        .blocks
        .iter()
        .find(|(_, code)| code.contains("\"target_object\""));
    let lines: Vec<&str> = quoted.expect("the quoted line").1.lines().collect();
    assert_eq!(lines[0].find("\"Opportunity\""), lines[1].find('^'));
    assert!(page.blocks.iter().any(|(language, code)| {
        language == "sql"
            && code == "CREATE UNIQUE INDEX uq_opportunity_lead ON Opportunity (lead_id);\n"
    }));
    assert!(
        page.text
            .contains("takes e1 over, inserts (lead_id L7, OPP-0043)")
    );
    let map = page
        .blocks
        .iter()
        .find(|(language, _)| language == "mermaid");
    assert!(map.expect("the map").1.contains("Convert lead"));
}

#[test]
fn the_numbers_of_the_way_to_go_run_on_past_its_statements() {
    let text = markdown(&hold());
    let mut starts = Vec::new();
    for event in pulldown_cmark::Parser::new(&text) {
        if let pulldown_cmark::Event::Start(pulldown_cmark::Tag::List(Some(start))) = event {
            starts.push(start);
        }
    }
    // One list for each interleaving, one for the changes; none starts anew in the middle.
    assert!(starts.iter().all(|start| *start == 1), "{starts:?}");
    let page = read_back(&text);
    assert!(
        page.blocks
            .iter()
            .any(|(_, code)| code.starts_with("contracts:\n  - consumer"))
    );
}

#[test]
fn other_verdicts_say_so_in_the_first_line() {
    assert!(markdown(&plain::go()).starts_with("# GO: "));
    assert!(markdown(&plain::unproven()).starts_with("# UNPROVEN: "));
    let empty = markdown(&plain::empty());
    assert!(empty.contains("No effect was found.") && empty.contains("no flow metadata was found"));
}
