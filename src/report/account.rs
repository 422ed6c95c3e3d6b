//! What is told of one effect in every detailed view: how it is reached, what each further delivery
//! does, where its values come from.

use std::borrow::Cow;

use crate::model::check::FurtherDelivery;
use crate::model::consumer::{Consumer, ConsumerId};
use crate::model::effect::{Assignment, Effect};
use crate::model::report::{EffectRow, Report};
use crate::model::secret::{asterisks, is_secret_name};

use super::words;

/// One step from the event to the effect.
pub(crate) struct PathStep<'r> {
    /// What it is.
    pub(crate) what: String,
    /// Where it stands; none of the event.
    pub(crate) place: Option<String>,
    /// The consumer that it is, when it is one.
    pub(crate) consumer: Option<&'r ConsumerId>,
}

/// The consumer of that id.
pub(crate) fn consumer<'r>(report: &'r Report, id: &ConsumerId) -> Option<&'r Consumer> {
    let consumers = &report.consumers;
    let at = consumers.binary_search_by(|one| one.id.cmp(id)).ok()?;
    consumers.get(at)
}

/// The way from the event to the effect, with at most so many hops between.
pub(crate) fn path<'r>(report: &'r Report, row: &'r EffectRow, most: usize) -> Vec<PathStep<'r>> {
    let effect = &row.facts.effect;
    let step = |what: String, place: Option<String>| PathStep {
        what,
        place,
        consumer: None,
    };
    let mut steps = Vec::new();
    if let Some(consumer) = consumer(report, &effect.consumer) {
        steps.push(step(words::event(&consumer.trigger), None));
        steps.push(PathStep {
            what: consumer.title.to_string(),
            place: Some(consumer.place.to_string()),
            consumer: Some(&consumer.id),
        });
    }
    let hops = effect.trail.iter().take(most);
    steps.extend(hops.map(|hop| step(hop.title.to_string(), Some(hop.place.to_string()))));
    let more = effect.trail.len().saturating_sub(most);
    if more > 0 {
        steps.push(step(words::many(more, "more hop"), None));
    }
    steps.push(step(words::effect(effect), Some(effect.place.to_string())));
    steps
}

/// What a further delivery does, scenario by scenario.
pub(crate) fn deliveries(row: &EffectRow) -> [(&'static str, &'static str); 4] {
    let further = &row.facts.further;
    [
        ("the same event again, later", further.sequential),
        ("beside a holder that still runs", further.concurrent),
        ("after a run that ended half-way", further.after_prefix),
        ("after the guard has lapsed", further.guard_lapsed),
    ]
    .map(|(scenario, word)| {
        (
            scenario,
            word.map_or("does not arise", FurtherDelivery::word),
        )
    })
}

/// The value that an effect assigns, as text. What leaves the database may hold a secret and is not shown;
/// a constant of a field whose name says that it is secret is covered.
pub(crate) fn value<'r>(effect: &Effect, write: &'r Assignment) -> Cow<'r, str> {
    match effect.kind.is_external() {
        true => "not shown: it leaves the database".into(),
        false => constant(write),
    }
}

/// The value of an assignment inside the database.
pub(crate) fn constant(write: &Assignment) -> Cow<'_, str> {
    let text = &*write.value.text;
    match write.value.draws.is_empty() && is_secret_name(&write.field) {
        true => asterisks(text).into(),
        false => text.into(),
    }
}

/// Where the value of an assignment comes from, each source once.
pub(crate) fn sources(write: &Assignment) -> String {
    let mut sources: Vec<&str> = Vec::new();
    for draw in &write.value.draws {
        let word = draw.source.word();
        if !sources.contains(&word) {
            sources.push(word);
        }
    }
    match sources.is_empty() {
        true => "constant".to_owned(),
        false => sources.join(", "),
    }
}
