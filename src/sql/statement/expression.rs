//! Values of statements: what they are as a whole and what they draw from.

use std::sync::Arc;

use crate::model::schema::Dialect;
use crate::sql::columns::{is_keyword, pass_type};
use crate::sql::cursor::{Cursor, Stop};
use crate::sql::lexer::{Token, TokenKind};
use crate::sql::predicate;
use crate::sql::volatility::{self, Moves, Word};

use super::ast::{Draw, DrawSource, Expression, Form, Name, Placeholder};
use super::placeholder;

/// How the names and placeholders of a statement are to be read.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// Offsets of the placeholders that are numbered by where they stand.
    pub(super) counted: Arc<[u32]>,
    /// The alias of the proposed row, beside `EXCLUDED`.
    pub(super) proposed: Option<Arc<str>>,
    /// MySQL: `VALUES(x)` is the proposed value.
    pub(super) values_call: bool,
}

impl Scope {
    fn placeholder(&self, source: &str, start: u32) -> Placeholder {
        let counted = self.counted.partition_point(|offset| *offset < start) as u32 + 1;
        placeholder::placeholder(source, counted)
    }
}

/// Reads a value up to a comma or one of the words.
pub(super) fn value(
    cursor: &mut Cursor<'_>,
    ends: &[&str],
    scope: &Scope,
) -> Result<Expression, Stop> {
    let start = *cursor;
    let mut cases = 0u32;
    loop {
        cursor.skip_to(&[&["CASE", "END"], ends].concat());
        // What stands inside CASE does not end the value.
        if cursor.eat("CASE") {
            cases += 1;
        } else if cases > 0 && !cursor.at_end() && !cursor.is_punct(b',') && !cursor.is_punct(b')')
        {
            cases -= u32::from(cursor.is("END"));
            cursor.step();
        } else {
            break;
        }
    }
    let span = cursor.since(&start);
    match span.is_empty() {
        true => Err(cursor.stop()),
        false => Ok(expression(span, scope)),
    }
}

/// The expression that all tokens of the cursor make.
pub(super) fn expression(span: Cursor<'_>, scope: &Scope) -> Expression {
    let draws = match is_default(span) {
        true => Vec::new(),
        false => draws(span, scope),
    };
    let start = span.offset();
    let end = start + span.whole().len() as u32;
    Expression {
        start,
        end,
        text: span.plain(),
        form: form(span, &draws),
        draws,
    }
}

fn is_default(span: Cursor<'_>) -> bool {
    span.len() == 1 && span.is("DEFAULT")
}

fn form(span: Cursor<'_>, draws: &[Draw]) -> Form {
    if is_default(span) {
        return Form::Default;
    }
    let inner = span.without_parens();
    if draws.is_empty()
        && let Some(literal) = predicate::literal(span.whole(), span.dialect)
    {
        return Form::Literal(literal);
    }
    let bare = bare(inner);
    if let [only] = draws
        && only.start == bare.offset()
        && only.end == bare.offset() + bare.whole().len() as u32
    {
        return Form::Plain;
    }
    if bare.is("NOT") || (bare.is_number("1") && bare.token_is_punct(1, b'-') && bare.len() == 3) {
        return Form::Negation;
    }
    let call = bare.is_name() && bare.token_is_punct(1, b'(') && {
        let mut probe = bare;
        probe.step();
        probe.parens().is_ok() && probe.at_end()
    };
    if call && bare.is_any(&["COALESCE", "IFNULL", "NVL"]) {
        return Form::FirstKnown;
    }
    if call && bare.is_any(&["GREATEST", "LEAST", "MAX", "MIN"]) {
        return Form::Extreme;
    }
    match arithmetic(bare) {
        true => Form::Arithmetic,
        false => Form::Computed,
    }
}

/// Without the casts behind it.
fn bare(mut span: Cursor<'_>) -> Cursor<'_> {
    for _ in 0..8 {
        let cast = span.len() >= 3
            && span
                .ahead(span.len() - 2)
                .is_some_and(|token| span.source(token) == "::");
        if !cast {
            break;
        }
        span = span.first(span.len() - 2).without_parens();
    }
    span
}

/// True if a sign of computation stands outside of all parentheses.
fn arithmetic(mut span: Cursor<'_>) -> bool {
    while let Some(token) = span.peek() {
        match token.kind {
            TokenKind::Punct(b'(') => {
                if span.parens().is_err() {
                    return false;
                }
                continue;
            }
            TokenKind::Punct(b'+' | b'-' | b'*' | b'/' | b'%') => return true,
            TokenKind::Operator if span.source(token) == "||" => return true,
            _ => span.step(),
        }
    }
    false
}

fn draws(mut span: Cursor<'_>, scope: &Scope) -> Vec<Draw> {
    let mut found = Vec::new();
    while let Some(token) = span.peek() {
        match token.kind {
            TokenKind::Parameter => {
                push(
                    &mut found,
                    &span,
                    token,
                    DrawSource::Placeholder(scope.placeholder(span.source(token), token.start)),
                );
                span.step();
            }
            TokenKind::Operator if span.source(token) == "::" => {
                span.step();
                pass_type(&mut span);
            }
            TokenKind::Punct(b'(') if opens_query(&span) => {
                let start = span;
                if span.parens().is_err() {
                    span.finish();
                }
                let end = span.end_of_last();
                let text = span.since(&start).plain();
                found.push(Draw {
                    source: DrawSource::Query,
                    text,
                    start: token.start,
                    end,
                });
            }
            TokenKind::Word | TokenKind::Quoted => name(&mut span, token, scope, &mut found),
            TokenKind::String => {
                if is_present(&span, token) {
                    push(&mut found, &span, token, DrawSource::Clock);
                }
                span.step();
            }
            _ => span.step(),
        }
    }
    found
}

fn push(found: &mut Vec<Draw>, span: &Cursor<'_>, token: Token, source: DrawSource) {
    found.push(Draw {
        source,
        text: span.source(token).into(),
        start: token.start,
        end: token.end,
    });
}

pub(super) fn opens_query(span: &Cursor<'_>) -> bool {
    let inside = span.ahead(1);
    span.token_is(inside, "SELECT") || span.token_is(inside, "WITH")
}

/// PostgreSQL's `'now'::timestamp`; SQLite's date functions judge their own `'now'`.
fn is_present(span: &Cursor<'_>, token: Token) -> bool {
    let text = span.source(token).trim_matches('\'').to_ascii_lowercase();
    span.dialect == Dialect::Postgres
        && ["now", "today", "tomorrow", "yesterday"].contains(&text.trim())
}

fn name(span: &mut Cursor<'_>, token: Token, scope: &Scope, found: &mut Vec<Draw>) {
    let start = *span;
    let source = span.source(token);
    let plain = token.kind == TokenKind::Word;
    if plain && (span.is("AS") || span.is("COLLATE")) {
        span.step();
        pass_type(span);
        return;
    }
    if plain && span.are(&["NEXT", "VALUE", "FOR"]) {
        for _ in 0..3 {
            span.step();
        }
        let _ = span.qualified();
        return push_since(found, span, &start, DrawSource::Sequence);
    }
    let literal_follows = span
        .ahead(1)
        .is_some_and(|next| next.kind == TokenKind::String && next.end > next.start);
    if plain
        && literal_follows
        && (volatility::is_type(source) || source.starts_with('_') || span.is("INTERVAL"))
    {
        span.step();
        return;
    }
    let Ok(name) = span.qualified() else {
        span.step();
        return;
    };
    if plain && span.is_punct(b'(') {
        return call(span, &start, scope, found, &name.name);
    }
    if plain && name.schema.is_none() {
        if volatility::needs_no_parentheses(source)
            && let Word::Moves(moves) = volatility::word(source, "", &[])
        {
            return push_since(found, span, &start, moved(moves));
        }
        if is_keyword(source) {
            return;
        }
    }
    let proposed = |of: &Arc<str>| {
        of.eq_ignore_ascii_case("excluded")
            || scope
                .proposed
                .as_ref()
                .is_some_and(|alias| alias.eq_ignore_ascii_case(of))
    };
    let source = match name.schema {
        Some(of) if proposed(&of) => DrawSource::Proposed(name.name),
        of => DrawSource::Column {
            of,
            name: name.name,
        },
    };
    push_since(found, span, &start, source);
}

fn call(
    span: &mut Cursor<'_>,
    start: &Cursor<'_>,
    scope: &Scope,
    found: &mut Vec<Draw>,
    function: &str,
) {
    let mut probe = *span;
    let Ok(mut inside) = probe.parens() else {
        span.finish();
        return;
    };
    if scope.values_call
        && function.eq_ignore_ascii_case("VALUES")
        && let Ok(column) = inside.name()
        && inside.at_end()
    {
        *span = probe;
        return push_since(found, span, start, DrawSource::Proposed(column));
    }
    let inside = {
        let mut again = *span;
        match again.parens() {
            Ok(inside) => inside,
            Err(_) => return,
        }
    };
    let arguments: Vec<&str> = (0..inside.len())
        .filter_map(|at| inside.ahead(at))
        .map(|token| inside.source(token))
        .chain([")"])
        .collect();
    let whole = |source, found: &mut Vec<Draw>| {
        let mut behind = *span;
        let _ = behind.parens();
        push_since(found, &behind, start, source);
    };
    match volatility::word(function, "(", &arguments) {
        Word::Moves(moves) => {
            whole(moved(moves), found);
            // A clock takes no other source along; its arguments are precision or a format.
            let _ = span.parens();
        }
        Word::Constant => {}
        Word::Unknown if is_keyword(function) => {}
        Word::Unknown => whole(DrawSource::Function, found),
    }
}

fn moved(moves: Moves) -> DrawSource {
    match moves {
        Moves::Clock => DrawSource::Clock,
        Moves::Random => DrawSource::Random,
        Moves::Sequence => DrawSource::Sequence,
    }
}

fn push_since(found: &mut Vec<Draw>, span: &Cursor<'_>, start: &Cursor<'_>, source: DrawSource) {
    let passed = span.since(start);
    found.push(Draw {
        source,
        text: passed.plain(),
        start: start.offset(),
        end: span.end_of_last(),
    });
}

/// A name with its place.
pub(super) fn column(cursor: &mut Cursor<'_>) -> Result<Name, Stop> {
    let start = cursor.stop();
    let name = cursor.qualified()?.name;
    Ok(Name {
        name,
        start: start.start,
        end: cursor.end_of_last(),
    })
}
