//! Its matrix: findings, gaps, proofs, and the way to GO.

use crate::samples::checks::*;
use crate::samples::parts::*;
use outbox_audit::model::check::*;
use outbox_audit::model::evidence::*;
use outbox_audit::model::place::Place;
use outbox_audit::model::report::*;
use outbox_audit::model::text::TextFile;

fn subject(report: &Report, consumer: &str) -> Subject {
    let id = format!("flow:{consumer}");
    let row = report
        .effects
        .iter()
        .find(|row| *row.facts.effect.consumer.0 == *id);
    Subject::Effect(row.unwrap().facts.effect.id.clone())
}

pub(super) fn fill(report: &mut Report, flows: &TextFile) {
    let catalog = evidence(
        InputKind::Database,
        ObservedBy::Catalog,
        Place::Object {
            connection: "sqlite".into(),
            object: "uq_opportunity_number".into(),
        },
        "uq_opportunity_number is UNIQUE on (number)",
    );
    let written = evidence(
        InputKind::Flows,
        ObservedBy::Text,
        at(flows, "\"lead_id\"", 0),
        "lead_id is set from record.id",
    );
    let index = change(
        "unique Opportunity(lead_id)",
        "add UNIQUE (lead_id) on Opportunity",
        Some("CREATE UNIQUE INDEX uq_opportunity_lead ON Opportunity (lead_id);"),
    );
    let find = change(
        "find-or-create Opportunity",
        "let the flow find or create on lead_id, before the autonumber",
        None,
    );
    let mut create = finding(
        "a second delivery creates a second Opportunity",
        "no UNIQUE index is fixed by this flow",
        at(flows, "\"Opportunity\"", 0),
    );
    create.further_delivery = Some(FurtherDelivery::Duplicate);
    create.notes = vec![
        "fixed by the snapshot: lead_id, amount, name".into(),
        "not a guard: uq_opportunity_number (number is drawn anew each time)".into(),
    ];
    create.interleaving = vec![
        Step {
            actor: "A",
            does: "claims e1, inserts (lead_id L7, OPP-0042), stalls".into(),
        },
        Step {
            actor: "B",
            does: "takes e1 over, inserts (lead_id L7, OPP-0043)".into(),
        },
    ];
    create.repairs = vec![vec![index.clone(), find.clone()]];
    create.evidence = vec![written.clone(), catalog.clone()];
    let mut conflict = finding(
        "the insert into Opportunity handles no conflict, and its error is swallowed",
        "a plain insert",
        at(flows, "\"CreateRecord\"", 0),
    );
    conflict.repairs = vec![vec![index.clone(), find]];
    let mut number = finding(
        "each delivery spends a number of Opportunity.number before it inserts",
        "draws OPP-…",
        at(flows, "\"CreateRecord\"", 0),
    );
    number.repairs = vec![vec![change(
        "autonumber Opportunity",
        "draw the number only after the lookup found nothing",
        None,
    )]];
    let mut clock = finding(
        "captured_at is set from the clock, so a second delivery writes another time",
        "differs on every delivery",
        at(flows, "NOW()", 0),
    );
    clock.repairs = vec![
        vec![change(
            "snapshot Lead.captured_at",
            "set captured_at from {!record.modified_at}, which the event carries",
            None,
        )],
        vec![change(
            "off Stamp owner",
            "keep the flow off the path",
            None,
        )],
    ];
    let mut lapse = finding(
        "an increment of touches enqueues record.updated, which runs the same flow again",
        "",
        at(flows, "record.touches + 1", 0),
    );
    lapse.interleaving = vec![
        Step {
            actor: "A",
            does: "sets touches 4 → 5, which enqueues e2".into(),
        },
        Step {
            actor: "A",
            does: "takes e2, sets touches 5 → 6, which enqueues e3, and so on".into(),
        },
    ];
    let mail = finding(
        "a second delivery sends a second mail, and no contract protects it",
        "no key, no ledger",
        at(flows, "\"SendEmail\"", 0),
    );
    let push = finding(
        "the header Idempotency-Key is sent as written, one key for every call: the provider swallows all but the first",
        "no formula is evaluated inside headers",
        at(flows, "\"{!record.id}\"", 1),
    );
    let mut keys = finding(
        "_System_OutboxEvent has no RecordKey column, so events of one record run beside each other",
        "",
        Place::Object {
            connection: "sqlite".into(),
            object: "_System_OutboxEvent".into(),
        },
    );
    keys.repairs = vec![vec![change(
        "record key",
        "add RecordKey, write it at enqueue, backfill 1,204 rows",
        Some("outbox-audit backfill"),
    )]];
    let mut lapses = finding(
        "the guard of Opportunity lapses when the row is soft-deleted",
        "",
        at(flows, "\"Opportunity\"", 0),
    );
    lapses.severity = Severity::Warning;
    lapses.repairs = vec![vec![change(
        "horizon",
        "declare horizon: 7d and keep deleted rows that long",
        None,
    )]];
    let mut fails = finding(
        "record.typo is a field that Lead does not have",
        "",
        at(flows, "\"Old capture\"", 0),
    );
    fails.severity = Severity::Note;
    let deferred = finding(
        "a second delivery creates a second _System_ApprovalWorkItem",
        "",
        at(flows, "\"Approve discount\"", 0),
    );
    let no_source = reason(
        Why::NotGiven,
        InputKind::Source,
        "the queue's source was not given",
        "give --source PATH",
    );
    let no_tests = reason(
        Why::NotGiven,
        InputKind::Tests,
        "no test results were given",
        "give --tests PATH with JUnit XML or go test -json",
    );
    let unmapped = Reason {
        why: Why::NotMapped,
        needs: None,
        sentence: "the action type ArchiveRecord stands in no rule".into(),
        place: Some(at(flows, "\"ArchiveRecord\"", 0)),
        next_step: "add a rule for it with --rules, or correct the word".into(),
    };
    let effect = |title: &str| subject(report, title);
    let mut rows = vec![
        not_met(effect("Approve discount"), &UNGUARDED_CREATE, deferred),
        not_met(effect("Convert lead"), &BURNED_AUTONUMBER, number),
        not_met(effect("Convert lead"), &GUARD_LAPSES, lapses),
        not_met(effect("Convert lead"), &UNGUARDED_CREATE, create),
        not_met(effect("Convert lead"), &UNHANDLED_CONFLICT, conflict),
        unknown(effect("Convert lead"), &UNTESTED, no_tests.clone()),
        met(
            effect("Copy region"),
            &STATE_DEPENDENT_SET,
            "every value comes from the snapshot",
            &written,
        ),
        unknown(effect("Copy region"), &UNTESTED, no_tests.clone()),
        not_met(effect("Count touches"), &STATE_DEPENDENT_SET, lapse),
        unknown(
            effect("File contract"),
            &UNMAPPED,
            std::sync::Arc::new(unmapped),
        ),
        not_met(effect("Notify owner"), &UNPROTECTED_EXTERNAL, mail),
        not_met(effect("Old capture"), &ALWAYS_FAILS, fails),
        not_met(effect("Push lead"), &CONSTANT_KEY, push),
        not_met(effect("Stamp owner"), &STATE_DEPENDENT_SET, clock),
        unknown(effect("Stamp owner"), &UNTESTED, no_tests),
        unknown(Subject::Queue, &LOST_SAVEPOINT, no_source.clone()),
        unknown(Subject::Queue, &NON_ATOMIC_CLAIM, no_source),
        not_met(Subject::Queue, &NULL_RECORD_KEY, keys),
        Obligation {
            subject: Subject::Backlog,
            check: &AMBIGUOUS_ORDER,
            outcome: Outcome::NotApplicable("no row waits"),
            waiver: None,
        },
    ];
    for (at, row) in rows.iter().enumerate() {
        if let Subject::Effect(id) = &row.subject {
            let effect = report
                .effects
                .iter_mut()
                .find(|effect| effect.facts.effect.id == *id);
            effect.unwrap().obligations.push(at);
        }
    }
    report.evidence = vec![written, catalog];
    report.evidence.sort();
    report.changes = vec![
        ChangeToGo {
            change: index,
            meets: vec![3, 4],
            conditions: vec![3],
        },
        ChangeToGo {
            change: change(
                "record key",
                "add RecordKey, write it at enqueue, backfill 1,204 rows",
                Some("outbox-audit backfill"),
            ),
            meets: vec![17],
            conditions: vec![1],
        },
        ChangeToGo {
            change: change(
                "contract Notify owner",
                "declare a contract for the mail of Notify owner",
                Some("contracts:\n  - consumer: Notify owner\n    kind: dedup-table"),
            ),
            meets: vec![10],
            conditions: vec![5],
        },
        ChangeToGo {
            change: change(
                "source",
                "give the source of the queue",
                Some("outbox-audit check --source PATH"),
            ),
            meets: vec![15, 16],
            conditions: vec![1, 2],
        },
    ];
    report.obligations.append(&mut rows);
}
