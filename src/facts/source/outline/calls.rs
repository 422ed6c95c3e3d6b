//! Calls: statements of SQL, errors that are raised, functions of the tree, and all else.

use std::sync::Arc;

use crate::model::guarantee::{Called, Node, Ran, Test, What};
use crate::model::source::{Call, Expr, ExprKind};
use crate::rules::GuardRole;

use super::super::frame::{Analysis, Frame};
use super::super::program::FnId;
use super::super::resolve::Callee;
use super::super::texts::called_name;
use super::expr::shown;
use super::walk::{MAX_CALLS, Walk};

/// A call with more implementations than this is not followed.
const MAX_IMPLEMENTATIONS: usize = 4;
/// Words with which a statement begins.
const VERBS: &[&str] = &[
    "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH", "LOCK",
];

impl<'a> Analysis<'a> {
    /// The argument of a call that holds its statement: by the rules for effects, and of a method of
    /// a value of unknown type where what it is given begins as SQL does.
    fn statement_at(
        &self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> Option<usize> {
        self.refuel();
        if let Some(at) = self.sql_argument(call, callee, frame) {
            return Some(at);
        }
        let open = matches!(callee, Callee::Unknown { .. } | Callee::Value(_));
        let at = self.sql_argument_of(call, frame).filter(|_| open)?;
        let texts = self.texts(call.args.get(at)?, frame);
        // A text that is known and no SQL is for somebody else; one that is not known may be SQL.
        let is_sql = texts.options.iter().any(|text| {
            let sql = text.as_sql();
            let verb = sql.split_whitespace().next().unwrap_or_default();
            let begins = VERBS.iter().any(|known| known.eq_ignore_ascii_case(verb));
            begins || text.constant().is_none()
        });
        is_sql.then_some(at)
    }

    /// The functions that a call runs; for a method that a protocol only asks for, those of the classes
    /// that have all that it asks for.
    pub(super) fn filled_in(&self, ids: &[FnId]) -> Vec<FnId> {
        let mut found = Vec::new();
        for id in ids {
            let others = self.of_protocol(*id);
            match others.is_empty() {
                true => found.push(*id),
                false => found.extend(others),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The functions of the tree that a call runs; what a protocol does not even ask for is one of the
    /// methods of that name.
    pub(super) fn in_tree(
        &self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> Vec<FnId> {
        match callee {
            Callee::Functions(ids, _) => self.filled_in(ids),
            Callee::Method { receivers, name } if receivers.iter().any(|of| is_protocol(of)) => {
                self.candidates(name, call.args.len(), frame)
            }
            other => self.runs(other),
        }
    }

    fn of_protocol(&self, id: FnId) -> Vec<FnId> {
        let program = self.program;
        let (file, function) = (program.file(id), program.function(id));
        let Some(owner) = function.owner.as_ref().filter(|_| self.is_left_open(id)) else {
            return Vec::new();
        };
        let owner = program.named(file, owner);
        let is_protocol = program.type_named(&owner).is_some_and(|(file, decl)| {
            let mut bases = decl.fields.iter().filter(|field| field.embedded);
            bases.any(|base| is_protocol(&program.type_name(file, &base.of)))
        });
        let Some(asked) = program.methods.get(&owner).filter(|_| is_protocol) else {
            return Vec::new();
        };
        let mut found: Vec<FnId> = program
            .methods
            .iter()
            .filter(|(class, own)| {
                **class != owner && asked.keys().all(|name| own.contains_key(name))
            })
            .filter_map(|(_, own)| own.get(&*function.name))
            .flatten()
            .copied()
            .collect();
        found.sort_unstable();
        found
    }

    /// True of a call that runs a statement.
    pub(super) fn is_statement(
        &self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> bool {
        self.statement_at(call, callee, frame).is_some()
    }
}

/// The type of which every protocol is made.
fn is_protocol(of: &str) -> bool {
    matches!(of, "typing.Protocol" | "typing_extensions.Protocol")
}

impl<'a> Walk<'a, '_> {
    /// The role that a rule gives a call.
    pub(super) fn role(&self, call: &'a Call, frame: &Frame<'a, '_>) -> Option<GuardRole> {
        self.analysis.refuel();
        let callee = self.analysis.resolve(call, frame);
        let rule = self.analysis.guard_rule(call, &callee, false, frame)?;
        Some(rule.role)
    }

    /// True if a block that is entered with it is a transaction: by a rule, and of a value of unknown
    /// type by the method that rules name for all connections.
    pub(super) fn begins(&self, call: &'a Call, frame: &Frame<'a, '_>) -> bool {
        if self.role(call, frame) == Some(GuardRole::Begin) {
            return true;
        }
        let open = matches!(
            self.analysis.resolve(call, frame),
            Callee::Unknown { .. } | Callee::Value(_)
        );
        let name = called_name(call);
        open && call.args.is_empty()
            && self.analysis.rules.guards.iter().any(|rule| {
                let pattern = rule.call.as_ref();
                rule.language == frame.file.language
                    && rule.role == GuardRole::Begin
                    && pattern.is_some_and(|it| it.method.iter().any(|known| **known == *name))
            })
    }

    /// A call whose parts have been gone through.
    pub(super) fn call(&mut self, call: &'a Call, frame: &Frame<'a, '_>, out: &mut Vec<Node>) {
        let place = frame.file.place(call.at);
        if matches!(&call.callee.kind, ExprKind::Name(name) if &**name == "raise") {
            let what = What::Raise(call.args.first().map(|arg| self.raised(arg, frame)));
            // What was made to be raised is no step of its own.
            return self.push(place, what, out);
        }
        self.analysis.refuel();
        let callee = self.analysis.resolve(call, frame);
        if self.statement(call, &callee, frame, out) {
            return;
        }
        if self.role(call, frame) == Some(GuardRole::Commit) {
            return self.push(place, What::Commit, out);
        }
        let ids = match &callee {
            Callee::Functions(..) | Callee::Method { .. } => {
                self.analysis.in_tree(call, &callee, frame)
            }
            _ => Vec::new(),
        };
        if !ids.is_empty() && ids.len() <= MAX_IMPLEMENTATIONS {
            let mut arms: Vec<Vec<Node>> = Vec::new();
            for id in ids {
                let mut arm = Vec::new();
                let called = self.entered(id, call, frame);
                self.push(place.clone(), What::Call(called), &mut arm);
                arms.push(arm);
            }
            match arms.len() {
                1 => out.extend(arms.into_iter().flatten()),
                _ => self.push(
                    place,
                    What::Branch {
                        test: Test::default(),
                        arms,
                    },
                    out,
                ),
            }
            return;
        }
        let names: Vec<Arc<str>> = match &callee {
            Callee::Functions(ids, _) => ids.iter().map(|id| self.name_of(*id)).collect(),
            Callee::External(name) | Callee::Type(name) => vec![name.as_str().into()],
            Callee::Method { receivers, name } => receivers
                .iter()
                .map(|of| format!("{of}.{name}").into())
                .collect(),
            Callee::Value(name) | Callee::Unknown { name } => vec![name.as_str().into()],
            Callee::Closure(_) => Vec::new(),
        };
        let unknown = matches!(
            callee,
            Callee::Value(_) | Callee::Unknown { .. } | Callee::Functions(..)
        );
        let called = Called {
            names,
            unknown,
            ..self.given(call, frame)
        };
        self.push(place, What::Call(called), out);
    }

    /// A function of the tree, gone through where it is called.
    fn entered(&mut self, id: FnId, call: &'a Call, frame: &Frame<'a, '_>) -> Called {
        let mut called = Called {
            names: vec![self.name_of(id)],
            ..self.given(call, frame)
        };
        if self.open.contains(&id) || self.open.len() >= MAX_CALLS || self.left == 0 {
            let place = frame.file.place(call.at);
            self.cut.get_or_insert(place);
            called.unknown = true;
            return called;
        }
        let inner = frame.enter(self.analysis, id, call);
        self.open.push(id);
        let mut body = Vec::new();
        let function = self.analysis.program.function(id);
        self.block(&function.body, &inner, &mut body);
        self.open.pop();
        called.body = Some(self.around(id, body));
        called
    }

    /// What a call is given.
    fn given(&mut self, call: &'a Call, frame: &Frame<'a, '_>) -> Called {
        let mut called = Called {
            shown: shown(&call.callee),
            ..Called::default()
        };
        for (at, arg) in call.args.iter().enumerate() {
            let test = self.test(arg, frame);
            match call.named.iter().find(|(named, _)| *named == at) {
                Some((_, name)) => called.named.push((Arc::clone(name), test)),
                None => called.args.push(test),
            }
            if matches!(arg.kind, ExprKind::Name(_) | ExprKind::Field { .. }) {
                self.analysis.refuel();
                if let Callee::Functions(ids, _) =
                    self.analysis.resolve_callee(arg, usize::MAX, frame)
                {
                    called
                        .given
                        .extend(ids.into_iter().map(|id| self.name_of(id)));
                }
            }
        }
        called
    }

    /// The type of an error that is raised; its name where it is a value.
    fn raised(&self, error: &'a Expr, frame: &Frame<'a, '_>) -> Arc<str> {
        self.analysis.refuel();
        let made = match &error.kind {
            ExprKind::Call(call) => self.analysis.resolve(call, frame),
            _ => self.analysis.resolve_callee(error, 0, frame),
        };
        match made {
            Callee::Type(name) | Callee::External(name) => name.into(),
            _ => shown(error),
        }
    }

    /// A statement, if the call runs one; several ways where its text can be one of several.
    pub(super) fn statement(
        &mut self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
        out: &mut Vec<Node>,
    ) -> bool {
        let Some(at) = self.analysis.statement_at(call, callee, frame) else {
            return false;
        };
        let place = frame.file.place(call.at);
        let connection = self.connection_of(call, frame);
        let apart = connection.is_some()
            && !self.within.is_empty()
            && self
                .within
                .iter()
                .all(|it| it.is_some() && *it != connection);
        if let Some(connection) = connection.filter(|it| !self.within.contains(&Some(*it))) {
            self.used.insert(connection);
        }
        let (given, named) = match call.args.get(at + 1) {
            Some(given) => self.values(given, frame),
            None => (Vec::new(), Vec::new()),
        };
        let mut arms: Vec<Ran> = Vec::new();
        let mut complete = false;
        if let Some(text) = call.args.get(at) {
            self.analysis.refuel();
            let texts = self.analysis.texts(text, frame);
            complete = texts.complete;
            for text in &texts.options {
                let sql = text.as_sql();
                let begins = sql.split_whitespace().next().unwrap_or_default();
                let known = VERBS.iter().any(|verb| verb.eq_ignore_ascii_case(begins));
                arms.push(Ran {
                    sql: (known || text.constant().is_some()).then(|| sql.into()),
                    shown: text.shown().into(),
                    apart,
                    given: given.clone(),
                    named: named.clone(),
                });
            }
        }
        if arms.is_empty()
            || (!complete && arms.iter().all(|arm| arm.sql.is_some()) && arms.len() > 1)
        {
            arms.push(Ran {
                given,
                named,
                ..Ran::default()
            });
        }
        if arms.len() == 1 {
            let ran = arms.pop().unwrap_or_default();
            self.push(place, What::Statement(ran), out);
            return true;
        }
        let arms = arms.into_iter().map(|ran| {
            vec![Node {
                place: place.clone(),
                what: What::Statement(ran),
            }]
        });
        let what = What::Branch {
            test: Test::default(),
            arms: arms.collect(),
        };
        self.push(place.clone(), what, out);
        true
    }

    /// What a statement is given: a tuple or list by position, a dict by name.
    fn values(&self, given: &'a Expr, frame: &Frame<'a, '_>) -> (Vec<Test>, Vec<(Arc<str>, Test)>) {
        let ExprKind::Make { fields, .. } = &given.kind else {
            return (Vec::new(), Vec::new());
        };
        let mut by_position = Vec::new();
        let mut by_name = Vec::new();
        for field in fields {
            let test = self.test(&field.value, frame);
            match &field.name {
                Some(name) => by_name.push((Arc::clone(name), test)),
                None => by_position.push(test),
            }
        }
        (by_position, by_name)
    }
}
