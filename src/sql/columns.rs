//! The columns that an expression names: identifiers off its tokens, without functions, types,
//! keywords and what stands in strings.

use std::sync::Arc;

use crate::model::schema::Dialect;

use super::cursor::Cursor;
use super::lexer::{TokenKind, tokens_of};
use super::literal;

/// Words of expressions that are no names unless they are quoted.
const KEYWORDS: [&str; 46] = [
    "AND",
    "OR",
    "NOT",
    "NULL",
    "TRUE",
    "FALSE",
    "IS",
    "IN",
    "LIKE",
    "ILIKE",
    "BETWEEN",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "CAST",
    "AS",
    "COLLATE",
    "DISTINCT",
    "FROM",
    "ANY",
    "ALL",
    "SOME",
    "ARRAY",
    "ROW",
    "ISNULL",
    "NOTNULL",
    "ESCAPE",
    "SIMILAR",
    "TO",
    "AT",
    "TIME",
    "ZONE",
    "INTERVAL",
    "FOR",
    "XOR",
    "DIV",
    "MOD",
    "REGEXP",
    "RLIKE",
    "GLOB",
    "MATCH",
    "BINARY",
    "USING",
    "SYMMETRIC",
];

/// True of words of expressions that are no names unless they are quoted.
pub(super) fn is_keyword(word: &str) -> bool {
    KEYWORDS
        .iter()
        .any(|keyword| keyword.eq_ignore_ascii_case(word))
}

/// The names in the order in which they first stand; nothing if the text is no whole expression.
///
/// A name that is a keyword elsewhere is told by `is_column`, which also decides what `"x"` is where
/// the engine takes it for either a name or a string.
pub fn named(
    text: &str,
    dialect: Dialect,
    is_column: &dyn Fn(&str) -> bool,
) -> Option<Vec<Arc<str>>> {
    let tokens = tokens_of(text, dialect)?;
    let mut cursor = Cursor::new(text, &tokens, dialect);
    let mut names: Vec<Arc<str>> = Vec::new();
    while let Some(token) = cursor.peek() {
        let source = cursor.source(token);
        match token.kind {
            // A cast names a type.
            TokenKind::Operator if source == "::" => {
                cursor.step();
                pass_type(&mut cursor);
            }
            TokenKind::Word if source.eq_ignore_ascii_case("AS") && !is_column(source) => {
                cursor.step();
                pass_type(&mut cursor);
            }
            TokenKind::Word if source.eq_ignore_ascii_case("COLLATE") && !is_column(source) => {
                cursor.step();
                let _ = cursor.qualified();
            }
            TokenKind::Word | TokenKind::Quoted => {
                let Ok(name) = qualified(&mut cursor) else {
                    return None;
                };
                let is_call = cursor.is_punct(b'(') && token.kind == TokenKind::Word;
                let is_keyword =
                    token.kind == TokenKind::Word && is_keyword(source) && !is_column(&name);
                let is_introducer = source.starts_with('_')
                    && cursor
                        .peek()
                        .is_some_and(|next| next.kind == TokenKind::String)
                    && !is_column(&name);
                let is_string =
                    dialect == Dialect::Sqlite && source.starts_with('"') && !is_column(&name);
                let is_other = is_call || is_keyword || is_introducer || is_string;
                let is_known = names.iter().any(|known| known.eq_ignore_ascii_case(&name));
                if !is_other && !is_known {
                    names.push(name);
                }
            }
            _ => cursor.step(),
        }
    }
    Some(names)
}

/// Of `t.c` the column alone; `t.*` and a field of a composite value are more than a column.
fn qualified(cursor: &mut Cursor<'_>) -> Result<Arc<str>, super::cursor::Stop> {
    let token = cursor.peek();
    cursor.step();
    let mut name: Arc<str> = token
        .map(|token| literal::name(cursor.source(token), cursor.dialect).into())
        .unwrap_or_else(|| Arc::from(""));
    while cursor.eat_punct(b'.') {
        name = cursor.name()?;
    }
    Ok(name)
}

/// Passes over the name of a type with its lengths.
pub(super) fn pass_type(cursor: &mut Cursor<'_>) {
    if cursor.qualified().is_err() {
        return;
    }
    const WORDS: [&str; 9] = [
        "VARYING",
        "PRECISION",
        "WITHOUT",
        "WITH",
        "TIME",
        "ZONE",
        "SIGNED",
        "UNSIGNED",
        "SET",
    ];
    loop {
        let mut passed =
            (cursor.is_punct(b'(') && cursor.parens().is_ok()) || cursor.eat_any(&WORDS);
        if cursor.eat_punct(b'[') {
            let _ = cursor.number();
            passed = cursor.eat_punct(b']');
        }
        if !passed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, dialect: Dialect, columns: &[&str]) -> Vec<String> {
        let is_column = |name: &str| {
            columns
                .iter()
                .any(|column| column.eq_ignore_ascii_case(name))
        };
        let names = named(text, dialect, &is_column).expect("an expression");
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_are_columns_and_nothing_else() {
        use Dialect::*;
        for (text, dialect, expected) in [
            ("lower(email)", Postgres, vec!["email"]),
            ("lower((email)::text)", Postgres, vec!["email"]),
            ("COALESCE(parent, 'root tenant')", Postgres, vec!["parent"]),
            ("lower(lower)", Postgres, vec!["lower"]),
            ("(a || b)", Postgres, vec!["a", "b"]),
            ("date(made) + kind", Sqlite, vec!["made", "kind"]),
            ("cast(`json` ->> '$.id' as char(36))", Mysql, vec!["json"]),
            (
                "CAST(a AS character varying(10)) || b",
                Postgres,
                vec!["a", "b"],
            ),
            ("(a)::character varying(20) || c", Postgres, vec!["a", "c"]),
            ("((body ->> 'kind'::text))", Postgres, vec!["body"]),
            (
                "CASE WHEN deleted THEN NULL ELSE k END",
                Postgres,
                vec!["deleted", "k"],
            ),
            ("a COLLATE \"C\"", Postgres, vec!["a"]),
            ("(a)::text[] || b", Postgres, vec!["a", "b"]),
            ("t.a = T.b", Mysql, vec!["a", "b"]),
            ("concat(_utf8mb4'a', `b`)", Mysql, vec!["b"]),
            ("\"A\" + a", Postgres, vec!["A"]),
            ("kind /* of tenant */ -- id", Postgres, vec!["kind"]),
            ("a || 'b' || $$c$$", Postgres, vec!["a"]),
        ] {
            assert_eq!(of(text, dialect, &[]), expected, "{text}");
        }
    }

    #[test]
    fn the_table_decides_where_the_text_does_not() {
        assert_eq!(of("end + \"x\"", Dialect::Sqlite, &["end"]), ["end"]);
        assert_eq!(of("date(at)", Dialect::Sqlite, &["at"]), ["at"]);
        assert_eq!(of("\"x\" || 'y'", Dialect::Sqlite, &["x"]), ["x"]);
        assert!(named("lower('a", Dialect::Postgres, &|_| false).is_none());
    }
}
