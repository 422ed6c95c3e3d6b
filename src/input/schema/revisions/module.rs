//! A Python file as far as its texts, numbers and lists can be told without running it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::place::{Place, Pos, Span};
use crate::model::source::{Call, Expr, ExprKind, Function, Operator, SourceFile};
use crate::model::text::TextFile;

pub(super) use super::args::{Args, is_harmless, is_none, moves_data, names_are};
pub(super) use super::names::{Bound, Names};

/// So many names lead to one another at most.
const MOST_STEPS: usize = 50;

/// A file with what its names stand for.
pub(super) struct Module<'a> {
    pub(super) source: &'a SourceFile,
    text: &'a TextFile,
    imports: BTreeMap<&'a str, &'a str>,
    /// Values of the module; none where a name is given several.
    values: BTreeMap<&'a str, Option<&'a Expr>>,
}

impl<'a> Module<'a> {
    pub(super) fn new(text: &'a TextFile, source: &'a SourceFile) -> Self {
        let mut values: BTreeMap<&str, Option<&Expr>> = BTreeMap::new();
        for decl in &source.values {
            values
                .entry(&decl.name)
                .and_modify(|known| *known = None)
                .or_insert(decl.value.as_ref());
        }
        let imports = source.imports.iter();
        Self {
            source,
            text,
            imports: imports
                .map(|import| (&*import.name, &*import.target))
                .collect(),
            values,
        }
    }

    /// The value of a name of the module, or of a class as `Class.name`.
    pub(super) fn value(&self, name: &str) -> Option<&'a Expr> {
        self.values.get(name).copied().flatten()
    }

    /// True if the module, or the class, gives the name a value, whether or not it is known.
    pub(super) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// A function of the module.
    pub(super) fn function(&self, name: &str) -> Option<&'a Function> {
        self.function_of(None, name)
    }

    /// A function of the module, or of a class of it.
    pub(super) fn function_of(&self, class: Option<&str>, name: &str) -> Option<&'a Function> {
        let mut functions = self.source.functions.iter();
        functions.find(|function| function.owner.as_deref() == class && &*function.name == name)
    }

    /// Values of a class, by their names.
    pub(super) fn values_of(&self, class: &str) -> impl Iterator<Item = (Arc<str>, &'a Expr)> {
        let values = self.values.iter();
        values.filter_map(move |(name, value)| {
            let name = name.strip_prefix(class)?.strip_prefix('.')?;
            Some((name.into(), (*value)?))
        })
    }

    /// What is written from a position on.
    pub(super) fn written_at(&self, at: Pos) -> &'a str {
        let offset = self.text.offset(at).map(|offset| offset as usize);
        offset
            .and_then(|offset| self.text.text().get(offset..))
            .unwrap_or_default()
    }

    /// True if something of that package is imported.
    pub(super) fn imports(&self, package: &str) -> bool {
        let mut targets = self.imports.values();
        targets.any(|target| {
            let rest = target.strip_prefix(package);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// What a name was imported as.
    pub(super) fn imported(&self, name: &str) -> Option<&'a str> {
        self.imports.get(name).copied()
    }

    /// The qualified name of what is called or named: `alembic.op.add_column`.
    pub(super) fn qualified(&self, of: &Expr) -> Option<String> {
        let mut fields = Vec::new();
        let mut at = of;
        loop {
            match &at.kind {
                ExprKind::Field { of, name, .. } => {
                    fields.push(&**name);
                    at = of;
                }
                ExprKind::Name(name) => {
                    let head = self.imports.get(&**name).copied().unwrap_or(name);
                    fields.push(head);
                    fields.reverse();
                    return Some(fields.join("."));
                }
                _ => return None,
            }
        }
    }

    /// What a name leads to, as it is written.
    pub(super) fn resolve(&self, of: &'a Expr, names: &Names<'a>) -> &'a Expr {
        let mut at = of;
        for _ in 0..MOST_STEPS {
            let ExprKind::Name(name) = &at.kind else {
                return at;
            };
            at = match (names.get(name), self.value(name)) {
                (Some(Bound::Written(value)), _) => value,
                (None, Some(value)) => value,
                _ => return at,
            };
        }
        at
    }

    /// The text that an expression gives.
    pub(super) fn text(&self, of: &'a Expr, names: &Names<'a>) -> Option<String> {
        let mut out = String::new();
        self.add_text(of, names, &mut out, 0)?;
        Some(out)
    }

    fn add_text(
        &self,
        of: &'a Expr,
        names: &Names<'a>,
        out: &mut String,
        depth: usize,
    ) -> Option<()> {
        if depth > MOST_STEPS {
            return None;
        }
        match &of.kind {
            ExprKind::Text(text) => out.push_str(text),
            ExprKind::Name(name) => match names.get(name) {
                Some(Bound::Text(text)) => out.push_str(text),
                Some(Bound::Written(value)) => self.add_text(value, names, out, depth + 1)?,
                Some(_) => return None,
                None => self.add_text(self.value(name)?, names, out, depth + 1)?,
            },
            ExprKind::Binary {
                op: Operator::Add,
                left,
                right,
            } => {
                self.add_text(left, names, out, depth + 1)?;
                self.add_text(right, names, out, depth + 1)?;
            }
            ExprKind::Call(call) => {
                let args = Args(call);
                let only = args.positional().next()?;
                let wraps = match self.qualified(&call.callee).as_deref() {
                    Some("textwrap.dedent" | "inspect.cleandoc" | "alembic.op.f") => true,
                    Some(name) => is_sql_text(name) || names_are(call, "f"),
                    None => false,
                };
                if !wraps || args.are_open() {
                    return None;
                }
                self.add_text(only, names, out, depth + 1)?;
            }
            _ => return None,
        }
        Some(())
    }

    /// The first words of a text whose rest is made at run time.
    pub(super) fn beginning(&self, of: &'a Expr, names: &Names<'a>) -> Option<String> {
        let mut at = self.resolve(of, names);
        for _ in 0..MOST_STEPS {
            at = match &at.kind {
                ExprKind::Text(text) => return Some(text.to_string()),
                ExprKind::Binary { left, .. } => left,
                ExprKind::Call(call) => match &call.callee.kind {
                    // `"…".format(…)`
                    ExprKind::Field { of, .. } if matches!(of.kind, ExprKind::Text(_)) => of,
                    _ => Args(call).positional().next()?,
                },
                ExprKind::Name(_) => match self.resolve(at, names) {
                    found if std::ptr::eq(found, at) => return None,
                    found => found,
                },
                _ => return None,
            };
        }
        None
    }

    /// The parts of a list, tuple or set.
    pub(super) fn list(&self, of: &'a Expr, names: &Names<'a>) -> Option<Vec<&'a Expr>> {
        match &self.resolve(of, names).kind {
            ExprKind::Make { fields, of: None } => fields
                .iter()
                .map(|field| {
                    (field.key.is_none() && !is_open(&field.value)).then_some(&field.value)
                })
                .collect(),
            _ => None,
        }
    }

    /// Texts of a list.
    pub(super) fn texts(&self, of: &'a Expr, names: &Names<'a>) -> Option<Vec<String>> {
        let parts = self.list(of, names)?;
        parts
            .into_iter()
            .map(|part| self.text(part, names))
            .collect()
    }

    /// The pairs of a dictionary with texts as keys.
    pub(super) fn pairs(
        &self,
        of: &'a Expr,
        names: &Names<'a>,
    ) -> Option<Vec<(Arc<str>, &'a Expr)>> {
        match &self.resolve(of, names).kind {
            ExprKind::Make { fields, of: None } => fields
                .iter()
                .map(|field| Some((field.name.clone()?, &field.value)))
                .collect(),
            _ => None,
        }
    }

    /// `True` or `False`.
    pub(super) fn flag(&self, of: &'a Expr, names: &Names<'a>) -> Option<bool> {
        match &self.resolve(of, names).kind {
            ExprKind::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// A number, as written.
    pub(super) fn number(&self, of: &'a Expr, names: &Names<'a>) -> Option<&'a str> {
        match &self.resolve(of, names).kind {
            ExprKind::Number(text) => Some(text),
            _ => None,
        }
    }

    /// The call that an expression is, or that its name leads to.
    pub(super) fn call(&self, of: &'a Expr, names: &Names<'a>) -> Option<&'a Call> {
        match &self.resolve(of, names).kind {
            ExprKind::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Where an expression stands.
    pub(super) fn place(&self, of: &Expr) -> Place {
        let end = match &of.kind {
            ExprKind::Call(call) => call.end,
            ExprKind::Name(name) => behind(of.at, name.chars().count()),
            _ => behind(of.at, 1),
        };
        Place::File(Span {
            file: Arc::clone(&self.source.path),
            start: of.at,
            end,
        })
    }
}

/// `sqlalchemy.text`, by whatever module of it.
fn is_sql_text(name: &str) -> bool {
    name.starts_with("sqlalchemy.") && name.ends_with(".text")
}

/// `*rest` in a list.
fn is_open(of: &Expr) -> bool {
    matches!(of.kind, ExprKind::Other(_))
}

fn behind(at: Pos, characters: usize) -> Pos {
    Pos {
        line: at.line,
        column: at.column.saturating_add(characters as u32),
    }
}
