//! `same-transaction` and `after-commit`.

use crate::model::guarantee::{AfterCommit, Called, Node, SameTransaction, Symbol, What, Write};
use crate::model::scope::ContractPart;

use super::answer::{fails, hides, holds, open};
use super::survey::{Asked as Wanted, COMMITTED, MAYBE, Marks, NO_ROW, Sighting, survey};
use super::{Asked, hidden};

/// A write as a person says it.
pub(super) fn title(write: &Write) -> String {
    let verb = write.verb.map_or("write", |verb| verb.word());
    let sets: Vec<String> = write
        .sets
        .iter()
        .map(|(column, value)| format!("{column} = {value}"))
        .collect();
    match sets.is_empty() {
        true => format!("{verb} {}", write.table),
        false => format!("{verb} {} ({})", write.table, sets.join(", ")),
    }
}

/// `same-transaction`: all of the writes on each way, or none.
pub(super) fn together(asked: &Asked<'_>, kind: &SameTransaction) -> (Vec<ContractPart>, String) {
    let repair = format!("write all of it in one transaction of `{}`", kind.function);
    let outline = match asked.outline(&kind.function) {
        Ok(outline) => outline,
        Err(part) => return (vec![part], repair),
    };
    let mark = |at: usize| -> Marks { 1 << at.min(60) };
    let marks = |node: &Node| -> Marks {
        let Some(sql) = asked.sql(node) else { return 0 };
        let writes = kind.writes.iter().enumerate();
        // What sets a value that is not known may be the write that is meant.
        writes
            .filter(|(_, write)| sql.is(write) != Some(false))
            .fold(0, |all, (at, _)| all | mark(at))
    };
    let found = survey(
        outline,
        &Wanted {
            marks: &marks,
            held: 0,
            stays: 0,
        },
    );
    let mut parts = Vec::new();
    for (at, write) in kind.writes.iter().enumerate() {
        if found.of(mark(at)).next().is_none() {
            let what = format!("{} in `{}`", title(write), kind.function);
            parts.push(match hidden(asked, outline) {
                Some(hidden) => hides(&what, hidden),
                None => fails(&outline.place, format!("there is no {what}")),
            });
        }
    }
    if !parts.is_empty() {
        return (parts, repair);
    }
    let all: Marks = (0..kind.writes.len()).fold(0, |all, at| all | mark(at));
    let first = mark(0);
    if let Some(loose) = found.of(first).find(|one| one.within.is_none()) {
        let place = &loose.node.place;
        // Whoever calls the function may have begun one, unless it begins one of its own.
        let part = match found.commits.is_empty() {
            true => open(
                place,
                "the function begins no transaction: whoever calls it may have begun one",
                "name the function that begins the transaction",
            ),
            false => fails(place, "this write stands in no transaction"),
        };
        return (vec![part], repair);
    }
    // The transactions in which the first of the writes stands are the ones that are meant; the others
    // may be written elsewhere too.
    let meant: Vec<usize> = found.of(first).filter_map(|one| one.within).collect();
    for at in 1..kind.writes.len() {
        let inside = |one: &&Sighting<'_>| one.within.is_some_and(|within| meant.contains(&within));
        if found.of(mark(at)).find(inside).is_none()
            && let (Some(away), Some(write)) = (found.of(mark(at)).next(), kind.writes.get(at))
        {
            let why = format!(
                "{} stands in another transaction than {}",
                title(write),
                title(&kind.writes[0])
            );
            parts.push(fails(&away.node.place, why));
        }
    }
    if !parts.is_empty() {
        return (parts, repair);
    }
    for (number, ways, place) in &found.commits {
        let torn = ways.iter().find(|way| {
            let own = *way & all;
            meant.contains(number) && own & first != 0 && own != all && *way & NO_ROW == 0
        });
        if let Some(torn) = torn {
            let missing: Vec<String> = (0..kind.writes.len())
                .filter(|at| torn & mark(*at) == 0)
                .filter_map(|at| kind.writes.get(at))
                .map(title)
                .collect();
            let why = format!(
                "on one way this transaction commits without {}",
                missing.join(", ")
            );
            return (vec![fails(place, why)], repair);
        }
    }
    if found.lost {
        let why = "it has more ways than are told apart";
        return (
            vec![open(&outline.place, why, "split the function")],
            repair,
        );
    }
    let held = found
        .of(all)
        .map(|one| holds(&one.node.place, "written in the one transaction"));
    let parts: Vec<ContractPart> = held.collect();
    (parts, repair)
}

/// True of a call of a function, or of one that is given it to run.
pub(super) fn is_call_of(call: &Called, name: &str) -> bool {
    let is = |full: &str| {
        let own = Symbol::of(full);
        Symbol::of(name).is(own.file.unwrap_or_default(), own.title)
    };
    call.names.iter().chain(&call.given).any(|full| is(full))
}

/// `after-commit`: each call stands outside every transaction and behind a commit, on every way.
pub(super) fn behind(asked: &Asked<'_>, kind: &AfterCommit) -> (Vec<ContractPart>, String) {
    let repair = format!(
        "call `{}` behind the commit, outside of the transaction",
        kind.call
    );
    let outline = match asked.outline(&kind.function) {
        Ok(outline) => outline,
        Err(part) => return (vec![part], repair),
    };
    let marks = |node: &Node| -> Marks {
        match &node.what {
            What::Call(call) if is_call_of(call, &kind.call) => 1,
            _ => 0,
        }
    };
    let found = survey(
        outline,
        &Wanted {
            marks: &marks,
            held: 0,
            stays: 1,
        },
    );
    let mut parts: Vec<ContractPart> = Vec::new();
    for one in found.of(1) {
        parts.push(placed(kind, one));
    }
    if parts.is_empty() {
        let what = format!("a call of `{}` from `{}`", kind.call, kind.function);
        parts.push(match &outline.cut {
            Some(cut) => open(
                cut,
                format!("{what} was not found, and more calls follow than are gone through"),
                "name a function nearer to the call",
            ),
            None => fails(&outline.place, format!("there is no {what}")),
        });
    }
    (parts, repair)
}

fn placed(kind: &AfterCommit, one: &Sighting<'_>) -> ContractPart {
    let place = &one.node.place;
    if one.within.is_some() {
        let why = format!(
            "`{}` is called inside the transaction: what it starts reads on another connection and cannot see the rows",
            kind.call
        );
        return fails(place, why);
    }
    let early = one.before.iter().any(|way| way & COMMITTED == 0);
    let never = one.before.iter().all(|way| way & COMMITTED == 0);
    if one
        .before
        .iter()
        .any(|way| way & (COMMITTED | MAYBE) == MAYBE)
    {
        return open(
            place,
            format!(
                "`{}` is called behind a transaction that may be a savepoint only: a statement ran on its connection before it",
                kind.call
            ),
            "begin the transaction in front of every statement of the connection",
        );
    }
    match (early, never) {
        (false, _) => holds(
            place,
            format!("`{}` is called behind the commit, on every way", kind.call),
        ),
        (true, true) => open(
            place,
            format!(
                "`{}` is called where no commit is seen: whoever calls it may be in a transaction",
                kind.call
            ),
            "name the function that commits",
        ),
        (true, false) => fails(
            place,
            format!(
                "on one way `{}` is called with nothing committed",
                kind.call
            ),
        ),
    }
}
