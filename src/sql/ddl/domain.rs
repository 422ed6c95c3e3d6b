//! PostgreSQL's domains: whether they refuse NULL, and the default that they give.

use crate::model::place::Place;
use crate::model::schema::Column;
use crate::sql::cursor::{Cursor, Stop};
use crate::sql::nullness;

use super::Places;
use super::catalog::{Catalog, not_parsed};
use super::column::default;
use super::column_type::column_type;

/// The name under which a domain of that type is kept.
pub(super) fn name(data_type: &str) -> String {
    let word = data_type.rsplit('.').next().unwrap_or("").trim();
    match word.strip_prefix('"') {
        Some(quoted) => quoted.trim_end_matches('"').to_owned(),
        None => word.to_lowercase(),
    }
}

/// Reads what follows `CREATE DOMAIN`.
pub(super) fn create(catalog: &mut Catalog, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    let own = cursor.qualified()?.name.to_string();
    catalog.named_types.insert(own.clone());
    catalog.strict_domains.remove(&own);
    catalog.domain_defaults.remove(&own);
    cursor.eat("AS");
    // A domain of a domain takes over both.
    let base = column_type(cursor)?;
    let below = name(&base);
    if catalog.strict_domains.contains(&below) {
        catalog.strict_domains.insert(own.clone());
    }
    if let Some(inherited) = catalog.domain_defaults.get(&below).cloned() {
        catalog.domain_defaults.insert(own.clone(), inherited);
    }
    let mut collation = None;
    while !cursor.at_end() {
        if cursor.eat("COLLATE") {
            collation = Some(cursor.qualified()?.name);
        } else if cursor.eat("DEFAULT") {
            let value = default(cursor)?;
            catalog.domain_defaults.insert(own.clone(), value);
        } else if refuses_null(cursor)? {
            catalog.strict_domains.insert(own.clone());
        }
    }
    catalog.domain_bases.insert(own, (base, collation));
    Ok(())
}

/// Reads one constraint, or a word of something else; true if it keeps NULL out.
fn refuses_null(cursor: &mut Cursor<'_>) -> Result<bool, Stop> {
    if cursor.eat_all(&["NOT", "NULL"]) {
        return Ok(true);
    }
    if cursor.eat("CHECK") {
        let condition = cursor.parens()?;
        if condition.is_empty() {
            return Ok(false);
        }
        let columns = nullness::not_null_columns(condition.whole(), cursor.dialect);
        return Ok(columns
            .iter()
            .any(|column| column.eq_ignore_ascii_case("value")));
    }
    cursor.step();
    Ok(false)
}

/// Reads what follows `ALTER DOMAIN`.
pub(super) fn alter(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
) -> Result<(), Stop> {
    let own = cursor.qualified()?.name;
    let at = cursor.stop();
    if cursor.eat_all(&["SET", "DEFAULT"]) {
        let value = default(cursor)?;
        catalog.domain_defaults.insert(own.to_string(), value);
    } else if cursor.eat_all(&["DROP", "DEFAULT"]) {
        catalog.domain_defaults.remove(&*own);
    } else if cursor.eat_all(&["SET", "NOT", "NULL"]) {
        catalog.strict_domains.insert(own.to_string());
        for column in columns_of(catalog, &own) {
            column.nullable = false;
        }
    } else if cursor.eat_all(&["RENAME", "TO"]) {
        let to = cursor.name()?.to_string();
        catalog.named_types.insert(to.clone());
        if catalog.strict_domains.contains(&*own) {
            catalog.strict_domains.insert(to.clone());
        }
        if let Some(base) = catalog.domain_bases.get(&*own).cloned() {
            catalog.domain_bases.insert(to.clone(), base);
        }
        if let Some(value) = catalog.domain_defaults.get(&*own).cloned() {
            catalog.domain_defaults.insert(to, value);
        }
    } else if cursor.eat("DROP") && catalog.strict_domains.remove(&*own) {
        relaxed(catalog, &own, &places(at.start, at.end));
    }
    Ok(())
}

fn columns_of<'a>(
    catalog: &'a mut Catalog,
    domain: &'a str,
) -> impl Iterator<Item = &'a mut Column> {
    catalog
        .relations
        .values_mut()
        .flat_map(|relation| &mut relation.table.columns)
        .filter(move |column| name(&column.data_type) == domain)
}

/// Columns took their NOT NULL from a domain that now loses a constraint, perhaps that one.
fn relaxed(catalog: &mut Catalog, domain: &str, place: &Place) {
    for relation in catalog.relations.values_mut() {
        if relation.uses(domain) {
            let sentence = format!(
                "the domain {domain} of {} loses a constraint",
                relation.table.name
            );
            relation.unknown.push(not_parsed(sentence, place.clone()));
        }
    }
}

/// A column without a default of its own holds that of its domain, as the domain is at the end.
pub(super) fn defaults(catalog: &mut Catalog) {
    let known = std::mem::take(&mut catalog.domain_defaults);
    if known.is_empty() {
        return;
    }
    let columns = catalog
        .relations
        .values_mut()
        .flat_map(|relation| &mut relation.table.columns);
    for column in columns {
        let takes = column.default.is_none() && column.generated.is_none() && !column.auto_number;
        if takes && let Some(value) = known.get(&name(&column.data_type)) {
            column.auto_number = value.text.to_ascii_lowercase().starts_with("nextval(");
            column.default = Some(value.clone());
        }
    }
}
