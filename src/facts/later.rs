//! What sets a column of a created row afterwards: a guard outlives redelivery only if nothing on
//! the platform rewrites its key.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::consumer::PathState;
use crate::model::effect::{Effect, EffectKind, RowChoice};
use crate::model::evidence::{Reason, Why};
use crate::model::guard::{GuardRule, Protection};
use crate::model::schema::Enforcer;
use crate::model::value::{Root, Value};

use super::guard::{GuardInput, part_columns, predicate_columns};

/// At most so many writers of one column are looked at; the next one counts as moving it.
const MAX_WRITERS: usize = 64;

/// A write that may change a column of the row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LaterWrite {
    /// Whose it is.
    pub(super) by: Arc<str>,
    /// True if it surely writes this row: a later step of the same run.
    pub(super) certain: bool,
}

/// The sets on stored or saved rows, by object and field in lower case.
pub(super) struct LaterWrites {
    by_field: BTreeMap<(String, String), Vec<usize>>,
}

impl LaterWrites {
    /// Collects what is on the path, and what runs inside any save of a row: users save too.
    pub(super) fn new(effects: &[Effect]) -> Self {
        let mut by_field: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (at, effect) in effects.iter().enumerate() {
            if !effect.kind.is_set() || !runs(effect) {
                continue;
            }
            let object = effect.target.name().to_ascii_lowercase();
            for write in &effect.writes {
                by_field
                    .entry((object.clone(), write.field.to_ascii_lowercase()))
                    .or_default()
                    .push(at);
            }
        }
        Self { by_field }
    }

    /// The first write that may give `column` of the created row another value than `inserted`.
    /// Flows that run inside the insert are no later writes: their values are the inserted ones.
    pub(super) fn of(
        &self,
        effects: &[Effect],
        create: &Effect,
        inside: &[(Arc<str>, &Effect)],
        column: &str,
        inserted: &Value,
    ) -> Option<LaterWrite> {
        let object = create.target.name().to_ascii_lowercase();
        let writers = self.by_field.get(&(object, column.to_ascii_lowercase()))?;
        let moves = |effect: &Effect| {
            let in_insert = inside.iter().any(|(_, other)| other.id == effect.id);
            !in_insert
                && effect.writes.iter().any(|write| {
                    write.field.eq_ignore_ascii_case(column)
                        && !same(&write.value, inserted, effect.consumer == create.consumer)
                })
        };
        let mut uncertain = None;
        for (count, effect) in writers.iter().filter_map(|at| effects.get(*at)).enumerate() {
            if count < MAX_WRITERS && !moves(effect) {
                continue;
            }
            let certain = is_step_on(effect, create);
            let found = LaterWrite {
                by: effect.owner().into(),
                certain,
            };
            if certain {
                return Some(found);
            }
            uncertain = uncertain.or(Some(found));
            if count >= MAX_WRITERS {
                break;
            }
        }
        uncertain
    }
}

/// Rule 5, the part that is shown: nothing on the platform rewrites the key of the row. A column of
/// the predicate may change some day (another question), but not in the very run that makes the row.
pub(super) fn stays(input: &GuardInput<'_>, enforcer: &Enforcer) -> Option<Protection> {
    let rule = GuardRule::OutlivesHorizon;
    let key = enforcer
        .parts
        .iter()
        .filter_map(|part| part_columns(input.table, part))
        .flatten();
    let predicate = enforcer
        .predicate
        .as_ref()
        .map_or_else(Vec::new, |predicate| predicate_columns(&predicate.tree));
    let mut open = None;
    for (column, in_key) in key
        .map(|column| (column, true))
        .chain(predicate.into_iter().map(|column| (column, false)))
    {
        match (input.later)(&column) {
            Some(write) if write.certain => {
                let why = format!(
                    "`{}` sets `{column}` of the row again, so a further delivery does not meet it under this key",
                    write.by
                );
                return Some(Protection::Fails(rule, why.into()));
            }
            Some(write) if in_key => open = open.or(Some((column, write.by))),
            _ => {}
        }
    }
    let (column, by) = open?;
    Some(Protection::Unknown(
        rule,
        Box::new(Reason {
            why: Why::NotDecidable,
            needs: None,
            sentence: format!(
                "whether {} {} protects is not known: `{by}` sets `{column}` of rows of {}, and may rewrite the key",
                enforcer.name,
                enforcer.key_text(),
                input.table.name
            ),
            place: Some(enforcer.evidence.place.clone()),
            next_step: format!("leave `{column}` of {} as it was created", input.table.name),
        }),
    ))
}

/// True of what can happen to a stored row.
fn runs(effect: &Effect) -> bool {
    match &effect.path {
        PathState::On(_) => true,
        PathState::Off(off) => off.awaits_write && effect.kind == EffectKind::RecordSet,
        PathState::Dormant { .. } | PathState::Unknown(_) => false,
    }
}

/// True if both are surely the same value: equal literals, or one formula in one run.
fn same(one: &Value, other: &Value, one_run: bool) -> bool {
    match (&one.constant, &other.constant) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one_run && one.text == other.text && one.is_stable(),
        _ => false,
    }
}

/// True of a later step of the same run on the very row.
fn is_step_on(effect: &Effect, create: &Effect) -> bool {
    let (RowChoice::Named(row), Some(name)) = (&effect.rows, &create.result_name) else {
        return false;
    };
    effect.consumer == create.consumer
        && row.draws.iter().any(|draw| {
            draw.field
                .as_ref()
                .is_some_and(|field| field.root == Root::Step && field.name == *name)
        })
}
