//! What the sections of the page share: the sorted report, who has a place of its own on the page,
//! and how much room is left.

use std::collections::{HashMap, HashSet};

use maud::{Markup, html};

use crate::model::check::{Obligation, Outcome, Subject};
use crate::model::consumer::ConsumerId;
use crate::model::effect::EffectId;
use crate::model::report::{EffectRow, Report};
use crate::report::fingerprint::fingerprint;
use crate::report::view::View;
use crate::report::words;

use super::text;

/// Most effects that are listed: a browser still filters them at once.
pub(super) const EFFECTS: usize = 3_000;

/// Most rows of any other list.
pub(super) const ROWS: usize = 1_000;

/// Bytes that the details of all subjects may take together.
const ROOM: usize = 8_000_000;

/// The report, sorted for the page.
pub(super) struct Book<'r> {
    /// The report.
    pub(super) report: &'r Report,
    /// Its findings, by what they ask.
    pub(super) view: View<'r>,
    /// Effects, what is most urgent first.
    pub(super) effects: Vec<&'r EffectRow>,
    /// Subjects that are neither effect nor consumer, in their order, those with findings first.
    pub(super) others: Vec<&'r Subject>,
    by_subject: HashMap<&'r Subject, Vec<&'r Obligation>>,
    by_consumer: HashMap<&'r ConsumerId, Vec<&'r EffectRow>>,
    /// The anchors of whatever stands on the page.
    listed: HashSet<String>,
    room: Option<usize>,
}

impl<'r> Book<'r> {
    /// Sorts a report.
    pub(super) fn new(report: &'r Report) -> Self {
        let mut effects: Vec<&EffectRow> = report.effects.iter().collect();
        effects.sort_by_key(|row| urgency(row));
        let known: HashSet<&EffectId> = effects.iter().map(|row| &row.facts.effect.id).collect();
        let mut by_subject: HashMap<&Subject, Vec<&Obligation>> = HashMap::new();
        let mut others: Vec<&Subject> = Vec::new();
        for obligation in &report.obligations {
            let of_it = by_subject.entry(&obligation.subject).or_default();
            let elsewhere = match &obligation.subject {
                Subject::Effect(id) => known.contains(id),
                Subject::Consumer(_) => true,
                _ => false,
            };
            if of_it.is_empty() && !elsewhere {
                others.push(&obligation.subject);
            }
            of_it.push(obligation);
        }
        let mut by_consumer: HashMap<&ConsumerId, Vec<&EffectRow>> = HashMap::new();
        for row in &report.effects {
            let consumer = &row.facts.effect.consumer;
            by_consumer.entry(consumer).or_default().push(row);
        }
        let mut book = Book {
            report,
            view: View::new(report),
            effects,
            others,
            by_subject,
            by_consumer,
            listed: HashSet::new(),
            room: Some(ROOM),
        };
        let mut others = std::mem::take(&mut book.others);
        others.sort_by_key(|subject| book.standing(subject));
        book.others = others;
        book.listed = book.all_listed();
        book
    }

    fn all_listed(&self) -> HashSet<String> {
        let effects = self.effects.iter().take(EFFECTS);
        let effects = effects.map(|row| Subject::Effect(row.facts.effect.id.clone()));
        let consumers = self.report.consumers.iter().take(ROWS);
        let consumers = consumers.map(|one| Subject::Consumer(one.id.clone()));
        let others = self.others.iter().take(ROWS).copied().cloned();
        let subjects = effects.chain(consumers).chain(others);
        subjects.map(|subject| anchor(&subject)).collect()
    }

    /// Every obligation of a subject.
    pub(super) fn obligations(&self, subject: &Subject) -> &[&'r Obligation] {
        self.by_subject.get(subject).map_or(&[], Vec::as_slice)
    }

    /// The effects of a consumer, in the order of the report.
    pub(super) fn effects_of(&self, consumer: &ConsumerId) -> &[&'r EffectRow] {
        self.by_consumer.get(consumer).map_or(&[], Vec::as_slice)
    }

    /// Where a subject stands that is not an effect, the most urgent first.
    pub(super) fn standing(&self, subject: &Subject) -> Standing {
        let of_it = self.obligations(subject);
        let holds = |one: &&&Obligation| one.holds_the_flag() && !self.report.is_waived(one);
        let found = |one: &&&Obligation| matches!(one.outcome, Outcome::NotMet(_));
        if of_it.iter().any(|one| holds(&one)) {
            Standing::Blocked
        } else if of_it.iter().any(|one| one.is_open()) {
            Standing::Unknown
        } else if of_it.iter().any(|one| found(&one)) {
            Standing::Advisory
        } else {
            Standing::Met
        }
    }

    /// A link to the subject, where it stands on the page.
    pub(super) fn link(&self, subject: &Subject, shown: Markup) -> Markup {
        let anchor = anchor(subject);
        html! {
            @if self.listed.contains(&anchor) { a href={"#" (anchor)} { (shown) } }
            @else { (shown) }
        }
    }

    /// A link to the subject by its title.
    pub(super) fn titled(&self, subject: &Subject) -> Markup {
        self.link(subject, text::title(&self.view.subject_title(subject)))
    }

    /// Where the page speaks of a subject, if it does.
    pub(super) fn href(&self, subject: &Subject) -> Option<String> {
        let anchor = anchor(subject);
        let listed = self.listed.contains(&anchor);
        listed.then(|| format!("#{anchor}"))
    }

    /// The details that `write` gives, as long as there is room; from the first that does not fit
    /// on, none.
    pub(super) fn fitting(&mut self, write: impl FnOnce(&Self) -> Markup) -> Option<Markup> {
        let left = self.room?;
        let markup = write(self);
        self.room = left.checked_sub(markup.0.len());
        self.room.map(|_| markup)
    }
}

/// Where a subject stands that is not an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    /// It holds the flag.
    Blocked,
    /// A gate check of it is open.
    Unknown,
    /// Something is reported of it that never holds the flag, or is waived.
    Advisory,
    /// All that was asked is met.
    Met,
}

impl Standing {
    /// Its word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Standing::Blocked => "blocked",
            Standing::Unknown => "unknown",
            Standing::Advisory => "advisory",
            Standing::Met => "met",
        }
    }
}

/// Dispositions as lists sort them; what a waiver covers stands behind what still blocks.
fn urgency(row: &EffectRow) -> (usize, bool) {
    let mut order = words::COUNTED.iter();
    let at = order.position(|(disposition, _)| *disposition == row.disposition);
    (at.unwrap_or(usize::MAX), row.waived)
}

/// Name of the place of a subject; it stays the same between runs.
pub(super) fn anchor(subject: &Subject) -> String {
    format!("s-{}", fingerprint("", &subject.to_string()))
}
