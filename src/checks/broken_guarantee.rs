//! What a guarantee asks of code, schema and rows holds.

use crate::model::check::{Change, CheckInfo, Obligation, Weight};
use crate::model::facts::Facts;

use super::guarantees::{about, outcome};

/// What stands about it.
pub(super) const INFO: CheckInfo = CheckInfo {
    id: "broken-guarantee",
    clause: "guarantee",
    title: "a guarantee that code, schema or rows do not keep",
    weight: Weight::Gate,
    decides_effect: false,
    page: include_str!("broken_guarantee.md"),
};

/// Decides it for each check of each guarantee.
pub(super) fn run(facts: &Facts, out: &mut Vec<Obligation>) {
    for judged in &facts.guarantees {
        for kind in &judged.kinds {
            let subject = format!("{}/{}", judged.guarantee.id, kind.word);
            let repair = Change {
                key: format!("guarantee:{subject}"),
                title: kind.repair.clone(),
                how: None,
            };
            let outcome = outcome(&kind.parts, "the guarantee is not kept", repair);
            out.push(about(subject, &INFO, outcome));
        }
    }
}
