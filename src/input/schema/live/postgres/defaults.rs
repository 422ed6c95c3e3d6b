//! Defaults that call functions which no list names: the catalog says how volatile they are.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::schema::{DefaultValue, Dialect, Volatility};
use crate::sql::volatility;

use super::super::row::Row;
use super::tables::Tables;

fn unknown_defaults(tables: &mut Tables) -> impl Iterator<Item = &mut DefaultValue> {
    tables
        .relations
        .iter_mut()
        .flat_map(|relation| &mut relation.table.columns)
        .filter_map(|column| column.default.as_mut())
        .filter(|default| default.volatility == Volatility::Unknown)
}

/// Names of the functions in defaults that are not judged yet.
pub(super) fn unknown_functions(tables: &mut Tables) -> Vec<String> {
    let names: BTreeSet<String> = unknown_defaults(tables)
        .flat_map(|default| volatility::called(&default.text, Dialect::Postgres))
        .filter(|name| !name.contains('\\'))
        .collect();
    names.into_iter().collect()
}

/// Judges them by the rows of the catalog: schema, name, and the volatilities of all of that name.
pub(super) fn judge(tables: &mut Tables, rows: &[Row]) {
    let mut known: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for row in rows {
        known.insert((row.text(0), row.text(1)), row.text(2));
    }
    let of_function = |schema: Option<&str>, name: &str| {
        let kinds = known.get(&(schema.unwrap_or("pg_catalog"), name))?;
        Some(match *kinds {
            "i" => Volatility::Constant,
            // Stable within a statement, and another thing in the next delivery.
            kinds if !kinds.contains('i') => Volatility::Volatile,
            _ => Volatility::Unknown,
        })
    };
    for default in unknown_defaults(tables) {
        default.volatility =
            volatility::of_default_where(&default.text, Dialect::Postgres, &of_function);
    }
}
