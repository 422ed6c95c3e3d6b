//! Statements that choose rows by a column, and whether a row of a state is among those that they take:
//! their conditions are asked of a row of which nothing else is known.

use std::sync::Arc;

use crate::model::guarantee::{Node, Ran, TableStates, Verb, What};
use crate::model::schema::Dialect;
use crate::sql::lexer::tokens_of;
use crate::sql::query::{self, Given, Row, Value, World};
use crate::sql::statement::{self, Placeholder, Statement};

use super::statement::same;
use super::{Asked, each};

/// A statement that chooses rows by a column.
pub(super) struct Pick<'n> {
    pub(super) node: &'n Node,
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
    pub(super) fn takes(&self, value: &str) -> Option<bool> {
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
                // No row of this world has a time, so nothing is decided by a span.
                span: 0,
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
    pub(super) fn may(&self, value: &str) -> bool {
        self.takes(value).is_none() && self.takes("\u{1}no such state").is_some_and(|takes| !takes)
    }
}

/// The statements that choose rows of a table by a column.
pub(super) fn picks<'n>(
    asked: &Asked<'_>,
    nodes: &'n [Node],
    state: &TableStates,
) -> Vec<Pick<'n>> {
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
