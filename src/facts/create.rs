//! All that can be found out about one create.

use std::sync::Arc;

use crate::model::effect::{Effect, OnConflict};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::guard::{ConflictEnding, CreateFacts, GuardDecision, Protection, Refused};
use crate::model::schema::{Schema, Table, TableKind};
use crate::model::scope::Declarations;
use crate::rules::PlatformRule;

use super::conflict::{Arbiters, ConflictInput, ending};
use super::guard::{GuardInput, decide};
use super::inserted::{Rewrites, inserted_value};
use super::mend::{MendInput, mends};
use super::null_key;
use super::proposal::{ProposalInput, proposals};
use super::rewritten::{Later, Rewritten};
use super::rivals::key_text;
use super::tables::Tables;

/// What judging creates needs beside the effect itself.
pub(super) struct CreateInput<'a> {
    pub(super) schema: Option<&'a Tables<'a>>,
    pub(super) platform: Option<&'a PlatformRule>,
    pub(super) declarations: &'a Declarations,
    pub(super) rewrites: &'a Rewrites<'a>,
    /// What is written to the row again after it was created.
    pub(super) rewritten: &'a dyn Fn(&str, Later) -> Option<Rewritten>,
    pub(super) siblings: &'a [&'a Effect],
    pub(super) used_by: Vec<Arc<str>>,
}

/// Judges one create; with the text of the key that protects it, values and all, if they are the
/// same each time.
pub(super) fn create_facts(
    effect: &Effect,
    input: CreateInput<'_>,
) -> (CreateFacts, Option<String>) {
    let name = effect.target.name();
    let table = input.schema.and_then(|schema| schema.table(name));
    let known = table.zip(input.schema.map(|schema| schema.dialect));
    let row = |column: &str| inserted_value(effect, column, known, input.platform, input.rewrites);
    let soft_delete = input
        .platform
        .map_or(&[][..], |platform| &platform.soft_delete);
    let arbiters = match (&effect.on_conflict, table) {
        (OnConflict::Statement(said), Some(table)) => {
            let dialect = input.schema.and_then(|schema| schema.dialect);
            Some((said, Arbiters::of(said, dialect, table)))
        }
        _ => None,
    };
    let refused: Option<Refused> = arbiters.as_ref().and_then(|(said, arbiters)| {
        let dialect = input.schema.and_then(|schema| schema.dialect);
        let why = arbiters.refused(said, dialect)?;
        Some(Refused {
            why: format!(
                "the engine refuses the statement on every delivery, the first included: {why}"
            )
            .into(),
            lost: false,
            column: None,
        })
    });
    let arbiters = arbiters.map(|(_, arbiters)| arbiters);
    let (decisions, protected_by) = match (input.schema, table) {
        (Some(schema), Some(table)) => {
            let guard = GuardInput {
                dialect: schema.dialect,
                table,
                routine: &|name| schema.routine(name),
                row: &row,
                soft_delete,
                rewritten: input.rewritten,
                lookup: match &effect.on_conflict {
                    OnConflict::FindFirst { fields, .. } => fields,
                    _ => &[],
                },
            };
            let decisions: Vec<GuardDecision> = table
                .enforcers
                .iter()
                .zip(schema.notes(table))
                .map(|(enforcer, known)| decide(&guard, enforcer, known))
                .collect();
            let best = best_guard(effect, &decisions, arbiters.as_ref());
            (decisions, best)
        }
        _ => (Vec::new(), None),
    };
    let refused = refused.or_else(|| {
        // A platform fills in more than its flows assign.
        let dialect = input.schema.filter(|_| input.platform.is_none())?.dialect;
        let guard = protected_by.and_then(|at| decisions.get(at));
        // A key that needs a value refuses the row whichever key the statement speaks of.
        let mut keys = guard.into_iter().chain(&decisions);
        keys.find_map(|key| null_key::refused(effect, dialect, table?, key, &row))
    });
    let ending = match (input.schema, table, protected_by) {
        (Some(schema), Some(table), Some(at)) => {
            match (table.enforcers.get(at), decisions.get(at)) {
                (Some(enforcer), Some(decision)) => ending(&ConflictInput {
                    effect,
                    schema,
                    table,
                    decisions: &decisions,
                    arbiters: arbiters.as_ref(),
                    at,
                    enforcer,
                    decision,
                    row: &row,
                    soft_delete,
                    soft_deletes: soft_delete.iter().any(|name| table.column(name).is_some()),
                }),
                _ => ConflictEnding::NoGuard,
            }
        }
        _ => ConflictEnding::NoGuard,
    };
    let ending = match &refused {
        Some(refused) if refused.lost => ConflictEnding::Lost(Arc::clone(&refused.why)),
        Some(refused) => ConflictEnding::Error(Arc::clone(&refused.why)),
        None => ending,
    };
    let natural = input.declarations.natural_key(name);
    let dialect = input.schema.and_then(|schema| schema.dialect);
    // A create that something protects needs no other key.
    let mends = match (table, protected_by) {
        (Some(table), None) => mends(&MendInput {
            table,
            dialect,
            decisions: &decisions,
            natural: natural.map_or(&[], |key| &key.fields),
            row: &row,
        }),
        _ => Vec::new(),
    };
    let proposals = if protected_by.is_none() {
        proposals(&ProposalInput {
            effect,
            table,
            natural,
            identity: input
                .platform
                .map_or(&[][..], |platform| &platform.identity),
            shared: input.platform.is_some_and(|platform| {
                let tables = &platform.appends_to;
                tables.iter().any(|table| table.eq_ignore_ascii_case(name))
            }),
            row: &row,
            siblings: input.siblings,
            mends: &mends,
            dialect,
        })
    } else {
        Vec::new()
    };
    let key = protected_by
        .and_then(|at| decisions.get(at))
        .and_then(|guard| key_text(&guard.columns, &row));
    let facts = CreateFacts {
        table: known_table(
            effect,
            input.schema.map(|tables| &**tables),
            table,
            protected_by.is_some(),
        ),
        decisions,
        protected_by,
        mends,
        proposals,
        used_by: input.used_by,
        rival: None,
        natural_key: natural.map_or_else(Vec::new, |key| key.fields.clone()),
        no_row: no_row(effect, &ending),
        ending,
        refused,
    };
    (facts, key)
}

/// Why a conflict that writes nothing leaves the run without the row.
fn no_row(effect: &Effect, ending: &ConflictEnding) -> Option<Arc<str>> {
    if !matches!(ending, ConflictEnding::NoOp(_)) {
        return None;
    }
    let why = match &effect.on_conflict {
        OnConflict::Statement(said) if said.returning => {
            "RETURNING gives back no row when the conflict writes nothing"
        }
        OnConflict::DoNothing(_) => "a conflict that does nothing gives back no row",
        OnConflict::Caught { .. } => "a violation that is caught gives back no row",
        _ => return None,
    };
    Some(why.into())
}

/// The enforcer a proof cites: among those that protect, the one the conflict handling names.
fn best_guard(
    effect: &Effect,
    decisions: &[GuardDecision],
    arbiters: Option<&Arbiters>,
) -> Option<usize> {
    let protects =
        |decision: &&(usize, &GuardDecision)| matches!(decision.1.protection, Protection::Protects);
    let named: &[Arc<str>] = match &effect.on_conflict {
        OnConflict::FindFirst { fields, .. } => fields,
        OnConflict::DoNothing(columns) | OnConflict::Update(columns) => columns,
        _ => &[],
    };
    let constraint = match &effect.on_conflict {
        OnConflict::Caught { constraint, .. } => constraint.as_deref(),
        _ => None,
    };
    let covers = |decision: &GuardDecision| {
        decision.columns.len() == named.len()
            && decision
                .columns
                .iter()
                .all(|column| named.iter().any(|name| name.eq_ignore_ascii_case(column)))
    };
    let is_caught = |decision: &GuardDecision| {
        constraint.is_some_and(|name| name.eq_ignore_ascii_case(&decision.enforcer))
    };
    let listed: Vec<(usize, &GuardDecision)> = decisions.iter().enumerate().collect();
    listed
        .iter()
        .filter(protects)
        .min_by_key(|(at, decision)| {
            let taken = arbiters.is_some_and(|arbiters| arbiters.take(*at));
            let rank = if taken || is_caught(decision) || covers(decision) {
                0
            } else if decision.constant_key {
                2
            } else {
                1
            };
            (rank, decision.lapses.is_some(), *at)
        })
        .map(|(at, _)| *at)
}

fn known_table(
    effect: &Effect,
    schema: Option<&Schema>,
    table: Option<&Table>,
    protected: bool,
) -> Result<Arc<str>, Box<Reason>> {
    let name = effect.target.name();
    let Some(schema) = schema else {
        return Err(Box::new(Reason {
            why: Why::NotGiven,
            needs: Some(InputKind::Schema),
            sentence: format!("no schema was read, so what protects {name} is not known"),
            place: Some(effect.place.clone()),
            next_step: "give the schema (--schema) or the database (--database)".into(),
        }));
    };
    // The same table may be named bare here and with its schema there.
    let qualified =
        table.and_then(|table| Some(format!("{}.{}", table.schema.as_ref()?, table.name)));
    if let Some(unknown) = schema.unknown.iter().find(|unknown| {
        // What could not be read may have made the index that is missing.
        let nameless = || !protected && unknown.table.is_none();
        unknown.table.as_ref().map_or_else(nameless, |known| {
            known.eq_ignore_ascii_case(name)
                || table.is_some_and(|table| known.eq_ignore_ascii_case(&table.name))
                || qualified
                    .as_ref()
                    .is_some_and(|qualified| known.eq_ignore_ascii_case(qualified))
        })
    }) {
        return Err(Box::new(unknown.reason.clone()));
    }
    match table {
        Some(table) if matches!(table.kind, TableKind::View | TableKind::Foreign) => {
            Err(Box::new(Reason {
                why: Why::NotResolved,
                needs: Some(InputKind::Schema),
                sentence: format!(
                    "{name} is no table of its own: what protects the rows behind it is not known"
                ),
                place: Some(table.place.clone()),
                next_step: "let the effect write the table itself".into(),
            }))
        }
        Some(table) => Ok(Arc::clone(&table.name)),
        None => Err(Box::new(Reason {
            why: Why::NotResolved,
            needs: Some(InputKind::Schema),
            sentence: format!("no schema that was read has a table {name}"),
            place: Some(effect.place.clone()),
            next_step: format!("give the schema that defines {name}"),
        })),
    }
}
