//! `first-lock`, `ordered-lock` and `critical-section`.

use crate::model::guarantee::{CriticalSection, FirstLock, Node, OrderedLock, Outline, Verb, What};
use crate::model::scope::ContractPart;

use super::answer::{fails, hides, holds, open};
use super::group::directions;
use super::statement::{Sql, same};
use super::survey::{Asked as Wanted, Marks, Sighting, survey};
use super::{Asked, hidden, unread};

const WANTED: Marks = 1;
const OTHER: Marks = 2;
const LOCK: Marks = 4;
const READ: Marks = 8;
const INSERT: Marks = 16;
const UNLOCK: Marks = 32;

/// True of a statement that locks rows of a table, those of a whole group where an edge is named.
fn locks(sql: &Sql, table: &str, edge: Option<&str>) -> bool {
    sql.locks
        && sql.does(Verb::Select, table)
        && edge.is_none_or(|edge| sql.words.iter().any(|word| same(word, edge)))
}

/// `first-lock`: in the transaction in which it stands nothing is locked before it, on any way.
pub(super) fn first(asked: &Asked<'_>, kind: &FirstLock) -> (Vec<ContractPart>, String) {
    let repair = format!(
        "lock the rows of {} first in `{}`",
        kind.table, kind.function
    );
    let outline = match asked.outline(&kind.function) {
        Ok(outline) => outline,
        Err(part) => return (vec![part], repair),
    };
    let marks = |node: &Node| -> Marks {
        let Some(sql) = asked.sql(node) else { return 0 };
        match () {
            () if locks(&sql, &kind.table, kind.edge.as_deref()) => WANTED,
            () if sql.locks || !sql.writes.is_empty() => OTHER,
            () if sql.advisory.is_some_and(|it| !it.unlocks) => OTHER,
            () => 0,
        }
    };
    let found = survey(
        outline,
        &Wanted {
            marks: &marks,
            held: WANTED | OTHER,
            stays: 0,
        },
    );
    let Some(wanted) = found.of(WANTED).next() else {
        let what = format!("lock on the rows of {} in `{}`", kind.table, kind.function);
        let part = match hidden(asked, outline) {
            Some(hidden) => hides(&what, hidden),
            None => fails(&outline.place, format!("there is no {what}")),
        };
        return (vec![part], repair);
    };
    let within = wanted.within;
    let early = found
        .of(OTHER)
        .find(|one| one.within == within && one.before.iter().any(|way| way & WANTED == 0));
    let mut parts = Vec::new();
    match early {
        Some(early) => parts.push(fails(
            &early.node.place,
            format!("this locks before the rows of {} are locked: two that wait for each other end in a deadlock", kind.table),
        )),
        None => match unread(asked, outline, false) {
            Some((place, why)) if before(place, &wanted.node.place) => {
                parts.push(open(place, format!("what stands before the lock is not all read: {why}"), "let the text of the statement show in the source"));
            }
            _ => parts.push(holds(&wanted.node.place, "this is the first lock, on every way")),
        },
    }
    (parts, repair)
}

/// True if one place of a file stands before another of the same.
fn before(one: &crate::model::place::Place, other: &crate::model::place::Place) -> bool {
    match (one.span(), other.span()) {
        (Some(one), Some(other)) => one.file != other.file || one.start < other.start,
        _ => true,
    }
}

/// `ordered-lock`: one statement locks the whole group in one order.
pub(super) fn ordered(asked: &Asked<'_>, kind: &OrderedLock) -> (Vec<ContractPart>, String) {
    let repair = format!(
        "lock the rows of {} in one statement, ordered by {}",
        kind.table, kind.order_by
    );
    let outline = match asked.outline(&kind.function) {
        Ok(outline) => outline,
        Err(part) => return (vec![part], repair),
    };
    let marks = |node: &Node| -> Marks {
        let sql = asked.sql(node);
        let is = sql.is_some_and(|sql| sql.locks && sql.does(Verb::Select, &kind.table));
        if is { WANTED } else { 0 }
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
    for one in found.of(WANTED) {
        let Some(sql) = asked.sql(one.node) else {
            continue;
        };
        let place = &one.node.place;
        let ordered = sql
            .order
            .first()
            .is_some_and(|column| same(column, &kind.order_by));
        parts.push(match () {
            () if one.looped => fails(place, "the rows are locked one by one, in a loop"),
            () if !ordered => fails(
                place,
                format!("the rows are not locked in the order of {}", kind.order_by),
            ),
            () => holds(
                place,
                format!(
                    "the rows are locked by one statement, in the order of {}",
                    kind.order_by
                ),
            ),
        });
        if let (Some(edge), What::Statement(ran)) = (&kind.edge, &one.node.what) {
            parts.push(directions(
                asked,
                ran,
                &sql,
                &kind.table,
                &kind.order_by,
                edge,
                place,
            ));
        }
    }
    if parts.is_empty() {
        parts.push(absent(
            asked,
            outline,
            &format!("lock on the rows of {} in `{}`", kind.table, kind.function),
        ));
    }
    (parts, repair)
}

fn absent(asked: &Asked<'_>, outline: &Outline, what: &str) -> ContractPart {
    match hidden(asked, outline) {
        Some(hidden) => hides(what, hidden),
        None => fails(&outline.place, format!("there is no {what}")),
    }
}

/// `critical-section`: a read and the insert under one advisory lock, held across both.
pub(super) fn section(asked: &Asked<'_>, kind: &CriticalSection) -> (Vec<ContractPart>, String) {
    let repair = format!(
        "read {} and insert into {} under one namespaced advisory lock that is held to the commit",
        kind.reads, kind.inserts
    );
    let outline = match asked.outline(&kind.function) {
        Ok(outline) => outline,
        Err(part) => return (vec![part], repair),
    };
    let marks = |node: &Node| -> Marks {
        let Some(sql) = asked.sql(node) else { return 0 };
        if let Some(advisory) = sql.advisory {
            return match advisory.unlocks {
                true => UNLOCK,
                // One that goes on without the lock is none.
                false if advisory.tries => 0,
                false => LOCK,
            };
        }
        let by = |column: &str| sql.equals.iter().any(|it| same(it, column));
        match () {
            () if sql.does(Verb::Insert, &kind.inserts) => INSERT,
            () if sql.writes.is_empty()
                && sql.does(Verb::Select, &kind.reads)
                && kind.by.as_deref().is_none_or(by) =>
            {
                READ
            }
            () => 0,
        }
    };
    let found = survey(
        outline,
        &Wanted {
            marks: &marks,
            held: LOCK,
            stays: UNLOCK,
        },
    );
    let by = kind
        .by
        .as_ref()
        .map_or_else(String::new, |by| format!(" by {by}"));
    let mut parts = Vec::new();
    for (mark, what) in [
        (INSERT, format!("insert into {}", kind.inserts)),
        (READ, format!("read of {}{by}", kind.reads)),
        (LOCK, "advisory lock".to_owned()),
    ] {
        if found.of(mark).next().is_none() {
            parts.push(absent(
                asked,
                outline,
                &format!("{what} in `{}`", kind.function),
            ));
        }
    }
    if !parts.is_empty() {
        return (parts, repair);
    }
    let lacks = |one: &Sighting<'_>, mark: Marks| one.before.iter().any(|way| way & mark == 0);
    for read in found.of(READ) {
        if lacks(read, LOCK) {
            parts.push(fails(
                &read.node.place,
                "on one way this read stands outside the lock: two at once both see nothing",
            ));
        }
    }
    for insert in found.of(INSERT) {
        let place = &insert.node.place;
        if lacks(insert, READ) {
            parts.push(fails(
                place,
                format!(
                    "on one way this inserts without a read of {}{by}",
                    kind.reads
                ),
            ));
        }
        if lacks(insert, LOCK) {
            parts.push(fails(place, "on one way this inserts outside the lock"));
        } else if insert.before.iter().any(|way| way & UNLOCK != 0) {
            parts.push(fails(place, "the lock is given back before this insert"));
        }
        let alone = found.of(READ | LOCK).any(|one| one.within != insert.within);
        if alone && insert.within.is_some() {
            parts.push(fails(
                place,
                "this insert stands in another transaction than the read and its lock",
            ));
        }
    }
    for lock in found.of(LOCK) {
        let namespaced = asked.sql(lock.node).and_then(|sql| sql.advisory);
        if namespaced.is_some_and(|it| !it.namespaced) {
            parts.push(fails(&lock.node.place, "the key of this lock names no use of it: another use of the same number waits for it, or is let through"));
        }
    }
    if parts.is_empty() {
        let place = found
            .of(LOCK)
            .next()
            .map_or(&outline.place, |it| &it.node.place);
        parts.push(holds(
            place,
            "the read and the insert stand under this lock, which is held across both",
        ));
    }
    (parts, repair)
}
