//! How obligations came out, counted.

use crate::model::check::{Obligation, Outcome};
use crate::report::words;

/// Obligations by outcome; those that do not arise are not counted.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Tally {
    met: usize,
    not_met: usize,
    unknown: usize,
}

impl Tally {
    /// Counts one.
    pub(super) fn add(&mut self, obligation: &Obligation) {
        match obligation.outcome {
            Outcome::Met(_) => self.met += 1,
            Outcome::NotMet(_) => self.not_met += 1,
            Outcome::Unknown(_) => self.unknown += 1,
            Outcome::NotApplicable(_) => {}
        }
    }

    /// Counts several.
    pub(super) fn of<'o>(obligations: impl IntoIterator<Item = &'o Obligation>) -> Self {
        let mut tally = Tally::default();
        for obligation in obligations {
            tally.add(obligation);
        }
        tally
    }

    /// True if something is not met or not known.
    pub(super) fn is_spoken_of(self) -> bool {
        self.not_met + self.unknown > 0
    }

    /// `6 not met · 2 not known · 3 met`.
    pub(super) fn said(self) -> String {
        let parts = [
            (self.not_met, "not met"),
            (self.unknown, "not known"),
            (self.met, "met"),
        ];
        let said: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{} {word}", words::grouped(count)))
            .collect();
        match said.is_empty() {
            true => "does not arise".to_owned(),
            false => said.join(" · "),
        }
    }
}
