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

pub static UNGUARDED_CREATE: CheckInfo = check("unguarded-create", "C1", Weight::Gate, true);
pub static UNHANDLED_CONFLICT: CheckInfo = check("unhandled-conflict", "C2", Weight::Gate, true);
pub static BURNED_AUTONUMBER: CheckInfo = check("burned-autonumber", "C3", Weight::Gate, true);
pub static STATE_DEPENDENT_SET: CheckInfo = check("state-dependent-set", "S1", Weight::Gate, true);
pub static UNPROTECTED_EXTERNAL: CheckInfo =
    check("unprotected-external", "contract", Weight::Gate, true);
pub static CONSTANT_KEY: CheckInfo =
    check("constant-idempotency-key", "contract", Weight::Gate, true);
pub static NULL_RECORD_KEY: CheckInfo = check("null-record-key", "queue", Weight::Gate, false);
pub static AMBIGUOUS_ORDER: CheckInfo = check("ambiguous-order", "queue", Weight::Gate, false);
pub static NON_ATOMIC_CLAIM: CheckInfo = check("non-atomic-claim", "queue", Weight::Gate, false);
pub static LOST_SAVEPOINT: CheckInfo = check("lost-savepoint", "queue", Weight::Gate, false);
pub static UNTESTED: CheckInfo = check("untested-redelivery", "tests", Weight::Gate, false);
pub static UNMAPPED: CheckInfo = check("unmapped-action", "map", Weight::Gate, true);
pub static GUARD_LAPSES: CheckInfo = check("guard-lapses", "C5", Weight::Advisory, true);
pub static ALWAYS_FAILS: CheckInfo = check("always-fails", "S1", Weight::Advisory, true);
