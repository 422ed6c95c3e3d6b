//! TiDB with keys that are checked at the commit only. No server of it is at hand: the schema is
//! that of a text, with the keys as the reader of the catalog gives them under such settings.

use std::sync::Arc;

use outbox_audit::facts::{FactInput, derive};
use outbox_audit::input::flows;
use outbox_audit::input::schema::read_text;
use outbox_audit::model::check::Outcome;
use outbox_audit::model::inputs::Inputs;
use outbox_audit::model::outbox::OutboxNames;
use outbox_audit::model::schema::{Deferral, Dialect};
use outbox_audit::model::scope::Declarations;
use outbox_audit::model::text::TextFile;
use outbox_audit::{checks, rules};

const SCHEMA: &str =
    "CREATE TABLE ticket (ref VARBINARY(40) NOT NULL, UNIQUE KEY one_ticket (ref));";

/// What `unhandled-conflict` says of an effect, and its words.
fn conflict(effect: &str, deferral: Deferral) -> (bool, String) {
    let flows = format!(
        "version: 1\nconsumers:\n  - id: handle\n    event: e\n    object: o\n    effects:\n      - {effect}\n"
    );
    let file = |name: &str, text: &str| Arc::new(TextFile::new(name, text.to_owned()));
    let flows = file("flows.yaml", &flows);
    let (schema, reasons) = read_text(&[file("schema.sql", SCHEMA)], Some(Dialect::Tidb));
    assert!(reasons.is_empty(), "{reasons:?}");
    let mut schema = schema.expect("a schema");
    for key in schema
        .tables
        .iter_mut()
        .flat_map(|table| &mut table.enforcers)
    {
        key.deferral = deferral;
    }
    let metadata = flows::read_for(&[flows], Some(Dialect::Tidb));
    assert!(metadata.problems.is_empty(), "{:?}", metadata.problems);
    let rules = rules::load(&["neutral"], &[]).expect("the pack is sound");
    let facts = derive(FactInput {
        inputs: Inputs {
            metadata,
            live: Some(schema),
            ..Inputs::default()
        },
        rules: &rules,
        declarations: Declarations::default(),
        outbox: OutboxNames::default(),
        map: None,
        queue: None,
        code: None,
        rows: Default::default(),
    });
    let obligations = checks::run_all(&facts);
    let found = obligations
        .iter()
        .find(|each| each.check.id == "unhandled-conflict")
        .expect("it is decided");
    match &found.outcome {
        Outcome::Met { .. } => (true, String::new()),
        Outcome::NotMet(finding) => (false, format!("{finding:?}")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_handles_a_conflict_reads_the_keys_at_once() {
    let with = |conflict: &str| {
        format!(
            "{{id: keep, kind: insert, table: ticket, set: {{ref: {{snapshot: record.ref, null: never}}}}{conflict}}}"
        )
    };
    let said = |sql: &str| {
        format!("{{id: keep, sql: \"{sql}\", params: [{{snapshot: record.ref, null: never}}]}}")
    };
    for effect in [
        with(", on_conflict: do-nothing"),
        said("INSERT IGNORE INTO ticket (ref) VALUES (?)"),
        said("INSERT INTO ticket (ref) VALUES (?) ON DUPLICATE KEY UPDATE ref = VALUES(ref)"),
    ] {
        for deferral in [Deferral::Deferred, Deferral::Immediate] {
            assert_eq!(
                conflict(&effect, deferral),
                (true, String::new()),
                "{effect}"
            );
        }
    }
}

#[test]
fn a_handler_around_a_plain_insert_comes_too_early() {
    let caught = "{id: keep, kind: insert, table: ticket, set: {ref: {snapshot: record.ref, null: never}}, on_conflict: {caught: one_ticket}}";
    let plain = "{id: keep, sql: \"INSERT INTO ticket (ref) VALUES (?)\", params: [{snapshot: record.ref, null: never}]}";
    assert_eq!(conflict(caught, Deferral::Immediate), (true, String::new()));
    for effect in [caught, plain] {
        let (met, said) = conflict(effect, Deferral::Deferred);
        assert!(!met, "{effect}");
        assert!(said.contains("at the commit"), "{said}");
    }
}
