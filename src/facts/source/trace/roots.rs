//! Where the workers start: the functions from which both the outbox and its handlers are reached.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::model::effect::EffectKind;
use crate::model::place::Place;
use crate::model::source::{ExprKind, StmtKind};
use crate::rules::QueueWord;
use crate::sql::lexer::{TokenKind, tokens_of};

use super::super::buses::Buses;
use super::super::calls::{Calls, Site};
use super::super::effects::dialect;
use super::super::frame::Analysis;
use super::super::program::FnId;
use super::super::resolve::Callee;
use super::super::walk::{self, Part};
use super::Wanted;

/// What is known of the functions of a tree before the walk.
#[derive(Debug, Default)]
pub(super) struct Map {
    /// Where to start.
    pub(super) roots: Vec<FnId>,
    /// Functions between the roots and the hand-off.
    pub(super) spine: HashSet<FnId>,
    /// Those of them that do the work, by the package in which events are handed off.
    pub(super) core: HashSet<FnId>,
    /// Functions that look up settings, or call one that does.
    pub(super) settings: HashSet<FnId>,
    /// Names of fields that are given the setting of the flag.
    pub(super) flag_fields: BTreeSet<Arc<str>>,
    /// Where the flag is named.
    pub(super) flag_read: Vec<Place>,
    /// Statements on the outbox.
    pub(super) statements: Vec<(String, Place)>,
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
        let mut hands = Vec::new();
        let mut looks = Vec::new();
        let mut callers: HashMap<FnId, Vec<FnId>> = HashMap::new();
        let mut callees: HashMap<FnId, Vec<FnId>> = HashMap::new();
        for site in &calls.sites {
            map.site(analysis, site, wanted, &mut takes, &mut looks);
            let frame = analysis.frame(site.within);
            if hands_off(analysis, buses, site) {
                hands.push(site.within);
            }
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
        let (to_rows, to_handlers) = (reaching(&takes), reaching(&hands));
        map.settings = reaching(&looks);
        let runs: Vec<FnId> = map.runs.iter().copied().collect();
        let to_statements = reaching(&runs);
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
            Some(QueueWord::Begin | QueueWord::Transaction) => {
                self.runs.insert(site.within);
            }
            Some(QueueWord::Setting) => looks.push(site.within),
            Some(QueueWord::Carried) => self.carried.push(site.within),
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
            if !names(&sql, wanted.tables) {
                continue;
            }
            let verb = sql.trim_start().get(..6).unwrap_or_default();
            if !verb.eq_ignore_ascii_case("INSERT") && !verb.eq_ignore_ascii_case("DELETE") {
                takes.push(site.within);
            }
            self.statements.push((sql, place.clone()));
        }
    }

    /// Fields that are given the setting, whoever reads them.
    fn note_flag(&mut self, analysis: &Analysis<'_>, flag: &str) {
        for id in analysis.program.functions() {
            if !self.settings.contains(&id) {
                continue;
            }
            let function = analysis.program.function(id);
            let file = analysis.program.file(id);
            let frame = analysis.frame(id);
            let says = |expr| {
                let mut found = None;
                let mut open = vec![Part::Expr(expr)];
                while let Some(part) = open.pop() {
                    let Part::Expr(expr) = part else { continue };
                    let named = matches!(
                        expr.kind,
                        ExprKind::Text(_) | ExprKind::Name(_) | ExprKind::Field { .. }
                    );
                    if named {
                        analysis.refuel();
                        let texts = analysis.texts(expr, &frame);
                        if texts.constants() == [flag] {
                            found = Some(file.place(expr.at));
                        }
                    }
                    walk::parts(expr, &mut |part| open.push(part));
                }
                found
            };
            walk::each_expr(&function.body, &mut |expr| match &expr.kind {
                ExprKind::Make { fields, .. } => {
                    for field in fields {
                        if let (Some(name), true) = (&field.name, says(&field.value).is_some()) {
                            self.flag_fields.insert(Arc::clone(name));
                        }
                    }
                }
                ExprKind::Call(call) => {
                    for arg in &call.args {
                        if matches!(
                            arg.kind,
                            ExprKind::Text(_) | ExprKind::Name(_) | ExprKind::Field { .. }
                        ) && let Some(place) = says(arg)
                            && self.settings.contains(&id)
                        {
                            self.flag_read.push(place);
                        }
                    }
                }
                _ => {}
            });
            let mut open: Vec<_> = function.body.stmts.iter().collect();
            while let Some(stmt) = open.pop() {
                if let StmtKind::Assign {
                    targets, values, ..
                } = &stmt.kind
                    && let [target] = &targets[..]
                    && let ExprKind::Field { name, .. } = &target.kind
                    && values.iter().any(|value| says(value).is_some())
                {
                    self.flag_fields.insert(Arc::clone(name));
                }
                walk::stmt_parts(stmt, &mut |part| {
                    if let Part::Block(block) = part {
                        open.extend(block.stmts.iter());
                    }
                });
            }
        }
        self.flag_read.sort();
        self.flag_read.dedup();
    }
}

/// True of a call that gives an event to its handlers.
pub(super) fn hands_off<'a>(analysis: &Analysis<'a>, buses: &Buses, site: &Site<'a>) -> bool {
    if let Callee::Functions(ids, _) = &site.callee {
        return ids.iter().any(|id| buses.dispatching.contains_key(id));
    }
    let frame = analysis.frame(site.within);
    let effects = analysis.effects_of(site.call, &site.callee, &frame);
    let publishes = effects.is_some_and(|effects| {
        let mut kinds = effects.found.iter();
        kinds.any(|found| found.kind == EffectKind::Publish)
    });
    publishes || runs_held(site)
}

/// True of a call of a function that a field or a table holds: `w.handler(ctx, event)`.
fn runs_held(site: &Site<'_>) -> bool {
    let held = matches!(
        site.call.callee.kind,
        ExprKind::Field { .. } | ExprKind::Index { .. }
    );
    held && matches!(site.callee, Callee::Value(_)) && site.call.args.len() >= 2
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
