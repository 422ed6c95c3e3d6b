//! `unique-key`: the key in the schema, and the writers that look it up, insert and meet its conflict.

use std::sync::Arc;

use crate::model::evidence::{InputKind, ObservedBy};
use crate::model::guarantee::{Caught, Node, Outline, UniqueKey, Verb, What};
use crate::model::schema::{Deferral, Enforcer, SchemaOrigin, Table};
use crate::model::scope::ContractPart;
use crate::sql::predicate;
use crate::sql::same::{Implies, implies};
use crate::sql::statement::{ArmAction, ConflictTarget};

use super::answer::{fails, hides, holds, missing_input, open, shown};
use super::statement::{Sql, same};
use super::survey::{Asked as Wanted, Marks, Sighting, Survey, survey, survey_of};
use super::{Asked, each, hidden};

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

/// The key in the schema.
fn enforced<'a>(asked: &Asked<'a>, kind: &UniqueKey) -> (Option<&'a Enforcer>, ContractPart) {
    let key = kind.key.join(", ");
    let Some(schema) = asked.context.schema else {
        let sentence = format!(
            "whether {} ({key}) is unique is not known: no schema was read",
            kind.table
        );
        let next = "give the schema (--schema) or a database";
        return (
            None,
            missing_input(asked, InputKind::Schema, sentence, next),
        );
    };
    let Some(table) = schema.table(&kind.table) else {
        let why = format!("the schema has no table {}", kind.table);
        return (None, fails(asked.at, why));
    };
    let is_key = |one: &&Enforcer| {
        let columns: Vec<&Arc<str>> = one
            .parts
            .iter()
            .filter_map(|part| part.column.as_ref())
            .collect();
        columns.len() == one.parts.len()
            && columns.len() == kind.key.len()
            && one.parts.iter().all(|part| part.prefix_length.is_none())
            && kind
                .key
                .iter()
                .all(|name| columns.iter().any(|column| same(column, name)))
    };
    let mut worst = None;
    for enforcer in table.enforcers.iter().filter(is_key) {
        match fits(asked, kind, table, enforcer) {
            ContractPart::Holds(evidence) => {
                return (Some(enforcer), ContractPart::Holds(evidence));
            }
            other => worst = worst.or(Some((Some(enforcer), other))),
        }
    }
    worst.unwrap_or_else(|| {
        let why = format!("nothing keeps {} ({key}) unique", table.name);
        (None, fails(&table.place, why))
    })
}

fn fits(asked: &Asked<'_>, kind: &UniqueKey, table: &Table, enforcer: &Enforcer) -> ContractPart {
    let place = &enforcer.evidence.place;
    let name = &enforcer.name;
    if enforcer.deferral == Deferral::Deferred {
        return fails(
            place,
            format!(
                "`{name}` is checked at the commit only, behind the code that meets its conflict"
            ),
        );
    }
    let dialect = asked.dialect();
    match (&kind.only_if, &enforcer.predicate) {
        (None, None) => {}
        (None, Some(partial)) => {
            return fails(
                place,
                format!(
                    "`{name}` leaves rows out: it holds only WHERE {}",
                    partial.text
                ),
            );
        }
        (Some(wanted), None) => {
            return fails(
                place,
                format!("`{name}` takes all rows, not only those WHERE {wanted}"),
            );
        }
        (Some(wanted), Some(partial)) => {
            let is_column = |name: &str| table.column(name).is_some();
            let tree = predicate::parse(wanted, dialect, &is_column);
            let there = implies(&partial.tree, &tree, dialect);
            let back = implies(&tree, &partial.tree, dialect);
            match (there, back) {
                (Implies::Yes, Implies::Yes) => {}
                (Implies::No, _) | (_, Implies::No) => {
                    return fails(
                        place,
                        format!(
                            "`{name}` holds WHERE {}, and not WHERE {wanted}",
                            partial.text
                        ),
                    );
                }
                _ => {
                    let why = format!(
                        "whether `{name}`, WHERE {}, holds WHERE {wanted} cannot be told",
                        partial.text
                    );
                    return open(place, why, "write both in the same way");
                }
            }
        }
    }
    let live = asked
        .context
        .schema
        .is_some_and(|it| it.origin == SchemaOrigin::Live);
    if live && enforcer.enforced.shown() == Some(&false) {
        return fails(place, format!("the database does not enforce `{name}`"));
    }
    let (input, by) = match live {
        true => (InputKind::Database, ObservedBy::Catalog),
        false => (InputKind::Schema, ObservedBy::Text),
    };
    shown(
        input,
        by,
        place,
        format!(
            "`{name}` keeps {} {} unique",
            table.name,
            enforcer.key_text()
        ),
    )
}

/// A fingerprint stands in new rows, and nothing fills it in for those from before.
fn fingerprint(asked: &Asked<'_>, kind: &UniqueKey, column: &str) -> Vec<ContractPart> {
    let mut parts = Vec::new();
    if let Some(table) = asked
        .context
        .schema
        .and_then(|schema| schema.table(&kind.table))
    {
        parts.push(match table.column(column) {
            None => fails(
                &table.place,
                format!("{} has no column {column}", table.name),
            ),
            Some(found) if !found.nullable => fails(
                &found.place,
                format!("{column} cannot be NULL: rows from before it were given a guess"),
            ),
            Some(found) => shown(
                InputKind::Schema,
                ObservedBy::Text,
                &found.place,
                format!("{column} is NULL in rows from before it, and they stay so"),
            ),
        });
    }
    let Some(code) = asked.context.code else {
        return parts;
    };
    for (_, node) in &code.statements {
        let Some(sql) = asked.sql(node) else { continue };
        let fills = sql.does(Verb::Update, &kind.table)
            && sql.sets.iter().any(|(name, _)| same(name, column));
        if fills {
            parts.push(fails(
                &node.place,
                format!("this fills {column} in for rows that are there: history is guessed"),
            ));
        }
    }
    parts
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
    let by = |name: &Arc<str>| sql.equals.iter().any(|column| same(column, name));
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

/// What becomes of a write that meets its own key.
fn ending(
    asked: &Asked<'_>,
    kind: &UniqueKey,
    insert: &Sighting<'_>,
    enforcer: Option<&Enforcer>,
) -> Option<ContractPart> {
    let place = &insert.node.place;
    let sql = asked.sql(insert.node)?;
    let arm = sql.arms.iter().find(|arm| match &arm.target {
        ConflictTarget::Any => true,
        ConflictTarget::Constraint(name) => enforcer.is_some_and(|it| same(&it.name, name)),
        ConflictTarget::Parts { parts, .. } => {
            parts.len() == kind.key.len()
                && kind.key.iter().all(|name| {
                    let mut columns = parts.iter().filter_map(|part| part.column.as_ref());
                    columns.any(|column| same(column, name))
                })
        }
    });
    match (arm.map(|arm| &arm.action), &kind.raises) {
        (Some(ArmAction::Nothing), _) => {
            return Some(holds(place, "a second insert of the key does nothing"));
        }
        (Some(ArmAction::Update { .. }), _) => {
            return Some(fails(
                place,
                "a second insert of the key writes over the row that is there",
            ));
        }
        (None, _) => {}
    }
    let caught = insert
        .handlers
        .iter()
        .rev()
        .flat_map(|all| all.iter())
        .find(|one| one.unique);
    match (caught, &kind.raises) {
        (Some(caught), Some(of)) => Some(typed(caught, of, enforcer, place, kind)),
        (Some(caught), None) => Some(holds(
            caught.body.first().map_or(place, |node| &node.place),
            "a violation of the key is caught",
        )),
        (None, Some(of)) => Some(fails(
            place,
            format!("a violation of the key is not caught, and never becomes {of}"),
        )),
        (None, None) => Some(fails(
            place,
            "a violation of the key is not met: every replay ends in an error",
        )),
    }
}

/// True if a handler raises the type that is declared, for that constraint and no other.
pub(super) fn typed(
    caught: &Caught,
    of: &str,
    enforcer: Option<&Enforcer>,
    insert: &crate::model::place::Place,
    kind: &UniqueKey,
) -> ContractPart {
    let place = caught.body.first().map_or(insert, |node| &node.place);
    if !raises(&caught.body, of) {
        return fails(
            place,
            format!("a violation of the key is caught, and never becomes {of}"),
        );
    }
    let mut named = false;
    each(&caught.body, &mut |node| {
        if let (What::Branch { test, .. }, Some(enforcer)) = (&node.what, enforcer) {
            named |= test.literals.iter().any(|text| **text == *enforcer.name);
        }
    });
    if !named && enforcer.is_some() {
        return open(
            place,
            format!(
                "whether a violation of another key of {} becomes {of} too cannot be told",
                kind.table
            ),
            "compare the name of the constraint in the handler",
        );
    }
    holds(place, format!("a violation of that key becomes {of}"))
}

/// True if something in some nodes raises a type.
pub(super) fn raises(nodes: &[Node], of: &str) -> bool {
    let marks = |node: &Node| -> Marks {
        match &node.what {
            What::Raise(Some(found)) if is_type(found, Some(of)) => CONFLICT,
            _ => 0,
        }
    };
    let found = survey_of(
        nodes,
        &Wanted {
            marks: &marks,
            held: 0,
            stays: 0,
        },
    );
    !found.sightings.is_empty()
}

/// True of a type by its name, qualified or not.
pub(super) fn is_type(found: &str, wanted: Option<&str>) -> bool {
    let last = |name: &str| name.rsplit(['.', ':']).next().unwrap_or(name).to_owned();
    wanted.is_some_and(|wanted| last(found) == last(wanted))
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
