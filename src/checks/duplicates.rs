//! What the database says of a proposed key stands beside the change.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::check::{Change, Obligation, Outcome};
use crate::model::duplicates::Duplicates;
use crate::model::evidence::Reason;

/// Tells it in every finding that proposes such a key.
pub fn tell_duplicates(
    obligations: &mut [Obligation],
    told: &BTreeMap<String, Result<Duplicates, Arc<Reason>>>,
) {
    if told.is_empty() {
        return;
    }
    for obligation in obligations {
        let Outcome::NotMet(finding) = &mut obligation.outcome else {
            continue;
        };
        for change in finding.repairs.iter_mut().flatten() {
            if let Some(told) = told.get(&change.key) {
                tell(change, told);
            }
        }
    }
}

fn tell(change: &mut Change, told: &Result<Duplicates, Arc<Reason>>) {
    let rows = |rows: u64| match rows {
        1 => "1 row".to_owned(),
        rows => format!("{rows} rows"),
    };
    let words = match told {
        Err(reason) => format!(
            "; whether rows share it today is not known: {}",
            reason.sentence
        ),
        Ok(counted) => {
            let shared = match counted.groups {
                0 => "; no rows share it today".to_owned(),
                groups => format!(
                    "; NOT YET: {} share it in {groups} {} today{}; keep the oldest of each, move what points at the others to it, delete the others",
                    rows(counted.rows),
                    if groups == 1 { "group" } else { "groups" },
                    counted
                        .example
                        .as_ref()
                        .map_or_else(String::new, |ids| format!(" (first ids {ids})")),
                ),
            };
            match counted.nulls {
                0 => shared,
                nulls => format!("{shared}; {} hold NULL in it", rows(nulls)),
            }
        }
    };
    change.title.push_str(&words);
    // What would fail is not proposed: it is shown once nothing stands in its way.
    if told.as_ref().is_ok_and(|counted| counted.groups > 0) {
        change.how = None;
    }
}
