//! `DROP` of anything.

use crate::model::schema::Dialect;
use crate::sql::cursor::{Cursor, QualifiedName, Stop};

use super::Places;
use super::catalog::{Catalog, not_parsed};
use super::index;

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
        return relations(catalog, cursor, temporary);
    }
    if cursor.eat("VIEW") {
        return relations(catalog, cursor, temporary);
    }
    if cursor.eat("INDEX") {
        return index::drop(catalog, cursor, places, start);
    }
    if cursor.eat("TRIGGER") {
        return trigger(catalog, cursor);
    }
    if cursor.eat_any(&["SCHEMA", "DATABASE"]) {
        return schemas(catalog, cursor);
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
    let anything = cursor.is_any(&["EXTENSION", "OWNED", "OPERATOR"]);
    cursor.step();
    cursor.eat_all(&["IF", "EXISTS"]);
    let mut names = Vec::new();
    while !cursor.at_end() && !cursor.is("CASCADE") {
        match cursor.qualified() {
            Ok(name) => names.push(name.name),
            Err(_) => cursor.step(),
        }
    }
    if !cursor.is("CASCADE") {
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

fn relations(catalog: &mut Catalog, cursor: &mut Cursor<'_>, temporary: bool) -> Result<(), Stop> {
    cursor.eat_all(&["IF", "EXISTS"]);
    loop {
        let name = cursor.qualified()?;
        let key = catalog.key(&name);
        if !temporary && catalog.remove(&key).is_some() {
            // Its partitions go with it.
            let partitions: Vec<_> = catalog
                .relations
                .iter()
                .filter(|(_, relation)| relation.partition_of.as_ref() == Some(&key))
                .map(|(key, _)| key.clone())
                .collect();
            for partition in partitions {
                catalog.remove(&partition);
            }
        }
        if !cursor.eat_punct(b',') {
            break;
        }
    }
    cursor.eat_any(&["CASCADE", "RESTRICT", "PURGE"]);
    if cursor.eat("CONSTRAINTS") || cursor.at_end() {
        return Ok(());
    }
    Err(cursor.stop())
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
            relation
                .table
                .triggers
                .retain(|trigger| !trigger.name.eq_ignore_ascii_case(&name));
        }
    }
    Ok(())
}

fn schemas(catalog: &mut Catalog, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    cursor.eat_all(&["IF", "EXISTS"]);
    loop {
        let schema = cursor.name()?;
        let folded = match catalog.dialect {
            Dialect::Postgres => schema.to_string(),
            _ => schema.to_lowercase(),
        };
        let gone: Vec<QualifiedName> = catalog
            .relations
            .iter()
            .filter(|(key, _)| key.0 == folded)
            .map(|(_, relation)| QualifiedName {
                schema: relation.table.schema.clone(),
                name: relation.table.name.clone(),
            })
            .collect();
        for name in gone {
            let key = catalog.key(&name);
            catalog.remove(&key);
        }
        if !cursor.eat_punct(b',') {
            return Ok(());
        }
    }
}
