//! Numbers that a statement draws by itself: a sequence in a value that an insert writes.

use std::sync::Arc;

use crate::model::effect::{Effect, NumberDraw};
use crate::model::schema::{EnforcerKind, Table};
use crate::model::value::ValueSource;

use super::tables::Tables;

/// Notes them where the effect declares none. The id of the row is no number that a person sees; any
/// other column may hold one.
pub(super) fn note(effects: &mut [Box<Effect>], tables: Option<&Tables<'_>>) {
    for effect in effects {
        if !effect.kind.is_create() || !effect.numbers.is_empty() {
            continue;
        }
        let table = tables.and_then(|tables| tables.table(effect.target.name()));
        let drawn = effect.writes.iter().find(|write| {
            let mut draws = write.value.draws.iter();
            draws.any(|draw| draw.source == ValueSource::Sequence)
                && !table.is_some_and(|table| is_id(table, &write.field))
        });
        let number = drawn.map(|write| NumberDraw {
            field: Arc::clone(&write.field),
            before_insert: true,
            // A sequence of the database never comes back.
            rolls_back: false,
            place: write.value.place.clone(),
        });
        effect.numbers.extend(number);
    }
}

/// True of a column that is the primary key.
fn is_id(table: &Table, column: &str) -> bool {
    table.enforcers.iter().any(|key| {
        key.kind == EnforcerKind::PrimaryKey
            && matches!(&key.parts[..], [part] if part
                .column
                .as_ref()
                .is_some_and(|name| name.eq_ignore_ascii_case(column)))
    })
}
