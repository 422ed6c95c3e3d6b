//! Code of the user inside a key: functions that an index is computed with, triggers that move it.

use std::sync::Arc;

use crate::model::evidence::{Reason, Why};
use crate::model::guard::{GuardRule, Protection};
use crate::model::schema::{Dialect, Enforcer};
use crate::sql::volatility;

use super::guard::{GuardInput, computed, part_columns};

/// Functions of PostgreSQL that indexes are often computed with, beside those of defaults.
const BUILT_IN: [&str; 20] = [
    "date_trunc",
    "date_part",
    "extract",
    "position",
    "strpos",
    "initcap",
    "translate",
    "overlay",
    "reverse",
    "trunc",
    "repeat",
    "timezone",
    "int4range",
    "int8range",
    "numrange",
    "daterange",
    "tsrange",
    "tstzrange",
    "jsonb_extract_path_text",
    "json_extract_path_text",
];

/// The functions that the parts of a key call.
fn called(input: &GuardInput<'_>, enforcer: &Enforcer) -> Vec<String> {
    // Other engines take no function of the user into an index.
    if input.dialect != Some(Dialect::Postgres) {
        return Vec::new();
    }
    let texts = enforcer
        .parts
        .iter()
        .filter_map(|part| computed(input.table, part));
    let mut names: Vec<String> = texts
        .flat_map(|text| volatility::called(text, Dialect::Postgres))
        .collect();
    names.dedup();
    names
}

/// Why a function that claims to be IMMUTABLE gives another value each time.
pub(super) fn moving(input: &GuardInput<'_>, enforcer: &Enforcer) -> Option<Arc<str>> {
    called(input, enforcer).iter().find_map(|name| {
        let routine = (input.routine)(name)?;
        let why = routine.moves.as_ref()?;
        Some(
            format!(
                "the index takes {name}() ({}) for IMMUTABLE, and {why}",
                routine.place
            )
            .into(),
        )
    })
}

/// Functions that nothing but their declaration says to be IMMUTABLE.
pub(super) fn unread(input: &GuardInput<'_>, enforcer: &Enforcer) -> Vec<Arc<str>> {
    called(input, enforcer)
        .into_iter()
        .filter(|name| {
            let built_in = BUILT_IN.iter().any(|it| it.eq_ignore_ascii_case(name));
            !built_in && (input.routine)(name).is_none() && !volatility::is_known(name)
        })
        .map(Arc::from)
        .collect()
}

/// A trigger that sets a column of the key once the row is in.
pub(super) fn set_by_trigger(input: &GuardInput<'_>, enforcer: &Enforcer) -> Option<Protection> {
    let parts = enforcer.parts.iter();
    let columns: Vec<Arc<str>> = parts
        .filter_map(|part| part_columns(input.dialect, input.table, part))
        .flatten()
        .collect();
    input.table.triggers.iter().find_map(|trigger| {
        let is_key = |name: &&Arc<str>| {
            let mut columns = columns.iter();
            columns.any(|column| column.eq_ignore_ascii_case(name))
        };
        let column = trigger.sets.iter().find(is_key)?;
        Some(Protection::Unknown(
            GuardRule::OutlivesHorizon,
            Box::new(Reason {
                why: Why::NotDecidable,
                needs: None,
                sentence: format!(
                    "trigger {} sets `{column}`, a part of {} {}: whether the key still finds the row is not known",
                    trigger.name,
                    enforcer.name,
                    enforcer.key_text()
                ),
                place: Some(trigger.place.clone()),
                next_step: format!("let trigger {} leave the key as it was inserted", trigger.name),
            }),
        ))
    })
}
