//! HOLD: a system with the proven duplicate, five blocked effects and a queue without record keys.

mod effects;
mod obligations;
mod tail;

use outbox_audit::model::consumer::*;
use outbox_audit::model::effect::*;
use outbox_audit::model::place::Place;
use outbox_audit::model::report::*;
use outbox_audit::model::text::TextFile;

use super::parts::*;

/// Flow metadata the places point into.
pub(crate) fn flows() -> TextFile {
    let text = r#"{"flows": [
  {
    "name": "Convert lead",
    "action_type": "CreateRecord",
    "action_config": {
      "target_object": "Opportunity",
      "field_mappings": {"lead_id": "{!record.id}", "amount": "{!record.amount}"}
    }
  },
  {"name": "Stamp owner", "action_type": "UpdateRecord",
   "action_config": {"field_mappings": {"captured_at": "{!NOW()}"}}},
  {"name": "Copy region", "action_config": {"field_mappings": {"region": "{!record.region}"}}},
  {"name": "Notify owner", "action_type": "SendEmail", "action_config": {"to": "{!record.owner_email}"}},
  {"name": "Push lead", "action_type": "CallWebhook",
	"action_config": {"url": "https://hooks.example.com/lead", "headers": {"Idempotency-Key": "{!record.id}"}}},
  {"name": "Count touches", "action_config": {"field_mappings": {"touches": "{!record.touches + 1}"}}},
  {"name": "Tell partner", "action_type": "CallWebhook"},
  {"name": "Approve discount", "flow_type": "multistep"},
  {"name": "Old capture", "status": "inactive"},
  {"name": "File contract", "action_type": "ArchiveRecord"}
]}
"#;
    TextFile::new("metadata/flows.json", text.to_owned())
}

fn lead(title: &str, place: Place) -> Consumer {
    consumer(title, "record.updated", "Lead", place)
}

pub(super) fn object(name: &str) -> Target {
    Target::Object(name.into())
}

/// The report.
pub(crate) fn hold() -> Report {
    let flows = flows();
    let mut report = blank();
    report.verdict = Verdict::Hold;
    report.exit_status = 1;
    let named = |title: &str| at(&flows, &format!("\"{title}\""), 0);
    for title in [
        "Approve discount",
        "Convert lead",
        "Copy region",
        "Count touches",
        "File contract",
        "Notify owner",
        "Old capture",
        "Push lead",
        "Stamp owner",
        "Tell partner",
    ] {
        report.consumers.push(lead(title, named(title)));
    }
    report.consumers[6].path = PathState::Off(OffPath {
        why: "its status is inactive".into(),
        place: at(&flows, "\"inactive\"", 0),
        awaits_write: false,
        slip: false,
    });
    effects::fill(&mut report, &flows);
    obligations::fill(&mut report, &flows);
    tail::fill(&mut report);
    report.files = vec![std::sync::Arc::new(flows)];
    report
}
