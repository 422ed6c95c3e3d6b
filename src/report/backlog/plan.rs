//! The plan of the eligible query, for an operator and for programs.

use std::io::{self, Write};

use crate::model::evidence::Fact;
use crate::model::outbox::Outbox;
use crate::model::plan::{Access, Plan};

use super::super::visible;

/// Writes it as text.
pub(super) fn write_text(plan: &Plan, outbox: &Outbox, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nPlan of the eligible query")?;
    for (what, fact, today) in [
        ("rows to claim", &outbox.selection, &plan.today.selection),
        ("older row of a record", &outbox.lookup, &plan.today.lookup),
    ] {
        let index = match fact {
            Fact::Shown(index, _) => format!("index {}", visible::name(index)),
            Fact::Absent(_) => "no index serves".to_owned(),
            Fact::Unknown(_) => "unknown".to_owned(),
        };
        let today: Vec<String> = today.iter().map(access).collect();
        writeln!(out, "{what:>23}: {index}; today {}", today.join(", "))?;
    }
    if let Some(cost) = &plan.cost {
        writeln!(out, "{:>23}: {cost} in all, in the planner's unit", "cost")?;
    }
    if let Some(rows) = plan.table_rows {
        writeln!(out, "{:>23}: about {rows} rows", "table")?;
    }
    if plan.sorts {
        writeln!(
            out,
            "{:>23}: the rows that wait, once for each look",
            "sorted"
        )?;
    }
    writeln!(out, "{:>23}: {}", "decided", plan.how)
}

fn access(access: &Access) -> String {
    let by = match &access.reads {
        Some(index) => visible::name(index),
        None => "the whole table".to_owned(),
    };
    match access.rows {
        Some(rows) => format!("{by} (about {rows} rows)"),
        None => by,
    }
}
