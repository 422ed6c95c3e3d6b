//! The statements about the rows of an outbox, as text: what is printed is what is run.
//!
//! Pure functions of the shape of the table. Names and literals are quoted; no payload is ever
//! selected: it is only asked for its key, inside the database.

mod backfill;
mod claims;
mod clock;
mod declared;
mod duplicates;
mod eligible;
mod groups;
mod key;
mod notation;
mod paths;
mod questions;
mod rowwise;
mod sample;
mod stream;

pub use backfill::{Backfill, backfill};
pub use declared::{QueryFault, query_faults, query_misses};
pub use duplicates::{DUPLICATES, duplicates};
pub use eligible::{CANDIDATE, Eligible, OLDER, eligible};
pub use groups::{Chosen, GROUPS, RESTING, groups, resting};
pub use questions::{
    Asked, CLAIMS, KEYS, PATHS, Question, STATUSES, Unasked, WAITING, WRITERS, questions,
};

pub use rowwise::{Rowwise, rowwise};
pub use stream::{BATCH, LONGEST, Stream, stream};

/// How the server tells whether a text is JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonCheck {
    /// Without failing: every engine but PostgreSQL before 16.
    Asks,
    /// By casting it: one text that is no JSON fails the whole statement.
    Casts,
    /// Through a function of the session, which a reader may not create.
    SessionFunction,
    /// It is in the variable `doc` of a block, NULL where it is no JSON.
    Variable,
}
