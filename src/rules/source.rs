//! Entries about source code: what a call subscribes, what it leaves behind, what it makes.

use std::sync::Arc;

use serde::Deserialize;

use super::types::Examples;
use crate::model::effect::EffectKind;
use crate::model::source::Language;
use crate::model::value::ValueSource;

/// Which calls an entry speaks of. All that is given must hold.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallPattern {
    /// Names of the called method; with `receiver`.
    #[serde(default)]
    pub method: Vec<Arc<str>>,
    /// Qualified types whose method it is; `*::Name` is any type of that name, of generated code. A call on a value whose type is not known fits only in
    /// a file that imports the package of one of them, and is told with less confidence.
    #[serde(default)]
    pub receiver: Vec<Arc<str>>,
    /// Qualified functions.
    #[serde(default)]
    pub function: Vec<Arc<str>>,
    /// Names of arguments that are given by name.
    #[serde(default)]
    pub gives: Vec<Arc<str>>,
    /// True if it has no argument but those that are given by name.
    #[serde(default)]
    pub by_name_only: bool,
    /// What the text of an argument begins with.
    #[serde(default)]
    pub says: Option<Says>,
    /// Qualified functions, one of which is called inside an argument.
    #[serde(default)]
    pub inside: Vec<Arc<str>>,
    /// Types of the first argument by which it fits on a value of unknown type.
    #[serde(default)]
    pub about: Vec<Arc<str>>,
    /// True if a value of unknown type is never the receiver otherwise.
    #[serde(default)]
    pub typed: bool,
    /// How many arguments it has at least.
    #[serde(default)]
    pub min_args: usize,
    /// How many it has at most.
    #[serde(default)]
    pub max_args: Option<usize>,
}

/// What the text of an argument begins with.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Says {
    /// The argument, from 1.
    pub arg: usize,
    /// Its name, where it is given by name.
    #[serde(default)]
    pub named: Vec<Arc<str>>,
    /// Beginnings, any of which it has.
    pub begins: Vec<Arc<str>>,
}

/// `subscription.yaml`: a call that makes a handler run for events.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubscriptionRule {
    /// Id.
    pub id: Arc<str>,
    /// Language.
    pub language: Language,
    /// The call.
    pub call: CallPattern,
    /// Where the event type is named.
    #[serde(default)]
    pub event: EventSource,
    /// Where the handler stands.
    pub handler: HandlerSource,
    /// What the library does with the messages that the handler returns.
    #[serde(default)]
    pub publishes: Option<PublishedResult>,
    /// The type that what is decorated has from then on.
    #[serde(default)]
    pub makes: Option<Arc<str>>,
    /// What the call by itself leaves behind, without a handler of the tree.
    #[serde(default)]
    pub relays: Option<EffectKind>,
    /// Its own examples.
    pub examples: Examples,
}

/// Where a subscription names its event.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventSource {
    /// The argument that names it, from 1.
    #[serde(default)]
    pub arg: Option<usize>,
    /// Names of the argument that names it, where it is given by name.
    #[serde(default)]
    pub named: Vec<Arc<str>>,
    /// The argument that is it, from 1, and 0 for what the method is called on: its last name.
    #[serde(default)]
    pub path: Option<usize>,
    /// Names of an argument whose last name is told behind the event.
    #[serde(default)]
    pub of: Vec<Arc<str>>,
    /// True if it is the qualified name of the handler, where no argument says otherwise.
    #[serde(default)]
    pub handler: bool,
    /// The parameter of the handler whose type it is, from 1; from the end if negative.
    #[serde(default)]
    pub param: Option<i32>,
    /// Methods of the handler object, any of which returns a value of the event's type.
    #[serde(default)]
    pub method: Vec<Arc<str>>,
    /// The generic argument that it is, from 1.
    #[serde(default)]
    pub generic: Option<usize>,
}

/// Where the handler of a subscription stands.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandlerSource {
    /// The argument, from 1.
    #[serde(default)]
    pub arg: Option<usize>,
    /// Names of the argument, where it is given by name.
    #[serde(default)]
    pub named: Vec<Arc<str>>,
    /// True if it is what the call decorates; the argument is it where the call decorates nothing.
    #[serde(default)]
    pub decorated: bool,
    /// An attribute of a class that is true where the class itself is no handler.
    #[serde(default)]
    pub unless: Option<Arc<str>>,
    /// Methods that run beside the handler.
    #[serde(default)]
    pub hooks: Option<Hooks>,
    /// True if all further arguments are handlers too.
    #[serde(default)]
    pub each: bool,
    /// Methods that are run, where the handler is an object; the first that it has.
    #[serde(default)]
    pub method: Vec<Arc<str>>,
    /// True if the call gives a stream of messages, and whoever goes over it is the handler.
    #[serde(default)]
    pub stream: bool,
    /// Field of a configuration in that argument that holds the handler.
    #[serde(default)]
    pub field: Option<Arc<str>>,
    /// The generic argument that is the type of the handler, from 1; with `method`.
    #[serde(default)]
    pub generic: Option<usize>,
}

/// Methods of a class that run beside a handler: before it, behind it, where it fails.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hooks {
    /// Names of the argument that is the class; that of the handler itself if it has none.
    #[serde(default)]
    pub named: Vec<Arc<str>>,
    /// The methods.
    pub method: Vec<Arc<str>>,
}

/// What a library does with the messages that a handler returns.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedResult {
    /// What it is.
    pub kind: EffectKind,
    /// The argument that names where they go, from 1.
    pub topic: usize,
}

/// `effect.yaml`: a call that leaves something behind.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffectRule {
    /// Id.
    pub id: Arc<str>,
    /// Language.
    pub language: Language,
    /// The call.
    pub call: CallPattern,
    /// What it does; none where the SQL text says.
    #[serde(default)]
    pub kind: Option<EffectKind>,
    /// The argument that holds SQL, from 1.
    #[serde(default)]
    pub sql: Option<usize>,
    /// Names of that argument, where it is given by name.
    #[serde(default)]
    pub sql_named: Vec<Arc<str>>,
    /// Beginnings of the names of functions that build such a statement and have rules of their own.
    #[serde(default)]
    pub built_by: Vec<Arc<str>>,
    /// Where the target is named.
    #[serde(default)]
    pub target: TargetSource,
    /// Its own examples.
    pub examples: Examples,
}

/// Where an effect names its target.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetSource {
    /// The argument whose text it is, from 1.
    #[serde(default)]
    pub arg: Option<usize>,
    /// Names of the argument, where it is given by name.
    #[serde(default)]
    pub named: Vec<Arc<str>>,
    /// True if it is the type of what the receiver holds: of the rows of a query.
    #[serde(default)]
    pub held: bool,
    /// True if it is the receiver, by its last name.
    #[serde(default)]
    pub receiver_name: bool,
    /// The argument whose type it is, from 1.
    #[serde(default)]
    pub type_of: Option<usize>,
    /// The argument whose path names it, from 1: the module of `orders::table`.
    #[serde(default)]
    pub path: Option<usize>,
    /// The argument that is a list of names, the last of which it is, from 1.
    #[serde(default)]
    pub items: Option<usize>,
    /// Methods of the chain before the call whose first argument names it, by its type or its text:
    /// `db.Model(&Order{}).Update(…)`.
    #[serde(default)]
    pub chained: Vec<Arc<str>>,
    /// True if it is the type of the receiver.
    #[serde(default)]
    pub receiver: bool,
    /// A word for it, where nothing in the call names it.
    #[serde(default)]
    pub word: Option<Arc<str>>,
}

/// `constructor.yaml`: what type a function outside the tree gives, where its name does not say so.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConstructorRule {
    /// Id.
    pub id: Arc<str>,
    /// Language.
    pub language: Language,
    /// Qualified functions, methods as `package.Type.Method`, and members of classes; `*.name` is a
    /// member of that name of any type.
    pub function: Vec<Arc<str>>,
    /// Qualified types of its results, in order. In Python `Self` is the type it is called on,
    /// `Item` what that holds, `@1` the class that the first argument is, and `Type[…]` a type that
    /// holds one of these. `Type.*` that gives `Self[Owner]` holds the class whose attribute it is.
    pub returns: Vec<Arc<str>>,
    /// True if the functions are classes, and made of what they give.
    #[serde(default)]
    pub classes: bool,
    /// As an attribute of a class, it makes a member of the class that its first argument is.
    #[serde(default)]
    pub reverse: Option<Reverse>,
}

/// A member that a class has because an attribute of another class points to it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reverse {
    /// Names of the argument that names the member.
    pub named: Vec<Arc<str>>,
    /// The type of the member: `Type[Owner]` holds the class that points, `Owner` is it.
    pub returns: Arc<str>,
}

/// `draw.yaml`: a call whose result differs from one delivery of an event to the next.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DrawRule {
    /// Id.
    pub id: Arc<str>,
    /// Language.
    pub language: Language,
    /// The call.
    pub call: CallPattern,
    /// What it draws from.
    pub draws: Vec<ValueSource>,
    /// Its own examples.
    pub examples: Examples,
}

/// `library.yaml`: libraries whose calls leave nothing behind.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LibraryRule {
    /// Id.
    pub id: Arc<str>,
    /// Language.
    pub language: Language,
    /// Modules or packages in Go and Python, with all below them; crates in Rust.
    pub names: Vec<Arc<str>>,
}
