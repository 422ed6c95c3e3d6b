//! The table that EXPLAIN of MySQL and MariaDB prints.

use std::sync::Arc;

use crate::model::plan::{Access, IndexUse};

use super::{Role, Seen, reads, role};

/// The rows of EXPLAIN, each as its values in order. Gives what the plan can use, and what it uses.
///
/// Sources: MySQL, "EXPLAIN Output Format"; MariaDB, "EXPLAIN": the same columns, without
/// `partitions` and `filtered`.
pub fn mysql(rows: &[Vec<Option<String>>]) -> Option<(Seen, Seen)> {
    let mut can: Vec<(Role, Access)> = Vec::new();
    let mut does = Vec::new();
    let mut sorts = false;
    for row in rows {
        let (kind, rest) = match row.len() {
            10 => (3, 4),
            12 => (4, 5),
            _ => return None,
        };
        let value = |at: usize| row.get(at).and_then(Option::as_deref);
        sorts |= value(row.len() - 1).is_some_and(|extra| extra.contains("Using filesort"));
        let Some(role) = value(2).and_then(role) else {
            continue;
        };
        let names = |at: usize| -> Vec<IndexUse> {
            let list = value(at).unwrap_or("");
            let names = list.split(',').filter(|name| !name.is_empty());
            names
                .map(|name| IndexUse {
                    index: name.into(),
                    by: None,
                    skips: false,
                })
                .collect()
        };
        let expected = value(rest + 4).and_then(|rows| rows.parse().ok());
        // `index` reads an index from end to end, which is no less than the table.
        let used = match value(kind) {
            None | Some("ALL" | "index") => Vec::new(),
            Some(_) => names(rest + 1),
        };
        let reads: Option<Arc<str>> = used.first().map(|used| Arc::clone(&used.index));
        let access = |any| Access {
            any,
            reads: reads.clone(),
            rows: expected,
        };
        can.push((role, access(names(rest))));
        does.push((role, access(used)));
    }
    let seen = |accesses| {
        Some(Seen {
            reads: reads(accesses)?,
            sorts,
            cost: None,
        })
    };
    Some((seen(can)?, seen(does)?))
}
