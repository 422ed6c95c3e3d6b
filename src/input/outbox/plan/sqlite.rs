//! The lines of `EXPLAIN QUERY PLAN` of SQLite.

use std::sync::Arc;

use crate::model::plan::{Access, IndexUse, Reads};

use super::{Role, Seen, reads, role};

/// Reads the lines of a plan. Source: SQLite, "EXPLAIN QUERY PLAN".
pub fn sqlite(lines: &[String]) -> Option<Seen> {
    let mut found = Vec::new();
    let mut sorts = false;
    for line in lines {
        sorts |= line.starts_with("USE TEMP B-TREE FOR") && line.ends_with("ORDER BY");
        if let Some(access) = access(line) {
            found.push(access);
        }
    }
    Some(Seen {
        reads: reads(found)?,
        sorts,
        cost: None,
    })
}

/// Adds an index that serves where it is forced to what a plan can use: `lines` are the plan then.
pub(in crate::input) fn forced(lines: &[String], can: &mut Reads) {
    let Some(seen) = sqlite(lines) else {
        return;
    };
    for (theirs, own) in [
        (&seen.reads.selection, &mut can.selection),
        (&seen.reads.lookup, &mut can.lookup),
    ] {
        // Each arm of an OR has to be served; the least bounded one speaks for all.
        let least = theirs
            .iter()
            .map(|access| access.any.first())
            .min_by_key(|used| used.map_or(0, |used| used.by.as_ref().map_or(0, Vec::len) + 1));
        if let Some(Some(used)) = least {
            own.iter_mut()
                .for_each(|access| access.any.push(used.clone()));
        }
    }
}

fn access(line: &str) -> Option<(Role, Access)> {
    let (searches, rest) = match (line.strip_prefix("SEARCH "), line.strip_prefix("SCAN ")) {
        (Some(rest), _) => (true, rest),
        (_, Some(rest)) => (false, rest),
        _ => return None,
    };
    let (alias, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let role = role(alias)?;
    let named = rest
        .split_once("INDEX ")
        .filter(|(before, _)| !before.contains("AUTOMATIC"));
    let used = named.map(|(_, name)| match name.rsplit_once(" (") {
        Some((name, bounds)) if searches => IndexUse {
            index: name.into(),
            by: Some(columns(bounds.trim_end_matches(')'))),
            skips: bounds.contains("ANY("),
        },
        _ => IndexUse {
            index: name.into(),
            by: Some(Vec::new()),
            skips: false,
        },
    });
    Some((
        role,
        Access {
            reads: used.as_ref().map(|used| Arc::clone(&used.index)),
            any: used.into_iter().collect(),
            rows: None,
        },
    ))
}

/// `state=? AND made<?`: the names.
fn columns(bounds: &str) -> Vec<Arc<str>> {
    bounds
        .split(" AND ")
        .filter(|bound| !bound.starts_with("ANY("))
        .filter_map(|bound| Some(bound.get(..bound.find(['=', '<', '>'])?)?.into()))
        .collect()
}
