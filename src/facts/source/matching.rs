//! Whether a call is one that a rule speaks of.

use crate::model::map::Sureness;
use crate::model::source::{Call, Expr, ExprKind, Language, SourceFile, TypeRef};
use crate::rules::{CallPattern, TestWord};

use super::frame::{Analysis, Frame};
use super::program::separator;
use super::resolve::Callee;
use super::walk;

impl<'a> Analysis<'a> {
    /// What a call does in a test, where a rule says so.
    pub(super) fn test_word(
        &self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> Option<TestWord> {
        let mut rules = self.rules.tests.iter();
        let rule = rules.find(|rule| {
            rule.language == frame.file.language
                && self.fits(&rule.call, call, callee, frame).is_some()
        })?;
        Some(rule.means)
    }

    /// How sure it is that a call is what a pattern describes; none if it is not.
    pub(super) fn fits(
        &self,
        pattern: &CallPattern,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> Option<Sureness> {
        let args = call.args.len();
        if args < pattern.min_args || pattern.max_args.is_some_and(|most| args > most) {
            return None;
        }
        let sure = self.fits_callee(pattern, call, callee, frame)?;
        self.fits_arguments(pattern, call, frame).then_some(sure)
    }

    /// True if the arguments are what a pattern asks for.
    fn fits_arguments(&self, pattern: &CallPattern, call: &'a Call, frame: &Frame<'a, '_>) -> bool {
        let by_name =
            |name: &std::sync::Arc<str>| call.named.iter().any(|(_, given)| given == name);
        if !pattern.gives.iter().all(by_name) {
            return false;
        }
        if pattern.by_name_only && call.named.len() != call.args.len() {
            return false;
        }
        if let Some(says) = &pattern.says {
            let Some(arg) = argument(call, Some(says.arg), &says.named) else {
                return false;
            };
            let texts = self.texts(arg, frame);
            let begins = |text: &str| says.begins.iter().any(|word| text.starts_with(&**word));
            let open = texts.constants().len() < texts.options.len();
            if !open && !texts.constants().into_iter().any(begins) {
                return false;
            }
        }
        pattern.inside.is_empty() || self.calls_inside(pattern, call, frame)
    }

    /// True of a method of a value of unknown type that is given what only such a method is given.
    fn is_about(
        &self,
        pattern: &CallPattern,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> bool {
        let unknown = match callee {
            Callee::Unknown { .. } => true,
            Callee::Functions(_, sure) => *sure == Sureness::Low,
            _ => false,
        };
        if pattern.about.is_empty() || !unknown {
            return false;
        }
        let of = call.args.first().and_then(|arg| self.row_types(arg, frame));
        of.is_some_and(|names| {
            names
                .iter()
                .any(|name| pattern.about.iter().any(|of| **of == **name))
        })
    }

    fn calls_inside(&self, pattern: &CallPattern, call: &'a Call, frame: &Frame<'a, '_>) -> bool {
        let mut open: Vec<walk::Part<'a>> = call.args.iter().map(walk::Part::Expr).collect();
        while let Some(part) = open.pop() {
            let walk::Part::Expr(expr) = part else {
                continue;
            };
            if let ExprKind::Call(inner) = &expr.kind
                && let Callee::External(full) = self.resolve(inner, frame)
                && pattern.inside.iter().any(|wanted| same(wanted, &full))
            {
                return true;
            }
            walk::parts(expr, &mut |part| open.push(part));
        }
        false
    }

    fn fits_callee(
        &self,
        pattern: &CallPattern,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> Option<Sureness> {
        let name = called_name(call);
        if pattern.method.iter().any(|method| **method == *name)
            && self.is_about(pattern, call, callee, frame)
        {
            return Some(Sureness::Medium);
        }
        let is_method = || pattern.method.iter().any(|method| **method == *name);
        let sep = separator(frame.file.language);
        match callee {
            Callee::External(full) => {
                if pattern.function.iter().any(|wanted| same(wanted, full)) {
                    return Some(Sureness::High);
                }
                // `Type::method(value)`.
                let (of, method) = full.rsplit_once(sep)?;
                let fits = is_method_of(pattern, method)
                    && pattern
                        .receiver
                        .iter()
                        .any(|wanted| self.is_same(wanted, of));
                fits.then_some(Sureness::High)
            }
            Callee::Functions(ids, sure) => {
                // Names are put together only where the last part is one that is asked for.
                let last = |wanted: &str| -> bool {
                    let wanted = wanted.rsplit(sep).next().unwrap_or(wanted);
                    ids.iter()
                        .any(|id| *self.program.function(*id).name == *wanted)
                };
                let asked = pattern.method.iter().chain(&pattern.function);
                let some = asked.into_iter().any(|wanted| last(wanted));
                let full = ids.iter().filter(|_| some);
                let full = full.map(|id| self.full_name(*id));
                let mut full = full.collect::<Vec<_>>().into_iter();
                if full.any(|full| {
                    pattern
                        .function
                        .iter()
                        .any(|wanted| self.is_same(wanted, &full))
                        || full.rsplit_once(sep).is_some_and(|(of, method)| {
                            pattern.method.iter().any(|wanted| **wanted == *method)
                                && pattern
                                    .receiver
                                    .iter()
                                    .any(|wanted| self.is_same(wanted, of))
                        })
                }) {
                    return Some(*sure);
                }
                let by_name = *sure == Sureness::Low && is_method() && !pattern.typed;
                (by_name && self.imports_any(frame.file, &pattern.receiver))
                    .then_some(Sureness::Low)
            }
            Callee::Method { receivers, .. } if is_method() => {
                let direct = receivers.iter().any(|of| {
                    pattern
                        .receiver
                        .iter()
                        .any(|wanted| self.is_same(wanted, of))
                });
                if direct {
                    return Some(Sureness::High);
                }
                let asked = receivers
                    .iter()
                    .any(|of| self.asks_like(of, &name, &pattern.receiver));
                asked.then_some(Sureness::Medium)
            }
            // A class of the tree that is made of the one that is asked for.
            Callee::Type(name) if frame.file.language == Language::Python => {
                let names = self.names_of(&super::types::Ty::Named(name.clone()));
                let wanted = |of: &String| pattern.function.iter().any(|wanted| same(wanted, of));
                names.iter().any(wanted).then_some(Sureness::High)
            }
            Callee::Unknown { .. } if is_method() && !pattern.typed => self
                .imports_any(frame.file, &pattern.receiver)
                .then_some(Sureness::Low),
            _ => None,
        }
    }

    /// True of two names of the same thing; the tree may be the library itself, and bring the name in
    /// from where it is declared.
    fn is_same(&self, wanted: &str, found: &str) -> bool {
        same(wanted, found)
            || (wanted.contains("::") && self.program.aliased(wanted.to_owned()) == found)
    }

    /// True of an interface of the tree whose method speaks of types of the package of one of these
    /// receivers: what stands behind it can only be that receiver, or a copy of it.
    fn asks_like(&self, interface: &str, method: &str, receivers: &[std::sync::Arc<str>]) -> bool {
        let Some(owner) = self.program.asks_for(interface, method) else {
            return false;
        };
        let Some((file, decl)) = self.program.type_named(&owner) else {
            return false;
        };
        let signatures = decl.methods.iter().filter(|known| &*known.name == method);
        signatures
            .flat_map(|known| known.params.iter().chain(&known.returns))
            .any(|of| self.speaks_of(file, of, receivers))
    }

    fn speaks_of(
        &self,
        file: &SourceFile,
        of: &TypeRef,
        receivers: &[std::sync::Arc<str>],
    ) -> bool {
        let name = self.program.type_name(file, of);
        let sep = separator(file.language);
        let package = |name: &str| {
            name.rsplit_once(sep)
                .map(|(package, _)| unversioned(package))
        };
        let own = package(&name);
        let direct = own.is_some() && receivers.iter().any(|wanted| package(wanted) == own);
        direct
            || of
                .args
                .iter()
                .any(|inner| self.speaks_of(file, inner, receivers))
    }

    /// True if a file imports something of the library of one of these types.
    fn imports_any(&self, file: &SourceFile, types: &[std::sync::Arc<str>]) -> bool {
        types.iter().any(|of| {
            let library = library(file.language, of);
            file.imports.iter().any(|import| {
                let target = unversioned(&import.target);
                target == library
                    || target
                        .strip_prefix(&*library)
                        .is_some_and(|rest| rest.starts_with(['/', ':', '.']))
            })
        })
    }

    /// The qualified name of a function.
    pub(super) fn full_name(&self, id: super::program::FnId) -> String {
        let function = self.program.function(id);
        let file = self.program.file(id);
        let sep = separator(file.language);
        match &function.owner {
            Some(owner) => {
                format!("{}{sep}{}", self.program.named(file, owner), function.name)
            }
            None => super::program::qualified(file, &function.name),
        }
    }
}

/// The library that declares a type: its package in Go, its crate in Rust.
fn library(language: Language, of: &str) -> String {
    match language {
        Language::Go => of
            .rsplit_once('.')
            .map_or_else(|| of.to_owned(), |(package, _)| unversioned(package)),
        Language::Python => of.split('.').next().unwrap_or(of).to_owned(),
        Language::Rust => of.split("::").next().unwrap_or(of).to_owned(),
    }
}

/// The argument of a number, from 1, or of one of some names.
pub(super) fn argument<'a>(
    call: &'a Call,
    at: Option<usize>,
    names: &[std::sync::Arc<str>],
) -> Option<&'a Expr> {
    let mut named = call.named.iter();
    if let Some((at, _)) = named.find(|(_, given)| names.contains(given)) {
        return call.args.get(*at);
    }
    let at = at?.checked_sub(1)?;
    let by_name = !call.is_macro && call.named.iter().any(|(given, _)| *given == at);
    call.args.get(at).filter(|_| !by_name)
}

/// The last name of what is called.
pub(super) fn called_name(call: &Call) -> String {
    match &call.callee.kind {
        ExprKind::Name(name) => name.rsplit("::").next().unwrap_or(name).to_owned(),
        ExprKind::Field { name, .. } => name.to_string(),
        _ => String::new(),
    }
}

fn is_method_of(pattern: &CallPattern, method: &str) -> bool {
    pattern.method.iter().any(|wanted| **wanted == *method)
}

/// True of two names of the same thing in different major versions of its package.
fn same(wanted: &str, found: &str) -> bool {
    if let Some(name) = wanted.strip_prefix("*::") {
        return found
            .strip_suffix(name)
            .is_some_and(|before| before.ends_with("::"));
    }
    if let Some(name) = wanted.strip_prefix("*.") {
        return found
            .strip_suffix(name)
            .is_some_and(|before| before.ends_with('.'));
    }
    wanted == found || (wanted.contains('/') && unversioned(wanted) == unversioned(found))
}

/// A Go name without the major version in its path: `…/nats.go/v2/x.T` is `…/nats.go/x.T`, and
/// `…/pgx/v5.Tx` is `…/pgx.Tx`.
pub(super) fn unversioned(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for part in path.split('/') {
        let end = part.find('.').unwrap_or(part.len());
        let (version, rest) = part.split_at(end);
        let digits = version.strip_prefix('v').unwrap_or_default();
        let is_version = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_version {
            out.push_str(rest);
            continue;
        }
        if !out.is_empty() {
            out.push('/');
        }
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn major_versions_are_one_library() {
        assert!(same("example.org/a/v3/b.T", "example.org/a/b.T"));
        assert!(same("example.org/a/b.T", "example.org/a/v12/b.T"));
        assert!(same("example.org/a.T", "example.org/a/v5.T"));
        assert!(!same("example.org/a/b.T", "example.org/a/c.T"));
        assert!(!same("example.org/a/vx/b.T", "example.org/a/b.T"));
    }
}
