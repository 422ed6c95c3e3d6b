//! Its effects: five blocked, one each of the other kinds.

use std::sync::Arc;

use crate::samples::parts::*;
use outbox_audit::model::check::*;
use outbox_audit::model::effect::*;
use outbox_audit::model::facts::*;
use outbox_audit::model::place::Place;
use outbox_audit::model::report::*;
use outbox_audit::model::scope::{Contract, ContractKind, Declared, JudgedContract};
use outbox_audit::model::text::TextFile;
use outbox_audit::model::value::ValueSource;

use super::object;

pub(super) fn fill(report: &mut Report, flows: &TextFile) {
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
    tell.facts.contract = Some(Arc::new(JudgedContract {
        parts: Vec::new(),
        rivals: Vec::new(),
        contract: Contract {
            consumer: Declared {
                value: "Tell partner".into(),
                place: Place::Path("outbox-audit.yaml".into()),
            },
            kind: ContractKind::AcceptedDuplicate,
            reason: Some("the partner ignores repeated ids".into()),
            owner: Some("integrations".into()),
            table: None,
            key: Vec::new(),
            code: None,
            test: None,
            window_seconds: None,
            in_doubt: None,
        },
    }));
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
