//! Its gate, inputs, deferred inventory, residuals and waivers.

use crate::samples::checks::*;
use crate::samples::parts::*;
use outbox_audit::model::evidence::*;
use outbox_audit::model::facts::*;
use outbox_audit::model::report::*;

pub(super) fn fill(report: &mut Report) {
    report.gate = vec![
        condition(
            "pull-workers",
            "pull workers with record key",
            ConditionState::NotMet,
            "no RecordKey column",
            &[&NULL_RECORD_KEY, &NON_ATOMIC_CLAIM, &AMBIGUOUS_ORDER],
        ),
        condition(
            "savepoint",
            "savepoint-backed retry bookkeeping",
            ConditionState::NotShown,
            "no source was given",
            &[&LOST_SAVEPOINT],
        ),
        condition(
            "natural-key",
            "natural-key uniqueness",
            ConditionState::NotMet,
            "1 create unguarded",
            &[&UNGUARDED_CREATE, &UNHANDLED_CONFLICT, &BURNED_AUTONUMBER],
        ),
        condition(
            "tests",
            "redelivery tests",
            ConditionState::NotShown,
            "no test results were given",
            &[&UNTESTED],
        ),
        condition(
            "consumers",
            "external consumers protected",
            ConditionState::NotMet,
            "4 consumers are unprotected, and 1 is unknown",
            &[
                &UNPROTECTED_EXTERNAL,
                &CONSTANT_KEY,
                &STATE_DEPENDENT_SET,
                &UNMAPPED,
            ],
        ),
    ];
    report.inputs = vec![
        read(
            InputKind::Configuration,
            &[(
                "outbox-audit.yaml",
                Some("77aa00ff12345678"),
                "configuration",
            )],
        ),
        read(
            InputKind::Flows,
            &[(
                "metadata/flows.json",
                Some("0123456789abcdef"),
                "10 flows, 10 effects",
            )],
        ),
        read(
            InputKind::Schema,
            &[("system_tables.json", Some("fedcba9876543210"), "61 tables")],
        ),
        unread(
            InputKind::Database,
            reason(
                Why::NotReadable,
                InputKind::Database,
                "the database could not be read (connection refused at db.internal:3306 as auditor)",
                "run `outbox-audit queries` for the SQL, and give its answers with --answers",
            ),
        ),
        unread(
            InputKind::Source,
            reason(
                Why::NotGiven,
                InputKind::Source,
                "no source was given",
                "give --source PATH",
            ),
        ),
        unread(
            InputKind::Tests,
            reason(
                Why::NotGiven,
                InputKind::Tests,
                "no test results were given",
                "give --tests PATH",
            ),
        ),
    ];
    report.deferred = vec![
        DeferredFamily {
            title: "General email, webhook and provider ledger".into(),
            why: "not part of the queue repair".into(),
            on_path: vec!["flow:Notify owner".into(), "flow:Push lead".into()],
            unknown: false,
        },
        DeferredFamily {
            title: "Generic handler timeout".into(),
            why: "not needed for the lock wait of the incident".into(),
            on_path: Vec::new(),
            unknown: true,
        },
        DeferredFamily {
            title: "Lanes and fairness".into(),
            why: "operations hardening".into(),
            on_path: Vec::new(),
            unknown: false,
        },
    ];
    report.residuals = vec![
        "a stale worker that wakes after its claim was taken over may still write".to_owned(),
        "every formula also depends on today's permissions and on the flow as it stands at delivery".to_owned(),
    ];
    report.waivers = vec![
        waiver(
            "untested-redelivery",
            "flow:Old capture/action/UpdateRecord:Lead",
            WaiverState::Unused,
            3,
        ),
        waiver(
            "unprotected-external",
            "flow:Notify owner/action/SendEmail:mail",
            WaiverState::Expired,
            9,
        ),
    ];
}
