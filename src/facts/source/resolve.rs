//! Which functions a call can run.

use std::collections::HashSet;

use crate::model::map::Sureness;
use crate::model::source::{Call, Closure, Expr, ExprKind, Language, TypeKind};

use super::frame::{Analysis, Frame, MAX_DEPTH};
use super::program::FnId;
use super::scope::Bound;

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
                let mut seen: HashSet<FnId> = HashSet::new();
                let mut found: Vec<FnId> = Vec::new();
                for implementor in self.program.implementors(&interface).iter() {
                    let methods = self.program.methods_of(implementor, name);
                    found.extend(methods.into_iter().filter(|id| seen.insert(*id)));
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
