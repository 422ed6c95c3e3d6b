//! Stamps of the outbox against the database's own clock.
//!
//! A stamp without a time zone may be of UTC or of the server's zone. Where the two differ now, both
//! are asked, and what is true by one of them only is between the two counts.

use crate::model::outbox::OutboxColumn;

use super::notation::{Family, Notation};

/// Which of the two readings of a stamp without a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// The one by which fewer rows are old.
    Least,
    /// The one by which more are.
    Most,
}

impl Notation<'_> {
    /// A condition: the stamp is older than so many seconds; NULL is not.
    pub(super) fn older(
        self,
        part: OutboxColumn,
        seconds: u64,
        reading: Reading,
    ) -> Result<String, String> {
        let column = self.column(part)?;
        Ok(match self.family() {
            Family::Sqlite => {
                format!("julianday({column}) < julianday('now') - {seconds} / 86400.0")
            }
            _ => format!(
                "{column} < {}",
                self.moment(part, -i128::from(seconds), reading)?
            ),
        })
    }

    /// A condition: the stamp is later than the clock by more than so many seconds.
    pub(super) fn ahead(self, part: OutboxColumn, seconds: u64) -> Result<String, String> {
        let column = self.column(part)?;
        Ok(match self.family() {
            Family::Sqlite => {
                format!("julianday({column}) > julianday('now') + {seconds} / 86400.0")
            }
            _ => format!(
                "{column} > {}",
                self.moment(part, i128::from(seconds), Reading::Most)?
            ),
        })
    }

    /// True of a column whose stamps can be compared with the clock.
    pub(super) fn is_stamp(self, part: OutboxColumn) -> Result<(), String> {
        let column = self.column(part)?;
        let kind = self.kind(part);
        let is_stamp = match self.family() {
            // Text of SQLite's own form; numbers have no unit that is known.
            Family::Sqlite => !["int", "real", "num", "doub", "floa", "dec"]
                .iter()
                .any(|word| kind.contains(word)),
            Family::Postgres => kind.starts_with("timestamp"),
            Family::Mysql => kind.starts_with("datetime") || kind.starts_with("timestamp"),
        };
        match is_stamp {
            true => Ok(()),
            false => Err(format!("the unit of {column} ({kind}) is not known")),
        }
    }

    /// True of a stamp that is kept as text, in which forms can differ.
    pub(super) fn is_text_stamp(self, part: OutboxColumn) -> bool {
        self.family() == Family::Sqlite && self.is_stamp(part).is_ok()
    }

    fn kind(self, part: OutboxColumn) -> String {
        let column = self.shape.columns.get(&part);
        column.map_or_else(String::new, |column| column.data_type.to_ascii_lowercase())
    }

    fn moment(self, part: OutboxColumn, shift: i128, reading: Reading) -> Result<String, String> {
        self.is_stamp(part)?;
        let kind = self.kind(part);
        let choose = match reading {
            Reading::Least => "LEAST",
            Reading::Most => "GREATEST",
        };
        let sign = if shift < 0 { '-' } else { '+' };
        let seconds = shift.unsigned_abs();
        Ok(match self.family() {
            Family::Postgres => {
                let has_zone = kind.contains("tz") || kind.contains("with time zone");
                let now = match has_zone {
                    true => "CURRENT_TIMESTAMP".to_owned(),
                    false => {
                        format!("{choose}(LOCALTIMESTAMP, CURRENT_TIMESTAMP AT TIME ZONE 'UTC')")
                    }
                };
                format!("{now} {sign} interval '{seconds} seconds'")
            }
            _ => {
                // A TIMESTAMP is shown in the session's zone, as the clock is.
                let now = match kind.starts_with("timestamp") {
                    true => "CURRENT_TIMESTAMP(6)".to_owned(),
                    false => format!("{choose}(CURRENT_TIMESTAMP(6), UTC_TIMESTAMP(6))"),
                };
                format!("{now} {sign} INTERVAL {seconds} SECOND")
            }
        })
    }
}
