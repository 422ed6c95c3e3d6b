//! Where rows are counted: the whole table, or so many rows in the order of its ids.

use crate::model::outbox::OutboxColumn;

use super::notation::{Family, Notation};

impl Notation<'_> {
    /// What stands behind FROM.
    pub(super) fn source(self) -> Result<String, String> {
        let Some(rows) = self.shape.sample else {
            return Ok(self.table());
        };
        let id = self.column(OutboxColumn::Id)?;
        Ok(format!(
            "(SELECT * FROM {} ORDER BY {id} LIMIT {rows}) sample",
            self.table()
        ))
    }

    /// How many rows the sample has; none where the whole is counted.
    pub(super) fn sampled(self) -> Option<String> {
        self.shape.sample?;
        let source = self.source().ok()?;
        Some(format!("(SELECT count(*) FROM {source})"))
    }

    /// Keeps PostgreSQL and MySQL from computing the columns of a subquery at each of their uses.
    pub(super) fn fence(self) -> &'static str {
        match self.family() {
            Family::Postgres => "\n      OFFSET 0",
            Family::Mysql => "\n      LIMIT 18446744073709551615",
            Family::Sqlite => "",
        }
    }
}
