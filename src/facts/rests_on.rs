//! The guards that a set rests on without having them itself: those of the creates whose rows it
//! uses, and of the creates that it runs inside. Where one is lost, the set turns with the create.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::model::consumer::{ConsumerId, PathState, Via};
use crate::model::effect::{Effect, EffectId, EffectKind};
use crate::model::evidence::Evidence;
use crate::model::guard::CreateFacts;
use crate::model::value::ValueSource;

use super::judge::{Judging, consumer};

/// The guards of each effect, in the order of the effects.
pub(super) fn guards(
    judging: &Judging<'_>,
    effects: &[Box<Effect>],
    creates: &[Option<Box<CreateFacts>>],
    position: &HashMap<EffectId, usize>,
) -> Vec<Vec<Arc<Evidence>>> {
    let guard = |at: usize| {
        let create = creates.get(at)?.as_ref()?;
        create.is_guarded().then_some(&create.guard()?.evidence)
    };
    // The rows that the steps of a consumer made so far, by the names of their results. Effects of
    // one consumer stand together.
    let mut made: BTreeMap<&str, &Arc<Evidence>> = BTreeMap::new();
    let mut of: Option<&ConsumerId> = None;
    let mut all = Vec::with_capacity(effects.len());
    for (at, effect) in effects.iter().enumerate() {
        if of != Some(&effect.consumer) {
            of = Some(&effect.consumer);
            made.clear();
        }
        let mut found: Vec<Arc<Evidence>> = Vec::new();
        for step in effect
            .values()
            .flat_map(|value| &value.draws)
            .filter(|draw| draw.source == ValueSource::Snapshot)
            .filter_map(|draw| draw.step())
        {
            found.extend(made.get(step).map(|guard| Arc::clone(guard)));
        }
        if effect.kind == EffectKind::RecordSet {
            found.extend(
                carriers(judging, effect).filter_map(|id| guard(*position.get(id)?).cloned()),
            );
        }
        found.sort();
        found.dedup();
        all.push(found);
        if let (Some(name), Some(evidence)) = (&effect.result_name, guard(at)) {
            made.insert(name, evidence);
        }
    }
    all
}

/// The writes that run a consumer inside them.
fn carriers<'a>(judging: &Judging<'a>, effect: &Effect) -> impl Iterator<Item = &'a EffectId> {
    let path = consumer(judging, &effect.consumer).map(|consumer| &consumer.path);
    let carriers = match path {
        Some(PathState::On(Via::Writes(carriers))) => carriers.as_slice(),
        _ => &[],
    };
    carriers.iter()
}
