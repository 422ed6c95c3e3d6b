//! SARIF: valid by the published schema, findings only, each with its name, rule, place and ways.

use outbox_audit::model::check::Severity;
use outbox_audit::model::consumer::ConsumerId;
use outbox_audit::model::effect::Hop;
use outbox_audit::model::place::Place;
use outbox_audit::model::report::Report;
use outbox_audit::report::{Format, RenderOptions, fingerprint, render};
use serde_json::{Value, json};

use crate::samples::many::{NASTY, blocked};
use crate::samples::{checks, hold::hold, parts, plain};

pub(crate) fn sarif(report: &Report) -> Value {
    let text = render(report, Format::Sarif, &RenderOptions::default());
    let log: Value = serde_json::from_str(&text).unwrap();
    let schema = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/sarif/sarif-schema-2.1.0.json"
    );
    let schema = std::fs::read_to_string(schema).unwrap();
    let mut schema: Value = serde_json::from_str(&schema).unwrap();
    // As published it is no regular expression; the property is not written.
    for owner in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][owner]["properties"]["language"];
        language.as_object_mut().unwrap().remove("pattern").unwrap();
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&log)
        .map(|one| format!("{} at {}", one, one.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    log["runs"][0].clone()
}

pub(crate) fn results(run: &Value) -> &[Value] {
    run["results"].as_array().unwrap()
}

fn result<'a>(run: &'a Value, rule: &str, subject: &str) -> &'a Value {
    results(run)
        .iter()
        .find(|one| {
            let logical = &one["locations"][0]["logicalLocations"][0];
            one["ruleId"] == rule
                && logical["fullyQualifiedName"]
                    .as_str()
                    .unwrap()
                    .contains(subject)
        })
        .unwrap_or_else(|| panic!("{rule} on {subject}"))
}

#[test]
fn every_sample_is_valid_and_names_its_verdict() {
    for (report, verdict) in [
        (hold(), "HOLD"),
        (plain::unproven(), "UNPROVEN"),
        (plain::go(), "GO"),
        (plain::empty(), "UNPROVEN"),
        (blocked(3, 2, NASTY), "HOLD"),
    ] {
        let run = sarif(&report);
        assert_eq!(run["properties"]["verdict"], verdict);
        assert_eq!(run["invocations"][0]["exitCode"], report.exit_status);
        let says = run["invocations"][0]["exitCodeDescription"].as_str();
        assert!(says.unwrap().starts_with(verdict), "{says:?}");
    }
}

#[test]
fn results_are_the_findings_and_only_they() {
    let report = hold();
    let run = sarif(&report);
    let found = |one: &&outbox_audit::model::check::Obligation| {
        matches!(one.outcome, outbox_audit::model::check::Outcome::NotMet(_))
    };
    let mut expected: Vec<String> = report
        .obligations
        .iter()
        .filter(found)
        .map(|one| fingerprint(one.check.id, &one.subject.to_string()))
        .collect();
    let mut named: Vec<String> = results(&run)
        .iter()
        .map(|one| {
            let own = one["partialFingerprints"]["outboxAudit/v1"]
                .as_str()
                .unwrap();
            let github = &one["partialFingerprints"]["primaryLocationLineHash"];
            assert_eq!(*github, format!("{own}:1"));
            own.to_owned()
        })
        .collect();
    expected.sort();
    named.sort();
    assert_eq!(named, expected);
    // What is not known is told, and is no result.
    let notes = run["invocations"][0]["toolExecutionNotifications"]
        .as_array()
        .unwrap();
    let about: Vec<&str> = notes
        .iter()
        .map(|one| one["associatedRule"]["id"].as_str().unwrap_or("effect"))
        .collect();
    for check in ["unmapped-action", "lost-savepoint", "untested-redelivery"] {
        assert!(about.contains(&check), "{check} in {about:?}");
    }
    assert!(results(&sarif(&plain::unproven())).is_empty());
}

#[test]
fn what_holds_the_flag_comes_first_and_alone_is_an_error() {
    let run = sarif(&hold());
    let standing: Vec<(&str, &str)> = results(&run)
        .iter()
        .map(|one| {
            let standing = one["properties"]["standing"].as_str().unwrap();
            (standing, one["level"].as_str().unwrap())
        })
        .collect();
    let blocks = standing
        .iter()
        .filter(|(word, _)| *word == "blocks")
        .count();
    assert!(blocks > 3);
    for (at, (word, level)) in standing.iter().enumerate() {
        assert_eq!(*word == "blocks", at < blocks, "{standing:?}");
        assert_eq!(*level == "error", *word == "blocks", "{standing:?}");
    }
    let deferred = result(&run, "unguarded-create", "Approve discount");
    assert_eq!(deferred["properties"]["standing"], "outside-the-gate");
    assert_eq!(deferred["level"], "note");
    let mut report = hold();
    let at = report
        .obligations
        .iter()
        .position(|one| one.check.id == checks::GUARD_LAPSES.id);
    let outcome = &mut report.obligations[at.unwrap()].outcome;
    let outbox_audit::model::check::Outcome::NotMet(finding) = outcome else {
        panic!("it is a finding")
    };
    finding.severity = Severity::Note;
    assert_eq!(
        result(&sarif(&report), "guard-lapses", "Convert")["level"],
        "note"
    );
}

#[test]
fn rules_are_the_checks_with_their_pages() {
    let run = sarif(&hold());
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in results(&run) {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    let mut report = hold();
    let real = outbox_audit::checks::find("unguarded-create").unwrap();
    for one in &mut report.obligations {
        if one.check.id == real.id {
            one.check = real;
        }
    }
    let run = sarif(&report);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let rule = rules.iter().find(|one| one["id"] == real.id).unwrap();
    assert_eq!(rule["help"]["markdown"], real.page);
    assert_eq!(rule["defaultConfiguration"]["level"], "error");
    assert_eq!(rule["properties"]["clause"], "C1");
    let what = rule["fullDescription"]["text"].as_str().unwrap();
    assert!(what.len() > 40 && !what.contains('#'), "{what}");
}

#[test]
fn a_finding_has_its_file_from_the_top_of_the_repository() {
    let report = hold();
    let run = sarif(&report);
    let one = result(&run, "unguarded-create", "Convert lead");
    let place = &one["locations"][0]["physicalLocation"];
    assert_eq!(
        *place,
        json!({
            "artifactLocation": {"uri": "fixtures/whole/nexuscrm/metadata/flows.json"},
            "region": {
                "startLine": 6, "startColumn": 24, "endLine": 6, "endColumn": 37,
                "snippet": {"text": "\"Opportunity\""}
            }
        })
    );
    // What lives in a database is put at a file, without a line, and named in words.
    let one = result(&run, "null-record-key", "queue");
    let place = &one["locations"][0];
    assert_eq!(
        place["physicalLocation"]["artifactLocation"]["uri"],
        "fixtures/whole/nexuscrm/outbox-audit.yaml"
    );
    assert!(place["physicalLocation"].get("region").is_none());
    assert_eq!(
        place["logicalLocations"][1]["fullyQualifiedName"],
        "sqlite: _System_OutboxEvent"
    );
    // Nothing was read at all.
    let mut nothing = plain::empty();
    let place = Place::CommandLine;
    let found = parts::finding("s", "", place);
    nothing.obligations = vec![parts::not_met(
        outbox_audit::model::check::Subject::Queue,
        &checks::NULL_RECORD_KEY,
        found,
    )];
    let run = sarif(&nothing);
    let uri = &run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(*uri, "fixtures/whole/nexuscrm/outbox-audit.yaml");
}

#[test]
fn an_interleaving_is_a_flow_of_its_actors_and_a_way_one_of_its_hops() {
    let mut report = hold();
    let row = report
        .effects
        .iter_mut()
        .find(|row| row.facts.effect.consumer == ConsumerId("flow:Convert lead".into()))
        .unwrap();
    let place = row.facts.effect.place.clone();
    row.facts.effect.trail.push(Hop {
        title: "named action".into(),
        place,
    });
    let run = sarif(&report);
    let one = result(&run, "unguarded-create", "Convert lead");
    let flows = one["codeFlows"].as_array().unwrap();
    assert_eq!(flows.len(), 2);
    let actors = flows[0]["threadFlows"].as_array().unwrap();
    let order: Vec<(&str, u64)> = actors
        .iter()
        .flat_map(|actor| {
            let id = actor["id"].as_str().unwrap();
            let steps = actor["locations"].as_array().unwrap();
            steps
                .iter()
                .map(move |step| (id, step["executionOrder"].as_u64().unwrap()))
        })
        .collect();
    assert_eq!(order, [("A", 1), ("B", 2)]);
    let second = &actors[1]["locations"][0]["location"]["message"]["text"];
    assert!(second.as_str().unwrap().starts_with("B takes e1 over"));
    let way = flows[1]["threadFlows"][0]["locations"].as_array().unwrap();
    let says: Vec<&Value> = way
        .iter()
        .map(|step| &step["location"]["message"]["text"])
        .collect();
    assert_eq!(says, ["Convert lead", "named action", "here"]);
}

#[test]
fn a_waived_finding_is_suppressed_with_its_reason() {
    let mut report = hold();
    let at = report
        .obligations
        .iter()
        .position(|one| one.check.id == checks::UNPROTECTED_EXTERNAL.id)
        .unwrap();
    let subject = report.obligations[at].subject.to_string();
    report.waivers = vec![parts::waiver(
        checks::UNPROTECTED_EXTERNAL.id,
        &subject,
        outbox_audit::model::report::WaiverState::Applied,
        3,
    )];
    report.obligations[at].waiver = Some(0);
    let run = sarif(&report);
    let waived = result(&run, checks::UNPROTECTED_EXTERNAL.id, &subject);
    let why = waived["suppressions"][0]["justification"].as_str().unwrap();
    assert!(
        why.contains("readers were told") && why.contains("crm-team"),
        "{why}"
    );
    assert_eq!(waived["suppressions"][0]["status"], "accepted");
    let count = results(&run)
        .iter()
        .filter(|one| !one["suppressions"].as_array().unwrap().is_empty())
        .count();
    assert_eq!(count, 1);
}
