//! What an obligation asks of the reader, decided in one place for every format.

use crate::model::check::{Finding, Obligation, Outcome, Severity};

use super::view::{Found, View};

/// What an obligation asks of the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// A finding that holds the flag.
    Blocks,
    /// A finding that would hold it, and that a waiver covers.
    Waived,
    /// A finding on an effect that the gate does not ask for, or that may not run at all.
    Outside,
    /// A finding that never holds the flag.
    Advisory,
    /// Not known, and asked by the gate.
    Open,
    /// Not known, and not asked by the gate.
    OpenOutside,
    /// Shown to hold.
    Met,
    /// It does not arise.
    NotApplicable,
}

/// How loudly a format tells a finding or a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// It holds the flag.
    Error,
    /// It may do harm, or is not known.
    Warning,
    /// Worth knowing.
    Note,
}

impl Standing {
    /// How loudly something that stands so is told; only what holds the flag is an error.
    pub(crate) fn level(self, severity: Severity) -> Level {
        match self {
            Standing::Blocks => Level::Error,
            Standing::Advisory if severity != Severity::Note => Level::Warning,
            Standing::Open => Level::Warning,
            _ => Level::Note,
        }
    }

    /// The word in documents for programs.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Standing::Blocks => "blocks",
            Standing::Waived => "waived",
            Standing::Outside => "outside-the-gate",
            Standing::Advisory => "advisory",
            Standing::Open => "open",
            Standing::OpenOutside => "open-outside-the-gate",
            Standing::Met => "met",
            Standing::NotApplicable => "not-applicable",
        }
    }
}

impl<'r> View<'r> {
    /// The findings: what holds the flag first, then what is worth knowing, what is waived, and what
    /// lies outside the gate.
    pub(crate) fn found(&self) -> impl Iterator<Item = (Found<'r>, Standing)> {
        let blocking = self.blockers.iter().flat_map(|one| &one.findings);
        let lists = [
            (&self.advisory, Standing::Advisory),
            (&self.waived, Standing::Waived),
            (&self.outside, Standing::Outside),
        ];
        let rest = lists
            .into_iter()
            .flat_map(|(list, standing)| list.iter().map(move |one| (*one, standing)));
        blocking.map(|one| (*one, Standing::Blocks)).chain(rest)
    }

    /// What an obligation asks of the reader.
    pub(crate) fn standing(&self, obligation: &Obligation) -> Standing {
        match &obligation.outcome {
            Outcome::Met(_) => Standing::Met,
            Outcome::NotApplicable(_) => Standing::NotApplicable,
            Outcome::Unknown(_) if obligation.is_open() && self.in_scope(&obligation.subject) => {
                Standing::Open
            }
            Outcome::Unknown(_) => Standing::OpenOutside,
            Outcome::NotMet(_) if !obligation.holds_the_flag() => Standing::Advisory,
            Outcome::NotMet(_) if self.report.is_waived(obligation) => Standing::Waived,
            Outcome::NotMet(_)
                if !self.in_scope(&obligation.subject)
                    || self.is_uncertain(&obligation.subject) =>
            {
                Standing::Outside
            }
            Outcome::NotMet(_) => Standing::Blocks,
        }
    }
}

/// The finding of an obligation that is not met.
pub(crate) fn finding_of(obligation: &Obligation) -> Option<&Finding> {
    match &obligation.outcome {
        Outcome::NotMet(finding) => Some(finding),
        _ => None,
    }
}
