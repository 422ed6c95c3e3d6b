//! Types whose equality takes two different values for one.

use std::sync::Arc;

/// Why values of a PostgreSQL type fold together, where they do. The name is the type's own, below
/// every domain; `printed` is how the engine prints it with its lengths.
pub(super) fn postgres(name: &str, printed: &str) -> Option<Arc<str>> {
    let why = match name {
        "citext" => "is compared without regard to case",
        "bpchar" => "is compared without the blanks at its end",
        "float4" => "keeps about seven digits, so that larger numbers become equal",
        "timestamp" | "timestamptz" | "time" | "timetz" if printed.contains("(0)") => {
            "keeps whole seconds, so that moments within one second become equal"
        }
        _ => return None,
    };
    Some(why.into())
}

/// Why values of a MySQL column fold together. `strict` is whether too long values are refused.
pub(super) fn mysql(column_type: &str, strict: bool) -> Option<Arc<str>> {
    let lower = column_type.to_ascii_lowercase();
    let word = lower
        .split(|character: char| !character.is_ascii_alphanumeric())
        .next()
        .unwrap_or("");
    if matches!(word, "datetime" | "timestamp" | "time") && !lower.contains('(') {
        return Some("keeps whole seconds, so that moments within one second become equal".into());
    }
    if word == "float" {
        return Some("keeps about seven digits, so that larger numbers become equal".into());
    }
    if !strict && matches!(word, "varchar" | "char" | "varbinary" | "binary") {
        return Some(
            "is cut to its length without an error, for the server's sql_mode is not strict".into(),
        );
    }
    None
}
