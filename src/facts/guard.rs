//! Whether one uniqueness enforcer protects one create: the rules in order, the first failure named.

use std::sync::Arc;

use crate::model::evidence::{Fact, ObservedBy, Reason, Why};
use crate::model::guard::{GuardDecision, GuardRule, Protection};
use crate::model::routine::Routine;
use crate::model::schema::{Dialect, Enforcer, KeyPart, SqlLiteral, Table, TableKind};
use crate::model::value::{Literal, Nullness, Value, ValueSource};
use crate::sql::columns;
use crate::sql::implied::{Implied, RowValue, implied};
use crate::sql::nullness::{can_be_null, is_null};

use super::arbiter::conflict_target;
use super::functions;
use super::inserted::Inserted;
use super::limits::{coarse, constant_key, lapses, predicate_columns};
use super::rewritten::{Later, Rewritten};
use super::tables::EnforcerNotes;

/// What a decision looks at.
pub(super) struct GuardInput<'a> {
    /// The engine, where the schema shows it.
    pub(super) dialect: Option<Dialect>,
    pub(super) table: &'a Table,
    /// A function of the user whose body was read.
    pub(super) routine: &'a dyn Fn(&str) -> Option<&'a Routine>,
    /// The value that lands in a column.
    pub(super) row: &'a dyn Fn(&str) -> Inserted,
    /// Names by which records are marked deleted.
    pub(super) soft_delete: &'a [Arc<str>],
    /// What is written to the row again after it was created.
    pub(super) rewritten: &'a dyn Fn(&str, Later) -> Option<Rewritten>,
    /// Fields the create looks up by.
    pub(super) lookup: &'a [Arc<str>],
}

/// Decides about one enforcer.
pub(super) fn decide(
    input: &GuardInput<'_>,
    enforcer: &Enforcer,
    known: &EnforcerNotes,
) -> GuardDecision {
    let protection = enforced_where_written(input, enforcer)
        .or_else(|| deterministic(input, enforcer))
        .or_else(|| no_null(input, enforcer))
        .or_else(|| predicate_holds(input, enforcer))
        .or_else(|| outlives(input, enforcer))
        .or_else(|| functions::set_by_trigger(input, enforcer))
        .unwrap_or(Protection::Protects);
    GuardDecision {
        enforcer: Arc::clone(&enforcer.name),
        key: Arc::clone(&known.key),
        columns: Arc::clone(&known.columns),
        protection,
        lapses: lapses(input, enforcer),
        coarse: coarse(input, enforcer),
        constant_key: constant_key(input, enforcer),
        target: conflict_target(input.dialect, input.table, enforcer),
        live: known.live.clone(),
        rests_on: functions::unread(input, enforcer),
        beside: known.beside.clone(),
        evidence: Arc::clone(&enforcer.evidence),
    }
}

/// Rule 1: it is enforced where the row lands.
fn enforced_where_written(input: &GuardInput<'_>, enforcer: &Enforcer) -> Option<Protection> {
    let rule = GuardRule::EnforcedWhereWritten;
    match input.table.kind {
        TableKind::Table | TableKind::Partitioned => {}
        TableKind::View | TableKind::Foreign => {
            let what = format!("{} is no table of its own", input.table.name);
            return Some(unknown(rule, what, enforcer));
        }
    }
    match &enforcer.enforced {
        Fact::Shown(false, evidence) if matches!(evidence.by, ObservedBy::Query { .. }) => {
            Some(Protection::Fails(rule, Arc::clone(&evidence.says)))
        }
        Fact::Shown(false, _) => Some(Protection::Fails(
            rule,
            "the catalog shows that it is not enforced".into(),
        )),
        Fact::Absent(_) => Some(Protection::Fails(
            rule,
            "the live database does not have it".into(),
        )),
        Fact::Shown(true, _) | Fact::Unknown(_) => None,
    }
}

/// Rule 2: every part has the same value on every delivery.
fn deterministic(input: &GuardInput<'_>, enforcer: &Enforcer) -> Option<Protection> {
    let rule = GuardRule::DeterministicKey;
    if let Some(trigger) = input
        .table
        .triggers
        .iter()
        .find(|trigger| trigger.before && trigger.on_insert)
    {
        let what = format!(
            "trigger {} runs before the insert and may rewrite the key",
            trigger.name
        );
        return Some(unknown(rule, what, enforcer));
    }
    if let Some(part) = enforcer.parts.iter().find(|part| !meets_itself(part)) {
        let what = format!(
            "whether a row conflicts with one equal to it by `{}`",
            part.to_text()
        );
        return Some(unknown(GuardRule::EqualityFits, what, enforcer));
    }
    if let Some(why) = functions::moving(input, enforcer) {
        return Some(Protection::Fails(rule, why));
    }
    let mut open = None;
    for part in &enforcer.parts {
        match part_columns(input.dialect, input.table, part) {
            Some(columns) => {
                for column in columns {
                    let inserted = (input.row)(&column);
                    if draws_a_number(input, &column) && inserted.value.null != Nullness::Never {
                        let why = format!(
                            "`{column}` may be NULL (`{}`), and for NULL the engine draws a number",
                            inserted.value.text
                        );
                        return Some(Protection::Fails(rule, why.into()));
                    }
                    match unstable(&column, &inserted.value) {
                        Stability::Stable => {}
                        Stability::Unstable(why) => return Some(Protection::Fails(rule, why)),
                        Stability::Unknown(why) => open = open.or(Some(why)),
                    }
                }
            }
            None => {
                open = open.or_else(|| Some(format!("`{}` was not understood", part.to_text())));
            }
        }
    }
    open.map(|what| unknown(rule, what, enforcer))
}

/// False of an exclusion by an operator that need not hold between equal values: `room WITH <>`
/// lets the same row in twice. Equality and overlap hold, an empty range apart.
fn meets_itself(part: &KeyPart) -> bool {
    let operator = part
        .expression
        .as_deref()
        .and_then(|text| text.rsplit_once(" WITH "));
    operator.is_none_or(|(_, operator)| matches!(operator.trim(), "=" | "&&"))
}

/// True of columns for which an explicit NULL means the next number (SQLite's rowid alias, MySQL's
/// AUTO_INCREMENT). PostgreSQL refuses it.
fn draws_a_number(input: &GuardInput<'_>, column: &str) -> bool {
    input.dialect != Some(Dialect::Postgres)
        && input
            .table
            .column(column)
            .is_some_and(|column| column.auto_number)
}

enum Stability {
    Stable,
    Unstable(Arc<str>),
    Unknown(String),
}

fn unstable(column: &str, value: &Value) -> Stability {
    let mut unknown = None;
    for draw in value.unstable() {
        let what = match &draw.note {
            Some(note) if draw.source == ValueSource::Unknown => format!("{} ({note})", draw.what),
            _ => draw.what.to_string(),
        };
        if draw.source == ValueSource::Unknown {
            unknown = unknown.or_else(|| {
                Some(format!(
                    "whether `{column}` is the same each time is not known: {what}"
                ))
            });
            continue;
        }
        let how = match draw.source {
            ValueSource::Clock => "the clock gives it anew each time",
            ValueSource::Random => "it is drawn at random each time",
            ValueSource::Sequence => "it is drawn anew each time",
            ValueSource::StepResult => "it comes from a row that is made anew each time",
            ValueSource::LiveState => "it is read from live state",
            _ => "it can differ between deliveries",
        };
        return Stability::Unstable(format!("`{column}` is {what}: {how}").into());
    }
    match unknown {
        Some(what) => Stability::Unknown(what),
        None => Stability::Stable,
    }
}

/// What a key part is computed with: its own expression, or that of its generated column.
pub(super) fn computed<'t>(table: &'t Table, part: &'t KeyPart) -> Option<&'t str> {
    let generated = part.column.as_deref().and_then(|name| table.column(name));
    let generated = generated.and_then(|column| column.generated.as_deref());
    part.expression.as_deref().or(generated)
}

/// Columns that a key part depends on. Every engine asks expressions of an index to be immutable,
/// so an expression is as stable as the columns it names. One that names the whole row names none.
pub(super) fn part_columns(
    dialect: Option<Dialect>,
    table: &Table,
    part: &KeyPart,
) -> Option<Vec<Arc<str>>> {
    if let (Some(column), None) = (&part.column, computed(table, part)) {
        return Some(vec![Arc::clone(column)]);
    }
    let expression = computed(table, part)?;
    let dialect = dialect.unwrap_or(Dialect::Mysql);
    let named = columns::named(expression, dialect, &|name| table.column(name).is_some())?;
    if named
        .iter()
        .any(|name| name.eq_ignore_ascii_case(&table.name) && table.column(name).is_none())
    {
        return None;
    }
    let named: Vec<Arc<str>> = named
        .iter()
        .filter_map(|name| table.column(name))
        .map(|column| Arc::clone(&column.name))
        .collect();
    (!named.is_empty()).then_some(named)
}

/// Rule 3: no part is NULL, or NULLs count as equal.
fn no_null(input: &GuardInput<'_>, enforcer: &Enforcer) -> Option<Protection> {
    if enforcer.nulls_not_distinct {
        return None;
    }
    let rule = GuardRule::NoNullInKey;
    let mut open = None;
    for part in enforcer.parts.iter().filter(|part| part.nullable) {
        if let Some(text) = computed(input.table, part) {
            // Filled columns are not enough: `nullif(a, '')`, a JSON path or a CASE makes a NULL of
            // values that are none.
            let dialect = input.dialect.unwrap_or(Dialect::Postgres);
            let nullness = |column: &str| (input.row)(column).value.null;
            let null =
                |column: &str| matches!(nullness(column), Nullness::Always | Nullness::Maybe);
            if is_null(text, dialect, &null) {
                let why = format!("`{text}` is NULL where its column is, and NULLs never collide");
                return Some(Protection::Fails(rule, why.into()));
            }
            if can_be_null(text, dialect, &|column| nullness(column) != Nullness::Never) {
                open = open.or_else(|| Some(format!("whether `{}` can be NULL", part.to_text())));
            }
            continue;
        }
        let Some(column) = &part.column else {
            continue;
        };
        let inserted = (input.row)(column);
        match inserted.value.null {
            Nullness::Never => {}
            Nullness::Always => {
                return Some(Protection::Fails(
                    rule,
                    format!("`{column}` is NULL in every row it inserts, and NULLs never collide")
                        .into(),
                ));
            }
            Nullness::Maybe => {
                return Some(Protection::Fails(
                    rule,
                    format!(
                        "`{column}` may be NULL (`{}` is not required), and NULLs never collide",
                        inserted.value.text
                    )
                    .into(),
                ));
            }
            Nullness::Unknown => {
                open = open.or_else(|| {
                    Some(format!(
                        "whether `{column}` can be NULL is not known (`{}`)",
                        inserted.value.text
                    ))
                });
            }
        }
    }
    open.map(|what| unknown(rule, what, enforcer))
}

/// Rule 4: the predicate is true of the row inserted.
fn predicate_holds(input: &GuardInput<'_>, enforcer: &Enforcer) -> Option<Protection> {
    let predicate = enforcer.predicate.as_ref()?;
    let rule = GuardRule::PredicateHolds;
    let row = |column: &str| row_value(&(input.row)(column).value);
    match implied(&predicate.tree, &row) {
        Implied::Yes => None,
        Implied::No(column) => Some(Protection::Fails(
            rule,
            format!(
                "its predicate `{}` is not true of the row inserted (`{column}`)",
                predicate.text
            )
            .into(),
        )),
        Implied::Unknown(column) => {
            let what = format!(
                "whether its predicate `{}` is true of the row inserted is not known (`{column}`)",
                predicate.text
            );
            Some(unknown(rule, what, enforcer))
        }
    }
}

pub(super) fn row_value(value: &Value) -> RowValue {
    match &value.constant {
        Some(Literal::Null) => RowValue::Null,
        Some(Literal::Bool(value)) => RowValue::Literal(SqlLiteral::Bool(*value)),
        Some(Literal::Number(text)) => RowValue::Literal(SqlLiteral::Number(Arc::clone(text))),
        Some(Literal::String(text)) => RowValue::Literal(SqlLiteral::String(Arc::clone(text))),
        Some(Literal::Json) => RowValue::NotNull,
        None => match value.null {
            Nullness::Never => RowValue::NotNull,
            Nullness::Always => RowValue::Null,
            Nullness::Maybe | Nullness::Unknown => RowValue::Unknown,
        },
    }
}

/// Rule 5: the path itself does not move the row away from its key or out of the predicate.
fn outlives(input: &GuardInput<'_>, enforcer: &Enforcer) -> Option<Protection> {
    let mut key: Vec<Arc<str>> = enforcer
        .parts
        .iter()
        .filter_map(|part| part_columns(input.dialect, input.table, part))
        .flatten()
        .collect();
    key.extend(input.lookup.iter().cloned());
    let predicate = enforcer
        .predicate
        .as_ref()
        .map_or_else(Vec::new, |predicate| predicate_columns(&predicate.tree));
    let of_key = key.iter().map(|field| (field, Later::Any));
    let of_predicate = predicate.iter().map(|field| (field, Later::Following));
    let (moved, field) = of_key
        .chain(of_predicate)
        .filter_map(|(field, later)| Some(((input.rewritten)(field, later)?, field)))
        .min_by_key(|(moved, _)| moved.at)?;
    Some(Protection::Fails(
        GuardRule::OutlivesHorizon,
        format!(
            "flow `{}` writes `{}` again, and the key no longer finds the row",
            moved.flow, field
        )
        .into(),
    ))
}

/// True if a statement on this engine names a partial or deferrable key in vain.
pub(super) fn needs_predicate_in_target(dialect: Option<Dialect>, enforcer: &Enforcer) -> bool {
    enforcer.predicate.is_some() && matches!(dialect, Some(Dialect::Postgres | Dialect::Sqlite))
}

fn unknown(rule: GuardRule, what: String, enforcer: &Enforcer) -> Protection {
    Protection::Unknown(
        rule,
        Box::new(Reason {
            why: Why::NotDecidable,
            needs: None,
            sentence: format!(
                "whether {} {} protects is not known: {what}",
                enforcer.name,
                enforcer.key_text()
            ),
            place: Some(enforcer.evidence.place.clone()),
            next_step: "make the key of constants and snapshot values that are never NULL".into(),
        }),
    )
}
