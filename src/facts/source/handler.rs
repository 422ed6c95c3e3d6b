//! What is run for an event: a function, a method, a closure.

use std::sync::Arc;

use crate::model::place::{Place, Pos};
use crate::model::source::{Block, Call, Closure, Param};

use super::frame::Analysis;
use super::program::{FnId, title};

/// The body of a handler.
#[derive(Debug, Clone, Copy)]
pub(super) enum Handler<'a> {
    /// A function or method.
    Function(FnId),
    /// A closure, with the function in which it stands, and the call of that function which made it
    /// with the caller.
    Closure(&'a Closure, FnId, Option<(&'a Call, FnId)>),
}

impl<'a> Handler<'a> {
    /// Its body.
    pub(super) fn body(self, analysis: &Analysis<'a>) -> &'a Block {
        match self {
            Handler::Function(id) => &analysis.program.function(id).body,
            Handler::Closure(closure, ..) => &closure.body,
        }
    }

    /// The function whose names it sees.
    pub(super) fn within(self) -> FnId {
        match self {
            Handler::Function(id) | Handler::Closure(_, id, _) => id,
        }
    }

    /// The call that made it, and the function in which that stands.
    pub(super) fn made_by(self) -> Option<(&'a Call, FnId)> {
        match self {
            Handler::Function(_) => None,
            Handler::Closure(_, _, made_by) => made_by,
        }
    }

    /// Its parameters.
    pub(super) fn params(self, analysis: &Analysis<'a>) -> &'a [Param] {
        match self {
            Handler::Function(id) => &analysis.program.function(id).params,
            Handler::Closure(closure, ..) => &closure.params,
        }
    }

    /// What a person calls it.
    pub(super) fn title(self, analysis: &Analysis<'a>) -> Arc<str> {
        match self {
            Handler::Function(id) => title(analysis.program.function(id)),
            Handler::Closure(_, id, _) => {
                format!("{}.func", title(analysis.program.function(id))).into()
            }
        }
    }

    fn at(self, analysis: &Analysis<'a>) -> Pos {
        match self {
            Handler::Function(id) => analysis.program.function(id).at,
            Handler::Closure(closure, ..) => closure.at,
        }
    }

    /// The stretch of text that it is, in its file.
    pub(super) fn range(self, analysis: &Analysis<'a>) -> std::ops::Range<Pos> {
        match self {
            Handler::Function(id) => {
                let function = analysis.program.function(id);
                function.at..function.end
            }
            Handler::Closure(closure, ..) => closure.at..closure.end,
        }
    }

    /// Where it stands.
    pub(super) fn place(self, analysis: &Analysis<'a>) -> Place {
        analysis
            .program
            .file(self.within())
            .place(self.at(analysis))
    }
}
