//! JUnit, read back by a parser that had no part in writing it: failures are what holds the flag,
//! errors what is not known.

use outbox_audit::model::report::{ConditionState, Report};
use outbox_audit::report::{Format, RenderOptions, render};
use roxmltree::{Document, Node};

use crate::samples::{hold::hold, parts, plain};

/// One case as it was read.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) suite: String,
    pub(crate) name: String,
    /// `pass`, `failure`, `error` or `skipped`.
    pub(crate) end: String,
    pub(crate) message: String,
    pub(crate) text: String,
    pub(crate) file: Option<(String, u32)>,
}

fn attribute(node: &Node<'_, '_>, name: &str) -> String {
    node.attribute(name)
        .unwrap_or_else(|| panic!("{name}"))
        .to_owned()
}

/// Reads the cases, and holds the counts of each suite against them.
pub(crate) fn cases(report: &Report) -> Vec<Case> {
    let text = render(report, Format::Junit, &RenderOptions::default());
    let document = Document::parse(&text).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let mut all = Vec::new();
    for suite in root.children().filter(Node::is_element) {
        let from = all.len();
        for node in suite.children().filter(Node::is_element) {
            assert_eq!(node.tag_name().name(), "testcase");
            let result = node.children().find(Node::is_element).unwrap();
            let end = match result.tag_name().name() {
                "system-out" => "pass",
                other => other,
            };
            let line = node.attribute("line").map(|line| line.parse().unwrap());
            all.push(Case {
                suite: attribute(&suite, "name"),
                name: attribute(&node, "name"),
                end: end.to_owned(),
                message: result.attribute("message").unwrap_or_default().to_owned(),
                text: result.text().unwrap_or_default().to_owned(),
                file: line.map(|line| (attribute(&node, "file"), line)),
            });
            assert_eq!(attribute(&node, "classname"), attribute(&suite, "name"));
        }
        counted(&suite, &all[from..]);
    }
    counted(&root, &all);
    all
}

fn counted(node: &Node<'_, '_>, cases: &[Case]) {
    let count = |end: &str| {
        cases
            .iter()
            .filter(|one| one.end == end)
            .count()
            .to_string()
    };
    assert_eq!(attribute(node, "tests"), cases.len().to_string());
    assert_eq!(attribute(node, "failures"), count("failure"));
    assert_eq!(attribute(node, "errors"), count("error"));
    assert_eq!(attribute(node, "skipped"), count("skipped"));
}

fn case<'a>(cases: &'a [Case], suite: &str, name: &str) -> &'a Case {
    cases
        .iter()
        .find(|one| one.suite == suite && one.name == name)
        .unwrap_or_else(|| panic!("{suite}: {name} among {cases:#?}"))
}

#[test]
fn every_condition_and_every_check_is_a_case_with_a_name_of_its_own() {
    for report in [hold(), plain::unproven(), plain::go(), plain::empty()] {
        let cases = cases(&report);
        let gate = cases.iter().filter(|one| one.suite == "gate").count();
        assert_eq!(gate, report.gate.len());
        assert!(cases.len() >= gate + report.obligations.len());
        let mut names: Vec<(&str, &str)> =
            cases.iter().map(|one| (&*one.suite, &*one.name)).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}

#[test]
fn a_case_ends_as_the_check_stands() {
    let report = hold();
    let cases = cases(&report);
    for (suite, name, end) in [
        (
            "flow:Copy region",
            "state-dependent-set action/UpdateRecord:Lead",
            "pass",
        ),
        (
            "flow:Convert lead",
            "unguarded-create action/CreateRecord:Opportunity",
            "failure",
        ),
        (
            "flow:Convert lead",
            "guard-lapses action/CreateRecord:Opportunity",
            "pass",
        ),
        (
            "flow:Convert lead",
            "untested-redelivery action/CreateRecord:Opportunity",
            "error",
        ),
        (
            "flow:Approve discount",
            "unguarded-create action/CreateRecord:_System_ApprovalWorkItem",
            "skipped",
        ),
        ("queue", "null-record-key", "failure"),
        ("queue", "non-atomic-claim", "error"),
        ("backlog", "ambiguous-order", "skipped"),
    ] {
        assert_eq!(case(&cases, suite, name).end, end, "{suite}: {name}");
    }
    for (at, condition) in report.gate.iter().enumerate() {
        let one = case(&cases, "gate", &format!("{} {}", at + 1, condition.title));
        let end = match condition.state {
            ConditionState::Met => "pass",
            ConditionState::NotMet => "failure",
            ConditionState::NotShown => "error",
            ConditionState::NotApplicable => "skipped",
        };
        assert_eq!(one.end, end);
    }
}

#[test]
fn a_failure_says_what_where_and_how_to_mend_it() {
    let cases = cases(&hold());
    let one = case(
        &cases,
        "flow:Convert lead",
        "unguarded-create action/CreateRecord:Opportunity",
    );
    assert_eq!(
        one.message,
        "a second delivery creates a second Opportunity"
    );
    assert_eq!(
        one.file,
        Some(("fixtures/whole/nexuscrm/metadata/flows.json".to_owned(), 6))
    );
    for line in [
        "at fixtures/whole/nexuscrm/metadata/flows.json:6:24",
        "not a guard: uq_opportunity_number (number is drawn anew each time)",
        "B takes e1 over, inserts (lead_id L7, OPP-0043)",
        "fix: add UNIQUE (lead_id) on Opportunity",
        "finding: 0f01d021e182bc97 flow:Convert lead/action/CreateRecord:Opportunity",
    ] {
        assert!(
            one.text.lines().any(|each| each == line),
            "{line} in\n{}",
            one.text
        );
    }
}

#[test]
fn a_waived_finding_is_skipped_with_the_name_of_who_answers_for_it() {
    let mut report = hold();
    let mut rows = report.obligations.iter_mut();
    let row = rows
        .find(|one| one.check.id == "unprotected-external")
        .unwrap();
    let subject = row.subject.to_string();
    row.waiver = Some(0);
    let state = outbox_audit::model::report::WaiverState::Applied;
    report.waivers = vec![parts::waiver("unprotected-external", &subject, state, 3)];
    let cases = cases(&report);
    let one = case(
        &cases,
        "flow:Notify owner",
        "unprotected-external action/SendEmail:mail",
    );
    assert_eq!(one.end, "skipped");
    assert!(
        one.message
            .starts_with("waived by crm-team until 2026-12-31"),
        "{}",
        one.message
    );
}
