//! `raises` and `outcome-recorded`: what becomes of a call that failed.

use crate::model::guarantee::{Node, OutcomeRecorded, Outline, Raises, What};
use crate::model::scope::ContractPart;

use super::answer::{fails, hides, holds, open};
use super::survey::{Asked as Wanted, Marks, Sighting, survey, survey_of, takes_all};
use super::transactions::{is_call_of, title};
use super::{Asked, each, hidden};

/// `raises`: no handler of the function ends without an error.
pub(super) fn raises(asked: &Asked<'_>, kind: &Raises) -> (Vec<ContractPart>, String) {
    let repair = format!("let `{}` hand its errors on", kind.function);
    let outline = match asked.outline(&kind.function) {
        Ok(outline) => outline,
        Err(part) => return (vec![part], repair),
    };
    let none = |_: &Node| -> Marks { 0 };
    let mut parts = Vec::new();
    each(&outline.nodes, &mut |node| {
        let What::Try { handlers, .. } = &node.what else {
            return;
        };
        for handler in handlers {
            let found = survey_of(
                &handler.body,
                &Wanted {
                    marks: &none,
                    held: 0,
                    stays: 0,
                },
            );
            if found.ends.is_empty() && !leaves(&handler.body) {
                continue;
            }
            let place = handler
                .body
                .first()
                .map_or(&node.place, |first| &first.place);
            parts.push(match takes_all(handler) {
                true => fails(place, "an error is caught here, and not handed on"),
                false => open(
                    place,
                    format!("{} is caught here and not handed on: whether that is a failure is not known", handler.takes.join(", ")),
                    "hand it on, or declare the guarantee of the function inside",
                ),
            });
        }
    });
    if parts.is_empty() {
        parts.push(match &outline.cut {
            Some(cut) => open(
                cut,
                "more calls follow than are gone through",
                "name a function nearer to the call",
            ),
            None => holds(&outline.place, "every error is handed on"),
        });
    }
    (parts, repair)
}

fn leaves(nodes: &[Node]) -> bool {
    let mut found = false;
    each(nodes, &mut |node| found |= matches!(node.what, What::Leave));
    // Behind `raise` stands one that is never reached.
    found && !nodes.iter().any(|node| matches!(node.what, What::Raise(_)))
}

const CALL: Marks = 1 << 40;

/// `outcome-recorded`: whatever becomes of the call, it is written down and given back.
pub(super) fn recorded(asked: &Asked<'_>, kind: &OutcomeRecorded) -> (Vec<ContractPart>, String) {
    let repair = format!(
        "record what becomes of `{}` in `{}`",
        kind.call, kind.function
    );
    let outline = match asked.outline(&kind.function) {
        Ok(outline) => outline,
        Err(part) => return (vec![part], repair),
    };
    let mark = |at: usize| -> Marks { 1 << at.min(39) };
    let marks = |node: &Node| -> Marks {
        if let What::Call(call) = &node.what {
            return if is_call_of(call, &kind.call) {
                CALL
            } else {
                0
            };
        }
        let Some(sql) = asked.sql(node) else { return 0 };
        let writes = kind.writes.iter().enumerate();
        let ours = writes.filter(|(_, write)| sql.is(write) != Some(false));
        ours.fold(0, |all, (at, _)| all | mark(at))
    };
    let found = survey(
        outline,
        &Wanted {
            marks: &marks,
            held: 0,
            stays: CALL,
        },
    );
    let mut parts = Vec::new();
    let calls: Vec<&Sighting<'_>> = found.of(CALL).collect();
    if calls.is_empty() {
        parts.push(fails(
            &outline.place,
            format!("there is no call of `{}` in `{}`", kind.call, kind.function),
        ));
    }
    for call in &calls {
        let caught = call.handlers.iter().any(|all| all.iter().any(takes_all));
        if !caught {
            parts.push(fails(
                &call.node.place,
                format!(
                    "where `{}` fails, nothing of it is written down: its error is not caught here",
                    kind.call
                ),
            ));
        }
    }
    for (at, write) in kind.writes.iter().enumerate() {
        let what = format!("{} in `{}`", with_columns(write), kind.function);
        let Some(seen) = found.of(mark(at)).next() else {
            parts.push(match hidden(asked, outline) {
                Some(hidden) => hides(&what, hidden),
                None => fails(&outline.place, format!("there is no {what}")),
            });
            continue;
        };
        let without = found.ends.iter().any(|way| way & mark(at) == 0);
        parts.push(match without {
            true => fails(&seen.node.place, "on one way this is not written"),
            false => holds(&seen.node.place, format!("{} on every way", title(write))),
        });
    }
    for function in &kind.given_on_by {
        match asked.outline(function) {
            Ok(outline) => parts.push(given_on(outline, kind, function)),
            Err(part) => parts.push(part),
        }
    }
    (parts, repair)
}

fn with_columns(write: &crate::model::guarantee::Write) -> String {
    match write.columns.is_empty() {
        true => title(write),
        false => format!("{} of {}", title(write), write.columns.join(", ")),
    }
}

/// The function gives back what the owner of the outcome gave it.
fn given_on(outline: &Outline, kind: &OutcomeRecorded, function: &str) -> ContractPart {
    let last = |name: &str| name.rsplit(['.', ':']).next().unwrap_or(name).to_owned();
    let owner = last(&kind.function);
    let mut names: Vec<String> = Vec::new();
    let mut found = None;
    // Only what the function itself gives back counts, not what those give back that it calls.
    let mut open: Vec<&Node> = outline.nodes.iter().rev().collect();
    while let Some(node) = open.pop() {
        match &node.what {
            What::Assign(name, test) if test.calls.iter().any(|call| last(call) == owner) => {
                names.push(name.to_string());
            }
            What::Return(test) => {
                let direct = test.calls.iter().any(|call| last(call) == owner);
                let named = test.names.iter().any(|name| {
                    names
                        .iter()
                        .any(|known| **name == **known || name.starts_with(&format!("{known}.")))
                });
                if direct || named {
                    found = found.or(Some(&node.place));
                }
            }
            What::Branch { arms, .. } => open.extend(arms.iter().flatten().rev()),
            What::Loop { body, .. } | What::Transaction(body) => open.extend(body.iter().rev()),
            What::Try { body, handlers, .. } => {
                open.extend(handlers.iter().flat_map(|one| &one.body).rev());
                open.extend(body.iter().rev());
            }
            _ => {}
        }
    }
    match found {
        Some(place) => holds(place, format!("`{function}` gives the outcome back")),
        None => fails(
            &outline.place,
            format!(
                "`{function}` does not give back what `{}` tells it",
                kind.function
            ),
        ),
    }
}
