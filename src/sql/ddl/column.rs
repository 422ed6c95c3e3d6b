//! The definition of one column: type, constraints, default, generation.

use std::sync::Arc;

use crate::model::place::Place;
use crate::model::schema::{Column, DefaultValue, Dialect, EnforcerKind, ForeignKey, KeyPart};
use crate::sql::cursor::{Cursor, Stop};
use crate::sql::lexer::TokenKind;
use crate::sql::volatility;

use super::Places;
use super::catalog::Key;
use super::column_type::column_type;
use super::constraint::{check_columns, key_options, references};

/// Where MySQL puts a column.
#[derive(Debug)]
pub(super) enum Position {
    First,
    After(Arc<str>),
}

/// A column with the keys and constraints that its definition carries.
#[derive(Debug)]
pub(super) struct ColumnDraft {
    pub(super) column: Column,
    pub(super) keys: Vec<Key>,
    pub(super) foreign_keys: Vec<ForeignKey>,
    pub(super) null_checks: Vec<(Option<Arc<str>>, Arc<str>)>,
    /// The name of its NOT NULL.
    pub(super) not_null: Option<Arc<str>>,
    /// Where it goes, if it says so.
    pub(super) position: Option<Position>,
}

/// Reads a column definition up to the comma behind it.
pub(super) fn column(cursor: &mut Cursor<'_>, places: Places<'_>) -> Result<ColumnDraft, Stop> {
    definition(cursor, places, true)
}

/// Reads the constraints that a partition adds to a column of its parent.
pub(super) fn column_without_type(
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
) -> Result<ColumnDraft, Stop> {
    definition(cursor, places, false)
}

fn definition(
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
    typed: bool,
) -> Result<ColumnDraft, Stop> {
    let start = cursor.stop();
    let name = cursor.name()?;
    let data_type = match typed {
        true => column_type(cursor)?,
        false => {
            cursor.eat_all(&["WITH", "OPTIONS"]);
            Arc::from("")
        }
    };
    let mut draft = ColumnDraft {
        column: Column {
            name,
            data_type,
            nullable: true,
            default: None,
            generated: None,
            on_update: None,
            auto_number: false,
            collation: None,
            place: places(start.start, start.end),
        },
        keys: Vec::new(),
        foreign_keys: Vec::new(),
        null_checks: Vec::new(),
        not_null: None,
        position: None,
    };
    serial(&mut draft, cursor.dialect);
    while !cursor.at_end() && !cursor.is_punct(b',') {
        attribute(cursor, places, &mut draft)?;
    }
    if !matches!(cursor.dialect, Dialect::Postgres | Dialect::Sqlite) {
        // UNIQUE is a flag of the column there: said twice, or beside SERIAL, it makes one index.
        let mut seen = false;
        draft
            .keys
            .retain(|key| key.is_primary() || !std::mem::replace(&mut seen, true));
    }
    Ok(draft)
}

/// The number types that draw by themselves.
fn serial(draft: &mut ColumnDraft, dialect: Dialect) {
    let kind = draft.column.data_type.to_ascii_lowercase();
    let word = kind.rsplit('.').next().unwrap_or(&kind).to_owned();
    let postgres = matches!(
        word.as_str(),
        "serial" | "bigserial" | "smallserial" | "serial2" | "serial4" | "serial8"
    );
    match dialect {
        Dialect::Postgres if postgres => {
            draft.column.nullable = false;
            draft.column.auto_number = true;
        }
        // Source: MySQL, "Numeric Data Type Syntax": BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE.
        Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb if word == "serial" => {
            draft.column.nullable = false;
            draft.column.auto_number = true;
            let place = draft.column.place.clone();
            push_key(draft, EnforcerKind::UniqueConstraint, None, place);
        }
        _ => {}
    }
}

fn push_key(draft: &mut ColumnDraft, kind: EnforcerKind, name: Option<Arc<str>>, place: Place) {
    let mut key = Key::new(Some(kind), place);
    key.name = name.unwrap_or_else(|| Arc::from(""));
    key.parts = vec![KeyPart::column(draft.column.name.clone(), true)];
    draft.keys.push(key);
}

fn attribute(
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
    draft: &mut ColumnDraft,
) -> Result<(), Stop> {
    let dialect = cursor.dialect;
    let start = cursor.offset();
    let mut name = None;
    if cursor.eat("CONSTRAINT") {
        const KINDS: [&str; 7] = [
            "PRIMARY",
            "UNIQUE",
            "NOT",
            "NULL",
            "CHECK",
            "REFERENCES",
            "DEFAULT",
        ];
        if !cursor.is_any(&KINDS) {
            name = Some(cursor.name()?);
        }
        if dialect == Dialect::Sqlite && (cursor.at_end() || cursor.is_punct(b',')) {
            return Ok(());
        }
    }
    let mysql = !matches!(dialect, Dialect::Postgres | Dialect::Sqlite);
    let head = cursor.offset();
    if cursor.eat("PRIMARY") || (mysql && cursor.is("KEY")) {
        cursor.expect("KEY")?;
        let place = places(head, cursor.end_of_last());
        push_key(draft, EnforcerKind::PrimaryKey, name, place);
        let descending = cursor.is("DESC");
        cursor.eat_any(&["ASC", "DESC"]);
        if let Some(key) = draft.keys.last_mut() {
            key.descending = descending;
            key_options(cursor, key)?;
        }
        return enforceable(cursor);
    }
    if cursor.eat("UNIQUE") {
        if mysql {
            cursor.eat("KEY");
        }
        let place = places(head, cursor.end_of_last());
        push_key(draft, EnforcerKind::UniqueConstraint, name, place);
        if let Some(key) = draft.keys.last_mut() {
            key_options(cursor, key)?;
        }
        return enforceable(cursor);
    }
    if cursor.eat("CHECK") {
        let condition = cursor.parens()?;
        let columns = check_columns(cursor, condition)?;
        draft
            .null_checks
            .extend(columns.into_iter().map(|column| (name.clone(), column)));
        return Ok(());
    }
    if cursor.is("REFERENCES") {
        let columns = vec![draft.column.name.clone()];
        let key = references(cursor, columns, places, start)?;
        draft.foreign_keys.push(ForeignKey { name, ..key });
        return Ok(());
    }
    if cursor.are(&["NOT", "NULL"]) {
        draft.not_null = name;
    }
    if mysql && cursor.eat("FIRST") {
        draft.position = Some(Position::First);
        return Ok(());
    }
    if mysql && cursor.eat("AFTER") {
        draft.position = Some(Position::After(cursor.name()?));
        return Ok(());
    }
    let found = nullability(cursor, draft)? || value(cursor, draft)? || decoration(cursor)?;
    if found { Ok(()) } else { Err(cursor.stop()) }
}

/// PostgreSQL refuses `[NOT] ENFORCED` behind a key.
fn enforceable(cursor: &Cursor<'_>) -> Result<(), Stop> {
    match cursor.is("ENFORCED") || cursor.are(&["NOT", "ENFORCED"]) {
        true => Err(cursor.stop()),
        false => Ok(()),
    }
}

/// `[NOT] NULL` with what may follow it.
fn nullability(cursor: &mut Cursor<'_>, draft: &mut ColumnDraft) -> Result<bool, Stop> {
    if cursor.eat_all(&["NOT", "NULL"]) {
        draft.column.nullable = false;
        if cursor.eat_all(&["NO", "INHERIT"]) || cursor.eat_all(&["NOT", "VALID"]) {
            return Ok(true);
        }
    } else if !cursor.eat("NULL") {
        return Ok(deferral_words(cursor));
    }
    if cursor.eat_all(&["ON", "CONFLICT"]) {
        cursor.name()?;
    }
    Ok(true)
}

/// Behind a column constraint they speak of a foreign key or were read with their key.
fn deferral_words(cursor: &mut Cursor<'_>) -> bool {
    cursor.eat_all(&["NOT", "DEFERRABLE"])
        || cursor.eat("DEFERRABLE")
        || cursor.eat_all(&["INITIALLY", "DEFERRED"])
        || cursor.eat_all(&["INITIALLY", "IMMEDIATE"])
        || cursor.eat_all(&["NOT", "ENFORCED"])
        || cursor.eat("ENFORCED")
}

/// Default, generation, numbering, collation: what decides the value that is stored.
fn value(cursor: &mut Cursor<'_>, draft: &mut ColumnDraft) -> Result<bool, Stop> {
    let dialect = cursor.dialect;
    if cursor.eat_all(&["SERIAL", "DEFAULT", "VALUE"]) {
        draft.column.auto_number = true;
        draft.column.nullable = false;
        let place = draft.column.place.clone();
        push_key(draft, EnforcerKind::UniqueConstraint, None, place);
    } else if cursor.eat("DEFAULT") {
        draft.column.default = Some(default(cursor)?);
        let text = draft
            .column
            .default
            .as_ref()
            .map(|default| default.text.to_ascii_lowercase());
        if text.is_some_and(|text| text.starts_with("nextval(")) {
            draft.column.auto_number = true;
        }
    } else if numbers(cursor) {
        draft.column.auto_number = true;
        if cursor.is_punct(b'(') {
            cursor.parens()?;
        }
    } else if cursor.eat_all(&["ON", "UPDATE"]) {
        let start = *cursor;
        cursor.step();
        if cursor.is_punct(b'(') {
            cursor.parens()?;
        }
        draft.column.on_update = Some(cursor.since(&start).plain());
    } else if cursor.eat("COLLATE") {
        draft.column.collation = Some(cursor.qualified()?.name);
    } else if cursor.is("GENERATED") || cursor.is("AS") {
        generated(cursor, draft)?;
    } else if dialect == Dialect::Postgres && cursor.eat("OPTIONS") {
        cursor.parens()?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// The words by which MySQL and SQLite draw a number.
fn numbers(cursor: &mut Cursor<'_>) -> bool {
    match cursor.dialect {
        Dialect::Postgres => false,
        Dialect::Sqlite => cursor.eat("AUTOINCREMENT"),
        _ => cursor.eat_any(&["AUTO_INCREMENT", "AUTO_RANDOM"]),
    }
}

fn generated(cursor: &mut Cursor<'_>, draft: &mut ColumnDraft) -> Result<(), Stop> {
    if cursor.eat("GENERATED") && !cursor.eat("ALWAYS") {
        cursor.expect("BY")?;
        cursor.expect("DEFAULT")?;
        cursor.eat_all(&["ON", "NULL"]);
    }
    cursor.expect("AS")?;
    if cursor.eat("IDENTITY") {
        draft.column.auto_number = true;
        draft.column.nullable = false;
        if cursor.is_punct(b'(') {
            cursor.parens()?;
        }
        return Ok(());
    }
    if cursor.eat("ROW") {
        // MariaDB's system-versioned tables.
        return match cursor.eat_any(&["START", "END"]) {
            true => Ok(()),
            false => Err(cursor.stop()),
        };
    }
    let expression = cursor.parens()?;
    draft.column.generated = Some(expression.plain());
    cursor.eat_any(&["STORED", "VIRTUAL", "PERSISTENT"]);
    Ok(())
}

/// Words that can follow a default.
const AFTER_DEFAULT: [&str; 24] = [
    "CONSTRAINT",
    "PRIMARY",
    "UNIQUE",
    "NOT",
    "NULL",
    "CHECK",
    "REFERENCES",
    "COLLATE",
    "GENERATED",
    "AS",
    "ON",
    "DEFERRABLE",
    "INITIALLY",
    "FIRST",
    "AFTER",
    "AUTO_INCREMENT",
    "COMMENT",
    "KEY",
    "INVISIBLE",
    "VISIBLE",
    "COLUMN_FORMAT",
    "STORAGE",
    "DEFAULT",
    "AUTOINCREMENT",
];

/// The expression behind DEFAULT; its first token belongs to it whatever it is.
pub(super) fn default(cursor: &mut Cursor<'_>) -> Result<DefaultValue, Stop> {
    let start = *cursor;
    match cursor.peek() {
        None => return Err(cursor.stop()),
        Some(token) if token.kind == TokenKind::Punct(b'(') => {
            cursor.parens()?;
        }
        Some(_) => cursor.step(),
    }
    cursor.skip_to(&AFTER_DEFAULT);
    let text = cursor.since(&start).plain();
    let volatility = volatility::of_default(&text, Some(cursor.dialect));
    Ok(DefaultValue { text, volatility })
}

/// What changes neither uniqueness nor values.
fn decoration(cursor: &mut Cursor<'_>) -> Result<bool, Stop> {
    let dialect = cursor.dialect;
    if dialect == Dialect::Sqlite {
        return Ok(false);
    }
    if cursor.eat_any(&["VISIBLE", "INVISIBLE", "STORED", "VIRTUAL", "PERSISTENT"]) {
        return Ok(true);
    }
    if cursor.eat_all(&["WITH", "SYSTEM", "VERSIONING"])
        || cursor.eat_all(&["WITHOUT", "SYSTEM", "VERSIONING"])
    {
        return Ok(true);
    }
    if cursor.eat_any(&["COMMENT", "ENGINE_ATTRIBUTE", "SECONDARY_ENGINE_ATTRIBUTE"]) {
        cursor.eat_punct(b'=');
        some_token(cursor)?;
        return Ok(true);
    }
    if cursor.eat_any(&["COLUMN_FORMAT", "STORAGE", "COMPRESSION", "SRID", "CHARSET"]) {
        some_token(cursor)?;
        return Ok(true);
    }
    if cursor.eat_all(&["CHARACTER", "SET"]) {
        some_token(cursor)?;
        return Ok(true);
    }
    Ok(false)
}

fn some_token(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    if cursor.at_end() {
        return Err(cursor.stop());
    }
    cursor.step();
    Ok(())
}
