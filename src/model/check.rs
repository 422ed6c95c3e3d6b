//! Obligations: one check, one subject, one outcome.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::consumer::ConsumerId;
use super::effect::EffectId;
use super::evidence::{Evidence, InputKind, Reason};
use super::place::Place;

/// What stands about a check in one place: command line, reports and README read it here.
#[derive(Debug)]
pub struct CheckInfo {
    /// Kebab-case name of the problem.
    pub id: &'static str,
    /// Clause of the theorem or gate it belongs to: `S1`, `C2`, `queue`.
    pub clause: &'static str,
    /// One line.
    pub title: &'static str,
    /// Gate or advisory.
    pub weight: Weight,
    /// True if the outcome decides whether the effect itself is safe; false for checks whose
    /// unknown leaves only a condition of the gate not shown.
    pub decides_effect: bool,
    /// The page: what it checks, why it matters, an example, how to fix it.
    pub page: &'static str,
}

/// Whether a finding can decide the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// It decides.
    Gate,
    /// It is reported and never holds the flag.
    Advisory,
}

/// What a check speaks of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// The audited system as a whole.
    System,
    /// The queue.
    Queue,
    /// The rows waiting in the outbox.
    Backlog,
    /// An input.
    Input(InputKind),
    /// A consumer.
    Consumer(ConsumerId),
    /// An effect.
    Effect(EffectId),
    /// A field or key of an object, `Object.field`.
    Field(Arc<str>),
    /// A contract of the configuration.
    Contract(Arc<str>),
    /// A guarantee, `id`, or one check of it, `id/kind`.
    Guarantee(Arc<str>),
    /// A rule that the source has to confirm, `pack/entry`.
    Rule(Arc<str>),
}

impl fmt::Display for Subject {
    /// The subject id: it enters fingerprints, so it holds no path, line or text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Subject::System => f.write_str("system"),
            Subject::Queue => f.write_str("queue"),
            Subject::Backlog => f.write_str("backlog"),
            Subject::Input(kind) => write!(f, "input:{}", kind.word()),
            Subject::Consumer(id) => f.write_str(&id.0),
            Subject::Effect(id) => f.write_str(&id.0),
            Subject::Field(name) => write!(f, "field:{name}"),
            Subject::Contract(name) => write!(f, "contract:{name}"),
            Subject::Guarantee(name) => write!(f, "guarantee:{name}"),
            Subject::Rule(entry) => write!(f, "rule:{entry}"),
        }
    }
}

/// One check on one subject.
#[derive(Debug, Clone)]
pub struct Obligation {
    /// Of what.
    pub subject: Subject,
    /// Which check.
    pub check: &'static CheckInfo,
    /// What came out.
    pub outcome: Outcome,
    /// Position in the report's waivers, when one covers it.
    pub waiver: Option<u32>,
}

/// What came out of a check on a subject. There is no silent fifth case.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It holds, by this evidence.
    Met(Proof),
    /// It does not.
    NotMet(Box<Finding>),
    /// It is not known.
    Unknown(Arc<Reason>),
    /// It does not arise here.
    NotApplicable(&'static str),
}

/// Why something holds.
#[derive(Debug, Clone)]
pub struct Proof {
    /// One sentence: the proof.
    pub sentence: Cow<'static, str>,
    /// What it cites.
    pub evidence: Vec<Arc<Evidence>>,
}

/// Something shown not to hold.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Gate findings hold the flag only at severity error.
    pub severity: Severity,
    /// How sure it is.
    pub confidence: Confidence,
    /// One sentence with the names in it.
    pub sentence: String,
    /// The few words that stand under the marked source.
    pub label: Cow<'static, str>,
    /// Primary location.
    pub place: Place,
    /// What a further delivery does.
    pub further_delivery: Option<FurtherDelivery>,
    /// Facts that help to act: what is fixed by the snapshot, what is not a guard, and why.
    pub notes: Vec<String>,
    /// The harm, step by step.
    pub interleaving: Vec<Step>,
    /// What would meet it: any one of these sets of changes.
    pub repairs: Vec<Vec<Change>>,
    /// What it rests on.
    pub evidence: Vec<Arc<Evidence>>,
}

/// How bad a finding is; stands apart from how sure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Harm is shown.
    Error,
    /// Harm is possible.
    Warning,
    /// Worth knowing.
    Note,
}

/// How sure a finding or effect is; stands apart from its severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Read off.
    High,
    /// Resolved through one assumption that is named.
    Medium,
    /// Rests on a name alone.
    Low,
}

/// What a further delivery of the same event does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FurtherDelivery {
    /// Nothing.
    NoOp,
    /// It fails, for ever.
    Error,
    /// A second row.
    Duplicate,
    /// It writes over what stands there.
    Overwrite,
    /// A different effect is taken for a repetition and lost.
    Swallowed,
    /// It deletes and inserts anew.
    Destructive,
    /// The effect is lost.
    Lost,
    /// The outside sees it again.
    RepeatedExternal,
}

impl FurtherDelivery {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            FurtherDelivery::NoOp => "no-op",
            FurtherDelivery::Error => "error",
            FurtherDelivery::Duplicate => "duplicate",
            FurtherDelivery::Overwrite => "overwrite",
            FurtherDelivery::Swallowed => "swallowed",
            FurtherDelivery::Destructive => "destructive",
            FurtherDelivery::Lost => "lost",
            FurtherDelivery::RepeatedExternal => "repeated-external",
        }
    }
}

/// One step of an interleaving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Who: `A`, `B`, `user`.
    pub actor: &'static str,
    /// What happens.
    pub does: Cow<'static, str>,
}

/// One change to the system. Two findings that ask for the same change share its key, so that
/// the way to GO counts it once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// Identity: kind and target.
    pub key: String,
    /// What to do, in one line.
    pub title: String,
    /// A statement or command that does it.
    pub how: Option<String>,
}

impl Severity {
    /// The word used in reports and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

impl Confidence {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Confidence::High => "high",
            Confidence::Medium => "medium",
            Confidence::Low => "low",
        }
    }
}

impl Weight {
    /// The word used in reports and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Weight::Gate => "gate",
            Weight::Advisory => "advisory",
        }
    }
}

impl Outcome {
    /// The word used in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Met(_) => "met",
            Outcome::NotMet(_) => "not-met",
            Outcome::Unknown(_) => "unknown",
            Outcome::NotApplicable(_) => "not-applicable",
        }
    }
}

impl Obligation {
    /// True if it is not met by a finding that can hold the flag, waived or not.
    pub fn holds_the_flag(&self) -> bool {
        self.check.weight == Weight::Gate
            && matches!(&self.outcome, Outcome::NotMet(finding) if finding.severity == Severity::Error)
    }

    /// True if a gate check could not be decided.
    pub fn is_open(&self) -> bool {
        self.check.weight == Weight::Gate && matches!(self.outcome, Outcome::Unknown(_))
    }
}

fn shrink(text: &mut Cow<'static, str>) {
    if let Cow::Owned(text) = text {
        text.shrink_to_fit();
    }
}

impl Proof {
    /// Gives back the room that its texts do not use.
    pub fn shrink(&mut self) {
        shrink(&mut self.sentence);
        self.evidence.shrink_to_fit();
    }
}

impl Finding {
    /// Gives back the room that its texts do not use.
    pub fn shrink(&mut self) {
        self.sentence.shrink_to_fit();
        shrink(&mut self.label);
        self.notes.shrink_to_fit();
        self.interleaving.shrink_to_fit();
        self.repairs.shrink_to_fit();
        self.evidence.shrink_to_fit();
        for step in &mut self.interleaving {
            shrink(&mut step.does);
        }
    }

    /// A finding that holds the flag, read off what stands at `place`.
    pub fn new(sentence: impl Into<String>, place: Place) -> Self {
        Self {
            severity: Severity::Error,
            confidence: Confidence::High,
            sentence: sentence.into(),
            label: Cow::Borrowed(""),
            place,
            further_delivery: None,
            notes: Vec::new(),
            interleaving: Vec::new(),
            repairs: Vec::new(),
            evidence: Vec::new(),
        }
    }

    /// The same with another severity.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The same with the words that stand under the marked source.
    #[must_use]
    pub fn label(mut self, label: impl Into<Cow<'static, str>>) -> Self {
        self.label = label.into();
        self
    }

    /// The same with what a further delivery does.
    #[must_use]
    pub fn further(mut self, word: FurtherDelivery) -> Self {
        self.further_delivery = Some(word);
        self
    }

    /// The same with one more fact that helps to act.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The same with one more step of the interleaving.
    #[must_use]
    pub fn step(mut self, actor: &'static str, does: impl Into<Cow<'static, str>>) -> Self {
        self.interleaving.push(Step {
            actor,
            does: does.into(),
        });
        self
    }

    /// The same with one more set of changes that would meet it.
    #[must_use]
    pub fn repair(mut self, changes: Vec<Change>) -> Self {
        self.repairs.push(changes);
        self
    }

    /// The same with what it rests on.
    #[must_use]
    pub fn cites(mut self, evidence: impl IntoIterator<Item = Arc<Evidence>>) -> Self {
        self.evidence.extend(evidence);
        self
    }
}
