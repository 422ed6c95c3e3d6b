//! Triggers of PostgreSQL that `ALTER TABLE` switches off and on: one that is off does not count.

use crate::sql::cursor::Cursor;

use super::catalog::Relation;

/// `{ENABLE [ALWAYS | REPLICA] | DISABLE} TRIGGER {name | ALL | USER}` at the cursor, if it is that.
pub(super) fn trigger(relation: &mut Relation, mut cursor: Cursor<'_>) {
    let fires = match cursor.eat("ENABLE") {
        // One for replicas does not fire where rows are written first.
        true => !cursor.eat("REPLICA"),
        false if cursor.eat("DISABLE") => false,
        false => return,
    };
    cursor.eat("ALWAYS");
    if !cursor.eat("TRIGGER") {
        return;
    }
    let all = cursor.is_any(&["ALL", "USER"]);
    let Ok(name) = cursor.name() else {
        return;
    };
    let is_it = |known: &str| all || *known == *name;
    let (from, to) = match fires {
        true => (&mut relation.silent, &mut relation.table.triggers),
        false => (&mut relation.table.triggers, &mut relation.silent),
    };
    let (moved, left) = std::mem::take(from)
        .into_iter()
        .partition(|trigger| is_it(&trigger.name));
    *from = left;
    to.extend::<Vec<_>>(moved);
}
