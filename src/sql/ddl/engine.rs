//! The storage engine of a table in MySQL's family, as the text leaves it.

use crate::model::evidence::{Reason, Why};
use crate::model::schema::TableKind;
use crate::sql::cursor::Cursor;
use crate::sql::storage;

use super::relation::Relation;

/// `ENGINE [=] name` among the options of `ALTER TABLE`, wherever it stands.
pub(super) fn changed(relation: &mut Relation, options: &Cursor<'_>) {
    let mut options = *options;
    while !options.at_end() {
        if options.eat("ENGINE") {
            options.eat_punct(b'=');
            if let Ok(name) = options.name() {
                relation.engine = Some(name);
            }
        } else {
            options.step();
        }
    }
}

/// What the engine does to the table.
pub(super) fn settle(relation: &mut Relation) {
    let Some(engine) = relation.engine.as_deref() else {
        return;
    };
    let table = &mut relation.table;
    table.unlogged |= storage::is_volatile(engine);
    if storage::is_elsewhere(engine) {
        table.kind = TableKind::Foreign;
    } else if !storage::obeys_transactions(engine) {
        relation.unknown.push(Reason {
            why: Why::NotDecidable,
            needs: None,
            sentence: storage::without_transactions(&table.name, engine),
            place: Some(table.place.clone()),
            next_step: storage::CONVERT.to_owned(),
        });
    }
}
