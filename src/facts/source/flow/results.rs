//! What the results of statements say: rows, numbers of rows, errors, marks.

use crate::model::place::Pos;

use super::super::frame::Frame;
use super::Flow;
use super::state::{Set, Val};
use super::statements::Kind;

impl<'a> Flow<'a, '_> {
    /// The rows of a result: whether there is one.
    pub(super) fn looked_at(&mut self, val: &Val) -> Val {
        let (mut first, mut again) = (Set::new(), Set::new());
        for number in &val.of {
            let Some(statement) = self.statements.get_mut(*number) else {
                continue;
            };
            statement.tested = true;
            match statement.kind {
                Kind::Read => again.insert(*number),
                Kind::Claim | Kind::UpdateIf => first.insert(*number),
                _ => false,
            };
        }
        let again = self.no_row(&again);
        Val {
            yes: Some(first.clone()),
            no: Some(again.clone()),
            // Without a row a read of one row fails.
            failed: Some(again),
            went: Some(first),
            ..val.clone()
        }
    }

    /// The number of rows of a result.
    pub(super) fn counted(&mut self, val: &Val) -> Val {
        Val {
            failed: Some(Set::new()),
            went: Some(Set::new()),
            is_count: true,
            ..self.looked_at(val)
        }
    }

    /// The error of a result: an insert that went well took its key.
    pub(super) fn failing(&self, val: &Val) -> Val {
        let kind = |number: &usize| self.statements.get(*number).map(|it| it.kind);
        let inserts = val.of.iter().copied();
        let inserts: Set = inserts
            .filter(|it| kind(it) == Some(Kind::Insert))
            .collect();
        let mut went = val.went.clone();
        if let Some(went) = &mut went {
            went.extend(inserts);
        }
        Val {
            went,
            ..val.clone()
        }
    }

    /// What tells whether a row was made: the second of what it gives.
    pub(super) fn first_of(&mut self, val: &Val) -> Val {
        let mut made = self.looked_at(val);
        made.no = Some(Set::new());
        made
    }

    /// A set in memory is asked.
    pub(super) fn remembered(&mut self, at: Pos, frame: &Frame<'a, '_>) -> Val {
        let number = self.number(Kind::Memory, frame.file.place(at), String::new());
        self.again_if(number)
    }

    /// A value that is true where the event was handled before.
    pub(super) fn again_if(&mut self, number: usize) -> Val {
        if let Some(statement) = self.statements.get_mut(number) {
            statement.tested = true;
        }
        let one: Set = [number].into();
        Val {
            no: Some(one.clone()),
            went: Some(one.clone()),
            of: one,
            ..Val::default()
        }
    }

    /// A value that is true where the event was not handled before.
    pub(super) fn first_if(&mut self, number: usize) -> Val {
        if let Some(statement) = self.statements.get_mut(number) {
            statement.tested = true;
        }
        let one: Set = [number].into();
        Val {
            yes: Some(one.clone()),
            of: one,
            ..Val::default()
        }
    }
}
