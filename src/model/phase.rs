//! The parts of an audit, for a person who waits for it.

/// One part, in the order they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Files and databases are read.
    Read,
    /// The source is mapped.
    Map,
    /// Facts are derived.
    Derive,
    /// Obligations are decided.
    Check,
    /// The database is asked about proposed keys.
    Ask,
    /// The gate is judged.
    Judge,
    /// Reports are written.
    Write,
}

impl Phase {
    /// The word before a time.
    pub fn word(self) -> &'static str {
        match self {
            Phase::Read => "read",
            Phase::Map => "map",
            Phase::Derive => "derive",
            Phase::Check => "check",
            Phase::Ask => "ask",
            Phase::Judge => "judge",
            Phase::Write => "write",
        }
    }

    /// What is being done.
    pub fn words(self) -> &'static str {
        match self {
            Phase::Read => "reading the inputs",
            Phase::Map => "mapping the source",
            Phase::Derive => "deriving facts",
            Phase::Check => "deciding the checks",
            Phase::Ask => "asking the database about keys",
            Phase::Judge => "judging the gate",
            Phase::Write => "writing the reports",
        }
    }
}
