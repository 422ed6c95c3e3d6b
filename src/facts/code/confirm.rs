//! What the source shows of the rules that a pack lets it confirm.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::effect::{Effect, EffectKind, OnError};
use crate::model::evidence::{Evidence, InputKind, ObservedBy, Reason, Why};
use crate::model::facts::Confirmation;
use crate::model::map::{ConsumerMap, MappedConsumer, WordBranch};
use crate::model::place::Place;
use crate::model::redelivery::KeySource;
use crate::rules::{ConfirmRule, ErrorRule, ReachedRule, Rules};

use super::interpreter::{branches, fits, is_interpreter};

/// Asks the map for every rule that wants a confirmation.
pub(in crate::facts) fn confirmations(
    map: &ConsumerMap,
    rules: &Rules,
    effects: &[Box<Effect>],
) -> Vec<Confirmation> {
    let cited: BTreeSet<&str> = effects
        .iter()
        .filter(|effect| effect.path.may_be_on())
        .flat_map(|effect| &effect.by_rule)
        .filter_map(|evidence| match &evidence.by {
            ObservedBy::Rule { entry, .. } => Some(&**entry),
            _ => None,
        })
        .collect();
    // A pack that says that errors are retried needs no place where they are dropped.
    let platform = rules.platform.as_ref();
    let swallows = platform.is_some_and(|(_, it)| it.on_error == ErrorRule::Swallowed);
    let runs: Vec<&MappedConsumer> = map
        .consumers
        .iter()
        .filter(|consumer| is_interpreter(map, rules, consumer))
        .collect();
    rules
        .confirms
        .iter()
        .map(|(pack, rule)| Confirmation {
            entry: format!("{pack}/{}", rule.id).into(),
            says: says(rule, &runs),
            is_used: rule.rules.iter().any(|id| cited.contains(&**id))
                && (!rule.drops_errors || swallows),
            shown: Asked {
                map,
                rules,
                rule,
                runs: &runs,
            }
            .shown()
            .map_err(Arc::new),
        })
        .collect()
}

/// What becomes of errors in what runs the flows: unknown where its parts differ, or do not show it.
fn settled(runs: &[&MappedConsumer]) -> OnError {
    let mut all = runs.iter().map(|run| super::errors_of(run));
    let first = all.next().unwrap_or(OnError::Unknown);
    match all.all(|other| other == first) {
        true => first,
        false => OnError::Unknown,
    }
}

/// Puts what the source shows of errors in place of what the pack says, for every effect that a rule
/// about errors speaks of.
pub(in crate::facts) fn settle_errors(
    map: &ConsumerMap,
    rules: &Rules,
    effects: &mut [Box<Effect>],
) {
    let runs = map.consumers.iter();
    let runs: Vec<&MappedConsumer> = runs.filter(|one| is_interpreter(map, rules, one)).collect();
    let shown = settled(&runs);
    if shown == OnError::Unknown {
        return;
    }
    let about: BTreeSet<&str> = rules
        .confirms
        .iter()
        .filter(|(_, rule)| rule.drops_errors)
        .flat_map(|(_, rule)| rule.rules.iter().map(|id| &**id))
        .collect();
    for effect in effects {
        let mut by = effect.by_rule.iter();
        let is_about = by.any(|evidence| match &evidence.by {
            ObservedBy::Rule { entry, .. } => about.contains(&**entry),
            _ => false,
        });
        if is_about {
            effect.on_error = shown;
        }
    }
}

fn says(rule: &ConfirmRule, runs: &[&MappedConsumer]) -> Arc<str> {
    match rule.drops_errors && settled(runs) == OnError::Retried {
        true => format!(
            "the source stands in place of the rule ({}): an error of a flow comes to the dispatcher, \
             which tries again",
            rule.says
        )
        .into(),
        false => Arc::clone(&rule.says),
    }
}

struct Asked<'a> {
    map: &'a ConsumerMap,
    rules: &'a Rules,
    rule: &'a ConfirmRule,
    /// Consumers that run flows.
    runs: &'a [&'a MappedConsumer],
}

impl Asked<'_> {
    fn shown(&self) -> Result<Vec<Arc<Evidence>>, Reason> {
        let Some(first) = self.runs.first() else {
            return Err(self.open(
                "no consumer of the source chooses by the action words of the pack",
                None,
                "give the source of what runs the flows (--source)",
            ));
        };
        let mut evidence = Vec::new();
        if self.rule.drops_errors {
            evidence.push(self.drops_errors(first)?);
        }
        if let Some(kind) = self.rule.one_place {
            evidence.push(self.one_place(kind)?);
        }
        if let Some(word) = &self.rule.word {
            evidence.extend(self.of_word(word, first)?);
        }
        Ok(evidence)
    }

    fn drops_errors(&self, first: &MappedConsumer) -> Result<Arc<Evidence>, Reason> {
        match &first.drops_errors {
            Some(place) => Ok(evidence(
                place.clone(),
                "an error of a call below ends here and is not handed on".to_owned(),
            )),
            // The fact of the source stands in place of the rule: effects are judged by it.
            None if settled(self.runs) == OnError::Retried => Ok(evidence(
                first
                    .hands_errors_on
                    .clone()
                    .unwrap_or_else(|| first.handler_at.clone()),
                "errors of every call below come back here, and are handed to the dispatcher"
                    .to_owned(),
            )),
            None => Err(self.open(
                "no place is found where an error of a flow is dropped, and not every call on the way \
                 is seen to hand its error on",
                Some(&first.handler_at),
                "describe what happens to errors in a rule pack (`on_error: retried`)",
            )),
        }
    }

    fn one_place(&self, kind: EffectKind) -> Result<Arc<Evidence>, Reason> {
        let places: BTreeSet<&Place> = self
            .runs
            .iter()
            .flat_map(|consumer| &consumer.effects)
            .filter(|effect| effect.kind == kind)
            .map(|effect| &effect.place)
            .collect();
        let mut all = places.into_iter();
        match (all.next(), all.next()) {
            (Some(only), None) => Ok(evidence(
                only.clone(),
                format!("the one {} effect of what runs the flows", kind.word()),
            )),
            (Some(first), Some(second)) => Err(self.open(
                &format!("there is one at {first} and one at {second}"),
                Some(second),
                "describe the other call in a rule pack, or take it off the path",
            )),
            (None, _) => Err(self.open(
                &format!("what runs the flows reaches no {} effect", kind.word()),
                None,
                "see that the source is complete",
            )),
        }
    }

    /// What the code of a word shows: that which compares with the word last.
    fn of_word(&self, word: &str, first: &MappedConsumer) -> Result<Vec<Arc<Evidence>>, Reason> {
        let mut inner = branches(self.map, first)
            .filter(|branch| branch.word.eq_ignore_ascii_case(word) && !branch.passes_on)
            .peekable();
        if inner.peek().is_none() {
            return Err(self.open(
                &format!("what runs the flows compares nothing with `{word}`"),
                Some(&first.handler_at),
                "see that the source is complete, or describe the word in a rule pack",
            ));
        }
        let mut all = Vec::new();
        for branch in inner {
            all.extend(self.of_branch(branch)?);
        }
        Ok(all)
    }

    fn of_branch(&self, branch: &WordBranch) -> Result<Vec<Arc<Evidence>>, Reason> {
        let word = &branch.word;
        let mut all = Vec::new();
        for wanted in &self.rule.reaches {
            let mut effects = branch.effects.iter();
            match effects.find(|effect| fits(wanted, effect, self.rules)) {
                Some(effect) => all.push(evidence(
                    effect.place.clone(),
                    format!(
                        "`{word}` ({}) reaches {} {}",
                        branch.function,
                        effect.kind.word(),
                        effect.target
                    ),
                )),
                None => {
                    let what = format!("what `{word}` runs reaches no {}", words_of(wanted));
                    return Err(self.refuted(branch, &what));
                }
            }
        }
        if self.rule.reaches_nothing {
            match branch.effects.first() {
                None if !branch.has_gaps => all.push(evidence(
                    branch.place.clone(),
                    format!("`{word}` ({}) reaches no effect", branch.function),
                )),
                None => return Err(self.refuted(branch, "what it runs is not known to the end")),
                Some(effect) => {
                    let what = format!(
                        "`{word}` reaches {} {} at {}",
                        effect.kind.word(),
                        effect.target,
                        effect.place
                    );
                    return Err(self.refuted(branch, &what));
                }
            }
        }
        if self.rule.adds_no_key {
            match branch.key_names.first() {
                None if !branch.has_gaps => all.push(evidence(
                    branch.place.clone(),
                    format!("the code of `{word}` writes no name of an idempotency key"),
                )),
                None => return Err(self.refuted(branch, "what it runs is not known to the end")),
                // A key that is made of the event is better than none.
                Some(_) if self.key_of_event().is_some() => all.extend(self.key_of_event()),
                Some((name, place)) => {
                    let what = format!("the code of `{word}` writes `{name}` at {place}");
                    return Err(self.refuted(branch, &what));
                }
            }
        }
        if self.rule.skips_equal {
            match &branch.skips_equal {
                Some(place) => all.push(evidence(
                    place.clone(),
                    "the update is left out where no value differs".to_owned(),
                )),
                None => {
                    let what = "no return before the update is found that depends on a difference";
                    return Err(self.refuted(branch, what));
                }
            }
        }
        if !self.rule.finds_first.is_empty() {
            match &branch.takes_row {
                Some(place) => all.push(evidence(
                    place.clone(),
                    "where the key is taken, the row that a lookup finds is used".to_owned(),
                )),
                None => {
                    let what = "no lookup before the insert is found, with a branch for the engine's \
                                code that looks again";
                    return Err(self.refuted(branch, what));
                }
            }
        }
        Ok(all)
    }

    /// What shows that every call out of what runs the flows carries a key made of its event.
    fn key_of_event(&self) -> Option<Arc<Evidence>> {
        let calls = self.runs.iter().flat_map(|run| &run.effects);
        let mut shown = None;
        for call in calls.filter(|effect| effect.kind == EffectKind::Http) {
            let key = call.key.as_ref()?;
            if !matches!(key.from, KeySource::EventId | KeySource::Snapshot) {
                return None;
            }
            shown = shown.or_else(|| {
                let says = format!(
                    "the code gives each call a key of its own, made of {}: that stands in place of the rule",
                    key.from.word()
                );
                Some(evidence(key.place.clone(), says))
            });
        }
        shown
    }

    fn refuted(&self, branch: &WordBranch, what: &str) -> Reason {
        let more = match branch.has_gaps {
            true => ", and a call of it cannot be followed",
            false => "",
        };
        self.open(
            &format!("{what}{more}"),
            Some(&branch.place),
            "describe what the code does in a rule pack of your own (--rules), or mend the code",
        )
    }

    fn open(&self, what: &str, place: Option<&Place>, next_step: &str) -> Reason {
        Reason {
            why: Why::NotDecidable,
            needs: Some(InputKind::Source),
            sentence: format!("the source does not show that {}: {what}", self.rule.says),
            place: place.cloned(),
            next_step: next_step.into(),
        }
    }
}

fn words_of(wanted: &ReachedRule) -> String {
    let kinds: Vec<&str> = wanted
        .kind
        .iter()
        .chain(&wanted.kinds)
        .map(|kind| kind.word())
        .collect();
    let tables: Vec<&str> = wanted.tables.iter().map(|table| &**table).collect();
    let of = match (wanted.outbox, tables.as_slice()) {
        (true, _) => " into the outbox".to_owned(),
        (false, []) => String::new(),
        (false, tables) => format!(" of {}", tables.join(" or ")),
    };
    format!("{}{of}", kinds.join(" or "))
}

fn evidence(place: Place, says: String) -> Arc<Evidence> {
    Arc::new(Evidence {
        input: InputKind::Source,
        by: ObservedBy::Text,
        place,
        says: says.into(),
    })
}
