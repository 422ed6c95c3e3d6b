//! `write-points`, `recovery-paths` and `never-automatic`: who reaches what.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::guarantee::{
    Code, NeverAutomatic, Node, Ran, RecoveryPaths, Symbol, TableStates, Verb, What, WritePoints,
    ends_at_folder,
};
use crate::model::schema::Dialect;
use crate::model::scope::ContractPart;
use crate::sql::lexer::tokens_of;
use crate::sql::query::{self, Given, Row, Value, World};
use crate::sql::statement::{self, Placeholder, Statement};

use super::answer::{fails, hides, holds, open, short, unread_source};
use super::statement::{Sql, same};
use super::transactions::is_call_of;
use super::{Asked, each, hidden};

/// `write-points`: only these functions write the table, by what they reach.
pub(super) fn points(asked: &Asked<'_>, kind: &WritePoints) -> (Vec<ContractPart>, String) {
    let repair = format!("write {} only in {}", kind.table, kind.only.join(", "));
    let Some(code) = asked.context.code else {
        return (vec![unread_source(asked, &kind.table)], repair);
    };
    let mut parts = Vec::new();
    let mut only = BTreeSet::new();
    for name in &kind.only {
        match code.named(name)[..] {
            [] => parts.push(match asked.outline(name) {
                Err(part) => part,
                Ok(_) => unread_source(asked, name),
            }),
            ref found => only.extend(found.iter().copied()),
        }
    }
    let mut writers: BTreeMap<usize, &Node> = BTreeMap::new();
    for (within, node) in &code.statements {
        match asked.sql(node) {
            Some(sql) if sql.writes_to(&kind.table) => {
                writers.entry(*within).or_insert(node);
                parts.extend(rests(kind, &sql, node));
            }
            Some(_) => {}
            None => {
                let What::Statement(ran) = &node.what else {
                    continue;
                };
                if asks(code, kind, *within, &only) {
                    let what = format!("a write of {} outside of its points", kind.table);
                    parts.push(hides(
                        &what,
                        (
                            &node.place,
                            format!("the statement `{}` is not read", short(&ran.shown)),
                        ),
                    ));
                }
            }
        }
    }
    let outside: Vec<(usize, &Node)> = writers
        .iter()
        .filter(|(at, _)| asks(code, kind, **at, &only))
        .map(|(at, node)| (*at, *node))
        .collect();
    for (at, node) in &outside {
        let title = code.functions.get(*at).map_or("?", |it| &*it.title);
        parts.push(fails(
            &node.place,
            format!(
                "{} is written here, in `{title}`, on a way that leads through none of its points",
                kind.table
            ),
        ));
    }
    for at in &only {
        let reached = down(code, *at, &BTreeSet::new());
        let Some(function) = code.functions.get(*at) else {
            continue;
        };
        if !reached.iter().any(|at| writers.contains_key(at)) {
            parts.push(fails(
                &function.place,
                format!(
                    "`{}` is a point where {} is written, and reaches no write of it",
                    function.title, kind.table
                ),
            ));
        } else if outside.is_empty() {
            parts.push(holds(
                &function.place,
                format!("`{}` writes {}", function.title, kind.table),
            ));
        }
    }
    if let Some(states) = &kind.intermediate {
        parts.push(super::live::resting(asked, &kind.table, states));
    }
    (parts, repair)
}

/// A write of a state in which no row may rest.
fn rests(kind: &WritePoints, sql: &Sql, node: &Node) -> Option<ContractPart> {
    let states = kind.intermediate.as_ref()?;
    let mut sets = sql.sets.iter();
    let (_, value) = sets.find(|(column, _)| same(column, &states.column))?;
    let value = value
        .as_ref()
        .filter(|value| states.values.contains(*value))?;
    Some(fails(
        &node.place,
        format!(
            "this sets {} to {value}, in which no row may rest",
            states.column
        ),
    ))
}

/// True if a function writes on a way that leads through none of the points: upward from it, as far as
/// the functions that are asked about.
fn asks(code: &Code, kind: &WritePoints, writer: usize, only: &BTreeSet<usize>) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![writer];
    while let Some(at) = open.pop() {
        if only.contains(&at) || !seen.insert(at) {
            continue;
        }
        let above: Vec<usize> = code
            .calls
            .iter()
            .filter(|(_, to)| *to == at)
            .map(|(from, _)| *from)
            .collect();
        let is_asked = match &kind.within {
            Some(within) => code.functions.get(at).is_some_and(|it| {
                let symbol = Symbol::of(within);
                let file = symbol.file.unwrap_or(within);
                ends_at_folder(&it.file, file)
                    && symbol
                        .file
                        .is_none_or(|_| it.title.starts_with(&format!("{}.", symbol.title)))
            }),
            None => above.iter().all(|above| *above == at),
        };
        if is_asked {
            return true;
        }
        open.extend(above);
    }
    false
}

/// All that a function reaches, itself too, without going through some.
fn down(code: &Code, from: usize, without: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if without.contains(&at) || !seen.insert(at) {
            continue;
        }
        let start = code.calls.partition_point(|(caller, _)| *caller < at);
        let called = code
            .calls
            .iter()
            .skip(start)
            .take_while(|(caller, _)| *caller == at);
        open.extend(called.map(|(_, to)| *to));
    }
    seen
}

/// `recovery-paths`: each of the functions leads to it again, and the sweep takes what a crash left.
pub(super) fn recovery(asked: &Asked<'_>, kind: &RecoveryPaths) -> (Vec<ContractPart>, String) {
    let repair = format!("lead to `{}` from {}", kind.function, kind.from.join(", "));
    let mut parts = Vec::new();
    for from in &kind.from {
        match asked.outline(from) {
            Ok(outline) => {
                let mut found = None;
                each(&outline.nodes, &mut |node| {
                    if let What::Call(call) = &node.what
                        && is_call_of(call, &kind.function)
                    {
                        found = found.take().or(Some(&node.place));
                    }
                });
                parts.push(match (found, &outline.cut) {
                    (Some(place), _) => {
                        holds(place, format!("`{from}` leads to `{}`", kind.function))
                    }
                    (None, Some(cut)) => open(
                        cut,
                        format!(
                            "whether `{from}` leads to `{}` is not followed to its end",
                            kind.function
                        ),
                        "name a function nearer to the call",
                    ),
                    (None, None) => fails(
                        &outline.place,
                        format!("`{from}` does not lead to `{}`", kind.function),
                    ),
                });
            }
            Err(part) => parts.push(part),
        }
    }
    if let (Some(sweep), Some(takes)) = (&kind.sweep, &kind.takes) {
        match asked.outline(sweep) {
            Ok(outline) => {
                let picks = picks(asked, &outline.nodes, takes);
                for value in &takes.values {
                    parts.push(
                        match picks.iter().find(|pick| pick.takes(value) != Some(false)) {
                            Some(pick) => holds(
                                &pick.node.place,
                                format!("the sweep takes rows that are {value}"),
                            ),
                            None => match (picks.first(), hidden(asked, outline)) {
                                (Some(pick), _) => fails(
                                    &pick.node.place,
                                    format!("the sweep passes over rows that are {value}"),
                                ),
                                (None, Some(hidden)) => hides("the query of the sweep", hidden),
                                (None, None) => fails(
                                    &outline.place,
                                    format!(
                                        "the sweep looks for no row of {} by its {}",
                                        takes.table, takes.column
                                    ),
                                ),
                            },
                        },
                    );
                }
            }
            Err(part) => parts.push(part),
        }
    }
    (parts, repair)
}

/// `never-automatic`: what runs by itself takes no row that was given up.
pub(super) fn never(asked: &Asked<'_>, kind: &NeverAutomatic) -> (Vec<ContractPart>, String) {
    let state = &kind.state;
    let repair = format!(
        "leave rows that are {} to a person",
        state.values.join(" or ")
    );
    let mut parts = Vec::new();
    for function in &kind.functions {
        let outline = match asked.outline(function) {
            Ok(outline) => outline,
            Err(part) => {
                parts.push(part);
                continue;
            }
        };
        let picks = picks(asked, &outline.nodes, state);
        if picks.is_empty() {
            parts.push(match hidden(asked, outline) {
                Some(hidden) => hides(&format!("how `{function}` chooses its rows"), hidden),
                None => open(
                    &outline.place,
                    format!(
                        "`{function}` chooses no rows of {} by their {}",
                        state.table, state.column
                    ),
                    "name the function that looks for rows",
                ),
            });
        }
        for pick in &picks {
            for value in &state.values {
                parts.push(match pick.takes(value) {
                    Some(false) => holds(
                        &pick.node.place,
                        format!("rows that are {value} are passed over"),
                    ),
                    Some(true) => fails(
                        &pick.node.place,
                        format!("this takes rows that are {value}, without a person"),
                    ),
                    None if pick.may(value) => fails(
                        &pick.node.place,
                        format!("this takes rows that are {value} too, without a person"),
                    ),
                    None => open(
                        &pick.node.place,
                        format!("whether this takes rows that are {value} cannot be told"),
                        "name the states in the query",
                    ),
                });
            }
        }
        if let Some((place, why)) = hidden(asked, outline).filter(|_| !picks.is_empty()) {
            parts.push(open(
                place,
                format!("another query of `{function}` is not known: {why}"),
                "let the text of the statement show in the source",
            ));
        }
    }
    (parts, repair)
}

/// A statement that chooses rows by a column.
struct Pick<'n> {
    node: &'n Node,
    ran: &'n Ran,
    conditions: Vec<Condition>,
    table: Arc<str>,
    column: Arc<str>,
}

/// What chooses them, with the number of placeholders in front of it.
struct Condition {
    before: usize,
    /// What the table is called in it.
    alias: Arc<str>,
    term: query::Term,
}

#[derive(Debug)]
struct Caller<'r> {
    ran: &'r Ran,
    /// Placeholders in front of the condition.
    before: usize,
}

impl Given for Caller<'_> {
    fn value(&self, placeholder: &Placeholder) -> Value {
        let test = match placeholder {
            Placeholder::Position(at) => {
                let at = (*at as usize + self.before).checked_sub(1);
                at.and_then(|at| self.ran.given.get(at))
            }
            Placeholder::Name(name) => {
                let mut named = self.ran.named.iter();
                named.find(|(known, _)| known == name).map(|(_, test)| test)
            }
        };
        match test.and_then(|test| test.constant.as_ref()) {
            Some(text) => match text.parse() {
                Ok(number) => Value::Number(number),
                Err(_) => Value::Text(Arc::clone(text)),
            },
            None => Value::Unknown,
        }
    }
}

impl Pick<'_> {
    /// Whether a row of that state, and of which nothing else is known, is among those that it takes;
    /// none if the rest decides.
    fn takes(&self, value: &str) -> Option<bool> {
        let row: Row = [(self.column.to_lowercase(), Value::Text(value.into()))].into();
        let mut answer = Some(true);
        for condition in &self.conditions {
            let caller = Caller {
                ran: self.ran,
                before: condition.before,
            };
            let world = World {
                tables: [(self.table.to_lowercase(), vec![row.clone()])].into(),
                given: &caller,
            };
            match query::holds(&condition.term, &row, &condition.alias, &world) {
                Some(false) => return Some(false),
                Some(true) => {}
                None => answer = None,
            }
        }
        answer
    }

    /// True if the state itself does not keep it out: another state would be.
    fn may(&self, value: &str) -> bool {
        self.takes(value).is_none() && self.takes("\u{1}no such state").is_some_and(|takes| !takes)
    }
}

/// The statements that choose rows of a table by a column.
fn picks<'n>(asked: &Asked<'_>, nodes: &'n [Node], state: &TableStates) -> Vec<Pick<'n>> {
    let mut found = Vec::new();
    each(nodes, &mut |node| {
        let (Some(sql), What::Statement(ran)) = (asked.sql(node), &node.what) else {
            return;
        };
        let speaks = sql.does(Verb::Select, &state.table) || sql.writes_to(&state.table);
        let chooses = speaks && sql.words.iter().any(|word| same(word, &state.column));
        if !chooses {
            return;
        }
        let Some(text) = ran.sql.as_deref() else {
            return;
        };
        let conditions = conditions(text, asked.dialect(), state);
        if !conditions.is_empty() {
            found.push(Pick {
                node,
                ran,
                conditions,
                table: Arc::clone(&state.table),
                column: Arc::clone(&state.column),
            });
        }
    });
    found
}

/// The conditions of a statement that speak of the column: its own, and those of queries in it.
fn conditions(text: &str, dialect: Dialect, state: &TableStates) -> Vec<Condition> {
    let mut found = Vec::new();
    let text = plain(text);
    let text = text.trim().trim_end_matches(';');
    let before = |end: usize| {
        text.get(..end)
            .map_or(0, |front| front.matches('?').count())
    };
    let whole = match statement::parse(text, dialect) {
        Ok(Statement::Update(update)) => update.only_if,
        Ok(Statement::Delete(delete)) => delete.only_if,
        _ => None,
    };
    if let Some(condition) = whole {
        let term = query::condition(&condition.whole.text, 0, dialect);
        if let Some(term) = term.filter(|term| speaks(term, &state.column)) {
            found.push(Condition {
                before: before(condition.whole.start as usize),
                alias: Arc::clone(&state.table),
                term,
            });
        }
    }
    let Some(tokens) = tokens_of(text, dialect) else {
        return found;
    };
    let mut starts = vec![(0usize, text.len())];
    let mut open: Vec<usize> = Vec::new();
    for token in &tokens {
        match text.get(token.start as usize..token.end as usize) {
            Some("(") => open.push(token.end as usize),
            Some(")") => {
                if let Some(from) = open.pop() {
                    starts.push((from, token.start as usize));
                }
            }
            _ => {}
        }
    }
    for (from, end) in starts {
        let Some(inner) = text.get(from..end) else {
            continue;
        };
        let begins = inner.split_whitespace().next().unwrap_or_default();
        if !begins.eq_ignore_ascii_case("select") {
            continue;
        }
        let Some(query) = query::query(inner, dialect) else {
            continue;
        };
        let ours = query.tables.iter().find(|it| same(&it.table, &state.table));
        if let (Some(ours), Some(term)) = (ours, query.only_if)
            && speaks(&term, &state.column)
        {
            found.push(Condition {
                before: before(from),
                alias: Arc::clone(&ours.alias),
                term,
            });
        }
    }
    found
}

/// The text with the placeholders of Python as those that the reader of queries knows.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((front, behind)) = rest.split_once('%') {
        out.push_str(front);
        rest = behind;
        if let Some(behind) = rest.strip_prefix('s') {
            out.push('?');
            rest = behind;
        } else if let Some((name, behind)) =
            rest.strip_prefix('(').and_then(|it| it.split_once(")s"))
        {
            out.push(':');
            out.push_str(name);
            rest = behind;
        } else {
            out.push('%');
            rest = rest.strip_prefix('%').unwrap_or(rest);
        }
    }
    out.push_str(rest);
    out
}

/// True if a condition looks at a column.
fn speaks(term: &query::Term, column: &str) -> bool {
    use query::Term;
    match term {
        Term::Column(_, name) => same(name, column),
        Term::Not(one) | Term::IsNull(one) => speaks(one, column),
        Term::And(one, two)
        | Term::Or(one, two)
        | Term::Compare(_, one, two)
        | Term::Arithmetic(_, one, two) => speaks(one, column) || speaks(two, column),
        Term::In(one, all) => speaks(one, column) || all.iter().any(|it| speaks(it, column)),
        Term::Row(all) | Term::Call(_, all) => all.iter().any(|it| speaks(it, column)),
        Term::InQuery(one, _) => speaks(one, column),
        _ => false,
    }
}
