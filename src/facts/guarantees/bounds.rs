//! `bounded-loop` and `bounded-retry`.

use std::sync::Arc;

use crate::model::guarantee::{BoundedLoop, BoundedRetry, Node, Outline, Test, What};
use crate::model::place::Place;
use crate::model::scope::ContractPart;

use super::answer::{fails, holds, open};
use super::key::is_type;
use super::survey::takes_all;
use super::{Asked, each};

/// More tries than this are no bound.
const MOST: u64 = 1_000;

/// `bounded-loop`: every way that asks for another round stands under a bound.
pub(super) fn looped(asked: &Asked<'_>, kind: &BoundedLoop) -> (Vec<ContractPart>, String) {
    let repair = format!("bound the rounds in front of `{}`", kind.again);
    let outline = match asked.outline(&kind.function) {
        Ok(outline) => outline,
        Err(part) => return (vec![part], repair),
    };
    let mut found = Vec::new();
    again(&outline.nodes, &kind.again, &mut Vec::new(), &mut found);
    let mut parts: Vec<ContractPart> = Vec::new();
    for (place, bounded) in &found {
        parts.push(match bounded {
            true => holds(
                place,
                format!(
                    "another round of `{}` is asked for under a bound only",
                    kind.again
                ),
            ),
            false => fails(
                place,
                format!(
                    "nothing bounds how often `{}` is asked for again",
                    kind.again
                ),
            ),
        });
    }
    if parts.is_empty() {
        let why = format!(
            "no way of `{}` that gives `{}` is seen",
            kind.function, kind.again
        );
        parts.push(open(
            &outline.place,
            why,
            "name the function that decides about another round",
        ));
    }
    let goes_on = ends_otherwise(&outline.nodes, &kind.again);
    if !goes_on {
        parts.push(fails(
            &outline.place,
            format!("every way gives `{}`: the loop never ends", kind.again),
        ));
    }
    (parts, repair)
}

/// Ways that give a word, and whether a bound stands around them or in front of them.
fn again(nodes: &[Node], word: &str, around: &mut Vec<bool>, found: &mut Vec<(Place, bool)>) {
    let depth = around.len();
    for node in nodes {
        match &node.what {
            What::Return(test) if gives(test, word) => {
                found.push((node.place.clone(), around.iter().any(|bound| *bound)));
            }
            What::Branch { test, arms } => {
                around.push(bounds(test));
                for arm in arms {
                    again(arm, word, around, found);
                }
                around.pop();
                // An arm that ends leaves the rest to what it is not.
                if arms.iter().any(|arm| ends(arm)) {
                    around.push(bounds(test));
                }
            }
            What::Loop { body, .. } | What::Transaction(body) => again(body, word, around, found),
            What::Try {
                body,
                handlers,
                finally,
            } => {
                again(body, word, around, found);
                handlers
                    .iter()
                    .for_each(|one| again(&one.body, word, around, found));
                again(finally, word, around, found);
            }
            _ => {}
        }
    }
    around.truncate(depth);
}

fn ends(nodes: &[Node]) -> bool {
    nodes
        .iter()
        .any(|node| matches!(node.what, What::Return(_) | What::Raise(_)))
}

fn gives(test: &Test, word: &str) -> bool {
    test.constant.as_deref() == Some(word)
        || (test.constant.is_none() && test.literals.iter().any(|text| &**text == word))
}

/// A number that is compared by its order with one that is known; where any one of several conditions is
/// enough it bounds nothing.
fn bounds(test: &Test) -> bool {
    let number = test.literals.iter().any(|text| text.parse::<u64>().is_ok());
    test.ordered && number && !test.either
}

fn ends_otherwise(nodes: &[Node], word: &str) -> bool {
    let mut other = false;
    each(nodes, &mut |node| {
        if let What::Return(test) = &node.what {
            other |= !gives(test, word) || test.constant.is_none();
        }
    });
    other
}

/// `bounded-retry`: a bound that is known, and only errors that pass by themselves.
pub(super) fn retried(asked: &Asked<'_>, kind: &BoundedRetry) -> (Vec<ContractPart>, String) {
    let repair = format!(
        "retry a known number of times, only on {}",
        kind.only_on.join(", ")
    );
    let outline = match asked.outline(&kind.function) {
        Ok(outline) => outline,
        Err(part) => return (vec![part], repair),
    };
    let mut parts = match &kind.bound {
        Some(bound) => vec![by_library(outline, kind, bound)],
        None => by_hand(outline, kind),
    };
    match &kind.told_by {
        Some(told) => match asked.outline(told) {
            Ok(outline) => parts.extend(told_by(outline, kind)),
            Err(part) => parts.push(part),
        },
        None if kind.bound.is_some() => parts.push(on(outline, kind)),
        None => {}
    }
    (parts, repair)
}

/// What calls of a function are given by a name.
fn named<'o>(outline: &'o Outline, name: &str) -> Vec<(&'o Place, &'o Test)> {
    let mut found = Vec::new();
    let mut see = |node: &'o Node| {
        if let What::Call(call) = &node.what {
            let given = call.named.iter().filter(|(known, _)| **known == *name);
            found.extend(given.map(|(_, test)| (&node.place, test)));
        }
    };
    each(&outline.decorators, &mut see);
    each(&outline.nodes, &mut see);
    found
}

fn by_library(outline: &Outline, kind: &BoundedRetry, bound: &str) -> ContractPart {
    let given = named(outline, bound);
    let Some((place, test)) = given.first() else {
        return fails(
            &outline.place,
            format!(
                "`{}` gives no {bound}: nothing bounds the retries",
                kind.function
            ),
        );
    };
    let numbers: Vec<u64> = test
        .literals
        .iter()
        .filter_map(|text| text.parse().ok())
        .collect();
    let one = test
        .constant
        .as_ref()
        .and_then(|text| text.parse::<u64>().ok());
    // `stop_after_attempt(3)`: the one number of a call.
    let number = one.or(match (&numbers[..], test.calls.len()) {
        ([one], 1) => Some(*one),
        _ => None,
    });
    match number {
        Some(number) if number <= MOST => holds(place, format!("{number} tries at most")),
        Some(number) => fails(place, format!("{number} tries are no bound")),
        None if test.constant.as_deref() == Some("None")
            || test.literals.iter().any(|it| &**it == "None") =>
        {
            fails(
                place,
                format!("{bound} is None: nothing bounds the retries"),
            )
        }
        None if numbers.iter().any(|number| *number > 1) && test.calls.is_empty() => fails(
            place,
            format!("{bound} is computed, and no number that can be read bounds the retries"),
        ),
        None => open(
            place,
            format!("what {bound} is cannot be told"),
            "give a number or a constant",
        ),
    }
}

/// The argument that says which errors are retried: types by name.
fn on(outline: &Outline, kind: &BoundedRetry) -> ContractPart {
    let Some(name) = &kind.errors else {
        return open(
            &outline.place,
            "which errors are retried is not declared",
            "add `errors` or `told_by` to the guarantee",
        );
    };
    match named(outline, name).first() {
        None => fails(
            &outline.place,
            format!(
                "`{}` gives no {name}: every error is retried",
                kind.function
            ),
        ),
        Some((place, test)) => {
            let types: Vec<&Arc<str>> = test.names.iter().collect();
            match types.is_empty() {
                true => open(
                    place,
                    "which errors are retried cannot be told",
                    "name their types",
                ),
                false => only(place, &types, kind),
            }
        }
    }
}

fn only(place: &Place, types: &[&Arc<str>], kind: &BoundedRetry) -> ContractPart {
    let other = types
        .iter()
        .find(|of| !kind.only_on.iter().any(|known| is_type(of, Some(known))));
    match other {
        Some(other) => fails(
            place,
            format!("{other} is retried too: what stays wrong is tried again"),
        ),
        None => holds(place, "only errors that pass by themselves are retried"),
    }
}

/// A function that says which errors are retried: it says yes only to some types.
fn told_by(outline: &Outline, kind: &BoundedRetry) -> Vec<ContractPart> {
    let mut parts = Vec::new();
    says_yes(&outline.nodes, &mut Vec::new(), kind, &mut parts);
    if parts.is_empty() {
        parts.push(open(
            &outline.place,
            "which errors it says yes to is not seen",
            "compare their types with isinstance",
        ));
    }
    parts
}

fn says_yes(
    nodes: &[Node],
    around: &mut Vec<Vec<Arc<str>>>,
    kind: &BoundedRetry,
    parts: &mut Vec<ContractPart>,
) {
    for node in nodes {
        match &node.what {
            What::Return(test) => {
                if matches!(test.constant.as_deref(), Some("false" | "None")) {
                    continue;
                }
                let types: Vec<&Arc<str>> =
                    test.types.iter().chain(around.iter().flatten()).collect();
                parts.push(match types.is_empty() {
                    true => fails(
                        &node.place,
                        "this says yes to every error: what stays wrong is tried again",
                    ),
                    false => only(&node.place, &types, kind),
                });
            }
            What::Branch { test, arms } => {
                for (at, arm) in arms.iter().enumerate() {
                    // The first arm is the one in which the condition holds.
                    around.push(if at == 0 {
                        test.types.clone()
                    } else {
                        Vec::new()
                    });
                    says_yes(arm, around, kind, parts);
                    around.pop();
                }
            }
            What::Loop { body, .. } | What::Transaction(body) => {
                says_yes(body, around, kind, parts)
            }
            _ => {}
        }
    }
}

/// A loop around an attempt whose errors are caught.
fn by_hand(outline: &Outline, kind: &BoundedRetry) -> Vec<ContractPart> {
    let mut parts = Vec::new();
    each(&outline.nodes, &mut |node| {
        let What::Loop {
            each: over,
            test,
            body,
        } = &node.what
        else {
            return;
        };
        let mut caught: Vec<(Place, Vec<Arc<str>>, bool)> = Vec::new();
        each(body, &mut |inner| {
            if let What::Try { handlers, .. } = &inner.what {
                let all = handlers
                    .iter()
                    .map(|one| (inner.place.clone(), one.takes.clone(), takes_all(one)));
                caught.extend(all);
            }
        });
        if caught.is_empty() {
            return;
        }
        let number = test
            .iter()
            .flat_map(|test| &test.literals)
            .any(|text| text.parse::<u64>().is_ok_and(|it| it <= MOST));
        let ordered = test.as_ref().is_some_and(bounds);
        parts.push(match (*over && number) || ordered {
            true => holds(&node.place, "the tries are counted"),
            false => fails(&node.place, "nothing bounds the tries of this loop"),
        });
        for (place, takes, all) in &caught {
            let types: Vec<&Arc<str>> = takes.iter().collect();
            parts.push(match all {
                true => fails(
                    place,
                    "every error is retried: what stays wrong is tried again",
                ),
                false => only(place, &types, kind),
            });
        }
    });
    if parts.is_empty() {
        let why = format!("no loop of `{}` that tries again is seen", kind.function);
        parts.push(open(
            &outline.place,
            why,
            "name the arguments of the library that retries: `bound` and `errors`",
        ));
    }
    parts
}
