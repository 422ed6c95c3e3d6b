//! Tokens of every dialect.

use super::*;

fn lex(text: &str, dialect: Dialect) -> Vec<(TokenKind, String)> {
    let mut lexer = Lexer::new(text, dialect);
    let mut tokens = Vec::new();
    loop {
        let token = lexer.advance();
        if token.kind == TokenKind::End {
            return tokens;
        }
        let text = text.get(token.start as usize..token.end as usize);
        tokens.push((token.kind, text.unwrap_or("?").to_owned()));
    }
}

fn texts(text: &str, dialect: Dialect) -> Vec<String> {
    lex(text, dialect)
        .into_iter()
        .map(|token| token.1)
        .collect()
}

#[test]
fn every_way_to_quote_a_name() {
    assert_eq!(
        texts("[a b] \"c\"\"d\" `e`", Dialect::Sqlite),
        ["[a b]", "\"c\"\"d\"", "`e`"]
    );
    assert_eq!(lex("\"a\"", Dialect::Mysql)[0].0, TokenKind::String);
    assert_eq!(
        lex("U&\"\\0061\"", Dialect::Postgres)[0].0,
        TokenKind::Quoted
    );
}

#[test]
fn strings_end_where_their_dialect_ends_them() {
    assert_eq!(texts(r"'a\' b", Dialect::Postgres), [r"'a\'", "b"]);
    assert_eq!(texts(r"'a\'' b", Dialect::Mysql), [r"'a\''", "b"]);
    assert_eq!(texts(r"E'a\'' b", Dialect::Postgres), [r"E'a\''", "b"]);
    assert_eq!(
        texts("$x$ ; $$ ' $x$ b", Dialect::Postgres),
        ["$x$ ; $$ ' $x$", "b"]
    );
    assert_eq!(texts("a$b$c", Dialect::Postgres), ["a$b$c"]);
    assert_eq!(
        lex("'open", Dialect::Sqlite),
        [(TokenKind::Broken, "'open".to_owned())]
    );
}

#[test]
fn comments_by_dialect() {
    assert_eq!(
        texts("a /* /* */ b */ c -- d\n e", Dialect::Postgres),
        ["a", "c", "e"]
    );
    assert_eq!(texts("a /* /* */ b", Dialect::Mysql), ["a", "b"]);
    assert_eq!(
        texts("a --b\n# c\n-- d\n e", Dialect::Mysql),
        ["a", "-", "-", "b", "e"]
    );
    assert_eq!(texts("a /* open", Dialect::Sqlite), ["a"]);
    assert_eq!(lex("/* open", Dialect::Mysql)[0].0, TokenKind::Broken);
}

#[test]
fn executable_comments_are_code_where_the_engine_runs_them() {
    assert_eq!(texts("a /*!50100 b */ c", Dialect::Mysql), ["a", "b", "c"]);
    assert_eq!(texts("a /*T![x] b */ c", Dialect::Tidb), ["a", "b", "c"]);
    assert_eq!(
        texts("a /*M!100100 b */ c", Dialect::Mariadb),
        ["a", "b", "c"]
    );
    assert_eq!(texts("a /*M!100100 b */ c", Dialect::Mysql), ["a", "c"]);
    assert_eq!(texts("a /*!50700 b */ c", Dialect::Mariadb), ["a", "c"]);
    assert_eq!(
        texts("a /*M!50701 b */ c", Dialect::Mariadb),
        ["a", "b", "c"]
    );
    assert_eq!(
        texts("a /*M!999999\\- b */ c", Dialect::Mariadb),
        ["a", "c"]
    );
    assert_eq!(texts("a /*!99999 b */ c", Dialect::Mysql), ["a", "c"]);
    assert_eq!(
        texts("a /*!99999 b /* c */ d */ e", Dialect::Mysql),
        ["a", "e"]
    );
    assert_eq!(texts("a /*!90700 b */ c", Dialect::Mysql), ["a", "b", "c"]);
    assert_eq!(texts("a /*T![x] b */ c", Dialect::Mysql), ["a", "c"]);
    assert_eq!(texts("a /*!50100 b */ c", Dialect::Postgres), ["a", "c"]);
}

#[test]
fn numbers_parameters_operators() {
    assert_eq!(
        texts("1.5e-3 .5 0xFF a::b <> ->> :x ?", Dialect::Postgres),
        [
            "1.5e-3", ".5", "0xFF", "a", "::", "b", "<>", "->>", ":x", "?"
        ]
    );
    assert_eq!(lex("1st", Dialect::Mysql)[0].0, TokenKind::Word);
}

#[test]
fn a_line_of_dashes_is_a_ruler_in_mysql() {
    assert_eq!(texts("-----\na\n-----  \nb", Dialect::Mysql), ["a", "b"]);
    assert_eq!(texts("1 ---- 2", Dialect::Mysql).len(), 3);
    assert_eq!(texts("---1", Dialect::Mysql), ["-", "-", "-", "1"]);
}
