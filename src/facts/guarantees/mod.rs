//! Holds each guarantee against what was read: where it is enforced, the tests that prove it, and what
//! its kinds ask of code, schema and rows. A kind is one file here; nothing is decided about the gate.

mod answer;
mod bounds;
mod enforced;
mod failures;
mod group;
mod key;
mod live;
mod locks;
mod picks;
mod proven;
mod reach;
mod settings;
mod statement;
mod stores;
mod survey;
mod tokens;
mod transactions;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ran_on::Audited;
use crate::model::guarantee::{
    Code, Guarantee, JudgedGuarantee, JudgedKind, Kind, Node, Outline, What,
};
use crate::model::inputs::InputState;
use crate::model::place::Place;
use crate::model::schema::{Dialect, Schema};
use crate::model::scope::{ContractPart, Declarations};
use crate::model::settings::Setting;
use crate::model::tests::TestResults;
use crate::rules::Rules;

pub use live::{Rows, questions};

use answer::open_because;
use statement::Sql;

/// What guarantees are held against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Context<'c> {
    /// What the source says, where it was read.
    pub(super) code: Option<&'c Code>,
    /// The schema that counts.
    pub(super) schema: Option<&'c Schema>,
    /// What rows of the database say.
    pub(super) rows: &'c Rows,
    /// Results of tests.
    pub(super) results: &'c TestResults,
    /// What is audited, as far as a result can name it.
    pub(super) audited: &'c Audited,
    /// Settings that guarantees name.
    pub(super) settings: &'c [Setting],
    /// What was read, and what was not.
    pub(super) states: &'c [InputState],
}

/// The guarantees of the configuration and of the packs; one of the configuration stands in front of
/// one of a pack with its id.
pub fn declared(rules: &Rules, declarations: &Declarations) -> Vec<Guarantee> {
    let mut all: Vec<Guarantee> = Vec::new();
    for one in declarations.guarantees.iter().chain(&rules.guarantees) {
        if !all.iter().any(|known| known.id == one.id) {
            all.push(one.clone());
        }
    }
    all
}

/// The functions that guarantees name.
pub fn named(guarantees: &[Guarantee]) -> BTreeSet<Arc<str>> {
    let kinds = guarantees.iter().flat_map(|one| &one.checks);
    kinds
        .flat_map(|kind| kind.functions().into_iter().cloned())
        .collect()
}

/// The settings that guarantees name.
pub fn settings(guarantees: &[Guarantee]) -> Vec<Arc<str>> {
    let kinds = guarantees.iter().flat_map(|one| &one.checks);
    let named = kinds.filter_map(|kind| match kind {
        Kind::DsnMode(kind) => Some(&kind.settings),
        _ => None,
    });
    let all: BTreeSet<Arc<str>> = named.flatten().cloned().collect();
    all.into_iter().collect()
}

/// Judges every guarantee, in the order declared.
pub(super) fn judge(context: &Context<'_>, guarantees: &[Guarantee]) -> Vec<Arc<JudgedGuarantee>> {
    let judge = |one: &Guarantee| {
        Arc::new(JudgedGuarantee {
            enforced: enforced::parts(context, one),
            proven: proven::parts(context, one),
            kinds: one
                .checks
                .iter()
                .map(|kind| judged(context, one, kind))
                .collect(),
            guarantee: one.clone(),
        })
    };
    guarantees.iter().map(judge).collect()
}

fn judged(context: &Context<'_>, guarantee: &Guarantee, kind: &Kind) -> JudgedKind {
    let at = guarantee.place.clone().unwrap_or(Place::CommandLine);
    let asked = Asked { context, at: &at };
    let (parts, repair) = match kind {
        Kind::SameTransaction(kind) => transactions::together(&asked, kind),
        Kind::AfterCommit(kind) => transactions::behind(&asked, kind),
        Kind::UniqueKey(kind) => key::unique(&asked, kind),
        Kind::FirstLock(kind) => locks::first(&asked, kind),
        Kind::OrderedLock(kind) => locks::ordered(&asked, kind),
        Kind::CriticalSection(kind) => locks::section(&asked, kind),
        Kind::WritePoints(kind) => reach::points(&asked, kind),
        Kind::BoundedLoop(kind) => bounds::looped(&asked, kind),
        Kind::BoundedRetry(kind) => bounds::retried(&asked, kind),
        Kind::Raises(kind) => failures::raises(&asked, kind),
        Kind::OutcomeRecorded(kind) => failures::recorded(&asked, kind),
        Kind::RecoveryPaths(kind) => reach::recovery(&asked, kind),
        Kind::NeverAutomatic(kind) => reach::never(&asked, kind),
        Kind::DurableCheckpointer(kind) => stores::durable(&asked, kind),
        Kind::DsnMode(kind) => settings::sessions(&asked, kind),
        Kind::GroupInvariant(kind) => group::invariant(&asked, kind),
        Kind::StoreParity(kind) => stores::parity(&asked, kind),
        Kind::FlagNotMerge(kind) => stores::flagged(&asked, kind),
    };
    JudgedKind {
        word: kind.word(),
        parts,
        repair,
    }
}

/// What one kind is asked of.
#[derive(Debug, Clone, Copy)]
struct Asked<'c> {
    context: &'c Context<'c>,
    /// Where the guarantee is declared.
    at: &'c Place,
}

impl<'c> Asked<'c> {
    fn dialect(&self) -> Dialect {
        let schema = self.context.schema;
        schema
            .and_then(|schema| schema.dialect)
            .unwrap_or(Dialect::Postgres)
    }

    /// The outline of a function, or why there is none.
    fn outline(&self, name: &str) -> Result<&'c Outline, ContractPart> {
        let Some(code) = self.context.code else {
            return Err(answer::unread_source(self, name));
        };
        match code.outline(name) {
            Some(Ok(outline)) => Ok(outline),
            Some(Err(reason)) => Err(open_because(reason, self.at)),
            None => Err(answer::unread_source(self, name)),
        }
    }

    /// A statement as it is read.
    fn sql(&self, node: &Node) -> Option<Sql> {
        match &node.what {
            What::Statement(ran) => Sql::of(ran, self.dialect()),
            _ => None,
        }
    }
}

/// The first place of an outline at which something could hide what is looked for: a statement of which
/// a part is built at run time, or calls that are not followed.
fn hidden<'n>(asked: &Asked<'_>, outline: &'n Outline) -> Option<(&'n Place, String)> {
    unread(asked, outline, true)
}

/// The same; with `parts` also a statement of which all but the tables is built at run time.
fn unread<'n>(asked: &Asked<'_>, outline: &'n Outline, parts: bool) -> Option<(&'n Place, String)> {
    let mut found = None;
    each(&outline.nodes, &mut |node| {
        let What::Statement(ran) = &node.what else {
            return;
        };
        let open = Sql::of(ran, asked.dialect()).is_none_or(|sql| parts && sql.is_built());
        if open && found.is_none() {
            let why = format!("the statement `{}` is not read", answer::short(&ran.shown));
            found = Some((&node.place, why));
        }
    });
    found.or_else(|| {
        let cut = outline.cut.as_ref()?;
        Some((cut, "more calls follow than are gone through".to_owned()))
    })
}

/// Every node of some, those inside others too.
fn each<'n>(nodes: &'n [Node], seen: &mut dyn FnMut(&'n Node)) {
    for node in nodes {
        seen(node);
        match &node.what {
            What::Branch { arms, .. } => arms.iter().for_each(|arm| each(arm, seen)),
            What::Loop { body, .. } | What::Transaction(body) => each(body, seen),
            What::Try {
                body,
                handlers,
                finally,
            } => {
                each(body, seen);
                handlers.iter().for_each(|one| each(&one.body, seen));
                each(finally, seen);
            }
            What::Call(call) => {
                if let Some(body) = &call.body {
                    each(body, seen);
                }
            }
            _ => {}
        }
    }
}
