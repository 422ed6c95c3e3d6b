//! What people have accepted: duplicates that a contract declares, and waivers.

use crate::model::report::{EffectRow, Report, WaiverState};
use crate::model::scope::ContractKind;

use super::words::{many, waiver};

/// The heading of what people accepted, with how often.
pub(crate) fn heading(report: &Report, duplicates: usize) -> String {
    let of = |state: WaiverState| {
        let rows = report.waivers.iter();
        (rows.filter(|row| row.state == state).count(), state)
    };
    let states = [
        WaiverState::Applied,
        WaiverState::Expired,
        WaiverState::Unused,
        WaiverState::Refused,
        WaiverState::Ignored,
    ];
    let mut parts = Vec::new();
    if duplicates > 0 {
        parts.push(many(duplicates, "duplicate"));
    }
    let waivers = states.map(of).into_iter().filter(|(count, _)| *count > 0);
    parts.extend(
        waivers.map(|(count, state)| format!("{} {}", many(count, "waiver"), waiver(state))),
    );
    format!("Accepted by people: {}", parts.join(", "))
}

/// Who accepts the duplicate of an effect, where that is named, and why.
pub(crate) fn by(row: &EffectRow) -> (Option<&str>, &str) {
    let contract = row.facts.contract.as_ref().map(|judged| &judged.contract);
    let contract = contract.filter(|one| one.kind == ContractKind::AcceptedDuplicate);
    let owner = contract.and_then(|one| one.owner.as_deref());
    let reason = contract.and_then(|one| one.reason.as_deref());
    (owner, reason.unwrap_or(&row.reason))
}
