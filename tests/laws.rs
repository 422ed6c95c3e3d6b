//! Laws of the verdict, held over variants of the bundled systems: what makes a system less safe
//! never improves its verdict, what is declared about it never worsens it, and how its files are
//! written changes nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use outbox_audit::input::gather::Sources;
use outbox_audit::model::place::Place;
use outbox_audit::model::report::{FailOn, Report, Stage, Verdict, WaiverState};
use outbox_audit::model::scope::{Declarations, Declared, Waiver};
use outbox_audit::rules::PackError;
use outbox_audit::{AuditRequest, audit};
use proptest::prelude::*;
use serde_json::{Value, json};

fn bundled(system: &str) -> Value {
    let path = format!("fixtures/whole/{system}/metadata/flows.json");
    let text = fs::read_to_string(path).expect("the bundled metadata");
    serde_json::from_str(&text).expect("it is JSON")
}

/// Audits metadata beside the bundled declared schema.
fn audited(system: &str, metadata: &str, waivers: Vec<Waiver>) -> Report {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("flows.json"), metadata).expect("written");
    let tables = Path::new("fixtures/whole")
        .join(system)
        .join("system_tables.json");
    let request = AuditRequest {
        begins: |_| {},
        sources: Sources {
            root: folder.path().to_owned(),
            flows: vec![folder.path().join("flows.json")],
            schema: vec![tables],
            ..Sources::default()
        },
        declarations: Declarations {
            waivers,
            ..Declarations::default()
        },
        outbox_table: None,
        outbox_columns: Default::default(),
        outbox_states: Default::default(),
        outbox_cutoffs: Default::default(),
        outbox_sample: None,
        outbox_stream: false,
        packs: vec!["nexuscrm".to_owned()],
        rules: Vec::new(),
        configuration: None,
        subject: "laws".into(),
        stage: Stage::PreFlip,
        fail_on: FailOn::Unproven,
        as_of: "2026-01-01".to_owned(),
        no_waivers: false,
    };
    audit::<PackError>(request, |_| Ok(())).expect("the pack loads")
}

/// (subject, check, outcome) of the whole matrix.
fn matrix(report: &Report) -> BTreeSet<(String, &'static str, &'static str)> {
    report
        .obligations
        .iter()
        .map(|each| (each.subject.to_string(), each.check.id, each.outcome.word()))
        .collect()
}

/// How good a verdict is.
fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Hold => 0,
        Verdict::Unproven => 1,
        Verdict::Go => 2,
    }
}

/// Findings that hold the flag.
fn holding(report: &Report) -> Vec<(String, String)> {
    report
        .obligations
        .iter()
        .filter(|each| each.holds_the_flag())
        .map(|each| (each.check.id.to_owned(), each.subject.to_string()))
        .collect()
}

fn waiver(check: &str, subject: &str) -> Waiver {
    let declared = |text: &str| Declared {
        value: text.into(),
        place: Place::CommandLine,
    };
    Waiver {
        check: declared(check),
        subject: declared(subject),
        reason: Arc::from("a law"),
        owner: Arc::from("nobody"),
        expires: Arc::from("2030-01-01"),
    }
}

fn flows(metadata: &mut Value) -> &mut Vec<Value> {
    metadata["flows"].as_array_mut().expect("flows")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// The order of flows, actions and fields, and white space, change nothing.
    #[test]
    fn how_the_file_is_written_changes_nothing(seed in any::<u64>(), compact in any::<bool>()) {
        let metadata = bundled("nexuscrm");
        let plain = audited("nexuscrm", &metadata.to_string(), Vec::new());
        let mut shuffled = metadata.clone();
        let mut state = seed | 1;
        for key in ["flows", "actions", "fields", "objects"] {
            if let Some(list) = shuffled.get_mut(key).and_then(Value::as_array_mut) {
                for at in (1..list.len()).rev() {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    list.swap(at, (state % (at as u64 + 1)) as usize);
                }
            }
        }
        let text = if compact {
            shuffled.to_string()
        } else {
            format!("\n\n{}\n", serde_json::to_string_pretty(&shuffled).expect("prints"))
        };
        let again = audited("nexuscrm", &text, Vec::new());
        prop_assert_eq!(plain.verdict, again.verdict);
        prop_assert_eq!(matrix(&plain), matrix(&again));
    }

    /// One more create that nothing protects never makes the verdict better, and takes nothing
    /// away from what held the flag before.
    #[test]
    fn an_unguarded_create_never_improves(repaired in any::<bool>(), drop in 0usize..39, object in 0usize..4) {
        let system = if repaired { "nexuscrm-repaired" } else { "nexuscrm" };
        let mut metadata = bundled(system);
        flows(&mut metadata).remove(drop);
        let before = audited(system, &metadata.to_string(), Vec::new());
        let target = ["_System_AuditLog", "_System_Notification", "_System_RecordShare", "_System_FlowInstance"][object];
        flows(&mut metadata).push(json!({
            "id": "law", "name": "A law", "status": "Active", "flow_type": "simple",
            "trigger_object": "Lead", "trigger_type": "afterCreate", "action_type": "CreateRecord",
            "action_config": {"target_object": target, "field_mappings": {"note": "{!record.id}"}}
        }));
        let after = audited(system, &metadata.to_string(), Vec::new());
        prop_assert!(rank(after.verdict) <= rank(before.verdict));
        let now: BTreeSet<_> = holding(&after).into_iter().collect();
        for finding in holding(&before) {
            prop_assert!(now.contains(&finding), "{finding:?} is gone");
        }
        prop_assert!(now.iter().any(|(_, subject)| subject.starts_with("flow:A law/")) || after.verdict != Verdict::Go);
    }

    /// A waiver never makes the verdict worse; one that fits nothing is a note and changes nothing.
    #[test]
    fn a_waiver_never_worsens(pick in any::<prop::sample::Index>(), fits in any::<bool>()) {
        let metadata = bundled("nexuscrm").to_string();
        let before = audited("nexuscrm", &metadata, Vec::new());
        let held = holding(&before);
        let (check, subject) = held.get(pick.index(held.len())).expect("something holds the flag");
        let subject = if fits { subject.clone() } else { format!("{subject}-other") };
        let after = audited("nexuscrm", &metadata, vec![waiver(check, &subject)]);
        prop_assert!(rank(after.verdict) >= rank(before.verdict));
        prop_assert_eq!(matrix(&before), matrix(&after));
        let wanted = if fits { WaiverState::Applied } else { WaiverState::Unused };
        prop_assert_eq!(after.waivers.first().map(|row| row.state), Some(wanted));
        let waived = after.obligations.iter().filter(|each| each.waiver.is_some()).count();
        prop_assert_eq!(waived, usize::from(fits));
    }
}

/// Waiving every finding leaves what was not shown: never GO.
#[test]
fn waivers_alone_never_give_go() {
    let metadata = bundled("nexuscrm").to_string();
    let before = audited("nexuscrm", &metadata, Vec::new());
    assert_eq!(before.verdict, Verdict::Hold);
    let all = holding(&before)
        .iter()
        .map(|(check, subject)| waiver(check, subject))
        .collect();
    let after = audited("nexuscrm", &metadata, all);
    assert_eq!(after.verdict, Verdict::Unproven);
    assert_eq!(after.exit_status, 3);
}
