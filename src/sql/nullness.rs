//! Whether the expression of a key part can be NULL, and which columns a condition keeps from it.

use std::sync::Arc;

use crate::model::schema::{Dialect, PredicateTree};

use super::cursor::Cursor;
use super::lexer::{Lexer, TokenKind};
use super::predicate;

/// Functions that give NULL for NULL alone.
const STRICT: [&str; 16] = [
    "LOWER",
    "UPPER",
    "TRIM",
    "BTRIM",
    "LTRIM",
    "RTRIM",
    "MD5",
    "SHA1",
    "SHA2",
    "LEFT",
    "SUBSTR",
    "SUBSTRING",
    "ABS",
    "LENGTH",
    "HEX",
    "REVERSE",
];

/// Functions that give NULL only if every argument is NULL.
const FIRST_KNOWN: [&str; 3] = ["COALESCE", "IFNULL", "NVL"];

/// The columns that are not NULL in any row of which the condition of a CHECK is true.
pub fn not_null_columns(condition: &str, dialect: Dialect) -> Vec<Arc<str>> {
    let tree = predicate::parse(condition, dialect, &|_| true);
    let mut columns = Vec::new();
    collect(&tree, &mut columns);
    columns
}

fn collect(tree: &PredicateTree, columns: &mut Vec<Arc<str>>) {
    match tree {
        PredicateTree::And(parts) => {
            for part in parts {
                collect(part, columns);
            }
        }
        PredicateTree::IsNotNull(column) => columns.push(column.clone()),
        PredicateTree::Not(inner) => {
            if let PredicateTree::IsNull(column) = inner.as_ref() {
                columns.push(column.clone());
            }
        }
        _ => {}
    }
}

/// False only if the expression is surely not NULL; `nullable` tells it of the columns.
pub fn can_be_null(text: &str, dialect: Dialect, nullable: &dyn Fn(&str) -> bool) -> bool {
    let mut lexer = Lexer::new(text, dialect);
    let mut tokens = Vec::new();
    loop {
        let token = lexer.advance();
        match token.kind {
            TokenKind::End => break,
            TokenKind::Broken | TokenKind::Terminator => return true,
            _ => tokens.push(token),
        }
    }
    may(Cursor::new(text, &tokens, dialect), nullable, 0)
}

fn may(span: Cursor<'_>, nullable: &dyn Fn(&str) -> bool, depth: u32) -> bool {
    if depth > 32 {
        return true;
    }
    let mut span = span.without_parens();
    // `x::text` keeps NULL and makes none.
    while span
        .peek()
        .is_some_and(|_| span.len() >= 3 && is_cast(&span))
    {
        span = span.first(span.len() - 2).without_parens();
    }
    if span.len() == 1 {
        return match span.peek().map(|token| token.kind) {
            Some(TokenKind::String | TokenKind::Number) => false,
            Some(TokenKind::Word | TokenKind::Quoted) if !span.is("NULL") => {
                span.name().map_or(true, |name| nullable(&name))
            }
            _ => true,
        };
    }
    let strict = span.is_any(&STRICT);
    let first_known = span.is_any(&FIRST_KNOWN);
    if !strict && !first_known {
        return true;
    }
    span.step();
    let Ok(mut inside) = span.parens() else {
        return true;
    };
    if !span.at_end() {
        return true;
    }
    let mut arguments = Vec::new();
    while !inside.at_end() {
        let start = inside;
        inside.skip_to(&[]);
        arguments.push(may(inside.since(&start), nullable, depth + 1));
        if !inside.eat_punct(b',') {
            break;
        }
    }
    if !inside.at_end() || arguments.is_empty() {
        return true;
    }
    match strict {
        true => arguments.contains(&true),
        false => !arguments.contains(&false),
    }
}

fn is_cast(span: &Cursor<'_>) -> bool {
    span.ahead(span.len() - 2)
        .is_some_and(|token| span.source(token) == "::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_sure_is_not_null() {
        let can = |text| can_be_null(text, Dialect::Postgres, &|name| name == "maybe");
        assert!(!can("coalesce(maybe, '')"));
        assert!(!can("lower((known)::text)"));
        assert!(!can("coalesce(lower(maybe), lower(known))"));
        assert!(can("lower(maybe)"));
        assert!(can("coalesce(maybe, NULL)"));
        assert!(can("nullif(known, '')"));
        assert!(can("known || other(known)"));
        assert!(can("coalesce(maybe, '') || f(x)"));
    }
}
