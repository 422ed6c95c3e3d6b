//! PostgreSQL: types and collations that take two different values for equal.

use std::sync::Arc;

use crate::model::schema::{Column, Dialect};
use crate::sql::cursor::{Cursor, Stop};

use super::catalog::Catalog;
use super::domain;

/// Reads what follows `CREATE COLLATION`.
pub(super) fn collation(catalog: &mut Catalog, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    cursor.eat_all(&["IF", "NOT", "EXISTS"]);
    let name = cursor.qualified()?.name;
    let mut loose = false;
    if cursor.eat("FROM") {
        loose = catalog
            .loose_collations
            .contains(&*cursor.qualified()?.name);
    } else {
        let mut options = cursor.parens()?;
        while !options.at_end() {
            if options.eat("DETERMINISTIC") {
                options.step();
                let text = options.peek().map_or("", |token| options.source(token));
                let value = text.trim_matches(['\'', '"']).to_ascii_lowercase();
                loose = matches!(value.as_str(), "false" | "off" | "0" | "no" | "f");
            }
            options.step();
        }
    }
    if loose {
        catalog.loose_collations.insert(name.to_string());
    } else {
        catalog.loose_collations.remove(&*name);
    }
    Ok(())
}

/// Says of every key part why different values can be equal in it.
pub(super) fn settle(catalog: &mut Catalog) {
    if catalog.dialect != Dialect::Postgres {
        return;
    }
    let mut relations = std::mem::take(&mut catalog.relations);
    for relation in relations.values_mut() {
        for part in relation.keys.iter_mut().flat_map(|key| &mut key.parts) {
            let name = part.column.as_deref();
            let columns = &relation.table.columns;
            let column = name.and_then(|name| columns.iter().find(|it| &*it.name == name));
            if let Some(column) = column {
                part.folds = folds(catalog, column, part.collation.as_deref());
            }
        }
    }
    catalog.relations = relations;
}

fn folds(catalog: &Catalog, column: &Column, of_index: Option<&str>) -> Option<Arc<str>> {
    let mut data_type = Arc::clone(&column.data_type);
    let mut collation = of_index.or(column.collation.as_deref());
    // A domain cannot be made of itself.
    for _ in 0..64 {
        let Some((base, own)) = catalog.domain_bases.get(&domain::name(&data_type)) else {
            break;
        };
        collation = collation.or(own.as_deref());
        data_type = Arc::clone(base);
    }
    if let Some(name) = collation.filter(|name| catalog.loose_collations.contains(*name)) {
        return Some(
            format!("is compared with collation {name}, which takes different values for equal")
                .into(),
        );
    }
    let lower = data_type.to_ascii_lowercase();
    let (word, rest) = match lower.split_once('(') {
        Some((word, rest)) => (word.trim(), rest),
        None => (lower.trim(), ""),
    };
    let word = word.rsplit('.').next().unwrap_or(word);
    let whole_seconds =
        rest.starts_with('0') && ["timestamp", "timestamptz", "time", "timetz"].contains(&word);
    let why = match word {
        "citext" => "is compared without regard to case",
        "bpchar" | "char" | "character" | "nchar" | "national char" | "national character" => {
            "is compared without the blanks at its end"
        }
        _ if whole_seconds => "keeps whole seconds, so that moments within one second become equal",
        _ => return None,
    };
    Some(why.into())
}
