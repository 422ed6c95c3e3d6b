//! Texts that are put together piece by piece: `append(parts, "WHERE x")`, `strings.Join(parts, " ")`,
//! `b.WriteString("x")`.

use crate::model::source::{Call, Expr, ExprKind};

use super::frame::{Analysis, Frame};
use super::scope::Bound;
use super::text::Texts;

impl<'a> Analysis<'a> {
    /// The items of a list in the order in which they are added, with a text between them. An item
    /// that is added under a condition counts as added.
    pub(super) fn joined_texts(
        &self,
        list: &'a Expr,
        between: &'a Expr,
        frame: &Frame<'a, '_>,
    ) -> Texts {
        let between = self.texts(between, frame);
        let mut items: Vec<&'a Expr> = Vec::new();
        self.added(list, frame, &mut items);
        let mut whole: Option<Texts> = None;
        for item in items {
            let text = self.texts(item, frame);
            whole = Some(match whole {
                Some(before) => before.then(&between).then(&text),
                None => text,
            });
        }
        whole.unwrap_or_else(|| Texts::hole("list"))
    }

    fn added(&self, list: &'a Expr, frame: &Frame<'a, '_>, items: &mut Vec<&'a Expr>) {
        let values = match &list.kind {
            ExprKind::Name(name) => {
                let Some(id) = frame.id else {
                    return;
                };
                let bindings = self.scope(id).until(name, list.at);
                let values = bindings.iter().filter_map(|binding| match binding.is {
                    Bound::Value { value, .. } => value,
                    _ => None,
                });
                values.collect()
            }
            _ => vec![list],
        };
        for value in values {
            match &value.kind {
                ExprKind::Make { fields, .. } => {
                    items.extend(fields.iter().map(|field| &field.value));
                }
                ExprKind::Call(call) => {
                    let appends =
                        matches!(&call.callee.kind, ExprKind::Name(name) if &**name == "append");
                    if appends {
                        items.extend(call.args.iter().skip(1));
                    }
                }
                _ => {}
            }
        }
    }

    /// What a builder of text was given before it is asked for the whole.
    pub(super) fn written_texts(&self, call: &'a Call, frame: &Frame<'a, '_>) -> Option<Texts> {
        let ExprKind::Field { of, .. } = &call.callee.kind else {
            return None;
        };
        let ExprKind::Name(builder) = &of.kind else {
            return None;
        };
        let function = frame.function(self)?;
        let mut whole = Texts::known("");
        let mut found = false;
        super::walk::each_expr(&function.body, &mut |expr| {
            let ExprKind::Call(write) = &expr.kind else {
                return;
            };
            let ExprKind::Field { of, name, .. } = &write.callee.kind else {
                return;
            };
            let ours = matches!(&of.kind, ExprKind::Name(name) if name == builder);
            let writes = matches!(&**name, "WriteString" | "push_str" | "push" | "append");
            if ours && writes && write.at <= call.at && write.args.len() == 1 {
                found = true;
                whole = whole.then(&self.texts(&write.args[0], frame));
            }
        });
        found.then_some(whole)
    }
}
