//! Statements and calls that may keep a further delivery apart, each counted once by its place.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use crate::model::effect::EffectKind;
use crate::model::place::Place;
use crate::model::source::{Call, Expr, ExprKind, Language};
use crate::rules::GuardRole;
use crate::sql::standing::{Standing, standing};

use super::super::effects::dialect;
use super::super::frame::Frame;
use super::super::resolve::Callee;
use super::super::text::Text;
use super::Flow;
use super::made::{Params, Said};
use super::marks::Asked;
use super::orm::Built;
use super::state::{Set, State, Val};

/// The transaction that whoever called the handler opened.
pub(super) const OUTER: usize = usize::MAX;

/// What a statement is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// An insert that does nothing where the key is taken.
    Claim,
    /// Any other insert.
    Insert,
    /// An update that asks for what it changes.
    UpdateIf,
    /// A read.
    Read,
    /// A lock on rows that a read finds.
    RowLock,
    /// A lock on a number or name; true if it ends with the transaction.
    Advisory(bool),
    /// A mark that ends by itself.
    Ttl,
    /// A set in memory.
    Memory,
    /// An option that makes a queue refuse a message.
    Unique,
    /// A write.
    Write,
    /// An answer of a read: the read, where it was asked, whether it was yes.
    Asked(usize, usize, bool),
}

/// A statement.
#[derive(Debug)]
pub(super) struct Statement {
    /// What it is good for.
    pub(super) kind: Kind,
    /// Where it stands.
    pub(super) place: Place,
    /// The table.
    pub(super) table: String,
    /// The transactions in which it runs; none if that is not known yet.
    pub(super) tx: Option<Set>,
    /// True if its unique violation is recognised.
    pub(super) mapped: bool,
    /// True if what it gives is looked at.
    pub(super) tested: bool,
    /// Effects that may have happened before it.
    pub(super) after: Set,
    /// The functions around it, outermost first.
    pub(super) around: Option<Vec<usize>>,
    /// What it says, of one whose text was read.
    pub(super) said: Option<Said>,
    /// True if it raises where it fails, so that what runs behind knows that it did not.
    pub(super) raises: bool,
    /// The columns that it gives, in order.
    pub(super) items: Vec<Option<Arc<str>>>,
    /// The fields that it writes, of one without a text; none if that is not known.
    pub(super) fields: Option<BTreeSet<Arc<str>>>,
    /// The answer that it is.
    pub(super) asked: Option<Asked>,
    /// The parts of one that is built by calls.
    pub(super) built: Built,
}

impl<'a> Flow<'a, '_> {
    /// The number of a statement.
    pub(super) fn number(&mut self, kind: Kind, place: Place, table: String) -> usize {
        let known = self.numbers.get(&(place.clone(), kind));
        if let Some(known) = known {
            return *known;
        }
        let number = self.statements.len();
        self.numbers.insert((place.clone(), kind), number);
        self.statements.push(Statement {
            kind,
            place,
            table,
            tx: None,
            mapped: false,
            tested: false,
            after: Set::new(),
            around: None,
            said: None,
            raises: false,
            items: Vec::new(),
            fields: None,
            asked: None,
            built: Built::default(),
        });
        number
    }

    /// The statement that a call runs, if one is known; with the lock that it takes besides.
    pub(super) fn statement(
        &mut self,
        call: &'a Call,
        callee: &Callee<'a>,
        role: Option<GuardRole>,
        (args, receiver): (&[Val], &Val),
        met: &[usize],
        frame: &Frame<'a, '_>,
    ) -> Option<(usize, Option<usize>)> {
        let place = frame.file.place(call.at);
        let is_python = frame.file.language == Language::Python;
        let target = || {
            met.first()
                .and_then(|at| self.effects.get(*at))
                .map(|it| it.target.clone())
        };
        let target = target().filter(|_| is_python).unwrap_or_default();
        if role == Some(GuardRole::Read) {
            let locks = self.chain_has(call, frame, GuardRole::LockRows);
            self.analysis.refuel();
            let of = is_python
                .then(|| self.analysis.rows_of(call, frame))
                .flatten();
            let of = of.unwrap_or_default();
            let read = self.number(Kind::Read, place.clone(), of.clone());
            let lock = locks.then(|| self.number(Kind::RowLock, place, of));
            return Some((read, lock));
        }
        self.analysis.refuel();
        let (rule, text) = self.analysis.statement_of(call, callee, frame)?;
        let built = rule.sql.and_then(|at| args.get(at.checked_sub(1)?));
        if is_python && built.is_some_and(|built| !built.of.is_empty()) {
            return None;
        }
        let Some(text) = text else {
            if rule.kind.is_none_or(EffectKind::is_external) {
                return None;
            }
            let is_insert = rule.kind.is_some_and(EffectKind::is_create);
            let claims = role == Some(GuardRole::FindOrCreate)
                || self.chain_has(call, frame, GuardRole::IgnoreConflict);
            let kind = match (is_insert, claims) {
                (true, true) => Kind::Claim,
                (true, false) => Kind::Insert,
                _ if rule.kind == Some(EffectKind::Update) && is_python => Kind::UpdateIf,
                _ => Kind::Write,
            };
            let number = self.number(kind, place, target);
            if is_python {
                self.built(number, call, receiver, frame);
            }
            return Some((number, None));
        };
        let told = self.told(&text, place, |flow| {
            flow.params(call, rule.sql.unwrap_or(1), args, frame)
        });
        if let Some(statement) = self.statements.get_mut(told.0) {
            statement.raises = is_python;
        }
        Some(told)
    }

    /// The statement of a text, with the lock that it takes besides.
    pub(super) fn told(
        &mut self,
        text: &Text,
        place: Place,
        params: impl FnOnce(&Self) -> Params,
    ) -> (usize, Option<usize>) {
        let sql = text.as_sql();
        let table = |name: String| text.original(&name);
        let mut said = Said::default();
        let mut items = Vec::new();
        let (number, lock) = match standing(&sql, dialect(&sql)) {
            None => return (self.number(Kind::Write, place, first_table(text)), None),
            Some(Standing::InsertIfAbsent(row)) => {
                let number = self.number(Kind::Claim, place, table(row.table.clone()));
                said.row = Some(row);
                (number, None)
            }
            Some(Standing::Insert(row)) => {
                let number = self.number(Kind::Insert, place, table(row.table.clone()));
                said.row = Some(row);
                (number, None)
            }
            Some(Standing::UpdateIf(change)) => {
                let number = self.number(Kind::UpdateIf, place, table(change.table.clone()));
                said.change = Some(change);
                (number, None)
            }
            Some(Standing::Update(change)) => {
                let number = self.number(Kind::Write, place, table(change.table.clone()));
                said.change = Some(change);
                (number, None)
            }
            Some(Standing::Read(look)) => {
                items = look.items;
                (self.number(Kind::Read, place, table(look.table)), None)
            }
            Some(Standing::LockingRead(look)) => {
                items = look.items;
                let on = table(look.table);
                let read = self.number(Kind::Read, place.clone(), on.clone());
                (read, Some(self.number(Kind::RowLock, place, on)))
            }
            Some(Standing::AdvisoryLock(to_commit)) => {
                let lock = self.number(Kind::Advisory(to_commit), place, String::new());
                return (lock, Some(lock));
            }
        };
        // What a read is given decides nothing.
        if said.row.is_some() || said.change.is_some() {
            said.params = params(self);
        }
        said.sql = sql;
        if let Some(statement) = self.statements.get_mut(number) {
            statement.items = items;
            statement.says(said);
        }
        (number, lock)
    }

    /// True if a call before this one in the chain, or what it is given, plays a role.
    fn chain_has(&self, call: &'a Call, frame: &Frame<'a, '_>, role: GuardRole) -> bool {
        let is_python = frame.file.language == Language::Python;
        if is_python && self.has_role(call, frame, role) {
            return true;
        }
        let mut at = &call.callee;
        loop {
            let ExprKind::Field { of, .. } = &at.kind else {
                return false;
            };
            let ExprKind::Call(before) = &of.kind else {
                return false;
            };
            let given = before.args.iter().any(|arg| match &arg.kind {
                ExprKind::Make { of, fields } => fields.iter().any(|field| {
                    let name = field.name.as_ref();
                    name.is_some_and(|name| self.part_role(of.as_ref(), name, frame) == Some(role))
                }),
                _ => false,
            });
            if given || (is_python && self.has_role(before, frame, role)) {
                return true;
            }
            at = &before.callee;
        }
    }

    /// The statement runs in what this value holds.
    pub(super) fn runs_in(&mut self, statements: &Set, tx: &Set) {
        for number in statements {
            if let Some(statement) = self.statements.get_mut(*number) {
                match &statement.tx {
                    None => statement.tx = Some(tx.clone()),
                    Some(known) if known != tx => {
                        statement.tx = Some(known.intersection(tx).copied().collect());
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// The transactions that an expression is, by its value or by its type.
    pub(super) fn transactions(&self, expr: &'a Expr, val: &Val, frame: &Frame<'a, '_>) -> Set {
        if !val.tx.is_empty() {
            return val.tx.clone();
        }
        self.analysis.refuel();
        let ty = self.analysis.type_of(expr, frame);
        let is_tx = ty.is_some_and(|ty| {
            let names = self.analysis.names_of(&ty);
            names
                .iter()
                .any(|name| self.is_transaction_type(name, frame))
        });
        match is_tx {
            true => [OUTER].into(),
            false => Set::new(),
        }
    }

    /// The number of the transaction that begins at a call.
    pub(super) fn begun(&mut self, place: Place) -> usize {
        let next = self.transactions.len();
        *self.transactions.entry(place).or_insert(next)
    }

    /// True of a read.
    pub(super) fn is_read(&self, number: usize) -> bool {
        let kind = self.statements.get(number).map(|statement| statement.kind);
        kind == Some(Kind::Read)
    }

    /// True of what a read gave.
    pub(super) fn is_of_read(&self, val: &Val) -> bool {
        !val.is_error && val.of.iter().any(|of| self.is_read(*of))
    }

    /// True of an option that makes a queue refuse a message.
    pub(super) fn is_unique(&self, number: usize) -> bool {
        let kind = self.statements.get(number).map(|statement| statement.kind);
        kind == Some(Kind::Unique)
    }

    /// The violation of a unique key by these statements is recognised.
    pub(super) fn map_violation(&mut self, val: &Val) {
        for number in &val.of {
            if let Some(statement) = self.statements.get_mut(*number) {
                statement.mapped = true;
            }
        }
    }

    /// A statement was sent: locks hold from here on.
    pub(super) fn sent(&mut self, number: usize, lock: Option<usize>, state: &mut State<'a>) {
        state.ran.insert(number);
        state.may.insert(number);
        let is_insert = |it: &Statement| it.kind == Kind::Insert && it.raises;
        if self.statements.get(number).is_some_and(is_insert) {
            // It raises where its key is taken: what runs behind it has the key.
            state.passed.insert(number);
        }
        let kind = self.statements.get(number).map(|it| it.kind);
        let is_write = matches!(
            kind,
            Some(Kind::Claim | Kind::Insert | Kind::UpdateIf | Kind::Write)
        );
        if is_write && state.met.values().any(|ran| !ran.contains(&number)) {
            for ran in Rc::make_mut(&mut state.met).values_mut() {
                ran.insert(number);
            }
        }
        if let Some(statement) = self.statements.get_mut(number) {
            statement.after.extend(state.met.keys().copied());
            if statement.around.is_none() {
                statement.around = Some(self.stack.clone());
            }
        }
        if let Some(lock) = lock {
            state.ran.insert(lock);
            state.passed.insert(lock);
        }
    }
}

/// The table that a statement names, where only its verbs can be read.
fn first_table(text: &Text) -> String {
    use crate::sql::verbs::{Verbs, verbs};
    let sql = text.as_sql();
    match verbs(&sql, dialect(&sql)) {
        Verbs::Writes(writes) => writes
            .first()
            .map_or_else(String::new, |write| text.original(&write.table)),
        _ => String::new(),
    }
}
