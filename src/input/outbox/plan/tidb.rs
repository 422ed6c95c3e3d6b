//! The rows that EXPLAIN of TiDB prints: one operator each, below each other.
//!
//! Read as its documentation shows them, and tested on recorded rows: not verified on a server.

use crate::model::plan::{Access, IndexUse};

use super::{Role, Seen, reads, role};

/// Reads them: `id`, `estRows`, `task`, `access object`, `operator info`.
///
/// Source: TiDB, "EXPLAIN Overview" and "Explain Statements That Use Indexes".
pub fn tidb(rows: &[Vec<Option<String>>]) -> Option<Seen> {
    let mut found: Vec<(Role, Access)> = Vec::new();
    let mut sorts = false;
    for row in rows {
        if row.len() != 5 {
            return None;
        }
        let value = |at: usize| row.get(at).and_then(Option::as_deref).unwrap_or("");
        let kind = operator(value(0));
        sorts |= matches!(kind, "Sort" | "TopN");
        let object = value(3);
        let Some(role) = part(object, "table:").and_then(role) else {
            continue;
        };
        let index = part(object, "index:").map(|index| {
            let name = index.split('(').next().unwrap_or(index);
            name.trim()
        });
        let used = match kind {
            // The rest of a row whose place an index gave.
            "TableRowIDScan" => continue,
            "IndexRangeScan" | "Point_Get" | "Batch_Point_Get" => Some(index.unwrap_or("PRIMARY")),
            "TableRangeScan" => Some("PRIMARY"),
            // From end to end is no less than the table.
            "TableFullScan" | "IndexFullScan" => None,
            // A kind of read that is not known.
            _ => return None,
        };
        found.push((
            role,
            Access {
                any: used
                    .map(|name| IndexUse {
                        index: name.into(),
                        by: None,
                        skips: false,
                    })
                    .into_iter()
                    .collect(),
                reads: used.map(Into::into),
                rows: expected(value(1)),
            },
        ));
    }
    Some(Seen {
        reads: reads(found)?,
        sorts,
        cost: None,
    })
}

/// The word of an operator, without the lines of the tree, its number and its side.
fn operator(id: &str) -> &str {
    let name = id.trim_start_matches(|sign: char| !sign.is_ascii_alphabetic());
    let name = name.split('(').next().unwrap_or(name);
    name.trim_end_matches(|sign: char| sign.is_ascii_digit())
        .trim_end_matches('_')
}

/// What stands behind a word of the access object, up to the next.
fn part<'o>(object: &'o str, word: &str) -> Option<&'o str> {
    let (_, rest) = object.split_once(word)?;
    let end = [", index:", ", partition:"]
        .iter()
        .filter_map(|next| rest.find(next))
        .min();
    Some(rest.get(..end.unwrap_or(rest.len()))?.trim())
}

fn expected(rows: &str) -> Option<u64> {
    let whole = rows.split('.').next()?;
    whole.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(table: &[[&str; 5]]) -> Vec<Vec<Option<String>>> {
        let row = |row: &[&str; 5]| row.iter().map(|text| Some((*text).to_owned())).collect();
        table.iter().map(row).collect()
    }

    #[test]
    fn indexes_that_are_read_by_a_range_serve() {
        let seen = tidb(&rows(&[
            [
                "TopN_13",
                "1.00",
                "root",
                "",
                "shop.queue.made, shop.queue.id, offset:0, count:1",
            ],
            [
                "└─IndexJoin_20",
                "8.00",
                "root",
                "",
                "anti semi join, inner:IndexLookUp_19, outer key:shop.queue.rkey",
            ],
            ["  ├─IndexLookUp_30(Build)", "10.00", "root", "", ""],
            [
                "  │ ├─IndexRangeScan_28(Build)",
                "10.00",
                "cop[tikv]",
                "table:candidate, index:queue_state(state, made)",
                "range:[\"new\",\"new\"], keep order:false",
            ],
            [
                "  │ └─TableRowIDScan_29(Probe)",
                "10.00",
                "cop[tikv]",
                "table:candidate",
                "keep order:false",
            ],
            ["  └─IndexLookUp_19(Probe)", "1.25", "root", "", ""],
            [
                "    ├─IndexRangeScan_17(Build)",
                "1.25",
                "cop[tikv]",
                "table:older, partition:p0, index:queue_key(rkey, state)",
                "range: decided by [eq(shop.queue.rkey, shop.queue.rkey)], keep order:false",
            ],
            [
                "    └─TableRowIDScan_18(Probe)",
                "1.25",
                "cop[tikv]",
                "table:older, partition:p0",
                "keep order:false",
            ],
        ]))
        .expect("a plan");
        assert!(seen.sorts);
        let of = |list: &[Access]| -> Vec<(String, Option<u64>)> {
            let named = list.iter().map(|access| {
                (
                    access.reads.as_deref().unwrap_or("-").to_owned(),
                    access.rows,
                )
            });
            named.collect()
        };
        assert_eq!(
            of(&seen.reads.selection),
            [("queue_state".to_owned(), Some(10))]
        );
        assert_eq!(of(&seen.reads.lookup), [("queue_key".to_owned(), Some(1))]);
        assert!(seen.reads.lookup.iter().all(|access| access.any.len() == 1));
    }

    #[test]
    fn scans_from_end_to_end_serve_nothing() {
        let seen = tidb(&rows(&[
            ["HashJoin_11", "8000.00", "root", "", "anti semi join"],
            [
                "├─IndexReader_15(Build)",
                "10000.00",
                "root",
                "",
                "index:IndexFullScan_14",
            ],
            [
                "│ └─IndexFullScan_14",
                "10000.00",
                "cop[tikv]",
                "table:older, index:queue_key(rkey, state)",
                "keep order:false, stats:pseudo",
            ],
            [
                "└─TableReader_13(Probe)",
                "10000.00",
                "root",
                "",
                "data:TableFullScan_12",
            ],
            [
                "  └─TableFullScan_12",
                "10000.00",
                "cop[tikv]",
                "table:candidate",
                "keep order:false, stats:pseudo",
            ],
        ]))
        .expect("a plan");
        let mut all = seen.reads.selection.iter().chain(&seen.reads.lookup);
        assert!(all.all(|access| access.any.is_empty() && access.reads.is_none()));
        assert!(!seen.sorts);
    }

    #[test]
    fn what_is_not_recognised_is_no_plan() {
        let scan = ["NewScan_1", "1.00", "root", "table:candidate", ""];
        let other = ["TableFullScan_2", "1.00", "root", "table:older", ""];
        assert_eq!(tidb(&rows(&[scan, other])), None);
        assert_eq!(tidb(&rows(&[other])), None);
        assert_eq!(tidb(&[vec![Some("1".to_owned()); 12]]), None);
    }
}
