//! The JSON: valid by the committed schema, complete, and the same bytes each time.

use clap::ValueEnum;
use outbox_audit::model::report::Report;
use outbox_audit::report::{Format, RenderOptions, explain, explained, fingerprint, render, v1};
use serde_json::{Value, json};

use crate::samples::many::{NASTY, blocked};
use crate::samples::{hold::hold, plain};

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/report.schema.json");

fn document(report: &Report) -> Value {
    serde_json::from_str(&render(report, Format::Json, &RenderOptions::default())).unwrap()
}

/// The schema of the written types.
fn schema() -> String {
    let mut schema = schemars::schema_for!(v1::Document<'static>);
    schema.insert("title".to_owned(), json!("outbox-audit report, version 1"));
    format!("{}\n", serde_json::to_string_pretty(&schema).unwrap())
}

#[test]
fn the_committed_schema_is_that_of_the_types() {
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(SCHEMA, schema()).unwrap();
    }
    let committed = std::fs::read_to_string(SCHEMA).unwrap();
    assert!(
        committed == schema(),
        "run the tests once with UPDATE_SCHEMAS=1"
    );
}

#[test]
fn every_sample_is_valid() {
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(SCHEMA).unwrap()).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for report in [
        hold(),
        plain::unproven(),
        plain::go(),
        plain::empty(),
        blocked(3, 2, NASTY),
    ] {
        let document = document(&report);
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|one| one.to_string())
            .collect();
        assert!(errors.is_empty(), "{errors:?}");
    }
    let mut wrong = document(&hold());
    wrong["verdict"] = json!("MAYBE");
    assert!(!validator.is_valid(&wrong));
    let mut wrong = document(&hold());
    wrong["effects"][0]["id"] = json!(7);
    assert!(!validator.is_valid(&wrong));
}

#[test]
fn the_document_holds_the_whole_matrix() {
    let report = hold();
    let document = document(&report);
    assert_eq!(document["document"], "report");
    assert_eq!(document["version"], 1);
    assert_eq!(document["verdict"], "HOLD");
    assert_eq!(document["exit_status"], 1);
    assert_eq!(
        document["effects"].as_array().unwrap().len(),
        report.effects.len()
    );
    let obligations = document["obligations"].as_array().unwrap();
    assert_eq!(obligations.len(), report.obligations.len());
    for row in obligations {
        let present: Vec<&str> = ["finding", "reason", "evidence", "not_applicable"]
            .into_iter()
            .filter(|key| !row[*key].is_null())
            .collect();
        let expected = match row["outcome"].as_str().unwrap() {
            "met" => "evidence",
            "not-met" => "finding",
            "unknown" => "reason",
            _ => "not_applicable",
        };
        assert_eq!(present, [expected]);
    }
    let counts = document["counts"].as_object().unwrap();
    let sum: u64 = counts.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(sum, report.effects.len() as u64);
}

#[test]
fn a_finding_carries_its_place_its_harm_its_repairs_and_its_name() {
    let document = document(&hold());
    let obligations = document["obligations"].as_array().unwrap();
    let row = obligations.iter().find(|row| {
        row["check"] == "unguarded-create" && row["subject"].as_str().unwrap().contains("Convert")
    });
    let finding = &row.unwrap()["finding"];
    assert_eq!(
        finding["fingerprint"],
        fingerprint(
            "unguarded-create",
            "flow:Convert lead/action/CreateRecord:Opportunity"
        )
    );
    assert_eq!(
        finding["place"],
        json!({"file": "metadata/flows.json", "line": 6, "column": 24, "end_line": 6, "end_column": 37})
    );
    assert_eq!(finding["interleaving"][1]["actor"], "B");
    assert_eq!(
        finding["repairs"][0][0]["key"],
        "unique Opportunity(lead_id)"
    );
    let cited: Vec<&str> = finding["evidence"]
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_str().unwrap())
        .collect();
    assert_eq!(cited.len(), 2);
    let evidence = document["evidence"].as_array().unwrap();
    for id in cited {
        assert_eq!(evidence.iter().filter(|one| one["id"] == id).count(), 1);
    }
    let queue = obligations
        .iter()
        .find(|row| row["check"] == "null-record-key")
        .unwrap();
    assert_eq!(
        queue["finding"]["place"],
        json!({"connection": "sqlite", "object": "_System_OutboxEvent"})
    );
}

#[test]
fn what_leaves_the_database_is_not_quoted() {
    let mut report = hold();
    let row = report
        .effects
        .iter_mut()
        .find(|row| row.facts.effect.kind.is_external())
        .unwrap();
    let place = row.facts.effect.place.clone();
    let token = crate::samples::parts::value(
        "Bearer s3cr3t",
        outbox_audit::model::value::ValueSource::Constant,
        place,
    );
    row.facts
        .effect
        .writes
        .push(outbox_audit::model::effect::Assignment {
            field: "Authorization".into(),
            place: token.place.clone(),
            value: outbox_audit::model::value::Value {
                draws: Vec::new(),
                ..token
            },
            by_platform: false,
        });
    for format in Format::value_variants().iter().copied() {
        let options = RenderOptions {
            verbose: true,
            ..RenderOptions::default()
        };
        assert!(
            !render(&report, format, &options).contains("s3cr3t"),
            "{format:?}"
        );
    }
    let ids = report.effects.iter().map(|row| &*row.facts.effect.id.0);
    for id in ids {
        let found = explained::find(&report, id).expect("it is in the report");
        let said = explain(&report, &found, &RenderOptions::default());
        assert!(!said.contains("s3cr3t"), "{said}");
    }
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    for format in Format::value_variants().iter().copied() {
        let one = render(&hold(), format, &RenderOptions::default());
        assert_eq!(one, render(&hold(), format, &RenderOptions::default()));
    }
}
