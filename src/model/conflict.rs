//! What a statement says about conflicts: its arms in order, and what it does beside them.

use std::sync::Arc;

use super::effect::{Assignment, OnConflict};
use super::place::Place;
use super::schema::Predicate;

/// The conflict clauses of an insert, as the engine reads them.
#[derive(Debug, Clone, PartialEq)]
pub struct ConflictStatement {
    /// `ON CONFLICT` and `ON DUPLICATE KEY UPDATE`, in order.
    pub arms: Vec<ConflictArm>,
    /// What happens on a conflict that no arm takes.
    pub otherwise: Otherwise,
    /// True if it asks for the row it wrote (`RETURNING`).
    pub returning: bool,
    /// True if two of its rows have the same value in every column of a target.
    pub repeats_key: bool,
    /// Where it stands.
    pub place: Place,
}

/// What an insert does on a conflict that no arm takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Otherwise {
    /// What the constraint itself says, which is to fail unless its definition says otherwise.
    Constraint,
    /// It fails whatever the constraint says.
    Fails,
    /// The row is left out (`IGNORE`).
    LeavesOut,
    /// The rows in the way are deleted (`REPLACE`).
    Replaces,
    /// The whole transaction is rolled back.
    RollsBack,
}

/// One arm.
#[derive(Debug, Clone, PartialEq)]
pub struct ConflictArm {
    /// Which keys it is for.
    pub target: ArmTarget,
    /// What it does.
    pub action: ArmAction,
    /// Where it stands.
    pub place: Place,
}

/// Which keys an arm is for.
#[derive(Debug, Clone, PartialEq)]
pub enum ArmTarget {
    /// Every key.
    Any,
    /// The constraint of that name.
    Constraint(Arc<str>),
    /// The key that has these parts.
    Parts {
        /// The parts.
        parts: Vec<TargetPart>,
        /// What chooses among partial indexes; it says nothing of the row.
        predicate: Option<Predicate>,
    },
}

/// One part of a conflict target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetPart {
    /// A column.
    pub column: Option<Arc<str>>,
    /// An expression.
    pub expression: Option<Arc<str>>,
    /// The collation that is asked for.
    pub collation: Option<Arc<str>>,
    /// The operator class that is asked for.
    pub operator_class: Option<Arc<str>>,
}

/// What an arm does.
#[derive(Debug, Clone, PartialEq)]
pub enum ArmAction {
    /// Nothing is written.
    Nothing,
    /// The row in the way is changed.
    Update {
        /// What is set.
        set: Vec<Assignment>,
        /// True if it is changed only where a stored version is older than the one it sets, so that
        /// a repetition finds nothing to change.
        only_newer: bool,
    },
}

impl ConflictStatement {
    /// All that its arms set in the row in the way.
    pub fn set(&self) -> impl Iterator<Item = &Assignment> {
        self.arms.iter().flat_map(|arm| match &arm.action {
            ArmAction::Update { set, .. } => set.as_slice(),
            ArmAction::Nothing => &[],
        })
    }
}

impl OnConflict {
    /// All that its statement sets in the row in the way.
    pub fn set(&self) -> impl Iterator<Item = &Assignment> {
        let said = match self {
            OnConflict::Statement(said) => Some(said),
            _ => None,
        };
        said.into_iter().flat_map(|said| said.set())
    }
}

impl ArmTarget {
    /// As a person writes it.
    pub fn to_text(&self) -> String {
        match self {
            ArmTarget::Any => "any key".to_owned(),
            ArmTarget::Constraint(name) => format!("constraint {name}"),
            ArmTarget::Parts { parts, predicate } => {
                let parts: Vec<&str> = parts
                    .iter()
                    .map(|part| {
                        part.column
                            .as_deref()
                            .or(part.expression.as_deref())
                            .unwrap_or("?")
                    })
                    .collect();
                let predicate = predicate
                    .as_ref()
                    .map_or_else(String::new, |it| format!(" WHERE {}", it.text));
                format!("({}){predicate}", parts.join(", "))
            }
        }
    }
}
