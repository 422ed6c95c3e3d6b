//! Effects as the map lists them.

use std::sync::Arc;

use crate::model::map::MappedEffect;
use crate::model::place::Place;

use super::frame::Analysis;
use super::ids::kind_title;
use super::reached::Reached;
use super::subscriptions::Subscription;
use super::text::Text;

/// What the library does with what the handler returns, or by itself.
pub(super) fn by_library<'a>(
    analysis: &Analysis<'a>,
    subscription: &Subscription<'a>,
    place: &Place,
) -> Option<Reached> {
    let rule = subscription.by?;
    let (kind, target) = match (&rule.publishes, rule.relays) {
        (Some(publishes), _) => {
            let frame = analysis.frame(subscription.within);
            let topic = publishes.topic.checked_sub(1)?;
            let texts = analysis.texts(subscription.call.args.get(topic)?, &frame);
            let names: Vec<String> = texts.options.iter().map(Text::shown).collect();
            (publishes.kind, names.join(" | "))
        }
        (None, Some(kind)) => (kind, "?".to_owned()),
        (None, None) => return None,
    };
    Some(Reached {
        kind,
        target,
        place: place.clone(),
        path: Vec::new(),
        sureness: subscription.sureness,
        draws: Vec::new(),
        guards: Vec::new(),
        notes: Vec::new(),
        key: None,
        rule: Arc::clone(&rule.id),
        sql: None,
        in_process: false,
    })
}

/// An effect as reports tell it.
pub(super) fn mapped(consumer: &str, effect: &Reached) -> MappedEffect {
    let within = effect.path.last().map_or("handler", |hop| &*hop.function);
    let id = format!(
        "{consumer}/{within}/{}:{}",
        kind_title(effect.kind),
        effect.target
    );
    MappedEffect {
        id: id.into(),
        kind: effect.kind,
        target: effect.target.as_str().into(),
        place: effect.place.clone(),
        path: effect.path.clone(),
        sureness: effect.sureness,
        draws: effect.draws.clone(),
        guards: effect.guards.clone(),
        notes: effect.notes.clone(),
        key: effect.key.clone(),
        rule: Arc::clone(&effect.rule),
        sql: effect.sql.clone(),
        in_process: effect.in_process,
    }
}
