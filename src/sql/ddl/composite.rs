//! PostgreSQL's composite types: `CREATE TABLE t OF type` has their attributes for columns.

use crate::model::place::Place;
use crate::sql::cursor::{Cursor, Stop};

use super::Places;
use super::catalog::{Catalog, RelationKey, not_parsed};
use super::column::column;

/// Reads what follows `CREATE TYPE`; types of any other kind have no columns.
pub(super) fn create(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
) -> Result<(), Stop> {
    let name = catalog.resolve(cursor.qualified()?);
    catalog.named_types.insert(name.name.to_string());
    if !cursor.eat("AS") || !cursor.is_punct(b'(') {
        return Ok(());
    }
    let mut inside = cursor.parens()?;
    let mut columns = Vec::new();
    while !inside.at_end() {
        columns.push(column(&mut inside, places)?.column);
        if !inside.at_end() {
            inside.expect_punct(b',')?;
        }
    }
    let key = catalog.key(&name);
    catalog.types.insert(key, columns);
    Ok(())
}

/// Reads what follows `ALTER TYPE`: what is done to the attributes is not followed.
pub(super) fn alter(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
) -> Result<(), Stop> {
    let head = cursor.stop();
    let key = catalog.key(&cursor.qualified()?);
    let mut changes = cursor.are(&["RENAME", "TO"]) || cursor.are(&["SET", "SCHEMA"]);
    while !cursor.at_end() {
        changes |= cursor.is("ATTRIBUTE");
        cursor.step();
    }
    if changes && catalog.types.remove(&key).is_some() {
        tables_of(catalog, &key, places(head.start, head.end));
    }
    Ok(())
}

fn tables_of(catalog: &mut Catalog, key: &RelationKey, place: Place) {
    for relation in catalog.relations.values_mut() {
        if relation.of_type.as_ref() == Some(key) {
            let sentence = format!("the type of {}, {}, is changed", relation.table.name, key.1);
            relation.unknown.push(not_parsed(sentence, place.clone()));
        }
    }
}
