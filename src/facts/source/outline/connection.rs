//! Connections: which of them a statement or a transaction belongs to.

use crate::model::place::Pos;
use crate::model::source::{Call, Expr, ExprKind};

use super::super::frame::Frame;
use super::super::scope::Bound;
use super::super::texts::called_name;
use super::walk::{MAX_CALLS, Walk};

/// A connection: the function that binds its name, and where.
pub(super) type Connection = (usize, Pos);

impl<'a> Walk<'a, '_> {
    /// The connection on which a method is called: the name it is bound to, through parameters and
    /// cursors of it.
    pub(super) fn connection_of(
        &self,
        call: &'a Call,
        frame: &Frame<'a, '_>,
    ) -> Option<Connection> {
        let ExprKind::Field { of, .. } = &call.callee.kind else {
            return None;
        };
        self.connection(of, frame, MAX_CALLS)
    }

    fn connection(&self, of: &'a Expr, frame: &Frame<'a, '_>, left: usize) -> Option<Connection> {
        let left = left.checked_sub(1)?;
        // `conn.cursor()` is the connection that it is made of.
        let cursor = |value: &'a Expr| match &value.kind {
            ExprKind::Call(call) if called_name(call) == "cursor" => match &call.callee.kind {
                ExprKind::Field { of, .. } => Some(&**of),
                _ => None,
            },
            _ => None,
        };
        if let Some(inner) = cursor(of) {
            return self.connection(inner, frame, left);
        }
        let ExprKind::Name(name) = &of.kind else {
            return None;
        };
        let binding = frame.binding(self.analysis, name, of.at)?;
        match binding.is {
            Bound::Param(at, _) => match frame.argument(self.analysis, at) {
                Some((given, caller)) => self.connection(given, caller, left),
                None => Some((frame.id?.index(), binding.at)),
            },
            Bound::Value {
                value: Some(value), ..
            } if cursor(value).is_some() => self.connection(cursor(value)?, frame, left),
            _ => Some((frame.id?.index(), binding.at)),
        }
    }
}
