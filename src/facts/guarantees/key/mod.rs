//! `unique-key`: the key in the schema, and the writers that look it up, insert and meet its conflict.

mod ending;
mod enforced;

use crate::model::guarantee::{Node, Outline, UniqueKey, Verb, What};
use crate::model::schema::Enforcer;
use crate::model::scope::ContractPart;

pub(super) use ending::{is_type, raises};

use super::answer::{fails, hides, holds, open};
use super::statement::{Sql, same};
use super::survey::{Asked as Wanted, Marks, Sighting, Survey, survey};
use super::{Asked, each, hidden};
use ending::ending;
use enforced::{enforced, fingerprint};

const LOCK: Marks = 1;
const LOOKUP: Marks = 2;
const WRITE: Marks = 4;
const OTHER: Marks = 8;
const CONFLICT: Marks = 16;
const UNLOCK: Marks = 32;

/// All that a key is asked for.
pub(super) fn unique(asked: &Asked<'_>, kind: &UniqueKey) -> (Vec<ContractPart>, String) {
    let key = kind.key.join(", ");
    let repair = format!(
        "keep {} ({key}) unique, and meet its conflict as declared",
        kind.table
    );
    let (enforcer, part) = enforced(asked, kind);
    let mut parts = vec![part];
    if let Some(column) = &kind.fingerprint {
        parts.extend(fingerprint(asked, kind, column));
    }
    for writer in &kind.writers {
        match asked.outline(writer) {
            Ok(outline) => parts.extend(writes(asked, kind, writer, outline, enforcer)),
            Err(part) => parts.push(part),
        }
    }
    (parts, repair)
}

/// The columns of the key that an UPDATE sets are a write of it as an INSERT is.
fn is_write(sql: &Sql, kind: &UniqueKey) -> bool {
    let sets_key = || {
        kind.key
            .iter()
            .any(|name| sql.sets.iter().any(|(column, _)| same(column, name)))
    };
    sql.does(Verb::Insert, &kind.table) || (sql.does(Verb::Update, &kind.table) && sets_key())
}

fn is_lookup(sql: &Sql, kind: &UniqueKey) -> bool {
    let by = |name: &std::sync::Arc<str>| sql.equals.iter().any(|column| same(column, name));
    sql.writes.is_empty() && sql.does(Verb::Select, &kind.table) && kind.key.iter().all(by)
}

fn writes(
    asked: &Asked<'_>,
    kind: &UniqueKey,
    writer: &str,
    outline: &Outline,
    enforcer: Option<&Enforcer>,
) -> Vec<ContractPart> {
    let marks = |node: &Node| -> Marks {
        if let What::Raise(Some(of)) = &node.what {
            return if is_type(of, kind.raises.as_deref()) {
                CONFLICT
            } else {
                0
            };
        }
        let Some(sql) = asked.sql(node) else { return 0 };
        if let Some(advisory) = sql.advisory {
            return if advisory.unlocks { UNLOCK } else { LOCK };
        }
        match () {
            () if is_write(&sql, kind) => WRITE,
            () if is_lookup(&sql, kind) => LOOKUP | if sql.locks { LOCK } else { 0 },
            () if sql.writes.is_empty() => 0,
            () => OTHER,
        }
    };
    let wanted = Wanted {
        marks: &marks,
        held: LOCK,
        stays: 0,
    };
    let found = survey(outline, &wanted);
    let inserts: Vec<&Sighting<'_>> = found
        .sightings
        .iter()
        .filter(|it| it.marks & WRITE != 0)
        .collect();
    if inserts.is_empty() {
        let what = format!(
            "write of {} ({}) in `{writer}`",
            kind.table,
            kind.key.join(", ")
        );
        return vec![match hidden(asked, outline) {
            Some(hidden) => hides(&what, hidden),
            None => fails(&outline.place, format!("there is no {what}")),
        }];
    }
    let mut parts = Vec::new();
    for insert in &inserts {
        if kind.lookup_first && insert.before.iter().any(|way| way & LOOKUP == 0) {
            parts.push(fails(
                &insert.node.place,
                "on one way this writes before the key is looked up",
            ));
        }
        parts.extend(ending(asked, kind, insert, enforcer));
    }
    if kind.under_lock {
        parts.extend(locked(&found));
    }
    if kind.replay_writes_nothing {
        parts.push(replay(outline, &found));
    }
    if let (Some(of), true) = (&kind.raises, kind.lookup_first) {
        let typed = found.sightings.iter().find(|it| {
            it.marks & CONFLICT != 0
                && it
                    .before
                    .iter()
                    .any(|way| way & LOOKUP != 0 && way & WRITE == 0)
        });
        parts.push(match typed {
            Some(one) => holds(
                &one.node.place,
                format!("other facts under a key that is there raise {of}"),
            ),
            None => fails(
                &outline.place,
                format!("no way raises {of} for a key that is there with other facts"),
            ),
        });
    }
    if let Some(column) = &kind.fingerprint {
        parts.extend(carried(asked, kind, outline, column));
    }
    if found.lost {
        parts.push(open(
            &outline.place,
            "it has more ways than are told apart",
            "split the function",
        ));
    }
    if parts.is_empty() {
        parts.push(holds(
            &outline.place,
            "every write of the key is as declared",
        ));
    }
    parts
}

/// The lookup and the write stand under one lock of one transaction.
fn locked(found: &Survey<'_>) -> Vec<ContractPart> {
    let mut parts = Vec::new();
    let asked = found
        .sightings
        .iter()
        .filter(|it| it.marks & (LOOKUP | WRITE) != 0);
    for one in asked {
        // A lookup that takes the lock itself.
        let own = one.marks & LOCK != 0;
        let what = if one.marks & WRITE != 0 {
            "written"
        } else {
            "looked up"
        };
        if !own && one.before.iter().any(|way| way & LOCK == 0) {
            parts.push(fails(
                &one.node.place,
                format!("on one way the key is {what} without the lock"),
            ));
        } else if one.before.iter().any(|way| way & UNLOCK != 0) {
            parts.push(fails(
                &one.node.place,
                format!("the lock is given back before the key is {what}"),
            ));
        }
    }
    let lock = found.sightings.iter().find(|it| it.marks & LOCK != 0);
    if let (true, Some(lock)) = (parts.is_empty(), lock) {
        parts.push(holds(
            &lock.node.place,
            "the lookup and the write stand under this lock",
        ));
    }
    parts
}

/// A way on which the key was found and nothing is written.
fn replay(outline: &Outline, found: &Survey<'_>) -> ContractPart {
    let mut replays = found
        .ends
        .iter()
        .filter(|way| *way & LOOKUP != 0 && *way & WRITE == 0)
        .peekable();
    if replays.peek().is_none() {
        return fails(
            &outline.place,
            "no way ends without a write where the key is there",
        );
    }
    if replays.any(|way| way & OTHER != 0) {
        let place = found.sightings.iter().find(|it| {
            it.marks & OTHER != 0
                && it
                    .before
                    .iter()
                    .any(|way| way & LOOKUP != 0 && way & WRITE == 0)
        });
        let place = place.map_or(&outline.place, |it| &it.node.place);
        return fails(
            place,
            "this is written on a replay too, where the key was found",
        );
    }
    holds(&outline.place, "an exact replay ends without a write")
}

/// The insert writes the fingerprint, and the lookup reads it.
fn carried(
    asked: &Asked<'_>,
    kind: &UniqueKey,
    outline: &Outline,
    column: &str,
) -> Vec<ContractPart> {
    let mut written = None;
    let mut read = None;
    each(&outline.nodes, &mut |node| {
        let Some(sql) = asked.sql(node) else { return };
        if sql.does(Verb::Insert, &kind.table) && sql.columns.iter().any(|name| same(name, column))
        {
            written = written.take().or(Some(&node.place));
        }
        let reads = is_lookup(&sql, kind) && sql.words.iter().any(|word| same(word, column));
        if reads {
            read = read.take().or(Some(&node.place));
        }
    });
    match (written, read) {
        (Some(place), Some(_)) => vec![holds(
            place,
            format!("new rows carry {column}, and a replay compares it"),
        )],
        (None, _) => vec![fails(
            &outline.place,
            format!("new rows do not carry {column}"),
        )],
        (_, None) => vec![fails(
            &outline.place,
            format!("the lookup does not read {column}: a replay is not compared"),
        )],
    }
}
