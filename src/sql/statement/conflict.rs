//! `ON CONFLICT` and `ON DUPLICATE KEY UPDATE`.

use crate::model::schema::Dialect;
use crate::sql::cursor::Cursor;
use crate::sql::predicate;

use super::ast::{ArmAction, ConflictArm, ConflictTarget, TargetPart};
use super::expression::Scope;
use super::{NotUnderstood, condition, update};

/// Words that may follow what an arm sets.
const ENDS: [&str; 3] = ["WHERE", "ON", "RETURNING"];

/// Reads the arms that stand at the cursor.
pub(super) fn arms(
    cursor: &mut Cursor<'_>,
    scope: &Scope,
) -> Result<Vec<ConflictArm>, NotUnderstood> {
    let mut arms = Vec::new();
    while cursor.is("ON") {
        let start = cursor.offset();
        let at = cursor.stop();
        if !arms.is_empty() && cursor.dialect != Dialect::Sqlite {
            return Err(NotUnderstood::at(
                at,
                "only SQLite takes several ON CONFLICT",
            ));
        }
        cursor.step();
        let lite = matches!(cursor.dialect, Dialect::Postgres | Dialect::Sqlite);
        let (target, action) = if cursor.eat_all(&["DUPLICATE", "KEY", "UPDATE"]) {
            if lite {
                return Err(NotUnderstood::at(at, "this engine has no ON DUPLICATE KEY"));
            }
            let set = update::assignments(cursor, scope, &ENDS)?;
            (
                ConflictTarget::Any,
                ArmAction::Update { set, only_if: None },
            )
        } else {
            cursor.expect("CONFLICT")?;
            if !lite {
                return Err(NotUnderstood::at(at, "this engine has no ON CONFLICT"));
            }
            (target(cursor)?, action(cursor, scope)?)
        };
        if cursor.dialect == Dialect::Postgres
            && target == ConflictTarget::Any
            && action != ArmAction::Nothing
        {
            let why = "PostgreSQL asks DO UPDATE for a conflict target";
            return Err(NotUnderstood::at(at, why));
        }
        arms.push(ConflictArm {
            target,
            action,
            start,
            end: cursor.end_of_last(),
        });
    }
    Ok(arms)
}

fn target(cursor: &mut Cursor<'_>) -> Result<ConflictTarget, NotUnderstood> {
    if cursor.dialect == Dialect::Postgres && cursor.eat_all(&["ON", "CONSTRAINT"]) {
        return Ok(ConflictTarget::Constraint(cursor.name()?));
    }
    if !cursor.is_punct(b'(') {
        return Ok(ConflictTarget::Any);
    }
    let mut inside = cursor.parens()?;
    let mut parts = Vec::new();
    while !inside.at_end() {
        parts.push(part(&mut inside)?);
        if !inside.at_end() {
            inside.expect_punct(b',')?;
        }
    }
    let mut predicate = None;
    if cursor.eat("WHERE") {
        let start = *cursor;
        cursor.skip_to(&["DO"]);
        let text = cursor.since(&start).plain();
        let tree = predicate::parse(&text, cursor.dialect, &|_| true);
        predicate = Some((text, tree));
    }
    Ok(ConflictTarget::Parts { parts, predicate })
}

/// `column`, `f(x)`, `(expression)`, with a collation and an operator class.
fn part(inside: &mut Cursor<'_>) -> Result<TargetPart, NotUnderstood> {
    let start = *inside;
    let mut column = None;
    if inside.is_punct(b'(') {
        inside.parens()?;
    } else {
        column = Some(inside.qualified()?.name);
        if inside.is_punct(b'(') {
            inside.parens()?;
            column = None;
        }
    }
    let span = inside.since(&start).without_parens();
    if span.len() == 1 && column.is_none() {
        let mut name = span;
        column = name.name().ok();
    }
    let expression = column.is_none().then(|| span.plain());
    let mut collation = None;
    if inside.eat("COLLATE") {
        collation = Some(inside.qualified()?.name);
    }
    // An operator class asks for one of several indexes on the same parts.
    let mut operator_class = None;
    if inside.is_name() && !inside.is_any(&["ASC", "DESC"]) {
        operator_class = Some(inside.qualified()?.name);
    }
    inside.eat_any(&["ASC", "DESC"]);
    Ok(TargetPart {
        column,
        expression,
        collation,
        operator_class,
    })
}

fn action(cursor: &mut Cursor<'_>, scope: &Scope) -> Result<ArmAction, NotUnderstood> {
    cursor.expect("DO")?;
    if cursor.eat("NOTHING") {
        return Ok(ArmAction::Nothing);
    }
    cursor.expect("UPDATE")?;
    cursor.expect("SET")?;
    let set = update::assignments(cursor, scope, &ENDS)?;
    let only_if = match cursor.eat("WHERE") {
        true => Some(condition::condition(cursor, scope, &["ON", "RETURNING"])?),
        false => None,
    };
    Ok(ArmAction::Update { set, only_if })
}
