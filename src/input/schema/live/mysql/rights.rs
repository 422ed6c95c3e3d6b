//! What a user's rights hide: MySQL's catalog leaves out, without a word, what a user may not see.

use crate::model::evidence::{Reason, Why};

use super::super::known::gap;
use super::super::row::Row;

/// What the lines of `SHOW GRANTS` leave hidden; nothing where they show all tables and triggers.
pub(super) fn hidden(grants: &[Row], database: &str) -> Option<fn(&str) -> Reason> {
    let (mut tables, mut triggers) = (false, false);
    for row in grants {
        let Some(privileges) = on_database(row.text(0), database) else {
            continue;
        };
        let has = |name: &str| {
            privileges
                .split(',')
                .any(|each| each.trim().eq_ignore_ascii_case(name))
        };
        let all = has("ALL PRIVILEGES") || has("ALL");
        tables |= all || has("SELECT");
        triggers |= all || has("TRIGGER");
    }
    match (tables, triggers) {
        (false, _) => Some(hidden_tables),
        (true, false) => Some(hidden_triggers),
        (true, true) => None,
    }
}

/// The privileges of a line, if it speaks of the whole database or of all of them.
fn on_database<'l>(line: &'l str, database: &str) -> Option<&'l str> {
    let rest = line.strip_prefix("GRANT ")?;
    let (privileges, rest) = rest.split_once(" ON ")?;
    let (target, _) = rest.split_once(" TO ")?;
    let target = target.strip_suffix(".*")?;
    let name = target.trim_matches('`').replace("``", "`");
    (name == "*" || matches(&name, database)).then_some(privileges)
}

/// Names of databases in grants are patterns: `%`, `_`, and `\_` for the character itself.
fn matches(pattern: &str, name: &str) -> bool {
    let mut rest = pattern.chars();
    let Some(first) = rest.next() else {
        return name.is_empty();
    };
    let mut letters = name.chars();
    match first {
        '%' => {
            matches(rest.as_str(), name)
                || letters.next().is_some() && matches(pattern, letters.as_str())
        }
        '_' => letters.next().is_some() && matches(rest.as_str(), letters.as_str()),
        '\\' => {
            let meant = rest.next();
            meant.is_some() && letters.next() == meant && matches(rest.as_str(), letters.as_str())
        }
        plain => letters.next() == Some(plain) && matches(rest.as_str(), letters.as_str()),
    }
}

fn hidden_tables(label: &str) -> Reason {
    gap(
        Why::NotReadable,
        None,
        format!(
            "{label} shows this user single tables or columns only: what it hides is not known"
        ),
        "grant the user SELECT and TRIGGER on the whole database; the audit writes nothing",
    )
}

fn hidden_triggers(label: &str) -> Reason {
    gap(
        Why::NotReadable,
        None,
        format!("{label} shows this user no triggers: whether one rewrites a key is not known"),
        "grant the user TRIGGER on the database, which lets it see them; the audit makes none",
    )
}
