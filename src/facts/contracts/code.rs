//! The code of a contract: that the function which is named stands on the way to the effect, comes
//! before it and decides about it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::effect::EffectKind;
use crate::model::evidence::{Evidence, InputKind, ObservedBy, Why};
use crate::model::map::{ConsumerMap, MappedEffect};
use crate::model::nearest::nearest;
use crate::model::place::Place;
use crate::model::redelivery::{KeySource, Worth};
use crate::model::scope::{Contract, ContractKind, ContractPart, Declared};

use super::{ContractInput, open};

/// What was found out about the code that keeps the contract.
pub(super) fn part(input: &ContractInput<'_>, contract: &Contract) -> ContractPart {
    let Some(code) = &contract.code else {
        return open(
            Why::NotResolved,
            Some(InputKind::Source),
            "no code is named that keeps it".into(),
            &contract.consumer.place,
            "add `code` with the function that does",
        );
    };
    let Some(map) = input.map else {
        return open(
            Why::NotGiven,
            Some(InputKind::Source),
            format!(
                "its code `{}` was not looked for: no source was read",
                code.value
            ),
            &code.place,
            "give the source (--source)",
        );
    };
    let search = Search {
        map,
        contract,
        code,
    };
    search.part()
}

struct Search<'i> {
    map: &'i ConsumerMap,
    contract: &'i Contract,
    code: &'i Declared,
}

impl<'i> Search<'i> {
    fn part(&self) -> ContractPart {
        let on_the_way: Vec<&MappedEffect> = self.effects().filter(|it| self.passes(it)).collect();
        let guarded: Vec<&MappedEffect> = self.effects().filter(|it| self.is_guarded(it)).collect();
        if on_the_way.is_empty() && guarded.is_empty() {
            return self.missing();
        }
        // The effects that it is about are all of the kind that it is on the way to.
        let kinds: BTreeSet<EffectKind> = match self.contract.kind {
            ContractKind::IdempotencyKey => on_the_way.iter().map(|it| it.kind).collect(),
            _ => guarded
                .iter()
                .chain(&on_the_way)
                .map(|it| it.kind)
                .collect(),
        };
        let kinds: BTreeSet<EffectKind> = kinds
            .into_iter()
            .filter(|kind| kind.is_external())
            .collect();
        let mut shown = None;
        for effect in self.effects().filter(|it| kinds.contains(&it.kind)) {
            let part = match self.contract.kind {
                ContractKind::IdempotencyKey => self.key(effect),
                _ => self.guard(effect),
            };
            match part {
                ContractPart::Holds(_) => shown = shown.or(Some(part)),
                other => return other,
            }
        }
        shown.unwrap_or_else(|| {
            self.undecided("it is on a way from a handler, and no call to the outside is behind it")
        })
    }

    /// Effects of the consumer, where the source has it; of all that run flows else.
    fn effects(&self) -> impl Iterator<Item = &'i MappedEffect> {
        let contract: &'i Contract = self.contract;
        let name: &'i str = &contract.consumer.value;
        let is_it = move |id: &str| id == name;
        let known = self.map.consumers.iter().any(|one| is_it(&one.id.0));
        let consumers = self.map.consumers.iter();
        consumers
            .filter(move |one| !known || is_it(&one.id.0))
            .flat_map(|one| &one.effects)
    }

    fn is_code(&self, function: &str) -> bool {
        let before = function.strip_suffix(&*self.code.value);
        before.is_some_and(|before| before.is_empty() || before.ends_with(['.', ':', '/']))
    }

    fn stands_in_code(&self, place: &Place) -> bool {
        self.map
            .function_at(place)
            .is_some_and(|function| self.is_code(function))
    }

    /// True if a call of the function, or the function itself, leads to the effect.
    fn passes(&self, effect: &MappedEffect) -> bool {
        effect.path.iter().any(|hop| self.is_code(&hop.function))
            || self.stands_in_code(&effect.place)
    }

    fn is_guarded(&self, effect: &MappedEffect) -> bool {
        let mut guards = effect.guards.iter();
        guards.any(|guard| self.stands_in_code(&guard.place))
    }

    /// The key that a call gives to the other side.
    fn key(&self, effect: &MappedEffect) -> ContractPart {
        if !self.passes(effect) {
            return self.undecided(&format!(
                "another call to the outside at {} does not come by it",
                effect.place
            ));
        }
        let Some(key) = &effect.key else {
            return self.undecided(&format!(
                "no key is seen that it gives to the call at {}",
                effect.place
            ));
        };
        match key.from {
            KeySource::EventId | KeySource::Snapshot => holds(
                &key.place,
                format!(
                    "`{}` gives the call at {} a key made of {}",
                    self.code.value,
                    effect.place,
                    key.from.word()
                ),
            ),
            KeySource::Unknown => self.undecided(&format!(
                "what the key at {} is made of is not followed",
                key.place
            )),
            other => ContractPart::Fails(
                format!(
                    "the key that `{}` gives to the call is made of {}",
                    self.code.value,
                    other.word()
                )
                .into(),
                key.place.clone(),
            ),
        }
    }

    /// The claim that comes before a call.
    fn guard(&self, effect: &MappedEffect) -> ContractPart {
        let mut guards = effect.guards.iter();
        let Some(guard) = guards.find(|guard| self.stands_in_code(&guard.place)) else {
            return self.undecided(&format!(
                "no claim of it is seen before the call at {}",
                effect.place
            ));
        };
        if !guard.dominates {
            return ContractPart::Fails(
                format!(
                    "a way to the call at {} goes past the claim of `{}`",
                    effect.place, self.code.value
                )
                .into(),
                guard.place.clone(),
            );
        }
        match guard.worth {
            Worth::Full => holds(
                &guard.place,
                format!(
                    "`{}` claims the event before the call at {}",
                    self.code.value, effect.place
                ),
            ),
            // What is left is what the policy for an attempt in doubt speaks of.
            Worth::Partial if self.contract.kind == ContractKind::AttemptLedger => holds(
                &guard.place,
                format!(
                    "`{}` writes the attempt before the call at {}",
                    self.code.value, effect.place
                ),
            ),
            _ => self.undecided(&format!("its claim at {}: {}", guard.place, guard.why)),
        }
    }

    fn missing(&self) -> ContractPart {
        let name = &*self.code.value;
        let mut known: Vec<&str> = self
            .effects()
            .flat_map(|effect| {
                let hops = effect.path.iter().map(|hop| &*hop.function);
                hops.chain(self.map.function_at(&effect.place))
            })
            .collect();
        known.sort_unstable();
        known.dedup();
        let near = nearest(name, &known)
            .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        open(
            Why::NotResolved,
            Some(InputKind::Source),
            format!("no function `{name}` is on the way from a handler to an effect{near}"),
            &self.code.place,
            "correct `code`, or give the source that has it (--source)",
        )
    }

    fn undecided(&self, why: &str) -> ContractPart {
        open(
            Why::NotDecidable,
            None,
            format!("its code `{}`: {why}", self.code.value),
            &self.code.place,
            "read it; who answers for it can accept the doubt until a day (`outbox-audit waive`)",
        )
    }
}

fn holds(place: &Place, says: String) -> ContractPart {
    ContractPart::Holds(Arc::new(Evidence {
        input: InputKind::Source,
        by: ObservedBy::Text,
        place: place.clone(),
        says: says.into(),
    }))
}
