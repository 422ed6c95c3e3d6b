//! Expressions: what their values say.

use crate::model::source::{Expr, ExprKind, Language};
use crate::rules::{CallPattern, GuardRole};

use super::super::frame::Frame;
use super::super::texts::called_name;
use super::super::walk::{self, Part};
use super::Flow;
use super::run::Last;
use super::state::{Set, State, Val};

impl<'a> Flow<'a, '_> {
    /// Runs an expression.
    pub(super) fn eval(
        &mut self,
        expr: &'a Expr,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Val {
        if !self.burns() {
            return Val::default();
        }
        match &expr.kind {
            ExprKind::Text(text) => Val::constant(!text.is_empty(), &Set::new()),
            ExprKind::Number(number) => Val::constant(&**number != "0", &Set::new()),
            ExprKind::Bool(truth) => Val::constant(*truth, &Set::new()),
            ExprKind::Nil => Val::constant(false, &Set::new()),
            ExprKind::Name(name) => match frame.id {
                Some(id) => state.var((id, name)),
                None => Val::default(),
            },
            ExprKind::Field { of, name, .. } => {
                let val = self.eval(of, frame, state);
                if val.of.is_empty() && val.errors.is_empty() {
                    return val;
                }
                match self.field_role(of, name, frame) {
                    Some(GuardRole::RowCount) => self.counted(&val),
                    Some(GuardRole::ErrorOf) => self.failing(&val).error(),
                    _ if self.is_of_read(&val) => self.field_of_row(&val, name, expr, frame),
                    _ => val,
                }
            }
            ExprKind::Index { of, by } => {
                let val = self.eval(of, frame, state);
                self.eval(by, frame, state);
                match (&by.kind, self.is_memory(of, frame)) {
                    (_, true) => self.remembered(expr.at, frame),
                    (ExprKind::Text(name), _) if self.is_of_read(&val) => {
                        self.field_of_row(&val, name, expr, frame)
                    }
                    (ExprKind::Number(at), _) => match at.parse() {
                        Ok(at) => self.item_of_row(&val, at),
                        Err(_) => val,
                    },
                    _ => val,
                }
            }
            ExprKind::Call(call) => self.call(call, frame, state).0,
            // It runs when it is called.
            ExprKind::Closure(_) | ExprKind::Type(_) => Val::default(),
            ExprKind::Make { of, fields } => {
                let mut made = Val::default();
                for field in fields {
                    let val = self.eval(&field.value, frame, state);
                    made.holds(&val);
                    if let Some(name) = &field.name
                        && let Some(key) =
                            self.key_field(of.as_ref(), name, field.value.at, &field.value, frame)
                    {
                        made.keys.insert(key);
                    }
                }
                made
            }
            ExprKind::Binary { .. } | ExprKind::Not(_) => {
                let test = self.test(expr, frame, state);
                Val {
                    yes: test.yes,
                    no: test.no,
                    ..Val::default()
                }
            }
            ExprKind::Cast { value, .. } => self.eval(value, frame, state),
            ExprKind::Block(block) => self.block(block, Last::Value, frame, state),
            ExprKind::Other(parts) => {
                let mut all = Val::default();
                for part in parts {
                    let val = self.eval(part, frame, state);
                    match parts.len() {
                        1 => all = val,
                        _ => all.holds(&val),
                    }
                }
                all
            }
        }
    }

    /// Runs the values of a statement, for so many names.
    pub(super) fn values(
        &mut self,
        values: &'a [Expr],
        count: usize,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Vec<Val> {
        let [value] = values else {
            return values
                .iter()
                .map(|value| self.eval(value, frame, state))
                .collect();
        };
        let (val, all) = match &value.kind {
            ExprKind::Call(call) => self.call(call, frame, state),
            _ => (self.eval(value, frame, state), None),
        };
        if count <= 1 {
            return vec![val];
        }
        if let Some(all) = all.filter(|all| all.len() == count) {
            return all;
        }
        if frame.file.language == Language::Python {
            return (0..count).map(|at| self.item_of_row(&val, at)).collect();
        }
        // The last result of a call of Go is its error.
        let error = self.failing(&val).error();
        let mut vals = vec![val; count - 1];
        vals.push(error);
        vals
    }

    /// True of a map that outlives the call: a field, or a value of the package.
    fn is_memory(&self, of: &'a Expr, frame: &Frame<'a, '_>) -> bool {
        let outlives = match &of.kind {
            ExprKind::Field { .. } => true,
            ExprKind::Name(name) => frame.binding(self.analysis, name, of.at).is_none(),
            _ => false,
        };
        if !outlives || frame.file.language != Language::Go {
            return false;
        }
        self.analysis.refuel();
        let ty = self.analysis.type_of(of, frame);
        ty.is_some_and(|ty| {
            let names = self.analysis.names_of(&ty);
            names.iter().any(|name| name == "map")
        })
    }

    /// True of an expression that makes an error of Go, or names one that the package holds.
    pub(super) fn is_made_error(&self, expr: &'a Expr, frame: &Frame<'a, '_>) -> bool {
        let is_value = match &expr.kind {
            ExprKind::Call(_) | ExprKind::Make { .. } => true,
            ExprKind::Name(name) => frame.binding(self.analysis, name, expr.at).is_none(),
            ExprKind::Field { of, .. } => self.analysis.package_of(of, frame).is_some(),
            _ => false,
        };
        let returns = frame
            .function(self.analysis)
            .map(|function| &function.returns);
        let wants = returns.and_then(|returns| returns.last());
        if !is_value || wants.is_none_or(|wants| &*wants.name != "error") {
            return false;
        }
        match &expr.kind {
            ExprKind::Call(_) => {
                self.analysis.refuel();
                let ty = self.analysis.type_of(expr, frame);
                ty.is_some_and(|ty| self.analysis.names_of(&ty).iter().any(|it| it == "error"))
            }
            _ => true,
        }
    }

    /// True of an expression that is, by itself, a sign of the violation of a unique key.
    pub(super) fn is_mark(&self, expr: &'a Expr, frame: &Frame<'a, '_>) -> bool {
        let mut rules = self.analysis.rules.guards.iter().filter(|rule| {
            rule.role == GuardRole::UniqueViolation && rule.language == frame.file.language
        });
        let mut open = vec![Part::Expr(expr)];
        let mut names = Vec::new();
        while let Some(part) = open.pop() {
            let Part::Expr(expr) = part else { continue };
            match &expr.kind {
                ExprKind::Text(text) | ExprKind::Number(text) => names.push(text.to_string()),
                ExprKind::Name(name) => names.push(name.to_string()),
                ExprKind::Field { of, name, .. } => {
                    if let Some(package) = self.analysis.package_of(of, frame) {
                        names.push(format!("{package}.{name}"));
                    }
                }
                ExprKind::Call(call) => {
                    let name = called_name(call);
                    let mut asks = rules.clone().filter_map(|rule| rule.call.as_ref());
                    let by_method = |pattern: &CallPattern| {
                        pattern.receiver.is_empty()
                            && pattern.method.iter().any(|method| **method == *name)
                    };
                    if asks.any(by_method) {
                        return true;
                    }
                    open.extend(call.args.iter().map(Part::Expr));
                    continue;
                }
                _ => {}
            }
            walk::parts(expr, &mut |part| open.push(part));
        }
        rules.any(|rule| {
            rule.values.iter().any(|value| {
                names
                    .iter()
                    .any(|name| **value == **name || name.rsplit("::").next() == Some(&**value))
            })
        })
    }
}
