//! Actions that run other actions: by id, or the steps of a composite.

use std::sync::Arc;

use crate::model::consumer::PathState;
use crate::model::effect::{Hop, Target};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::metadata::{Node, Text};
use crate::rules::{ActionRule, ActionSite};

use super::action::{ActionContext, Site, effects_of};
use super::failing::failing;

pub(super) fn named_action(
    context: &mut ActionContext<'_>,
    site: &Site<'_>,
    rule: &ActionRule,
    word: &Text,
) {
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

pub(super) fn composite(
    context: &mut ActionContext<'_>,
    site: &Site<'_>,
    rule: &ActionRule,
    word: &Text,
) {
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
