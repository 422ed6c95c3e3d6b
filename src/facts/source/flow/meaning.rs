//! What a call means by the role that it plays.

use crate::model::source::{Call, Expr, ExprKind, Language};
use crate::rules::{GuardRole, GuardRule};

use super::super::frame::Frame;
use super::super::walk;
use super::Flow;
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
        match rule.role {
            GuardRole::Begin => {
                let number = self.begun(place);
                state.open.insert(number);
                val.tx = [number].into();
                val
            }
            GuardRole::Commit | GuardRole::Rollback => {
                for tx in &val.tx {
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
                self.sent(number, None, state);
                self.first_if(number)
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
                let key = rule.key.and_then(|at| call.args.get(at.checked_sub(1)?));
                if let Some(key) = key {
                    let key = self.key(key, call.at, frame);
                    val.keys.insert(key);
                    self.hold_key(call, key, frame, state);
                }
                val
            }
            _ => val,
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
        for arg in args {
            if let (Some(name), Some(id)) = (walk::whole(arg), frame.id) {
                state.set((id, name), val.clone());
            }
        }
    }
}
