//! Small builders: places that are found in a real text, values, effects, findings.

use std::sync::Arc;

use outbox_audit::model::check::*;
use outbox_audit::model::consumer::*;
use outbox_audit::model::effect::*;
use outbox_audit::model::evidence::*;
use outbox_audit::model::facts::*;
use outbox_audit::model::inputs::*;
use outbox_audit::model::place::Place;
use outbox_audit::model::report::*;
use outbox_audit::model::scope::{Declared, Waiver};
use outbox_audit::model::text::TextFile;
use outbox_audit::model::value::*;

/// The place of the `nth` occurrence (from 0) of a text in a file.
pub(crate) fn at(file: &TextFile, needle: &str, nth: usize) -> Place {
    let (start, found) = file
        .text()
        .match_indices(needle)
        .nth(nth)
        .unwrap_or_else(|| panic!("{needle} stands {nth} times in {}", file.path));
    file.place(start as u32, (start + found.len()) as u32)
}

pub(crate) fn consumer(title: &str, event: &str, object: &str, place: Place) -> Consumer {
    Consumer {
        id: ConsumerId(format!("flow:{title}").into()),
        title: title.into(),
        origin: ConsumerOrigin::Flow,
        trigger: Trigger {
            event: Some(event.into()),
            object: Some(object.into()),
            word: "afterUpdate".into(),
            phase: Phase::AfterCommit,
            conditions: Vec::new(),
        },
        path: PathState::On(Via::Delivery),
        gaps: Vec::new(),
        place,
    }
}

pub(crate) fn value(text: &str, source: ValueSource, place: Place) -> Value {
    Value {
        text: text.into(),
        place: place.clone(),
        draws: vec![Draw {
            source,
            what: text.into(),
            place,
            field: None,
            note: None,
        }],
        null: Nullness::Never,
        constant: None,
        fails: None,
        shape: Shape::Plain,
    }
}

/// An effect row that is safe, on the path and in scope until it is changed.
pub(crate) fn effect(consumer: &str, kind: EffectKind, target: Target, place: Place) -> EffectRow {
    let word = match kind {
        EffectKind::Insert => "CreateRecord",
        EffectKind::Mail => "SendEmail",
        EffectKind::Http => "CallWebhook",
        _ => "UpdateRecord",
    };
    let id = format!("flow:{consumer}/action/{word}:{}", target.name());
    EffectRow {
        facts: Box::new(EffectFacts {
            effect: Box::new(Effect {
                id: EffectId(id.into()),
                consumer: ConsumerId(format!("flow:{consumer}").into()),
                order: 0,
                kind,
                target,
                writes: Vec::new(),
                rows: RowChoice::OwnRecord,
                on_conflict: OnConflict::Error,
                runs_if: Vec::new(),
                idempotency_key: None,
                numbers: Vec::new(),
                enqueues: Vec::new(),
                runs_inside: Vec::new(),
                on_error: OnError::Swallowed,
                result_name: None,
                equal_update_is_no_op: true,
                path: PathState::On(Via::Delivery),
                trail: Vec::new(),
                by_rule: Vec::new(),
                notes: Vec::new(),
                place,
            }),
            class: Class::DeterministicSet,
            declared: false,
            scope: ScopeState::InScope,
            create: None,
            further: Further {
                sequential: Some(FurtherDelivery::NoOp),
                concurrent: Some(FurtherDelivery::NoOp),
                after_prefix: Some(FurtherDelivery::NoOp),
                guard_lapsed: None,
            },
            hangs: Vec::new(),
            unordered: Vec::new(),
            contract: None,
            repeating_carriers: Vec::new(),
            rests_on: Vec::new(),
            feedback: None,
        }),
        disposition: Disposition::Safe,
        waived: false,
        reason: "every value comes from the snapshot and the row is the event's own".to_owned(),
        proof: Some(
            "S1, S2: every value comes from the snapshot; the row is named by it".to_owned(),
        ),
        required_action: None,
        obligations: Vec::new(),
    }
}

/// Turns a row into one of another disposition.
pub(crate) fn judged(
    mut row: EffectRow,
    class: Class,
    disposition: Disposition,
    second: Option<FurtherDelivery>,
    reason: &str,
) -> EffectRow {
    row.facts.class = class;
    row.facts.further.sequential = second;
    row.facts.further.concurrent = second;
    row.facts.further.after_prefix = second;
    row.disposition = disposition;
    row.reason = reason.to_owned();
    if disposition != Disposition::Safe {
        row.proof = None;
    }
    row
}

pub(crate) fn assigns(mut row: EffectRow, field: &str, value: Value) -> EffectRow {
    let place = value.place.clone();
    row.facts.effect.writes.push(Assignment {
        field: field.into(),
        place,
        value,
        by_platform: false,
    });
    row
}

pub(crate) fn finding(sentence: &str, label: &str, place: Place) -> Finding {
    Finding {
        severity: Severity::Error,
        confidence: Confidence::High,
        sentence: sentence.to_owned(),
        label: label.to_owned().into(),
        place,
        further_delivery: None,
        notes: Vec::new(),
        interleaving: Vec::new(),
        repairs: Vec::new(),
        evidence: Vec::new(),
    }
}

pub(crate) fn change(key: &str, title: &str, how: Option<&str>) -> Change {
    Change {
        key: key.to_owned(),
        title: title.to_owned(),
        how: how.map(str::to_owned),
    }
}

pub(crate) fn not_met(subject: Subject, check: &'static CheckInfo, finding: Finding) -> Obligation {
    Obligation {
        subject,
        check,
        outcome: Outcome::NotMet(Box::new(finding)),
        waiver: None,
    }
}

pub(crate) fn unknown(
    subject: Subject,
    check: &'static CheckInfo,
    reason: Arc<Reason>,
) -> Obligation {
    Obligation {
        subject,
        check,
        outcome: Outcome::Unknown(reason),
        waiver: None,
    }
}

pub(crate) fn met(
    subject: Subject,
    check: &'static CheckInfo,
    sentence: &str,
    evidence: &Arc<Evidence>,
) -> Obligation {
    Obligation {
        subject,
        check,
        outcome: Outcome::Met(Proof {
            sentence: sentence.to_owned().into(),
            evidence: vec![evidence.clone()],
        }),
        waiver: None,
    }
}

pub(crate) fn reason(why: Why, needs: InputKind, sentence: &str, next_step: &str) -> Arc<Reason> {
    Arc::new(Reason {
        why,
        needs: Some(needs),
        sentence: sentence.to_owned(),
        place: None,
        next_step: next_step.to_owned(),
    })
}

pub(crate) fn evidence(
    input: InputKind,
    by: ObservedBy,
    place: Place,
    says: &str,
) -> Arc<Evidence> {
    Arc::new(Evidence {
        input,
        by,
        place,
        says: says.into(),
    })
}

pub(crate) fn condition(
    id: &str,
    title: &str,
    state: ConditionState,
    why: &str,
    checks: &[&CheckInfo],
) -> Condition {
    Condition {
        id: id.into(),
        title: title.into(),
        state,
        why: why.to_owned(),
        needs: vec![InputKind::Schema],
        checks: checks.iter().map(|check| check.id.into()).collect(),
        waived: 0,
    }
}

pub(crate) fn read(kind: InputKind, files: &[(&str, Option<&str>, &str)]) -> InputState {
    InputState {
        kind,
        read: files
            .iter()
            .map(|(name, digest, summary)| ReadInput {
                name: (*name).into(),
                digest: digest.map(Into::into),
                summary: (*summary).into(),
            })
            .collect(),
        unknown: Vec::new(),
    }
}

pub(crate) fn unread(kind: InputKind, reason: Arc<Reason>) -> InputState {
    InputState {
        kind,
        read: Vec::new(),
        unknown: vec![reason],
    }
}

pub(crate) fn waiver(check: &str, subject: &str, state: WaiverState, line: u32) -> WaiverRow {
    let file = TextFile::new("outbox-audit.yaml", "\n".repeat(40));
    let place = file.place(line, line);
    let declared = |value: &str| Declared {
        value: value.into(),
        place: place.clone(),
    };
    WaiverRow {
        meant: Vec::new(),
        refused: None,
        waiver: Waiver {
            check: declared(check),
            subject: declared(subject),
            reason: "the mail says the same thing twice, and readers were told".into(),
            owner: "crm-team".into(),
            expires: "2026-12-31".into(),
        },
        state,
    }
}

/// A report of nothing at all, for a builder to fill.
pub(crate) fn blank() -> Report {
    Report {
        guarantees: Vec::new(),
        tool_version: "0.1.0",
        verdict: Verdict::Unproven,
        exit_status: 3,
        flag: Some("OUTBOX_PULL_WORKER".into()),
        subject: "fixtures/whole/nexuscrm".into(),
        packs: vec!["nexuscrm".into()],
        stage: Stage::PreFlip,
        fail_on: FailOn::Unproven,
        as_of: "2026-01-01".to_owned(),
        tree: TreeState::Commit {
            commit: "4f1c2ab".to_owned(),
            id: "4f1c2ab8d1e3a09b7c65f2e1d0c9b8a776655443".to_owned(),
            clean: true,
        },
        path_in_repository: "fixtures/whole/nexuscrm/".to_owned(),
        gate: Vec::new(),
        consumers: Vec::new(),
        effects: Vec::new(),
        obligations: Vec::new(),
        evidence: Vec::new(),
        inputs: Vec::new(),
        changes: Vec::new(),
        changes_minimal: true,
        deferred: Vec::new(),
        residuals: Vec::new(),
        inventory: Inventory::default(),
        waivers: Vec::new(),
        files: Vec::new(),
    }
}
