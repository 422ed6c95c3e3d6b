//! Where an enforcer that protects has its limits: when it ends, what it takes for equal.

use std::sync::Arc;

use crate::model::schema::{Dialect, Enforcer, KeyPart, PredicateTree};

use super::guard::{GuardInput, computed, part_columns};

/// Rule 5: what makes it stop guarding while redelivery is still possible.
pub(super) fn lapses(input: &GuardInput<'_>, enforcer: &Enforcer) -> Option<Arc<str>> {
    if input.table.unlogged {
        return Some(
            format!(
                "{} is unlogged: a crash empties it, guard and all",
                input.table.name
            )
            .into(),
        );
    }
    let predicate = enforcer.predicate.as_ref()?;
    let columns = predicate_columns(&predicate.tree);
    let soft = columns.iter().find(|column| {
        input
            .soft_delete
            .iter()
            .any(|name| name.eq_ignore_ascii_case(column))
    });
    let why = match soft {
        Some(_) => format!(
            "a soft-deleted row leaves `{}` and frees its key",
            predicate.text
        ),
        None => format!("a row that leaves `{}` frees its key", predicate.text),
    };
    Some(why.into())
}

pub(super) fn predicate_columns(tree: &PredicateTree) -> Vec<Arc<str>> {
    match tree {
        PredicateTree::And(items) | PredicateTree::Or(items) => {
            items.iter().flat_map(predicate_columns).collect()
        }
        PredicateTree::Not(inner) => predicate_columns(inner),
        PredicateTree::Compare { column, .. } | PredicateTree::In { column, .. } => {
            vec![Arc::clone(column)]
        }
        PredicateTree::IsNull(column)
        | PredicateTree::IsNotNull(column)
        | PredicateTree::Truth(column) => vec![Arc::clone(column)],
        PredicateTree::Opaque(_) => Vec::new(),
    }
}

/// Rule 6: equality that takes two different values for one.
pub(super) fn coarse(input: &GuardInput<'_>, enforcer: &Enforcer) -> Option<Arc<str>> {
    enforcer.parts.iter().find_map(|part| {
        let name = part.to_text();
        let computed = computed(input.table, part);
        if computed.is_some_and(is_hash) {
            return None;
        }
        if let (Some(text), Some(_)) = (computed, &part.column)
            && tells_less(input, enforcer, part)
        {
            return Some(
                format!("`{name}` is computed (`{text}`), which can be equal for different values")
                    .into(),
            );
        }
        if part.column.is_none() {
            return Some(
                format!("`{name}` is compared, which can be equal for different values").into(),
            );
        }
        if let Some(why) = &part.folds {
            return Some(format!("`{name}` {why}").into());
        }
        let column = input.table.column(part.column.as_deref()?);
        let data_type = column.map_or("", |column| &*column.data_type);
        if let Some(length) = part.prefix_length
            && digits(first_word(data_type).1).is_none_or(|whole| length < whole)
        {
            let name = part.column.as_deref().unwrap_or(&name);
            return Some(format!("only the first {length} characters of `{name}` are compared").into());
        }
        if let Some(why) = coarse_type(data_type, input.dialect) {
            return Some(format!("`{name}` is {data_type}: {why}").into());
        }
        let collation = part
            .collation
            .as_deref()
            .or_else(|| column?.collation.as_deref());
        match collation {
            Some(collation) => folds(collation).then(|| {
                format!("`{name}` is compared with collation {collation}, which takes different values for equal").into()
            }),
            None => folds_by_default(data_type, input.dialect).then(|| {
                format!("`{name}` has no collation of its own, and the usual ones of the server take upper and lower case for equal").into()
            }),
        }
    })
}

/// True if a column that is computed with differs between events and is no part of the key itself.
fn tells_less(input: &GuardInput<'_>, enforcer: &Enforcer, part: &KeyPart) -> bool {
    let columns = part_columns(input.dialect, input.table, part).unwrap_or_default();
    columns.iter().any(|column| {
        let itself = enforcer
            .parts
            .iter()
            .any(|it| computed(input.table, it).is_none() && it.column.as_ref() == Some(column));
        !itself && (input.row)(column).value.may_differ()
    })
}

/// True of a hash of a whole column: nobody will see two values with one hash. Of anything that is
/// computed first, the computation decides.
fn is_hash(expression: &str) -> bool {
    const HASHES: [&str; 7] = [
        "md5", "sha1", "sha2", "sha224", "sha256", "sha384", "sha512",
    ];
    let (word, argument) = first_word(expression.trim_start_matches('('));
    let is_name = |letter: char| letter.is_alphanumeric() || "_\"`".contains(letter);
    let mut before = ' ';
    let plain = argument.chars().enumerate().all(|(at, letter)| {
        let call = letter == '(' && at > 0 && is_name(before);
        before = letter;
        !call && (is_name(letter) || "(), :.".contains(letter))
    });
    HASHES.contains(&&*word) && argument.starts_with('(') && plain
}

fn folds(collation: &str) -> bool {
    let lower = collation.to_ascii_lowercase();
    lower == "nocase" || lower == "rtrim" || lower.ends_with("_ci") || lower.ends_with("_ai")
}

/// True of a text that MySQL or MariaDB gives the collation of the server: unless somebody changed
/// it, that folds case. TiDB's does not.
fn folds_by_default(data_type: &str, dialect: Option<Dialect>) -> bool {
    let (word, rest) = first_word(data_type);
    matches!(dialect, Some(Dialect::Mysql | Dialect::Mariadb))
        && matches!(
            &*word,
            "char" | "varchar" | "character" | "tinytext" | "text" | "mediumtext" | "longtext"
        )
        && !rest.to_ascii_lowercase().contains("binary")
}

/// Why two values of this type that are told apart elsewhere are one here.
fn coarse_type(data_type: &str, dialect: Option<Dialect>) -> Option<&'static str> {
    const FLOAT: &str = "numbers that lie close together are stored as one";
    const SECONDS: &str = "times within one tick of it are stored as one";
    let (word, rest) = first_word(data_type);
    match (dialect?, &*word) {
        (_, "real" | "float" | "float4" | "float8" | "double") => Some(FLOAT),
        // SQLite keeps times as they are written.
        (Dialect::Sqlite, _) => None,
        (Dialect::Postgres, "timestamp" | "timestamptz") => digits(rest)
            .is_some_and(|digits| digits < 3)
            .then_some(SECONDS),
        (Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb, "timestamp" | "datetime") => {
            (digits(rest).unwrap_or(0) < 3).then_some(SECONDS)
        }
        _ => None,
    }
}

/// The first word of a type in lower case, and what follows.
fn first_word(data_type: &str) -> (String, &str) {
    let end = data_type
        .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .unwrap_or(data_type.len());
    let (word, rest) = data_type.split_at(end);
    (word.to_ascii_lowercase(), rest)
}

/// The number in parentheses that follows the word of a type.
fn digits(rest: &str) -> Option<u32> {
    let inside = rest.trim_start().strip_prefix('(')?;
    inside.split(')').next()?.trim().parse().ok()
}

/// True if every part is the same for every event.
pub(super) fn constant_key(input: &GuardInput<'_>, enforcer: &Enforcer) -> bool {
    let mut columns = enforcer
        .parts
        .iter()
        .map(|part| part_columns(input.dialect, input.table, part));
    columns.all(|columns| {
        columns.is_some_and(|columns| {
            columns
                .iter()
                .all(|column| !(input.row)(column).value.may_differ())
        })
    })
}
