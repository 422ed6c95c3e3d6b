//! What rows of a database say of guarantees: groups with two members, rows at rest where none may be.

use crate::model::evidence::InputKind;
use crate::model::guarantee::{GroupInvariant, States};
use crate::model::scope::ContractPart;

use super::Asked;
use super::answer::missing_input;

/// Groups of which more than one row is in a state of which there is one at most.
pub(super) fn groups(asked: &Asked<'_>, kind: &GroupInvariant) -> ContractPart {
    missing_input(
        asked,
        InputKind::Database,
        format!(
            "whether a group of {} has two such rows is not known: no database was read",
            kind.table
        ),
        "name the database (--database)",
    )
}

/// Rows that rest in a state in which none may.
pub(super) fn resting(asked: &Asked<'_>, table: &str, states: &States) -> ContractPart {
    missing_input(
        asked,
        InputKind::Database,
        format!(
            "whether a row of {table} rests at {} is not known: no database was read",
            states.values.join(" or ")
        ),
        "name the database (--database)",
    )
}
