//! `PARTITION BY` of MySQL's family: the columns that every unique key must hold.
//!
//! Source: MySQL, "Partitioning Keys, Primary Keys, and Unique Keys"; TiDB, "Global Indexes": an
//! index that is GLOBAL need not hold them there.

use std::sync::Arc;

use crate::sql::columns;
use crate::sql::cursor::{Cursor, Stop};

use super::define::refusal;
use super::relation::Relation;

/// Reads behind `PARTITION BY` or `SUBPARTITION BY`, up to the end of its expression.
pub(super) fn columns_of(cursor: &mut Cursor<'_>) -> Result<Vec<Arc<str>>, Stop> {
    cursor.eat("LINEAR");
    if !cursor.eat_any(&["HASH", "KEY", "RANGE", "LIST"]) {
        // MariaDB's history of a row: it asks nothing of keys.
        return Ok(Vec::new());
    }
    cursor.eat("COLUMNS");
    if cursor.eat("ALGORITHM") {
        cursor.eat_punct(b'=');
        cursor.step();
    }
    if !cursor.is_punct(b'(') {
        return Ok(Vec::new());
    }
    let expression = cursor.parens()?;
    if expression.is_empty() {
        return Ok(Vec::new());
    }
    let named = columns::named(expression.whole(), cursor.dialect, &|_| false);
    named.ok_or_else(|| expression.stop())
}

/// `ALTER TABLE … PARTITION BY …`: the keys that are there are held against it.
pub(super) fn again(relation: &mut Relation, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    relation.partition_key = columns_of(cursor)?;
    let mut rest = *cursor;
    let mut made_global = false;
    while !rest.at_end() {
        // TiDB makes the indexes named there global, and refuses the rest itself.
        made_global |= rest.eat_all(&["UPDATE", "INDEXES"]);
        rest.step();
    }
    if !made_global {
        let refused = relation.keys.iter().find_map(|key| refusal(relation, key));
        relation.unknown.extend(refused);
    }
    Ok(())
}
