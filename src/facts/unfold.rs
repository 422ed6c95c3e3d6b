//! Unfolds flow metadata into consumers and single effects, by the platform's rules.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use rayon::prelude::*;

use crate::model::consumer::{
    Consumer, ConsumerId, ConsumerOrigin, OffPath, PathState, Phase, Trigger, Via,
};
use crate::model::effect::Effect;
use crate::model::evidence::{Evidence, Reason, Why};
use crate::model::metadata::{FlowMeta, Metadata, NamedAction, StepMeta, Text};
use crate::model::text::TextFile;
use crate::model::value::{Root, Value};
use crate::rules::{ActionSite, PlatformRule, Rules, TriggerPhase, TriggerRule};

use super::action::{ActionContext, Site, effects_of};
use super::environment::{Environment, Language};
use super::fields::FieldCatalog;
use super::formula::expression_value;
use super::ids::Names;
use super::locate::Locator;

/// What all flows are unfolded with.
pub(super) struct UnfoldInput<'a> {
    pub(super) rules: &'a Rules,
    pub(super) platform: &'a PlatformRule,
    pub(super) pack: &'a Arc<str>,
    pub(super) fields: &'a FieldCatalog,
    pub(super) files: BTreeMap<Arc<str>, Arc<TextFile>>,
    pub(super) actions: BTreeMap<Arc<str>, &'a NamedAction>,
    pub(super) metadata: &'a Metadata,
}

/// The same, with what is kept while some of the flows are unfolded.
pub(super) struct Unfolding<'a> {
    input: &'a UnfoldInput<'a>,
    pub(super) language: Language<'a>,
    /// Evidence by rule that was cited already: thousands of effects cite the same.
    pub(super) cited: RefCell<BTreeMap<(String, String), Arc<Evidence>>>,
}

impl<'a> Deref for Unfolding<'a> {
    type Target = UnfoldInput<'a>;

    fn deref(&self) -> &UnfoldInput<'a> {
        self.input
    }
}

/// So many flows are unfolded by one thread at a time.
const FLOWS_AT_A_TIME: usize = 256;

/// Unfolds every flow.
pub(super) fn unfold(input: &UnfoldInput<'_>) -> (Vec<Consumer>, Vec<Box<Effect>>) {
    let mut order: Vec<&FlowMeta> = input.metadata.flows.iter().collect();
    // Equal names are told apart by the order of their ids, which differ per environment but
    // keep the count.
    order.sort_by(|a, b| (&a.name.value, &a.id).cmp(&(&b.name.value, &b.id)));
    let mut names = Names::default();
    let named: Vec<(&FlowMeta, ConsumerId)> = order
        .into_iter()
        .map(|flow| {
            let id = names.consumer(&format!("flow:{}", flow.name.value));
            (flow, ConsumerId(id))
        })
        .collect();
    let parts: Vec<_> = named
        .par_chunks(FLOWS_AT_A_TIME)
        .map(|flows| unfold_some(input, flows))
        .collect();
    let mut consumers = Vec::with_capacity(named.len());
    let mut effects = Vec::with_capacity(parts.iter().map(|(_, effects)| effects.len()).sum());
    for (some_consumers, some_effects) in parts {
        consumers.extend(some_consumers);
        effects.extend(some_effects);
    }
    (consumers, effects)
}

fn unfold_some(
    input: &UnfoldInput<'_>,
    flows: &[(&FlowMeta, ConsumerId)],
) -> (Vec<Consumer>, Vec<Box<Effect>>) {
    let unfolding = Unfolding {
        input,
        language: Language::new(input.rules, "expr-lang"),
        cited: RefCell::default(),
    };
    let mut consumers = Vec::with_capacity(flows.len());
    let mut effects = Vec::new();
    for (flow, id) in flows {
        let consumer = consumer_of(&unfolding, flow, id.clone());
        let start = effects.len();
        unfold_flow(&unfolding, flow, &consumer, &mut effects);
        for (at, effect) in effects.iter_mut().skip(start).enumerate() {
            effect.order = at;
        }
        consumers.push(consumer);
    }
    (consumers, effects)
}

fn consumer_of(unfolding: &Unfolding<'_>, flow: &FlowMeta, id: ConsumerId) -> Consumer {
    let rule = flow
        .trigger_type
        .as_ref()
        .and_then(|word| trigger_rule(unfolding.rules, &word.value));
    let phase = match rule.map(|rule| rule.phase) {
        Some(TriggerPhase::AfterCommit) => Phase::AfterCommit,
        Some(TriggerPhase::InsideSave) => Phase::InsideSave,
        _ => Phase::Elsewhere,
    };
    let conditions = conditions_of(unfolding, flow, phase);
    let path = path_of(unfolding, flow, rule, &conditions);
    Consumer {
        id,
        title: Arc::clone(&flow.name.value),
        origin: ConsumerOrigin::Flow,
        trigger: Trigger {
            event: rule.and_then(|rule| rule.event.clone()),
            object: flow
                .trigger_object
                .as_ref()
                .map(|object| Arc::clone(&object.value)),
            word: flow
                .trigger_type
                .as_ref()
                .map_or_else(|| Arc::from(""), |word| Arc::clone(&word.value)),
            phase,
            conditions,
        },
        path,
        gaps: Vec::new(),
        place: flow.name.place.clone(),
    }
}

/// The rule of a trigger word; the executor compares without regard to case.
fn trigger_rule<'a>(rules: &'a Rules, word: &str) -> Option<&'a TriggerRule> {
    rules.triggers.iter().find(|rule| {
        rule.words.iter().any(|known| match rule.phase {
            TriggerPhase::Dormant => &**known == word,
            _ => known.eq_ignore_ascii_case(word),
        })
    })
}

fn conditions_of(unfolding: &Unfolding<'_>, flow: &FlowMeta, phase: Phase) -> Vec<Value> {
    let Some(condition) = &flow.condition else {
        return Vec::new();
    };
    if condition.value.trim().is_empty() {
        return Vec::new();
    }
    let environment = environment(unfolding, flow, phase);
    let trimmed = condition.value.trim_start();
    let base = (condition.value.len() - trimmed.len()) as u32;
    let locator = locator(unfolding, condition);
    vec![expression_value(
        trimmed.trim_end(),
        base,
        &locator,
        environment,
    )]
}

fn locator(unfolding: &Unfolding<'_>, text: &Text) -> Locator {
    let file = text
        .place
        .span()
        .and_then(|span| unfolding.files.get(&span.file));
    Locator::text(text, file)
}

/// Where the formulas of a flow stand.
pub(super) fn environment<'a>(
    unfolding: &'a Unfolding<'_>,
    flow: &'a FlowMeta,
    phase: Phase,
) -> Environment<'a> {
    let object = flow.trigger_object.as_ref().map(|object| &*object.value);
    Environment {
        language: &unfolding.language,
        object,
        fields: object.and_then(|object| unfolding.fields.of(object)),
        record: match phase {
            Phase::InsideSave => Root::Written,
            Phase::AfterCommit | Phase::Elsewhere => Root::Record,
        },
        reference_types: &unfolding.platform.reference_types,
        identity: &unfolding.platform.identity,
    }
}

fn path_of(
    unfolding: &Unfolding<'_>,
    flow: &FlowMeta,
    rule: Option<&TriggerRule>,
    conditions: &[Value],
) -> PathState {
    if let Some(off) = switched_off(unfolding, flow) {
        return off;
    }
    let Some(word) = &flow.trigger_type else {
        return unknown(flow, "it names no trigger type", &flow.name);
    };
    let Some(rule) = rule else {
        let sentence = format!("trigger type `{}` is in no rule pack", word.value);
        return unknown(flow, &sentence, word);
    };
    if let Some(failing) = conditions.iter().find(|value| value.fails.is_some()) {
        let why = failing.fails.as_deref().unwrap_or_default();
        return PathState::Dormant {
            would_need: format!("its condition fails on every event and skips it: {why}").into(),
            place: failing.place.clone(),
        };
    }
    if rule.phase != TriggerPhase::Schedule && flow.trigger_object.is_none() {
        return PathState::Off(OffPath {
            why: "it names no trigger object, so no event matches it".into(),
            place: flow.name.place.clone(),
            awaits_write: false,
            slip: false,
        });
    }
    match rule.phase {
        TriggerPhase::AfterCommit => PathState::On(Via::Delivery),
        // Put on the path later, by the writes that run it.
        TriggerPhase::InsideSave => PathState::Off(OffPath {
            why: format!(
                "no write on the path runs the {} flows of {}",
                word.value,
                flow.trigger_object
                    .as_ref()
                    .map_or("its object", |object| &*object.value)
            )
            .into(),
            place: word.place.clone(),
            awaits_write: true,
            slip: false,
        }),
        TriggerPhase::Schedule => PathState::Off(OffPath {
            why: "it runs on a schedule, not from the outbox".into(),
            place: word.place.clone(),
            awaits_write: false,
            slip: false,
        }),
        TriggerPhase::Dormant => PathState::Dormant {
            would_need: rule.would_need.clone().unwrap_or_default(),
            place: word.place.clone(),
        },
    }
}

fn switched_off(unfolding: &Unfolding<'_>, flow: &FlowMeta) -> Option<PathState> {
    if flow.deleted {
        return Some(PathState::Off(OffPath {
            why: "it is marked deleted".into(),
            place: flow.name.place.clone(),
            awaits_write: false,
            slip: false,
        }));
    }
    let Some(status) = &flow.status else {
        return Some(unknown(flow, "it has no status", &flow.name));
    };
    if unfolding.platform.active.contains(&status.value) {
        return None;
    }
    Some(PathState::Off(OffPath {
        why: format!(
            "its status is `{}`; only `{}` runs",
            status.value,
            unfolding.platform.active.join("`, `")
        )
        .into(),
        place: status.place.clone(),
        awaits_write: false,
        slip: unfolding
            .platform
            .active
            .iter()
            .any(|word| word.eq_ignore_ascii_case(&status.value)),
    }))
}

fn unknown(flow: &FlowMeta, what: &str, at: &Text) -> PathState {
    PathState::Unknown(Box::new(Reason {
        why: Why::NotMapped,
        needs: None,
        sentence: format!(
            "whether flow `{}` runs is not known: {what}",
            flow.name.value
        ),
        place: Some(at.place.clone()),
        next_step: "correct the flow, or describe the word in a rule pack".into(),
    }))
}

fn unfold_flow(
    unfolding: &Unfolding<'_>,
    flow: &FlowMeta,
    consumer: &Consumer,
    effects: &mut Vec<Box<Effect>>,
) {
    let mut context = ActionContext::new(unfolding, flow, consumer, effects);
    let word = flow
        .action_type
        .as_ref()
        .filter(|word| !word.value.is_empty());
    let multistep = flow.flow_type.as_ref().is_some_and(|kind| {
        kind.value
            .eq_ignore_ascii_case(&unfolding.platform.multistep)
    });
    match word {
        Some(word) => {
            let site = Site {
                kind: ActionSite::Flow,
                step: "action".into(),
                word: Some(word.clone()),
                config: flow.config.as_ref(),
                place: word.place.clone(),
                multistep,
            };
            effects_of(&mut context, &site);
        }
        None if multistep => multistep_effects(&mut context, flow),
        // The executor does nothing for an empty action of a simple flow.
        None => {}
    }
}

fn multistep_effects(context: &mut ActionContext<'_>, flow: &FlowMeta) {
    effects_of(
        context,
        &Site {
            kind: ActionSite::Flow,
            step: "start".into(),
            word: Some(Text {
                value: "multistep start".into(),
                place: flow.name.place.clone(),
            }),
            config: None,
            place: flow.name.place.clone(),
            multistep: true,
        },
    );
    let first = flow.steps.iter().map(|step| step.order).min();
    for step in &flow.steps {
        let later = Some(step.order) != first;
        context.later_step = later.then(|| OffPath {
            why: "it runs when an approval resumes the flow, on the live record".into(),
            place: step.place.clone(),
            awaits_write: false,
            slip: false,
        });
        step_effects(context, step);
    }
    context.later_step = None;
}

fn step_effects(context: &mut ActionContext<'_>, step: &StepMeta) {
    let kind = step.step_type.as_ref().map_or("", |kind| &*kind.value);
    let word = match kind.to_ascii_lowercase().as_str() {
        "approval" => Some(Text {
            value: "approval step".into(),
            place: step.place.clone(),
        }),
        "action" => step.action_type.clone(),
        _ => None,
    };
    if let Some(condition) = &step.entry_condition {
        context.note_ignored_condition(condition);
    }
    let place = word
        .as_ref()
        .map_or_else(|| step.place.clone(), |word| word.place.clone());
    let site = Site {
        kind: ActionSite::Step,
        step: Arc::clone(&step.name.value),
        word,
        config: step.config.as_ref(),
        place,
        multistep: true,
    };
    effects_of(context, &site);
}
