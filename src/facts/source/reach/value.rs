//! Calls of functions that values hold, and functions that run around others.

use crate::model::map::Sureness;
use crate::model::place::Place;
use crate::model::source::{Call, ExprKind, Language};

use super::super::frame::Frame;
use super::super::program::FnId;
use super::super::reached::Lost;
use super::super::resolve::{Callee, is_builtin};
use super::Walk;

/// Types of functions that libraries make and that leave nothing behind.
const HARMLESS: &[&str] = &["context.CancelFunc", "context.CancelCauseFunc"];

impl<'a> Walk<'a, '_> {
    /// A call of a function that a variable, parameter or field holds.
    pub(super) fn value(
        &mut self,
        call: &'a Call,
        name: &str,
        place: Place,
        frame: &Frame<'a, '_>,
        sureness: Sureness,
    ) {
        let mut functions = Vec::new();
        let mut closures = false;
        let mut by_library = false;
        self.analysis
            .origins(&call.callee, 0, frame, &mut |origin, inner| {
                match &origin.kind {
                    // Gone through where it stands.
                    ExprKind::Closure(_) => closures = true,
                    ExprKind::Name(_) | ExprKind::Field { .. } => {
                        if let Callee::Functions(ids, sure) =
                            self.analysis.resolve_callee(origin, call.args.len(), inner)
                        {
                            functions.extend(ids.into_iter().map(|id| (id, sure)));
                        }
                    }
                    // What a library made is the library's own.
                    ExprKind::Call(made) if inner.file.language == Language::Python => {
                        by_library |= match self.analysis.resolve(made, inner) {
                            // `getattr` gives what is the tree's own.
                            Callee::External(full) => full.contains('.'),
                            Callee::Method { .. } => true,
                            _ => false,
                        };
                    }
                    _ => {}
                }
            });
        // What it stands on is gone through by itself.
        if self.decorating && functions.is_empty() {
            return;
        }
        let of = self.analysis.type_of(&call.callee, frame);
        let ends = of.is_some_and(|of| {
            let names = self.analysis.names_of(&of);
            names.iter().any(|name| HARMLESS.contains(&&**name))
        });
        if functions.is_empty() && !closures && !ends && !by_library && !is_builtin(name) {
            self.lose(Lost {
                place,
                call: name.to_owned(),
                why: "it calls a function that a value holds, and the tree does not show which"
                    .to_owned(),
            });
        }
        for (id, sure) in functions {
            self.enter(vec![id], call, frame, sureness.min(sure));
        }
    }

    /// Goes through the decorators that run around a function.
    pub(super) fn around(&mut self, id: FnId, sureness: Sureness) {
        for (call, within, ids) in self.analysis.around(id) {
            let frame = self.analysis.frame(within);
            for id in ids {
                self.decorating = true;
                self.enter(vec![id], call, &frame, sureness);
            }
            self.decorating = false;
        }
    }
}
