//! What blocks and what does not: waivers, scope, effects blocked or unknown without a finding.

use outbox_audit::model::check::{Outcome, Subject};
use outbox_audit::model::report::{ConditionState, Disposition, Report, Verdict, WaiverState};

use crate::markdown::markdown;
use crate::read_back::read_back;
use crate::samples::hold::hold;
use crate::samples::parts::waiver;
use crate::terminal::terminal;

fn row_of<'r>(
    report: &'r mut Report,
    consumer: &str,
) -> &'r mut outbox_audit::model::report::EffectRow {
    let id = format!("flow:{consumer}");
    let mut rows = report.effects.iter_mut();
    rows.find(|row| *row.facts.effect.consumer.0 == *id)
        .unwrap()
}

/// Waives the mail, in the given state.
fn waived(state: WaiverState) -> Report {
    let mut report = hold();
    let subject = "flow:Notify owner/action/SendEmail:mail";
    report.waivers = vec![waiver("unprotected-external", subject, state, 3)];
    let mut obligations = report.obligations.iter_mut();
    let mail = obligations.find(|one| one.subject.to_string() == subject);
    mail.unwrap().waiver = Some(0);
    row_of(&mut report, "Notify owner").waived = state == WaiverState::Applied;
    report
}

#[test]
fn a_waived_effect_is_counted_and_blocks_nothing() {
    let report = waived(WaiverState::Applied);
    let page = terminal(&report, false);
    assert!(page.contains("5 blocked (1 waived)"));
    assert!(!page.contains("error[unprotected-external]"));
    assert!(page.contains("applied   unprotected-external of flow:Notify owner"));
    let page = read_back(&markdown(&report));
    assert_eq!(page.rows("Blockers").len(), 5);
    assert!(
        page.rows("Accepted duplicates and waivers")
            .iter()
            .any(|row| row[1] == "applied")
    );
}

#[test]
fn a_go_with_waivers_names_their_number() {
    let mut report = waived(WaiverState::Applied);
    report.verdict = Verdict::Go;
    for condition in &mut report.gate {
        condition.state = ConditionState::Met;
    }
    for page in [terminal(&report, false), markdown(&report)] {
        assert!(page.contains("GO, with 1 finding waived"), "{page}");
        assert!(page.contains("but for what is waived"), "{page}");
    }
}

#[test]
fn a_waiver_that_does_not_apply_changes_nothing() {
    for state in [
        WaiverState::Expired,
        WaiverState::Ignored,
        WaiverState::Refused,
    ] {
        let report = waived(state);
        assert!(terminal(&report, false).contains("error[unprotected-external]"));
        assert_eq!(read_back(&markdown(&report)).rows("Blockers").len(), 6);
    }
}

#[test]
fn findings_on_deferred_effects_are_shown_and_block_nothing() {
    let report = hold();
    let folded = terminal(&report, false);
    assert!(folded.contains("1 finding on effects that are deferred, accepted or off the path"));
    let unfolded = terminal(&report, true);
    // Where a line breaks does not matter here.
    let unfolded = unfolded.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(unfolded.contains("a second delivery creates a second _System_ApprovalWorkItem"));
    let page = read_back(&markdown(&report));
    assert!(
        page.rows("Blockers")
            .iter()
            .all(|row| !row[1].contains("Approve discount"))
    );
    assert_eq!(page.rows("Outside the gate's scope").len(), 1);
}

#[test]
fn an_effect_blocked_by_what_hangs_on_it_has_its_row_and_its_reason() {
    let mut report = hold();
    let row = row_of(&mut report, "Copy region");
    row.disposition = Disposition::Blocked;
    row.reason = "the flow Before save, which runs inside its write, is blocked".to_owned();
    let page = terminal(&report, false);
    let reason = "error: Copy region → set Lead.region: the flow Before save, which runs inside";
    assert!(page.contains(reason), "{page}");
    let text = markdown(&report);
    assert!(text.contains("1 effect blocked without a finding of its own"));
    let page = read_back(&text);
    assert!(
        page.rows("Blockers")
            .iter()
            .any(|row| row[1] == "Copy region → set Lead.region")
    );
    assert!(
        page.text
            .contains("the flow Before save, which runs inside its write, is blocked")
    );
}

#[test]
fn nothing_unknown_goes_unsaid() {
    let mut report = hold();
    report.obligations.retain(|one| {
        !matches!(one.outcome, Outcome::Unknown(_)) || matches!(one.subject, Subject::Queue)
    });
    let sentence = "the action type ArchiveRecord stands in no rule";
    assert!(terminal(&report, false).contains("unknown: File contract → unmapped action on"));
    assert!(terminal(&report, false).contains("stands in no rule"));
    assert!(read_back(&markdown(&report)).text.contains(sentence));
}
