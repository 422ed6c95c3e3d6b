//! Names that must lead somewhere: packs, flows, consumers, checks, objects and fields that the
//! configuration speaks of.

use std::collections::HashSet;

use super::problem::{Problem, Quote};
use super::secret::shown;
use super::types::Config;
use crate::input::names::{Extent, KnownNames};
use crate::model::nearest::nearest_few;
use crate::model::place::Place;
use crate::model::scope::{Declared, NaturalKey};

/// Reports every name that does not exist. Checks and packs are always known; of flows, consumers,
/// objects and fields as much is said as was read.
///
/// A contract or exclusion speaks of a consumer's id or of a flow's name.
pub fn check_names(
    config: &Config,
    names: &KnownNames<'_>,
    check_ids: &[&str],
    packs: &[&str],
) -> Vec<Problem> {
    let said = &config.declarations;
    let mut problems = Vec::new();
    let pack_names = config.gate_pack.iter().chain(&config.packs);
    problems.extend(pack_names.filter_map(|name| missing(config, name, "rule pack", packs, packs)));
    let checks = said.waivers.iter().map(|waiver| &waiver.check);
    problems.extend(checks.filter_map(|name| missing(config, name, "check", check_ids, check_ids)));
    if let Some(flows) = &names.flows {
        let deferred = said.deferred.iter().map(|deferred| &deferred.flow);
        let named = said.named.iter().chain(deferred);
        problems.extend(named.filter_map(|name| missing(config, name, "flow", flows, flows)));
        let ids: Vec<&str> = names.consumers.iter().map(String::as_str).collect();
        // Either spelling leads to a consumer; there are as many as there are ids.
        let spellings = [flows.as_slice(), ids.as_slice()].concat();
        let contracts = said.contracts.iter().map(|contract| &contract.consumer);
        let exclusions = said.exclusions.iter().map(|exclusion| &exclusion.consumer);
        let consumers = contracts.chain(exclusions);
        problems.extend(
            consumers.filter_map(|name| missing(config, name, "consumer", &spellings, &ids)),
        );
        // An effect is known by the consumer whose id its own begins with; effects come later.
        let known: HashSet<&str> = spellings.iter().copied().collect();
        let is_of = |name: &Declared| {
            let ends = name.value.match_indices('/').map(|(at, _)| at);
            let mut begins = ends.filter_map(|at| name.value.get(..at));
            known.contains(&*name.value) || begins.any(|id| known.contains(id))
        };
        let proven = said.tests.iter().flat_map(|mapping| &mapping.proves);
        let strange = proven.filter(|name| !is_of(name));
        problems
            .extend(strange.filter_map(|name| missing(config, name, "consumer", &spellings, &ids)));
    }
    for (object, key) in &said.natural_keys {
        problems.extend(natural_key(config, object, key, names));
    }
    problems.sort_by(|a, b| a.place.cmp(&b.place));
    problems
}

/// What is wrong with the names of a business key: the object, or fields of one that is known.
fn natural_key(
    config: &Config,
    object: &str,
    key: &NaturalKey,
    names: &KnownNames<'_>,
) -> Vec<Problem> {
    let objects = &names.objects;
    if !objects.may_have(object) {
        let known = objects.names();
        let near = nearest_few(object, &known, 1);
        // A list that may be a part shows a slip only where it has the name that was meant.
        if objects.extent() == Extent::Part && near.is_empty() {
            return Vec::new();
        }
        return vec![nowhere(
            config, object, &key.place, "object", &known, &known,
        )];
    }
    let Some(fields) = objects.fields(object) else {
        return Vec::new();
    };
    let what = format!("field of {}", shown(object));
    key.fields
        .iter()
        .zip(&key.field_places)
        .filter(|(field, _)| !fields.iter().any(|one| one.eq_ignore_ascii_case(field)))
        .map(|(field, place)| nowhere(config, field, place, &what, &fields, &fields))
        .collect()
}

fn missing(
    config: &Config,
    name: &Declared,
    what: &str,
    known: &[&str],
    counted: &[&str],
) -> Option<Problem> {
    let there = known.contains(&&*name.value);
    (!there).then(|| nowhere(config, &name.value, &name.place, what, known, counted))
}

fn nowhere(
    config: &Config,
    name: &str,
    place: &Place,
    what: &str,
    known: &[&str],
    counted: &[&str],
) -> Problem {
    let near: Vec<String> = nearest_few(name, known, 3)
        .into_iter()
        .map(|near| format!("`{near}`"))
        .collect();
    let label = match near.as_slice() {
        [] => None,
        [one] => Some(format!("did you mean {one}?")),
        [first @ .., last] => Some(format!("did you mean {} or {last}?", first.join(", "))),
    };
    let help = near.is_empty().then(|| match counted {
        [] => format!("no {what} was read at all"),
        [only] => format!("the only {what} is `{only}`"),
        many => format!("none of the {} {} is called so", many.len(), plural(what)),
    });
    Problem {
        sentence: format!("no {what} is called `{}`", shown(name)),
        place: place.clone(),
        quote: place
            .span()
            .and_then(|span| Quote::of(&config.file, span.start, span.end)),
        label,
        help,
    }
}

/// `fields of Lead`, `consumers`.
fn plural(what: &str) -> String {
    match what.split_once(' ') {
        Some((noun, rest)) if rest.starts_with("of ") => format!("{noun}s {rest}"),
        _ => format!("{what}s"),
    }
}
