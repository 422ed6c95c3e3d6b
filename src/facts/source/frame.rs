//! Where an expression stands: in a function, entered by a call of another one.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::model::source::{Call, Expr, ExprKind, Function, Language, Pattern, SourceFile};
use crate::rules::Rules;

use super::program::{FnId, Program};
use super::resolve::Callee;
use super::scope::{Binding, Scope};

/// How far values and types are followed from one expression.
pub(super) const MAX_DEPTH: usize = 64;
/// Questions about types that may be asked inside each other.
const MAX_NESTED: u32 = 8;
/// How many steps one question may take in all.
const FUEL: u32 = 20_000;

/// The program with what is known of libraries, and the scopes that were needed so far.
#[derive(Debug)]
pub(super) struct Analysis<'a> {
    /// The tree.
    pub(super) program: Program<'a>,
    /// What is known of libraries.
    pub(super) rules: &'a Rules,
    scopes: Vec<OnceLock<Scope<'a>>>,
    fuel: Cell<u32>,
    /// How many questions about types are asked inside another.
    nested: Cell<u32>,
    /// What rules say that functions, methods and members of Python give, by qualified name.
    pub(super) gives: HashMap<&'a str, &'a str>,
    /// Classes outside the tree that rules say are made of others.
    pub(super) bases: HashMap<&'a str, Vec<&'a str>>,
    /// Members that a class has because another one points to it: what it gives, and the class.
    pub(super) pointing: HashMap<String, (&'a str, String)>,
    /// Types that rules give to functions by their decorators.
    pub(super) made: RefCell<HashMap<FnId, Arc<str>>>,
    /// Decorators of functions, with the function in which they stand.
    pub(super) decorators: HashMap<FnId, Vec<(&'a Call, FnId)>>,
    /// What calls run, as far as the function around them decides it; by the address of the call,
    /// which stays where it is as long as the tree lives.
    kept: RefCell<HashMap<*const Call, Callee<'a>>>,
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

impl<'a> Analysis<'a> {
    /// Nothing is computed yet.
    pub(super) fn new(program: Program<'a>, rules: &'a Rules) -> Self {
        let count = program.functions().count();
        let mut out = Self {
            program,
            rules,
            scopes: (0..count).map(|_| OnceLock::new()).collect(),
            fuel: Cell::new(FUEL),
            nested: Cell::new(0),
            gives: HashMap::new(),
            bases: HashMap::new(),
            pointing: HashMap::new(),
            made: RefCell::default(),
            decorators: HashMap::new(),
            kept: RefCell::default(),
        };
        if out.program.has_python() {
            out.learn_rules();
            out.learn_relations();
            out.learn_decorators();
        }
        out
    }

    /// Goes one question deeper; none where that is too deep.
    pub(super) fn deeper(&self) -> Option<Deeper<'_>> {
        let now = self.nested.get();
        (now < MAX_NESTED && self.burns()).then(|| {
            self.nested.set(now + 1);
            Deeper(&self.nested)
        })
    }

    /// The scope of a function.
    pub(super) fn scope(&self, id: FnId) -> &Scope<'a> {
        self.scopes[id.index()].get_or_init(|| Scope::of(self.program.function(id)))
    }

    /// What was found before for a call.
    pub(super) fn kept(&self, call: &'a Call) -> Option<Callee<'a>> {
        self.kept.borrow().get(&std::ptr::from_ref(call)).cloned()
    }

    /// Keeps what was found for a call, if the question was asked to its end.
    pub(super) fn keep(&self, call: &'a Call, frame: &Frame<'a, '_>, found: &Callee<'a>) {
        if self.fuel.get() > 0 && frame.depth < MAX_DEPTH / 2 {
            let mut kept = self.kept.borrow_mut();
            kept.insert(std::ptr::from_ref(call), found.clone());
        }
    }

    /// Forgets what was found for calls.
    pub(super) fn forget(&mut self) {
        self.kept.borrow_mut().clear();
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
