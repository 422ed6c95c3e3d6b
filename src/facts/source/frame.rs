//! Where an expression stands: in a function, entered by a call of another one.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use crate::model::source::{Call, Expr, ExprKind, Function, Language, Pattern, SourceFile};
use crate::rules::Rules;

use super::declared::Declared;
use super::learned::Learned;
use super::matching::unversioned;
use super::program::{FnId, Program};
use super::resolve::Callee;
use super::scope::{Binding, Scope};

/// How far values and types are followed from one expression.
pub(super) const MAX_DEPTH: usize = 64;
/// Questions about types that may be asked inside each other.
const MAX_NESTED: u32 = 8;
/// How many steps one question may take in all.
const FUEL: u32 = 20_000;

/// What calls run, as far as the function around them decides it; by the address of the call, which
/// stays where it is as long as the tree lives.
pub(super) type Kept<'a> = HashMap<usize, Callee<'a>>;

/// What every question about a program may use, from any thread.
#[derive(Debug, Clone)]
pub(super) struct Shared<'a> {
    program: &'a Program<'a>,
    rules: &'a Rules,
    scopes: Arc<[OnceLock<Scope<'a>>]>,
    kept: Arc<Kept<'a>>,
    learned: Arc<Learned<'a>>,
    names: Arc<OnceLock<HashSet<String>>>,
}

/// The program with what is known of libraries, and what was found so far; of one thread.
#[derive(Debug)]
pub(super) struct Analysis<'a> {
    /// The tree.
    pub(super) program: &'a Program<'a>,
    /// What is known of libraries.
    pub(super) rules: &'a Rules,
    shared: Shared<'a>,
    fuel: Cell<u32>,
    /// How many questions about types are asked inside another.
    nested: Cell<u32>,
    kept: RefCell<Kept<'a>>,
    /// Whether the tree declares what rules ask for.
    pub(super) declared: Declared,
}

/// Comes back from a question inside another when it is dropped.
pub(super) struct Deeper<'n>(&'n Cell<u32>);

impl Drop for Deeper<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

/// A function on the way, with the call that entered it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<'a, 'f> {
    /// The function; none for the values of a package.
    pub(super) id: Option<FnId>,
    /// Its file.
    pub(super) file: &'a SourceFile,
    /// The call that entered it, and where that stands.
    pub(super) entry: Option<(&'a Call, &'f Frame<'a, 'f>)>,
    /// How many calls deep.
    pub(super) depth: usize,
}

impl<'a> Shared<'a> {
    /// Questions of one thread.
    pub(super) fn begin(self) -> Analysis<'a> {
        Analysis {
            program: self.program,
            rules: self.rules,
            shared: self,
            fuel: Cell::new(FUEL),
            nested: Cell::new(0),
            kept: RefCell::default(),
            declared: Declared::default(),
        }
    }
}

impl<'a> Analysis<'a> {
    /// Nothing is computed yet.
    pub(super) fn new(program: &'a Program<'a>, rules: &'a Rules) -> Self {
        let shared = Shared {
            program,
            rules,
            scopes: program.functions().map(|_| OnceLock::new()).collect(),
            kept: Arc::default(),
            learned: Arc::new(Learned::of(rules)),
            names: Arc::default(),
        };
        if !program.has_python() {
            return shared.begin();
        }
        let pointing = shared.clone().begin().relations();
        let with_relations = Learned {
            pointing,
            ..Learned::of(rules)
        };
        let shared = Shared {
            learned: Arc::new(with_relations),
            ..shared
        };
        let asked = shared.clone().begin();
        let decorators = asked.find_decorators();
        let made = asked.made_by_decorators(&decorators);
        let learned = Learned {
            pointing: asked.learned().pointing.clone(),
            made,
            decorators,
            ..Learned::of(rules)
        };
        Shared {
            learned: Arc::new(learned),
            ..shared
        }
        .begin()
    }

    /// What is known of the whole tree.
    pub(super) fn learned(&self) -> &Learned<'a> {
        &self.shared.learned
    }

    /// The qualified names of all functions and methods, without versions.
    pub(super) fn names(&self) -> &HashSet<String> {
        self.shared.names.get_or_init(|| {
            let all = self.program.by_name.keys();
            all.map(|name| unversioned(name)).collect()
        })
    }

    /// Goes one question deeper; none where that is too deep.
    pub(super) fn deeper(&self) -> Option<Deeper<'_>> {
        let now = self.nested.get();
        (now < MAX_NESTED && self.burns()).then(|| {
            self.nested.set(now + 1);
            Deeper(&self.nested)
        })
    }

    /// What other threads begin with.
    pub(super) fn shared(&self) -> Shared<'a> {
        self.shared.clone()
    }

    /// What was found, for those that come after.
    pub(super) fn into_kept(self) -> Kept<'a> {
        self.kept.into_inner()
    }

    /// The same with what other threads found.
    pub(super) fn knowing(self, kept: Kept<'a>) -> Self {
        let kept = Arc::new(kept);
        Shared {
            kept,
            ..self.shared
        }
        .begin()
    }

    /// The scope of a function.
    pub(super) fn scope(&self, id: FnId) -> &Scope<'a> {
        self.shared.scopes[id.index()].get_or_init(|| Scope::of(self.program.function(id)))
    }

    /// What was found before for a call.
    pub(super) fn kept(&self, call: &'a Call) -> Option<Callee<'a>> {
        let at = std::ptr::from_ref(call).addr();
        if let Some(found) = self.shared.kept.get(&at) {
            return Some(found.clone());
        }
        self.kept.borrow().get(&at).cloned()
    }

    /// Keeps what was found for a call, if the question was asked to its end.
    pub(super) fn keep(&self, call: &'a Call, frame: &Frame<'a, '_>, found: &Callee<'a>) {
        if self.fuel.get() > 0 && frame.depth < MAX_DEPTH / 2 {
            let mut kept = self.kept.borrow_mut();
            kept.insert(std::ptr::from_ref(call).addr(), found.clone());
        }
    }

    /// A frame without a caller.
    pub(super) fn frame<'f>(&self, id: FnId) -> Frame<'a, 'f> {
        Frame {
            id: Some(id),
            file: self.program.file(id),
            entry: None,
            depth: 0,
        }
    }

    /// Begins a question.
    pub(super) fn refuel(&self) {
        self.fuel.set(FUEL);
    }

    /// False once a question has taken too many steps.
    pub(super) fn burns(&self) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(1));
        left > 0
    }
}

impl<'a, 'f> Frame<'a, 'f> {
    /// A function entered from here.
    pub(super) fn enter(
        &'f self,
        analysis: &Analysis<'a>,
        id: FnId,
        call: &'a Call,
    ) -> Frame<'a, 'f> {
        Frame {
            id: Some(id),
            file: analysis.program.file(id),
            entry: Some((call, self)),
            depth: self.depth + 1,
        }
    }

    /// The values of a package, seen from here.
    pub(super) fn outside(file: &'a SourceFile, depth: usize) -> Frame<'a, 'f> {
        Frame {
            id: None,
            file,
            entry: None,
            depth,
        }
    }

    /// The function.
    pub(super) fn function(&self, analysis: &Analysis<'a>) -> Option<&'a Function> {
        self.id.map(|id| analysis.program.function(id))
    }

    /// What a name is bound to where it is used.
    pub(super) fn binding<'s>(
        &self,
        analysis: &'s Analysis<'a>,
        name: &str,
        at: crate::model::place::Pos,
    ) -> Option<&'s Binding<'a>> {
        analysis.scope(self.id?).at(name, at)
    }

    /// The argument that the caller gives for a parameter, and where that stands.
    pub(super) fn argument(
        &self,
        analysis: &Analysis<'a>,
        number: usize,
    ) -> Option<(&'a Expr, &'f Frame<'a, 'f>)> {
        let (call, caller) = self.entry?;
        let named = |at: usize| call.named.iter().any(|(given, _)| *given == at);
        if let Some(arg) = call.args.get(number).filter(|_| !named(number)) {
            return Some((arg, caller));
        }
        if self.file.language != Language::Python {
            return None;
        }
        let function = self.function(analysis)?;
        let Pattern::Name(name, _) = &function.params.get(number)?.pattern else {
            return None;
        };
        let (at, _) = call.named.iter().find(|(_, given)| given == name)?;
        Some((call.args.get(*at)?, caller))
    }

    /// The value on which the caller called the method.
    pub(super) fn receiver(&self) -> Option<(&'a Expr, &'f Frame<'a, 'f>)> {
        let (call, caller) = self.entry?;
        match &call.callee.kind {
            ExprKind::Field { of, .. } => Some((of, caller)),
            _ => None,
        }
    }
}
