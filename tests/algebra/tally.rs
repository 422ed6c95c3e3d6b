//! What was tried: so that the test cannot pass by trying nothing.

use std::collections::BTreeMap;

use super::examine::word;
use super::verdict::{Judged, Judgement};

/// Counts over a whole run.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Effects by what was judged.
    pub(crate) effects: BTreeMap<&'static str, usize>,
    /// Comparisons of a safe effect that had something to compare.
    pub(crate) comparisons: BTreeMap<&'static str, usize>,
    /// Blocked effects for which a schedule was found, by check.
    pub(crate) witnesses: BTreeMap<&'static str, usize>,
    /// Cycles by what was decided and seen.
    pub(crate) cycles: BTreeMap<&'static str, usize>,
    pub(crate) schedules: usize,
    /// True where a blocked effect may stay without a schedule: a generated run may never reach it.
    pub(crate) lenient: bool,
    /// Blocked effects for which no schedule was found.
    pub(crate) unshown: usize,
    /// Comparisons left out because another, blocked, effect had ended the run.
    pub(crate) cut: usize,
}

impl Tally {
    pub(crate) fn judged(&mut self, effect: &Judged) {
        *self.effects.entry(word(effect)).or_default() += 1;
    }

    pub(crate) fn compared(&mut self, effect: &Judged) {
        *self.comparisons.entry(word(effect)).or_default() += 1;
    }

    pub(crate) fn witnessed(&mut self, effect: &Judged) {
        debug_assert_eq!(effect.judgement, Judgement::Blocked);
        for check in &effect.failed {
            *self.witnesses.entry(check).or_default() += 1;
        }
    }

    /// Fails unless each of these was counted at least so often.
    pub(crate) fn require(&self, map: &BTreeMap<&'static str, usize>, least: &[(&str, usize)]) {
        for (what, least) in least {
            let count = map.get(what).copied().unwrap_or_default();
            assert!(
                count >= *least,
                "{what}: {count} of at least {least}\n{self:#?}"
            );
        }
    }

    /// What a run over generated cases must have reached, so that it cannot pass by doing nothing.
    pub(crate) fn check_generated(&self) {
        self.require(
            &self.effects,
            &[
                ("safe set", 5),
                ("safe create", 3),
                ("blocked set", 5),
                ("blocked create", 5),
            ],
        );
        let shown: usize = self.witnesses.values().sum();
        assert!(
            self.unshown * 5 <= shown,
            "{} blocked effects without a schedule, {shown} with one",
            self.unshown
        );
    }
}
