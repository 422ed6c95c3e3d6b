//! Columns of the outbox that are named for machinery which the pack puts off.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::outbox::OutboxColumn;
use crate::model::schema::{Column, Table};

/// Those with one of the words in their name; none where the pack puts nothing off. A column that
/// plays a part of the queue is none of them.
pub(super) fn out_of_scope(
    words: &[Arc<str>],
    table: &Table,
    parts: &BTreeMap<OutboxColumn, Column>,
) -> Option<Vec<Column>> {
    if words.is_empty() {
        return None;
    }
    let plays = |column: &Column| parts.values().any(|part| part.name == column.name);
    let named = |column: &Column| {
        words_of(&column.name)
            .iter()
            .any(|word| words.iter().any(|known| known.eq_ignore_ascii_case(word)))
    };
    let columns = table.columns.iter();
    Some(
        columns
            .filter(|column| !plays(column) && named(column))
            .cloned()
            .collect(),
    )
}

/// `LeaseUntil`, `lease_until`: the words.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_small = false;
    for character in name.chars() {
        let starts = character.is_uppercase() && before_small;
        if starts || !character.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.push(character);
        }
        before_small = character.is_lowercase() || character.is_numeric();
    }
    words
}
