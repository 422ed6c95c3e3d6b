//! The conflict clauses of a statement as the model keeps them.

use std::sync::Arc;

use super::names;
use super::value::Values;
use crate::model::conflict::{
    ArmAction, ArmTarget, ConflictArm, ConflictStatement, Otherwise, TargetPart,
};
use crate::model::effect::{Assignment, EffectKind, OnConflict};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::place::Place;
use crate::model::schema::{ConflictClause, Predicate};
use crate::sql::statement::{
    self, ConflictTarget, DrawSource, Expression, Form, Insert, InsertVerb, Lookup, Name,
};

/// What an insert is called: by what it does to a row in its way.
pub(super) fn kind(insert: &Insert, lookup: Option<&Lookup>) -> EffectKind {
    let updates = |arm: &statement::ConflictArm| arm.action != statement::ArmAction::Nothing;
    if insert.arms.iter().any(updates) {
        EffectKind::Upsert
    } else if lookup.is_some() && insert.arms.is_empty() {
        EffectKind::FindOrCreate
    } else {
        EffectKind::Insert
    }
}

/// What the statement does when a key is taken.
pub(super) fn on_conflict(
    values: &mut Values<'_>,
    insert: &Insert,
    writes: &[Assignment],
    lookup: Option<&Lookup>,
    repeats_key: bool,
) -> OnConflict {
    let otherwise = match insert.verb {
        InsertVerb::Plain => Otherwise::Constraint,
        InsertVerb::Ignore | InsertVerb::Or(ConflictClause::Ignore) => Otherwise::LeavesOut,
        InsertVerb::Replace | InsertVerb::Or(ConflictClause::Replace) => Otherwise::Replaces,
        InsertVerb::Or(ConflictClause::Rollback) => Otherwise::RollsBack,
        InsertVerb::Or(ConflictClause::Abort | ConflictClause::Fail) => Otherwise::Fails,
    };
    if insert.arms.is_empty() && otherwise == Otherwise::Constraint {
        return match lookup {
            None => OnConflict::Error,
            Some(lookup) => {
                let same = lookup.table.name.eq_ignore_ascii_case(&insert.table.name);
                let fields = lookup.equals.as_deref().filter(|_| same).map(names);
                found_first(fields, values.whole())
            }
        };
    }
    let arms = insert.arms.iter().map(|arm| {
        let action = match &arm.action {
            statement::ArmAction::Nothing => ArmAction::Nothing,
            statement::ArmAction::Update { set, only_if } => {
                let newer = only_if.as_ref().map_or(&[][..], |it| it.newer.as_slice());
                let known = only_if
                    .as_ref()
                    .is_some_and(|it| it.only_known && it.equals.is_empty());
                let proposed = |name: &str| {
                    let mut written = writes.iter();
                    let found = written.find(|write| write.field.eq_ignore_ascii_case(name));
                    found.map(|write| write.value.is_stable())
                };
                let only_newer = known && only_newer(set, newer, proposed);
                ArmAction::Update {
                    set: values.set(&insert.table, set, writes, only_newer),
                    only_newer,
                }
            }
        };
        ConflictArm {
            target: target(&arm.target),
            action,
            place: values.place(arm.start, arm.end),
        }
    });
    OnConflict::Statement(Box::new(ConflictStatement {
        arms: arms.collect(),
        otherwise,
        returning: insert.returning,
        repeats_key,
        place: values.whole(),
    }))
}

/// A look at the table before the insert, whose violation nothing handles.
pub(super) fn found_first(fields: Option<Vec<Arc<str>>>, place: Place) -> OnConflict {
    match fields {
        Some(fields) if !fields.is_empty() => OnConflict::FindFirst {
            fields,
            retries: false,
            sees_deleted: true,
            place,
        },
        _ => OnConflict::Unknown(Box::new(Reason {
            why: Why::NotDecidable,
            needs: Some(InputKind::Flows),
            sentence: "what the statement looks for before it inserts is more than equal columns"
                .to_owned(),
            place: Some(place),
            next_step: "let it look for the columns of the key, each compared with `=`".to_owned(),
        })),
    }
}

fn target(target: &ConflictTarget) -> ArmTarget {
    match target {
        ConflictTarget::Any => ArmTarget::Any,
        ConflictTarget::Constraint(name) => ArmTarget::Constraint(Arc::clone(name)),
        ConflictTarget::Parts { parts, predicate } => ArmTarget::Parts {
            parts: parts
                .iter()
                .map(|part| TargetPart {
                    column: part.column.clone(),
                    expression: part.expression.clone(),
                    collation: part.collation.clone(),
                    operator_class: part.operator_class.clone(),
                })
                .collect(),
            predicate: predicate.as_ref().map(|(text, tree)| Predicate {
                text: Arc::clone(text),
                tree: tree.clone(),
            }),
        },
    }
}

/// True if the row is changed only where a stored version is less than the very value that it is
/// set to: then a repetition finds them equal. `proposed` tells of a column of the row that is
/// inserted whether its value is the same each time.
pub(super) fn only_newer(
    set: &[statement::Assignment],
    newer: &[(Name, Expression)],
    proposed: impl Fn(&str) -> Option<bool>,
) -> bool {
    let stable = |value: &Expression| {
        value.form == Form::Plain
            && value.draws.iter().all(|draw| match &draw.source {
                DrawSource::Placeholder(_) => true,
                DrawSource::Proposed(name) => proposed(name) == Some(true),
                _ => false,
            })
    };
    newer.iter().any(|(column, value)| {
        stable(value)
            && set.iter().any(|it| {
                it.column.name.eq_ignore_ascii_case(&column.name)
                    && it.value.draws.len() == 1
                    && it.value.form == Form::Plain
                    && it.value.draws.first().map(|draw| &draw.source)
                        == value.draws.first().map(|draw| &draw.source)
            })
    })
}

/// True if two rows have the same text in every column of a target.
pub(super) fn repeats_key(insert: &Insert, rows: &[Vec<Expression>]) -> bool {
    let of = |row: &[Expression], column: &str| {
        let mut names = insert.columns.iter();
        let at = names.position(|name| name.name.eq_ignore_ascii_case(column))?;
        row.get(at).map(|value| value.text.to_string())
    };
    insert.arms.iter().any(|arm| {
        let ConflictTarget::Parts { parts, .. } = &arm.target else {
            return false;
        };
        let mut seen = std::collections::BTreeSet::new();
        rows.iter().any(|row| {
            let key: Option<Vec<String>> = parts
                .iter()
                .map(|part| of(row, part.column.as_deref()?))
                .collect();
            // `?` is another value each time it stands.
            key.is_some_and(|key| {
                !key.iter()
                    .any(|text| text.contains('?') || text.contains("%s") || text.contains('('))
                    && !seen.insert(key)
            })
        })
    })
}
