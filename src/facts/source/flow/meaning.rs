//! What a call means by the role that it plays.

use crate::model::source::{Call, Expr, ExprKind, Language};
use crate::rules::{GuardRole, GuardRule};
use crate::sql::statement::Placeholder;

use super::super::frame::Frame;
use super::super::matching::argument;
use super::super::walk;
use super::Flow;
use super::made::Said;
use super::state::{Set, State, Val};
use super::statements::Kind;

impl<'a> Flow<'a, '_> {
    /// What a call means by the role that it plays.
    pub(super) fn role(
        &mut self,
        rule: &'a GuardRule,
        call: &'a Call,
        mut val: Val,
        args: &[Val],
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) -> Val {
        let place = frame.file.place(call.at);
        let is_python = frame.file.language == Language::Python;
        match rule.role {
            // A transaction inside of another is a part of it.
            GuardRole::Begin if is_python && !state.open.is_empty() => {
                val.tx = state.open.clone();
                val
            }
            GuardRole::Commit | GuardRole::Rollback if is_python => {
                self.ends.ask();
                match rule.role {
                    GuardRole::Commit => self.commit_implicit(state),
                    _ => state.implicit = None,
                }
                state.open = Set::new();
                Val::default()
            }
            GuardRole::AfterCommit => {
                let behind = Self::behind_commit(state);
                self.run_given(call, frame, &behind);
                Val::default()
            }
            GuardRole::FindOrCreate => self.first_of(&val),
            GuardRole::Begin => {
                let number = self.begun(place);
                state.open.insert(number);
                val.tx = [number].into();
                val
            }
            GuardRole::Commit | GuardRole::Rollback => {
                for tx in &val.tx {
                    if rule.role == GuardRole::Commit {
                        self.commit(*tx, state);
                    }
                    state.open.remove(tx);
                }
                Val::default()
            }
            GuardRole::Transaction => {
                let number = self.begun(place);
                let given = Val {
                    tx: [number].into(),
                    ..Val::default()
                };
                state.open.insert(number);
                let mut result = Val::default();
                for arg in &call.args {
                    if let ExprKind::Closure(closure) = &arg.kind {
                        let given = vec![given.clone(); closure.params.len()];
                        result = self.closure(closure, &given, frame, state).0;
                    }
                }
                self.commit(number, state);
                state.open.remove(&number);
                result
            }
            GuardRole::RowCount => self.counted(&val),
            GuardRole::MaybeRow => self.row(call, &val, true, args, frame),
            GuardRole::Row => self.row(call, &val, false, args, frame),
            GuardRole::Fills => {
                let looked = self.looked_at(&val);
                self.fill(&call.args, &looked, frame, state);
                looked.error()
            }
            GuardRole::Read => {
                let looked = self.looked_at(&val);
                self.fill(&call.args, &looked, frame, state);
                looked
            }
            GuardRole::ErrorOf => self.failing(&val).error(),
            GuardRole::IsError => {
                let asked = args.first().cloned().unwrap_or_default();
                let asked = self.failing(&asked);
                if call.args.iter().any(|arg| self.is_mark(arg, frame)) {
                    self.map_violation(&asked);
                    return Val::default();
                }
                self.fill(call.args.get(1..).unwrap_or_default(), &asked, frame, state);
                Val {
                    yes: asked.yes.clone(),
                    of: asked.of,
                    ..Val::default()
                }
            }
            GuardRole::UniqueViolation => {
                self.map_violation(&val);
                Val::default()
            }
            GuardRole::TtlLock => {
                let number = self.number(Kind::Ttl, place, String::new());
                self.mark_key(rule, call, number, args, frame);
                self.sent(number, None, state);
                self.first_if(number)
            }
            GuardRole::LastingMark => {
                let number = self.number(Kind::Claim, place, String::new());
                self.mark_key(rule, call, number, args, frame);
                self.sent(number, None, state);
                self.first_if(number)
            }
            GuardRole::Asks | GuardRole::AsksNot | GuardRole::Sets | GuardRole::IgnoreConflict
                if is_python =>
            {
                self.built_on(rule.role, call, &val, frame, state);
                val
            }
            GuardRole::Bind => {
                self.bind_value(call, &val, frame);
                val
            }
            GuardRole::MemoryHolds => {
                let number = self.number(Kind::Memory, place, String::new());
                self.again_if(number)
            }
            GuardRole::MemoryAdds => {
                let number = self.number(Kind::Memory, place, String::new());
                self.first_if(number)
            }
            GuardRole::EnqueueUnique => {
                let number = self.number(Kind::Unique, place, String::new());
                val.of = [number].into();
                val
            }
            GuardRole::Acknowledge => {
                state.acked.get_or_insert(place);
                Val::default()
            }
            GuardRole::IdempotencyKey => {
                let given = argument(call, rule.key, &rule.key_named);
                if let Some(key) = given {
                    let key = self.key(key, call.at, frame);
                    val.keys.insert(key);
                    self.hold_key(call, key, frame, state);
                }
                val
            }
            _ => val,
        }
    }

    /// The key of a mark that a call sets.
    fn mark_key(
        &mut self,
        rule: &GuardRule,
        call: &'a Call,
        number: usize,
        args: &[Val],
        frame: &Frame<'a, '_>,
    ) {
        let Some(at) = rule.key.and_then(|at| at.checked_sub(1)) else {
            return;
        };
        let Some(key) = call.args.get(at) else {
            return;
        };
        let drawn = args.get(at).is_some_and(|val| self.is_drawn(val));
        let param = self.param(key, drawn, frame);
        if let Some(statement) = self.statements.get_mut(number) {
            statement.says(Said {
                params: [(Placeholder::Position(1), param)].into(),
                ..Said::default()
            });
        }
    }

    /// A row is asked for: `fetch_one`, `query_opt`.
    fn row(
        &mut self,
        call: &'a Call,
        val: &Val,
        maybe: bool,
        args: &[Val],
        frame: &Frame<'a, '_>,
    ) -> Val {
        if let (Some(arg), Some(held)) = (call.args.first(), args.first())
            && frame.file.language == Language::Rust
        {
            let tx = self.transactions(arg, held, frame);
            self.runs_in(&val.of, &tx);
        }
        let looked = self.looked_at(val);
        match maybe {
            true => Val {
                failed: Some(Set::new()),
                went: Some(Set::new()),
                ..looked
            },
            false => looked,
        }
    }

    /// Variables that a call is given to fill.
    fn fill(&mut self, args: &'a [Expr], val: &Val, frame: &Frame<'a, '_>, state: &mut State<'a>) {
        for (at, arg) in args.iter().enumerate() {
            if let (Some(name), Some(id)) = (walk::whole(arg), frame.id) {
                let val = match args.len() {
                    // One variable may be filled with the whole row.
                    1 if !val.is_error => self.only_item(val),
                    _ => self.item_of_row(val, at),
                };
                state.set((id, name), val);
            }
        }
    }
}
