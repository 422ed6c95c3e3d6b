//! Actions that fail on every event: an effect that never happens as written.

use std::sync::Arc;

use crate::model::consumer::PathState;
use crate::model::effect::{Effect, EffectKind, EffectNote, NoteKind, Target};
use crate::model::metadata::{Node, NodeKind, Text};
use crate::model::place::Place;
use crate::rules::{ActionRule, Becomes};

use super::action::{ActionContext, Site};

/// The first required key that is missing or of a kind the executor refuses.
pub(super) fn missing_key(rule: &ActionRule, config: Option<&Node>) -> Option<Arc<str>> {
    rule.required
        .iter()
        .find(|key| {
            let value = config.and_then(|config| config.get(key));
            match value {
                None => true,
                Some(value) if Some(*key) == rule.writes.as_ref() => {
                    !matches!(value.kind, NodeKind::Object(_))
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

pub(super) fn lacking(
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

pub(super) fn failing(
    context: &mut ActionContext<'_>,
    site: &Site<'_>,
    word: &str,
    sentence: &str,
) {
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
