//! HOLD: a system with the proven duplicate, five blocked effects and a queue without record keys.

use outbox_audit::model::check::*;
use outbox_audit::model::consumer::*;
use outbox_audit::model::effect::*;
use outbox_audit::model::evidence::*;
use outbox_audit::model::facts::*;
use outbox_audit::model::place::Place;
use outbox_audit::model::report::*;
use outbox_audit::model::scope::{Contract, ContractKind, Declared};
use outbox_audit::model::text::TextFile;
use outbox_audit::model::value::ValueSource;

use super::checks::*;
use super::parts::*;

/// Flow metadata the places point into.
pub fn flows() -> TextFile {
    let text = r#"{"flows": [
  {
    "name": "Convert lead",
    "action_type": "CreateRecord",
    "action_config": {
      "target_object": "Opportunity",
      "field_mappings": {"lead_id": "{!record.id}", "amount": "{!record.amount}"}
    }
  },
  {"name": "Stamp owner", "action_type": "UpdateRecord",
   "action_config": {"field_mappings": {"captured_at": "{!NOW()}"}}},
  {"name": "Copy region", "action_config": {"field_mappings": {"region": "{!record.region}"}}},
  {"name": "Notify owner", "action_type": "SendEmail", "action_config": {"to": "{!record.owner_email}"}},
  {"name": "Push lead", "action_type": "CallWebhook",
	"action_config": {"url": "https://hooks.example.com/lead", "headers": {"Idempotency-Key": "{!record.id}"}}},
  {"name": "Count touches", "action_config": {"field_mappings": {"touches": "{!record.touches + 1}"}}},
  {"name": "Tell partner", "action_type": "CallWebhook"},
  {"name": "Approve discount", "flow_type": "multistep"},
  {"name": "Old capture", "status": "inactive"},
  {"name": "File contract", "action_type": "ArchiveRecord"}
]}
"#;
    TextFile::new("metadata/flows.json", text.to_owned())
}

fn lead(title: &str, place: Place) -> Consumer {
    consumer(title, "record.updated", "Lead", place)
}

fn object(name: &str) -> Target {
    Target::Object(name.into())
}

/// The report.
pub fn hold() -> Report {
    let flows = flows();
    let mut report = blank();
    report.verdict = Verdict::Hold;
    report.exit_status = 1;
    let named = |title: &str| at(&flows, &format!("\"{title}\""), 0);
    for title in [
        "Approve discount",
        "Convert lead",
        "Copy region",
        "Count touches",
        "File contract",
        "Notify owner",
        "Old capture",
        "Push lead",
        "Stamp owner",
        "Tell partner",
    ] {
        report.consumers.push(lead(title, named(title)));
    }
    report.consumers[6].path = PathState::Off(OffPath {
        why: "its status is inactive".into(),
        place: at(&flows, "\"inactive\"", 0),
    });
    effects(&mut report, &flows);
    obligations(&mut report, &flows);
    tail(&mut report);
    let places: Vec<Place> = report
        .obligations
        .iter()
        .filter_map(|one| match &one.outcome {
            Outcome::NotMet(finding) => Some(finding.place.clone()),
            _ => None,
        })
        .collect();
    report.excerpts = excerpts(&flows, &places);
    report
}

fn effects(report: &mut Report, flows: &TextFile) {
    let named = |title: &str| at(flows, &format!("\"{title}\""), 0);
    let mut convert = judged(
        effect(
            "Convert lead",
            EffectKind::Insert,
            object("Opportunity"),
            at(flows, "\"Opportunity\"", 0),
        ),
        Class::Create,
        Disposition::Blocked,
        Some(FurtherDelivery::Duplicate),
        "no UNIQUE index of Opportunity is fixed by the snapshot",
    );
    convert.required_action =
        Some("add UNIQUE (lead_id) on Opportunity and find or create on it".into());
    convert.facts.effect.enqueues = vec![("record.created".into(), "Opportunity".into())];
    let now = value("NOW()", ValueSource::Clock, at(flows, "NOW()", 0));
    let mut stamp = assigns(
        judged(
            effect(
                "Stamp owner",
                EffectKind::Update,
                object("Lead"),
                named("Stamp owner"),
            ),
            Class::StateDependent,
            Disposition::Blocked,
            Some(FurtherDelivery::Overwrite),
            "captured_at is set from the clock",
        ),
        "captured_at",
        now,
    );
    stamp.required_action = Some("set captured_at from the event's own time".into());
    let mut mail = judged(
        effect(
            "Notify owner",
            EffectKind::Mail,
            Target::Outside("mail".into()),
            named("Notify owner"),
        ),
        Class::External,
        Disposition::Blocked,
        Some(FurtherDelivery::RepeatedExternal),
        "no contract protects the mail",
    );
    mail.required_action =
        Some("declare a contract for the mail, or keep the flow off the path".into());
    let mut push = judged(
        effect(
            "Push lead",
            EffectKind::Http,
            Target::Outside("hooks.example.com".into()),
            named("Push lead"),
        ),
        Class::External,
        Disposition::Blocked,
        Some(FurtherDelivery::Swallowed),
        "its idempotency key is one constant for every call",
    );
    push.required_action = Some("move the key into the top level of the configuration".into());
    let touches = value(
        "record.touches + 1",
        ValueSource::LiveState,
        at(flows, "record.touches + 1", 0),
    );
    let mut count = assigns(
        judged(
            effect(
                "Count touches",
                EffectKind::Increment,
                object("Lead"),
                named("Count touches"),
            ),
            Class::StateDependent,
            Disposition::Blocked,
            Some(FurtherDelivery::Overwrite),
            "the increment meets its own trigger and never rests",
        ),
        "touches",
        touches,
    );
    count.required_action = Some("count from rows, or guard by the event's id".into());
    let region = value(
        "record.region",
        ValueSource::Snapshot,
        at(flows, "record.region", 0),
    );
    let copy = assigns(
        effect(
            "Copy region",
            EffectKind::Update,
            object("Lead"),
            named("Copy region"),
        ),
        "region",
        region,
    );
    let mut tell = judged(
        effect(
            "Tell partner",
            EffectKind::Http,
            Target::Outside("partner.example.com".into()),
            named("Tell partner"),
        ),
        Class::External,
        Disposition::Accepted,
        Some(FurtherDelivery::RepeatedExternal),
        "the partner ignores repeated ids",
    );
    tell.facts.contract = Some(Contract {
        consumer: Declared {
            value: "Tell partner".into(),
            place: Place::Path("outbox-audit.yaml".into()),
        },
        kind: ContractKind::AcceptedDuplicate,
        reason: Some("the partner ignores repeated ids".into()),
        owner: Some("integrations".into()),
        table: None,
        key: Vec::new(),
    });
    let mut approve = judged(
        effect(
            "Approve discount",
            EffectKind::Insert,
            object("_System_ApprovalWorkItem"),
            named("Approve discount"),
        ),
        Class::Create,
        Disposition::Deferred,
        Some(FurtherDelivery::Duplicate),
        "not one of the named flows of the incident",
    );
    approve.facts.scope = ScopeState::Deferred("not one of the named flows of the incident".into());
    let mut old = judged(
        effect(
            "Old capture",
            EffectKind::Update,
            object("Lead"),
            named("Old capture"),
        ),
        Class::DeterministicSet,
        Disposition::OffPath,
        None,
        "its flow is inactive",
    );
    old.facts.effect.path = report.consumers[6].path.clone();
    let file = judged(
        effect(
            "File contract",
            EffectKind::Unmapped,
            Target::Unknown("ArchiveRecord".into()),
            named("File contract"),
        ),
        Class::Unknown,
        Disposition::Unknown,
        None,
        "the action type ArchiveRecord stands in no rule",
    );
    report.effects = vec![
        approve, convert, copy, count, file, mail, old, push, stamp, tell,
    ];
}

fn subject(report: &Report, consumer: &str) -> Subject {
    let id = format!("flow:{consumer}");
    let row = report
        .effects
        .iter()
        .find(|row| *row.facts.effect.consumer.0 == *id);
    Subject::Effect(row.unwrap().facts.effect.id.clone())
}

fn obligations(report: &mut Report, flows: &TextFile) {
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

fn tail(report: &mut Report) {
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
