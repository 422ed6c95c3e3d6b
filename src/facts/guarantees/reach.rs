//! `write-points`, `recovery-paths` and `never-automatic`: who reaches what.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::guarantee::{
    Code, NeverAutomatic, Node, RecoveryPaths, Symbol, What, WritePoints, ends_at_folder,
};
use crate::model::scope::ContractPart;

use super::answer::{fails, hides, holds, open, short, unread_source};
use super::picks::picks;
use super::statement::{Sql, same};
use super::transactions::is_call_of;
use super::{Asked, each, hidden};

/// `write-points`: only these functions write the table, by what they reach.
pub(super) fn points(asked: &Asked<'_>, kind: &WritePoints) -> (Vec<ContractPart>, String) {
    let repair = format!("write {} only in {}", kind.table, kind.only.join(", "));
    let Some(code) = asked.context.code else {
        return (vec![unread_source(asked, &kind.table)], repair);
    };
    let mut parts = Vec::new();
    let mut only = BTreeSet::new();
    for name in &kind.only {
        match code.named(name)[..] {
            [] => parts.push(match asked.outline(name) {
                Err(part) => part,
                Ok(_) => unread_source(asked, name),
            }),
            ref found => only.extend(found.iter().copied()),
        }
    }
    let mut writers: BTreeMap<usize, &Node> = BTreeMap::new();
    for (within, node) in &code.statements {
        match asked.sql(node) {
            Some(sql) if sql.writes_to(&kind.table) => {
                writers.entry(*within).or_insert(node);
                parts.extend(rests(kind, &sql, node));
            }
            Some(_) => {}
            None => {
                let What::Statement(ran) = &node.what else {
                    continue;
                };
                if asks(code, kind, *within, &only) {
                    let what = format!("a write of {} outside of its points", kind.table);
                    parts.push(hides(
                        &what,
                        (
                            &node.place,
                            format!("the statement `{}` is not read", short(&ran.shown)),
                        ),
                    ));
                }
            }
        }
    }
    let outside: Vec<(usize, &Node)> = writers
        .iter()
        .filter(|(at, _)| asks(code, kind, **at, &only))
        .map(|(at, node)| (*at, *node))
        .collect();
    for (at, node) in &outside {
        let title = code.functions.get(*at).map_or("?", |it| &*it.title);
        parts.push(fails(
            &node.place,
            format!(
                "{} is written here, in `{title}`, on a way that leads through none of its points",
                kind.table
            ),
        ));
    }
    for at in &only {
        let reached = down(code, *at, &BTreeSet::new());
        let Some(function) = code.functions.get(*at) else {
            continue;
        };
        if !reached.iter().any(|at| writers.contains_key(at)) {
            parts.push(fails(
                &function.place,
                format!(
                    "`{}` is a point where {} is written, and reaches no write of it",
                    function.title, kind.table
                ),
            ));
        } else if outside.is_empty() {
            parts.push(holds(
                &function.place,
                format!("`{}` writes {}", function.title, kind.table),
            ));
        }
    }
    if let Some(states) = &kind.intermediate {
        parts.push(super::live::resting(asked, &kind.table, states));
    }
    (parts, repair)
}

/// A write of a state in which no row may rest.
fn rests(kind: &WritePoints, sql: &Sql, node: &Node) -> Option<ContractPart> {
    let states = kind.intermediate.as_ref()?;
    let mut sets = sql.sets.iter();
    let (_, value) = sets.find(|(column, _)| same(column, &states.column))?;
    let value = value
        .as_ref()
        .filter(|value| states.values.contains(*value))?;
    Some(fails(
        &node.place,
        format!(
            "this sets {} to {value}, in which no row may rest",
            states.column
        ),
    ))
}

/// True if a function writes on a way that leads through none of the points: upward from it, as far as
/// the functions that are asked about.
fn asks(code: &Code, kind: &WritePoints, writer: usize, only: &BTreeSet<usize>) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![writer];
    while let Some(at) = open.pop() {
        if only.contains(&at) || !seen.insert(at) {
            continue;
        }
        let above: Vec<usize> = code
            .calls
            .iter()
            .filter(|(_, to)| *to == at)
            .map(|(from, _)| *from)
            .collect();
        let is_asked = match &kind.within {
            Some(within) => code.functions.get(at).is_some_and(|it| {
                let symbol = Symbol::of(within);
                let file = symbol.file.unwrap_or(within);
                ends_at_folder(&it.file, file)
                    && symbol
                        .file
                        .is_none_or(|_| it.title.starts_with(&format!("{}.", symbol.title)))
            }),
            None => above.iter().all(|above| *above == at),
        };
        if is_asked {
            return true;
        }
        open.extend(above);
    }
    false
}

/// All that a function reaches, itself too, without going through some.
fn down(code: &Code, from: usize, without: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if without.contains(&at) || !seen.insert(at) {
            continue;
        }
        let start = code.calls.partition_point(|(caller, _)| *caller < at);
        let called = code
            .calls
            .iter()
            .skip(start)
            .take_while(|(caller, _)| *caller == at);
        open.extend(called.map(|(_, to)| *to));
    }
    seen
}

/// `recovery-paths`: each of the functions leads to it again, and the sweep takes what a crash left.
pub(super) fn recovery(asked: &Asked<'_>, kind: &RecoveryPaths) -> (Vec<ContractPart>, String) {
    let repair = format!("lead to `{}` from {}", kind.function, kind.from.join(", "));
    let mut parts = Vec::new();
    for from in &kind.from {
        match asked.outline(from) {
            Ok(outline) => {
                let mut found = None;
                each(&outline.nodes, &mut |node| {
                    if let What::Call(call) = &node.what
                        && is_call_of(call, &kind.function)
                    {
                        found = found.take().or(Some(&node.place));
                    }
                });
                parts.push(match (found, &outline.cut) {
                    (Some(place), _) => {
                        holds(place, format!("`{from}` leads to `{}`", kind.function))
                    }
                    (None, Some(cut)) => open(
                        cut,
                        format!(
                            "whether `{from}` leads to `{}` is not followed to its end",
                            kind.function
                        ),
                        "name a function nearer to the call",
                    ),
                    (None, None) => fails(
                        &outline.place,
                        format!("`{from}` does not lead to `{}`", kind.function),
                    ),
                });
            }
            Err(part) => parts.push(part),
        }
    }
    if let (Some(sweep), Some(takes)) = (&kind.sweep, &kind.takes) {
        match asked.outline(sweep) {
            Ok(outline) => {
                let picks = picks(asked, &outline.nodes, takes);
                for value in &takes.values {
                    parts.push(
                        match picks.iter().find(|pick| pick.takes(value) != Some(false)) {
                            Some(pick) => holds(
                                &pick.node.place,
                                format!("the sweep takes rows that are {value}"),
                            ),
                            None => match (picks.first(), hidden(asked, outline)) {
                                (Some(pick), _) => fails(
                                    &pick.node.place,
                                    format!("the sweep passes over rows that are {value}"),
                                ),
                                (None, Some(hidden)) => hides("the query of the sweep", hidden),
                                (None, None) => fails(
                                    &outline.place,
                                    format!(
                                        "the sweep looks for no row of {} by its {}",
                                        takes.table, takes.column
                                    ),
                                ),
                            },
                        },
                    );
                }
            }
            Err(part) => parts.push(part),
        }
    }
    (parts, repair)
}

/// `never-automatic`: what runs by itself takes no row that was given up.
pub(super) fn never(asked: &Asked<'_>, kind: &NeverAutomatic) -> (Vec<ContractPart>, String) {
    let state = &kind.state;
    let repair = format!(
        "leave rows that are {} to a person",
        state.values.join(" or ")
    );
    let mut parts = Vec::new();
    for function in &kind.functions {
        let outline = match asked.outline(function) {
            Ok(outline) => outline,
            Err(part) => {
                parts.push(part);
                continue;
            }
        };
        let picks = picks(asked, &outline.nodes, state);
        if picks.is_empty() {
            parts.push(match hidden(asked, outline) {
                Some(hidden) => hides(&format!("how `{function}` chooses its rows"), hidden),
                None => open(
                    &outline.place,
                    format!(
                        "`{function}` chooses no rows of {} by their {}",
                        state.table, state.column
                    ),
                    "name the function that looks for rows",
                ),
            });
        }
        for pick in &picks {
            for value in &state.values {
                parts.push(match pick.takes(value) {
                    Some(false) => holds(
                        &pick.node.place,
                        format!("rows that are {value} are passed over"),
                    ),
                    Some(true) => fails(
                        &pick.node.place,
                        format!("this takes rows that are {value}, without a person"),
                    ),
                    None if pick.may(value) => fails(
                        &pick.node.place,
                        format!("this takes rows that are {value} too, without a person"),
                    ),
                    None => open(
                        &pick.node.place,
                        format!("whether this takes rows that are {value} cannot be told"),
                        "name the states in the query",
                    ),
                });
            }
        }
        if let Some((place, why)) = hidden(asked, outline).filter(|_| !picks.is_empty()) {
            parts.push(open(
                place,
                format!("another query of `{function}` is not known: {why}"),
                "let the text of the statement show in the source",
            ));
        }
    }
    (parts, repair)
}
