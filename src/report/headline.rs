//! The words of the first line: the verdict, what it rests on, and how much of it is waived.

use crate::model::report::{ConditionState, Report, Verdict};

use super::words::many;

/// What the flag's answer rests on, in one sentence without the verdict's word.
pub(crate) fn conditions(report: &Report) -> String {
    let all = report.gate.len();
    let count = |state| report.gate.iter().filter(|one| one.state == state).count();
    let (not_met, not_shown) = (
        count(ConditionState::NotMet),
        count(ConditionState::NotShown),
    );
    let waived = report.waived();
    match (report.verdict, not_met, not_shown) {
        _ if all == 0 => "no condition was asked".to_owned(),
        (Verdict::Go, 0, 0) if waived > 0 => {
            format!("every condition is shown, but for what is waived ({all} of {all})")
        }
        (Verdict::Go, 0, 0) => format!("every condition is shown ({all} of {all})"),
        (_, 0, open) if waived > 0 => {
            format!("all that is shown unsafe is waived; {open} of {all} conditions not shown")
        }
        (_, 0, open) => format!("nothing is shown unsafe; {open} of {all} conditions not shown"),
        (_, failed, 0) => format!("{failed} of {all} conditions not met"),
        (_, failed, open) => {
            format!("{failed} of {all} conditions not met, {open} not shown")
        }
    }
}

/// `with 3 findings waived`; none where nothing is.
pub(crate) fn waived(report: &Report) -> Option<String> {
    match report.waived() {
        0 => None,
        count => Some(format!("with {} waived", many(count, "finding"))),
    }
}

/// The verdict in a headline: `GO`, or `GO, with 3 findings waived`.
pub(crate) fn verdict(report: &Report) -> String {
    let word = report.verdict.word();
    match waived(report) {
        Some(waived) => format!("{word}, {waived}"),
        None => word.to_owned(),
    }
}

/// What a verdict says of the flag, in one sentence.
pub(crate) fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Go => {
            "Every condition is shown by evidence that was read in this run: the flag may flip."
        }
        Verdict::Hold => "Something on the path is shown unsafe: the flag must not flip.",
        Verdict::Unproven => {
            "Nothing is shown unsafe, but something is not shown safe: the flag must not flip yet."
        }
    }
}
