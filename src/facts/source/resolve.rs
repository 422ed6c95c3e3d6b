//! Which functions a call can run.

use crate::model::map::Sureness;
use crate::model::source::{Call, Closure, Expr, ExprKind, Language, Param, StmtKind, TypeKind};

use super::frame::{Analysis, Frame, MAX_DEPTH};
use super::program::{FnId, separator};
use super::scope::Bound;

/// A call on a value of an unknown type is followed by the name alone to at most this many methods.
const MAX_BY_NAME: usize = 3;

/// Methods of texts, lists, sets and tables in Python: the name alone says nothing.
const COMMON: &[&str] = &[
    "add",
    "append",
    "clear",
    "copy",
    "count",
    "decode",
    "discard",
    "encode",
    "extend",
    "format",
    "get",
    "index",
    "insert",
    "items",
    "join",
    "keys",
    "lower",
    "pop",
    "popitem",
    "remove",
    "replace",
    "reverse",
    "setdefault",
    "sort",
    "split",
    "strip",
    "union",
    "update",
    "upper",
    "values",
];

/// What a call runs.
#[derive(Debug, Clone)]
pub(super) enum Callee<'a> {
    /// Functions of the tree: one, or any of several implementations.
    Functions(Vec<FnId>, Sureness),
    /// A function outside the tree, by qualified name.
    External(String),
    /// A method of a type outside the tree: the types it may be, and the method.
    Method {
        /// Qualified types.
        receivers: Vec<String>,
        /// Name of the method.
        name: String,
    },
    /// A conversion to a type.
    Type(String),
    /// A function without a name.
    Closure(&'a Closure),
    /// A function that a variable, parameter or field holds.
    Value(String),
    /// A method of a value whose type is not known.
    Unknown {
        /// Name of the method.
        name: String,
    },
}

impl<'a> Analysis<'a> {
    /// What a call runs. What the function by itself decides is kept; what depends on who called
    /// the function is asked anew.
    pub(super) fn resolve(&self, call: &'a Call, frame: &Frame<'a, '_>) -> Callee<'a> {
        let alone = match self.kept(call) {
            Some(kept) => kept,
            None => {
                let own = Frame {
                    entry: None,
                    ..*frame
                };
                let found = self.resolve_callee(&call.callee, call.args.len(), &own);
                self.keep(call, frame, &found);
                found
            }
        };
        let decided = match &alone {
            Callee::External(_) | Callee::Type(_) | Callee::Closure(_) => true,
            Callee::Functions(ids, sure) => ids.len() == 1 && *sure == Sureness::High,
            Callee::Method { .. } | Callee::Value(_) | Callee::Unknown { .. } => false,
        };
        if decided || frame.entry.is_none() {
            return alone;
        }
        self.resolve_callee(&call.callee, call.args.len(), frame)
    }

    /// What a function value runs when it is called with so many arguments.
    pub(super) fn resolve_callee(
        &self,
        callee: &'a Expr,
        args: usize,
        frame: &Frame<'a, '_>,
    ) -> Callee<'a> {
        match &callee.kind {
            ExprKind::Name(name) => self.resolve_name(callee, name, args, frame),
            ExprKind::Field { of, name, .. } => {
                if let Some(package) = self.package_of(of, frame) {
                    let full = format!("{package}.{name}");
                    return self.resolve_qualified(match frame.file.language {
                        Language::Python => self.program.aliased(full),
                        _ => full,
                    });
                }
                self.resolve_method(of, name, args, frame)
            }
            ExprKind::Closure(closure) => Callee::Closure(closure),
            ExprKind::Cast { to, .. } => Callee::Type(self.program.type_name(frame.file, to)),
            ExprKind::Type(of) => Callee::Type(self.program.type_name(frame.file, of)),
            // `f[T](x)`: a generic function with its type.
            ExprKind::Index { of, .. } => match self.resolve_callee(of, args, frame) {
                Callee::Unknown { name } | Callee::Value(name) => Callee::Value(name),
                known => known,
            },
            _ => Callee::Value("a computed function".into()),
        }
    }

    fn resolve_name(
        &self,
        callee: &'a Expr,
        name: &str,
        args: usize,
        frame: &Frame<'a, '_>,
    ) -> Callee<'a> {
        if frame.depth > MAX_DEPTH || !self.burns() {
            return Callee::Value(name.to_owned());
        }
        let Some(binding) = frame.binding(self, name, callee.at).copied() else {
            let head = name.split("::").next().unwrap_or(name);
            let path = match (frame.file.language, head, frame.function(self)) {
                (Language::Python, ..) => self.program.named(frame.file, name),
                (Language::Rust, "Self", Some(function)) => {
                    let owner = function.owner.as_deref().unwrap_or(head);
                    let owner = self.program.named(frame.file, owner);
                    name.replacen("Self", &owner, 1)
                }
                _ => self.program.named(frame.file, name),
            };
            return self.resolve_qualified(path);
        };
        let inner = Frame {
            depth: frame.depth + 1,
            ..*frame
        };
        match binding.is {
            Bound::Value {
                value: Some(value), ..
            } if frame.file.language == Language::Python && !is_function(value) => {
                let partial = self.partly(value, &inner);
                partial.unwrap_or_else(|| Callee::Value(name.to_owned()))
            }
            Bound::Value {
                value: Some(value), ..
            } if is_function(value) => self.resolve_callee(value, args, &inner),
            // A class makes a value of itself: `cls()`.
            Bound::Receiver if frame.file.language == Language::Python => {
                let of = self.type_of(callee, &inner);
                let names = of.map_or_else(Vec::new, |of| self.names_of(&of));
                match names.into_iter().next() {
                    Some(class) => Callee::Type(class),
                    None => Callee::Value(name.to_owned()),
                }
            }
            Bound::Param(at, _) => match frame.argument(self, at) {
                Some((arg, caller)) if is_function(arg) => self.resolve_callee(
                    arg,
                    args,
                    &Frame {
                        depth: inner.depth,
                        ..*caller
                    },
                ),
                _ => Callee::Value(name.to_owned()),
            },
            _ => Callee::Value(name.to_owned()),
        }
    }

    /// What a function runs that is given some of its arguments beforehand: `partial(f, x)`.
    fn partly(&self, value: &'a Expr, frame: &Frame<'a, '_>) -> Option<Callee<'a>> {
        let ExprKind::Call(call) = &value.kind else {
            return None;
        };
        if frame.file.language != Language::Python || frame.depth > MAX_DEPTH {
            return None;
        }
        match self.resolve_callee(&call.callee, call.args.len(), frame) {
            Callee::External(full) if full == "functools.partial" => {
                Some(self.resolve_callee(call.args.first()?, usize::MAX, frame))
            }
            _ => None,
        }
    }

    /// What a qualified name runs.
    fn resolve_qualified(&self, name: String) -> Callee<'a> {
        let found = self.program.functions_named(&name);
        if !found.is_empty() {
            return Callee::Functions(found.to_vec(), Sureness::High);
        }
        if self.program.type_named(&name).is_some() {
            return Callee::Type(name);
        }
        if let Some((file, value)) = self.program.value_named(&name) {
            let inner = Frame::outside(file, MAX_DEPTH / 2);
            let partial = value
                .value
                .as_ref()
                .and_then(|value| self.partly(value, &inner));
            return partial.unwrap_or(Callee::Value(name));
        }
        // `Trait::method(x)`, or a method that an alias or a re-exported type has.
        if let Some((of, method)) = name.rsplit_once("::") {
            let of = of.to_owned();
            let found = self.methods_by_type(&[of], method);
            if let Some((ids, sure)) = found {
                return Callee::Functions(ids, sure);
            }
        }
        Callee::External(name)
    }

    fn resolve_method(
        &self,
        of: &'a Expr,
        name: &str,
        args: usize,
        frame: &Frame<'a, '_>,
    ) -> Callee<'a> {
        let inner = Frame {
            depth: frame.depth + 1,
            ..*frame
        };
        let Some(ty) = self.type_of(of, &inner) else {
            return self.by_name_alone(name, args, frame);
        };
        let names = self.names_of(&ty);
        if let Some((ids, sure)) = self.methods_by_type(&names, name) {
            if frame.file.language == Language::Python && !self.is_exact(of, &inner) {
                return self.or_overridden(ids, sure, &names, name);
            }
            return Callee::Functions(ids, sure);
        }
        // A class inside a class, and what is given to it as an attribute.
        if frame.file.language == Language::Python {
            for known in &names {
                let full = format!("{known}.{name}");
                if self.program.type_named(&full).is_some() {
                    return Callee::Type(full);
                }
            }
        }
        // A field that holds a function.
        if let Some(field) = self.field_type(&ty, name) {
            let held = self.names_of(&field);
            let unknown = held.iter().all(|held| matches!(&**held, "?" | "result"));
            if !unknown || frame.file.language != Language::Python {
                return Callee::Value(name.to_owned());
            }
        }
        let outside: Vec<String> = names
            .into_iter()
            .filter(|known| self.is_outside(known, frame))
            .collect();
        if outside.is_empty() {
            return self.by_name_alone(name, args, frame);
        }
        Callee::Method {
            receivers: outside,
            name: name.to_owned(),
        }
    }

    /// True of a type that the tree does not declare, and of an interface, which others may
    /// implement.
    fn is_outside(&self, name: &str, frame: &Frame<'a, '_>) -> bool {
        let builtin = frame.file.language == Language::Python
            && !matches!(
                name,
                "?" | "[]" | "map" | "func" | "tuple" | "dyn" | "result"
            );
        match self.program.type_named(name) {
            None if builtin => true,
            None => name.contains('.') || name.contains("::"),
            Some((_, decl)) => decl.kind == TypeKind::Interface,
        }
    }

    /// Methods of the first of these types that has one; of an interface, those of all that
    /// implement it.
    fn methods_by_type(&self, types: &[String], name: &str) -> Option<(Vec<FnId>, Sureness)> {
        for of in types {
            let asked = self.program.asks_for(of, name);
            let outer_trait = self.program.type_named(of).is_none();
            if let Some(interface) = asked.or_else(|| outer_trait.then(|| of.clone())) {
                let mut found: Vec<FnId> = Vec::new();
                for implementor in self.program.implementors(&interface).iter() {
                    for id in self.program.methods_of(implementor, name) {
                        if !found.contains(&id) {
                            found.push(id);
                        }
                    }
                }
                if found.is_empty() {
                    found = self.program.methods_of(&interface, name);
                }
                match found.len() {
                    0 => continue,
                    1 => return Some((found, Sureness::High)),
                    _ => return Some((found, Sureness::Medium)),
                }
            }
            let found = self.program.methods_of(of, name);
            if !found.is_empty() {
                return Some((found, Sureness::High));
            }
        }
        None
    }

    /// The methods of classes that are made of one of these types count as well.
    fn or_overridden(
        &self,
        mut ids: Vec<FnId>,
        sure: Sureness,
        types: &[String],
        name: &str,
    ) -> Callee<'a> {
        let before = ids.len();
        let first = types.first().into_iter();
        for sub in first.flat_map(|of| self.program.subclasses_of(of)) {
            let own = self.program.methods.get(&sub).and_then(|all| all.get(name));
            for id in own.into_iter().flatten() {
                if !ids.contains(id) {
                    ids.push(*id);
                }
            }
        }
        let own = ids.len() == before;
        if !own && ids.iter().any(|id| !self.is_left_open(*id)) {
            ids.retain(|id| !self.is_left_open(*id));
        }
        let sure = match own || ids.len() == 1 {
            true => sure,
            false => sure.min(Sureness::Medium),
        };
        Callee::Functions(ids, sure)
    }

    /// True of a method that only says that others have to write it.
    fn is_left_open(&self, id: FnId) -> bool {
        let stmts = &self.program.function(id).body.stmts;
        stmts.iter().all(|stmt| match &stmt.kind {
            StmtKind::Expr(expr) => match &expr.kind {
                ExprKind::Call(call) => {
                    matches!(&call.callee.kind, ExprKind::Name(name) if &**name == "raise")
                }
                _ => false,
            },
            StmtKind::Return(values) => values.is_empty(),
            StmtKind::Leave => true,
            _ => false,
        })
    }

    /// A method of a value of unknown type: those of this name that the file can know, if few.
    fn by_name_alone(&self, name: &str, args: usize, frame: &Frame<'a, '_>) -> Callee<'a> {
        let unknown = Callee::Unknown {
            name: name.to_owned(),
        };
        let known = self.candidates(name, args, frame);
        let common = frame.file.language == Language::Python && COMMON.contains(&name);
        match known.len() {
            1..=MAX_BY_NAME if !common => Callee::Functions(known, Sureness::Low),
            _ => unknown,
        }
    }

    /// The methods of a name that take so many arguments and that a file can know.
    pub(super) fn candidates(&self, name: &str, args: usize, frame: &Frame<'a, '_>) -> Vec<FnId> {
        let all = self.program.methods_named(name).iter().copied();
        all.filter(|id| {
            let function = self.program.function(*id);
            let rest = function.params.iter().any(|param| param.rest);
            let needed = |param: &&Param| param.default.is_none() && !param.rest;
            let needed = function.params.iter().filter(needed).count();
            let fits = args >= needed && (args <= function.params.len() || rest);
            args != usize::MAX && fits && self.can_know(frame, *id)
        })
        .collect()
    }

    /// True if a value of the method's type can come into this file by its imports.
    fn can_know(&self, frame: &Frame<'a, '_>, id: FnId) -> bool {
        let other = self.program.file(id);
        if other.language != frame.file.language {
            return false;
        }
        match other.language {
            Language::Go => {
                other.package == frame.file.package
                    || frame
                        .file
                        .imports
                        .iter()
                        .any(|import| import.target == other.package)
            }
            // What a module does not bring in by name, others bring in for it.
            Language::Python => {
                let root = |name: &str| name.split('.').next().map(str::to_owned);
                root(&other.package) == root(&frame.file.package)
            }
            Language::Rust => {
                let root = |name: &str| {
                    name.split(separator(Language::Rust))
                        .next()
                        .map(str::to_owned)
                };
                root(&other.package) == root(&frame.file.package)
            }
        }
    }
}

impl<'a> Analysis<'a> {
    /// The functions of the tree that a call runs: those it names, and what makes a value of a class.
    pub(super) fn runs(&self, callee: &Callee<'a>) -> Vec<FnId> {
        match callee {
            Callee::Functions(ids, _) => ids.clone(),
            Callee::Type(name) if self.program.has_python() => {
                let makers = ["__init__", "__post_init__"].into_iter();
                makers
                    .flat_map(|maker| self.program.methods_of(name, maker))
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

/// True of an expression that names a function without calling it.
pub(super) fn is_function(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Name(_) | ExprKind::Field { .. } | ExprKind::Closure(_)
    )
}

/// Functions of Go that every file has, and that leave nothing behind.
pub(super) fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "append"
            | "cap"
            | "clear"
            | "close"
            | "complex"
            | "copy"
            | "delete"
            | "imag"
            | "len"
            | "make"
            | "max"
            | "min"
            | "new"
            | "panic"
            | "print"
            | "println"
            | "real"
            | "recover"
    )
}
