//! `store-parity`, `flag-not-merge` and `durable-checkpointer`.

use std::sync::Arc;

use crate::model::guarantee::{
    DurableCheckpointer, FlagNotMerge, Node, Outline, StoreParity, Test, Verb, What,
};
use crate::model::place::Place;
use crate::model::schema::Enforcer;
use crate::model::scope::ContractPart;

use super::answer::{fails, hides, holds, open};
use super::key::{is_type, raises};
use super::statement::same;
use super::{Asked, each, hidden};

/// `store-parity`: the double refuses what the database refuses, with the same error.
pub(super) fn parity(asked: &Asked<'_>, kind: &StoreParity) -> (Vec<ContractPart>, String) {
    let repair = format!(
        "let `{}` raise {} for the same key as `{}`",
        kind.double, kind.raises, kind.store
    );
    let mut parts = Vec::new();
    parts.extend(against_schema(asked, kind));
    match asked.outline(&kind.store) {
        Ok(outline) => parts.push(store(outline, kind)),
        Err(part) => parts.push(part),
    }
    match asked.outline(&kind.double) {
        Ok(outline) => parts.extend(double(outline, kind)),
        Err(part) => parts.push(part),
    }
    (parts, repair)
}

/// The key and the columns of the predicate that are declared are those of the database.
fn against_schema(asked: &Asked<'_>, kind: &StoreParity) -> Option<ContractPart> {
    let table = asked.context.schema?.table(&kind.table)?;
    let is_key = |one: &&Enforcer| {
        one.parts.len() == kind.key.len()
            && kind.key.iter().all(|name| {
                let mut columns = one.parts.iter().filter_map(|part| part.column.as_ref());
                columns.any(|column| same(column, name))
            })
    };
    let key = kind.key.join(", ");
    let Some(enforcer) = table.enforcers.iter().find(is_key) else {
        return Some(fails(
            &table.place,
            format!("nothing keeps {} ({key}) unique", table.name),
        ));
    };
    let predicate = enforcer
        .predicate
        .as_ref()
        .map_or("", |it| &*it.text)
        .to_ascii_lowercase();
    let word = |column: &str| {
        let mut words = predicate.split(|it: char| !(it.is_alphanumeric() || it == '_'));
        words.any(|word| word == column.to_ascii_lowercase())
    };
    let missing = table.columns.iter().find(|column| {
        word(&column.name) && !kind.predicate.iter().any(|name| same(name, &column.name))
    });
    missing.map(|column| {
        fails(
            &enforcer.evidence.place,
            format!(
                "the predicate of `{}` speaks of {}, and the double is not asked for it",
                enforcer.name, column.name
            ),
        )
    })
}

fn store(outline: &Outline, kind: &StoreParity) -> ContractPart {
    let mut caught = None;
    each(&outline.nodes, &mut |node| {
        if let What::Try { handlers, .. } = &node.what {
            for handler in handlers.iter().filter(|one| one.unique) {
                let place = handler.body.first().map_or(&node.place, |it| &it.place);
                caught = caught
                    .take()
                    .or(Some((place, raises(&handler.body, &kind.raises))));
            }
        }
    });
    match caught {
        Some((place, true)) => holds(place, format!("the store raises {}", kind.raises)),
        Some((place, false)) => fails(
            place,
            format!(
                "the store meets the violation, and does not raise {}",
                kind.raises
            ),
        ),
        None => fails(
            &outline.place,
            format!("the store does not turn the violation into {}", kind.raises),
        ),
    }
}

fn double(outline: &Outline, kind: &StoreParity) -> Vec<ContractPart> {
    let mut found: Vec<(Place, Vec<Test>)> = Vec::new();
    refusals(&outline.nodes, &kind.raises, &mut Vec::new(), &mut found);
    let Some((place, tests)) = found.first() else {
        return vec![fails(
            &outline.place,
            format!("the double never raises {}", kind.raises),
        )];
    };
    let speaks = |column: &str| {
        tests.iter().any(|test| {
            let literal = test.literals.iter().any(|text| same(text, column));
            literal || test.names.iter().any(|name| same(name, column))
        })
    };
    let mut parts = Vec::new();
    for column in &kind.key {
        if !speaks(column) {
            parts.push(fails(
                place,
                format!("the double does not compare {column}, which is part of the key"),
            ));
        }
    }
    for column in &kind.predicate {
        if !speaks(column) {
            parts.push(fails(
                place,
                format!("the double does not look at {column}, by which the index leaves rows out"),
            ));
        }
    }
    if parts.is_empty() {
        parts.push(holds(
            place,
            format!("the double raises {} for the same key", kind.raises),
        ));
    }
    parts
}

/// Errors of a type, each with the conditions that lead to it: those around it, those that were passed
/// before it, and what names in them were given.
fn refusals(nodes: &[Node], of: &str, around: &mut Vec<Test>, found: &mut Vec<(Place, Vec<Test>)>) {
    let depth = around.len();
    for node in nodes {
        match &node.what {
            What::Raise(Some(raised)) if is_type(raised, Some(of)) => {
                found.push((node.place.clone(), around.clone()));
            }
            What::Assign(_, test) => around.push(test.clone()),
            What::Branch { test, arms } => {
                let inner = around.len();
                around.push(test.clone());
                arms.iter().for_each(|arm| refusals(arm, of, around, found));
                let leaves = arms.iter().any(|arm| {
                    arm.iter()
                        .any(|it| matches!(it.what, What::Leave | What::Return(_) | What::Raise(_)))
                });
                if !leaves {
                    around.truncate(inner);
                }
            }
            What::Loop { body, test, .. } => {
                around.extend(test.clone());
                refusals(body, of, around, found);
            }
            What::Transaction(body) => refusals(body, of, around, found),
            What::Try {
                body,
                handlers,
                finally,
            } => {
                refusals(body, of, around, found);
                handlers
                    .iter()
                    .for_each(|one| refusals(&one.body, of, around, found));
                refusals(finally, of, around, found);
            }
            What::Call(call) => {
                if let Some(body) = &call.body {
                    refusals(body, of, around, found);
                }
            }
            _ => {}
        }
    }
    around.truncate(depth);
}

/// `flag-not-merge`: the conflict is caught, and a row is filed that is flagged and points at the other.
pub(super) fn flagged(asked: &Asked<'_>, kind: &FlagNotMerge) -> (Vec<ContractPart>, String) {
    let repair = format!(
        "file the second row of {} as one for a person, pointing at the first by {}",
        kind.table, kind.points
    );
    let outline = match asked.outline(&kind.function) {
        Ok(outline) => outline,
        Err(part) => return (vec![part], repair),
    };
    let mut parts = Vec::new();
    let nodes = match &kind.catches {
        Some(of) => {
            let mut caught: Option<(&Place, &[Node])> = None;
            each(&outline.nodes, &mut |node| {
                let What::Try { handlers, .. } = &node.what else {
                    return;
                };
                for one in handlers {
                    if one.takes.iter().any(|it| is_type(it, Some(of))) {
                        caught = caught.or(Some((&node.place, &one.body)));
                    }
                }
            });
            match caught {
                Some((_, body)) => body,
                None => {
                    let why = format!(
                        "{of} is not caught in `{}`: the row is stranded where it was",
                        kind.function
                    );
                    return (vec![fails(&outline.place, why)], repair);
                }
            }
        }
        None => &outline.nodes[..],
    };
    let mut filed: Option<ContractPart> = None;
    each(nodes, &mut |node| {
        if let Some(part) = filing(asked, kind, node) {
            let better = matches!(part, ContractPart::Holds(_)) || filed.is_none();
            if better {
                filed = Some(part);
            }
        }
        let deletes = asked
            .sql(node)
            .is_some_and(|sql| sql.does(Verb::Delete, &kind.table));
        if deletes {
            parts.push(fails(
                &node.place,
                format!(
                    "a row of {} is deleted: two documents become one without a person",
                    kind.table
                ),
            ));
        }
    });
    parts.push(filed.unwrap_or_else(|| {
        let what = format!("a row with {} and {}", sets(kind), kind.points);
        match hidden(asked, outline) {
            Some(hidden) => hides(&what, hidden),
            None => fails(
                &outline.place,
                format!("{what} is filed nowhere in `{}`", kind.function),
            ),
        }
    }));
    (parts, repair)
}

fn sets(kind: &FlagNotMerge) -> String {
    let each: Vec<String> = kind
        .sets
        .iter()
        .map(|(column, value)| format!("{column} = {value}"))
        .collect();
    each.join(", ")
}

/// A row that is filed: by a statement whose constants show, or by a value that is made by names.
fn filing(asked: &Asked<'_>, kind: &FlagNotMerge, node: &Node) -> Option<ContractPart> {
    let place = &node.place;
    let right = || {
        holds(
            place,
            format!(
                "filed with {}, and {} points at the row that was there",
                sets(kind),
                kind.points
            ),
        )
    };
    let nothing = |value: &str| matches!(value, "None" | "NULL");
    let no_edge = || {
        fails(
            place,
            format!("{} points at nothing: nobody sees the pair", kind.points),
        )
    };
    if let What::Call(call) = &node.what {
        let given = |name: &str| {
            call.named
                .iter()
                .find(|(known, _)| same(known, name))
                .map(|(_, test)| test)
        };
        let fits = kind.sets.iter().all(|(name, value)| {
            given(name).is_some_and(|test| test.constant.as_deref() == Some(value))
        });
        if !fits || kind.sets.is_empty() {
            return None;
        }
        let points = given(&kind.points)?;
        let none = points.literals.iter().any(|it| nothing(it)) && points.names.is_empty();
        return Some(if none { no_edge() } else { right() });
    }
    let sql = asked.sql(node)?;
    if !sql.writes_to(&kind.table) {
        return None;
    }
    let given = |name: &Arc<str>| sql.sets.iter().find(|(known, _)| same(known, name));
    let fits = kind
        .sets
        .iter()
        .all(|(name, value)| given(name).is_some_and(|(_, found)| found.as_ref() == Some(value)));
    if !fits || kind.sets.is_empty() {
        return None;
    }
    let (_, points) = given(&kind.points)?;
    Some(match points {
        Some(value) if nothing(value) => no_edge(),
        _ => right(),
    })
}

/// `durable-checkpointer`: the function makes one of the types that outlive the process, and no other.
pub(super) fn durable(
    asked: &Asked<'_>,
    kind: &DurableCheckpointer,
) -> (Vec<ContractPart>, String) {
    let repair = format!(
        "give a checkpointer that outlives the process in `{}`",
        kind.function
    );
    let outline = match asked.outline(&kind.function) {
        Ok(outline) => outline,
        Err(part) => return (vec![part], repair),
    };
    let makes = |name: &str, types: &[Arc<str>]| {
        types.iter().any(|of| {
            let rest = name.strip_prefix(&**of);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    };
    let mut parts = Vec::new();
    let mut shown = None;
    each(&outline.nodes, &mut |node| {
        let What::Call(call) = &node.what else { return };
        for name in &call.names {
            if makes(name, &kind.in_memory) {
                parts.push(fails(
                    &node.place,
                    format!("{name} is kept in memory: a run ends with its process"),
                ));
            } else if makes(name, &kind.durable) {
                shown = shown.take().or(Some(holds(
                    &node.place,
                    format!("{name} outlives the process"),
                )));
            }
        }
    });
    if parts.is_empty() {
        parts.push(shown.unwrap_or_else(|| {
            open(
                &outline.place,
                format!(
                    "`{}` makes no checkpointer of a type that is known",
                    kind.function
                ),
                "name its type under `durable` or `in_memory`",
            )
        }));
    }
    (parts, repair)
}
