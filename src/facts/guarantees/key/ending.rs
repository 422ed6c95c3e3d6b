//! What becomes of a write that meets its own key.

use crate::model::guarantee::{Caught, Node, UniqueKey, What};
use crate::model::place::Place;
use crate::model::schema::Enforcer;
use crate::model::scope::ContractPart;
use crate::sql::statement::{ArmAction, ConflictTarget};

use crate::facts::guarantees::answer::{fails, holds, open};
use crate::facts::guarantees::statement::same;
use crate::facts::guarantees::survey::{Asked as Wanted, Marks, Sighting, survey_of};
use crate::facts::guarantees::{Asked, each};

use super::CONFLICT;

/// What becomes of a write that meets its own key.
pub(super) fn ending(
    asked: &Asked<'_>,
    kind: &UniqueKey,
    insert: &Sighting<'_>,
    enforcer: Option<&Enforcer>,
) -> Option<ContractPart> {
    let place = &insert.node.place;
    let sql = asked.sql(insert.node)?;
    let arm = sql.arms.iter().find(|arm| match &arm.target {
        ConflictTarget::Any => true,
        ConflictTarget::Constraint(name) => enforcer.is_some_and(|it| same(&it.name, name)),
        ConflictTarget::Parts { parts, .. } => {
            parts.len() == kind.key.len()
                && kind.key.iter().all(|name| {
                    let mut columns = parts.iter().filter_map(|part| part.column.as_ref());
                    columns.any(|column| same(column, name))
                })
        }
    });
    match (arm.map(|arm| &arm.action), &kind.raises) {
        (Some(ArmAction::Nothing), _) => {
            return Some(holds(place, "a second insert of the key does nothing"));
        }
        (Some(ArmAction::Update { .. }), _) => {
            return Some(fails(
                place,
                "a second insert of the key writes over the row that is there",
            ));
        }
        (None, _) => {}
    }
    let caught = insert
        .handlers
        .iter()
        .rev()
        .flat_map(|all| all.iter())
        .find(|one| one.unique);
    match (caught, &kind.raises) {
        (Some(caught), Some(of)) => Some(typed(caught, of, enforcer, place, kind)),
        (Some(caught), None) => Some(holds(
            caught.body.first().map_or(place, |node| &node.place),
            "a violation of the key is caught",
        )),
        (None, Some(of)) => Some(fails(
            place,
            format!("a violation of the key is not caught, and never becomes {of}"),
        )),
        (None, None) => Some(fails(
            place,
            "a violation of the key is not met: every replay ends in an error",
        )),
    }
}

/// True if a handler raises the type that is declared, for that constraint and no other.
fn typed(
    caught: &Caught,
    of: &str,
    enforcer: Option<&Enforcer>,
    insert: &Place,
    kind: &UniqueKey,
) -> ContractPart {
    let place = caught.body.first().map_or(insert, |node| &node.place);
    if !raises(&caught.body, of) {
        return fails(
            place,
            format!("a violation of the key is caught, and never becomes {of}"),
        );
    }
    let mut named = false;
    each(&caught.body, &mut |node| {
        if let (What::Branch { test, .. }, Some(enforcer)) = (&node.what, enforcer) {
            named |= test.literals.iter().any(|text| **text == *enforcer.name);
        }
    });
    if !named && enforcer.is_some() {
        return open(
            place,
            format!(
                "whether a violation of another key of {} becomes {of} too cannot be told",
                kind.table
            ),
            "compare the name of the constraint in the handler",
        );
    }
    holds(place, format!("a violation of that key becomes {of}"))
}

/// True if something in some nodes raises a type.
pub(in crate::facts::guarantees) fn raises(nodes: &[Node], of: &str) -> bool {
    let marks = |node: &Node| -> Marks {
        match &node.what {
            What::Raise(Some(found)) if is_type(found, Some(of)) => CONFLICT,
            _ => 0,
        }
    };
    let found = survey_of(
        nodes,
        &Wanted {
            marks: &marks,
            held: 0,
            stays: 0,
        },
    );
    !found.sightings.is_empty()
}

/// True of a type by its name, qualified or not.
pub(in crate::facts::guarantees) fn is_type(found: &str, wanted: Option<&str>) -> bool {
    let last = |name: &str| name.rsplit(['.', ':']).next().unwrap_or(name).to_owned();
    wanted.is_some_and(|wanted| last(found) == last(wanted))
}
