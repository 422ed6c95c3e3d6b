//! How tightly the operators of each engine bind.
//!
//! PostgreSQL: section 4.1.6 of its manual. SQLite: `lang_expr.html`. MySQL: "Operator Precedence".

use crate::model::schema::Dialect;

use super::cursor::Cursor;
use super::lexer::TokenKind;

/// An operator at the cursor.
pub(super) struct Operator {
    /// Its name in the normal form.
    pub(super) name: String,
    /// The higher, the tighter.
    pub(super) binds: u8,
    /// How many tokens it is written with.
    pub(super) tokens: usize,
    /// True if `(a o b) o c` and `a o (b o c)` are one.
    pub(super) either_way: bool,
}

const OR: u8 = 1;
const XOR: u8 = 2;
const AND: u8 = 3;
const NOT: u8 = 4;
const IS: u8 = 5;
const COMPARISON: u8 = 6;
const MATCH: u8 = 7;
const UNARY: u8 = 20;
const COLLATE: u8 = 21;

/// Words that are no operand.
pub(super) fn is_reserved(cursor: &Cursor<'_>) -> bool {
    const WORDS: [&str; 16] = [
        "AND", "OR", "NOT", "IS", "IN", "LIKE", "BETWEEN", "WHEN", "THEN", "ELSE", "END", "SELECT",
        "FROM", "WHERE", "AS", "EXISTS",
    ];
    cursor.is_any(&WORDS)
}

/// The operator between two operands, or behind one.
pub(super) fn infix(cursor: &Cursor<'_>) -> Option<Operator> {
    let token = cursor.peek()?;
    match token.kind {
        TokenKind::Word => word(cursor),
        TokenKind::Operator | TokenKind::Punct(_) => sign(cursor.source(token), cursor.dialect),
        _ => None,
    }
}

/// The operator in front of an operand.
pub(super) fn prefix(cursor: &Cursor<'_>) -> Option<Operator> {
    let token = cursor.peek()?;
    let source = cursor.source(token);
    let (name, binds) = match token.kind {
        TokenKind::Word if cursor.is("NOT") => ("not", NOT),
        TokenKind::Punct(b'-' | b'+' | b'~') => (source, UNARY),
        TokenKind::Punct(b'!') => ("not", UNARY),
        _ => return None,
    };
    Some(operator(name, binds, 1))
}

fn word(cursor: &Cursor<'_>) -> Option<Operator> {
    let dialect = cursor.dialect;
    let not = usize::from(cursor.is("NOT"));
    let mut behind = *cursor;
    (0..not).for_each(|_| behind.step());
    let named = |word: &str, binds| {
        let name = match not {
            0 => word.to_ascii_lowercase(),
            _ => format!("not {}", word.to_ascii_lowercase()),
        };
        Some(operator(&name, binds, not + 1))
    };
    // SQLite and MySQL compare and match at one level.
    let (is, matches) = match dialect {
        Dialect::Postgres => (IS, MATCH),
        Dialect::Sqlite => (IS, IS),
        _ => (COMPARISON, COMPARISON),
    };
    for word in ["LIKE", "ILIKE", "IN", "GLOB", "REGEXP", "RLIKE"] {
        if behind.is(word) {
            return named(word, matches);
        }
    }
    if behind.is("BETWEEN") {
        let binds = match dialect {
            Dialect::Postgres | Dialect::Sqlite => matches,
            _ => IS,
        };
        return named("BETWEEN", binds);
    }
    if not == 1 {
        return None;
    }
    if cursor.are(&["IS", "NOT", "DISTINCT", "FROM"]) {
        return Some(operator("is not distinct from", is, 4));
    }
    if cursor.are(&["IS", "DISTINCT", "FROM"]) {
        return Some(operator("is distinct from", is, 3));
    }
    if cursor.are(&["IS", "NOT", "NULL"]) {
        return Some(operator("is not null", is, 3));
    }
    if cursor.are(&["IS", "NULL"]) {
        return Some(operator("is null", is, 2));
    }
    if cursor.are(&["IS", "NOT"]) {
        return Some(operator("is not", is, 2));
    }
    let mysql = !matches!(dialect, Dialect::Postgres | Dialect::Sqlite);
    let (name, binds) = match () {
        () if cursor.is("IS") => ("is", is),
        () if cursor.is("ISNULL") => ("is null", is),
        () if cursor.is("NOTNULL") => ("is not null", is),
        () if cursor.is("OR") => ("or", OR),
        () if cursor.is("AND") => ("and", AND),
        () if cursor.is("COLLATE") => ("collate", COLLATE),
        () if mysql && cursor.is("XOR") => ("xor", XOR),
        () if mysql && cursor.is("DIV") => ("div", 14),
        () if mysql && cursor.is("MOD") => ("%", 14),
        () => return None,
    };
    Some(operator(name, binds, 1))
}

fn sign(source: &str, dialect: Dialect) -> Option<Operator> {
    let name = match source {
        "!=" => "<>",
        "==" => "=",
        other => other,
    };
    let binds = match (dialect, name) {
        (_, ")" | "(" | "[" | "]" | "," | ";" | "." | "::" | ":") => return None,
        (Dialect::Postgres, "<" | ">" | "=" | "<=" | ">=" | "<>") => COMPARISON,
        (Dialect::Postgres, "+" | "-") => 12,
        (Dialect::Postgres, "*" | "/" | "%") => 14,
        (Dialect::Postgres, "^") => 15,
        (Dialect::Postgres, _) => 10,
        (Dialect::Sqlite, "=" | "<>") => IS,
        (Dialect::Sqlite, "<" | ">" | "<=" | ">=") => COMPARISON,
        (Dialect::Sqlite, "&" | "|" | "<<" | ">>") => 10,
        (Dialect::Sqlite, "+" | "-") => 12,
        (Dialect::Sqlite, "*" | "/" | "%") => 14,
        (Dialect::Sqlite, "||" | "->" | "->>") => 16,
        (_, "||") => OR,
        (_, "&&") => AND,
        (_, "=" | "<=>" | "<" | ">" | "<=" | ">=" | "<>") => COMPARISON,
        (_, "|") => 9,
        (_, "&") => 10,
        (_, "<<" | ">>") => 11,
        (_, "+" | "-") => 12,
        (_, "*" | "/" | "%") => 14,
        (_, "^") => 15,
        (_, "->" | "->>") => 22,
        _ => return None,
    };
    Some(operator(name, binds, 1))
}

fn operator(name: &str, binds: u8, tokens: usize) -> Operator {
    Operator {
        name: name.to_owned(),
        binds,
        tokens,
        either_way: matches!(name, "||" | "+" | "*" | "and" | "or"),
    }
}
