//! What a default that never varies gives: a literal, the casts that engines print taken off.

use crate::model::schema::{Dialect, SqlLiteral};

use super::cursor::Cursor;
use super::lexer::{TokenKind, tokens_of};
use super::nullness::can_be_null;
use super::operand::Operand;
use super::predicate::Parser;

/// What a constant default gives.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// This.
    Literal(SqlLiteral),
    /// Some value that is not NULL.
    NotNull,
    /// A value that would have to be computed; it may be NULL.
    Computed,
}

/// Reads a default as the text writes it or a catalog prints it.
pub fn constant(text: &str, dialect: Dialect) -> Constant {
    let Some(tokens) = tokens_of(text, dialect) else {
        return Constant::Computed;
    };
    let mut parser = Parser {
        cursor: Cursor::new(text, &tokens, dialect),
        is_column: &|_| false,
        depth: 0,
    };
    match parser.operand() {
        Some(Operand::Literal(literal)) if parser.cursor.at_end() => {
            return Constant::Literal(literal);
        }
        _ => {}
    }
    if is_null(Cursor::new(text, &tokens, dialect).without_parens()) {
        return Constant::Literal(SqlLiteral::Null);
    }
    match can_be_null(text, dialect, &|_| true) {
        false => Constant::NotNull,
        true => Constant::Computed,
    }
}

/// NULL, whatever type it is cast to.
fn is_null(mut cursor: Cursor<'_>) -> bool {
    if !cursor.eat("NULL") {
        return false;
    }
    let casts = |cursor: &Cursor<'_>| {
        cursor
            .peek()
            .is_some_and(|token| cursor.source(token) == "::")
    };
    while casts(&cursor) {
        cursor.step();
        while !cursor.at_end() && !casts(&cursor) {
            let of_a_type = cursor.peek().is_some_and(|token| {
                matches!(
                    token.kind,
                    TokenKind::Word | TokenKind::Quoted | TokenKind::Number | TokenKind::Punct(_)
                )
            });
            if !of_a_type || cursor.is_any(&NO_TYPES) {
                return false;
            }
            cursor.step();
        }
    }
    cursor.at_end()
}

/// Words that make something else of a NULL.
const NO_TYPES: [&str; 9] = [
    "IS", "ISNULL", "NOTNULL", "AND", "OR", "NOT", "IN", "LIKE", "BETWEEN",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_as_engines_print_them() {
        let text = |text: &str| Constant::Literal(SqlLiteral::String(text.into()));
        let number = |text: &str| Constant::Literal(SqlLiteral::Number(text.into()));
        let null = Constant::Literal(SqlLiteral::Null);
        for (default, expected) in [
            ("'draft'", text("draft")),
            ("'draft'::text", text("draft")),
            ("'draft'::character varying", text("draft")),
            ("('it''s'::text)", text("it's")),
            ("'NULL'::text", text("NULL")),
            ("'x'::public.state", text("x")),
            ("NULL", null.clone()),
            ("NULL::text", null.clone()),
            ("NULL::character varying", null.clone()),
            ("NULL::timestamp(6) with time zone", null.clone()),
            ("(NULL::uuid)", null),
            ("NULL::text IS NULL", Constant::Computed),
            ("coalesce(NULL::text, f())", Constant::Computed),
            ("0", number("0")),
            ("-1", number("-1")),
            ("((0)::smallint)", number("0")),
            ("true", Constant::Literal(SqlLiteral::Bool(true))),
            ("'2026-01-01'::date", Constant::NotNull),
            ("date '2026-01-01'", Constant::Computed),
            ("'{}'::jsonb", Constant::NotNull),
            ("('a'::bpchar)", Constant::NotNull),
            ("upper('a'::text)", Constant::NotNull),
            ("coalesce(NULL, 'a')", Constant::NotNull),
            ("nullif('a', 'a')", Constant::Computed),
            ("('a' || NULL)", Constant::Computed),
            ("'a' || NULL", Constant::Computed),
            ("ARRAY[]::text[]", Constant::Computed),
            ("", Constant::Computed),
        ] {
            assert_eq!(constant(default, Dialect::Postgres), expected, "{default}");
        }
        assert_eq!(constant("_utf8mb4'x'", Dialect::Mysql), Constant::Computed);
        assert_eq!(constant("\"x\"", Dialect::Sqlite), text("x"));
    }
}
