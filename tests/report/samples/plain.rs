//! The other answers: UNPROVEN, GO, and a run that was given nothing.

use outbox_audit::model::check::{Outcome, Subject};
use outbox_audit::model::evidence::{InputKind, Why};
use outbox_audit::model::report::*;

use super::checks::*;
use super::hold::hold;
use super::parts::*;

/// UNPROVEN: everything read is safe, and the source was not read.
pub(crate) fn unproven() -> Report {
    let mut report = hold();
    report.verdict = Verdict::Unproven;
    report.exit_status = 3;
    report.obligations.retain(|one| {
        matches!(one.outcome, Outcome::Met(_))
            || (matches!(one.outcome, Outcome::Unknown(_)) && one.check.id != UNMAPPED.id)
    });
    for row in &mut report.effects {
        if matches!(row.disposition, Disposition::Blocked | Disposition::Unknown) {
            row.disposition = Disposition::Safe;
            row.reason = "guarded".to_owned();
            row.proof = Some("C1, C2: uq_opportunity_lead, found before it is inserted".to_owned());
            row.facts.further = Default::default();
            row.required_action = None;
        }
        row.obligations.clear();
    }
    for condition in &mut report.gate {
        let met = matches!(&*condition.id, "natural-key" | "consumers");
        condition.state = if met {
            ConditionState::Met
        } else {
            ConditionState::NotShown
        };
        condition.why = if met {
            "8 effects are safe"
        } else {
            "no source was given"
        }
        .to_owned();
    }
    report.changes.truncate(0);
    report.changes.push(ChangeToGo {
        change: change(
            "source",
            "give the source of the queue",
            Some("outbox-audit check --source PATH"),
        ),
        meets: Vec::new(),
        conditions: vec![1, 2],
    });
    report.waivers.clear();
    report
}

/// GO: every condition is shown.
pub(crate) fn go() -> Report {
    let mut report = unproven();
    report.verdict = Verdict::Go;
    report.exit_status = 0;
    report
        .obligations
        .retain(|one| matches!(one.outcome, Outcome::Met(_)));
    for condition in &mut report.gate {
        condition.state = ConditionState::Met;
        condition.why = "shown by source and tests".to_owned();
    }
    report.changes.clear();
    report.inputs.retain(|state| state.unknown.is_empty());
    report
}

/// UNPROVEN: an empty directory.
pub(crate) fn empty() -> Report {
    let mut report = blank();
    report.flag = None;
    report.subject = ".".into();
    report.packs = vec!["default".into()];
    report.tree = TreeState::None;
    let nothing = reason(
        Why::NotGiven,
        InputKind::Flows,
        "no flow metadata was found under .",
        "name a directory that holds some, or give --flows PATH",
    );
    report.inputs = vec![
        unread(InputKind::Flows, nothing.clone()),
        unread(
            InputKind::Schema,
            reason(
                Why::NotGiven,
                InputKind::Schema,
                "no schema was found",
                "give --schema PATH",
            ),
        ),
    ];
    report.gate = vec![condition(
        "map",
        "consumer map",
        ConditionState::NotShown,
        "nothing was read",
        &[&UNMAPPED],
    )];
    report.obligations = vec![unknown(Subject::System, &UNMAPPED, nothing)];
    report.changes = vec![ChangeToGo {
        change: change("flows", "give the flow metadata", None),
        meets: Vec::new(),
        conditions: vec![1],
    }];
    report
}
