//! Columns of MySQL's family: what the servers print about defaults differs from one to the next.

use std::sync::Arc;

use crate::model::schema::{Column, DefaultValue, Dialect};
use crate::sql::volatility;

use super::super::known::place;
use super::super::row::Row;
use super::tables::Tables;

impl Tables<'_> {
    pub(super) fn column(&mut self, row: &Row) {
        let (name, kind, extra) = (row.text(1), row.text(2), row.text(5).to_ascii_lowercase());
        let dialect = self.server.dialect;
        let place = place(&self.label, &format!("{}.{name}", row.text(0)));
        let by_bytes = self.server.by_bytes;
        let Some(table) = self.get_mut(row.text(0)) else {
            return;
        };
        let generated = row
            .maybe(7)
            .filter(|text| !text.is_empty())
            .map(|text| unescaped(text).into());
        table.columns.push(Column {
            name: name.into(),
            data_type: kind.into(),
            nullable: row.is(3),
            default: row
                .maybe(4)
                .filter(|_| generated.is_none())
                .and_then(|text| default(text, kind, &extra, dialect)),
            generated,
            on_update: extra
                .split_once("on update ")
                .map(|(_, what)| what.trim().into()),
            // What TiDB draws at random is marked with the keys.
            auto_number: extra.contains("auto_increment"),
            collation: row.maybe(6).map(|name| match by_bytes {
                true => Arc::from("binary"),
                false => Arc::from(name),
            }),
            place,
        });
    }
}

/// The default of a column. MariaDB prints an expression, `'x'` with its quotes; MySQL and TiDB
/// print the bare value, and say DEFAULT_GENERATED where it is an expression.
fn default(text: &str, kind: &str, extra: &str, dialect: Dialect) -> Option<DefaultValue> {
    let lower = text.to_ascii_lowercase();
    let word = kind
        .split(['(', ' '])
        .next()
        .unwrap_or("")
        .to_ascii_lowercase();
    let text: Arc<str> = match dialect {
        Dialect::Mariadb if lower == "null" => return None,
        Dialect::Mariadb => text.into(),
        _ if extra.contains("default_generated") => unescaped(text).into(),
        // Before 8.0 it is told from a text by the type of the column alone.
        _ if lower.starts_with("current_timestamp")
            && matches!(word.as_str(), "timestamp" | "datetime") =>
        {
            text.into()
        }
        _ if is_number(&word) => text.into(),
        _ => format!("'{}'", text.replace('\'', "''")).into(),
    };
    Some(DefaultValue {
        volatility: volatility::of_default(&text, Some(dialect)),
        text,
    })
}

fn is_number(word: &str) -> bool {
    word.ends_with("int")
        || matches!(
            word,
            "integer" | "decimal" | "numeric" | "float" | "double" | "real" | "bit" | "year"
        )
}

/// MySQL escapes the quotes of the expressions it prints.
pub(super) fn unescaped(text: &str) -> String {
    text.replace("\\'", "'")
}
