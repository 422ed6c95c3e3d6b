//! Types of a language in which classes and modules are values: what a path of names is, what a
//! member of a class is, and what a query holds.

use std::sync::Arc;

use crate::model::source::{Call, Expr, ExprKind, SourceFile, TypeRef};

use super::frame::{Analysis, Frame};
use super::origins::{Returned, returned};
use super::program::FnId;
use super::resolve::Callee;
use super::text::Texts;
use super::types::Ty;

/// Decorators that make a method a member.
const MEMBERS: &[&str] = &["property", "cached_property", "functools.cached_property"];

/// What a function that says nothing of its result gives is looked for in so many of its returns.
const MAX_RETURNS: usize = 8;

impl<'a> Analysis<'a> {
    /// The module, or the path outside the tree, that an expression names; none for what the tree
    /// declares and for what has a type.
    pub(super) fn path_in_python(&self, expr: &Expr, frame: &Frame<'a, '_>) -> Option<String> {
        let full = match &expr.kind {
            ExprKind::Name(name) => {
                if frame.binding(self, name, expr.at).is_some() {
                    return None;
                }
                self.program.named(frame.file, name)
            }
            ExprKind::Field { of, name, .. } => {
                let of = self.path_in_python(of, frame)?;
                self.program.aliased(format!("{of}.{name}"))
            }
            _ => return None,
        };
        let typed = self.program.is_declared(&full)
            || self.rule_for(&full).is_some()
            || self.member_of_class(&full).is_some();
        (!typed).then_some(full)
    }

    /// The type of what a path of names leads to; a class counts as a value of its own type.
    pub(super) fn path_type(&self, full: String, frame: &Frame<'a, '_>) -> Option<Ty<'a>> {
        if self.program.type_named(&full).is_some() {
            return Some(Ty::Named(full));
        }
        if let Some(made) = self.decorated_type(&full) {
            return Some(Ty::Named(made.to_string()));
        }
        if self.program.value_named(&full).is_some() {
            return self.value_type(&full, frame);
        }
        if let Some(returns) = self.rule_for(&full) {
            return self.made(returns, None, None, frame);
        }
        if let Some((class, returns)) = self.member_of_class(&full) {
            return self.made(returns, Some(&Ty::Named(class)), None, frame);
        }
        // A class outside the tree, by the way that classes are written.
        let last = full.rsplit('.').next()?;
        let is_class = full.contains('.') && last.starts_with(char::is_uppercase);
        is_class.then_some(Ty::Named(full))
    }

    /// The class outside the tree, and what a rule says of its member.
    fn member_of_class(&self, full: &str) -> Option<(String, &'a str)> {
        let (class, member) = full.rsplit_once('.')?;
        let last = class.rsplit('.').next()?;
        let returns = self.rule_for(&format!("*.{member}"))?;
        let is_class = class.contains('.') && last.starts_with(char::is_uppercase);
        is_class.then(|| (class.to_owned(), returns))
    }

    /// What a rule says that a function, method or member gives.
    fn rule_for(&self, name: &str) -> Option<&'a str> {
        self.learned().gives.get(name).copied()
    }

    /// The type of a member of a class: what its body gives the name, a property, or what a rule
    /// says.
    pub(super) fn member_type(
        &self,
        of: &Ty<'a>,
        names: &[String],
        field: &str,
        frame: &Frame<'a, '_>,
    ) -> Option<Ty<'a>> {
        for name in names {
            let full = format!("{name}.{field}");
            if let Some((file, value)) = self.program.value_named(&full) {
                let ty = match (&value.of, &value.value) {
                    (Some(of), _) => Some(Ty::Written(file, of)),
                    (None, Some(value)) => {
                        let outside = Frame::outside(file, frame.depth + 1);
                        self.type_of(value, &outside)
                    }
                    (None, None) => None,
                };
                // What manages the rows of a class, in that class.
                return ty.map(|ty| self.manages(ty, of));
            }
            let found = self.program.methods.get(name);
            let found = found.and_then(|all| all.get(field)?.first());
            if let Some(id) = found {
                let function = self.program.function(*id);
                let is_member = function
                    .attributes
                    .iter()
                    .any(|text| MEMBERS.contains(&&**text));
                return is_member.then(|| self.given_by(*id, 0, frame)).flatten();
            }
        }
        for name in names {
            // What points here from a class of the tree.
            let full = format!("{name}.{field}");
            if let Some((holder, class)) = self.learned().pointing.get(&full) {
                let class = Arc::new(Ty::Named(class.clone()));
                return Some(match holder.split_once('[') {
                    Some((holder, _)) => Ty::Holding(holder.to_owned(), class),
                    None => (*class).clone(),
                });
            }
        }
        let mut rules = names
            .iter()
            .filter_map(|name| self.rule_for(&format!("{name}.{field}")));
        let any = || self.rule_for(&format!("*.{field}"));
        let returns = rules.next().or_else(any)?;
        self.made(returns, Some(of), None, frame)
    }

    /// What a class is made of that the tree does not declare as one: by rule, or by the value that
    /// its name has.
    pub(super) fn bases_outside(&self, name: &str) -> Vec<String> {
        if let Some(bases) = self.learned().bases.get(name) {
            return bases.iter().map(|base| (*base).to_owned()).collect();
        }
        let Some((file, value)) = self.program.value_named(name) else {
            return Vec::new();
        };
        let (Some(value), Some(_one_deeper)) = (&value.value, self.deeper()) else {
            return Vec::new();
        };
        let of = self.type_of(value, &Frame::outside(file, 0));
        of.map_or_else(Vec::new, |of| self.names_of(&of))
    }

    fn manages(&self, ty: Ty<'a>, owner: &Ty<'a>) -> Ty<'a> {
        let names = self.names_of(&ty);
        let manager = |name: &String| self.rule_for(&format!("{name}.*")) == Some("Self[Owner]");
        match names.first() {
            Some(first) if names.iter().any(manager) => {
                Ty::Holding(first.clone(), Arc::new(owner.clone()))
            }
            _ => ty,
        }
    }

    /// What a function of the tree gives: as it says, else as its returns show.
    pub(super) fn given_by(
        &self,
        id: FnId,
        result: usize,
        frame: &Frame<'a, '_>,
    ) -> Option<Ty<'a>> {
        let function = self.program.function(id);
        let file = self.program.file(id);
        if let Some(of) = function.returns.get(result) {
            return self.settled(Ty::Written(file, of), frame);
        }
        let inner = Frame {
            id: Some(id),
            file,
            entry: None,
            depth: frame.depth + 4,
        };
        let all = returned(function, result);
        let mut all = all.into_iter().take(MAX_RETURNS);
        all.find_map(|value| match value {
            Returned::Value(value) => self.type_of(value, &inner),
            Returned::All(value) => self.result_type(value, result, &inner),
        })
    }

    /// What a type that only names a function stands for: what the function gives.
    pub(super) fn settled(&self, ty: Ty<'a>, frame: &Frame<'a, '_>) -> Option<Ty<'a>> {
        let Ty::Written(file, of) = &ty else {
            return Some(ty);
        };
        match &*of.name {
            "?" => None,
            "result" => self.result_of(file, of, frame),
            _ => Some(ty),
        }
    }

    fn result_of(
        &self,
        file: &'a SourceFile,
        of: &'a TypeRef,
        frame: &Frame<'a, '_>,
    ) -> Option<Ty<'a>> {
        // A base class that a function gives may need the class itself.
        let _one_deeper = self.deeper()?;
        let path = of.args.first()?;
        let full = self.program.named(file, &path.name);
        if let Some(id) = self.program.functions_named(&full).first() {
            let inner = Frame {
                depth: frame.depth + 4,
                ..Frame::outside(file, frame.depth)
            };
            return self.given_by(*id, 0, &inner);
        }
        match self.rule_for(&full) {
            Some(returns) => self.made(returns, None, None, frame),
            None => self.path_type(full, frame),
        }
    }

    /// What a call outside the tree gives: by rule, else, of a class, a value of it.
    pub(super) fn made_in_python(
        &self,
        function: &str,
        receiver: Option<&Ty<'a>>,
        call: &'a Call,
        frame: &Frame<'a, '_>,
    ) -> Option<Ty<'a>> {
        if let Some(returns) = self.rule_for(function) {
            return self.made(returns, receiver, Some(call), frame);
        }
        let last = function.rsplit('.').next()?;
        let is_class = receiver.is_none() && last.starts_with(char::is_uppercase);
        is_class.then(|| Ty::Named(function.to_owned()))
    }

    /// The type that a rule writes: `a.B`, `Self`, `Item`, `@1`, or `a.B[…]`.
    fn made(
        &self,
        returns: &str,
        receiver: Option<&Ty<'a>>,
        call: Option<&'a Call>,
        frame: &Frame<'a, '_>,
    ) -> Option<Ty<'a>> {
        let (name, held) = match returns.split_once('[') {
            Some((name, held)) => (name, held.strip_suffix(']')),
            None => (returns, None),
        };
        let part = |word: &str| -> Option<Ty<'a>> {
            match word {
                "Self" => receiver.cloned(),
                "Item" => self.held_by(receiver?, frame),
                word => match word.strip_prefix('@') {
                    Some(number) => {
                        let at = number.parse::<usize>().ok()?.checked_sub(1)?;
                        self.class_named(call?.args.get(at)?, frame)
                    }
                    None => Some(Ty::Named(word.to_owned())),
                },
            }
        };
        match held {
            None => part(name),
            Some(held) => Some(match part(held) {
                Some(held) => Ty::Holding(name.to_owned(), Arc::new(held)),
                None => Ty::Named(name.to_owned()),
            }),
        }
    }

    /// The class that an argument names, by itself or by its name as a text.
    pub(super) fn class_named(&self, arg: &'a Expr, frame: &Frame<'a, '_>) -> Option<Ty<'a>> {
        let ExprKind::Text(text) = &arg.kind else {
            return self.type_of(arg, frame);
        };
        let own = self.program.named(frame.file, text);
        if self.program.type_named(&own).is_some() {
            return Some(Ty::Named(own));
        }
        // `"app.Model"`: the application, and the class somewhere in it.
        let last = text.rsplit('.').next()?;
        Some(Ty::Named(self.program.type_by_last_name(last)?))
    }

    /// What a value of a type holds: the rows of a query.
    pub(super) fn held_by(&self, ty: &Ty<'a>, frame: &Frame<'a, '_>) -> Option<Ty<'a>> {
        match ty {
            Ty::Holding(_, held) => Some((**held).clone()),
            Ty::Written(file, of) if !of.args.is_empty() => {
                self.settled(Ty::Written(file, of.args.first()?), frame)
            }
            _ => self.names_of(ty).iter().find_map(|name| {
                let (file, decl) = self.program.type_named(name)?;
                let bases = decl.fields.iter().filter(|field| field.embedded);
                let mut held = bases.filter_map(|base| base.of.args.first());
                Some(Ty::Written(file, held.find(|of| &*of.name != "?")?))
            }),
        }
    }

    /// True of a class itself and of a value just made of it: no class that is made of it is meant.
    pub(super) fn is_exact(&self, expr: &'a Expr, frame: &Frame<'a, '_>) -> bool {
        let mut exact = false;
        let callee = match &expr.kind {
            ExprKind::Call(call) => self.resolve(call, frame),
            ExprKind::Name(_) | ExprKind::Field { .. } => {
                self.origins(expr, 0, frame, &mut |origin, inner| {
                    if let ExprKind::Call(call) = &origin.kind {
                        exact |= matches!(self.resolve(call, inner), Callee::Type(_));
                    }
                });
                if exact {
                    return true;
                }
                match self.path_to_class(expr, frame) {
                    Some(name) => Callee::Type(name),
                    None => return false,
                }
            }
            ExprKind::Cast { .. } => return true,
            _ => return false,
        };
        matches!(callee, Callee::Type(_))
    }

    /// The qualified name of the class of the tree that an expression names.
    pub(super) fn path_to_class(&self, expr: &Expr, frame: &Frame<'a, '_>) -> Option<String> {
        let full = match &expr.kind {
            ExprKind::Name(name) if frame.binding(self, name, expr.at).is_none() => {
                self.program.named(frame.file, name)
            }
            ExprKind::Field { of, name, .. } => {
                let of = self.path_in_python(of, frame)?;
                self.program.aliased(format!("{of}.{name}"))
            }
            _ => return None,
        };
        self.program.type_named(&full).is_some().then_some(full)
    }

    /// The qualified name of a constant of a class: `Status.DONE`, `self.topic`.
    pub(super) fn class_constant(
        &self,
        of: &'a Expr,
        name: &str,
        frame: &Frame<'a, '_>,
    ) -> Option<String> {
        let of = self.type_of(of, frame)?;
        let names = self.names_of(&of);
        let mut full = names.iter().map(|of| format!("{of}.{name}"));
        full.find(|full| self.program.value_named(full).is_some())
    }

    /// What a parameter is where the caller gives nothing for it.
    pub(super) fn default_texts(&self, number: usize, frame: &Frame<'a, '_>) -> Option<Texts> {
        frame.entry?;
        let default = frame
            .function(self)?
            .params
            .get(number)?
            .default
            .as_deref()?;
        Some(self.texts(default, &Frame::outside(frame.file, frame.depth)))
    }
}
