//! Where the workers start: the functions from which both the outbox and its handlers are reached.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::model::place::Place;
use crate::model::source::ExprKind;
use crate::rules::QueueWord;
use crate::sql::lexer::{TokenKind, tokens_of};

use super::super::buses::Buses;
use super::super::calls::{Calls, Site};
use super::super::effects::dialect;
use super::super::frame::Analysis;
use super::super::program::FnId;
use super::super::resolve::Callee;
use super::hands::{hands_off, is_open};
use super::{FlagRead, Wanted};

/// What is known of the functions of a tree before the walk.
#[derive(Debug, Default)]
pub(super) struct Map {
    /// Where to start.
    pub(super) roots: Vec<FnId>,
    /// Functions between the roots and the hand-off.
    pub(super) spine: HashSet<FnId>,
    /// Those of them that do the work, by the package in which events are handed off.
    pub(super) core: HashSet<FnId>,
    /// Functions that reach a statement or begin a transaction.
    pub(super) working: HashSet<FnId>,
    /// Functions that look up settings, or call one that does.
    pub(super) settings: HashSet<FnId>,
    /// Names of fields that are given the setting of the flag.
    pub(super) flag_fields: BTreeSet<Arc<str>>,
    /// Where the flag is named.
    pub(super) flag_read: Vec<FlagRead>,
    /// Calls of interfaces that are not followed, where rows are taken.
    pub(super) open_calls: Vec<Place>,
    /// Functions that insert into the outbox.
    pub(super) inserts: Vec<FnId>,
    /// Functions that write to another table.
    pub(super) writes: Vec<FnId>,
    /// Statements on the outbox.
    pub(super) statements: Vec<(String, Place)>,
    /// Where the tree makes connections on which every statement is a transaction of its own.
    pub(super) autocommit: Option<Place>,
    /// True if the tree takes values out of contexts where it writes.
    pub(super) takes_out: bool,
    /// Functions that take a value out of a context.
    carried: Vec<FnId>,
    /// Functions that run statements, or begin transactions.
    runs: HashSet<FnId>,
}

impl Map {
    pub(super) fn of<'a>(
        analysis: &Analysis<'a>,
        buses: &Buses,
        calls: &Calls<'a>,
        wanted: Wanted<'_>,
    ) -> Self {
        let mut map = Self::default();
        let mut takes = Vec::new();
        let mut looks = Vec::new();
        let mut callers: HashMap<FnId, Vec<FnId>> = HashMap::new();
        let mut callees: HashMap<FnId, Vec<FnId>> = HashMap::new();
        for site in &calls.sites {
            map.site(analysis, site, wanted, &mut takes, &mut looks);
            let frame = analysis.frame(site.within);
            let mut called = Vec::new();
            if let Callee::Functions(ids, _) = &site.callee {
                called.extend(ids.iter().copied());
            }
            for arg in &site.call.args {
                if matches!(arg.kind, ExprKind::Name(_) | ExprKind::Field { .. }) {
                    analysis.refuel();
                    if let Callee::Functions(ids, _) =
                        analysis.resolve_callee(arg, usize::MAX, &frame)
                    {
                        called.extend(ids);
                    }
                }
            }
            for id in called {
                callers.entry(id).or_default().push(site.within);
                callees.entry(site.within).or_default().push(id);
            }
        }
        let reaching = |start: &[FnId]| {
            let mut found: HashSet<FnId> = HashSet::new();
            let mut open = start.to_vec();
            while let Some(id) = open.pop() {
                if found.insert(id) {
                    open.extend(callers.get(&id).into_iter().flatten());
                }
            }
            found
        };
        let to_rows = reaching(&takes);
        let runs: Vec<FnId> = map.runs.iter().copied().collect();
        let to_statements = reaching(&runs);
        let mut hands = Vec::new();
        let mut open_calls = Vec::new();
        for site in &calls.sites {
            if hands_off(analysis, buses, &to_statements, site) {
                hands.push(site.within);
            } else if to_statements.contains(&site.within) && is_open(analysis, site) {
                open_calls.push(site);
            }
        }
        if !open_calls.is_empty() {
            let mut below: HashSet<FnId> = HashSet::new();
            let mut open: Vec<FnId> = to_rows.iter().copied().collect();
            while let Some(id) = open.pop() {
                if below.insert(id) {
                    open.extend(callees.get(&id).into_iter().flatten());
                }
            }
            open_calls.retain(|site| below.contains(&site.within));
        }
        let place = |site: &&Site<'a>| analysis.program.file(site.within).place(site.call.at);
        map.open_calls = open_calls.iter().map(place).collect();
        let to_handlers = reaching(&hands);
        map.settings = reaching(&looks);
        map.takes_out = map.carried.iter().any(|id| {
            let mut users = callers.get(id).into_iter().flatten();
            map.runs.contains(id) || users.any(|user| to_statements.contains(user))
        });
        map.spine = to_rows.intersection(&to_handlers).copied().collect();
        // What the lowest functions that reach both call on the way to either.
        let lowest = map.spine.iter().copied().filter(|id| {
            let mut called = callees.get(id).into_iter().flatten();
            called.all(|called| called == id || !map.spine.contains(called))
        });
        let mut below: HashSet<FnId> = HashSet::new();
        let mut open: Vec<FnId> = lowest.collect();
        while let Some(id) = open.pop() {
            if below.insert(id) {
                let called = callees.get(&id).into_iter().flatten().copied();
                open.extend(called.filter(|id| to_rows.contains(id) || to_handlers.contains(id)));
            }
        }
        let homes: HashSet<&str> = hands
            .iter()
            .filter(|id| below.contains(id))
            .map(|id| &*analysis.program.file(*id).package)
            .collect();
        let at_home = |id: &&FnId| homes.contains(&*analysis.program.file(**id).package);
        map.core = map.spine.iter().filter(at_home).copied().collect();
        map.core.extend(below);
        let is_root = |id: &FnId| {
            let above = callers.get(id).into_iter().flatten();
            above
                .clone()
                .all(|caller| caller == id || !map.spine.contains(caller))
        };
        map.roots = analysis
            .program
            .functions()
            .filter(|id| map.spine.contains(id) && is_root(id))
            .collect();
        map.working = to_statements;
        if let Some(flag) = wanted.flag {
            map.note_flag(analysis, flag);
        }
        map
    }

    fn site<'a>(
        &mut self,
        analysis: &Analysis<'a>,
        site: &Site<'a>,
        wanted: Wanted<'_>,
        takes: &mut Vec<FnId>,
        looks: &mut Vec<FnId>,
    ) {
        let frame = analysis.frame(site.within);
        analysis.refuel();
        match analysis
            .queue_rule(site.call, &site.callee, &frame)
            .map(|rule| rule.means)
        {
            Some(
                QueueWord::Begin
                | QueueWord::Transaction
                | QueueWord::Scope
                | QueueWord::OwnScope
                | QueueWord::Connection,
            ) => {
                self.runs.insert(site.within);
            }
            Some(QueueWord::Setting) => looks.push(site.within),
            Some(QueueWord::Carried) => self.carried.push(site.within),
            Some(QueueWord::Autocommit) => {
                let place = frame.file.place(site.call.at);
                self.autocommit.get_or_insert(place);
            }
            _ => {}
        }
        let Some(arg) = analysis
            .sql_argument(site.call, &site.callee, &frame)
            .and_then(|at| site.call.args.get(at))
        else {
            return;
        };
        self.runs.insert(site.within);
        let place = frame.file.place(site.call.at);
        for text in analysis.texts(arg, &frame).options {
            let sql = text.as_sql();
            let verb = sql.trim_start().get(..6).unwrap_or_default();
            let is = |wanted: &str| verb.eq_ignore_ascii_case(wanted);
            if !names(&sql, wanted.tables) {
                if ["INSERT", "UPDATE", "DELETE"].into_iter().any(is) {
                    self.writes.push(site.within);
                }
                continue;
            }
            match is("INSERT") {
                true => self.inserts.push(site.within),
                false if is("DELETE") => {}
                false => takes.push(site.within),
            }
            self.statements.push((sql, place.clone()));
        }
    }
}

/// True if a text is SQL that names one of the tables.
pub(super) fn names(sql: &str, tables: &[Arc<str>]) -> bool {
    let lower = sql.to_ascii_lowercase();
    if !tables
        .iter()
        .any(|table| lower.contains(&table.to_ascii_lowercase()))
    {
        return false;
    }
    let tokens = tokens_of(sql.trim_end().trim_end_matches(';'), dialect(sql));
    tokens.unwrap_or_default().iter().any(|token| {
        let is_name = matches!(token.kind, TokenKind::Word | TokenKind::Quoted);
        let source = sql.get(token.start as usize..token.end as usize);
        let source = source
            .unwrap_or_default()
            .trim_matches(['`', '"', '[', ']']);
        is_name
            && tables
                .iter()
                .any(|table| table.eq_ignore_ascii_case(source))
    })
}
