//! What is known of the arguments of a call: what tells one way through a function from another.

use crate::model::source::{Call, ExprKind};

use super::frame::{Analysis, Frame};

impl<'a> Analysis<'a> {
    /// What of the arguments is known, as one text: a function is gone through once for each.
    pub(super) fn signature(&self, call: &'a Call, frame: &Frame<'a, '_>) -> String {
        let mut signature = String::new();
        for arg in &call.args {
            let texts = match arg.kind {
                ExprKind::Closure(_) => {
                    // Its body is gone through where it stands.
                    signature.push_str("f;");
                    continue;
                }
                ExprKind::Make { .. } | ExprKind::Nil => continue,
                _ => self.texts(arg, frame),
            };
            for text in &texts.options {
                signature.push_str(&text.shown());
                signature.push(',');
            }
            signature.push(';');
        }
        signature
    }
}
