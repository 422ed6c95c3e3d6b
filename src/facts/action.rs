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
use super::ids::Names;
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
    effects: &'a mut Vec<Effect>,
    names: Names,
    trail: Vec<Hop>,
    pending: Vec<EffectNote>,
    /// Earlier creates of this run by the name of their result.
    results: BTreeMap<Arc<str>, EffectId>,
}

impl<'a> ActionContext<'a> {
    pub(super) fn new(
        unfolding: &'a Unfolding<'a>,
        flow: &'a FlowMeta,
        consumer: &'a Consumer,
        effects: &'a mut Vec<Effect>,
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
        let pack = Arc::clone(&self.unfolding.pack);
        Arc::new(Evidence {
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
        })
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
    pub(super) fn push(&mut self, effect: Effect) {
        if let Some(name) = &effect.result_name {
            self.results.insert(Arc::clone(name), effect.id.clone());
        }
        self.effects.push(effect);
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

/// The first required key that is missing or of a kind the executor refuses.
fn missing_key(rule: &ActionRule, config: Option<&Node>) -> Option<Arc<str>> {
    rule.required
        .iter()
        .find(|key| {
            let value = config.and_then(|config| config.get(key));
            match value {
                None => true,
                Some(value) if Some(*key) == rule.writes.as_ref() => {
                    !matches!(value.kind, crate::model::metadata::NodeKind::Object(_))
                }
                Some(value)
                    if Some(*key) == rule.target.as_ref() && rule.becomes != Becomes::Composite =>
                {
                    value.string().is_none_or(|text| text.is_empty())
                }
                Some(_) => false,
            }
        })
        .cloned()
}

fn lacking(
    context: &mut ActionContext<'_>,
    site: &Site<'_>,
    rule: &ActionRule,
    word: &Text,
    missing: &str,
) {
    let ignored = rule.ignored.iter().find_map(|ignored| {
        let node = site.config?.get(&ignored.key)?;
        Some((ignored, node))
    });
    let sentence = match ignored {
        Some((ignored, _)) => format!(
            "it fails on every event: `{missing}` is missing; {}",
            ignored.says
        ),
        None => format!("it fails on every event: `{missing}` is missing"),
    };
    let place = ignored.map_or_else(|| word.place.clone(), |(_, node)| node.place());
    let (kind, target) = meant(context, site, rule);
    let word = rule.words.first().unwrap_or(&word.value);
    let mut effect = context.blank(site, word, target);
    effect.kind = kind;
    fail(&mut effect, sentence, place);
    context.push(effect);
}

/// What an action would write if it did not fail.
fn meant(context: &ActionContext<'_>, site: &Site<'_>, rule: &ActionRule) -> (EffectKind, Target) {
    let named = || {
        let key = rule.target.as_deref()?;
        site.config?.get(key)?.string().cloned()
    };
    let own = || context.consumer.trigger.object.clone();
    let object = |name: Option<Arc<str>>| match name {
        Some(name) => Target::Object(name),
        None => Target::Unknown("nothing".into()),
    };
    match rule.becomes {
        Becomes::Mail => (EffectKind::Mail, Target::Outside("mail".into())),
        Becomes::Http => (EffectKind::Http, Target::Outside("webhook".into())),
        Becomes::Insert => (EffectKind::Insert, object(named())),
        Becomes::UpdateOwn => (EffectKind::Update, object(own())),
        Becomes::UpdateNamed => (EffectKind::Update, object(named())),
        Becomes::RecordSet => (EffectKind::RecordSet, object(own())),
        _ => (EffectKind::Unmapped, Target::Unknown("nothing".into())),
    }
}

fn failing(context: &mut ActionContext<'_>, site: &Site<'_>, word: &str, sentence: &str) {
    let mut effect = context.blank(site, word, Target::Unknown("nothing".into()));
    let place = site.place.clone();
    fail(
        &mut effect,
        format!("it fails on every event: {sentence}"),
        place,
    );
    context.push(effect);
}

/// Marks an effect that never happens as written.
pub(super) fn fail(effect: &mut Effect, sentence: String, place: Place) {
    effect.notes.push(EffectNote {
        kind: NoteKind::AlwaysFails,
        sentence: sentence.clone().into(),
        place: place.clone(),
    });
    if effect.path.is_on() {
        effect.path = PathState::Dormant {
            would_need: sentence.into(),
            place,
        };
    }
}

fn named_action(context: &mut ActionContext<'_>, site: &Site<'_>, rule: &ActionRule, word: &Text) {
    let Some(node) = site
        .config
        .and_then(|config| config.get(rule.target.as_deref().unwrap_or_default()))
    else {
        return;
    };
    let id = node.string().cloned().unwrap_or_default();
    let found = context.unfolding.actions.get(&id).copied();
    let Some(action) = found.filter(|action| !action.deleted) else {
        let reason = Reason {
            why: Why::NotResolved,
            needs: Some(InputKind::Flows),
            sentence: format!(
                "flow `{}` runs action `{id}`, which no metadata that was read defines",
                context.flow.name.value
            ),
            place: Some(node.place()),
            next_step: "give the metadata of the actions (`actions` in the bundle)".into(),
        };
        let mut effect = context.blank(site, &word.value, Target::Unknown(id));
        if effect.path.is_on() {
            effect.path = PathState::Unknown(Box::new(reason));
        }
        return context.push(effect);
    };
    context.trail.push(Hop {
        title: format!("action {}", action.name.value).into(),
        place: action.place.clone(),
    });
    let inner = Site {
        kind: ActionSite::Named,
        step: Arc::clone(&site.step),
        word: action.action_type.clone(),
        config: action.config.as_ref(),
        place: action
            .action_type
            .as_ref()
            .map_or_else(|| action.place.clone(), |word| word.place.clone()),
        multistep: site.multistep,
    };
    effects_of(context, &inner);
    context.trail.pop();
}

fn composite(context: &mut ActionContext<'_>, site: &Site<'_>, rule: &ActionRule, word: &Text) {
    let key = rule.target.as_deref().unwrap_or_default();
    let steps = site
        .config
        .and_then(|config| config.get(key))
        .map_or(&[][..], Node::items);
    if steps.is_empty() {
        return failing(
            context,
            site,
            &word.value,
            "its steps are no list, or an empty one",
        );
    }
    for node in steps {
        let id = node
            .get("id")
            .and_then(Node::string)
            .filter(|id| !id.is_empty());
        let kind = node.get("type").and_then(Node::text);
        let (Some(id), Some(kind)) = (id, kind) else {
            let at = Site {
                kind: ActionSite::Composite,
                step: Arc::clone(&site.step),
                word: None,
                config: None,
                place: node.place(),
                multistep: false,
            };
            // The run ends here: later steps of the composite never happen.
            return failing(
                context,
                &at,
                "no step",
                "a composite step needs `id` and `type`",
            );
        };
        context.trail.push(Hop {
            title: format!("step {id}").into(),
            place: node.place(),
        });
        let inner = Site {
            kind: ActionSite::Composite,
            step: format!("{}.{id}", site.step).into(),
            place: kind.place.clone(),
            word: Some(kind),
            config: Some(node),
            multistep: false,
        };
        effects_of(context, &inner);
        context.trail.pop();
    }
}

/// Ids stay readable when a target is not.
fn shorten(name: &str) -> &str {
    match name.char_indices().nth(120) {
        Some((at, _)) => name.get(..at).unwrap_or(name),
        None => name,
    }
}
