//! The way to GO: what each unmet obligation asks for, and which inputs are missing.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::check::{Change, Obligation, Outcome};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::facts::Facts;
use crate::model::inputs::InputState;
use crate::model::report::{ChangeToGo, Condition, ConditionState};

use super::Scope;
use super::conditions::{ConditionSpec, unread};
use super::smallest::{Demand, smallest};

/// The smallest set of changes that meets every unmet obligation; false if the search for it was
/// cut short.
pub(super) fn to_go(
    specs: &[ConditionSpec],
    gate: &[Condition],
    obligations: &[Obligation],
    facts: &Facts,
    scope: &Scope,
) -> (Vec<ChangeToGo>, bool) {
    let mut catalog: BTreeMap<String, Change> = BTreeMap::new();
    let mut demands: Vec<Demand> = Vec::new();
    let no_schema = !facts.schema_was_read();
    for (at, obligation) in obligations.iter().enumerate() {
        if !(obligation.holds_the_flag() || obligation.is_open()) || obligation.waiver.is_some() {
            continue;
        }
        let numbers = conditions_of(specs, obligation);
        if numbers.is_empty() || !scope.asks(obligation) {
            continue;
        }
        let repairs = match &obligation.outcome {
            Outcome::NotMet(finding) if obligation.holds_the_flag() => {
                if finding.repairs.is_empty() {
                    let action = action(obligation.check.page);
                    vec![vec![resolve(&finding.sentence, &action)]]
                } else {
                    finding.repairs.clone()
                }
            }
            // Without any schema, whatever asks for one asks for the same.
            Outcome::Unknown(reason)
                if obligation.is_open() && no_schema && reason.needs == Some(InputKind::Schema) =>
            {
                vec![vec![give(InputKind::Schema)]]
            }
            Outcome::Unknown(reason) if obligation.is_open() => vec![vec![answer(reason)]],
            _ => continue,
        };
        demands.push(Demand {
            obligation: Some(at),
            conditions: numbers,
            alternatives: keys(repairs, &mut catalog),
        });
    }
    for (at, (spec, condition)) in specs.iter().zip(gate).enumerate() {
        if condition.state == ConditionState::NotApplicable {
            continue;
        }
        for kind in unread(spec, &facts.inputs) {
            demands.push(Demand {
                obligation: None,
                conditions: vec![at + 1],
                alternatives: keys(vec![vec![read(kind, &facts.inputs)]], &mut catalog),
            });
        }
    }
    if let (true, Some(schema)) = (no_schema, catalog.get_mut("input:schema")) {
        let tables = match facts.written_tables() {
            1 => "one table is".to_owned(),
            many => format!("{many} tables are"),
        };
        schema.title = format!("{}: none was read, and {tables} written", schema.title);
    }
    let (chosen, minimal) = smallest(&demands);
    let mut changes: Vec<ChangeToGo> = chosen
        .into_iter()
        .filter_map(|(key, by)| {
            let change = catalog.get(&key)?.clone();
            let mut meets: Vec<usize> = Vec::new();
            let mut conditions: Vec<usize> = Vec::new();
            for demand in by.iter().filter_map(|at| demands.get(*at)) {
                meets.extend(demand.obligation);
                conditions.extend(&demand.conditions);
            }
            meets.sort_unstable();
            meets.dedup();
            conditions.sort_unstable();
            conditions.dedup();
            Some(ChangeToGo {
                change,
                meets,
                conditions,
            })
        })
        .collect();
    changes.sort_by(|a, b| {
        let rank =
            |change: &ChangeToGo| (is_input(&change.change), change.conditions.first().copied());
        (rank(a), &a.change.key).cmp(&(rank(b), &b.change.key))
    });
    (changes, minimal)
}

/// Missing inputs come last: they are given, not changed.
fn is_input(change: &Change) -> bool {
    change.key.starts_with("input:")
}

/// Numbers of the conditions an obligation's check decides, 1-based.
fn conditions_of(specs: &[ConditionSpec], obligation: &Obligation) -> Vec<usize> {
    specs
        .iter()
        .enumerate()
        .filter(|(_, spec)| spec.checks.iter().any(|id| **id == *obligation.check.id))
        .map(|(at, _)| at + 1)
        .collect()
}

fn keys(
    alternatives: Vec<Vec<Change>>,
    catalog: &mut BTreeMap<String, Change>,
) -> Vec<Vec<String>> {
    alternatives
        .into_iter()
        .map(|changes| {
            changes
                .into_iter()
                .map(|change| {
                    let key = change.key.clone();
                    catalog.entry(key.clone()).or_insert(change);
                    key
                })
                .collect()
        })
        .collect()
}

fn answer(reason: &Arc<Reason>) -> Change {
    match (reason.why, reason.needs) {
        (Why::NotGiven | Why::NotReadable, Some(kind)) => give(kind),
        // One run of the tests answers for every result that is of another tree.
        (Why::Stale, Some(InputKind::Tests)) => Change {
            key: format!("resolve:{}", reason.next_step),
            ..resolve(&reason.sentence, &reason.next_step)
        },
        _ => resolve(&reason.sentence, &reason.next_step),
    }
}

fn resolve(about: &str, title: &str) -> Change {
    Change {
        key: format!("resolve:{about}"),
        title: format!("{title} ({about})"),
        how: None,
    }
}

/// What the page of a check says first about how to fix what it finds.
fn action(page: &str) -> String {
    let (_, fix) = page.split_once("## How to fix").unwrap_or_default();
    let fix = fix.trim_start();
    let (paragraph, _) = fix.split_once("\n\n").unwrap_or((fix, ""));
    let text = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text.find(". ").unwrap_or(text.len());
    let sentence = text.get(..end).unwrap_or_default();
    let sentence = sentence.trim_end_matches(['.', ':']);
    let mut chars = sentence.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => "mend it".to_owned(),
    }
}

/// What makes an input readable: the correction of what is wrong with it, where it was given.
fn read(kind: InputKind, inputs: &[InputState]) -> Change {
    let states = inputs.iter().filter(|state| state.kind == kind);
    let mut faults = states
        .flat_map(|state| &state.unknown)
        .filter(|reason| reason.why == Why::NotParsed && reason.place.is_some());
    let Some(first) = faults.next() else {
        return give(kind);
    };
    let mut change = resolve(&first.sentence, &first.next_step);
    match faults.count() {
        0 => {}
        more => change.title = format!("{}, and {more} more faults", change.title),
    }
    change
}

fn give(kind: InputKind) -> Change {
    let (title, how) = match kind {
        InputKind::Source => ("give the source tree", "--source PATH"),
        InputKind::Tests => ("give the results of the redelivery tests", "--tests PATH"),
        InputKind::Database => ("give the database", "--database env:NAME"),
        InputKind::Schema => ("give the schema", "--schema PATH"),
        InputKind::Flows => ("give the flow metadata", "--flows PATH"),
        InputKind::Answers => ("give the answers to the printed queries", "--answers FILE"),
        InputKind::Configuration => ("give the configuration", "--config FILE"),
        InputKind::Rules => ("give the rule pack", "--rules PATH"),
    };
    Change {
        key: format!("input:{}", kind.word()),
        title: title.to_owned(),
        how: Some(how.to_owned()),
    }
}
