//! What ends what: channels, contexts, tickers.

use std::rc::Rc;

use crate::model::source::{Call, ExprKind};

use super::super::frame::Frame;
use super::super::resolve::Callee;
use super::super::texts::called_name;
use super::calls::is_language_own;
use super::value::{Kind, Val};
use super::walk::Walk;
use super::{Exit, Inside, What};

impl<'a> Walk<'a, '_> {
    /// A call that makes, sends or waits for a signal by the means of the language itself.
    pub(super) fn signalled(
        &mut self,
        call: &'a Call,
        callee: &Callee<'a>,
        on: &Val<'a>,
        args: &[Val<'a>],
        frame: &Frame<'a, '_>,
    ) -> Option<Val<'a>> {
        let place = frame.file.place(call.at);
        let name = called_name(call);
        let of_language = is_language_own(call, callee);
        match (&*name, args) {
            ("<-", []) => {
                let of = numbers(on);
                self.step(place, What::Receive(of));
                Some(Val::default())
            }
            ("<-", [_]) => {
                for number in numbers(on) {
                    self.step(place.clone(), What::Signal(number));
                }
                Some(Val::default())
            }
            ("close", [channel]) if of_language => {
                let Kind::Channel(number) = channel.kind else {
                    return None;
                };
                self.step(place, What::Signal(number));
                Some(Val::default())
            }
            ("make", _) if of_language => {
                let ExprKind::Type(of) = &call.args.first()?.kind else {
                    return None;
                };
                let number = self.number();
                Some(Val::of(match &*of.name {
                    "chan" => Kind::Channel(number),
                    "[]" => Kind::List(number, Rc::new(Val::of(Kind::Nil))),
                    _ => return None,
                }))
            }
            _ => None,
        }
    }

    /// Notes a way out of a loop, or of a function, other than by its end.
    pub(super) fn leaves(&mut self, place: crate::model::place::Place) {
        let own = &self.within[self.floor.min(self.within.len())..];
        let in_loop = own.iter().any(|inside| matches!(inside, Inside::Loop(_)));
        if in_loop {
            self.trace.exits.push(Exit {
                at: self.next(),
                within: self.within.clone(),
                place,
            });
        }
    }
}

/// The signals that a value stands for.
pub(super) fn numbers(val: &Val<'_>) -> Vec<usize> {
    match val.kind {
        Kind::Channel(number) | Kind::Ticker(number) => vec![number],
        _ => val.ends.clone(),
    }
}
