//! A text as far as it is known: literal parts, and holes where a value stands that is not known.

use crate::model::map::HOLE;

/// Private characters that never stand in a literal that was taken over.
const OPEN: char = '\u{E000}';
const CLOSE: char = '\u{E001}';
/// More ways than this to build one text are not told apart.
const MAX_OPTIONS: usize = 16;
/// Longer texts are cut: no statement and no name is.
const MAX_BYTES: usize = 64 * 1024;

/// One text with holes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Text(String);

/// All texts that an expression can give.
#[derive(Debug, Clone, Default)]
pub(super) struct Texts {
    /// The texts, without doubles.
    pub(super) options: Vec<Text>,
    /// False if there may be others.
    pub(super) complete: bool,
}

impl Text {
    /// A text that is known.
    pub(super) fn known(text: &str) -> Self {
        Self(
            text.chars()
                .filter(|c| !matches!(*c, OPEN | CLOSE))
                .collect(),
        )
    }

    /// A text of which only a name is known.
    pub(super) fn hole(name: &str) -> Self {
        let name: String = name
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))
            .take(80)
            .collect();
        Self(format!("{OPEN}{name}{CLOSE}"))
    }

    /// The text, if all of it is known.
    pub(super) fn constant(&self) -> Option<&str> {
        (!self.0.contains(OPEN)).then_some(&self.0)
    }

    /// The text as a person reads it: holes as `$name`.
    pub(super) fn shown(&self) -> String {
        self.0.replace(OPEN, "$").replace(CLOSE, "")
    }

    /// The text as SQL: holes as names that no table has.
    pub(super) fn as_sql(&self) -> String {
        let mut sql = String::with_capacity(self.0.len());
        let mut inside = false;
        for c in self.0.chars() {
            match c {
                OPEN => {
                    inside = true;
                    sql.push_str(HOLE);
                }
                CLOSE => inside = false,
                '.' | ':' if inside => sql.push('_'),
                c => sql.push(c),
            }
        }
        sql
    }

    /// What a name of [`Text::as_sql`] stands for: `$name` for a hole, the name itself for all else.
    pub(super) fn original(&self, name: &str) -> String {
        let Some(folded) = name.strip_prefix(HOLE) else {
            return if name.is_empty() {
                "$".into()
            } else {
                name.into()
            };
        };
        let mut holes = self.0.split(OPEN).skip(1).filter_map(|rest| {
            let (hole, _) = rest.split_once(CLOSE)?;
            Some(hole)
        });
        let written = holes.find(|hole| hole.replace(['.', ':'], "_").eq_ignore_ascii_case(folded));
        format!("${}", written.unwrap_or(folded))
    }

    fn joined(&self, other: &Self) -> Self {
        let mut text = self.0.clone();
        if text.len() < MAX_BYTES {
            text.push_str(&other.0);
        }
        Self(text)
    }
}

impl Texts {
    /// One text that is known.
    pub(super) fn known(text: &str) -> Self {
        Self::one(Text::known(text))
    }

    /// One text.
    pub(super) fn one(text: Text) -> Self {
        Self {
            options: vec![text],
            complete: true,
        }
    }

    /// Nothing is known but a name.
    pub(super) fn hole(name: &str) -> Self {
        Self {
            options: vec![Text::hole(name)],
            complete: false,
        }
    }

    /// Adds other ways.
    pub(super) fn or(&mut self, other: Self) {
        self.complete &= other.complete;
        for text in other.options {
            if self.options.contains(&text) {
                continue;
            }
            if self.options.len() >= MAX_OPTIONS {
                self.complete = false;
                return;
            }
            self.options.push(text);
        }
    }

    /// Every text of one followed by every text of the other.
    pub(super) fn then(&self, other: &Self) -> Self {
        let mut joined = Self {
            options: Vec::new(),
            complete: self.complete && other.complete,
        };
        for first in &self.options {
            for second in &other.options {
                joined.or(Self {
                    options: vec![first.joined(second)],
                    complete: joined.complete,
                });
            }
        }
        joined
    }

    /// The texts that are known in full.
    pub(super) fn constants(&self) -> Vec<&str> {
        self.options.iter().filter_map(Text::constant).collect()
    }
}
