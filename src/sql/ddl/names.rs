//! The names that engines generate for keys that the text leaves unnamed.

use std::sync::Arc;

use crate::model::schema::{Dialect, EnforcerKind};

use super::catalog::{Key, same_name};

/// Length of PostgreSQL names in bytes. Source: `NAMEDATALEN` of 64, less the closing zero.
const NAME_LENGTH: usize = 63;

/// The generated name of a key that comes to a table with these keys.
pub(super) fn generate(
    dialect: Dialect,
    table: &str,
    existing: &[Key],
    key: &Key,
    taken: &dyn Fn(&str) -> bool,
) -> Arc<str> {
    match dialect {
        Dialect::Sqlite if key.rowid => "rowid".into(),
        Dialect::Sqlite => {
            let indexes = existing.iter().filter(|key| !key.rowid).count();
            format!("sqlite_autoindex_{table}_{}", indexes + 1).into()
        }
        Dialect::Postgres => postgres(table, key, taken).into(),
        Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb => mysql(existing, key, dialect),
    }
}

fn mysql(existing: &[Key], key: &Key, dialect: Dialect) -> Arc<str> {
    if key.is_primary() {
        return "PRIMARY".into();
    }
    let first = key.parts.first().and_then(|part| part.column.clone());
    let first = first.unwrap_or_else(|| Arc::from("functional_index"));
    let is_free = |name: &str| {
        !existing
            .iter()
            .any(|other| same_name(dialect, &other.name, name))
    };
    if is_free(&first) && !first.eq_ignore_ascii_case("PRIMARY") {
        return first;
    }
    (2u32..)
        .map(|number| format!("{first}_{number}"))
        .find(|name| is_free(name))
        .map_or(first, Arc::from)
}

/// `ChooseIndexName` and `makeObjectName` of PostgreSQL's `indexcmds.c`.
fn postgres(table: &str, key: &Key, taken: &dyn Fn(&str) -> bool) -> String {
    let columns: Vec<&str> = key
        .parts
        .iter()
        .map(|part| part.column.as_deref().unwrap_or("expr"))
        .collect();
    let (columns, label) = match key.enforces {
        Some(EnforcerKind::PrimaryKey) => (String::new(), "pkey"),
        Some(EnforcerKind::UniqueConstraint) => (columns.join("_"), "key"),
        Some(EnforcerKind::Exclusion) => (columns.join("_"), "excl"),
        Some(EnforcerKind::UniqueIndex) | None => (columns.join("_"), "idx"),
    };
    let name = object_name(table, &columns, label);
    if !taken(&name) {
        return name;
    }
    let numbered = |number: u32| object_name(table, &columns, &format!("{label}{number}"));
    // Numbers are taken from one upward: the first free one is found in few steps.
    let mut free = 1u32;
    while free < 1 << 30 && taken(&numbered(free)) {
        free *= 2;
    }
    let mut low = free / 2;
    while low + 1 < free {
        let middle = low + (free - low) / 2;
        match taken(&numbered(middle)) {
            true => low = middle,
            false => free = middle,
        }
    }
    numbered(free)
}

fn object_name(table: &str, columns: &str, label: &str) -> String {
    let mut overhead = label.len() + 1;
    if !columns.is_empty() {
        overhead += 1;
    }
    let room = NAME_LENGTH.saturating_sub(overhead);
    let (mut first, mut second) = (table.len(), columns.len());
    while first + second > room {
        if first > second {
            first -= 1;
        } else {
            second -= 1;
        }
    }
    let table = clip(table, first);
    match columns.is_empty() {
        true => format!("{table}_{label}"),
        false => format!("{table}_{}_{label}", clip(columns, second)),
    }
}

fn clip(text: &str, mut length: usize) -> &str {
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    text.get(..length).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut_as_postgres_cuts_them() {
        let table = "a".repeat(40);
        let columns = "b".repeat(40);
        let name = object_name(&table, &columns, "key");
        assert_eq!(name, format!("{}_{}_key", "a".repeat(29), "b".repeat(29)));
        assert_eq!(name.len(), 63);
        assert_eq!(object_name("t", "", "pkey"), "t_pkey");
    }
}
