//! Bodies of functions and triggers, as far as keys hang on them: what a function reads that may
//! differ between two calls, and which columns of rows that are there are set.

use std::sync::Arc;

use crate::model::routine::Routine;
use crate::model::schema::Dialect;
use crate::sql::cursor::Cursor;
use crate::sql::lexer::{Token, TokenKind};
use crate::sql::literal;
use crate::sql::volatility::{self, Word};

use super::Places;
use super::catalog::Catalog;
use super::code::lex;

/// Keeps what the body of a function of PostgreSQL does; the cursor stands at its name.
pub(super) fn remember(
    catalog: &mut Catalog,
    mut cursor: Cursor<'_>,
    places: Places<'_>,
    replace: bool,
) {
    let head = cursor.stop();
    let Ok(name) = cursor.qualified() else {
        return;
    };
    if catalog.dialect != Dialect::Postgres {
        return;
    }
    let Some(body) = body(cursor) else {
        return;
    };
    let tokens = lex(&body, catalog.dialect);
    let inside = Cursor::new(&body, &tokens, catalog.dialect);
    let mut found = Routine {
        name: Arc::clone(&name.name),
        moves: moves(inside, catalog),
        sets: sets(inside),
        place: places(head.start, head.end),
    };
    // Two of one name differ in their arguments, and which one is called is not worked out.
    let key = name.name.to_lowercase();
    let other = catalog.routines.remove(&key).filter(|_| !replace);
    if let Some(other) = other {
        found.moves = found.moves.or(other.moves);
        found.sets.extend(other.sets);
    }
    catalog.routines.insert(key, found);
}

/// The body behind AS, RETURN or BEGIN ATOMIC; none if it is in a language that is not read.
fn body(mut cursor: Cursor<'_>) -> Option<String> {
    let mut language = cursor;
    while !language.at_end() && !language.eat("LANGUAGE") {
        language.step();
    }
    let named = language
        .peek()
        .map(|token| language.source(token).trim_matches('\'').to_lowercase());
    if named.is_some_and(|name| !matches!(&*name, "sql" | "plpgsql")) {
        return None;
    }
    let mut text = None;
    while let Some(token) = cursor.peek() {
        let standard = cursor.is("RETURN") || cursor.are(&["BEGIN", "ATOMIC"]);
        if standard {
            let mut rest = cursor;
            rest.finish();
            return Some(rest.since(&cursor).whole().to_owned());
        }
        // Of several strings (a default, a configuration) the body is the last.
        if token.kind == TokenKind::String {
            text = literal::string(cursor.source(token), cursor.dialect).or(text);
        }
        cursor.step();
    }
    text.map(|text| text.to_string())
}

/// The first thing that two calls may find different.
fn moves(mut cursor: Cursor<'_>, catalog: &Catalog) -> Option<Arc<str>> {
    /// Functions whose arguments stand behind a FROM.
    const FROM: [&str; 5] = ["EXTRACT", "SUBSTRING", "TRIM", "OVERLAY", "POSITION"];
    let mut open: Vec<bool> = Vec::new();
    let mut before: Option<Token> = None;
    while let Some(token) = cursor.peek() {
        let calls = cursor.token_is_punct(1, b'(');
        let source = cursor.source(token);
        if cursor.is_punct(b'(') {
            open.push(FROM.iter().any(|word| cursor.token_is(before, word)));
        } else if cursor.is_punct(b')') {
            open.pop();
        } else if cursor.is("EXECUTE") {
            return Some("it executes a statement made at run time".into());
        } else if cursor.is_any(&["FROM", "JOIN"])
            && open.last() != Some(&true)
            && !cursor.token_is(before, "DISTINCT")
        {
            let mut behind = cursor;
            behind.step();
            behind.eat_any(&["ONLY", "LATERAL"]);
            if let Ok(table) = behind.qualified()
                && !behind.is_punct(b'(')
            {
                return Some(format!("it reads {}", table.name).into());
            }
        } else if token.kind == TokenKind::Word
            && (calls || volatility::needs_no_parentheses(source))
        {
            let next = if calls { "(" } else { "" };
            if matches!(volatility::word(source, next, &["\'x\'"]), Word::Moves(_)) {
                let brackets = if calls { "()" } else { "" };
                return Some(format!("it calls {source}{brackets}").into());
            }
            let other = catalog.routines.get(&source.to_lowercase());
            if let Some(why) = other.and_then(|other| other.moves.as_ref()) {
                return Some(format!("it calls {source}(), and {why}").into());
            }
        }
        before = Some(token);
        cursor.step();
    }
    None
}

/// Tables and columns that `UPDATE … SET` names.
fn sets(mut cursor: Cursor<'_>) -> Vec<(Arc<str>, Arc<str>)> {
    let mut found = Vec::new();
    while !cursor.at_end() {
        if !cursor.eat("UPDATE") {
            cursor.step();
            continue;
        }
        cursor.eat("ONLY");
        let Ok(table) = cursor.qualified() else {
            continue;
        };
        if cursor.eat("AS") || !cursor.is("SET") {
            let _ = cursor.name();
        }
        if cursor.eat("SET") {
            let columns = assigned(&mut cursor);
            found.extend(columns.into_iter().map(|it| (Arc::clone(&table.name), it)));
        }
    }
    found
}

/// The columns of the assignments at the cursor.
fn assigned(cursor: &mut Cursor<'_>) -> Vec<Arc<str>> {
    let mut columns = Vec::new();
    loop {
        if cursor.eat_punct(b'(') {
            while let Ok(name) = cursor.name() {
                columns.push(name);
                if !cursor.eat_punct(b',') {
                    break;
                }
            }
        } else if let Ok(name) = cursor.qualified() {
            columns.push(name.name);
        }
        // To the comma in front of the next one.
        while !cursor.at_end() && !cursor.is_punct(b',') {
            let ends = cursor.is_any(&["WHERE", "FROM", "RETURNING"]);
            let terminated = cursor
                .peek()
                .is_some_and(|token| token.kind == TokenKind::Terminator);
            if ends || terminated {
                return columns;
            }
            if !(cursor.is_punct(b'(') && cursor.parens().is_ok()) {
                cursor.step();
            }
        }
        if !cursor.eat_punct(b',') {
            return columns;
        }
    }
}

/// The columns of its own table that a trigger sets in rows that are there; the cursor stands
/// behind the name of the table. A trigger of MySQL cannot.
pub(super) fn set_by_trigger(
    catalog: &Catalog,
    mut cursor: Cursor<'_>,
    table: &str,
) -> Vec<Arc<str>> {
    let all = match catalog.dialect {
        Dialect::Sqlite => sets(cursor),
        Dialect::Postgres => {
            while !cursor.at_end() && !cursor.eat("EXECUTE") {
                cursor.step();
            }
            cursor.eat_any(&["FUNCTION", "PROCEDURE"]);
            let name = cursor.qualified().map(|name| name.name.to_lowercase());
            let routine = name.ok().and_then(|name| catalog.routines.get(&name));
            routine.map_or_else(Vec::new, |routine| routine.sets.clone())
        }
        _ => Vec::new(),
    };
    let own = all
        .into_iter()
        .filter(|(of, _)| of.eq_ignore_ascii_case(table));
    own.map(|(_, column)| column).collect()
}
