//! Which texts an expression can give: names of events and tables, SQL.

use crate::model::source::{AssignOp, Call, Expr, ExprKind, Language, Operator, Pattern, StmtKind};

use super::format::{Piece, pieces};
use super::frame::{Analysis, Frame, MAX_DEPTH};
use super::origins::{Returned, returned};
use super::resolve::Callee;
use super::scope::{Bound, Condition};
use super::text::Texts;
pub(super) use super::walk::called_name;

/// A call with more implementations than this is not gone into for its text.
pub(super) const MAX_IMPLEMENTATIONS: usize = 3;

/// Methods and functions that give their text on as it is.
const SAME: &[&str] = &[
    "to_string",
    "to_owned",
    "into",
    "as_str",
    "as_ref",
    "clone",
    "String",
    "from",
    "TrimSpace",
    "trim",
    "Trim",
    "borrow",
    "unwrap",
    "new",
    "display",
    "AssertSqlSafe",
    "text",
    "SQL",
    "dedent",
    "strip",
];

impl<'a> Analysis<'a> {
    /// The texts of an expression.
    pub(super) fn texts(&self, expr: &'a Expr, frame: &Frame<'a, '_>) -> Texts {
        if frame.depth > MAX_DEPTH || !self.burns() {
            return Texts::hole("");
        }
        let frame = &Frame {
            depth: frame.depth + 1,
            ..*frame
        };
        match &expr.kind {
            ExprKind::Text(text) => Texts::known(text),
            ExprKind::Number(text) => Texts::known(text),
            ExprKind::Bool(value) => Texts::known(if *value { "true" } else { "false" }),
            ExprKind::Name(name) => self.name_texts(expr, name, frame),
            ExprKind::Field { of, name, .. } => {
                if let Some(package) = self.package_of(of, frame) {
                    return self.constant_texts(&format!("{package}.{name}"), frame);
                }
                if frame.file.language == Language::Python
                    && let Some(full) = self.class_constant(of, name, frame)
                {
                    return self.constant_texts(&full, frame);
                }
                self.field_texts(of, name, frame)
            }
            ExprKind::Binary {
                op: Operator::Add,
                left,
                right,
            } => self.texts(left, frame).then(&self.texts(right, frame)),
            ExprKind::Cast { value, .. } => self.texts(value, frame),
            ExprKind::Call(call) => self.call_texts(call, 0, frame),
            ExprKind::Block(block) => match block.stmts.last().map(|last| &last.kind) {
                Some(StmtKind::Expr(last)) => self.texts(last, frame),
                _ if frame.file.language == Language::Python => {
                    let mut all = Texts::default();
                    for value in super::origins::given(block).unwrap_or_default() {
                        all.or(self.texts(value, frame));
                    }
                    match all.options.is_empty() {
                        true => Texts::hole("value"),
                        false => all,
                    }
                }
                _ => Texts::hole("value"),
            },
            _ => Texts::hole("value"),
        }
    }

    fn name_texts(&self, expr: &'a Expr, name: &str, frame: &Frame<'a, '_>) -> Texts {
        let bindings = match frame.id {
            Some(id) => self.scope(id).until(name, expr.at),
            None => &[],
        };
        let Some(first) = bindings.first() else {
            let name = self.program.named(frame.file, name);
            return self.constant_texts(&name, frame);
        };
        match first.is {
            Bound::Param(at, _) => match frame.argument(self, at) {
                Some((arg, caller)) => self.texts(
                    arg,
                    &Frame {
                        depth: frame.depth,
                        ..*caller
                    },
                ),
                None => self
                    .default_texts(at, frame)
                    .unwrap_or_else(|| Texts::hole(name)),
            },
            // The key or position of an item.
            Bound::Each(_, 0) => Texts::hole(name),
            Bound::Each(list, _) => self
                .item_texts(list, frame)
                .unwrap_or_else(|| Texts::hole(name)),
            Bound::Value { .. } => self.assigned_texts(bindings, name, frame),
            _ => Texts::hole(name),
        }
    }

    /// A variable after all its assignments, in the order of the text.
    fn assigned_texts(
        &self,
        bindings: &[super::scope::Binding<'a>],
        name: &str,
        frame: &Frame<'a, '_>,
    ) -> Texts {
        let mut now: Option<Texts> = None;
        let outer = bindings.first().map_or(0, |binding| binding.depth);
        for binding in bindings {
            let Bound::Value {
                value, result, op, ..
            } = binding.is
            else {
                continue;
            };
            if !self.can_hold(binding.under, frame) {
                continue;
            }
            let Some(value) = value else {
                // `var query string`: it is given its text later.
                continue;
            };
            let given = self.result_texts(value, result, frame);
            let within = binding.depth > outer;
            now = Some(match (now, op) {
                (Some(before), AssignOp::Add) => {
                    let mut longer = before.then(&given);
                    if within {
                        longer.or(before);
                    }
                    longer
                }
                (Some(mut before), _) if within => {
                    before.or(given);
                    before
                }
                _ => given,
            });
        }
        now.unwrap_or_else(|| Texts::hole(name))
    }

    /// False if the arms around a statement are known not to be taken here.
    fn can_hold(&self, under: Option<usize>, frame: &Frame<'a, '_>) -> bool {
        let Some(id) = frame.id else {
            return true;
        };
        let mut next = under;
        while let Some(at) = next {
            let Some(Condition { of, arm, outer }) = self.scope(id).condition(at) else {
                return true;
            };
            let looked_at = self.texts(of, frame);
            let known = looked_at.constants();
            let compared: Option<Vec<String>> = arm
                .iter()
                .map(|pattern| match pattern {
                    Pattern::Value(value) => {
                        let texts = self.texts(value, frame);
                        match texts.constants()[..] {
                            [text] if texts.complete => Some(text.to_owned()),
                            _ => None,
                        }
                    }
                    _ => None,
                })
                .collect();
            if let Some(compared) = compared
                && looked_at.complete
                && !compared.is_empty()
                && known.len() == looked_at.options.len()
                && !known
                    .iter()
                    .any(|text| compared.iter().any(|other| other == text))
            {
                return false;
            }
            next = *outer;
        }
        true
    }

    fn result_texts(&self, value: &'a Expr, result: usize, frame: &Frame<'a, '_>) -> Texts {
        let ExprKind::Call(call) = &value.kind else {
            return self.texts(value, frame);
        };
        // A function may give on what it gives itself.
        if frame.depth > MAX_DEPTH || !self.burns() {
            return Texts::hole("");
        }
        let frame = &Frame {
            depth: frame.depth + 1,
            ..*frame
        };
        self.call_texts(call, result, frame)
    }

    fn constant_texts(&self, name: &str, frame: &Frame<'a, '_>) -> Texts {
        let short = name.rsplit(['.', ':']).next().unwrap_or(name);
        let Some((file, value)) = self.program.value_named(name) else {
            return Texts::hole(short);
        };
        match &value.value {
            Some(value) => self.texts(value, &Frame::outside(file, frame.depth)),
            None => Texts::hole(short),
        }
    }

    fn call_texts(&self, call: &'a Call, result: usize, frame: &Frame<'a, '_>) -> Texts {
        let name = called_name(call);
        let callee = self.resolve(call, frame);
        match &callee {
            Callee::Type(_) if call.args.len() == 1 => return self.texts(&call.args[0], frame),
            Callee::Functions(ids, _) if ids.len() <= MAX_IMPLEMENTATIONS => {
                let mut all = Texts {
                    options: Vec::new(),
                    complete: true,
                };
                for id in ids {
                    let inner = frame.enter(self, *id, call);
                    for value in returned(self.program.function(*id), result) {
                        all.or(match value {
                            Returned::Value(value) => self.texts(value, &inner),
                            Returned::All(value) => self.result_texts(value, result, &inner),
                        });
                    }
                }
                if !all.options.is_empty() {
                    return all;
                }
            }
            _ => {}
        }
        if let Some(formatted) = self.formatted(call, &name, frame) {
            return formatted;
        }
        if name == "Join"
            && let [list, between] = &call.args[..]
        {
            return self.joined_texts(list, between, frame);
        }
        let builds = matches!(&*name, "String" | "build" | "into_inner") && call.args.is_empty();
        if builds && let Some(written) = self.written_texts(call, frame) {
            return written;
        }
        if SAME.contains(&&*name) {
            let of = match (&call.callee.kind, call.args.first()) {
                (_, Some(arg)) if call.args.len() == 1 => Some(arg),
                (ExprKind::Field { of, .. }, _) if call.args.is_empty() => Some(&**of),
                _ => None,
            };
            if let Some(of) = of {
                return self.texts(of, frame);
            }
        }
        Texts::hole(&name)
    }

    /// `fmt.Sprintf(…)`, `format!(…)`, and macros that take their text the same way.
    fn formatted(&self, call: &'a Call, name: &str, frame: &Frame<'a, '_>) -> Option<Texts> {
        let (style, text) = match (frame.file.language, name) {
            (Language::Go, "Sprintf") => (Language::Go, call.args.first()?),
            (Language::Rust, "format" | "concat" | "format_args") if call.is_macro => {
                (Language::Rust, call.args.first()?)
            }
            _ => return None,
        };
        if name == "concat" {
            let mut all = Texts::known("");
            for arg in &call.args {
                all = all.then(&self.texts(arg, frame));
            }
            return Some(all);
        }
        let mut all: Option<Texts> = None;
        for option in self.texts(text, frame).options {
            let Some(template) = option.constant().map(str::to_owned) else {
                return Some(Texts::one(option));
            };
            let mut built = Texts::known("");
            for piece in pieces(style, &template) {
                let next = match piece {
                    Piece::Plain(text) => Texts::known(&text),
                    Piece::Argument(at) => match call.args.get(at + 1) {
                        Some(arg) => self.texts(arg, frame),
                        None => Texts::hole("value"),
                    },
                    Piece::Named(name) => self.inline_texts(&name, call, frame),
                };
                built = built.then(&next);
            }
            match &mut all {
                Some(all) => all.or(built),
                None => all = Some(built),
            }
        }
        all
    }

    /// `{name}` in a Rust format text: an argument of that name, else a variable.
    fn inline_texts(&self, name: &str, call: &'a Call, frame: &Frame<'a, '_>) -> Texts {
        if let Some((at, _)) = call.named.iter().find(|(_, given)| **given == *name) {
            return call
                .args
                .get(*at)
                .map_or_else(|| Texts::hole(name), |arg| self.texts(arg, frame));
        }
        let Some(binding) = frame.binding(self, name, call.at).copied() else {
            return self.constant_texts(&self.program.named(frame.file, name), frame);
        };
        match binding.is {
            Bound::Param(at, _) => match frame.argument(self, at) {
                Some((arg, caller)) => self.texts(
                    arg,
                    &Frame {
                        depth: frame.depth,
                        ..*caller
                    },
                ),
                None => Texts::hole(name),
            },
            Bound::Value {
                value: Some(value),
                result,
                ..
            } => self.result_texts(value, result, frame),
            _ => Texts::hole(name),
        }
    }

    /// The texts of a field of a value that the tree makes.
    fn field_texts(&self, of: &'a Expr, field: &str, frame: &Frame<'a, '_>) -> Texts {
        let mut all = Texts {
            options: Vec::new(),
            complete: true,
        };
        self.origins(of, 0, frame, &mut |made, inner| {
            let ExprKind::Make { fields, .. } = &made.kind else {
                all.or(Texts::hole(field));
                return;
            };
            let part = fields
                .iter()
                .find(|part| part.name.as_deref() == Some(field));
            match part {
                Some(part) => all.or(self.texts(&part.value, inner)),
                None => all.or(Texts::hole(field)),
            }
        });
        if all.options.is_empty() {
            return Texts::hole(field);
        }
        all
    }

    /// The texts of the items of a list, when the list is known.
    pub(super) fn item_texts(&self, list: &'a Expr, frame: &Frame<'a, '_>) -> Option<Texts> {
        let mut all = Texts {
            options: Vec::new(),
            complete: true,
        };
        let mut known = true;
        self.origins(list, 0, frame, &mut |made, inner| match &made.kind {
            ExprKind::Make { fields, .. } => {
                for field in fields {
                    all.or(self.texts(&field.value, inner));
                }
            }
            _ => known = false,
        });
        (known && !all.options.is_empty()).then_some(all)
    }
}
