//! Effects in the document.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::place::Place;
use super::rows::Row;
use crate::model::check::FurtherDelivery;
use crate::model::effect as model;
use crate::model::facts::{self, ScopeState};
use crate::model::report::{EffectRow, Report};
use crate::model::value;
use crate::report::{account, words};

/// One effect as judged.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Effect<'r> {
    /// Stable name.
    pub id: &'r str,
    /// Whose it is.
    pub consumer: &'r str,
    /// What it does: `insert`, `update`, `mail`, …
    pub kind: &'static str,
    /// Table, object, address or host.
    pub target: &'r str,
    /// `deterministic-set`, `create`, `derived`, `delete`, `state-dependent`, `external`,
    /// `queue-control` or `unknown`.
    pub class: &'static str,
    /// `safe`, `blocked`, `accepted`, `off-path`, `deferred` or `unknown`.
    #[schemars(extend("enum" = ["safe", "blocked", "accepted", "off-path", "deferred", "unknown"]))]
    pub disposition: &'static str,
    /// True if all that blocks it is waived.
    pub waived: bool,
    /// What a further delivery does.
    pub further_delivery: Further,
    /// One sentence: why.
    pub reason: &'r str,
    /// Where it is written.
    pub place: Place<'r>,
    /// The proof, of safe effects.
    pub proof: Option<&'r str>,
    /// What it assigns.
    pub assignments: Vec<Assignment<'r>>,
    /// What to do, for effects that are not safe.
    pub required_action: Option<&'r str>,
    /// `on`, `off`, `dormant` or `unknown`.
    #[schemars(extend("enum" = ["on", "off", "dormant", "unknown"]))]
    pub path: &'static str,
    /// Why it is outside the gate's scope; null of those in it.
    pub out_of_scope: Option<&'r str>,
    /// How it is reached from its consumer.
    pub trail: Vec<Hop<'r>>,
}

/// What a further delivery does, per scenario; null where the scenario cannot arise.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Further {
    /// The same event again, later.
    pub sequential: Option<&'static str>,
    /// Beside a holder that still runs.
    pub concurrent: Option<&'static str>,
    /// After a run that ended half-way.
    pub after_prefix: Option<&'static str>,
    /// After the guard no longer holds.
    pub guard_lapsed: Option<&'static str>,
}

/// One assignment.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Assignment<'r> {
    /// Column or field.
    pub field: &'r str,
    /// The right-hand side as written; null of what leaves the database, where a literal may be
    /// a credential.
    pub value: Option<Cow<'r, str>>,
    /// True if it is the same on every delivery.
    pub stable: bool,
    /// What it draws from.
    pub draws: Vec<Draw<'r>>,
    /// True if the platform writes it and no flow does.
    pub by_platform: bool,
    /// Where the field is named.
    pub place: Place<'r>,
}

/// One source a value draws from.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Draw<'r> {
    /// `constant`, `snapshot`, `clock`, `random`, `sequence`, `live-state`, `step-result`,
    /// `deployment`, `locale`, `external` or `unknown`.
    pub source: &'static str,
    /// The part of the expression.
    pub what: &'r str,
    /// Where it stands.
    pub place: Place<'r>,
}

/// One hop from a consumer to an effect.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Hop<'r> {
    /// What it is called.
    pub title: &'r str,
    /// Where.
    pub place: Place<'r>,
}

impl<'r> Effect<'r> {
    fn new(row: &'r EffectRow) -> Self {
        let effect = &row.facts.effect;
        let quotes = !effect.kind.is_external();
        Self {
            id: &effect.id.0,
            consumer: &effect.consumer.0,
            kind: effect.kind.word(),
            target: effect.target.name(),
            class: words::class(row.facts.class),
            disposition: row.disposition.word(),
            waived: row.waived,
            further_delivery: Further::new(row.facts.further),
            reason: &row.reason,
            place: Place::new(&effect.place),
            proof: row.proof.as_deref(),
            assignments: effect
                .writes
                .iter()
                .map(|write| Assignment::new(write, quotes))
                .collect(),
            required_action: row.required_action.as_deref(),
            path: effect.path.word(),
            out_of_scope: match &row.facts.scope {
                ScopeState::Deferred(why) => Some(why),
                ScopeState::InScope => None,
            },
            trail: effect.trail.iter().map(Hop::new).collect(),
        }
    }
}

impl Row for Effect<'_> {
    fn write<S: Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(report.effects.iter().map(Effect::new))
    }
}

impl Further {
    fn new(further: facts::Further) -> Self {
        Self {
            sequential: further.sequential.map(FurtherDelivery::word),
            concurrent: further.concurrent.map(FurtherDelivery::word),
            after_prefix: further.after_prefix.map(FurtherDelivery::word),
            guard_lapsed: further.guard_lapsed.map(FurtherDelivery::word),
        }
    }
}

impl<'r> Assignment<'r> {
    fn new(write: &'r model::Assignment, quotes: bool) -> Self {
        Self {
            field: &write.field,
            value: quotes.then(|| account::constant(write)),
            stable: write.value.is_stable(),
            draws: write.value.draws.iter().map(Draw::new).collect(),
            by_platform: write.by_platform,
            place: Place::new(&write.place),
        }
    }
}

impl<'r> Draw<'r> {
    fn new(draw: &'r value::Draw) -> Self {
        Self {
            source: draw.source.word(),
            what: &draw.what,
            place: Place::new(&draw.place),
        }
    }
}

impl<'r> Hop<'r> {
    fn new(hop: &'r model::Hop) -> Self {
        Self {
            title: &hop.title,
            place: Place::new(&hop.place),
        }
    }
}
