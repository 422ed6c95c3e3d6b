//! What the plan of the eligible query shows: which index serves each of its two reads.
//!
//! An index serves the look for events that wait if the rows that it reads are bounded by the
//! backlog: by a bound on the status in front, or because it holds no row that is done. It serves
//! the look for an older event if it is read by the record key.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::backlog::Backlog;
use crate::model::evidence::{Evidence, Fact};
use crate::model::outbox::{OutboxColumn, OutboxStates};
use crate::model::plan::{Access, IndexUse, Plan, Reads};
use crate::model::schema::{Column, KeyPart, Predicate, Schema, SqlLiteral, Table};
use crate::sql::implied::{Implied, RowValue, implied};

/// What is judged, and by what.
pub(super) struct Judging<'a> {
    pub(super) schema: &'a Schema,
    pub(super) table: &'a Table,
    pub(super) columns: &'a BTreeMap<OutboxColumn, Column>,
    pub(super) states: &'a OutboxStates,
}

/// What came out.
pub(super) struct Planned {
    pub(super) lookup: Fact<Arc<str>>,
    pub(super) selection: Fact<Arc<str>>,
    /// An index serves, and the planner reads much more than the backlog all the same.
    pub(super) neglected: Option<Arc<str>>,
}

/// An index of the catalog.
struct Known<'a> {
    parts: &'a [KeyPart],
    predicate: Option<&'a Predicate>,
}

/// Decides by the plan; by the catalog where no engine was asked. A plan that cannot be read leaves
/// open whatever the catalog does not refute.
pub(super) fn planned(
    judging: &Judging<'_>,
    counted: Option<&Backlog>,
    lookup: Fact<Arc<str>>,
    selection: Fact<Arc<str>>,
) -> Planned {
    let (plan, evidence) = match counted.and_then(|counted| counted.plan.as_ref()) {
        None | Some(Fact::Absent(_)) => {
            return Planned {
                lookup,
                selection,
                neglected: None,
            };
        }
        Some(Fact::Unknown(reason)) => {
            let open = |fact| match fact {
                Fact::Absent(evidence) => Fact::Absent(evidence),
                _ => Fact::Unknown(Arc::clone(reason)),
            };
            return Planned {
                lookup: open(lookup),
                selection: open(selection),
                neglected: None,
            };
        }
        Some(Fact::Shown(plan, evidence)) => (plan, evidence),
    };
    let says = |which: &str| {
        Arc::new(Evidence {
            says: format!(
                "EXPLAIN of the eligible query, {}: {which}; {}",
                plan.how,
                of_today(plan)
            )
            .into(),
            ..(**evidence).clone()
        })
    };
    let of = |accesses: &[Access], serves: &dyn Fn(&IndexUse) -> bool, what: &str| {
        let found: Option<Vec<Arc<str>>> = accesses
            .iter()
            .map(|access| {
                Some(Arc::clone(
                    &access.any.iter().find(|used| serves(used))?.index,
                ))
            })
            .collect();
        match found {
            Some(mut names) => {
                names.sort();
                names.dedup();
                let names = names.join(", ");
                let evidence = says(&format!("{what} by {names}"));
                Fact::Shown(names.into(), evidence)
            }
            None => Fact::Absent(says(&format!("{what} by no index"))),
        }
    };
    let by_key = |used: &IndexUse| judging.by_key(used);
    let by_backlog = |used: &IndexUse| judging.by_backlog(used);
    let reads = &plan.probed;
    Planned {
        lookup: of(
            &reads.lookup,
            &by_key,
            "the older event of a record is found",
        ),
        selection: of(&reads.selection, &by_backlog, "events that wait are found"),
        neglected: judging.neglected(plan, counted),
    }
}

/// The plan of today in words.
fn of_today(plan: &Plan) -> String {
    let of = |accesses: &[Access]| {
        let words: Vec<String> = accesses
            .iter()
            .map(|access| {
                let by = match &access.reads {
                    Some(index) => index.to_string(),
                    None => "a scan of the table".to_owned(),
                };
                match access.rows {
                    Some(rows) => format!("{by}, about {rows} rows"),
                    None => by,
                }
            })
            .collect();
        words.join(" and ")
    };
    let cost = plan
        .cost
        .as_ref()
        .map_or_else(String::new, |cost| format!("; cost {cost}"));
    let sorts = if plan.sorts {
        "; what was found is sorted"
    } else {
        ""
    };
    format!(
        "today: candidates by {}, older events by {}{cost}{sorts}",
        of(&plan.today.selection),
        of(&plan.today.lookup)
    )
}

impl Judging<'_> {
    /// The index of that name: of the table, or of one of its parts.
    fn known(&self, name: &str) -> Option<Known<'_>> {
        let own = std::iter::once(self.table);
        own.chain(&self.schema.tables).find_map(|table| {
            let plain = table
                .indexes
                .iter()
                .find(|index| &*index.name == name)
                .map(|index| Known {
                    parts: &index.parts,
                    predicate: index.predicate.as_ref(),
                });
            plain.or_else(|| {
                let key = table.enforcers.iter().find(|key| &*key.name == name)?;
                Some(Known {
                    parts: &key.parts,
                    predicate: key.predicate.as_ref(),
                })
            })
        })
    }

    fn is(&self, part: Option<&KeyPart>, role: OutboxColumn) -> bool {
        let name = part.and_then(|part| part.column.as_deref());
        let column = self.columns.get(&role);
        name.zip(column)
            .is_some_and(|(name, column)| name.eq_ignore_ascii_case(&column.name))
    }

    /// True if the engine bounds what it reads of the index by the column, or says only that it can.
    fn bounds(&self, used: &IndexUse, role: OutboxColumn) -> bool {
        let column = self.columns.get(&role);
        used.by.as_ref().is_none_or(|by| {
            by.iter()
                .any(|name| column.is_some_and(|column| name.eq_ignore_ascii_case(&column.name)))
        })
    }

    fn by_key(&self, used: &IndexUse) -> bool {
        let Some(index) = self.known(&used.index) else {
            return false;
        };
        let first = self.is(index.parts.first(), OutboxColumn::RecordKey);
        let behind = used.skips
            && self.is(index.parts.first(), OutboxColumn::Status)
            && self.is(index.parts.get(1), OutboxColumn::RecordKey);
        (first || behind) && self.bounds(used, OutboxColumn::RecordKey)
    }

    fn by_backlog(&self, used: &IndexUse) -> bool {
        let Some(index) = self.known(&used.index) else {
            return false;
        };
        let by_status = self.is(index.parts.first(), OutboxColumn::Status)
            && self.bounds(used, OutboxColumn::Status);
        by_status
            || index
                .predicate
                .is_some_and(|predicate| self.holds_none_done(predicate))
    }

    /// True if no row that is done or given up is in a partial index.
    fn holds_none_done(&self, predicate: &Predicate) -> bool {
        let Some(status) = self.columns.get(&OutboxColumn::Status) else {
            return false;
        };
        let words = self.states.terminal();
        !words.is_empty()
            && words.iter().all(|word| {
                let row = |column: &str| match column.eq_ignore_ascii_case(&status.name) {
                    true => RowValue::Literal(SqlLiteral::String((*word).into())),
                    false => RowValue::Unknown,
                };
                matches!(implied(&predicate.tree, &row), Implied::No(_))
            })
    }

    /// Indexes serve, and today's plan reads far more rows than wait. Small tables are read as a
    /// whole for good reasons.
    fn neglected(&self, plan: &Plan, counted: Option<&Backlog>) -> Option<Arc<str>> {
        const SMALL: u64 = 10_000;
        let served = |reads: &Reads| {
            let all = |accesses: &[Access], serves: &dyn Fn(&IndexUse) -> bool| {
                accesses.iter().all(|access| access.any.iter().any(serves))
            };
            all(&reads.lookup, &|used| self.by_key(used))
                && all(&reads.selection, &|used| self.by_backlog(used))
        };
        let open = counted?.statuses.shown()?;
        let open: u64 = open.list.iter().map(|row| row.rows).sum();
        let rows = plan.table_rows?;
        let is_far_more = rows > SMALL && rows / 10 > open;
        (is_far_more && served(&plan.probed) && !served(&plan.today))
            .then(|| format!("{open} of about {rows} rows wait, and {}", of_today(plan)).into())
    }
}
