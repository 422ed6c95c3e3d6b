//! One action of a flow, a step, a named action or a composite, unfolded to its effects.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::consumer::{Consumer, OffPath, PathState, Via};
use crate::model::effect::{
    Effect, EffectId, EffectKind, EffectNote, Hop, NoteKind, OnConflict, OnError, RowChoice, Target,
};
use crate::model::evidence::{Evidence, InputKind, ObservedBy, Reason, Why};
use crate::model::metadata::{FlowMeta, Node, Text};
use crate::model::place::Place;
use crate::rules::{ActionRule, ActionSite, Becomes, ErrorRule, TriggerPhase, WordCase};

use super::environment::Environment;
use super::failing::{failing, lacking, missing_key};
use super::ids::Names;
use super::nested::{composite, named_action};
use super::unfold::{Unfolding, environment};
use super::{external, writes};

/// Where an action stands.
pub(super) struct Site<'n> {
    pub(super) kind: ActionSite,
    /// Step name for the id.
    pub(super) step: Arc<str>,
    /// The action word.
    pub(super) word: Option<Text>,
    pub(super) config: Option<&'n Node>,
    pub(super) place: Place,
    pub(super) multistep: bool,
}

/// The flow that is being unfolded.
pub(super) struct ActionContext<'a> {
    pub(super) unfolding: &'a Unfolding<'a>,
    pub(super) flow: &'a FlowMeta,
    pub(super) consumer: &'a Consumer,
    /// Set while the steps are unfolded that do not run on the event.
    pub(super) later_step: Option<OffPath>,
    effects: &'a mut Vec<Box<Effect>>,
    names: Names,
    /// How the action at hand is reached.
    pub(super) trail: Vec<Hop>,
    pending: Vec<EffectNote>,
    /// Earlier creates of this run by the name of their result.
    results: BTreeMap<Arc<str>, EffectId>,
}

impl<'a> ActionContext<'a> {
    pub(super) fn new(
        unfolding: &'a Unfolding<'a>,
        flow: &'a FlowMeta,
        consumer: &'a Consumer,
        effects: &'a mut Vec<Box<Effect>>,
    ) -> Self {
        Self {
            unfolding,
            flow,
            consumer,
            later_step: None,
            effects,
            names: Names::default(),
            trail: Vec::new(),
            pending: Vec::new(),
            results: BTreeMap::new(),
        }
    }

    /// Where the formulas of this flow stand.
    pub(super) fn environment(&self) -> Environment<'a> {
        environment(self.unfolding, self.flow, self.consumer.trigger.phase)
    }

    /// Remembers that the platform never evaluates the condition of the next step.
    pub(super) fn note_ignored_condition(&mut self, condition: &Text) {
        if condition.value.trim().is_empty() {
            return;
        }
        self.pending.push(EffectNote {
            kind: NoteKind::IgnoredCondition,
            sentence: format!(
                "entry condition `{}` is stored and never evaluated",
                condition.value
            )
            .into(),
            place: condition.place.clone(),
        });
    }

    /// Evidence by a rule of the pack.
    pub(super) fn by_rule(&self, entry: &str, says: &str) -> Arc<Evidence> {
        let key = (entry.to_owned(), says.to_owned());
        let mut cited = self.unfolding.cited.borrow_mut();
        if let Some(known) = cited.get(&key) {
            return Arc::clone(known);
        }
        let pack = Arc::clone(self.unfolding.pack);
        let evidence = Arc::new(Evidence {
            input: InputKind::Rules,
            by: ObservedBy::Rule {
                pack: Arc::clone(&pack),
                entry: entry.into(),
            },
            place: Place::Rule {
                pack,
                entry: entry.into(),
            },
            says: says.into(),
        });
        cited.insert(key, Arc::clone(&evidence));
        evidence
    }

    /// A new effect of this flow with nothing filled in.
    pub(super) fn blank(&mut self, site: &Site<'_>, word: &str, target: Target) -> Effect {
        let target_name = match &target {
            Target::Object(name) | Target::Outside(name) => shorten(name),
            Target::Unknown(_) => "unknown",
        };
        let id = self.names.effect(&format!(
            "{}/{}/{word}:{target_name}",
            self.consumer.id, site.step
        ));
        let path = match &self.later_step {
            Some(off) => PathState::Off(off.clone()),
            None => PathState::On(Via::Delivery),
        };
        Effect {
            id: EffectId(id),
            consumer: self.consumer.id.clone(),
            order: 0,
            kind: EffectKind::Unmapped,
            target,
            writes: Vec::new(),
            rows: RowChoice::None,
            on_conflict: OnConflict::Error,
            runs_if: Vec::new(),
            idempotency_key: None,
            numbers: Vec::new(),
            enqueues: Vec::new(),
            runs_inside: Vec::new(),
            on_error: match self.unfolding.platform.on_error {
                ErrorRule::Swallowed => OnError::Swallowed,
                ErrorRule::Retried => OnError::Retried,
            },
            result_name: None,
            equal_update_is_no_op: self.unfolding.platform.equal_update_is_no_op,
            path,
            trail: self.trail.clone(),
            by_rule: Vec::new(),
            notes: std::mem::take(&mut self.pending),
            place: site.place.clone(),
        }
    }

    /// Adds a finished effect.
    pub(super) fn push(&mut self, mut effect: Effect) {
        effect.shrink();
        if let Some(name) = &effect.result_name {
            self.results.insert(Arc::clone(name), effect.id.clone());
        }
        self.effects.push(Box::new(effect));
    }
}

/// Unfolds one action.
pub(super) fn effects_of(context: &mut ActionContext<'_>, site: &Site<'_>) {
    let Some(word) = &site.word else {
        return failing(
            context,
            site,
            "no action",
            "the step has no action that the executor runs",
        );
    };
    let Some(rule) = rule_for(context, site, &word.value) else {
        return unmapped(context, site, word);
    };
    if let Some(missing) = missing_key(rule, site.config) {
        return lacking(context, site, rule, word, &missing);
    }
    match rule.becomes {
        Becomes::Insert | Becomes::UpdateOwn | Becomes::UpdateNamed | Becomes::RecordSet => {
            writes::write_effect(context, site, rule, word);
        }
        Becomes::FixedInserts => writes::fixed_inserts(context, site, rule, word),
        Becomes::Mail | Becomes::Http => external::external_effect(context, site, rule, word),
        Becomes::NamedAction => named_action(context, site, rule, word),
        Becomes::Composite => composite(context, site, rule, word),
        Becomes::Dormant => dormant(context, site, word, rule.would_need.as_deref()),
    }
}

fn rule_for<'a>(
    context: &ActionContext<'a>,
    site: &Site<'_>,
    word: &str,
) -> Option<&'a ActionRule> {
    let phase = match (site.kind, context.consumer.trigger.phase) {
        // A step runs as if from an after-update event.
        (ActionSite::Flow, crate::model::consumer::Phase::InsideSave) => TriggerPhase::InsideSave,
        _ => TriggerPhase::AfterCommit,
    };
    let fits = |rule: &&ActionRule| {
        rule.from.contains(&site.kind)
            && (rule.phase.is_empty() || rule.phase.contains(&phase))
            && rule.words.iter().any(|known| match rule.case {
                WordCase::Exact => &**known == word,
                WordCase::Insensitive => known.eq_ignore_ascii_case(word),
            })
    };
    context.unfolding.rules.actions.iter().find(fits)
}

/// The word in another case, where the platform compares letter for letter.
fn rule_in_wrong_case<'a>(
    context: &ActionContext<'a>,
    site: &Site<'_>,
    word: &str,
) -> Option<&'a ActionRule> {
    context.unfolding.rules.actions.iter().find(|rule| {
        rule.from.contains(&site.kind)
            && rule.case == WordCase::Exact
            && rule
                .words
                .iter()
                .any(|known| known.eq_ignore_ascii_case(word))
    })
}

fn unmapped(context: &mut ActionContext<'_>, site: &Site<'_>, word: &Text) {
    if let Some(rule) = rule_in_wrong_case(context, site, &word.value) {
        let known = rule.words.first().cloned().unwrap_or_default();
        let need = format!(
            "the executor compares this word letter for letter and fails; spelled `{known}` it would run"
        );
        return dormant(context, site, word, Some(&need));
    }
    let sentence = format!(
        "action `{}` of flow `{}` is in no rule pack: what it does is not known",
        word.value, context.flow.name.value
    );
    let reason = Reason {
        why: Why::NotMapped,
        needs: None,
        sentence,
        place: Some(word.place.clone()),
        next_step: "describe the action in a rule pack (--rules), or take the flow off the path"
            .into(),
    };
    let mut effect = context.blank(site, &word.value, Target::Unknown(Arc::clone(&word.value)));
    if effect.path.is_on() {
        effect.path = PathState::Unknown(Box::new(reason));
    }
    context.push(effect);
}

fn dormant(context: &mut ActionContext<'_>, site: &Site<'_>, word: &Text, need: Option<&str>) {
    let mut effect = context.blank(site, &word.value, Target::Unknown(Arc::clone(&word.value)));
    if effect.path.is_on() {
        effect.path = PathState::Dormant {
            would_need: need.unwrap_or_default().into(),
            place: word.place.clone(),
        };
    }
    context.push(effect);
}

/// Ids stay readable when a target is not.
fn shorten(name: &str) -> &str {
    match name.char_indices().nth(120) {
        Some((at, _)) => name.get(..at).unwrap_or(name),
        None => name,
    }
}
