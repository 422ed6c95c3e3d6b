//! Reports of any size, and names meant to break out of every format.

use outbox_audit::model::check::{FurtherDelivery, Subject};
use outbox_audit::model::effect::{Class, EffectKind, Target};
use outbox_audit::model::report::*;
use outbox_audit::model::text::TextFile;

use super::checks::*;
use super::parts::*;

/// A HOLD report of so many blocked creates over so many targets; names come from the caller.
pub(crate) fn blocked(count: usize, targets: usize, name: &str) -> Report {
    let file = TextFile::new("metadata/flows.json", format!("{{\"x\": \"{name}\"}}\n"));
    let place = at(&file, "\"x\"", 0);
    let mut report = blank();
    report.verdict = Verdict::Hold;
    report.exit_status = 1;
    for number in 0..count {
        let title = format!("{name} {number:05}");
        report
            .consumers
            .push(consumer(&title, "record.created", "Lead", place.clone()));
        let target = Target::Object(format!("{name}{}", number % targets.max(1)).into());
        let mut row = judged(
            effect(&title, EffectKind::Insert, target, place.clone()),
            Class::Create,
            Disposition::Blocked,
            Some(FurtherDelivery::Duplicate),
            "no UNIQUE index is fixed by the snapshot",
        );
        row.required_action = Some(format!("add UNIQUE (lead_id) on {name}"));
        row.obligations.push(number);
        let subject = Subject::Effect(row.facts.effect.id.clone());
        let mut found = finding(
            &format!("a second delivery creates a second {name}"),
            name,
            place.clone(),
        );
        found.notes = vec![format!("fixed by the snapshot: {name}")];
        found.repairs = vec![vec![change(
            &format!("unique {number}"),
            &format!("add UNIQUE on {name}"),
            Some("CREATE UNIQUE INDEX a ON b (c);"),
        )]];
        let check = if number % 3 == 0 {
            &UNHANDLED_CONFLICT
        } else {
            &UNGUARDED_CREATE
        };
        report.obligations.push(not_met(subject, check, found));
        report.effects.push(row);
    }
    report.files = vec![std::sync::Arc::new(file)];
    report.gate = vec![condition(
        "natural-key",
        name,
        ConditionState::NotMet,
        name,
        &[&UNGUARDED_CREATE],
    )];
    report.inputs = vec![read(
        outbox_audit::model::evidence::InputKind::Flows,
        &[(name, Some("0123456789abcdef"), name)],
    )];
    report
}

/// A name that tries everything at once.
pub(crate) const NASTY: &str = "a|b`c<script>alert(1)</script>@octocat #12 [x](javascript:1) \u{202e}rev\u{1b}[31m\r\n- **b** ~~s~~ $x$ ``` :tada: &lt; \\ \" ' ]] }} %% --> <!-- www.evil.example https://evil.example";
