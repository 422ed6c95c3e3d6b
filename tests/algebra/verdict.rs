//! What the audit says of the effects of a case. A judgement is safe when no gate check that
//! decides about effects is not met or unknown for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use outbox_audit::model::check::{Obligation, Outcome, Subject, Weight};
use outbox_audit::model::consumer::{PathState, Via};
use outbox_audit::model::effect::{Class, EffectId, EffectKind, RowChoice};
use outbox_audit::model::facts::{CycleRest, EffectFacts, Facts};
use outbox_audit::model::inputs::Inputs;
use outbox_audit::model::scope::Declarations;
use outbox_audit::model::text::TextFile;
use outbox_audit::model::value::Root;
use outbox_audit::rules::Rules;
use outbox_audit::{checks, facts, input, rules};
use serde_json::Value as Json;

use super::tables::{TableSpec, schema};

/// The audit's word on one effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Judgement {
    Safe,
    Blocked,
    Unknown,
    /// Not on the path.
    Off,
}

/// One effect as judged.
#[derive(Debug, Clone)]
pub(crate) struct Judged {
    pub(crate) id: String,
    /// `flow:<name>/<step>`: how the interpreter calls it.
    pub(crate) site: String,
    pub(crate) flow: String,
    pub(crate) table: String,
    pub(crate) kind: EffectKind,
    pub(crate) class: Class,
    pub(crate) judgement: Judgement,
    /// Checks that are not met.
    pub(crate) failed: Vec<&'static str>,
    pub(crate) fields: Vec<String>,
    pub(crate) numbers: Vec<String>,
    /// The flows that run it: its own, or those whose writes it runs inside.
    pub(crate) run_by: Vec<String>,
    /// True if its guard is known to end some day.
    pub(crate) lapses: bool,
    /// True of a set whose row and values come from the event alone: the last delivery decides.
    pub(crate) from_event: bool,
}

/// Everything judged.
pub(crate) struct Verdict {
    pub(crate) effects: Vec<Judged>,
    /// Cycles: the flows in them, and whether they rest; unknown is none.
    pub(crate) cycles: Vec<(Vec<String>, Option<bool>)>,
}

thread_local! {
    static RULES: Rules = rules::load(&["nexuscrm"], &[]).expect("the packs compiled in are sound");
}

/// Facts and obligations of metadata and tables.
pub(crate) fn audit(metadata: &str, tables: &[TableSpec]) -> (Facts, Vec<Obligation>) {
    let file = Arc::new(TextFile::new("flows.json", metadata.to_owned()));
    let inputs = Inputs {
        metadata: input::flows::read(&[Arc::clone(&file)]),
        live: Some(schema(tables)),
        files: vec![file],
        ..Inputs::default()
    };
    let problems = &inputs.metadata.problems;
    assert!(
        problems.is_empty(),
        "generated metadata reads: {problems:?}"
    );
    let facts = RULES.with(|rules| {
        facts::derive(facts::FactInput {
            inputs,
            rules,
            declarations: Declarations::default(),
            outbox: outbox_audit::model::outbox::OutboxNames::default(),
            map: None,
            queue: None,
            code: None,
            rows: Default::default(),
        })
    });
    let obligations = checks::run_all(&facts);
    (facts, obligations)
}

/// Judges a case.
pub(crate) fn judge(metadata: &Json, tables: &[TableSpec]) -> Verdict {
    let (facts, obligations) = audit(&metadata.to_string(), tables);
    let mut by_effect: BTreeMap<&EffectId, Vec<&Obligation>> = BTreeMap::new();
    for obligation in &obligations {
        if let Subject::Effect(id) = &obligation.subject {
            by_effect.entry(id).or_default().push(obligation);
        }
    }
    let flow_of: BTreeMap<&EffectId, String> = facts
        .effects
        .iter()
        .map(|effect| (&effect.effect.id, flow_name(&facts, effect)))
        .collect();
    let effects = facts
        .effects
        .iter()
        .map(|effect| {
            let own = by_effect
                .get(&effect.effect.id)
                .map_or(&[][..], Vec::as_slice);
            judged(&facts, effect, own, &flow_of)
        })
        .collect();
    let cycles = facts
        .cycles
        .iter()
        .map(|cycle| {
            let flows = cycle
                .effects
                .iter()
                .filter_map(|id| flow_of.get(id).cloned());
            let rests = match &cycle.rests {
                CycleRest::Rests(_) => Some(true),
                CycleRest::Never(_) => Some(false),
                CycleRest::Unknown(_) => None,
            };
            (flows.collect(), rests)
        })
        .collect();
    Verdict { effects, cycles }
}

fn flow_name(facts: &Facts, effect: &EffectFacts) -> String {
    facts
        .consumer(&effect.effect.consumer)
        .map_or_else(String::new, |consumer| consumer.title.to_string())
}

/// `flow:<name>/<step>` of `flow:<name>/<step>/<Kind>:<target>`; the target may be an address.
fn site_of(id: &str) -> String {
    let parts: Vec<&str> = id.splitn(3, '/').collect();
    parts[..2].join("/")
}

fn from_event(effect: &EffectFacts) -> bool {
    let row = match &effect.effect.rows {
        RowChoice::Named(value) => Some(value),
        RowChoice::OwnRecord => None,
        _ => return false,
    };
    let values = effect.effect.writes.iter().map(|write| &write.value);
    effect.effect.kind == EffectKind::Update
        && values
            .chain(row.map(Box::as_ref))
            .flat_map(|value| &value.draws)
            .all(|draw| {
                draw.field
                    .as_ref()
                    .is_some_and(|field| matches!(field.root, Root::Record | Root::Prior))
            })
}

fn judged(
    facts: &Facts,
    effect: &EffectFacts,
    obligations: &[&Obligation],
    flow_of: &BTreeMap<&EffectId, String>,
) -> Judged {
    let deciding: Vec<&&Obligation> = obligations
        .iter()
        .filter(|obligation| {
            obligation.check.decides_effect && obligation.check.weight == Weight::Gate
        })
        .collect();
    let failed: Vec<&'static str> = deciding
        .iter()
        .filter(|obligation| matches!(obligation.outcome, Outcome::NotMet(_)))
        .map(|obligation| obligation.check.id)
        .collect();
    let open = deciding
        .iter()
        .any(|obligation| matches!(obligation.outcome, Outcome::Unknown(_)));
    let judgement = match &effect.effect.path {
        PathState::Off(_) | PathState::Dormant { .. } => Judgement::Off,
        _ if !failed.is_empty() => Judgement::Blocked,
        _ if open => Judgement::Unknown,
        _ => Judgement::Safe,
    };
    let id = effect.effect.id.to_string();
    let flow = flow_name(facts, effect);
    let run_by = match facts
        .consumer(&effect.effect.consumer)
        .map(|consumer| &consumer.path)
    {
        Some(PathState::On(Via::Writes(carriers))) => carriers
            .iter()
            .filter_map(|carrier| flow_of.get(carrier).cloned())
            .collect(),
        _ => vec![flow.clone()],
    };
    Judged {
        site: site_of(&id),
        flow,
        table: effect.effect.target.name().to_string(),
        kind: effect.effect.kind,
        class: effect.class,
        judgement,
        failed,
        fields: effect
            .effect
            .writes
            .iter()
            .map(|write| write.field.to_string())
            .collect(),
        numbers: effect
            .effect
            .numbers
            .iter()
            .map(|number| number.field.to_string())
            .collect(),
        lapses: effect
            .create
            .as_ref()
            .and_then(|create| create.guard())
            .is_some_and(|guard| guard.lapses.is_some()),
        from_event: from_event(effect),
        run_by,
        id,
    }
}
