//! A configuration that uses everything, read back value by value.

use std::path::Path;

use outbox_audit::input::config::database::DatabaseRef;
use outbox_audit::input::config::{Config, Limits, parse};
use outbox_audit::model::outbox::OutboxColumn;
use outbox_audit::model::schema::Dialect;
use outbox_audit::model::scope::ContractKind;
use outbox_audit::model::text::TextFile;

fn read(yaml: &str) -> Config {
    parse(
        TextFile::new("conf/outbox-audit.yaml", yaml.to_owned()),
        Path::new("conf"),
    )
    .unwrap_or_else(|problems| panic!("{problems}"))
}

const WHOLE: &str = include_str!("config/whole.yaml");

#[test]
fn everything_arrives_as_written() {
    let config = read(WHOLE);
    let said = &config.declarations;
    assert_eq!(said.flag.as_deref(), Some("OUTBOX_PULL_WORKER"));
    assert_eq!(
        config.gate_pack.as_ref().map(|pack| &*pack.value),
        Some("nexuscrm")
    );
    let named: Vec<&str> = said.named.iter().map(|name| &*name.value).collect();
    assert_eq!(named, ["Convert lead", "no", "1.0", "2026-01-01"]);
    assert_eq!(
        said.named[0].place.to_string(),
        "conf/outbox-audit.yaml:5:11"
    );

    let inputs = &config.inputs;
    assert_eq!(inputs.flows[0].path, Path::new("conf/metadata"));
    assert_eq!(inputs.schema.len(), 2);
    assert_eq!(inputs.schema[1].path, Path::new("/abs/extra.sql"));
    assert_eq!(
        inputs.database.as_ref().map(|database| &database.reference),
        Some(&DatabaseRef::Sqlite("conf/crm.sqlite".into()))
    );
    assert_eq!(inputs.dialect, Some(Dialect::Sqlite));
    assert_eq!(inputs.source.len(), 1);
    assert_eq!(inputs.tests.len(), 1);
    assert!(inputs.answers.is_some());

    assert_eq!(
        config.outbox.table.as_ref().map(|table| &*table.value),
        Some("_System_OutboxEvent")
    );
    assert_eq!(config.outbox.columns.len(), 10);
    assert_eq!(
        &*config.outbox.columns[&OutboxColumn::RecordKey].value,
        "RecordKey"
    );
    assert_eq!(config.outbox.states.dead.len(), 2);
    assert_eq!(
        said.record_key_template.as_ref().map(|it| &*it.value),
        Some("{object_api_name}:{record.__sys_gen_id}")
    );

    assert_eq!(said.natural_key("opportunity").unwrap().fields.len(), 2);
    assert_eq!(&*said.natural_key("Lead").unwrap().fields[0], "email");
    assert_eq!(said.horizon_seconds, Some(7 * 86_400));
    assert_eq!(said.contracts.len(), 4);
    assert_eq!(said.contracts[0].kind, ContractKind::DedupTable);
    assert_eq!(said.contracts[0].key.len(), 2);
    assert_eq!(said.exclusions.len(), 1);
    assert_eq!(&*said.waivers[0].expires, "2026-12-31");
    assert_eq!(&*said.waivers[0].owner, "on");
    assert_eq!(&*said.deferred[0].flow.value, "Nightly sync");
    assert_eq!(
        &*config.declarations.assertions[0].digest.value,
        "0123456789abcdef"
    );
    assert_eq!(config.packs.len(), 1);
    assert_eq!(config.rules[0].path, Path::new("conf/rules/own.yaml"));
    assert_eq!(
        config.limits,
        Limits {
            max_file_bytes: 1_000_000,
            max_files: 500,
            timeout_seconds: 5
        }
    );
    assert_eq!(config.file.text(), WHOLE);
}

#[test]
fn the_least_configuration_says_nothing() {
    let config = read("version: 1\n");
    assert!(config.declarations.named.is_empty());
    assert!(config.declarations.record_key_template.is_none());
    assert!(config.inputs.flows.is_empty());
    assert_eq!(config.limits, Limits::default());
}

#[test]
fn keys_without_values_count_as_not_given() {
    let config = read(
        "version: 1\ngate:\n  flag:\n  named:\ninputs:\noutbox:\n  record_key:\n  columns: ~\nwaivers:\nhorizon:\n",
    );
    assert!(config.declarations.flag.is_none());
    assert!(config.declarations.waivers.is_empty());
}

#[test]
fn an_environment_variable_is_named_and_not_read() {
    let config = read("version: 1\ninputs: {database: 'env:OUTBOX_DB'}\n");
    let database = config.inputs.database.unwrap();
    assert_eq!(database.reference, DatabaseRef::Env("OUTBOX_DB".into()));
}
