//! How a conflict on the protecting key ends.

mod statement;

use std::sync::Arc;

use crate::model::conflict::Otherwise;
use crate::model::effect::{Effect, OnConflict, OnError};
use crate::model::evidence::Fact;
use crate::model::guard::{ConflictEnding, GuardDecision};
use crate::model::schema::{
    ConflictClause, Deferral, Dialect, Enforcer, EnforcerKind, Schema, Table,
};
use crate::model::value::Value;

pub(super) use statement::Arbiters;

use super::guard::needs_predicate_in_target;
use super::inserted::Inserted;
use super::limits::predicate_columns;

/// What the decision looks at.
pub(super) struct ConflictInput<'a> {
    pub(super) effect: &'a Effect,
    pub(super) schema: &'a Schema,
    pub(super) table: &'a Table,
    /// What was decided about every enforcer of the table.
    pub(super) decisions: &'a [GuardDecision],
    /// What the clauses of the statement mean, where it has some.
    pub(super) arbiters: Option<&'a Arbiters>,
    /// Position of the enforcer that protects the create.
    pub(super) at: usize,
    /// That enforcer.
    pub(super) enforcer: &'a Enforcer,
    /// What was decided about it.
    pub(super) decision: &'a GuardDecision,
    /// The value that lands in a column.
    pub(super) row: &'a dyn Fn(&str) -> Inserted,
    /// Names by which records are marked deleted.
    pub(super) soft_delete: &'a [Arc<str>],
    /// True if the table has one of them.
    pub(super) soft_deletes: bool,
}

/// How it ends.
pub(super) fn ending(input: &ConflictInput<'_>) -> ConflictEnding {
    if input.enforcer.deferral == Deferral::Deferred && !looks_first(input) {
        return ConflictEnding::Error(
            format!(
                "{} is checked at the commit, after every handler of the conflict",
                input.enforcer.name
            )
            .into(),
        );
    }
    // The DDL of the constraint deletes the row in the way before any violation is raised.
    let replaces = input.enforcer.on_conflict == Some(ConflictClause::Replace)
        && matches!(
            input.effect.on_conflict,
            OnConflict::Caught { .. } | OnConflict::FindFirst { .. }
        );
    if replaces {
        return plain(input);
    }
    match &input.effect.on_conflict {
        OnConflict::Error => plain(input),
        OnConflict::Statement(said) => match input.arbiters {
            Some(arbiters) => statement::ending(input, said, arbiters),
            None => plain(input),
        },
        OnConflict::Caught { constraint, .. } => caught(input, constraint.as_deref()),
        OnConflict::DoNothing(columns) => do_nothing(input, columns),
        OnConflict::Update(columns) => update(input, columns),
        OnConflict::Replace => ConflictEnding::Destroys(
            "the row in the way is deleted and a new one inserted: ids change, children cascade"
                .into(),
        ),
        OnConflict::FindFirst {
            fields,
            retries,
            sees_deleted,
            ..
        } => find_first(input, fields, *retries, *sees_deleted),
        OnConflict::Unknown(reason) => ConflictEnding::Unknown(reason.clone()),
    }
}

/// True of what TiDB reads the keys for at once, however lazily it checks a plain insert.
///
/// Source: TiDB, `insert_common.go`: the keys are presumed free only where nothing handles a
/// conflict.
fn looks_first(input: &ConflictInput<'_>) -> bool {
    let handles = match &input.effect.on_conflict {
        OnConflict::DoNothing(_) | OnConflict::Update(_) | OnConflict::Replace => true,
        OnConflict::Statement(said) => {
            !said.arms.is_empty()
                || matches!(said.otherwise, Otherwise::LeavesOut | Otherwise::Replaces)
        }
        _ => false,
    };
    handles && input.schema.dialect == Some(Dialect::Tidb)
}

/// A plain insert: what the DDL of the constraint itself says, else an error.
fn plain(input: &ConflictInput<'_>) -> ConflictEnding {
    match input.enforcer.on_conflict {
        Some(ConflictClause::Ignore) => ConflictEnding::NoOp(
            format!("{} itself says ON CONFLICT IGNORE", input.enforcer.name).into(),
        ),
        Some(ConflictClause::Replace) => ConflictEnding::Destroys(
            format!("{} itself says ON CONFLICT REPLACE", input.enforcer.name).into(),
        ),
        _ => ConflictEnding::Error(error_sentence(input.effect)),
    }
}

fn error_sentence(effect: &Effect) -> Arc<str> {
    match effect.on_error {
        OnError::Swallowed => "the insert fails on every further delivery; the error is swallowed, the event is marked processed and the rest of the run is lost".into(),
        OnError::Retried => "the insert fails on every further delivery, until the event ends as failed".into(),
        OnError::Unknown => "the insert fails on every further delivery".into(),
    }
}

fn caught(input: &ConflictInput<'_>, constraint: Option<&str>) -> ConflictEnding {
    match constraint {
        Some(name) if name.eq_ignore_ascii_case(&input.enforcer.name) => {
            ConflictEnding::NoOp(format!("a violation of {name} is taken for already done").into())
        }
        Some(name) => ConflictEnding::Error(
            format!(
                "violations of {name} are handled, not those of {}: {}",
                input.enforcer.name,
                error_sentence(input.effect)
            )
            .into(),
        ),
        None => ConflictEnding::NoOp(
            format!(
                "a violation of {} is taken for already done",
                input.enforcer.name
            )
            .into(),
        ),
    }
}

fn do_nothing(input: &ConflictInput<'_>, columns: &[Arc<str>]) -> ConflictEnding {
    if input.enforcer.deferral != Deferral::Immediate && !looks_first(input) {
        return ConflictEnding::Error(
            format!(
                "{} is deferrable, which ON CONFLICT refuses",
                input.enforcer.name
            )
            .into(),
        );
    }
    let deferrable = input
        .table
        .enforcers
        .iter()
        .find(|enforcer| enforcer.deferral != Deferral::Immediate);
    if columns.is_empty()
        && input.schema.dialect == Some(Dialect::Postgres)
        && let Some(enforcer) = deferrable
    {
        return ConflictEnding::Error(
            format!(
                "{} is deferrable, and ON CONFLICT without a target looks at every key: it fails on every delivery",
                enforcer.name
            )
            .into(),
        );
    }
    // MySQL's statements name no key: what does nothing does so on any of them.
    let names_none = matches!(
        input.schema.dialect,
        Some(Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb)
    );
    if columns.is_empty() || names_none {
        return ConflictEnding::NoOp("on any conflict nothing is written".into());
    }
    if let Some(error) = target_error(input, columns) {
        return error;
    }
    ConflictEnding::NoOp(
        format!(
            "on a conflict of ({}) nothing is written",
            columns.join(", ")
        )
        .into(),
    )
}

fn update(input: &ConflictInput<'_>, columns: &[Arc<str>]) -> ConflictEnding {
    if input.enforcer.deferral != Deferral::Immediate && !looks_first(input) {
        let name = &input.enforcer.name;
        let sentence = format!("{name} is deferrable, which ON CONFLICT refuses");
        return ConflictEnding::Error(sentence.into());
    }
    if input.enforcer.kind == EnforcerKind::Exclusion {
        return no_target(input);
    }
    if !columns.is_empty()
        && let Some(error) = target_error(input, columns)
    {
        return error;
    }
    ConflictEnding::Overwrites("the row in the way is written over".into())
}

/// An exclusion constraint in the place of a conflict target.
fn no_target(input: &ConflictInput<'_>) -> ConflictEnding {
    let name = &input.enforcer.name;
    ConflictEnding::Error(
        format!("{name} is an exclusion constraint, which is no conflict target: the statement fails on every delivery, the first included").into(),
    )
}

/// Why a conflict target of these columns does not mean the protecting enforcer.
fn target_error(input: &ConflictInput<'_>, columns: &[Arc<str>]) -> Option<ConflictEnding> {
    if input.enforcer.kind == EnforcerKind::Exclusion {
        return Some(no_target(input));
    }
    if !same_columns(columns, &input.decision.columns) {
        return Some(ConflictEnding::Error(
            format!(
                "the statement handles conflicts of ({}), not of {} {}: {}",
                columns.join(", "),
                input.enforcer.name,
                input.decision.key,
                error_sentence(input.effect)
            )
            .into(),
        ));
    }
    if let Fact::Shown(false, _) = input.enforcer.trusted {
        return Some(ConflictEnding::Error(
            format!(
                "{} is not valid: a conflict target cannot name it, and every delivery fails, the first included",
                input.enforcer.name
            )
            .into(),
        ));
    }
    needs_predicate_in_target(input.schema.dialect, input.enforcer).then(|| {
        ConflictEnding::Error(
            format!(
                "{} is partial: a conflict target without its predicate fails on every delivery, the first included",
                input.enforcer.name
            )
            .into(),
        )
    })
}

fn find_first(
    input: &ConflictInput<'_>,
    fields: &[Arc<str>],
    retries: bool,
    sees_deleted: bool,
) -> ConflictEnding {
    let key = &input.decision.columns;
    let lookup = fields.join(", ");
    if let Some(field) = fields
        .iter()
        .find(|field| !stable(&(input.row)(field).value))
    {
        return ConflictEnding::Error(
            format!(
                "the lookup by ({lookup}) does not find the row again: `{field}` differs each time"
            )
            .into(),
        );
    }
    let rewritten = fields
        .iter()
        .chain(key.iter())
        .find_map(|field| Some((field, (input.row)(field).rewritten_by?)));
    if let Some((field, flow)) = rewritten {
        return ConflictEnding::Error(
            format!("flow {flow} changes `{field}` between the lookup and the insert, so the lookup does not find what was inserted").into(),
        );
    }
    if !key.iter().all(|column| {
        fields
            .iter()
            .any(|field| field.eq_ignore_ascii_case(column))
    }) {
        return ConflictEnding::Error(
            format!(
                "the lookup is by ({lookup}) and the key is {}: a concurrent delivery violates a key that is not the one looked up",
                input.decision.key
            )
            .into(),
        );
    }
    let beyond = fields
        .iter()
        .find(|field| !key.iter().any(|column| column.eq_ignore_ascii_case(field)));
    if let Some(field) = beyond {
        return ConflictEnding::Error(
            format!(
                "the lookup by ({lookup}) asks for more than the key {}: once `{field}` of the row is changed, the lookup misses it and the insert violates the key each time",
                input.decision.key
            )
            .into(),
        );
    }
    if !retries {
        return ConflictEnding::Error(
            "beside another delivery both look up before either inserts, and the violation is not handled".into(),
        );
    }
    // Without a platform that says how rows are marked deleted, a lookup that skips them says that
    // they are.
    let declared = input.soft_delete.is_empty() && input.enforcer.predicate.is_none();
    if (input.soft_deletes || declared) && !sees_deleted && !excludes_deleted(input) {
        return ConflictEnding::Error(
            format!("the lookup skips soft-deleted rows and {} counts them: once the row is deleted they collide for ever", input.enforcer.name).into(),
        );
    }
    ConflictEnding::NoOp(
        format!(
            "it finds first by ({lookup}), behind which stands {} {}, and takes the existing row on a violation",
            input.enforcer.name, input.decision.key
        )
        .into(),
    )
}

/// True if the index, like the lookup, leaves deleted rows out.
fn excludes_deleted(input: &ConflictInput<'_>) -> bool {
    input.enforcer.predicate.as_ref().is_some_and(|predicate| {
        predicate_columns(&predicate.tree).iter().any(|column| {
            input
                .soft_delete
                .iter()
                .any(|name| name.eq_ignore_ascii_case(column))
        })
    })
}

fn stable(value: &Value) -> bool {
    value.unstable().next().is_none()
}

fn same_columns(left: &[Arc<str>], right: &[Arc<str>]) -> bool {
    let lower = |list: &[Arc<str>]| {
        let mut names: Vec<String> = list.iter().map(|name| name.to_ascii_lowercase()).collect();
        names.sort();
        names.dedup();
        names
    };
    lower(left) == lower(right)
}
