//! What names of a revision stand for while it is gone through.

use std::sync::Arc;

use crate::model::source::{Expr, ExprKind, Pattern};

use super::super::module::{Args, Bound};
use super::body::Body;

impl<'a> Body<'_, 'a> {
    pub(super) fn bind(&mut self, patterns: &'a [Pattern], values: &'a [Expr]) {
        for (at, pattern) in patterns.iter().enumerate() {
            let value = values.get(at).filter(|_| patterns.len() == values.len());
            match pattern {
                Pattern::Name(name, _) => self.bind_name(name, value),
                Pattern::Parts { parts, .. } => {
                    let inner = value.and_then(|value| self.module.list(value, &self.names));
                    let inner = inner.unwrap_or_default();
                    for (at, (_, part)) in parts.iter().enumerate() {
                        for name in part.names() {
                            let value = inner.get(at).copied();
                            self.bind_name(name, value.filter(|_| inner.len() == parts.len()));
                        }
                    }
                }
                _ => {
                    for name in pattern.names() {
                        self.names.bind(name, Bound::Unknown);
                    }
                }
            }
        }
    }

    pub(super) fn bind_name(&mut self, name: &Arc<str>, value: Option<&'a Expr>) {
        let bound = self.bound(value);
        self.names.bind(name, bound);
    }

    /// What a name stands for that is given a value.
    pub(super) fn bound(&self, value: Option<&'a Expr>) -> Bound<'a> {
        let Some(value) = value else {
            return Bound::Unknown;
        };
        match self.module.text(value, &self.names) {
            // A call makes a text of another kind: of SQL.
            Some(text) if !matches!(value.kind, ExprKind::Call(_)) => Bound::Text(text),
            _ => match self.names.get_of(value) {
                Some(bound) => bound.clone(),
                None => Bound::Written(value),
            },
        }
    }

    /// `with op.batch_alter_table("t") as batch`.
    pub(super) fn bind_context(&mut self, of: &'a Expr, pattern: &'a Pattern) {
        let batch = self.module.call(of, &self.names).filter(|call| {
            self.module.qualified(&call.callee).as_deref() == Some("alembic.op.batch_alter_table")
        });
        let bound = batch.map(|call| {
            let args = Args(call);
            let text = |of: &'a Expr| self.module.text(of, &self.names);
            let table = args.get(0, "table_name").and_then(text);
            let schema = args.named("schema").map(text);
            match (table, schema) {
                (Some(table), Some(Some(schema))) => Bound::Batch {
                    schema: Some(schema.into()),
                    table: table.into(),
                },
                (Some(table), None) => Bound::Batch {
                    schema: None,
                    table: table.into(),
                },
                _ => Bound::Unknown,
            }
        });
        for name in pattern.names() {
            self.names
                .bind(name, bound.clone().unwrap_or(Bound::Unknown));
        }
    }
}
