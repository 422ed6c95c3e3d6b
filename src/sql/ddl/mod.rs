//! The DDL reader: statements replayed in order into the schema that the engine would have.
//!
//! Nothing is skipped in silence. A statement that touches a table or an index and is not
//! understood makes that table unknown, with the statement's place; one that names no table makes
//! a note that stands for all of them.

mod alter;
mod alter_column;
mod bodies;
mod catalog;
mod code;
mod column;
mod column_type;
mod composite;
mod constraint;
mod constraint_name;
mod create;
mod create_table;
mod cut;
mod define;
mod domain;
mod drop;
mod engine;
mod equality;
mod finish;
mod index;
mod names;
mod other;
mod partitioning;
mod parts;
mod references;
mod relation;
mod rename;
mod search;
mod settings;
mod switches;
mod type_names;

use crate::model::evidence::{InputKind, ObservedBy, Reason};
use crate::model::place::Place;
use crate::model::schema::{Dialect, Schema};

use self::catalog::{Catalog, not_parsed};
pub use self::finish::says;
use super::cursor::{Cursor, QualifiedName, Stop};
use super::script::{Script, StatementKind};

/// Makes the place of a stretch of the text that is being read.
pub type Places<'a> = &'a dyn Fn(u32, u32) -> Place;

/// Replays scripts, one after another, into one schema.
#[derive(Debug)]
pub struct Replay {
    catalog: Catalog,
}

impl Replay {
    /// An empty database of that engine.
    pub fn new(dialect: Dialect) -> Self {
        Self {
            catalog: Catalog::new(dialect),
        }
    }

    /// Replays a script; `places` makes the places of its byte offsets.
    pub fn read(&mut self, text: &str, places: Places<'_>) {
        let dialect = self.catalog.dialect;
        let mut script = Script::new(text, dialect);
        let mut tokens = Vec::new();
        let mut watch = cut::Watch::default();
        while let Some(statement) = script.advance(&mut tokens) {
            let mut cursor = Cursor::new(text, &tokens, dialect);
            watch.look(text, statement, &cursor);
            match statement.kind {
                StatementKind::Read => {
                    if let Err(stop) = self.statement(&mut cursor, places) {
                        self.not_understood(Cursor::new(text, &tokens, dialect), stop, places);
                    }
                }
                StatementKind::Data => self.data(&mut cursor, places),
                StatementKind::Client => {
                    let line = text
                        .get(statement.start as usize..statement.end as usize)
                        .unwrap_or("");
                    let place = places(statement.start, statement.end);
                    code::client_command(&mut self.catalog, line, place);
                }
                StatementKind::Broken => {
                    let start = statement.start;
                    let end = tokens.first().map_or(statement.end, |first| first.end);
                    let sentence = "the text ends inside this statement".to_owned();
                    self.catalog
                        .mark_all(not_parsed(sentence, places(start, end)));
                    self.not_understood(cursor, Stop { start, end }, places);
                }
            }
        }
        watch.finish(&mut self.catalog, text, places);
    }

    /// Notes that something was not read: of that table, or of any.
    pub fn unknown(&mut self, table: Option<&QualifiedName>, reason: Reason) {
        match table {
            Some(table) => self.catalog.mark(table, reason),
            None => self.catalog.mark_all(reason),
        }
    }

    /// Notes that it is not known whether a script ran, and why: each table that it defines or
    /// changes is unknown from here on.
    pub fn doubt(&mut self, text: &str, places: Places<'_>, why: &str) {
        let dialect = self.catalog.dialect;
        let mut script = Script::new(text, dialect);
        let mut tokens = Vec::new();
        while let Some(statement) = script.advance(&mut tokens) {
            let mut cursor = Cursor::new(text, &tokens, dialect);
            if statement.kind == StatementKind::Data {
                continue;
            }
            let place = places(statement.start, statement.end);
            match code::table_named(&mut cursor) {
                Some(table) => {
                    let sentence = format!("a change of {} {why}", table.name);
                    self.catalog.mark(&table, not_parsed(sentence, place));
                }
                None => {
                    let sentence = format!("a statement {why}");
                    self.catalog.mark_all(not_parsed(sentence, place));
                }
            }
        }
    }

    /// True if a CHECK constraint, not a NOT NULL, keeps the column from being NULL.
    pub fn has_null_check(&self, table: &str, column: &str) -> bool {
        let name = QualifiedName {
            schema: None,
            name: table.into(),
        };
        self.catalog.get(&name).is_some_and(|relation| {
            relation
                .null_checks
                .iter()
                .any(|(_, checked)| checked.eq_ignore_ascii_case(column))
        })
    }

    /// The schema as the scripts leave it, with evidence from that kind of input.
    pub fn finish(self, input: InputKind, by: ObservedBy) -> Schema {
        finish::schema(self.catalog, input, &by)
    }

    fn statement(&mut self, cursor: &mut Cursor<'_>, places: Places<'_>) -> Result<(), Stop> {
        let start = cursor.offset();
        let catalog = &mut self.catalog;
        if cursor.eat("CREATE") {
            return create::create(catalog, cursor, places, start);
        }
        if cursor.eat("ALTER") {
            return other::alter(catalog, cursor, places);
        }
        if cursor.eat("DROP") {
            return drop::drop(catalog, cursor, places, start);
        }
        if cursor.eat("RENAME") {
            return other::rename_tables(catalog, cursor);
        }
        other::statement(catalog, cursor, places)
    }

    /// A statement that moves data touches no definition, unless it writes to the catalog itself.
    fn data(&mut self, cursor: &mut Cursor<'_>, places: Places<'_>) {
        const WRITES: [&str; 6] = ["INSERT", "REPLACE", "UPDATE", "DELETE", "MERGE", "TRUNCATE"];
        if !cursor.is_any(&WRITES) {
            return;
        }
        let stop = cursor.stop();
        while !cursor.at_end() {
            let catalog = ["SQLITE_MASTER", "SQLITE_SCHEMA", "PG_CATALOG", "PG_INDEX"];
            if cursor.is_any(&["VALUES", "SELECT"]) {
                return;
            }
            if cursor.is_any(&catalog) && !cursor.token_is(cursor.ahead(2), "SETVAL") {
                let sentence = "this statement changes the engine's own catalog".to_owned();
                let reason = not_parsed(sentence, places(stop.start, stop.end));
                self.catalog.mark_all(reason);
                return;
            }
            cursor.step();
        }
    }

    /// Finds the table that a statement speaks of; without one, every table may be meant.
    fn not_understood(&mut self, mut cursor: Cursor<'_>, stop: Stop, places: Places<'_>) {
        let place = places(stop.start, stop.end);
        let table = code::table_named(&mut cursor);
        match table {
            Some(table) => {
                let sentence = format!("a statement on {} is not understood", table.name);
                self.catalog.mark(&table, not_parsed(sentence, place));
            }
            None => {
                let sentence = "this statement is not understood".to_owned();
                self.catalog.mark_all(not_parsed(sentence, place));
            }
        }
    }
}
