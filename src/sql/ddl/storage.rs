//! Storage engines of MySQL and MariaDB, as far as a key depends on them.

use crate::model::evidence::{Reason, Why};
use crate::model::place::Place;

/// Engines that keep a row of a transaction that was rolled back.
const NOT_TRANSACTIONAL: [&str; 8] = [
    "MYISAM",
    "ARIA",
    "MEMORY",
    "HEAP",
    "CSV",
    "ARCHIVE",
    "BLACKHOLE",
    "MERGE",
];

/// Why a table of the engine cannot be relied on.
pub(super) fn doubt(table: &str, engine: &str, place: &Place) -> Option<Reason> {
    let known = NOT_TRANSACTIONAL
        .iter()
        .any(|name| name.eq_ignore_ascii_case(engine));
    known.then(|| Reason {
        why: Why::NotDecidable,
        needs: None,
        sentence: format!(
            "{table} is kept by the engine {engine}, which obeys no transaction: its rows stay when the run that wrote them is rolled back"
        ),
        place: Some(place.clone()),
        next_step: "convert it: ALTER TABLE … ENGINE = InnoDB".to_owned(),
    })
}
