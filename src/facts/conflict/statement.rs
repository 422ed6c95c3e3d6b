//! How a conflict ends under the clauses that a statement itself has.

use std::sync::Arc;

use crate::model::conflict::{ArmAction, ConflictArm, ConflictStatement, Otherwise};
use crate::model::evidence::{Reason, Why};
use crate::model::guard::{ConflictEnding, GuardDecision, GuardRule, Protection};
use crate::model::schema::{Dialect, Table};
use crate::model::value::{Nullness, Shape, Value, ValueSource};

use super::super::arbiter::{Inferred, infer};
use super::{ConflictInput, error_sentence, plain};

/// What the clauses mean on this table: one answer for each arm.
pub(crate) struct Arbiters(Vec<Inferred>);

impl Arbiters {
    /// Finds the keys that each arm is for.
    pub(crate) fn of(
        statement: &ConflictStatement,
        dialect: Option<Dialect>,
        table: &Table,
    ) -> Self {
        let dialect = dialect.unwrap_or(Dialect::Mysql);
        let arms = statement.arms.iter();
        Self(arms.map(|arm| infer(dialect, table, &arm.target)).collect())
    }

    /// Why the engine refuses the statement on every delivery, if it does.
    pub(crate) fn refused(
        &self,
        statement: &ConflictStatement,
        dialect: Option<Dialect>,
    ) -> Option<String> {
        let refused = self.0.iter().find_map(|arm| match arm {
            Inferred::Refused(why) => Some(why.clone()),
            _ => None,
        });
        let updates = |arm: &ConflictArm| matches!(arm.action, ArmAction::Update { .. });
        let twice = statement.repeats_key
            && dialect == Some(Dialect::Postgres)
            && statement.arms.iter().any(updates);
        refused.or_else(|| {
            twice.then(|| {
                "two of its rows have the same key, and DO UPDATE may change a row only once (21000)"
                    .to_owned()
            })
        })
    }

    /// True if an arm takes conflicts of that key.
    pub(crate) fn take(&self, key: usize) -> bool {
        self.0
            .iter()
            .any(|arm| matches!(arm, Inferred::Keys(keys) if keys.contains(&key)))
    }
}

/// How it ends for the key that protects the create.
pub(super) fn ending(
    input: &ConflictInput<'_>,
    statement: &ConflictStatement,
    arbiters: &Arbiters,
) -> ConflictEnding {
    for (arm, inferred) in statement.arms.iter().zip(&arbiters.0) {
        match inferred {
            Inferred::Unknown(what) => return unknown(arm, what),
            Inferred::Keys(keys) if keys.contains(&input.at) => return taken(input, arm),
            Inferred::Keys(_) | Inferred::Refused(_) => {}
        }
    }
    beside(input, statement)
}

fn taken(input: &ConflictInput<'_>, arm: &ConflictArm) -> ConflictEnding {
    match &arm.action {
        ArmAction::Nothing => ConflictEnding::NoOp(
            format!(
                "on a conflict of {} nothing is written",
                arm.target.to_text()
            )
            .into(),
        ),
        ArmAction::Update { set, only_newer } => {
            if let Some(other) = another_key(input, arm) {
                return ConflictEnding::WrongRow(
                    format!(
                        "the row in the way of {} {} is changed instead, where that key is taken by another row",
                        other.enforcer, other.key
                    )
                    .into(),
                );
            }
            let how: Arc<str> = match only_newer {
                true => "the row in the way is changed only if it is older".into(),
                false => "the row in the way is changed".into(),
            };
            if *only_newer {
                return ConflictEnding::Changes { how, moving: None };
            }
            let mut moving = None;
            for write in set {
                match judged(&write.value) {
                    Judged::Same => {
                        let first = (input.row)(&write.field).value;
                        if !stays(&write.value, &first) {
                            let why = format!(
                                "`{}` is not what the first delivery put there (`{}`)",
                                write.value.text, first.text
                            );
                            moving =
                                moving.or_else(|| Some((Arc::clone(&write.field), why.into())));
                        }
                    }
                    Judged::Differs(why) => {
                        moving = moving.or_else(|| Some((Arc::clone(&write.field), why)));
                    }
                    Judged::Unknown(what) => {
                        return unknown(
                            arm,
                            &format!(
                                "whether `{}` is set to the same value each time: {what}",
                                write.field
                            ),
                        );
                    }
                }
            }
            ConflictEnding::Changes { how, moving }
        }
    }
}

/// True if a column that the first delivery inserted with one value has it still once it is set to
/// the other.
fn stays(set: &Value, inserted: &Value) -> bool {
    if set.shape == Shape::FillsEmpty {
        return inserted.null == Nullness::Never;
    }
    let draws = |value: &Value| -> Vec<(ValueSource, Arc<str>)> {
        let draws = value.draws.iter();
        draws
            .map(|draw| (draw.source, Arc::clone(&draw.what)))
            .collect()
    };
    match (&set.constant, &inserted.constant) {
        (Some(one), Some(other)) => one == other,
        (None, None) => set.text == inserted.text && draws(set) == draws(inserted),
        _ => false,
    }
}

enum Judged {
    Same,
    Differs(Arc<str>),
    Unknown(String),
}

fn judged(value: &Value) -> Judged {
    let mut open = None;
    for draw in value.unstable() {
        let why = match draw.source {
            ValueSource::Unknown => {
                let note = draw.note.as_deref().unwrap_or(&draw.what);
                open = open.or_else(|| Some(note.to_owned()));
                continue;
            }
            ValueSource::LiveState if value.shape == Shape::Accumulates => {
                format!("`{}` adds to what is stored", value.text)
            }
            ValueSource::LiveState if value.shape == Shape::Toggles => {
                format!("`{}` inverts what is stored", value.text)
            }
            _ => format!("`{}` is {}", draw.what, draw.source.word()),
        };
        return Judged::Differs(why.into());
    }
    match open {
        Some(what) => Judged::Unknown(what),
        None => Judged::Same,
    }
}

/// Where the arm is for any key, a second key that another row can hold.
fn another_key<'a>(input: &ConflictInput<'a>, arm: &ConflictArm) -> Option<&'a GuardDecision> {
    if arm.target != crate::model::conflict::ArmTarget::Any {
        return None;
    }
    let can_conflict = |decision: &GuardDecision| match &decision.protection {
        Protection::Protects | Protection::Unknown(..) => true,
        Protection::Fails(rule, _) => !matches!(
            rule,
            GuardRule::DeterministicKey | GuardRule::EnforcedWhereWritten
        ),
    };
    input
        .decisions
        .iter()
        .enumerate()
        .find_map(|(at, decision)| {
            (at != input.at && can_conflict(decision) && decision.columns != input.decision.columns)
                .then_some(decision)
        })
}

/// What happens to a conflict that no arm takes.
fn beside(input: &ConflictInput<'_>, statement: &ConflictStatement) -> ConflictEnding {
    let name = &input.enforcer.name;
    match statement.otherwise {
        Otherwise::LeavesOut => ConflictEnding::NoOp(
            format!("IGNORE leaves the row out when {name} is taken; it swallows every other error of the row too").into(),
        ),
        Otherwise::Replaces => ConflictEnding::Destroys(
            "the row in the way is deleted and a new one inserted: ids change, children cascade, what the statement does not name is lost".into(),
        ),
        Otherwise::RollsBack => ConflictEnding::Error(
            "the whole transaction is rolled back on every further delivery".into(),
        ),
        Otherwise::Fails => ConflictEnding::Error(error_sentence(input.effect)),
        Otherwise::Constraint if statement.arms.is_empty() => plain(input),
        Otherwise::Constraint => {
            let targets: Vec<String> = statement
                .arms
                .iter()
                .map(|arm| arm.target.to_text())
                .collect();
            match plain(input) {
                ConflictEnding::Error(how) => ConflictEnding::Error(
                    format!(
                        "the statement handles conflicts of {}, not of {name} {}: {how}",
                        targets.join(" and of "),
                        input.decision.key
                    )
                    .into(),
                ),
                other => other,
            }
        }
    }
}

fn unknown(arm: &ConflictArm, what: &str) -> ConflictEnding {
    ConflictEnding::Unknown(Box::new(Reason {
        why: Why::NotDecidable,
        needs: None,
        sentence: format!("how a conflict ends is not known: {what}"),
        place: Some(arm.place.clone()),
        next_step: "write the conflict target as the index is defined, and set values of the event"
            .into(),
    }))
}
