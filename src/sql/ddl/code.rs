//! Code that may run statements of its own: routines, anonymous blocks, commands of a client.

use crate::model::place::Place;
use crate::model::schema::Dialect;
use crate::sql::cursor::{Cursor, QualifiedName, Stop};
use crate::sql::lexer::{Lexer, Token, TokenKind};
use crate::sql::literal;

use super::catalog::{Catalog, not_parsed};
use super::{Places, bodies};

/// A routine runs nothing by being made; whether it could change tables is remembered, and what its
/// body reads and sets.
pub(super) fn routine(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
    replace: bool,
) -> Result<(), Stop> {
    bodies::remember(catalog, *cursor, places, replace);
    let mut tokens = Vec::new();
    while let Some(token) = cursor.peek() {
        if token.kind == TokenKind::String {
            let source = cursor.source(token);
            if let Some(body) = literal::string(source, catalog.dialect) {
                catalog.routines_define |= defines(&body, catalog.dialect);
            }
        }
        tokens.push(cursor.source(token));
        cursor.step();
    }
    catalog.routines_define |= tokens.windows(2).any(|pair| match pair {
        [verb, object] => is_definition(verb, object),
        _ => false,
    });
    Ok(())
}

fn is_definition(verb: &str, object: &str) -> bool {
    let is = |text: &str, words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    is(verb, &["CREATE", "ALTER", "DROP", "UNIQUE"]) && is(object, &["TABLE", "INDEX", "UNIQUE"])
}

pub(super) fn lex(text: &str, dialect: Dialect) -> Vec<Token> {
    let mut lexer = Lexer::new(text, dialect);
    let mut tokens = Vec::new();
    loop {
        let token = lexer.advance();
        if matches!(token.kind, TokenKind::End | TokenKind::Broken) {
            return tokens;
        }
        tokens.push(token);
    }
}

fn defines(body: &str, dialect: Dialect) -> bool {
    let tokens = lex(body, dialect);
    let cursor = Cursor::new(body, &tokens, dialect);
    (0..tokens.len()).any(|at| match (cursor.ahead(at), cursor.ahead(at + 1)) {
        (Some(verb), Some(object)) => is_definition(cursor.source(verb), cursor.source(object)),
        _ => false,
    })
}

/// An anonymous block runs at once, under conditions of its own: the tables that its statements
/// name are unknown from here on.
pub(super) fn block(catalog: &mut Catalog, source: &str, place: &Place) {
    let Some(body) = literal::string(source, catalog.dialect) else {
        return;
    };
    let tokens = lex(&body, catalog.dialect);
    let mut cursor = Cursor::new(&body, &tokens, catalog.dialect);
    while !cursor.at_end() {
        let executes = cursor.is("EXECUTE");
        if cursor.is_any(&["CREATE", "ALTER", "DROP"]) {
            let mut probe = cursor;
            let defines = probe.ahead(1).is_some_and(|next| {
                ["TABLE", "INDEX", "UNIQUE", "UNLOGGED"]
                    .iter()
                    .any(|word| probe.token_is(Some(next), word))
            });
            if defines && let Some(table) = table_named(&mut probe) {
                let sentence = format!(
                    "a block of code changes {}, under conditions of its own",
                    table.name
                );
                catalog.mark(&table, not_parsed(sentence, place.clone()));
            }
        } else if executes && !moves_data(cursor) {
            let sentence = "a block of code executes statements made at run time".to_owned();
            catalog.mark_all(not_parsed(sentence, place.clone()));
            return;
        }
        cursor.step();
    }
}

/// True if the text of the statement that `EXECUTE` runs begins like a query or a change of data.
fn moves_data(mut cursor: Cursor<'_>) -> bool {
    const VERBS: [&str; 13] = [
        "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH", "VALUES", "SET", "GRANT",
        "REVOKE", "ANALYZE", "COMMENT", "NOTIFY",
    ];
    cursor.step();
    if cursor.eat("FORMAT") {
        cursor.eat_punct(b'(');
    }
    let Some(token) = cursor
        .peek()
        .filter(|token| token.kind == TokenKind::String)
    else {
        return false;
    };
    let text = literal::string(cursor.source(token), cursor.dialect).unwrap_or_default();
    let tokens = lex(&text, cursor.dialect);
    let inside = Cursor::new(&text, &tokens, cursor.dialect);
    let into = || {
        tokens
            .iter()
            .any(|token| inside.token_is(Some(*token), "INTO"))
    };
    inside.is_any(&VERBS)
        && !text.contains(';')
        && (inside.is("INSERT") || inside.is("MERGE") || !into())
}

/// The table that a statement speaks of: behind TABLE, or behind ON for an index.
pub(super) fn table_named(cursor: &mut Cursor<'_>) -> Option<QualifiedName> {
    let mut index = false;
    for _ in 0..40 {
        if cursor.at_end() {
            return None;
        }
        index |= cursor.is_any(&["INDEX", "TRIGGER"]);
        let found = match index {
            true => cursor.eat("ON"),
            false => cursor.eat("TABLE"),
        };
        if found {
            while cursor.eat_any(&["IF", "NOT", "EXISTS", "ONLY"]) {}
            return cursor.qualified().ok();
        }
        cursor.step();
    }
    None
}

/// Commands of psql, sqlite3 and mysql: those that read other files are not followed.
pub(super) fn client_command(catalog: &mut Catalog, line: &str, place: Place) {
    let command = line.split_whitespace().next().unwrap_or("");
    if command.eq_ignore_ascii_case("GO") {
        let sentence = "GO separates batches of SQL Server, which this reader does not read";
        if catalog
            .unknown
            .iter()
            .any(|known| known.reason.sentence == sentence)
        {
            return;
        }
        let mut reason = not_parsed(sentence.to_owned(), place);
        reason.next_step =
            "Give the schema as a script of an engine that --dialect names.".to_owned();
        catalog.mark_all(reason);
        return;
    }
    let reads = matches!(
        command.to_ascii_lowercase().as_str(),
        "\\i"
            | "\\ir"
            | "\\include"
            | "\\include_relative"
            | "\\."
            | "\\gexec"
            | ".read"
            | ".restore"
            | "source"
    );
    if reads {
        let mut reason = not_parsed(
            "another file is read here, and this reader does not follow".to_owned(),
            place,
        );
        reason.next_step =
            "Name that file with --schema, in the order in which it is read.".to_owned();
        catalog.mark_all(reason);
    }
}
