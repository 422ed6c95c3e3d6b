//! `CREATE` of anything: what kind of object it is, and what that means for tables.

use std::sync::Arc;

use crate::model::schema::{DbTrigger, Dialect, TableKind};
use crate::sql::cursor::{Cursor, QualifiedName, Stop};

use super::Places;
use super::catalog::{Catalog, Relation, TEMPORARY, disagree, not_parsed};
use super::create_table::{self, TableDraft};
use super::define::define;
use super::{bodies, code, composite, domain, equality, index, other};

/// Objects that hold no rows and change no table.
const OTHERS: [&str; 28] = [
    "SEQUENCE",
    "TYPE",
    "EXTENSION",
    "ROLE",
    "USER",
    "POLICY",
    "AGGREGATE",
    "OPERATOR",
    "COLLATION",
    "CAST",
    "SERVER",
    "PUBLICATION",
    "SUBSCRIPTION",
    "DATABASE",
    "EVENT",
    "LANGUAGE",
    "CONVERSION",
    "STATISTICS",
    "TABLESPACE",
    "TEXT",
    "TRANSFORM",
    "ACCESS",
    "GROUP",
    "LOGFILE",
    "RESOURCE",
    "BINDING",
    "SPATIAL",
    "PROPERTY",
];

/// Words between CREATE and the kind of object.
#[derive(Debug, Default)]
struct Modifiers {
    unique: bool,
    replace: bool,
    temporary: bool,
    unlogged: bool,
    foreign: bool,
}

/// Reads what follows the word CREATE.
pub(super) fn create(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
    start: u32,
) -> Result<(), Stop> {
    let mut modifiers = Modifiers::default();
    // The longest run of them: OR REPLACE ALGORITHM = x DEFINER = u @ h SQL SECURITY x.
    for _ in 0..24 {
        if cursor.eat("TABLE") {
            return table(catalog, cursor, places, &modifiers);
        }
        if cursor.eat("INDEX") {
            let Modifiers {
                unique, replace, ..
            } = modifiers;
            return index::create(catalog, cursor, places, start, unique, replace);
        }
        if cursor.eat("VIEW") {
            return view(catalog, cursor, places, &modifiers);
        }
        if cursor.eat("TRIGGER") {
            return trigger(catalog, cursor, places, &modifiers);
        }
        if cursor.eat_any(&["FUNCTION", "PROCEDURE", "PACKAGE"]) {
            return code::routine(catalog, cursor, places, modifiers.replace);
        }
        if cursor.eat("DOMAIN") {
            return domain::create(catalog, cursor);
        }
        if catalog.dialect == Dialect::Postgres && cursor.eat("COLLATION") {
            return equality::collation(catalog, cursor);
        }
        if catalog.dialect == Dialect::Postgres && cursor.eat("TYPE") {
            return composite::create(catalog, cursor, places);
        }
        if cursor.eat("RULE") {
            return other::rule(catalog, cursor, places);
        }
        if cursor.eat("SCHEMA") {
            return schema(catalog, cursor, places);
        }
        if cursor.is("FOREIGN") && !cursor.token_is(cursor.ahead(1), "TABLE") {
            return Ok(());
        }
        if cursor.is_any(&OTHERS) && !cursor.token_is(cursor.ahead(1), "INDEX") {
            return Ok(());
        }
        modifiers.unique |= cursor.is("UNIQUE");
        modifiers.replace |= cursor.is("REPLACE");
        modifiers.temporary |= cursor.is_any(&["TEMP", "TEMPORARY"]);
        modifiers.unlogged |= cursor.is("UNLOGGED");
        modifiers.foreign |= cursor.is_any(&["FOREIGN", "VIRTUAL"]);
        if cursor.at_end() {
            break;
        }
        cursor.step();
    }
    Err(cursor.stop())
}

fn table(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
    modifiers: &Modifiers,
) -> Result<(), Stop> {
    let if_not_exists = cursor.eat_all(&["IF", "NOT", "EXISTS"]);
    let head = cursor.stop();
    let name = cursor.qualified()?;
    let place = places(head.start, cursor.end_of_last().max(head.end));
    let name = match modifiers.temporary {
        // It is gone with its session, and hides another of its name until then.
        true => QualifiedName {
            schema: Some(TEMPORARY.into()),
            name: name.name,
        },
        false => catalog.resolve(name),
    };
    let exists = catalog.get(&name).is_some_and(|relation| relation.defined);
    if exists && if_not_exists {
        return Ok(());
    }
    if modifiers.foreign && catalog.dialect == Dialect::Sqlite {
        catalog.insert(Relation::new(name, TableKind::Foreign, place));
        return Ok(());
    }
    let mut draft = match create_table::body(cursor, places) {
        Ok(draft) => draft,
        Err(stop) => {
            let sentence = format!("the definition of {} is not understood", name.name);
            let reason = not_parsed(sentence, places(stop.start, stop.end));
            catalog.mark(&name, reason);
            return Ok(());
        }
    };
    draft.unlogged = modifiers.unlogged;
    if modifiers.foreign {
        draft.kind = Some(TableKind::Foreign);
    }
    if exists && !modifiers.replace {
        return twice(catalog, name, draft, place);
    }
    let earlier = catalog
        .get(&name)
        .map(|relation| relation.unknown.clone())
        .unwrap_or_default();
    define(catalog, name.clone(), draft, place);
    // What was said of it before it was made is still not understood.
    if let Some(relation) = catalog.get_mut(&name)
        && !modifiers.replace
    {
        relation.unknown.extend(earlier);
    }
    Ok(())
}

/// A second definition fails in the engine; only if it says the same is nothing lost.
fn twice(
    catalog: &mut Catalog,
    name: QualifiedName,
    draft: TableDraft,
    place: crate::model::place::Place,
) -> Result<(), Stop> {
    let mut second = Catalog::new(catalog.dialect);
    define(&mut second, name.clone(), draft, place.clone());
    let describe = |catalog: &Catalog| catalog.get(&name).map(super::finish::content);
    if describe(&second) != describe(catalog) {
        let sentence = format!("{} is defined twice, and not alike", name.name);
        catalog.mark(&name, disagree(sentence, place));
    }
    Ok(())
}

/// `CREATE SCHEMA x CREATE TABLE … CREATE VIEW …`: what stands behind the name is made in it.
fn schema(catalog: &mut Catalog, cursor: &mut Cursor<'_>, places: Places<'_>) -> Result<(), Stop> {
    cursor.eat_all(&["IF", "NOT", "EXISTS"]);
    let name = match cursor.is("AUTHORIZATION") {
        true => None,
        false => Some(cursor.name()?),
    };
    if cursor.eat("AUTHORIZATION") {
        let role = cursor.name()?;
        return elements(catalog, cursor, places, name.unwrap_or(role));
    }
    match name {
        Some(name) => elements(catalog, cursor, places, name),
        None => Err(cursor.stop()),
    }
}

fn elements(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
    schema: Arc<str>,
) -> Result<(), Stop> {
    cursor.skip_to(&["CREATE", "GRANT"]);
    if cursor.dialect != Dialect::Postgres {
        return match cursor.at_end() {
            true => Ok(()),
            false => Err(cursor.stop()),
        };
    }
    let before = catalog.path.put_first(schema);
    let mut result = Ok(());
    while result.is_ok() && cursor.is_any(&["CREATE", "GRANT"]) {
        let begin = *cursor;
        cursor.step();
        while !cursor.at_end() && !cursor.is_any(&["CREATE", "GRANT"]) {
            match cursor.is_punct(b'(') {
                true => drop(cursor.parens()),
                false => cursor.step(),
            }
        }
        let mut element = cursor.since(&begin);
        let start = element.offset();
        if element.eat("CREATE") {
            result = create(catalog, &mut element, places, start);
        }
    }
    catalog.path.put_back(before);
    result
}

fn view(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
    modifiers: &Modifiers,
) -> Result<(), Stop> {
    let if_not_exists = cursor.eat_all(&["IF", "NOT", "EXISTS"]);
    let head = cursor.stop();
    let name = catalog.resolve(cursor.qualified()?);
    let place = places(head.start, head.end);
    let known = catalog.get(&name).map(|relation| relation.table.kind);
    if modifiers.temporary || (if_not_exists && known.is_some()) {
        return Ok(());
    }
    if known.is_some_and(|kind| kind != TableKind::View) {
        let sentence = format!("the view {} takes the name of a table", name.name);
        catalog.mark(&name, disagree(sentence, place));
        return Ok(());
    }
    catalog.insert(Relation::new(name, TableKind::View, place));
    Ok(())
}

/// A trigger; of its body, or that of its function, what it sets in rows of its table.
fn trigger(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
    modifiers: &Modifiers,
) -> Result<(), Stop> {
    cursor.eat_all(&["IF", "NOT", "EXISTS"]);
    let head = cursor.stop();
    let name = cursor.qualified()?.name;
    let mut trigger = DbTrigger {
        name,
        // SQLite takes BEFORE where nothing is said.
        before: cursor.dialect == Dialect::Sqlite,
        on_insert: false,
        on_update: false,
        on_delete: false,
        sets: Vec::new(),
        place: places(head.start, head.end),
    };
    if cursor.eat("BEFORE") {
        trigger.before = true;
    } else if cursor.eat("AFTER") || cursor.eat_all(&["INSTEAD", "OF"]) {
        trigger.before = false;
    }
    while !cursor.is("ON") {
        if cursor.eat("INSERT") {
            trigger.on_insert = true;
        } else if cursor.eat("UPDATE") {
            trigger.on_update = true;
        } else if cursor.eat("DELETE") {
            trigger.on_delete = true;
        } else if cursor.at_end() {
            return Err(cursor.stop());
        } else {
            // OR, TRUNCATE, OF with its columns.
            cursor.step();
        }
    }
    cursor.step();
    let table = cursor.qualified()?;
    if modifiers.temporary {
        return Ok(());
    }
    trigger.sets = bodies::set_by_trigger(catalog, *cursor, &table.name);
    if let Some(relation) = catalog.get_mut(&table) {
        relation
            .table
            .triggers
            .retain(|known| known.name != trigger.name);
        relation.table.triggers.push(trigger);
        return Ok(());
    }
    let sentence = format!(
        "a trigger on {} is made, and no statement read before it makes the table",
        table.name
    );
    let reason = not_parsed(sentence, trigger.place);
    catalog.mark(&table, reason);
    Ok(())
}
