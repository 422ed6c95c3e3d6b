//! The names that engines generate for keys that the text leaves unnamed.

use std::sync::Arc;

use crate::model::schema::{Dialect, Enforcer, EnforcerKind};

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
        Dialect::Sqlite if key.rowid => Enforcer::ROWID.into(),
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
    let name = |number: u32| format!("{first}_{number}");
    numbered(2, &name, &|name| !is_free(name)).into()
}

/// `ChooseIndexName` and `makeObjectName` of PostgreSQL's `indexcmds.c`.
fn postgres(table: &str, key: &Key, taken: &dyn Fn(&str) -> bool) -> String {
    let mut columns: Vec<String> = Vec::new();
    // PostgreSQL takes no more than 32 parts.
    let parts = key
        .parts
        .iter()
        .map(|part| match (&part.column, &part.expression) {
            (Some(column), _) => column.to_string(),
            (None, Some(text)) => match compared_otherwise(text) {
                Some(column) => column.to_owned(),
                None => expression_name(text),
            },
            (None, None) => "expr".to_owned(),
        });
    let include = key.include.iter().map(ToString::to_string);
    for name in parts.chain(include).take(32) {
        // A name that occurs again gets a number. Source: `ChooseIndexColumnNames`.
        let free = (0u32..)
            .map(|number| match number {
                0 => name.clone(),
                _ => format!("{name}{number}"),
            })
            .find(|name| !columns.contains(name));
        columns.push(free.unwrap_or(name));
    }
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
    numbered(
        1,
        &|number| object_name(table, &columns, &format!("{label}{number}")),
        taken,
    )
}

/// The column of a part that is not compared for equality: `room WITH &&`.
fn compared_otherwise(text: &str) -> Option<&str> {
    let column = text
        .split_once(" WITH ")
        .map(|(column, _)| column)
        .or_else(|| text.strip_suffix(" WITHOUT OVERLAPS"))?;
    let is_name = |character: char| character.is_alphanumeric() || "_$".contains(character);
    column.chars().all(is_name).then_some(column)
}

/// The first numbered name that is free. Numbers are taken from the first one upward, so few steps
/// find it whatever their count.
fn numbered(from: u32, name: &dyn Fn(u32) -> String, taken: &dyn Fn(&str) -> bool) -> String {
    let mut step = 1u32;
    while step < 1 << 30 && taken(&name(from + step - 1)) {
        step *= 2;
    }
    let (mut low, mut free) = (step / 2, step);
    while low + 1 < free {
        let middle = low + (free - low) / 2;
        match taken(&name(from + middle - 1)) {
            true => low = middle,
            false => free = middle,
        }
    }
    name(from + free - 1)
}

/// What PostgreSQL calls the value of an expression: the function, or the column that is cast.
/// Source: `FigureIndexColname` in `parse_target.c`.
fn expression_name(text: &str) -> String {
    let word = |text: &str| {
        text.chars()
            .take_while(|character| character.is_alphanumeric() || "_$.".contains(*character))
            .collect::<String>()
    };
    let name = word(text);
    let behind = text.get(name.len()..).unwrap_or("").trim_start();
    let last = |name: &str| {
        let last = name.rsplit('.').next().unwrap_or(name);
        last.to_ascii_lowercase()
    };
    if !name.is_empty() && behind.starts_with('(') && closes_at_end(behind) {
        return last(&name);
    }
    let cast = text.trim_start_matches('(');
    let column = word(cast);
    let behind = cast.get(column.len()..).unwrap_or("");
    let is_cast = behind
        .trim_start_matches(')')
        .trim_start()
        .starts_with("::");
    match is_cast && !column.is_empty() {
        true => last(&column),
        false => "expr".to_owned(),
    }
}

/// True if the parenthesis that opens the text is closed by its last character.
fn closes_at_end(text: &str) -> bool {
    let mut depth = 0i32;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1 == text.len();
        }
    }
    false
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
