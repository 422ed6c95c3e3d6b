//! One row of a catalog query. Every query casts its values to text, so that one type holds the
//! rows of every engine, and a recorded row in a test is a list of words.

/// The values of one row, in the order of the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row(pub(super) Vec<Option<String>>);

impl Row {
    /// A value that can be NULL.
    pub(super) fn maybe(&self, at: usize) -> Option<&str> {
        self.0.get(at).and_then(Option::as_deref)
    }

    /// A value; NULL is an empty one.
    pub(super) fn text(&self, at: usize) -> &str {
        self.maybe(at).unwrap_or("")
    }

    /// True of `t`, `true`, `1`, `YES` and `ON`, as the engines print it.
    pub(super) fn is(&self, at: usize) -> bool {
        matches!(
            self.text(at).to_ascii_lowercase().as_str(),
            "t" | "true" | "1" | "yes" | "on"
        )
    }

    /// A number; what is none is nought.
    pub(super) fn number(&self, at: usize) -> i64 {
        self.text(at).parse().unwrap_or(0)
    }
}

/// The first value of the first row, as settings are asked for.
pub(super) fn first(rows: &[Row]) -> Option<&str> {
    rows.first().and_then(|row| row.maybe(0))
}

/// A list of numbers with blanks between them, as PostgreSQL prints its vectors.
pub(super) fn numbers(text: &str) -> Vec<i64> {
    text.split_ascii_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect()
}
