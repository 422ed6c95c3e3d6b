//! Ways through the system: the calls that lead to an effect, and the interleaving that does harm.

use serde::Serialize;

use super::location::Location;
use super::message::{Message, message};
use super::run::Context;
use crate::model::check::{Finding, Subject};
use crate::report::anchor::Anchor;
use crate::report::visible;

/// One way.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeFlow<'c> {
    message: Message,
    thread_flows: Vec<ThreadFlow<'c>>,
}

/// What one actor does.
#[derive(Serialize)]
struct ThreadFlow<'c> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    locations: Vec<Step<'c>>,
}

/// One step, numbered across all actors.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Step<'c> {
    execution_order: usize,
    location: Location<'c>,
}

/// The ways of a finding: first the harm, then how the effect is reached.
pub(super) fn flows<'c>(
    context: &Context<'_, '_>,
    subject: &Subject,
    finding: &Finding,
    anchor: &Anchor<'_>,
) -> Vec<CodeFlow<'c>> {
    let harm = interleaving(context, finding, anchor);
    let way = way(context, subject, anchor);
    harm.into_iter().chain(way).collect()
}

fn interleaving<'c>(
    context: &Context<'_, '_>,
    finding: &Finding,
    anchor: &Anchor<'_>,
) -> Option<CodeFlow<'c>> {
    let mut actors: Vec<ThreadFlow<'c>> = Vec::new();
    for (at, step) in finding.interleaving.iter().enumerate() {
        let one = Step {
            execution_order: at + 1,
            location: Location::physical(context, anchor)
                .says(&format!("{} {}", step.actor, step.does)),
        };
        let id = visible::name(step.actor);
        match actors
            .iter_mut()
            .find(|actor| actor.id.as_ref() == Some(&id))
        {
            Some(actor) => actor.locations.push(one),
            None => actors.push(ThreadFlow {
                id: Some(id),
                locations: vec![one],
            }),
        }
    }
    (!actors.is_empty()).then(|| CodeFlow {
        message: message("how it happens"),
        thread_flows: actors,
    })
}

fn way<'c>(
    context: &Context<'_, '_>,
    subject: &Subject,
    anchor: &Anchor<'_>,
) -> Option<CodeFlow<'c>> {
    let effect = &context.view.effect(subject)?.facts.effect;
    if effect.trail.is_empty() {
        return None;
    }
    let consumer = context.view.consumer(&effect.consumer);
    let starts = consumer.map(|one| (&one.place, &*one.title));
    let hops = effect.trail.iter().map(|hop| (&hop.place, &*hop.title));
    let mut locations: Vec<Location<'c>> = starts
        .into_iter()
        .chain(hops)
        .filter_map(|(place, title)| {
            let at = context.anchors.of_place(place)?;
            Some(Location::physical(context, &at).says(title))
        })
        .collect();
    locations.push(Location::physical(context, anchor).says("here"));
    let locations = locations
        .into_iter()
        .enumerate()
        .map(|(at, location)| Step {
            execution_order: at + 1,
            location,
        });
    Some(CodeFlow {
        message: message("how it is reached"),
        thread_flows: vec![ThreadFlow {
            id: None,
            locations: locations.collect(),
        }],
    })
}
