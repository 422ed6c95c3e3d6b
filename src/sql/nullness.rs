//! Whether the expression of a key part can be NULL, and which columns a condition keeps from it.

use std::sync::Arc;

use crate::model::schema::{Dialect, PredicateTree};

use super::cursor::Cursor;
use super::lexer::{Token, TokenKind, tokens_of};
use super::predicate;

/// Functions that give NULL for NULL alone.
const STRICT: [&str; 28] = [
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
    "RIGHT",
    "REPLACE",
    "CONCAT",
    "CHAR_LENGTH",
    "CHARACTER_LENGTH",
    "OCTET_LENGTH",
    "SHA",
    "SHA256",
    "DIGEST",
    "ENCODE",
    "ROUND",
    "FLOOR",
];

/// Operators that give NULL for NULL alone. Division is none of them: by zero some engines give NULL.
const STRICT_OPERATORS: [&str; 4] = ["||", "+", "-", "*"];

/// Types to which a CAST of a value never gives NULL.
const TEXTS: [&str; 6] = ["CHAR", "NCHAR", "TEXT", "VARCHAR", "BINARY", "VARBINARY"];

/// Lengths of `SHA2` that there are; any other gives NULL.
const HASHES: [&str; 5] = ["224", "256", "384", "512", " 0"];

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
    tokens_of(text, dialect)
        .is_none_or(|tokens| may(Cursor::new(text, &tokens, dialect), nullable, 0))
}

/// True only if the expression is surely NULL; `null` tells of which columns that is known.
pub fn is_null(text: &str, dialect: Dialect, null: &dyn Fn(&str) -> bool) -> bool {
    tokens_of(text, dialect)
        .is_some_and(|tokens| must(Cursor::new(text, &tokens, dialect), dialect, null, 0))
}

fn must(span: Cursor<'_>, dialect: Dialect, null: &dyn Fn(&str) -> bool, depth: u32) -> bool {
    if depth > 32 {
        return false;
    }
    let mut span = without_casts(span);
    if span.len() == 1 {
        return span.is("NULL") || span.name().is_ok_and(|name| null(&name));
    }
    let mysql = !matches!(dialect, Dialect::Postgres | Dialect::Sqlite);
    if let Some(operands) = operands(span) {
        // There `||` may mean OR, and TRUE OR NULL is TRUE.
        let joins = span.whole().contains("||");
        let mut operands = operands.into_iter();
        return !(mysql && joins) && operands.any(|it| must(it, dialect, null, depth + 1));
    }
    // PostgreSQL's CONCAT passes NULL over.
    let strict = span.is_any(&STRICT) && (mysql || !span.is("CONCAT"));
    let first_known = span.is_any(&FIRST_KNOWN);
    span.step();
    let Ok(mut inside) = span.parens() else {
        return false;
    };
    if !span.at_end() || !(strict || first_known) {
        return false;
    }
    let mut arguments = Vec::new();
    while !inside.at_end() {
        let start = inside;
        inside.skip_to(&[]);
        arguments.push(must(inside.since(&start), dialect, null, depth + 1));
        if !inside.eat_punct(b',') {
            break;
        }
    }
    match strict {
        true => arguments.contains(&true),
        false => inside.at_end() && !arguments.is_empty() && !arguments.contains(&false),
    }
}

/// The expression without what `::` says of its type: a cast keeps NULL and makes none.
fn without_casts(span: Cursor<'_>) -> Cursor<'_> {
    let mut span = span.without_parens();
    while span.len() >= 3 && is_cast(&span) {
        span = span.first(span.len() - 2).without_parens();
    }
    span
}

fn may(span: Cursor<'_>, nullable: &dyn Fn(&str) -> bool, depth: u32) -> bool {
    if depth > 32 {
        return true;
    }
    let mut span = without_casts(span);
    if span.len() == 1 {
        return match span.peek().map(|token| token.kind) {
            Some(TokenKind::String | TokenKind::Number) => false,
            Some(TokenKind::Word | TokenKind::Quoted) if !span.is("NULL") => {
                span.name().map_or(true, |name| nullable(&name))
            }
            _ => true,
        };
    }
    // A key part of a temporal key: the column itself is compared.
    if span.len() == 3
        && span.token_is(span.ahead(1), "WITHOUT")
        && span.token_is(span.ahead(2), "OVERLAPS")
    {
        return may(span.first(1), nullable, depth + 1);
    }
    if let Some(operands) = operands(span) {
        let mut operands = operands.into_iter();
        return operands.any(|operand| may(operand, nullable, depth + 1));
    }
    let strict = span.is_any(&STRICT);
    let first_known = span.is_any(&FIRST_KNOWN);
    let cast = span.is("CAST");
    let part = span.is_any(&["SUBSTR", "SUBSTRING"]);
    let hash = span.is("SHA2");
    if !strict && !first_known && !cast {
        return true;
    }
    span.step();
    let Ok(mut inside) = span.parens() else {
        return true;
    };
    if !span.at_end() {
        return true;
    }
    if cast {
        let start = inside;
        inside.skip_to(&["AS"]);
        let value = inside.since(&start);
        return !inside.eat("AS") || !inside.is_any(&TEXTS) || may(value, nullable, depth + 1);
    }
    // A pattern that does not match, and a hash of a length there is none of, give NULL.
    let is_text = |token: Option<Token>| token.is_some_and(|it| it.kind == TokenKind::String);
    if part && (1..inside.len()).any(|at| is_text(inside.ahead(at))) {
        return true;
    }
    if hash
        && !HASHES
            .iter()
            .any(|bits| inside.whole().trim_end().ends_with(bits))
    {
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

/// What stands between the strict operators of an expression, when it has some at its top.
fn operands<'t>(span: Cursor<'t>) -> Option<Vec<Cursor<'t>>> {
    let is_operator = |cursor: &Cursor<'t>| {
        cursor.peek().is_some_and(|token| {
            matches!(token.kind, TokenKind::Operator | TokenKind::Punct(_))
                && STRICT_OPERATORS.contains(&cursor.source(token))
        })
    };
    let mut found = Vec::new();
    let mut rest = span;
    let mut start = rest;
    while !rest.at_end() {
        if is_operator(&rest) {
            found.push(rest.since(&start));
            rest.step();
            start = rest;
        } else if rest.is_punct(b'(') {
            rest.parens().ok()?;
        } else {
            rest.step();
        }
    }
    found.push(rest.since(&start));
    let whole = found.iter().all(|operand| !operand.is_empty());
    (found.len() > 1 && whole).then_some(found)
}

fn is_cast(span: &Cursor<'_>) -> bool {
    span.ahead(span.len() - 2)
        .is_some_and(|token| span.source(token) == "::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_sure_is_null() {
        let is = |text| is_null(text, Dialect::Postgres, &|name| name == "gone");
        for text in [
            "gone",
            "(lower((gone)::text))",
            "known || gone",
            "lower(known || gone)",
            "coalesce(gone, NULL)",
        ] {
            assert!(is(text), "{text}");
        }
        for text in [
            "lower(known)",
            "coalesce(gone, '')",
            "concat(gone, 'x')",
            "f(gone)",
            "CASE WHEN gone IS NULL THEN 1 END",
            "gone IS NULL",
        ] {
            assert!(!is(text), "{text}");
        }
        let mysql = |text| is_null(text, Dialect::Mysql, &|name| name == "gone");
        assert!(mysql("concat(gone, 'x')"));
        assert!(!mysql("gone || 1"));
    }

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
        assert!(!can("known || '-' || lower(known)"));
        assert!(!can("coalesce(maybe, '') || known"));
        assert!(!can("known WITHOUT OVERLAPS"));
        assert!(can("known / 2"));
        assert!(can("known || maybe"));
        assert!(can("known ->> 'k'"));
        assert!(can("(known -> 'a') || 'x'"));
        assert!(can("substring(known, '[0-9]+')"));
        assert!(can("substring(known from '[0-9]+')"));
        assert!(!can("substr(known, 1, 3)"));
        assert!(can("CASE WHEN known <> '' THEN known END"));
        assert!(!can("cast(known as char(36))"));
        assert!(can("cast(known as date)"));
        assert!(!can("sha2(known, 256)"));
        assert!(can("sha2(known, 255)"));
        assert!(can("-known"));
    }
}
