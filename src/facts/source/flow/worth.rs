//! What each guard is worth for each effect.

use std::collections::BTreeSet;

use crate::model::redelivery::{Guard, GuardKind, IdempotencyKey, Note, NoteKind, Worth};

use super::statements::{Kind, OUTER, Statement};
use super::{Flow, Seen};

/// Guards that are listed for one effect at most.
const MAX_GUARDS: usize = 8;

/// What is said of one effect.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// Its guards, the best first.
    pub(super) guards: Vec<Guard>,
    /// Notes on it, by place.
    pub(super) notes: Vec<Note>,
    /// The key it is given.
    pub(super) key: Option<IdempotencyKey>,
}

/// Judges every effect.
pub(super) fn judged(flow: &Flow<'_, '_>) -> Vec<Judged> {
    let seen = flow.seen.iter().enumerate();
    seen.map(|(at, seen)| judge(flow, at, seen)).collect()
}

fn judge(flow: &Flow<'_, '_>, at: usize, seen: &Seen) -> Judged {
    if seen.times == 0 {
        return Judged::default();
    }
    let mut guards = Vec::new();
    for (number, statement) in flow.statements.iter().enumerate() {
        let one = Pair {
            flow,
            seen,
            statement,
            number,
            at,
            external: flow.effects.get(at).is_some_and(|it| it.kind.is_external()),
        };
        guards.extend(one.guard());
        guards.extend(one.marker());
    }
    guards.sort_by(|a, b| {
        (b.worth, b.dominates, &a.place, a.kind).cmp(&(a.worth, a.dominates, &b.place, b.kind))
    });
    let best = guards.first().map_or(Worth::None, |best| best.worth);
    // What ignores its result beside a guard that holds is no try at one.
    guards.retain(|guard| best != Worth::Full || guard.dominates || guard.worth > Worth::None);
    if let Some(place) = &seen.caught {
        guards.push(Guard {
            kind: GuardKind::CatchAll,
            worth: Worth::None,
            dominates: false,
            same_transaction: false,
            place: place.clone(),
            why: "every error is taken for a repetition, also one that means that nothing was written",
        });
    }
    guards.truncate(MAX_GUARDS);
    let key = seen.keys.first().and_then(|key| flow.keys.get(*key));
    let notes: BTreeSet<Note> = seen
        .notes
        .iter()
        .filter(|note| !(note.kind == NoteKind::ErrorSwallowed && is_own_guard(flow, seen)))
        .cloned()
        .collect();
    Judged {
        guards,
        notes: notes.into_iter().collect(),
        key: key.cloned(),
    }
}

/// True of an insert whose violation is recognised: its error is asked for, not passed over.
fn is_own_guard(flow: &Flow<'_, '_>, seen: &Seen) -> bool {
    let own = seen.own.and_then(|own| flow.statements.get(own));
    own.is_some_and(|own| own.kind == Kind::Insert && own.mapped)
}

/// A statement and an effect.
struct Pair<'f, 'a, 'w> {
    flow: &'f Flow<'a, 'w>,
    seen: &'f Seen,
    statement: &'f Statement,
    number: usize,
    at: usize,
    external: bool,
}

impl Pair<'_, '_, '_> {
    fn is_own(&self) -> bool {
        self.seen.own == Some(self.number)
    }

    fn dominates(&self) -> bool {
        !self.flow.is_spent() && self.seen.passed.contains(&self.number)
    }

    fn own(&self) -> Option<&Statement> {
        self.flow.statements.get(self.seen.own?)
    }

    fn is_together_with(&self, other: &Statement) -> bool {
        match (&self.statement.tx, &other.tx) {
            (Some(a), Some(b)) => !a.is_disjoint(b),
            _ => false,
        }
    }

    fn is_together(&self) -> bool {
        self.is_own()
            || (!self.external && self.own().is_some_and(|own| self.is_together_with(own)))
    }

    /// True if the transaction of the statement is still open at the effect.
    fn is_open(&self) -> bool {
        let tx = self.statement.tx.iter().flatten();
        tx.into_iter()
            .any(|tx| *tx == OUTER || self.seen.open.contains(tx))
    }

    fn with(&self, kind: GuardKind, worth: Worth, why: &'static str) -> Guard {
        Guard {
            kind,
            worth,
            dominates: self.is_own() || self.dominates(),
            same_transaction: self.is_together(),
            place: self.statement.place.clone(),
            why,
        }
    }

    fn guard(&self) -> Option<Guard> {
        use GuardKind as G;
        match self.statement.kind {
            Kind::Claim => self.claim(G::InsertClaim),
            Kind::Insert => match self.statement.mapped {
                true => self.claim(G::MappedViolation),
                false => None,
            },
            Kind::UpdateIf => {
                match self.statement.is_conditional() && (self.statement.tested || self.is_own()) {
                    true => self.claim(G::ConditionalUpdate),
                    false => None,
                }
            }
            Kind::Read => self.check(),
            Kind::RowLock => self.lock(G::RowLock),
            Kind::Advisory(_) => self.lock(G::AdvisoryLock),
            Kind::Ttl => Some(match self.dominates() {
                true if self.weakness().is_some() => self.weak(G::TtlLock)?,
                true => self.with(
                    G::TtlLock,
                    Worth::Partial,
                    "it ends after a time, and it is not set and kept together with the effect",
                ),
                false if !self.meets() => return None,
                false => self.with(G::TtlLock, Worth::None, self.why_not()),
            }),
            Kind::Memory => self.dominates().then(|| {
                self.with(
                    G::InMemorySet,
                    Worth::None,
                    "a restart and every other process have forgotten it",
                )
            }),
            Kind::Unique => self.seen.unique.contains(&self.number).then(|| Guard {
                dominates: true,
                ..self.with(
                    G::EnqueueUnique,
                    Worth::Partial,
                    "the queue knows the message for a time only",
                )
            }),
            Kind::Write | Kind::Asked(..) => None,
        }
    }

    fn weakness(&self) -> Option<&'static str> {
        self.statement.weakness(self.is_own())
    }

    /// A guard that would count if what it is made of did not make it worth nothing.
    fn weak(&self, kind: GuardKind) -> Option<Guard> {
        let why = self.weakness().or_else(|| self.never_kept())?;
        Some(self.with(kind, Worth::None, why))
    }

    /// Why nothing of what the statement did stays: no way commits its transaction.
    fn never_kept(&self) -> Option<&'static str> {
        let tx = self.statement.tx.as_ref().filter(|tx| !tx.is_empty())?;
        let kept = tx.iter().any(|tx| self.flow.ends.is_committed(*tx));
        (!kept).then_some("no way commits its transaction: nothing of it is kept")
    }

    /// True if some run holds both, in whatever order, and the statement can be meant for the
    /// effect: what decides something in a function beside is a guard there.
    fn meets(&self) -> bool {
        let around = self.statement.around.as_deref().unwrap_or_default();
        let effect = &self.seen.around[..];
        let is_beside = !around.starts_with(effect) && !effect.starts_with(around);
        let both = self.seen.may.contains(&self.number) || self.statement.after.contains(&self.at);
        both && !(is_beside && self.statement.tested)
    }

    /// Why a guard does not stand before the effect on every way.
    fn why_not(&self) -> &'static str {
        if self.flow.is_spent() {
            return "not every way from the handler was gone through: there are too many";
        }
        match (
            self.seen.ran.contains(&self.number),
            self.statement.tested || self.statement.mapped,
        ) {
            (true, false) => "its result is not used: the effect happens whatever it found",
            (true, true) => {
                "its outcome does not decide whether the effect happens: no way is left where it was done before"
            }
            (false, _) => {
                "it does not stand before the effect on every way: there is a way to the effect without it"
            }
        }
    }

    fn claim(&self, kind: GuardKind) -> Option<Guard> {
        if (self.is_own() || self.dominates())
            && let Some(weak) = self.weak(kind)
        {
            return Some(weak);
        }
        if self.is_own() {
            let why = match kind {
                GuardKind::InsertClaim => {
                    "the statement itself writes nothing where its key is taken"
                }
                GuardKind::MappedViolation => {
                    "the violation of its own key is recognised, by code and not by text"
                }
                _ => "the statement itself finds no row once it has run",
            };
            return Some(self.with(kind, Worth::Full, why));
        }
        if !self.dominates() {
            return self
                .meets()
                .then(|| self.with(kind, Worth::None, self.why_not()));
        }
        Some(match (self.external, self.is_together(), self.is_open()) {
            (true, _, true) => self.with(
                kind,
                Worth::Partial,
                "it is not committed before the call: a rollback takes it back, and the call is made again",
            ),
            (true, _, false) => self.with(
                kind,
                Worth::Partial,
                "it is committed before the call, and a further delivery is skipped: a crash in between loses the call",
            ),
            (false, true, _) => self.with(
                kind,
                Worth::Full,
                "it is committed together with the effect, and only whoever took it goes on",
            ),
            (false, false, _) => self.with(
                kind,
                Worth::Partial,
                "it is committed apart from the effect: a crash in between loses or repeats it",
            ),
        })
    }

    fn check(&self) -> Option<Guard> {
        if !self.dominates() {
            return None;
        }
        let kind = GuardKind::CheckThenAct;
        let locked = self
            .flow
            .statements
            .iter()
            .enumerate()
            .any(|(number, lock)| {
                matches!(lock.kind, Kind::RowLock | Kind::Advisory(true))
                    && self.seen.passed.contains(&number)
                    && self.is_together_with(lock)
            });
        if let Some(why) = self.never_kept() {
            return Some(self.with(kind, Worth::None, why));
        }
        let passed = &self.seen.passed;
        let is_marked = self.flow.is_marked(self.number, self.at, passed);
        Some(match (locked, self.is_together()) {
            (true, true) if !is_marked => self.with(
                kind,
                Worth::Advisory,
                "it reads under a lock, but what it asks for is not set together with the effect: whoever comes second finds the same",
            ),
            (true, true) => self.with(
                kind,
                Worth::Full,
                "it reads under a lock that is held until the effect is committed, as long as every writer takes it",
            ),
            (true, false) if self.is_open() => self.with(
                kind,
                Worth::Partial,
                "it reads under a lock, but what it reads is not committed together with the effect",
            ),
            _ => self.with(
                kind,
                Worth::Advisory,
                "a delivery that runs beside reads the same, and goes on too",
            ),
        })
    }

    fn lock(&self, kind: GuardKind) -> Option<Guard> {
        if !self.dominates() {
            return None;
        }
        Some(if self.is_together() || (self.external && self.is_open()) {
            self.with(
                kind,
                Worth::Partial,
                "it keeps two deliveries apart, but does not tell the second that there was a first",
            )
        } else if self.external {
            return None;
        } else {
            self.with(
                kind,
                Worth::None,
                "it is not held until the effect is committed: the effect runs outside its transaction",
            )
        })
    }

    /// The row that a read before the effect looks for, where it is written.
    fn marker(&self) -> Option<Guard> {
        let is_write = matches!(
            self.statement.kind,
            Kind::Claim | Kind::Insert | Kind::UpdateIf | Kind::Write
        );
        if !is_write || self.is_own() || self.statement.table.is_empty() {
            return None;
        }
        let mut reads = self.flow.statements.iter().enumerate();
        let is_read = reads.any(|(number, read)| {
            read.kind == Kind::Read
                && read.table.eq_ignore_ascii_case(&self.statement.table)
                && self.seen.passed.contains(&number)
                && self
                    .flow
                    .ends_answer(number, self.statement, &self.seen.passed)
        });
        // What no run holds beside the effect is written for another one.
        let meets = self.seen.may.contains(&self.number) || self.statement.after.contains(&self.at);
        if !is_read || !meets || self.dominates() {
            return None;
        }
        let before = self.seen.ran.contains(&self.number);
        let (worth, why) = match (self.is_together(), before) {
            (true, _) => (
                Worth::Advisory,
                "it is written together with the effect: a later delivery finds it, one that runs beside does not",
            ),
            (false, true) => (
                Worth::None,
                "it is written before the effect, in another transaction: a crash in between loses the effect",
            ),
            (false, false) => (
                Worth::None,
                "it is written behind the effect, in another transaction: a crash in between repeats the effect",
            ),
        };
        Some(Guard {
            dominates: before,
            ..self.with(GuardKind::Marker, worth, why)
        })
    }
}
