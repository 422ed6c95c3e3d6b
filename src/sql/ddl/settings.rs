//! Settings that decide how later text is read: the search path, what a backslash does; and the
//! queries that set them or make tables.

use std::sync::Arc;

use crate::model::place::Place;
use crate::model::schema::Dialect;
use crate::sql::cursor::{Cursor, Stop};
use crate::sql::lexer::TokenKind;
use crate::sql::literal;

use super::catalog::{Catalog, not_parsed};

/// `SET search_path` and the settings that change how text is read.
pub(super) fn setting(catalog: &mut Catalog, cursor: &mut Cursor<'_>, place: &Place) {
    cursor.step();
    let local = cursor.is("LOCAL");
    cursor.eat_any(&["SESSION", "LOCAL", "GLOBAL"]);
    let schema = cursor.is("SCHEMA") && catalog.dialect == Dialect::Postgres;
    if schema || cursor.is("SEARCH_PATH") {
        cursor.step();
        if cursor.is("TO") || cursor.is_punct(b'=') {
            cursor.step();
        }
        if cursor.eat("DEFAULT") {
            catalog.path.reset();
            return;
        }
        let mut schemas = Vec::new();
        while let Some(token) = cursor.peek() {
            let text = literal::string(cursor.source(token), catalog.dialect);
            match (token.kind, text) {
                (TokenKind::String, Some(text)) => {
                    schemas.push(Arc::from(text));
                    cursor.step();
                }
                _ => match cursor.name() {
                    Ok(name) => schemas.push(name),
                    Err(_) => break,
                },
            }
            if !cursor.eat_punct(b',') {
                break;
            }
        }
        search_path(catalog, schemas, local);
    } else if cursor.eat("STANDARD_CONFORMING_STRINGS") {
        cursor.step();
        let off = cursor.is_any(&["OFF", "FALSE"])
            || cursor
                .peek()
                .is_some_and(|value| cursor.source(value).contains("off"));
        if off {
            let sentence =
                "from here on backslashes escape in strings, and this reader does not follow"
                    .to_owned();
            catalog.mark_all(not_parsed(sentence, place.clone()));
        }
    }
}

fn search_path(catalog: &mut Catalog, schemas: Vec<Arc<str>>, local: bool) {
    if catalog.dialect == Dialect::Postgres {
        catalog.path.set(schemas, local);
    }
}

/// `SELECT set_config('search_path', …)` and `SELECT … INTO table`.
pub(super) fn select(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    place: &Place,
) -> Result<(), Stop> {
    if catalog.dialect != Dialect::Postgres {
        return Ok(());
    }
    while let Some(token) = cursor.peek() {
        if cursor.is("SET_CONFIG")
            && let (Some(name), Some(value)) = (cursor.ahead(2), cursor.ahead(4))
            && cursor.source(name) == "'search_path'"
        {
            let value = literal::string(cursor.source(value), Dialect::Postgres);
            let local = cursor.token_is(cursor.ahead(6), "TRUE");
            let schemas = value.map_or_else(Vec::new, |value| {
                let names = value.split(',').map(|name| name.trim().trim_matches('"'));
                names.map(Arc::from).collect()
            });
            search_path(catalog, schemas, local);
        }
        if token.kind == TokenKind::Punct(b'(') {
            cursor.parens()?;
            continue;
        }
        if cursor.eat("INTO") {
            cursor.eat_any(&["TEMPORARY", "TEMP", "UNLOGGED"]);
            cursor.eat("TABLE");
            let table = cursor.qualified()?;
            let sentence = format!("{} is made by a query", table.name);
            catalog.mark(&table, not_parsed(sentence, place.clone()));
            return Ok(());
        }
        cursor.step();
    }
    Ok(())
}
