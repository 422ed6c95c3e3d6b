//! Which keys of a table a conflict target means, found as the engines find them.
//!
//! PostgreSQL: `infer_arbiter_indexes` in `plancat.c`. SQLite: `sqlite3UpsertAnalyzeTarget` in
//! `upsert.c`. In MySQL every key counts.

use crate::model::conflict::{ArmTarget, TargetPart};
use crate::model::evidence::Fact;
use crate::model::guard::ConflictTarget;
use crate::model::schema::{Deferral, Dialect, Enforcer, EnforcerKind, KeyPart, Predicate, Table};
use crate::sql::expression::call;
use crate::sql::same::{Alike, Implies, alike, implies};

/// What a target means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inferred {
    /// The keys at these positions among the table's enforcers.
    Keys(Vec<usize>),
    /// None: the engine refuses the statement, each time.
    Refused(String),
    /// It cannot be told.
    Unknown(String),
}

/// Finds the keys that a target means.
pub(super) fn infer(dialect: Dialect, table: &Table, target: &ArmTarget) -> Inferred {
    let found = match target {
        ArmTarget::Any => Inferred::Keys((0..table.enforcers.len()).collect()),
        ArmTarget::Constraint(name) => constraint(table, name),
        ArmTarget::Parts { parts, predicate } => {
            by_parts(dialect, table, parts, predicate.as_ref())
        }
    };
    let Inferred::Keys(keys) = &found else {
        return found;
    };
    let deferrable = keys
        .iter()
        .filter_map(|at| table.enforcers.get(*at))
        // TiDB, which may check late too, reads the keys where a conflict is handled.
        .find(|enforcer| enforcer.deferral != Deferral::Immediate && dialect == Dialect::Postgres);
    match deferrable {
        Some(enforcer) => Inferred::Refused(format!(
            "{} is deferrable, which ON CONFLICT refuses (55000)",
            enforcer.name
        )),
        None => found,
    }
}

/// How a statement handles a conflict with a key.
pub(super) fn conflict_target(
    dialect: Option<Dialect>,
    table: &Table,
    enforcer: &Enforcer,
) -> ConflictTarget {
    let over_ranges = |part: &KeyPart| {
        let text = part.expression.as_deref();
        text.is_some_and(|text| text.ends_with(" WITHOUT OVERLAPS"))
    };
    match (enforcer.deferral, dialect) {
        (Deferral::Deferred, Some(Dialect::Postgres)) => {
            let (table, name, key) = (&table.name, &enforcer.name, enforcer.key_text());
            let kind = match enforcer.kind {
                EnforcerKind::PrimaryKey => "PRIMARY KEY",
                _ => "UNIQUE",
            };
            let statement = format!(
                "ALTER TABLE {table} DROP CONSTRAINT {name}, ADD CONSTRAINT {name} {kind} {key};"
            );
            return ConflictTarget::AtCommit(statement.into());
        }
        (Deferral::Deferrable, Some(Dialect::Postgres)) => return ConflictTarget::Violation,
        _ => {}
    }
    if enforcer.kind == EnforcerKind::Exclusion || enforcer.parts.iter().any(over_ranges) {
        return ConflictTarget::Violation;
    }
    let names_keys = matches!(dialect, Some(Dialect::Postgres | Dialect::Sqlite));
    let columns_only = enforcer.parts.iter().all(|part| part.column.is_some());
    match (&enforcer.predicate, names_keys) {
        (Some(predicate), true) => ConflictTarget::Written(
            format!("{} WHERE {}", enforcer.key_text(), predicate.text).into(),
        ),
        (None, true) if !columns_only => ConflictTarget::Written(enforcer.key_text().into()),
        _ => ConflictTarget::Columns,
    }
}

fn constraint(table: &Table, name: &str) -> Inferred {
    let named = table
        .enforcers
        .iter()
        .position(|enforcer| &*enforcer.name == name);
    let Some(at) = named else {
        return Inferred::Refused(format!("{} has no constraint {name} (42704)", table.name));
    };
    let is_index = table
        .enforcers
        .get(at)
        .is_some_and(|enforcer| enforcer.kind == EnforcerKind::UniqueIndex);
    match is_index {
        true => Inferred::Refused(format!(
            "{name} is an index, and ON CONSTRAINT names constraints only (42704)"
        )),
        false => Inferred::Keys(vec![at]),
    }
}

/// The rowid by one of its own names, where no column has that name. A table without a column for
/// it has no key that stands for it here.
fn rowid(table: &Table, parts: &[TargetPart]) -> Option<Vec<usize>> {
    let [part] = parts else {
        return None;
    };
    let name = part.column.as_deref()?;
    let is_rowid = ["rowid", "oid", "_rowid_"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name));
    if !is_rowid || table.column(name).is_some() {
        return None;
    }
    let is_alias = |enforcer: &Enforcer| enforcer.is_rowid(Some(Dialect::Sqlite));
    Some(
        table
            .enforcers
            .iter()
            .position(is_alias)
            .into_iter()
            .collect(),
    )
}

/// How one key fits a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    Yes,
    No,
    /// Its parts fit, and its predicate does not follow from the target.
    Partial,
    /// It fits, and PostgreSQL does not look at an index that is not valid.
    NotValid,
    Unknown,
}

fn by_parts(
    dialect: Dialect,
    table: &Table,
    parts: &[TargetPart],
    predicate: Option<&Predicate>,
) -> Inferred {
    if dialect == Dialect::Sqlite
        && let Some(keys) = rowid(table, parts)
    {
        return Inferred::Keys(keys);
    }
    let fits: Vec<(usize, Fit)> = table
        .enforcers
        .iter()
        .enumerate()
        .map(|(at, enforcer)| {
            let fit = match fit(dialect, enforcer, parts, predicate) {
                Fit::Yes if not_valid(enforcer) => Fit::NotValid,
                fit => fit,
            };
            (at, fit)
        })
        .collect();
    let of = |wanted: Fit| fits.iter().filter(move |(_, fit)| *fit == wanted);
    let keys: Vec<usize> = of(Fit::Yes).map(|(at, _)| *at).collect();
    if !keys.is_empty() {
        return Inferred::Keys(keys);
    }
    let target = ArmTarget::Parts {
        parts: parts.to_vec(),
        predicate: predicate.cloned(),
    }
    .to_text();
    let name = |at: usize| table.enforcers.get(at).map_or("?", |found| &*found.name);
    if let Some((at, _)) = of(Fit::Unknown).next() {
        return Inferred::Unknown(format!("whether {target} means {}", name(*at)));
    }
    let code = match dialect {
        Dialect::Postgres => " (42P10)",
        _ => "",
    };
    if let Some((at, _)) = of(Fit::NotValid).next() {
        return Inferred::Refused(not_looked_at(name(*at), code));
    }
    Inferred::Refused(match of(Fit::Partial).next() {
        Some((at, _)) => format!(
            "{} is partial: a conflict target without its predicate means no key{code}",
            name(*at)
        ),
        None => format!("no unique key of {} is on {target}{code}", table.name),
    })
}

/// True of an index whose build did not end: new rows are checked, and no conflict target means it.
fn not_valid(enforcer: &Enforcer) -> bool {
    matches!(enforcer.trusted, Fact::Shown(false, _))
}

fn not_looked_at(name: &str, code: &str) -> String {
    format!("{name} is not valid: a conflict target does not mean it until it is built anew{code}")
}

fn fit(
    dialect: Dialect,
    enforcer: &Enforcer,
    parts: &[TargetPart],
    predicate: Option<&Predicate>,
) -> Fit {
    // An exclusion constraint is no unique index, and one that is not valid is not looked at.
    if enforcer.kind == EnforcerKind::Exclusion
        || matches!(enforcer.enforced, Fact::Shown(false, _))
    {
        return Fit::No;
    }
    let matches = |key: &KeyPart| {
        let mut answers = parts.iter().map(|part| part_fits(dialect, key, part));
        if answers.clone().any(|fit| fit == Fit::Yes) {
            Fit::Yes
        } else if answers.any(|fit| fit == Fit::Unknown) {
            Fit::Unknown
        } else {
            Fit::No
        }
    };
    let keys: Vec<Fit> = enforcer.parts.iter().map(matches).collect();
    let all_named = parts.iter().all(|part| {
        enforcer
            .parts
            .iter()
            .any(|key| part_fits(dialect, key, part) != Fit::No)
    });
    if !all_named || keys.contains(&Fit::No) {
        return Fit::No;
    }
    let Some(own) = &enforcer.predicate else {
        return match keys.contains(&Fit::Unknown) {
            true => Fit::Unknown,
            false => Fit::Yes,
        };
    };
    let Some(given) = predicate else {
        return Fit::Partial;
    };
    let proven = match dialect {
        // SQLite asks for the same expression.
        Dialect::Sqlite if given.tree == own.tree => Implies::Yes,
        Dialect::Sqlite => match alike(&given.text, &own.text, dialect) {
            Alike::Yes => Implies::Yes,
            Alike::No => Implies::No,
            Alike::Unknown => Implies::Unknown,
        },
        _ => implies(&given.tree, &own.tree, dialect),
    };
    match proven {
        Implies::Yes if keys.contains(&Fit::Unknown) => Fit::Unknown,
        Implies::Yes => Fit::Yes,
        Implies::No => Fit::Partial,
        Implies::Unknown => Fit::Unknown,
    }
}

fn part_fits(dialect: Dialect, key: &KeyPart, part: &TargetPart) -> Fit {
    let same = match (&key.column, &part.column, &key.expression, &part.expression) {
        (Some(one), Some(other), _, _) => one.eq_ignore_ascii_case(other),
        (None, None, Some(one), Some(other)) => match alike(one, other, dialect) {
            Alike::Yes => true,
            Alike::No => false,
            Alike::Unknown => return Fit::Unknown,
        },
        _ => false,
    };
    if !same {
        // An index expression may be printed in another form than it was written.
        let both = key.column.is_none() && part.column.is_none();
        let calls = |text: &Option<std::sync::Arc<str>>| call(text.as_deref()?, dialect);
        let called = calls(&key.expression);
        return match both && called.is_some() && called == calls(&part.expression) {
            true => Fit::Unknown,
            false => Fit::No,
        };
    }
    // Which operator class an index has is not kept.
    if part.operator_class.is_some() {
        return Fit::Unknown;
    }
    match (&part.collation, &key.collation) {
        // A target without a collation means an index with any.
        (None, _) => Fit::Yes,
        (Some(asked), own) if dialect == Dialect::Sqlite => {
            let own = own.as_deref().unwrap_or("BINARY");
            match asked.eq_ignore_ascii_case(own) {
                true => Fit::Yes,
                false => Fit::No,
            }
        }
        (Some(one), Some(other)) if one.eq_ignore_ascii_case(other) => Fit::Yes,
        (Some(_), Some(_)) => Fit::No,
        (Some(_), None) => Fit::Unknown,
    }
}
