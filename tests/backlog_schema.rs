//! The document of `backlog --format json`: the committed schema is that of the written types, and
//! what is printed is valid by it.
//!
//! `UPDATE_SCHEMAS=1 cargo test --test backlog_schema` writes it anew.

mod backlog_support;
mod live_support;
mod servers;

use backlog_support::{Payload, Project, configure_cutoffs, lead, row};
use outbox_audit::report::backlog_v1;
use serde_json::{Value, json};
use servers::{mariadb, postgres, postgres_newer};

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/backlog.schema.json");

fn schema() -> String {
    let mut schema = schemars::schema_for!(backlog_v1::Backlog<'static>);
    schema.insert("title".to_owned(), json!("outbox-audit backlog, version 1"));
    format!("{}\n", serde_json::to_string_pretty(&schema).expect("JSON"))
}

#[test]
fn the_committed_schema_is_that_of_the_types() {
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(SCHEMA, schema()).expect("written");
    }
    let committed = std::fs::read_to_string(SCHEMA).expect("it is committed");
    assert!(
        committed == schema(),
        "run the tests once with UPDATE_SCHEMAS=1"
    );
}

#[test]
fn what_is_printed_is_valid() {
    let schema: Value = serde_json::from_str(&schema()).expect("JSON");
    jsonschema::meta::validate(&schema).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors = |document: &Value| -> Vec<String> {
        let errors = validator.iter_errors(document);
        errors.map(|one| one.to_string()).collect()
    };
    for project in [
        Project::on(postgres(), Payload::Json),
        Project::on(postgres_newer(), Payload::Text),
        Project::on(mariadb(), Payload::Json),
        Project::in_file(Payload::Text),
    ] {
        // Without cutoffs some counts are open; with them none is.
        let open = project.counts();
        assert_eq!(errors(&open), Vec::<String>::new(), "{open}");
        assert!(open["writers"]["unknown"].is_string(), "{open}");
        configure_cutoffs(project.folder.path());
        project.run(&row("e1", Some("taken"), &lead("1"), Some("Lead:1")));
        project.run(&row("e2", None, &lead("1"), None));
        let counted = project.counts();
        assert_eq!(errors(&counted), Vec::<String>::new(), "{counted}");
        assert!(!counted.to_string().contains("unknown\""), "{counted}");
        for (pointer, wrong) in [
            ("/document", json!("report")),
            ("/keys/missing/rows", json!("two")),
            ("/keys/payload", json!("{}")),
            ("/claims/stale", json!(3)),
            ("/plan/older/today/0/index", json!(7)),
        ] {
            let mut document = counted.clone();
            match document.pointer_mut(pointer) {
                Some(place) => *place = wrong,
                None => document["keys"]["payload"] = wrong,
            }
            assert!(!validator.is_valid(&document), "{pointer}");
        }
    }
}
