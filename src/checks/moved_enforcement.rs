//! The code, migrations and indexes that enforce a guarantee are where it says.

use crate::model::check::{Change, CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;

use super::guarantees::{about, outcome};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "moved-enforcement",
    clause: "guarantee",
    title: "a guarantee whose enforcement is not where it says",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("moved_enforcement.md"),
};

/// Decides it for every guarantee that names what enforces it.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for judged in &facts.guarantees {
        if judged.enforced.is_empty() {
            continue;
        }
        let id = &judged.guarantee.id;
        let repair = Change {
            key: format!("guarantee:{id}:enforced"),
            title: format!("bring back what enforces `{id}`, or name where it has gone"),
            how: None,
        };
        let outcome = outcome(&judged.enforced, "its enforcement is not there", repair);
        out.push(about(id.to_string(), &INFO, outcome));
    }
}
