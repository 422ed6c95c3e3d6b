//! Names as SQL text needs them.

use super::schema::Dialect;

/// Quotes a name only if it needs it.
pub fn quoted(name: &str, dialect: Option<Dialect>) -> String {
    let plain = name
        .chars()
        .all(|character| character.is_ascii_alphanumeric() || character == '_')
        && !name.starts_with(|character: char| character.is_ascii_digit());
    let folds = dialect == Some(Dialect::Postgres) && name.chars().any(|c| c.is_ascii_uppercase());
    if plain && !folds {
        return name.to_owned();
    }
    match dialect {
        Some(Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb) => {
            format!("`{}`", name.replace('`', "``"))
        }
        _ => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}
