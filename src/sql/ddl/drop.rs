//! `DROP` of anything.

use crate::model::place::Place;
use crate::model::schema::Dialect;
use crate::sql::cursor::{Cursor, Stop};

use super::Places;
use super::catalog::{Catalog, RelationKey, TEMPORARY, disagree, not_parsed};
use super::{index, references};

/// Objects whose loss can take columns or indexes along, if CASCADE says so.
const TAKES_ALONG: [&str; 8] = [
    "TYPE",
    "DOMAIN",
    "FUNCTION",
    "EXTENSION",
    "COLLATION",
    "OPERATOR",
    "OWNED",
    "ROUTINE",
];

/// Reads what follows the word DROP.
pub(super) fn drop(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
    start: u32,
) -> Result<(), Stop> {
    let temporary = cursor.eat_any(&["TEMPORARY", "TEMP"]);
    cursor.eat_any(&["MATERIALIZED", "FOREIGN", "ONLINE"]);
    if cursor.eat_any(&["TABLE", "TABLES"]) {
        return relations(catalog, cursor, places, temporary);
    }
    if cursor.eat("VIEW") {
        return relations(catalog, cursor, places, temporary);
    }
    if cursor.eat("INDEX") {
        return index::drop(catalog, cursor, places, start);
    }
    if cursor.eat("TRIGGER") {
        return trigger(catalog, cursor);
    }
    if cursor.eat_any(&["SCHEMA", "DATABASE"]) {
        return schemas(catalog, cursor, places);
    }
    if cursor.is_any(&TAKES_ALONG) {
        taken_along(catalog, cursor, places);
    }
    Ok(())
}

/// With CASCADE go the columns, defaults and indexes that use the object: the tables that mention
/// its name are unknown from here on; behind an extension or an owner anything may stand.
fn taken_along(catalog: &mut Catalog, cursor: &mut Cursor<'_>, places: Places<'_>) {
    let head = cursor.stop();
    let owned = cursor.is("OWNED");
    let anything = cursor.is_any(&["EXTENSION", "OWNED", "OPERATOR"]);
    cursor.step();
    cursor.eat_all(&["IF", "EXISTS"]);
    let mut names = Vec::new();
    while !cursor.at_end() && !cursor.is("CASCADE") {
        // Of a function, the types of its arguments are no names of it.
        let passed = cursor.is_punct(b'(') && cursor.parens().is_ok();
        match cursor.qualified() {
            Ok(name) => names.push(name.name),
            Err(_) if passed => {}
            Err(_) => cursor.step(),
        }
    }
    if !cursor.is("CASCADE") && !owned {
        return;
    }
    let place = places(head.start, head.end);
    if anything && !catalog.relations.is_empty() {
        let sentence = "what this statement drops along with its object is not known".to_owned();
        catalog.mark_all(not_parsed(sentence, place));
        return;
    }
    for relation in catalog.relations.values_mut() {
        if let Some(name) = names.iter().find(|name| relation.uses(name)) {
            let sentence = format!(
                "{name} is dropped, and with it what {} uses it for",
                relation.table.name
            );
            relation.unknown.push(not_parsed(sentence, place.clone()));
        }
    }
}

fn relations(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
    temporary: bool,
) -> Result<(), Stop> {
    let head = cursor.stop();
    let if_exists = cursor.eat_all(&["IF", "EXISTS"]);
    let mut keys = Vec::new();
    loop {
        let name = cursor.qualified()?;
        let key = catalog.key(&name);
        if !temporary || key.0 == TEMPORARY {
            keys.push(key);
        }
        if !cursor.eat_punct(b',') {
            break;
        }
    }
    let cascade = cursor.eat("CASCADE");
    cursor.eat_any(&["RESTRICT", "PURGE"]);
    if !(cursor.eat("CONSTRAINTS") || cursor.at_end()) {
        return Err(cursor.stop());
    }
    let postgres = catalog.dialect == Dialect::Postgres;
    let missing = |key: &RelationKey| !catalog.relations.contains_key(key);
    if let Some(missing) = keys.iter().find(|key| missing(key)).cloned()
        && postgres
        && !if_exists
    {
        // The statement fails as a whole if that one is not there.
        for key in keys.iter().filter(|key| **key != missing) {
            let sentence = format!(
                "{} is dropped together with {}, which no statement read before it makes",
                key.1, missing.1
            );
            refused(catalog, key, sentence, places(head.start, head.end));
        }
        return Ok(());
    }
    for key in &keys {
        if !catalog.relations.contains_key(key) {
            continue;
        }
        let heir = catalog
            .relations
            .iter()
            .find(|(child, relation)| relation.inherits.contains(key) && !keys.contains(child));
        if let Some((heir, _)) = heir.filter(|_| !cascade) {
            let sentence = format!(
                "{} is dropped, which {} that inherits from it forbids",
                key.1, heir.1
            );
            refused(catalog, key, sentence, places(head.start, head.end));
            continue;
        }
        if let Some(pointing) = references::pointing(catalog, key, &keys)
            && postgres
            && !cascade
        {
            let sentence = format!(
                "{} is dropped, which a foreign key of {pointing} forbids",
                key.1
            );
            refused(catalog, key, sentence, places(head.start, head.end));
            continue;
        }
        remove(catalog, key);
    }
    Ok(())
}

/// A drop that the engine may refuse leaves the table unknown.
fn refused(catalog: &mut Catalog, key: &RelationKey, sentence: String, place: Place) {
    if let Some(relation) = catalog.relations.get_mut(key) {
        relation.unknown.push(disagree(sentence, place));
    }
}

/// Removes a relation with its partitions and those that inherit from it.
fn remove(catalog: &mut Catalog, key: &RelationKey) {
    if catalog.remove(key).is_none() {
        return;
    }
    let children: Vec<RelationKey> = catalog
        .relations
        .iter()
        .filter(|(_, relation)| {
            relation.partition_of.as_ref() == Some(key) || relation.inherits.contains(key)
        })
        .map(|(key, _)| key.clone())
        .collect();
    for child in children {
        remove(catalog, &child);
    }
}

fn trigger(catalog: &mut Catalog, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    cursor.eat_all(&["IF", "EXISTS"]);
    let name = cursor.qualified()?.name;
    let table = match cursor.eat("ON") {
        true => Some(catalog.key(&cursor.qualified()?)),
        false => None,
    };
    for (key, relation) in &mut catalog.relations {
        if table.as_ref().is_none_or(|table| table == key) {
            for triggers in [&mut relation.table.triggers, &mut relation.silent] {
                triggers.retain(|trigger| !trigger.name.eq_ignore_ascii_case(&name));
            }
        }
    }
    Ok(())
}

fn schemas(catalog: &mut Catalog, cursor: &mut Cursor<'_>, places: Places<'_>) -> Result<(), Stop> {
    let head = cursor.stop();
    cursor.eat_all(&["IF", "EXISTS"]);
    let mut gone = Vec::new();
    loop {
        let schema = cursor.name()?;
        let folded = match catalog.dialect {
            Dialect::Postgres => schema.to_string(),
            _ => schema.to_lowercase(),
        };
        let of_schema = |key: &&RelationKey| key.0 == folded;
        gone.extend(catalog.relations.keys().filter(of_schema).cloned());
        if !cursor.eat_punct(b',') {
            break;
        }
    }
    let forbidden = catalog.dialect == Dialect::Postgres && !cursor.is("CASCADE");
    for key in gone {
        if forbidden {
            let sentence = format!("the schema of {} is dropped without CASCADE", key.1);
            refused(catalog, &key, sentence, places(head.start, head.end));
        } else {
            remove(catalog, &key);
        }
    }
    Ok(())
}
