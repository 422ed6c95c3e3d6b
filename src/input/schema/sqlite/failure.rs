//! Why an SQLite file could not be read, in words; nothing but its path is repeated.

use std::io::ErrorKind;
use std::sync::Arc;

use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::place::Place;

fn reason(name: &str, sentence: String, next_step: &str) -> Reason {
    Reason {
        why: Why::NotReadable,
        needs: Some(InputKind::Database),
        sentence,
        place: Some(Place::Path(name.into())),
        next_step: next_step.to_owned(),
    }
}

pub(super) fn io(name: &str, error: &std::io::Error) -> Reason {
    match error.kind() {
        ErrorKind::NotFound => reason(
            name,
            format!("there is no file {name}"),
            "Correct the path of the database.",
        ),
        ErrorKind::PermissionDenied => reason(
            name,
            format!("{name} may not be read by this user"),
            "Give this user the right to read the file, or a copy of it.",
        ),
        _ => reason(
            name,
            format!("{name} could not be read"),
            "See whether the file and its disk are sound, and try again.",
        ),
    }
}

pub(super) fn not_a_file(name: &str) -> Reason {
    reason(
        name,
        format!("{name} is not a file"),
        "Name the database file itself.",
    )
}

pub(super) fn empty(name: &str) -> Reason {
    reason(
        name,
        format!("{name} is empty: it holds no database"),
        "Correct the path of the database.",
    )
}

pub(super) fn not_a_database(name: &str) -> Reason {
    reason(
        name,
        format!("{name} is not an SQLite database, or it is encrypted"),
        "Correct the path, or give a decrypted copy.",
    )
}

pub(super) fn hot_wal(name: &str) -> Reason {
    reason(
        name,
        format!("{name} has changes in its write-ahead log that are not in the file yet"),
        "Run PRAGMA wal_checkpoint(TRUNCATE) on it, or give a copy made with VACUUM INTO.",
    )
}

pub(super) fn changed(name: &str) -> Reason {
    reason(
        name,
        format!("{name} changed while it was read"),
        "Try again when nobody writes to it, or give a copy made with VACUUM INTO.",
    )
}

pub(super) fn corrupt(name: &str) -> Reason {
    reason(
        name,
        format!("{name} is corrupt: SQLite's own check fails"),
        "Restore the file from a backup, or recover it with the sqlite3 shell's .recover.",
    )
}

pub(super) fn cut_off(name: &str) -> Reason {
    reason(
        name,
        format!("{name} is corrupt: it is shorter than its own header says"),
        "Restore the file from a backup, or copy it anew as a whole.",
    )
}

pub(super) fn too_large(name: &str) -> Reason {
    reason(
        name,
        format!("the schema of {name} is larger than this reader takes"),
        "Give the schema as text with --schema.",
    )
}

/// From what the driver answers; its own text is not repeated.
pub(super) fn driver(name: &str, error: &sqlx::Error) -> Reason {
    let code: Option<u32> = match error {
        sqlx::Error::Database(error) => error.code().and_then(|code| code.parse().ok()),
        sqlx::Error::Io(error) => return io(name, error),
        _ => None,
    };
    // Source: SQLite, "Result and Error Codes"; the low byte is the primary code.
    let Some(code) = code else {
        return reason(
            name,
            format!("{name} could not be opened as an SQLite database"),
            "Correct the path of the database.",
        );
    };
    match (code & 0xFF, code) {
        (_, 776) => reason(
            name,
            format!("{name} has a transaction that was cut off and has to be rolled back"),
            "Open it once with a program that may write, or give a copy made with VACUUM INTO.",
        ),
        (5 | 6, _) => reason(
            name,
            format!("{name} is locked by another process"),
            "Try again when the lock is gone, or give a copy made with VACUUM INTO.",
        ),
        (9, _) => reason(
            name,
            format!("reading {name} took more steps than allowed"),
            "Give the schema as text with --schema.",
        ),
        (11, _) => corrupt(name),
        (26, _) => not_a_database(name),
        (3 | 8 | 23, _) => reason(
            name,
            format!("{name} may not be read by this user"),
            "Give this user the right to read the file, or a copy of it.",
        ),
        _ => reason(
            name,
            format!("{name} could not be read (SQLite error {code})"),
            "See whether the sqlite3 shell can read its schema, or give the schema as text with --schema.",
        ),
    }
}

pub(super) fn disagree(connection: &Arc<str>, table: &str, what: &str) -> Reason {
    Reason {
        why: Why::Disagree,
        needs: Some(InputKind::Database),
        sentence: format!("what {connection} says of {table} and the text it stores do not agree: {what}"),
        place: Some(Place::Object {
            connection: connection.clone(),
            object: table.into(),
        }),
        next_step: "Compare the definition in sqlite_schema with PRAGMA table_xinfo and index_list, and rebuild the table.".to_owned(),
    }
}
