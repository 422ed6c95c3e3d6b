//! `CREATE TABLE`: the columns, keys and options that its text holds, before any engine's rules.

use std::sync::Arc;

use crate::model::schema::{Column, Dialect, ForeignKey, TableKind};
use crate::sql::cursor::{Cursor, QualifiedName, Stop};
use crate::sql::lexer::TokenKind;

use super::Places;
use super::catalog::Key;
use super::column::{column, column_without_type};
use super::constraint::{Constraint, begins_constraint, constraint};
use super::partitioning;
use super::parts::key_parts;

/// A table that serves as a pattern.
#[derive(Debug)]
pub(super) struct Like {
    pub(super) source: QualifiedName,
    /// Its keys and indexes are copied too.
    pub(super) keys: bool,
    /// Its defaults and generated values are copied too.
    pub(super) defaults: bool,
}

/// What the text of a table says.
#[derive(Debug, Default)]
pub(super) struct TableDraft {
    pub(super) columns: Vec<Column>,
    pub(super) keys: Vec<Key>,
    pub(super) foreign_keys: Vec<ForeignKey>,
    pub(super) null_checks: Vec<(Option<Arc<str>>, Arc<str>)>,
    /// Columns with NOT NULL, and the name of that constraint.
    pub(super) not_nulls: Vec<(Option<Arc<str>>, Arc<str>)>,
    /// Tables whose columns are copied.
    pub(super) likes: Vec<Like>,
    /// PostgreSQL: tables it inherits columns from.
    pub(super) inherits: Vec<QualifiedName>,
    /// The partitioned table it is a partition of.
    pub(super) partition_of: Option<QualifiedName>,
    /// PostgreSQL: the composite type whose attributes are its columns.
    pub(super) of_type: Option<QualifiedName>,
    /// The columns it is partitioned by; for PostgreSQL none of expressions.
    pub(super) partition_key: Vec<Arc<str>>,
    pub(super) kind: Option<TableKind>,
    pub(super) without_rowid: bool,
    pub(super) strict: bool,
    /// PostgreSQL: a crash empties it.
    pub(super) unlogged: bool,
    /// MySQL: the storage engine, where it is named.
    pub(super) engine: Option<Arc<str>>,
    /// MySQL: the collation of text columns that name none.
    pub(super) collation: Option<Arc<str>>,
    /// A temporary table that the end of its transaction drops.
    pub(super) until_commit: bool,
    /// A query gives it rows and, without a column list, its columns.
    pub(super) as_query: bool,
}

/// Reads what follows the table's name.
pub(super) fn body(cursor: &mut Cursor<'_>, places: Places<'_>) -> Result<TableDraft, Stop> {
    let mut draft = TableDraft::default();
    let dialect = cursor.dialect;
    let mysql = !matches!(dialect, Dialect::Postgres | Dialect::Sqlite);
    if mysql && cursor.eat("LIKE") {
        draft.likes.push(Like {
            source: cursor.qualified()?,
            keys: true,
            defaults: true,
        });
        return ended(cursor, draft);
    }
    if dialect == Dialect::Postgres && cursor.eat_all(&["PARTITION", "OF"]) {
        draft.partition_of = Some(cursor.qualified()?);
    } else if dialect == Dialect::Postgres && cursor.eat("OF") {
        draft.of_type = Some(cursor.qualified()?);
    }
    if cursor.is_punct(b'(') && !opens_query(cursor) {
        let mut inside = cursor.parens()?;
        items(&mut inside, places, &mut draft)?;
    } else if draft.partition_of.is_none()
        && draft.of_type.is_none()
        && !cursor.is_any(&["AS", "SELECT", "WITH", "USING"])
        && !mysql
    {
        return Err(cursor.stop());
    }
    match dialect {
        Dialect::Sqlite => sqlite_options(cursor, &mut draft)?,
        Dialect::Postgres => postgres_options(cursor, &mut draft)?,
        _ => mysql_options(cursor, &mut draft)?,
    }
    if let Some(collation) = &draft.collation {
        for column in draft
            .columns
            .iter_mut()
            .filter(|column| is_text(&column.data_type))
        {
            column
                .collation
                .get_or_insert_with(|| Arc::clone(collation));
        }
    }
    ended(cursor, draft)
}

/// True of the types that are compared by a collation.
fn is_text(data_type: &str) -> bool {
    let base = data_type.split(['(', ' ']).next().unwrap_or_default();
    [
        "char",
        "varchar",
        "tinytext",
        "text",
        "mediumtext",
        "longtext",
        "enum",
        "set",
        "character",
    ]
    .iter()
    .any(|kind| kind.eq_ignore_ascii_case(base))
}

fn ended(cursor: &Cursor<'_>, draft: TableDraft) -> Result<TableDraft, Stop> {
    match cursor.at_end() {
        true => Ok(draft),
        false => Err(cursor.stop()),
    }
}

/// `CREATE TABLE t (SELECT …)` of MySQL.
fn opens_query(cursor: &Cursor<'_>) -> bool {
    let inside = cursor.ahead(1);
    cursor.token_is(inside, "SELECT") || cursor.token_is(inside, "WITH")
}

/// More columns and keys than any engine takes in one table.
const MOST: usize = 10_000;

fn items(inside: &mut Cursor<'_>, places: Places<'_>, draft: &mut TableDraft) -> Result<(), Stop> {
    let mut constraints = false;
    while !inside.at_end() {
        if draft.columns.len() + draft.keys.len() > MOST {
            return Err(inside.stop());
        }
        if likes(inside, draft)? {
        } else if begins_constraint(inside) {
            constraints = true;
            add(constraint(inside, places)?, draft);
        } else if !constraints || inside.dialect != Dialect::Sqlite {
            // A partition repeats columns without their types: `PARTITION OF p (c NOT NULL)`, and so
            // does a table of a composite type.
            let mut item = match draft.partition_of.is_some() || draft.of_type.is_some() {
                true => column_without_type(inside, places)?,
                false => column(inside, places)?,
            };
            if let Some(name) = item.not_null {
                draft.not_nulls.push((Some(name), item.column.name.clone()));
            }
            draft.columns.push(item.column);
            draft.keys.append(&mut item.keys);
            draft.foreign_keys.append(&mut item.foreign_keys);
            draft.null_checks.append(&mut item.null_checks);
        } else {
            return Err(inside.stop());
        }
        if inside.eat_punct(b',') {
            // A comma promises more; MySQL's and PostgreSQL's parsers insist, and so does SQLite's.
            if inside.at_end() {
                return Err(inside.stop());
            }
        } else {
            // SQLite lets the comma between table constraints go.
            let constraint_follows =
                inside.dialect == Dialect::Sqlite && constraints && begins_constraint(inside);
            if !inside.at_end() && !constraint_follows {
                return Err(inside.stop());
            }
        }
    }
    if draft.columns.is_empty()
        && draft.keys.is_empty()
        && draft.likes.is_empty()
        && inside.dialect != Dialect::Postgres
    {
        return Err(inside.stop());
    }
    Ok(())
}

/// `LIKE source [INCLUDING x …]` among the columns.
fn likes(inside: &mut Cursor<'_>, draft: &mut TableDraft) -> Result<bool, Stop> {
    if inside.dialect == Dialect::Sqlite || !inside.eat("LIKE") {
        return Ok(false);
    }
    let source = inside.qualified()?;
    let mut keys = inside.dialect != Dialect::Postgres;
    let mut defaults = keys;
    loop {
        let including = inside.is("INCLUDING");
        if !including && !inside.is("EXCLUDING") {
            break;
        }
        inside.step();
        if inside.is_any(&["ALL", "INDEXES"]) {
            keys = including;
        }
        if inside.is_any(&["ALL", "DEFAULTS", "IDENTITY", "GENERATED"]) {
            defaults = including;
        }
        inside.name()?;
    }
    draft.likes.push(Like {
        source,
        keys,
        defaults,
    });
    Ok(true)
}

/// Adds a constraint to the draft.
pub(super) fn add(constraint: Constraint, draft: &mut TableDraft) {
    match constraint {
        Constraint::Key(key) => draft.keys.push(*key),
        Constraint::ForeignKey(key) => draft.foreign_keys.push(key),
        Constraint::NullCheck(name, columns) => draft
            .null_checks
            .extend(columns.into_iter().map(|column| (name.clone(), column))),
        Constraint::NotNull(name, column) => draft.not_nulls.push((name, column)),
        Constraint::UsingIndex(..) | Constraint::Nothing => {}
    }
}

fn sqlite_options(cursor: &mut Cursor<'_>, draft: &mut TableDraft) -> Result<(), Stop> {
    if cursor.eat("AS") {
        draft.as_query = true;
        cursor.finish();
        return Ok(());
    }
    while !cursor.at_end() {
        if cursor.eat_all(&["WITHOUT", "ROWID"]) {
            draft.without_rowid = true;
        } else if cursor.eat("STRICT") {
            draft.strict = true;
        } else {
            return Err(cursor.stop());
        }
        if !cursor.at_end() {
            cursor.expect_punct(b',')?;
        }
    }
    Ok(())
}

fn postgres_options(cursor: &mut Cursor<'_>, draft: &mut TableDraft) -> Result<(), Stop> {
    while !cursor.at_end() {
        if cursor.eat("INHERITS") {
            let mut inside = cursor.parens()?;
            while !inside.at_end() {
                draft.inherits.push(inside.qualified()?);
                inside.eat_punct(b',');
            }
        } else if cursor.eat_all(&["PARTITION", "BY"]) {
            draft.kind = Some(TableKind::Partitioned);
            cursor.name()?;
            let key = key_parts(cursor)?;
            draft.partition_key = key.into_iter().filter_map(|part| part.column).collect();
        } else if cursor.eat_all(&["FOR", "VALUES"]) {
            bounds(cursor)?;
        } else if cursor.eat("DEFAULT") || cursor.eat_all(&["WITHOUT", "OIDS"]) {
        } else if cursor.eat("WITH") {
            cursor.parens()?;
        } else if cursor.eat_any(&["TABLESPACE", "USING", "SERVER"]) {
            cursor.name()?;
        } else if cursor.eat("OPTIONS") {
            cursor.parens()?;
        } else if cursor.eat_all(&["ON", "COMMIT"]) {
            draft.until_commit = cursor.is("DROP");
            cursor.name()?;
            cursor.eat("ROWS");
        } else if cursor.eat("AS") {
            draft.as_query = true;
            cursor.finish();
        } else {
            return Err(cursor.stop());
        }
    }
    Ok(())
}

/// `IN (…)`, `FROM (…) TO (…)`, `WITH (…)` of a partition.
pub(super) fn bounds(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    if !cursor.is_any(&["IN", "FROM", "WITH"]) {
        return Err(cursor.stop());
    }
    cursor.step();
    cursor.parens()?;
    if cursor.eat("TO") {
        cursor.parens()?;
    }
    Ok(())
}

/// MySQL's table options decide nothing about uniqueness, partitions, a query, the storage engine and
/// the collation that text columns take over apart.
fn mysql_options(cursor: &mut Cursor<'_>, draft: &mut TableDraft) -> Result<(), Stop> {
    while let Some(token) = cursor.peek() {
        if cursor.eat_all(&["PARTITION", "BY"]) {
            draft.kind = Some(TableKind::Partitioned);
            draft.partition_key = partitioning::columns_of(cursor)?;
        } else if cursor.eat_all(&["SUBPARTITION", "BY"]) {
            let further = partitioning::columns_of(cursor)?;
            draft.partition_key.extend(further);
        } else if cursor.eat("COLLATE") {
            cursor.eat_punct(b'=');
            draft.collation = Some(cursor.name()?);
        } else if cursor.eat("ENGINE") {
            cursor.eat_punct(b'=');
            draft.engine = Some(cursor.name()?);
        } else if cursor.is_any(&["AS", "SELECT"]) || opens_query(cursor) {
            draft.as_query = true;
            cursor.finish();
        } else if token.kind == TokenKind::Punct(b'(') {
            cursor.parens()?;
        } else if cursor.is_any(&["CREATE", "ALTER", "DROP", "RENAME", "GO"])
            || cursor.is_any(&["STRICT", "WITHOUT", "INHERITS", "ON"])
            || (cursor.is("WITH")
                && cursor
                    .ahead(1)
                    .is_some_and(|next| cursor.source(next) == "("))
        {
            // The end of the statement is missing, or it is written for another engine.
            return Err(cursor.stop());
        } else {
            cursor.step();
        }
    }
    Ok(())
}
