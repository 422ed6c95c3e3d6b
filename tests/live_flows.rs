//! NexusCRM flows out of the platform's own tables say what its export as JSON says, whichever
//! engine keeps them.

mod live_support;
mod schema_support;
mod servers;

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use outbox_audit::input::config::database::DatabaseRef;
use outbox_audit::input::gather::{Database, Sources, gather};
use outbox_audit::model::evidence::InputKind;
use outbox_audit::model::inputs::Inputs;
use outbox_audit::model::metadata::{Node, NodeKind, Text};
use outbox_audit::model::place::Place;
use serde_json::Value;
use servers::{mariadb, postgres};

const FLOWS: &str = include_str!("../fixtures/whole/nexuscrm/metadata/flows.json");

/// The platform's tables; a JSON column keeps the text as it is on each engine.
const TABLES: &str = "
CREATE TABLE _System_Flow (__sys_gen_id VARCHAR(64) PRIMARY KEY, name VARCHAR(255), status VARCHAR(50), flow_type VARCHAR(50), trigger_object VARCHAR(120), trigger_type VARCHAR(50), trigger_condition TEXT, action_type VARCHAR(50), action_config JSON, __sys_gen_is_deleted SMALLINT NOT NULL);
CREATE TABLE _System_FlowStep (__sys_gen_id VARCHAR(64) PRIMARY KEY, flow_id VARCHAR(64), step_order INT, step_name VARCHAR(255), step_type VARCHAR(50), action_type VARCHAR(50), action_config JSON, entry_condition TEXT);
CREATE TABLE _System_Action (__sys_gen_id VARCHAR(64) PRIMARY KEY, object_api_name VARCHAR(120), name VARCHAR(120), type VARCHAR(50), config JSON);
CREATE TABLE _System_Object (__sys_gen_id VARCHAR(64) PRIMARY KEY, api_name VARCHAR(120));
CREATE TABLE _System_Field (__sys_gen_id VARCHAR(64) PRIMARY KEY, object_id VARCHAR(64), api_name VARCHAR(120), type VARCHAR(50), required SMALLINT, is_unique SMALLINT);
CREATE TABLE _System_AutoNumber (__sys_gen_id VARCHAR(64) PRIMARY KEY, object_api_name VARCHAR(120), field_api_name VARCHAR(120), display_format VARCHAR(60), current_number INT);
";

/// The rows of the export as INSERT statements; `escape` writes a string.
fn inserts(escape: &dyn Fn(&str) -> String) -> String {
    let all: Value = serde_json::from_str(FLOWS).expect("JSON");
    let mut script = String::new();
    let mut insert = |table: &str, id: &str, row: &Value, columns: &[&str]| {
        let mut names = vec!["__sys_gen_id".to_owned()];
        let mut values = vec![escape(id)];
        for column in columns {
            names.push((*column).to_owned());
            values.push(match &row[*column] {
                Value::Null => "NULL".to_owned(),
                Value::Bool(value) => u8::from(*value).to_string(),
                Value::Number(value) => value.to_string(),
                Value::String(text) => escape(text),
                other => escape(&other.to_string()),
            });
        }
        let (names, values) = (names.join(", "), values.join(", "));
        writeln!(script, "INSERT INTO {table} ({names}) VALUES ({values});").expect("written");
    };
    let list = |key: &str| all[key].as_array().cloned().unwrap_or_default();
    for flow in list("flows") {
        let id = flow["id"].as_str().expect("an id").to_owned();
        let mut row = flow.clone();
        let deleted = matches!(&flow["__sys_gen_is_deleted"], Value::Bool(true))
            || flow["__sys_gen_is_deleted"] == 1;
        row["__sys_gen_is_deleted"] = Value::Bool(deleted);
        let columns = [
            "name",
            "status",
            "flow_type",
            "trigger_object",
            "trigger_type",
            "trigger_condition",
            "action_type",
            "action_config",
            "__sys_gen_is_deleted",
        ];
        insert("_System_Flow", &id, &row, &columns);
        for (at, step) in flow["steps"].as_array().into_iter().flatten().enumerate() {
            let mut step = step.clone();
            step["flow_id"] = flow["id"].clone();
            if step["step_name"].is_null() {
                step["step_name"] = step["name"].clone();
            }
            let columns = [
                "flow_id",
                "step_order",
                "step_name",
                "step_type",
                "action_type",
                "action_config",
                "entry_condition",
            ];
            insert("_System_FlowStep", &format!("{id}-{at}"), &step, &columns);
        }
    }
    for action in list("actions") {
        let id = action["id"].as_str().expect("an id").to_owned();
        let columns = ["object_api_name", "name", "type", "config"];
        insert("_System_Action", &id, &action, &columns);
    }
    for object in list("objects") {
        let name = object["api_name"].as_str().expect("a name").to_owned();
        insert(
            "_System_Object",
            &format!("object-{name}"),
            &object,
            &["api_name"],
        );
    }
    for (at, field) in list("fields").iter().enumerate() {
        let mut field = field.clone();
        let object = field["object_api_name"].as_str().expect("an object");
        field["object_id"] = format!("object-{object}").into();
        let columns = ["object_id", "api_name", "type", "required", "is_unique"];
        insert("_System_Field", &format!("field-{at:03}"), &field, &columns);
    }
    for number in list("autonumbers") {
        let columns = [
            "object_api_name",
            "field_api_name",
            "display_format",
            "current_number",
        ];
        insert("_System_AutoNumber", "number-1", &number, &columns);
    }
    script
}

fn ansi(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn mysql(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

fn text(value: Option<&Text>) -> &str {
    value.map_or("-", |text| &*text.value)
}

fn json(node: &Node) -> String {
    match &node.kind {
        NodeKind::Null => "null".to_owned(),
        NodeKind::Bool(value) => value.to_string(),
        NodeKind::Number(number) => number.to_string(),
        NodeKind::String(text) => format!("{text:?}"),
        NodeKind::Array(items) => items.iter().map(json).collect::<Vec<_>>().join(","),
        NodeKind::Object(members) => {
            // The order of members means nothing.
            let mut members: Vec<String> = members
                .iter()
                .map(|member| format!("{}: {}", member.key, json(&member.value)))
                .collect();
            members.sort();
            format!("{{{}}}", members.join(", "))
        }
    }
}

/// All that was read, in words, without places and in one order.
fn told(inputs: &Inputs) -> Vec<String> {
    let metadata = &inputs.metadata;
    assert!(metadata.problems.is_empty(), "{:?}", metadata.problems);
    let config = |node: &Option<Node>| node.as_ref().map_or("-".to_owned(), json);
    let mut lines = Vec::new();
    for flow in &metadata.flows {
        lines.push(format!(
            "flow {} {} {} {} {} {} {} {} {}",
            flow.name.value,
            text(flow.status.as_ref()),
            text(flow.flow_type.as_ref()),
            text(flow.trigger_object.as_ref()),
            text(flow.trigger_type.as_ref()),
            text(flow.condition.as_ref()),
            text(flow.action_type.as_ref()),
            config(&flow.config),
            flow.deleted
        ));
        for step in &flow.steps {
            lines.push(format!(
                "step {} {} {} {} {} {} {}",
                flow.name.value,
                step.order,
                step.name.value,
                text(step.step_type.as_ref()),
                text(step.action_type.as_ref()),
                config(&step.config),
                text(step.entry_condition.as_ref())
            ));
        }
    }
    for action in &metadata.actions {
        lines.push(format!(
            "action {} {} {:?} {} {}",
            action.id,
            action.name.value,
            action.object,
            text(action.action_type.as_ref()),
            config(&action.config)
        ));
    }
    for (name, object) in &metadata.objects {
        for field in &object.fields {
            lines.push(format!(
                "field {name}.{} {} {} {}",
                field.name.value, field.field_type, field.is_unique, field.required
            ));
        }
    }
    for number in &metadata.auto_numbers {
        lines.push(format!("number {}.{}", number.object, number.field));
    }
    lines.sort();
    lines
}

fn of_database(database: Database) -> Inputs {
    let inputs = gather(&Sources {
        database: Some(database),
        ..Sources::default()
    });
    let state = inputs.state(InputKind::Flows).expect("flows");
    assert!(state.unknown.is_empty(), "{:?}", state.unknown);
    assert_eq!(&*state.read[0].summary, "39 flows (live)");
    for flow in &inputs.metadata.flows {
        let Place::Row(row) = &flow.name.place else {
            panic!("{}", flow.name.place);
        };
        let (table, key, field) = (&row.table, &row.key, &row.field);
        assert_eq!(&**table, "_System_Flow");
        assert_eq!(Some(key), flow.id.as_ref());
        assert_eq!(field.as_deref(), Some("name"));
        assert_eq!(flow.place.to_string(), format!("_System_Flow[{key}]"));
    }
    inputs
}

fn of_server(url: &str) -> Inputs {
    of_database(Database::Server {
        reference: DatabaseRef::parse(url).expect("a URL"),
        name: "env:DB".into(),
    })
}

#[test]
fn every_engine_says_what_the_export_says() {
    let export = gather(&Sources {
        flows: vec!["fixtures/whole/nexuscrm/metadata/flows.json".into()],
        root: env!("CARGO_MANIFEST_DIR").into(),
        ..Sources::default()
    });
    let exported = told(&export);
    assert!(exported.len() > 100);

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("crm.db");
    schema_support::make(&file, &format!("{TABLES}{}", inserts(&ansi)));
    let name: Arc<str> = "crm.db".into();
    assert_eq!(
        told(&of_database(Database::Sqlite { path: file, name })),
        exported
    );

    let database = postgres().database();
    database
        .run(&format!("{TABLES}{}", inserts(&ansi)))
        .expect("the script runs");
    assert_eq!(told(&of_server(database.url())), exported);

    let database = mariadb().database();
    database
        .run(&format!("{TABLES}{}", inserts(&mysql)))
        .expect("the script runs");
    assert_eq!(told(&of_server(database.url())), exported);
}

/// Check, subject and outcome of every obligation.
fn outcomes(folder: &Path) -> Vec<String> {
    let said = live_support::run(folder, &["check", "--format", "json", "."], "");
    let report: Value = serde_json::from_str(&said.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", said.stderr));
    let obligations = report["obligations"].as_array().expect("obligations");
    let mut lines: Vec<String> = obligations
        .iter()
        .map(|each| format!("{} {} {}", each["check"], each["subject"], each["outcome"]))
        .collect();
    lines.sort();
    lines
}

#[test]
fn the_whole_system_has_the_outcomes_of_its_export() {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/whole/nexuscrm");
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("metadata")).expect("a folder");
    for name in [
        "outbox-audit.yaml",
        "system_tables.json",
        "metadata/flows.json",
        "database.sqlite",
    ] {
        std::fs::copy(fixture.join(name), at(name)).expect("a copy");
    }
    let exported = outcomes(folder.path());
    std::fs::remove_dir_all(at("metadata")).expect("the export goes");
    let configuration = std::fs::read_to_string(at("outbox-audit.yaml")).expect("text");
    let without: String = configuration
        .lines()
        .filter(|line| !line.trim_start().starts_with("flows:"))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_ne!(without, configuration);
    std::fs::write(at("outbox-audit.yaml"), without).expect("written");
    // The fixture's own tables want more columns than the export has.
    let mut script = String::new();
    for table in TABLES.lines().filter_map(|line| line.split(' ').nth(2)) {
        writeln!(script, "DROP TABLE IF EXISTS {table};").expect("written");
    }
    script += TABLES;
    script += &inserts(&ansi);
    schema_support::make(&at("database.sqlite"), &script);
    let live = outcomes(folder.path());
    let without_drift = |lines: Vec<String>| -> Vec<String> {
        lines
            .into_iter()
            .filter(|line| !line.contains("input-drift"))
            .collect()
    };
    assert_eq!(without_drift(live), without_drift(exported));
}

#[test]
fn files_say_which_flows_are_meant() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("crm.db");
    schema_support::make(&file, &format!("{TABLES}{}", inserts(&ansi)));
    let flow = r#"{"flows": [{"id": "f", "name": "Only one", "status": "Active", "flow_type": "simple", "trigger_object": "Lead", "trigger_type": "afterCreate", "action_type": "UpdateRecord", "action_config": {"field_mappings": {"rating": "Cold"}}}]}"#;
    std::fs::write(folder.path().join("flows.json"), flow).expect("written");
    let inputs = gather(&Sources {
        root: folder.path().to_owned(),
        flows: vec![folder.path().join("flows.json")],
        database: Some(Database::Sqlite {
            path: file,
            name: "crm.db".into(),
        }),
        ..Sources::default()
    });
    let names: Vec<&str> = inputs
        .metadata
        .flows
        .iter()
        .map(|flow| &*flow.name.value)
        .collect();
    assert_eq!(names, ["Only one"]);
}

#[test]
fn tables_without_a_flow_are_no_flows_that_were_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("crm.db");
    let fields = "INSERT INTO _System_Object VALUES ('o', 'Lead'); \
        INSERT INTO _System_Field VALUES ('f', 'o', 'name', 'Text', 0, 0);";
    schema_support::make(&file, &format!("{TABLES}{fields}"));
    let inputs = gather(&Sources {
        database: Some(Database::Sqlite {
            path: file,
            name: "crm.db".into(),
        }),
        ..Sources::default()
    });
    assert!(!inputs.metadata.read);
    let state = inputs.state(InputKind::Flows).expect("flows");
    assert!(state.read.is_empty());
    assert_eq!(state.unknown.len(), 1, "{:?}", state.unknown);
}
