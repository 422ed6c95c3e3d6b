//! What would let a key that is there, and is refused, protect a create after all.
//!
//! A key that the table has says which rows may stand side by side. A new one over some of its
//! columns would refuse rows that it lets in, and with them effects of other events.

use std::sync::Arc;

use crate::model::guard::{GuardDecision, GuardRule, KeyMend, MendStep, Protection};
use crate::model::name::quoted;
use crate::model::schema::{Column, Dialect, Enforcer, KeyPart, Table};
use crate::model::value::{Nullness, Value, ValueSource};
use crate::sql::implied::{Implied, implied};
use crate::sql::nullness::can_be_null;

use super::guard::{computed, part_columns, row_value};
use super::inserted::Inserted;
use super::proposal::index_name;

/// What mends look at.
pub(super) struct MendInput<'a> {
    pub(super) table: &'a Table,
    pub(super) dialect: Option<Dialect>,
    /// One for each enforcer of the table, in its order.
    pub(super) decisions: &'a [GuardDecision],
    /// The declared business key; empty if none is.
    pub(super) natural: &'a [Arc<str>],
    /// The value that lands in a column.
    pub(super) row: &'a dyn Fn(&str) -> Inserted,
}

/// Every mend of every refused key, best first.
pub(super) fn mends(input: &MendInput<'_>) -> Vec<KeyMend> {
    let keys = input.table.enforcers.iter().zip(input.decisions);
    keys.enumerate()
        .filter(|(_, (enforcer, decision))| {
            is_refused_for_its_values(decision) && is_natural(input, enforcer)
        })
        .flat_map(|(at, (enforcer, _))| of_key(input, at, enforcer))
        .collect()
}

fn is_refused_for_its_values(decision: &GuardDecision) -> bool {
    let rule = match &decision.protection {
        Protection::Fails(rule, _) => rule,
        _ => return false,
    };
    matches!(rule, GuardRule::DeterministicKey | GuardRule::NoNullInKey)
}

/// True if it is the key that is declared to name a row, or if none is declared.
fn is_natural(input: &MendInput<'_>, enforcer: &Enforcer) -> bool {
    let fields = input.natural;
    let named = |part: &KeyPart| {
        let column = part.column.as_deref();
        column.is_some_and(|column| fields.iter().any(|it| it.eq_ignore_ascii_case(column)))
    };
    fields.is_empty() || (enforcer.parts.len() == fields.len() && enforcer.parts.iter().all(named))
}

fn of_key(input: &MendInput<'_>, at: usize, enforcer: &Enforcer) -> Vec<KeyMend> {
    let of_row = |column: &str| row_value(&(input.row)(column).value);
    let holds = enforcer
        .predicate
        .as_ref()
        .is_none_or(|it| matches!(implied(&it.tree, &of_row), Implied::Yes));
    let Some(found) = faults(input, enforcer).filter(|_| holds) else {
        return Vec::new();
    };
    let mend = |steps| KeyMend {
        table: Arc::clone(&input.table.name),
        at,
        steps,
    };
    let mut strict = found.from_event.clone();
    strict.extend(found.nullable.iter().map(|it| not_null(input, it)));
    let mut all = vec![mend(strict)];
    // NULLs that count as equal let one row in for all events that leave the part out, so
    // something else of the key has to tell events apart.
    let counts_nulls = input.dialect == Some(Dialect::Postgres) && found.varies;
    if let (true, [first, ..]) = (counts_nulls, found.nullable.as_slice()) {
        let mut steps = found.from_event;
        steps.push(count_nulls(input.table, enforcer, &first.name));
        all.push(mend(steps));
    }
    all
}

/// What keeps a key from protecting.
struct Faults<'a> {
    from_event: Vec<MendStep>,
    /// Columns that may hold NULL in the row.
    nullable: Vec<&'a Column>,
    /// True if a part that is never NULL differs between events.
    varies: bool,
}

/// None if it is refused for something that cannot be mended so.
fn faults<'a>(input: &MendInput<'a>, enforcer: &Enforcer) -> Option<Faults<'a>> {
    let mut found = Faults {
        from_event: Vec::new(),
        nullable: Vec::new(),
        varies: false,
    };
    let mut stays = false;
    for part in &enforcer.parts {
        let may_be_null = part.nullable && !enforcer.nulls_not_distinct;
        if let Some(text) = computed(input.table, part)
            && may_be_null
            && can_be_null(text, input.dialect?, &|_| false)
        {
            return None;
        }
        for name in part_columns(input.dialect, input.table, part)? {
            let column = input.table.column(&name)?;
            let value = (input.row)(&name).value;
            let from_event = MendStep::FromEvent {
                column: Arc::clone(&column.name),
                instead_of: Arc::clone(&value.text),
            };
            if moves(&value)? {
                // Nobody assigns a number that the engine draws, or a generated column.
                if column.auto_number || column.generated.is_some() {
                    return None;
                }
                found.from_event.push(from_event);
                continue;
            }
            stays |= value.varies_by_event();
            match value.null {
                _ if !may_be_null => found.varies |= value.varies_by_event(),
                Nullness::Never => found.varies |= value.varies_by_event(),
                Nullness::Always => found.from_event.push(from_event),
                Nullness::Maybe => found.nullable.push(column),
                Nullness::Unknown => return None,
            }
        }
    }
    // A key of which the event gives nothing tells no events apart.
    (stays && !(found.from_event.is_empty() && found.nullable.is_empty())).then_some(found)
}

/// Whether a value differs between deliveries; none if that is not known.
fn moves(value: &Value) -> Option<bool> {
    let known = value
        .unstable()
        .any(|draw| draw.source != ValueSource::Unknown);
    (known || value.is_stable()).then_some(known)
}

fn not_null(input: &MendInput<'_>, column: &Column) -> MendStep {
    let (table, name) = (
        quoted(&input.table.name, input.dialect),
        quoted(&column.name, input.dialect),
    );
    let ddl = match input.dialect {
        Some(Dialect::Postgres) => Some(format!(
            "ALTER TABLE {table} ALTER COLUMN {name} SET NOT NULL;"
        )),
        // MODIFY drops what it does not repeat.
        Some(Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb)
            if column.default.is_none() && column.on_update.is_none() =>
        {
            let collation = column.collation.as_ref();
            let collation = collation.map_or_else(String::new, |it| format!(" COLLATE {it}"));
            Some(format!(
                "ALTER TABLE {table} MODIFY COLUMN {name} {}{collation} NOT NULL;",
                column.data_type
            ))
        }
        _ => None,
    };
    let how = match input.dialect {
        Some(Dialect::Sqlite) => " (SQLite rebuilds the table for it)",
        _ => "",
    };
    MendStep::Schema {
        what: Arc::clone(&column.name),
        title: format!(
            "make `{}` of {} NOT NULL{how}: an event without it is then refused, and makes no second row",
            column.name, input.table.name
        ),
        ddl,
    }
}

fn count_nulls(table: &Table, enforcer: &Enforcer, column: &str) -> MendStep {
    let postgres = Some(Dialect::Postgres);
    let parts: Vec<String> = enforcer
        .parts
        .iter()
        .map(|part| match (&part.column, &part.expression) {
            (Some(column), _) => quoted(column, postgres),
            (None, Some(text)) => format!("({text})"),
            (None, None) => part.to_text(),
        })
        .collect();
    let named: Vec<Arc<str>> = enforcer
        .parts
        .iter()
        .filter_map(|part| part.column.clone())
        .collect();
    let predicate = enforcer.predicate.as_ref();
    let predicate = predicate.map_or_else(String::new, |it| format!(" WHERE {}", it.text));
    MendStep::Schema {
        what: Arc::clone(&enforcer.name),
        title: format!(
            "let {} {} of {} count NULLs as equal (NULLS NOT DISTINCT, PostgreSQL 15 and later); it then lets one row in for all events that leave `{column}` out and agree in the rest: confirm that this is meant",
            enforcer.name,
            enforcer.key_text(),
            table.name
        ),
        ddl: Some(format!(
            "CREATE UNIQUE INDEX {} ON {} ({}) NULLS NOT DISTINCT{predicate};",
            index_name(&table.name, &named),
            quoted(&table.name, postgres),
            parts.join(", ")
        )),
    }
}
