//! Which type an expression has, as far as declarations, imports and rules say.

use std::sync::Arc;

use crate::model::source::{
    Call, Expr, ExprKind, Language, Operator, SourceFile, TypeKind, TypeRef,
};

use super::frame::{Analysis, Frame, MAX_DEPTH};
use super::matching::unversioned;
use super::program::separator;
use super::resolve::Callee;
use super::scope::Bound;
use super::wrappers::{PASSING, TRANSPARENT};

/// A type.
#[derive(Debug, Clone)]
pub(super) enum Ty<'a> {
    /// As a file writes it.
    Written(&'a SourceFile, &'a TypeRef),
    /// Any of these, as a file writes them: the bounds of a type parameter.
    AnyOf(&'a SourceFile, &'a [TypeRef]),
    /// By qualified name.
    Named(String),
    /// By qualified name, with what it holds: a query and its rows.
    Holding(String, Arc<Ty<'a>>),
}

impl<'a> Analysis<'a> {
    /// The type of an expression.
    pub(super) fn type_of(&self, expr: &'a Expr, frame: &Frame<'a, '_>) -> Option<Ty<'a>> {
        self.result_type(expr, 0, frame)
    }

    /// The type of one result of an expression.
    pub(super) fn result_type(
        &self,
        expr: &'a Expr,
        result: usize,
        frame: &Frame<'a, '_>,
    ) -> Option<Ty<'a>> {
        if frame.depth > MAX_DEPTH || !self.burns() {
            return None;
        }
        let frame = &Frame {
            depth: frame.depth + 1,
            ..*frame
        };
        match &expr.kind {
            ExprKind::Name(name) => self.name_type(expr, name, frame),
            ExprKind::Field { of, name, .. } => {
                if let Some(package) = self.package_of(of, frame) {
                    return match frame.file.language {
                        Language::Python => {
                            let full = self.program.aliased(format!("{package}.{name}"));
                            self.path_type(full, frame)
                        }
                        _ => self.value_type(&format!("{package}.{name}"), frame),
                    };
                }
                let of = self.type_of(of, frame)?;
                if frame.file.language == Language::Python {
                    let names = self.names_of(&of);
                    let found = self.field_type(&of, name);
                    let found = found.and_then(|found| self.settled(found, frame));
                    return found.or_else(|| self.member_type(&of, &names, name, frame));
                }
                self.field_type(&of, name)
            }
            ExprKind::Call(call) => self.call_type(call, result, frame),
            ExprKind::Make { of, .. } => Some(Ty::Written(frame.file, of.as_ref()?)),
            ExprKind::Cast { to, .. } if result == 0 => Some(Ty::Written(frame.file, to)),
            ExprKind::Index { of, .. } => {
                let of = self.type_of(of, frame)?;
                self.element(&of, 1)
            }
            ExprKind::Binary {
                op: Operator::Or | Operator::And,
                left,
                right,
            } if frame.file.language == Language::Python => {
                let left = self.type_of(left, frame);
                left.or_else(|| self.type_of(right, frame))
            }
            ExprKind::Text(_) => Some(Ty::Named("string".into())),
            ExprKind::Block(block) => match &block.stmts.last()?.kind {
                crate::model::source::StmtKind::Expr(last) => self.type_of(last, frame),
                _ if frame.file.language == Language::Python => {
                    let mut values = super::origins::given(block)?.into_iter();
                    values.find_map(|value| self.type_of(value, frame))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn name_type(&self, expr: &'a Expr, name: &str, frame: &Frame<'a, '_>) -> Option<Ty<'a>> {
        let binding = frame.binding(self, name, expr.at).copied();
        let Some(binding) = binding else {
            let name = self.program.named(frame.file, name);
            return match frame.file.language {
                Language::Python => self.path_type(name, frame),
                _ => self.value_type(&name, frame),
            };
        };
        match binding.is {
            Bound::Receiver => {
                let function = frame.function(self)?;
                let owner = function.owner.as_ref()?;
                let owner = self.program.named(frame.file, owner);
                if frame.file.language == Language::Python
                    && let Some((of, caller)) = frame.receiver()
                {
                    let of = match &of.kind {
                        // `super()` is the receiver of the caller.
                        ExprKind::Cast { value, .. } => value,
                        _ => of,
                    };
                    let caller = Frame {
                        depth: frame.depth,
                        ..*caller
                    };
                    let given = self.type_of(of, &caller);
                    let fits = |given: &Ty<'a>| self.names_of(given).contains(&owner);
                    if let Some(given) = given.filter(fits) {
                        return Some(given);
                    }
                }
                Some(Ty::Named(owner))
            }
            Bound::Param(at, of) => {
                let declared = self.written(frame, of);
                let is_open = match &declared {
                    Some(ty) => self.is_open(ty),
                    None => true,
                };
                if is_open && let Some((arg, caller)) = frame.argument(self, at) {
                    let given = self.type_of(
                        arg,
                        &Frame {
                            depth: frame.depth,
                            ..*caller
                        },
                    );
                    if given.as_ref().is_some_and(|given| !self.is_open(given)) {
                        return given;
                    }
                }
                let default = || match frame.file.language {
                    Language::Python => self.default_type(at, frame),
                    _ => None,
                };
                declared.or_else(default)
            }
            Bound::Typed(of) => self.written(frame, of),
            Bound::Value { of: Some(of), .. } => self.written(frame, of),
            Bound::Value { value, result, .. } => self.result_type(value?, result, frame),
            Bound::Each(list, at) => {
                let list = self.type_of(list, frame)?;
                self.element(&list, at)
            }
            Bound::Part(of, part) => {
                let (holder, variant) = of.rsplit_once("::").unwrap_or((of, ""));
                let part = match variant {
                    "" => part.to_owned(),
                    variant => format!("{variant}.{part}"),
                };
                let whole = Ty::Named(self.program.named(frame.file, holder));
                let own = Ty::Named(self.program.named(frame.file, of));
                self.field_type(&whole, &part)
                    .or_else(|| self.field_type(&own, part.rsplit('.').next()?))
            }
            Bound::Opaque => None,
        }
    }

    /// A type as the function of a frame writes it: a type parameter stands for its bounds.
    fn written(&self, frame: &Frame<'a, '_>, of: &'a TypeRef) -> Option<Ty<'a>> {
        if &*of.name == "?" {
            return None;
        }
        let function = frame.function(self);
        let generics = function.map_or(&[][..], |function| &function.generics);
        if let Some((_, bounds)) = generics.iter().find(|(name, _)| *name == of.name) {
            return Some(Ty::AnyOf(frame.file, bounds));
        }
        if &*of.name == "Self" {
            let owner = function?.owner.as_ref()?;
            return Some(Ty::Named(self.program.named(frame.file, owner)));
        }
        Some(Ty::Written(frame.file, of))
    }

    /// True of a type that says little of the value: an interface, a type parameter, `any`.
    fn is_open(&self, ty: &Ty<'a>) -> bool {
        match ty {
            Ty::AnyOf(..) => true,
            _ => self.names_of(ty).iter().all(|name| {
                matches!(&**name, "any" | "interface{}" | "error" | "func" | "dyn")
                    || self
                        .program
                        .type_named(name)
                        .is_some_and(|(_, decl)| decl.kind == TypeKind::Interface)
            }),
        }
    }

    fn default_type(&self, number: usize, frame: &Frame<'a, '_>) -> Option<Ty<'a>> {
        let function = frame.function(self)?;
        let default = function.params.get(number)?.default.as_deref()?;
        self.type_of(default, &Frame::outside(frame.file, frame.depth))
    }

    pub(super) fn value_type(&self, name: &str, frame: &Frame<'a, '_>) -> Option<Ty<'a>> {
        let (file, value) = self.program.value_named(name)?;
        match (&value.of, &value.value) {
            (Some(of), _) => Some(Ty::Written(file, of)),
            (None, Some(value)) => self.type_of(value, &Frame::outside(file, frame.depth)),
            (None, None) => None,
        }
    }

    /// The type of a field, that of an embedded struct too.
    pub(super) fn field_type(&self, of: &Ty<'a>, field: &str) -> Option<Ty<'a>> {
        self.names_of(of).iter().find_map(|name| {
            let (file, decl) = self.program.type_named(name)?;
            let found = decl.fields.iter().find(|known| &*known.name == field)?;
            Some(Ty::Written(file, &found.of))
        })
    }

    fn call_type(&self, call: &'a Call, result: usize, frame: &Frame<'a, '_>) -> Option<Ty<'a>> {
        if let ExprKind::Name(name) = &call.callee.kind {
            match (&**name, call.args.first().map(|arg| &arg.kind)) {
                ("new" | "make", Some(ExprKind::Type(of))) => {
                    return Some(Ty::Written(frame.file, of));
                }
                ("new", Some(ExprKind::Name(of))) => {
                    return Some(Ty::Named(self.program.named(frame.file, of)));
                }
                ("append", Some(_)) => return self.type_of(&call.args[0], frame),
                _ => {}
            }
        }
        match self.resolve(call, frame) {
            Callee::Functions(ids, _) => {
                let id = *ids.first()?;
                if frame.file.language == Language::Python {
                    return self.given_by(id, result, frame);
                }
                let function = self.program.function(id);
                let of = function.returns.get(result)?;
                let inner = Frame {
                    id: Some(id),
                    file: self.program.file(id),
                    entry: None,
                    depth: frame.depth,
                };
                self.written(&inner, of)
            }
            Callee::External(name) => {
                if let Some(held) = held(&name, call) {
                    return self.type_of(held, frame);
                }
                if frame.file.language == Language::Python {
                    return self.made_in_python(&name, None, call, frame);
                }
                self.made_by(frame.file.language, &name, result)
            }
            Callee::Method { receivers, name } => {
                if let Some(passed) = self.passed(call, &name, frame) {
                    return Some(passed);
                }
                if frame.file.language == Language::Python
                    && let ExprKind::Field { of, .. } = &call.callee.kind
                {
                    let of = self.type_of(of, frame);
                    return receivers.iter().find_map(|receiver| {
                        let full = format!("{receiver}.{name}");
                        self.made_in_python(&full, of.as_ref(), call, frame)
                    });
                }
                let sep = separator(frame.file.language);
                receivers.iter().find_map(|receiver| {
                    self.made_by(
                        frame.file.language,
                        &format!("{receiver}{sep}{name}"),
                        result,
                    )
                })
            }
            Callee::Type(name) => Some(Ty::Named(name)),
            Callee::Unknown { name } => self.passed(call, &name, frame),
            // A class that a name holds makes a value of it.
            Callee::Value(_) if frame.file.language == Language::Python && result == 0 => {
                self.type_of(&call.callee, frame)
            }
            Callee::Closure(_) | Callee::Value(_) => None,
        }
    }

    /// The type of what a method is called on, where the method gives that on, or what it holds.
    fn passed(&self, call: &'a Call, method: &str, frame: &Frame<'a, '_>) -> Option<Ty<'a>> {
        let ExprKind::Field { of, .. } = &call.callee.kind else {
            return None;
        };
        if frame.file.language != Language::Rust {
            return None;
        }
        match method {
            "get" | "get_mut" => self.kept_by_key(&self.type_of(of, frame)?),
            _ if PASSING.contains(&method) => self.type_of(of, frame),
            _ => None,
        }
    }

    /// The type that a function outside the tree gives: by rule, else by the conventions of the
    /// language (`pkg.NewRouter` gives a `pkg.Router`, `Type::new` a `Type`).
    fn made_by(&self, language: Language, function: &str, result: usize) -> Option<Ty<'a>> {
        let named = (language, unversioned(function));
        if let Some(returns) = self.learned().results.get(&named) {
            return returns.get(result).map(|of| Ty::Named(of.to_string()));
        }
        if result > 0 {
            return None;
        }
        match language {
            Language::Go => {
                let (package, name) = function.rsplit_once('.')?;
                let made = name.strip_prefix("New").filter(|made| !made.is_empty())?;
                // A method of a type, not a function of a package.
                let is_method = package.rsplit('/').next()?.contains('.')
                    && package.rsplit('.').next()?.starts_with(char::is_uppercase);
                (!is_method).then(|| Ty::Named(format!("{package}.{made}")))
            }
            Language::Python => None,
            Language::Rust => {
                let (of, _) = function.rsplit_once("::")?;
                let last = of.rsplit("::").next()?;
                last.starts_with(char::is_uppercase)
                    .then(|| Ty::Named(of.to_owned()))
            }
        }
    }

    /// The package that an expression names: an import that nothing in the function hides.
    pub(super) fn package_of(&self, expr: &Expr, frame: &Frame<'a, '_>) -> Option<String> {
        if frame.file.language == Language::Python {
            return self.path_in_python(expr, frame);
        }
        let ExprKind::Name(name) = &expr.kind else {
            return None;
        };
        if frame.file.language != Language::Go || frame.binding(self, name, expr.at).is_some() {
            return None;
        }
        let mut imports = frame.file.imports.iter();
        let import = imports.find(|import| import.name == *name)?;
        Some(import.target.to_string())
    }
}

/// The value that a call only wraps in a type which passes on its methods: `Arc::new(x)`.
fn held<'a>(function: &str, call: &'a Call) -> Option<&'a Expr> {
    let (of, _) = function.rsplit_once("::")?;
    let last = of.rsplit("::").next().unwrap_or(of);
    match &call.args[..] {
        [held] if TRANSPARENT.contains(&last) => Some(held),
        _ => None,
    }
}
