//! Consumers of the neutral format.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::at::At;
use super::format::{self, TriggerWord};
use super::{Reader, problem};
use crate::model::consumer::{
    Consumer, ConsumerId, ConsumerOrigin, OffPath, PathState, Phase, Trigger, Via,
};
use crate::model::evidence::Why;
use crate::model::metadata::DeclaredConsumer;

/// What the ids of this format begin with.
pub(super) const PREFIX: &str = "declared:";

impl Reader<'_> {
    /// A consumer with its effects; none, with a problem, if its id is none.
    pub(super) fn consumer(&mut self, raw: format::Consumer) -> Option<DeclaredConsumer> {
        if !self.is_id(&raw.id) || !self.is_named("event", &raw.event) {
            return None;
        }
        let id: Arc<str> = raw.id.value.as_str().into();
        let path = self.path(&raw);
        let phase = match raw.trigger.as_ref().map(|it| it.value) {
            None | Some(TriggerWord::AfterCommit) => Phase::AfterCommit,
            Some(TriggerWord::InsideSave) => Phase::InsideSave,
            Some(TriggerWord::Elsewhere) => Phase::Elsewhere,
        };
        let event: Arc<str> = raw.event.value.as_str().into();
        let conditions = raw.conditions.iter().map(|it| self.value(it, &[]));
        let trigger = Trigger {
            event: (phase != Phase::Elsewhere).then(|| Arc::clone(&event)),
            object: raw.object.map(Arc::from),
            word: event,
            phase,
            conditions: conditions.collect(),
        };
        let consumer = Consumer {
            id: ConsumerId(format!("{PREFIX}{id}").into()),
            title: raw.title.map_or_else(|| Arc::clone(&id), Arc::from),
            origin: ConsumerOrigin::Declared,
            trigger,
            path,
            gaps: Vec::new(),
            place: raw.id.place(self.file),
        };
        let mut results: Vec<Arc<str>> = Vec::new();
        let mut ids = BTreeMap::new();
        let mut effects = Vec::with_capacity(raw.effects.len());
        for at in raw.effects {
            for mut effect in self.effects(at.value, &consumer, effects.len(), &results) {
                if let Some(name) = &effect.result_name
                    && !results.contains(name)
                {
                    results.push(Arc::clone(name));
                }
                let same: &mut usize = ids.entry(effect.id.clone()).or_default();
                *same += 1;
                if *same > 1 {
                    effect.id.0 = format!("{}#{same}", effect.id).into();
                }
                effects.push(effect);
            }
        }
        Some(DeclaredConsumer { consumer, effects })
    }

    /// Whether it lies on the path, as far as the declaration alone tells.
    fn path(&mut self, raw: &format::Consumer) -> PathState {
        let id = &raw.id.value;
        if let Some(active) = raw.active.as_ref().filter(|active| !active.value) {
            let place = active.place(self.file);
            let reason = raw.reason.as_ref();
            return match reason.and_then(|it| it.filled(self.file)) {
                Some(why) => PathState::Off(OffPath {
                    why: why.into(),
                    place,
                    awaits_write: false,
                    slip: false,
                }),
                None => {
                    let gap = problem(
                        Why::NotParsed,
                        format!("the consumer `{id}` is declared inactive without a reason"),
                        place,
                        "add `reason`: why it is inactive, and how that shows",
                    );
                    self.problems.push(gap.clone());
                    PathState::Unknown(Box::new(gap))
                }
            };
        }
        if let Some(reason) = &raw.reason {
            let place = reason.place(self.file);
            self.complain(
                Why::NotParsed,
                format!("the consumer `{id}` has a `reason` but is active"),
                place,
                "add `active: false`, or remove `reason`",
            );
        }
        let Some(trigger) = &raw.trigger else {
            return PathState::On(Via::Delivery);
        };
        match trigger.value {
            TriggerWord::AfterCommit => PathState::On(Via::Delivery),
            TriggerWord::InsideSave => PathState::Unknown(Box::new(problem(
                Why::NotResolved,
                format!("which writes on the path run `{id}` inside them is not known"),
                trigger.place(self.file),
                "declare the effects that write its object",
            ))),
            TriggerWord::Elsewhere => PathState::Off(OffPath {
                why: format!("`{id}` runs on a schedule or by hand, not from the outbox").into(),
                place: trigger.place(self.file),
                awaits_write: false,
                slip: false,
            }),
        }
    }

    /// Ids enter fingerprints and paths of subjects: no white space, no `/`.
    pub(super) fn is_id(&mut self, id: &At<String>) -> bool {
        let bad = |each: char| each.is_whitespace() || each.is_control() || each == '/';
        if id.filled(self.file).is_some() && !id.value.contains(bad) {
            return true;
        }
        let sentence = format!(
            "`{}` is no id, and what it names is left out",
            id.value.escape_debug()
        );
        let place = id.place(self.file);
        self.complain(
            Why::NotParsed,
            sentence,
            place,
            "use letters, digits, `-`, `_` and `.`",
        );
        false
    }

    /// True of a text that is not empty.
    pub(super) fn is_named(&mut self, key: &str, at: &At<String>) -> bool {
        if at.filled(self.file).is_some() {
            return true;
        }
        let place = at.place(self.file);
        let sentence = format!("`{key}` is empty, and what it belongs to is left out");
        self.complain(Why::NotParsed, sentence, place, "name it");
        false
    }
}
