//! Rule packs: what things are, as data. Packs are compiled in; `--rules` adds to them.

mod action;
mod guard;
mod interpreter;
mod load;
mod own;
mod platform;
mod queue;
mod source;
mod test;
mod types;

pub use action::*;
pub use guard::*;
pub use interpreter::*;
pub use load::{PackError, builtin_names, builtin_text, load};
pub use platform::*;
pub use queue::*;
pub use source::*;
pub use test::*;
pub use types::*;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::guarantee::Guarantee;

/// The rules in force: the chosen packs and all that they use, merged.
#[derive(Debug, Default)]
pub struct Rules {
    /// Names of the packs, in the order loaded.
    pub packs: Vec<Arc<str>>,
    /// A digest of the files of each pack, those of the user too.
    pub digests: BTreeMap<Arc<str>, String>,
    /// Conditions of the gate, of the first pack that has any.
    pub gate: Vec<GateRule>,
    /// Ambient inputs.
    pub ambient: Vec<Arc<str>>,
    /// Residuals of the queue.
    pub residuals: Vec<Arc<str>>,
    /// The residual of writes past the outbox, where source does not name them.
    pub unqueued: Option<Arc<str>>,
    /// Families put off.
    pub deferred: Vec<DeferredRule>,
    /// The code consumer that runs the flows.
    pub interpreter: Option<InterpreterRule>,
    /// What the source has to show, with the pack that asks.
    pub confirms: Vec<(Arc<str>, ConfirmRule)>,
    /// The platform, when a pack describes one, with the pack's name.
    pub platform: Option<(Arc<str>, PlatformRule)>,
    /// Triggers.
    pub triggers: Vec<TriggerRule>,
    /// Actions.
    pub actions: Vec<ActionRule>,
    /// Functions.
    pub functions: Vec<FunctionRule>,
    /// Top-level names.
    pub names: Vec<NameRule>,
    /// Outbox tables.
    pub outboxes: Vec<OutboxRule>,
    /// Calls that subscribe handlers.
    pub subscriptions: Vec<SubscriptionRule>,
    /// Calls that leave something behind.
    pub effects: Vec<EffectRule>,
    /// Calls whose result differs between deliveries.
    pub draws: Vec<DrawRule>,
    /// Calls and values that keep a further delivery apart, or say when an effect happens.
    pub guards: Vec<GuardRule>,
    /// Libraries whose calls leave nothing behind.
    pub libraries: Vec<LibraryRule>,
    /// Calls that workers of a queue make.
    pub queue: Vec<QueueRule>,
    /// Calls that tests make.
    pub tests: Vec<TestRule>,
    /// What systems of this kind guarantee.
    pub guarantees: Vec<Guarantee>,
    /// Functions outside the tree and the types they give.
    pub constructors: Vec<ConstructorRule>,
}

impl Rules {
    /// The name under which platform rules are cited.
    pub fn platform_pack(&self) -> Arc<str> {
        self.platform
            .as_ref()
            .map_or_else(|| Arc::from("neutral"), |(pack, _)| Arc::clone(pack))
    }
}
