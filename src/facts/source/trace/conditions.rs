//! What an expression gives, as far as it decides what workers do.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::model::source::{Expr, ExprKind, Language};

use super::super::frame::Frame;
use super::super::walk::{self, Part};
use super::RowAt;
use super::logic::{compared, negated};
use super::rows::column_of;
use super::value::{Env, Kind, Val};
use super::walk::Walk;

impl<'a> Walk<'a, '_> {
    /// The value of an expression; of a call, its first result.
    pub(super) fn eval(
        &mut self,
        expr: &'a Expr,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Val<'a> {
        match &expr.kind {
            ExprKind::Text(text) | ExprKind::Number(text) => Val::of(Kind::Text(Arc::clone(text))),
            ExprKind::Bool(is) => Val::of(Kind::Bool(*is)),
            ExprKind::Nil => Val::of(Kind::Nil),
            ExprKind::Name(name) => match env.get(name) {
                Some(val) => val.clone(),
                None => self.constant(expr, frame),
            },
            ExprKind::Field { of, name, .. } => self.field(expr, of, name, frame, env),
            ExprKind::Index { of, by } => {
                let of = self.eval(of, frame, env);
                let slices = matches!(by.kind, ExprKind::Other(_));
                let by = self.eval(by, frame, env);
                // `os.environ["FLAG"]`.
                let is_flag =
                    by.text().is_some() && by.text().map(|text| &**text) == self.wanted.flag;
                let mut val = self.indexed(&of, &by, slices);
                if is_flag && matches!(val.kind, Kind::Unknown) {
                    val.kind = Kind::FlagText;
                }
                val
            }
            ExprKind::Call(_) => {
                let mut results = self.results(expr, frame, env);
                match results.is_empty() {
                    true => Val::default(),
                    false => results.swap_remove(0),
                }
            }
            ExprKind::Closure(closure) => match frame.id {
                Some(id) => Val::of(Kind::Closure(closure, env.clone(), id)),
                None => Val::default(),
            },
            ExprKind::Make { fields, .. } => {
                let mut parts = BTreeMap::new();
                for (at, field) in fields.iter().enumerate() {
                    let val = self.eval(&field.value, frame, env);
                    let key = field.key.as_ref().and_then(|key| match &key.kind {
                        ExprKind::Text(text) => Some(Arc::clone(text)),
                        _ => None,
                    });
                    let name = field.name.clone().or(key);
                    parts.insert(name.unwrap_or_else(|| at.to_string().into()), val);
                }
                Val::of(Kind::Made(Rc::new(parts)))
            }
            ExprKind::Binary { op, left, right } => {
                let left = self.eval(left, frame, env);
                // The right side of `a && f()` runs where `a` holds; it is gone through as it stands.
                let right = self.eval(right, frame, env);
                compared(*op, left, right)
            }
            ExprKind::Not(of) => negated(self.eval(of, frame, env)),
            ExprKind::Cast { value, .. } => self.eval(value, frame, env),
            ExprKind::Block(block) => self.block_value(block, frame, env),
            ExprKind::Type(_) => Val::default(),
            ExprKind::Other(parts) => {
                let mut all = Val::default();
                let mut open = Vec::new();
                walk::parts(expr, &mut |part| open.push(part));
                for part in open {
                    if let Part::Expr(inner) = part {
                        let val = self.eval(inner, frame, env);
                        all = all.taking(&val);
                        // `Event(*row)`.
                        if parts.len() == 1 && matches!(val.kind, Kind::Row(..)) {
                            all.kind = val.kind;
                        }
                    }
                }
                all
            }
        }
    }

    /// A constant of a package, or a text that the function around it builds.
    fn constant(&mut self, expr: &'a Expr, frame: &Frame<'a, '_>) -> Val<'a> {
        self.analysis.refuel();
        let texts = self.analysis.texts(expr, frame);
        if let ([text], true) = (&texts.constants()[..], texts.complete)
            && texts.options.len() == 1
        {
            return Val::of(Kind::Text((*text).into()));
        }
        if let Some(made) = self.made_constant(expr, frame) {
            return made;
        }
        let mut val = Val::default();
        // An error that has a name: `errors.Is(err, ErrLost)`.
        let of_package = |name: &str| {
            let full = self.analysis.program.named(frame.file, name);
            self.analysis.program.value_named(&full).is_some()
        };
        if let ExprKind::Name(name) | ExprKind::Field { name, .. } = &expr.kind
            && (name.starts_with(char::is_uppercase) || of_package(name))
        {
            val.codes.insert(Arc::clone(name));
        }
        val
    }

    fn field(
        &mut self,
        expr: &'a Expr,
        of: &'a Expr,
        name: &Arc<str>,
        frame: &Frame<'a, '_>,
        env: &mut Env<'a>,
    ) -> Val<'a> {
        if self.analysis.package_of(of, frame).is_some() {
            return self.constant(expr, frame);
        }
        let holder = self.eval(of, frame, env);
        self.part(expr, name, holder, frame)
    }

    /// A part of a value.
    pub(super) fn part(
        &mut self,
        expr: &'a Expr,
        name: &Arc<str>,
        holder: Val<'a>,
        frame: &Frame<'a, '_>,
    ) -> Val<'a> {
        if let Kind::Made(parts) = &holder.kind
            && let Some(part) = parts.get(name)
        {
            return part.clone();
        }
        match &holder.kind {
            Kind::Result(at) if self.holds_count(name, frame) => {
                return Val::of(Kind::Count(*at)).taking(&holder);
            }
            Kind::Row(of, row) => {
                let name = Val::of(Kind::Text(Arc::clone(name)));
                return column_of(*of, row, &name).taking(&holder);
            }
            Kind::Result(of) if frame.file.language != Language::Go => {
                let name = Val::of(Kind::Text(Arc::clone(name)));
                return column_of(*of, &RowAt::Read, &name).taking(&holder);
            }
            Kind::Ticker(number) => {
                let stops = self.stops(name);
                return Val::of(if stops {
                    Kind::Ends(*number)
                } else {
                    holder.kind.clone()
                });
            }
            _ => {}
        }
        let mut val = Val::default().taking(&holder);
        val.carries.clear();
        val.ends.clear();
        if self.map.flag_fields.contains(name) {
            val.kind = Kind::Flag(true);
            return val;
        }
        self.analysis.refuel();
        let ty = self.analysis.type_of(expr, frame);
        let names = ty.map_or_else(Vec::new, |ty| self.analysis.names_of(&ty));
        if self.analysis.begins(&names) {
            val.kind = Kind::Pool;
        }
        val
    }
}
