//! Table constraints and the clauses that follow a key.

use std::sync::Arc;

use crate::model::schema::{ConflictClause, Deferral, Dialect, EnforcerKind, ForeignKey};
use crate::sql::cursor::{Cursor, Stop};
use crate::sql::nullness;

use super::Places;
use super::catalog::Key;
use super::parts::{key_parts, names};

/// What a table constraint adds to its table.
#[derive(Debug)]
pub(super) enum Constraint {
    /// A key or an index.
    Key(Box<Key>),
    /// A foreign key.
    ForeignKey(ForeignKey),
    /// Columns that a CHECK keeps from being NULL, with the constraint's name.
    NullCheck(Option<Arc<str>>, Vec<Arc<str>>),
    /// PostgreSQL 18: `NOT NULL column`, with the constraint's name.
    NotNull(Option<Arc<str>>, Arc<str>),
    /// PostgreSQL: the key is an index that exists.
    UsingIndex(Box<Key>, Arc<str>),
    /// Nothing that decides uniqueness.
    Nothing,
}

/// True if a table constraint, not a column, begins at the cursor.
pub(super) fn begins_constraint(cursor: &Cursor<'_>) -> bool {
    if cursor.is_any(&["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"]) {
        return true;
    }
    match cursor.dialect {
        Dialect::Sqlite => false,
        Dialect::Postgres => {
            cursor.are(&["NOT", "NULL"])
                || cursor.are(&["EXCLUDE", "USING"])
                || (cursor.is("EXCLUDE") && follows_parens(cursor))
        }
        _ => {
            cursor.is_any(&["KEY", "INDEX", "FULLTEXT", "SPATIAL"])
                || cursor.are(&["PERIOD", "FOR"])
        }
    }
}

fn follows_parens(cursor: &Cursor<'_>) -> bool {
    cursor
        .ahead(1)
        .is_some_and(|token| cursor.source(token) == "(")
}

/// Reads a table constraint at the cursor.
pub(super) fn constraint(cursor: &mut Cursor<'_>, places: Places<'_>) -> Result<Constraint, Stop> {
    let start = cursor.offset();
    let mut name = None;
    if cursor.eat("CONSTRAINT") {
        const KINDS: [&str; 5] = ["PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "EXCLUDE"];
        if !cursor.is_any(&KINDS) {
            name = Some(cursor.name()?);
        }
        if cursor.dialect == Dialect::Sqlite && (cursor.at_end() || cursor.is_punct(b',')) {
            return Ok(Constraint::Nothing);
        }
    }
    if cursor.eat("CHECK") {
        let condition = cursor.parens()?;
        let columns = check_columns(cursor, condition)?;
        return Ok(Constraint::NullCheck(name, columns));
    }
    if cursor.eat_all(&["FOREIGN", "KEY"]) {
        if !cursor.is_punct(b'(') {
            let index = cursor.name()?;
            name = name.or(Some(index));
        }
        let columns = names(cursor)?;
        let key = references(cursor, columns, places, start)?;
        return Ok(Constraint::ForeignKey(ForeignKey { name, ..key }));
    }
    if cursor.eat_all(&["NOT", "NULL"]) {
        let column = cursor.name()?;
        cursor.eat_all(&["NO", "INHERIT"]);
        cursor.eat_all(&["NOT", "VALID"]);
        return Ok(Constraint::NotNull(name, column));
    }
    if cursor.eat_all(&["PERIOD", "FOR"]) {
        cursor.name()?;
        cursor.parens()?;
        return Ok(Constraint::Nothing);
    }
    if cursor.eat_any(&["FULLTEXT", "SPATIAL"]) {
        cursor.eat_any(&["KEY", "INDEX"]);
        if !cursor.is_punct(b'(') {
            cursor.name()?;
        }
        cursor.parens()?;
        let mut ignored = Key::new(None, places(start, start));
        key_options(cursor, &mut ignored)?;
        return Ok(Constraint::Nothing);
    }
    key(cursor, places, start, name)
}

fn key(
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
    start: u32,
    mut name: Option<Arc<str>>,
) -> Result<Constraint, Stop> {
    let mysql = !matches!(cursor.dialect, Dialect::Postgres | Dialect::Sqlite);
    let kind = if cursor.eat_all(&["PRIMARY", "KEY"]) {
        Some(EnforcerKind::PrimaryKey)
    } else if cursor.eat("UNIQUE") {
        if mysql {
            cursor.eat_any(&["KEY", "INDEX"]);
        }
        Some(EnforcerKind::UniqueConstraint)
    } else if cursor.eat("EXCLUDE") {
        Some(EnforcerKind::Exclusion)
    } else if mysql && cursor.eat_any(&["KEY", "INDEX"]) {
        None
    } else {
        return Err(cursor.stop());
    };
    if mysql {
        cursor.eat_all(&["IF", "NOT", "EXISTS"]);
        if cursor.is_name() && !cursor.is("USING") {
            name = Some(cursor.name()?);
        }
        if cursor.eat("USING") {
            cursor.name()?;
        }
    }
    let mut key = Key::new(kind, places(start, start));
    if cursor.eat_all(&["USING", "INDEX"]) {
        let index = cursor.name()?;
        key.name = name.unwrap_or_else(|| index.clone());
        key_options(cursor, &mut key)?;
        key.place = places(start, cursor.end_of_last());
        return Ok(Constraint::UsingIndex(Box::new(key), index));
    }
    if cursor.eat("USING") {
        cursor.name()?;
    }
    if cursor.eat("NULLS") {
        key.nulls_not_distinct = cursor.eat("NOT");
        cursor.expect("DISTINCT")?;
    }
    key.parts = key_parts(cursor)?;
    key.name = name.unwrap_or_else(|| Arc::from(""));
    key.place = places(start, cursor.end_of_last());
    key_options(cursor, &mut key)?;
    Ok(Constraint::Key(Box::new(key)))
}

/// Reads the clauses that may follow a key, in any order.
pub(super) fn key_options(cursor: &mut Cursor<'_>, key: &mut Key) -> Result<(), Stop> {
    loop {
        if cursor.dialect == Dialect::Sqlite && cursor.eat_all(&["ON", "CONFLICT"]) {
            key.on_conflict = Some(conflict_clause(cursor)?);
        } else if cursor.eat("INCLUDE") {
            key.include = names(cursor)?;
        } else if cursor.are(&["NULLS", "DISTINCT"]) || cursor.are(&["NULLS", "NOT"]) {
            cursor.step();
            key.nulls_not_distinct = cursor.eat("NOT");
            cursor.expect("DISTINCT")?;
        } else if cursor.eat_all(&["USING", "INDEX", "TABLESPACE"]) {
            cursor.name()?;
        } else if cursor.dialect == Dialect::Postgres && cursor.eat("WITH") {
            cursor.parens()?;
        } else if key.enforces == Some(EnforcerKind::Exclusion) && cursor.eat("WHERE") {
            key.predicate = Some(cursor.parens()?.plain());
        } else {
            let found = match cursor.dialect {
                Dialect::Postgres => deferral(cursor, key),
                Dialect::Sqlite => false,
                _ => {
                    let global = cursor.dialect == Dialect::Tidb && cursor.eat("GLOBAL");
                    key.global |= global;
                    global || index_option(cursor)?
                }
            };
            if !found {
                return Ok(());
            }
        }
    }
}

fn deferral(cursor: &mut Cursor<'_>, key: &mut Key) -> bool {
    if cursor.eat_all(&["NOT", "DEFERRABLE"]) {
        key.deferral = Deferral::Immediate;
    } else if cursor.eat("DEFERRABLE") {
        if key.deferral == Deferral::Immediate {
            key.deferral = Deferral::Deferrable;
        }
    } else if cursor.eat_all(&["INITIALLY", "DEFERRED"]) {
        key.deferral = Deferral::Deferred;
    } else {
        return cursor.eat_all(&["INITIALLY", "IMMEDIATE"]);
    }
    true
}

/// Options of MySQL's indexes; an invisible or ignored index enforces all the same.
fn index_option(cursor: &mut Cursor<'_>) -> Result<bool, Stop> {
    const TIDB: [&str; 3] = ["LOCAL", "CLUSTERED", "NONCLUSTERED"];
    if cursor.eat_any(&["VISIBLE", "INVISIBLE", "IGNORED"])
        || cursor.eat_all(&["NOT", "IGNORED"])
        || (cursor.dialect == Dialect::Tidb && cursor.eat_any(&TIDB))
    {
        return Ok(true);
    }
    if cursor.eat_any(&["USING", "KEY_BLOCK_SIZE", "ENGINE_ATTRIBUTE", "CLUSTERING"])
        || cursor.eat_all(&["WITH", "PARSER"])
        || (cursor.is("COMMENT") && cursor.eat("COMMENT"))
    {
        cursor.eat_punct(b'=');
        if cursor.at_end() {
            return Err(cursor.stop());
        }
        cursor.step();
        return Ok(true);
    }
    Ok(false)
}

fn conflict_clause(cursor: &mut Cursor<'_>) -> Result<ConflictClause, Stop> {
    const CLAUSES: [(&str, ConflictClause); 5] = [
        ("ROLLBACK", ConflictClause::Rollback),
        ("ABORT", ConflictClause::Abort),
        ("FAIL", ConflictClause::Fail),
        ("IGNORE", ConflictClause::Ignore),
        ("REPLACE", ConflictClause::Replace),
    ];
    for (word, clause) in CLAUSES {
        if cursor.eat(word) {
            return Ok(clause);
        }
    }
    Err(cursor.stop())
}

/// The columns that a CHECK condition keeps from being NULL; its trailing words are read with it.
pub(super) fn check_columns(
    cursor: &mut Cursor<'_>,
    condition: Cursor<'_>,
) -> Result<Vec<Arc<str>>, Stop> {
    let mut enforced = cursor.dialect != Dialect::Tidb;
    loop {
        if cursor.eat_all(&["NOT", "ENFORCED"]) {
            enforced = false;
        } else if cursor.eat_all(&["ON", "CONFLICT"]) {
            conflict_clause(cursor)?;
        } else if !(cursor.eat_all(&["NO", "INHERIT"])
            || cursor.eat_all(&["NOT", "VALID"])
            || cursor.eat("ENFORCED"))
        {
            break;
        }
    }
    if !enforced || condition.is_empty() {
        return Ok(Vec::new());
    }
    Ok(nullness::not_null_columns(
        condition.whole(),
        cursor.dialect,
    ))
}

/// Reads `REFERENCES table (columns) …`.
pub(super) fn references(
    cursor: &mut Cursor<'_>,
    columns: Vec<Arc<str>>,
    places: Places<'_>,
    start: u32,
) -> Result<ForeignKey, Stop> {
    cursor.expect("REFERENCES")?;
    let references = cursor.qualified()?.name;
    let to = match cursor.is_punct(b'(') {
        true => names(cursor)?,
        false => Vec::new(),
    };
    let mut cascade = false;
    loop {
        if cursor.eat("MATCH") {
            cursor.name()?;
        } else if cursor.are(&["ON", "DELETE"]) || cursor.are(&["ON", "UPDATE"]) {
            cursor.step();
            let on_delete = cursor.is("DELETE");
            cursor.step();
            if cursor.eat("SET") || cursor.eat("NO") {
                cursor.name()?;
                if cursor.is_punct(b'(') {
                    cursor.parens()?;
                }
            } else {
                cascade |= on_delete && cursor.is("CASCADE");
                cursor.name()?;
            }
        } else if !(cursor.eat_all(&["NOT", "DEFERRABLE"])
            || cursor.eat("DEFERRABLE")
            || cursor.eat_all(&["INITIALLY", "DEFERRED"])
            || cursor.eat_all(&["INITIALLY", "IMMEDIATE"])
            || cursor.eat_all(&["NOT", "VALID"])
            || cursor.eat_all(&["NOT", "ENFORCED"])
            || cursor.eat("ENFORCED"))
        {
            break;
        }
    }
    Ok(ForeignKey {
        name: None,
        columns,
        references,
        to,
        on_delete_cascade: cascade,
        place: places(start, cursor.end_of_last()),
    })
}
