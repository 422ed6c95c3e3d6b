//! The metadata as the interpreter reads it: by itself, with a JSON parser and nothing of the
//! audit's readers.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value as Json;

use super::formulas::Formulas;
use super::tables::{TableSpec, table};

/// The platform with one set of metadata.
pub(crate) struct System {
    pub(crate) formulas: Formulas,
    pub(crate) flows: Vec<Flow>,
    pub(crate) actions: BTreeMap<String, Json>,
    /// Auto-numbers: object and field.
    pub(crate) numbers: Vec<(String, String)>,
    pub(crate) tables: Vec<Rc<TableSpec>>,
}

/// A flow that is active.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    pub(crate) name: String,
    pub(crate) object: String,
    pub(crate) trigger: String,
    pub(crate) condition: String,
    pub(crate) multistep: bool,
    pub(crate) word: String,
    pub(crate) config: Json,
    pub(crate) steps: Vec<Json>,
}

/// Where the counters stand.
pub(crate) const COUNTERS: &str = "_System_AutoNumber";
/// Where approvals wait.
pub(crate) const WORK_ITEMS: &str = "_System_ApprovalWorkItem";
/// Where runs of multistep flows stand.
pub(crate) const INSTANCES: &str = "_System_FlowInstance";

/// The tables of the platform itself that actions write.
pub(crate) fn own_tables() -> Vec<TableSpec> {
    vec![
        table(&format!("{COUNTERS}: counter text!, current int!")),
        table(&format!(
            "{WORK_ITEMS}: object_api_name text, record_id text, process_id text, submitted_date time"
        )),
        table(&format!(
            "{INSTANCES}: flow_id text, record_id text, started_date time"
        )),
    ]
}

impl System {
    pub(crate) fn new(metadata: &Json, tables: &[TableSpec]) -> Self {
        let list = |key: &str| metadata[key].as_array().cloned().unwrap_or_default();
        Self {
            formulas: Formulas::new(),
            flows: list("flows")
                .iter()
                .filter(|flow| flow["status"] == "Active")
                .map(flow)
                .collect(),
            actions: list("actions")
                .into_iter()
                .map(|action| (text(&action, "id"), action))
                .collect(),
            numbers: list("autonumbers")
                .iter()
                .map(|row| (text(row, "object_api_name"), text(row, "field_api_name")))
                .collect(),
            tables: tables.iter().cloned().map(Rc::new).collect(),
        }
    }
}

fn flow(row: &Json) -> Flow {
    Flow {
        name: text(row, "name"),
        object: text(row, "trigger_object"),
        trigger: text(row, "trigger_type"),
        condition: text(row, "trigger_condition"),
        multistep: row["flow_type"] == "multistep",
        word: text(row, "action_type"),
        config: row["action_config"].clone(),
        steps: row["steps"].as_array().cloned().unwrap_or_default(),
    }
}

/// A string member; empty if it is missing.
pub(crate) fn text(row: &Json, key: &str) -> String {
    row[key].as_str().unwrap_or_default().to_owned()
}
