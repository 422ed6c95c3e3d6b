//! Placeholders in all their spellings, joined to one token each: `%s`, `%(name)s`, `?1`, `:1`.

use crate::sql::lexer::{Token, TokenKind};

use super::ast::Placeholder;

/// The tokens with every placeholder as one token; a `?` between two operands is an operator.
pub(super) fn joined(text: &str, tokens: &[Token]) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at).copied() {
        let operand = out.last().is_none_or(|last| expects_operand(text, *last));
        let length = match token.kind {
            TokenKind::Punct(b'%') if operand => percent(text, tokens, at),
            TokenKind::Punct(b':') if operand => number_behind(tokens, at),
            TokenKind::Parameter if operand && source(text, token) == "?" => {
                number_behind(tokens, at).or(Some(1))
            }
            TokenKind::Parameter if source(text, token) == "?" => None,
            TokenKind::Parameter => Some(1),
            _ => None,
        };
        let kind = match (length, token.kind) {
            (Some(_), _) => TokenKind::Parameter,
            (None, TokenKind::Parameter) => TokenKind::Operator,
            (None, kind) => kind,
        };
        let length = length.unwrap_or(1);
        let end = tokens
            .get(at + length - 1)
            .map_or(token.end, |last| last.end);
        out.push(Token { kind, end, ..token });
        at += length;
    }
    out
}

/// What the placeholder says; `counted` numbers those that have no name and no number.
pub(super) fn placeholder(source: &str, counted: u32) -> Placeholder {
    let bare = source
        .trim_start_matches(['?', '$', ':', '@', '%', '('])
        .trim_end_matches(")s");
    match bare.parse::<u32>() {
        Ok(number) => Placeholder::Position(number),
        Err(_) if bare.is_empty() || source == "%s" => Placeholder::Position(counted),
        Err(_) => Placeholder::Name(bare.into()),
    }
}

/// Offsets of the placeholders that are numbered by where they stand.
pub(super) fn counted(text: &str, tokens: &[Token]) -> Vec<u32> {
    let is_counted = |token: &&Token| {
        token.kind == TokenKind::Parameter && matches!(source(text, **token), "?" | "%s")
    };
    tokens
        .iter()
        .filter(is_counted)
        .map(|token| token.start)
        .collect()
}

fn source(text: &str, token: Token) -> &str {
    text.get(token.start as usize..token.end as usize)
        .unwrap_or("")
}

fn expects_operand(text: &str, last: Token) -> bool {
    const BEFORE: [&str; 26] = [
        "VALUES",
        "VALUE",
        "SET",
        "WHERE",
        "AND",
        "OR",
        "NOT",
        "IN",
        "LIKE",
        "ILIKE",
        "BETWEEN",
        "WHEN",
        "THEN",
        "ELSE",
        "CASE",
        "SELECT",
        "RETURNING",
        "BY",
        "LIMIT",
        "OFFSET",
        "ON",
        "HAVING",
        "IS",
        "FROM",
        "DISTINCT",
        "INTERVAL",
    ];
    match last.kind {
        TokenKind::Punct(b')' | b']' | b'}') => false,
        TokenKind::Punct(_) | TokenKind::Operator => true,
        TokenKind::Word => BEFORE
            .iter()
            .any(|word| source(text, last).eq_ignore_ascii_case(word)),
        _ => false,
    }
}

/// `%s` or `%(name)s`: how many tokens it takes.
fn percent(text: &str, tokens: &[Token], at: usize) -> Option<usize> {
    let is = |at: usize, what: &str| {
        tokens
            .get(at)
            .is_some_and(|token| source(text, *token) == what)
    };
    let touches = |at: usize| {
        let pair = (tokens.get(at), tokens.get(at + 1));
        matches!(pair, (Some(one), Some(next)) if one.end == next.start)
    };
    if is(at + 1, "s") && touches(at) {
        return Some(2);
    }
    let named = is(at + 1, "(") && is(at + 3, ")") && is(at + 4, "s");
    (named && touches(at) && touches(at + 3)).then_some(5)
}

fn number_behind(tokens: &[Token], at: usize) -> Option<usize> {
    let (token, next) = (tokens.get(at)?, tokens.get(at + 1)?);
    (next.kind == TokenKind::Number && next.start == token.end).then_some(2)
}
