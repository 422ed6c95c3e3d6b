//! Checks the samples speak of; their ids and clauses are those of the audit.

use outbox_audit::model::check::{CheckInfo, Weight};

const fn check(
    id: &'static str,
    clause: &'static str,
    weight: Weight,
    decides_effect: bool,
) -> CheckInfo {
    CheckInfo {
        id,
        clause,
        title: "a sample",
        weight,
        decides_effect,
        page: "",
    }
}

pub(crate) static UNGUARDED_CREATE: CheckInfo = check("unguarded-create", "C1", Weight::Gate, true);
pub(crate) static UNHANDLED_CONFLICT: CheckInfo =
    check("unhandled-conflict", "C2", Weight::Gate, true);
pub(crate) static BURNED_AUTONUMBER: CheckInfo =
    check("burned-autonumber", "C3", Weight::Gate, true);
pub(crate) static STATE_DEPENDENT_SET: CheckInfo =
    check("state-dependent-set", "S1", Weight::Gate, true);
pub(crate) static UNPROTECTED_EXTERNAL: CheckInfo =
    check("unprotected-external", "contract", Weight::Gate, true);
pub(crate) static CONSTANT_KEY: CheckInfo =
    check("constant-idempotency-key", "contract", Weight::Gate, true);
pub(crate) static NULL_RECORD_KEY: CheckInfo =
    check("null-record-key", "queue", Weight::Gate, false);
pub(crate) static AMBIGUOUS_ORDER: CheckInfo =
    check("ambiguous-order", "queue", Weight::Gate, false);
pub(crate) static NON_ATOMIC_CLAIM: CheckInfo =
    check("non-atomic-claim", "queue", Weight::Gate, false);
pub(crate) static LOST_SAVEPOINT: CheckInfo = check("lost-savepoint", "queue", Weight::Gate, false);
pub(crate) static UNTESTED: CheckInfo = check("untested-redelivery", "tests", Weight::Gate, false);
pub(crate) static UNMAPPED: CheckInfo = check("unmapped-action", "map", Weight::Gate, true);
pub(crate) static GUARD_LAPSES: CheckInfo = check("guard-lapses", "C5", Weight::Advisory, true);
pub(crate) static ALWAYS_FAILS: CheckInfo = check("always-fails", "S1", Weight::Advisory, true);
