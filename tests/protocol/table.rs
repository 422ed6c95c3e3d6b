//! What the tables hold, by the model and by a server.

use outbox_audit::protocol::state::{State, Status};

use crate::sql::Sql;
use crate::wire::Wire;

/// Rows of the outbox, created rows, values of the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Table {
    /// Event, status and retry count.
    pub(crate) outbox: Vec<(i64, i64, i64)>,
    /// One entry for each created row.
    pub(crate) made: Vec<i64>,
    pub(crate) values: Vec<i64>,
}

pub(crate) const PROCESSED: i64 = Status::Processed as i64;
pub(crate) const FAILED: i64 = Status::Failed as i64;

impl Table {
    /// What a state says.
    pub(crate) fn of(state: &State) -> Table {
        let events = || (0..).zip(&state.events);
        Table {
            outbox: events()
                .filter(|(_, event)| event.status != Status::Absent)
                .map(|(id, event)| (id, event.status as i64, event.count.into()))
                .collect(),
            made: events()
                .filter(|(_, event)| event.created)
                .map(|(id, _)| id)
                .collect(),
            values: state.values.map(i64::from).to_vec(),
        }
    }

    /// What a server says.
    pub(crate) async fn read(sql: &Sql, wire: &mut Wire) -> Table {
        let [outbox, made, values] = sql.look();
        let some = |number: Option<i64>| number.expect("a number");
        Table {
            outbox: wire
                .numbers(&outbox)
                .await
                .iter()
                // The model counts no further.
                .map(|row| (some(row[0]), some(row[1]), some(row[2]).min(3)))
                .collect(),
            made: wire
                .numbers(&made)
                .await
                .iter()
                .map(|row| some(row[0]))
                .collect(),
            values: wire
                .numbers(&values)
                .await
                .iter()
                .map(|row| some(row[0]))
                .collect(),
        }
    }

    pub(crate) fn status(&self, event: i64) -> i64 {
        let row = self.outbox.iter().find(|row| row.0 == event);
        row.map_or(0, |row| row.1)
    }

    pub(crate) fn has_ended(&self, event: i64) -> bool {
        [PROCESSED, FAILED].contains(&self.status(event))
    }
}
