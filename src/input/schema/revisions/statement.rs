//! What a migration does: statements as SQL, each word with its place in the migration, or what of
//! it was not read.

use std::sync::Arc;

use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::place::Place;
use crate::model::schema::Dialect;
use crate::sql::cursor::QualifiedName;
use crate::sql::ddl::Replay;

/// One thing that a migration does.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Statements that it runs.
    Run(Sql),
    /// Statements that it may run, and why that is not known.
    MayRun(Sql, Arc<str>),
    /// Something that was not read, done to this table, or to any.
    Unread(Option<QualifiedName>, Reason),
}

/// Statements, with the place of each stretch.
#[derive(Debug, Clone)]
pub(super) struct Sql {
    text: String,
    /// Where the stretch up to this offset stands, in order.
    stretches: Vec<(u32, Place)>,
    /// The place of all of it.
    place: Place,
    /// The table it is about, where it is one.
    table: Option<QualifiedName>,
    dialect: Dialect,
}

impl Sql {
    /// A text as it is written.
    pub(super) fn raw(text: String, place: Place, dialect: Dialect) -> Self {
        Self {
            text,
            stretches: Vec::new(),
            place,
            table: None,
            dialect,
        }
    }

    /// The beginning of a statement about one table.
    pub(super) fn about(table: QualifiedName, place: Place, dialect: Dialect) -> Self {
        Self {
            table: Some(table),
            ..Self::raw(String::new(), place, dialect)
        }
    }

    /// Adds SQL.
    pub(super) fn push(mut self, text: &str) -> Self {
        self.text.push_str(text);
        self
    }

    /// Adds SQL that stands at a place of its own.
    pub(super) fn push_at(mut self, text: &str, place: &Place) -> Self {
        let whole = self.place.clone();
        self.stretches.push((self.text.len() as u32, whole));
        self.text.push_str(text);
        self.stretches.push((self.text.len() as u32, place.clone()));
        self
    }

    /// Adds a name.
    pub(super) fn name(self, name: &str) -> Self {
        let name = quoted(name, self.dialect);
        self.push(&name)
    }

    /// Adds the name of the table.
    pub(super) fn table(self) -> Self {
        match self.table.clone() {
            Some(table) => self.qualified(&table),
            None => self,
        }
    }

    /// Adds the name of a table.
    pub(super) fn qualified(self, table: &QualifiedName) -> Self {
        let name = qualified(table, self.dialect);
        self.push(&name)
    }

    /// Adds names in brackets.
    pub(super) fn names(self, names: &[String]) -> Self {
        let list = list(names, self.dialect);
        self.push(&list)
    }

    /// The place of a stretch of the text.
    fn at(&self, start: u32) -> Place {
        let behind = self.stretches.partition_point(|(end, _)| *end <= start);
        let found = self.stretches.get(behind);
        found.map_or_else(|| self.place.clone(), |(_, place)| place.clone())
    }

    fn run(&self, replay: &mut Replay) {
        replay.read(&self.text, &|start, _| self.at(start));
    }
}

impl Step {
    /// Something of which only that it is done was read.
    pub(super) fn unread(table: Option<QualifiedName>, sentence: String, place: Place) -> Self {
        Self::Unread(table, unread(sentence, place))
    }

    /// The same step where it is not known whether it is done.
    pub(super) fn uncertain(self, why: &Arc<str>) -> Self {
        match self {
            Step::Run(sql) => Step::MayRun(sql, Arc::clone(why)),
            other => other,
        }
    }

    /// Replays it.
    pub(super) fn apply(&self, replay: &mut Replay) {
        match self {
            Step::Run(sql) => sql.run(replay),
            Step::Unread(table, reason) => replay.unknown(table.as_ref(), reason.clone()),
            Step::MayRun(sql, why) => match &sql.table {
                Some(table) => {
                    let sentence = format!("a change of {} {why}", table.name);
                    replay.unknown(Some(table), unread(sentence, sql.place.clone()));
                }
                None => replay.doubt(&sql.text, &|start, _| sql.at(start), why),
            },
        }
    }

    /// The SQL that was written as it is, for the signs of an engine.
    pub(super) fn written(&self) -> Option<&str> {
        match self {
            Step::Run(sql) | Step::MayRun(sql, _) if sql.table.is_none() => Some(&sql.text),
            _ => None,
        }
    }
}

fn unread(sentence: String, place: Place) -> Reason {
    Reason {
        why: Why::NotParsed,
        needs: Some(InputKind::Database),
        sentence,
        place: Some(place),
        next_step: "give the live database with --database, or a dump of its schema with --schema"
            .to_owned(),
    }
}

/// A name in quotes: whatever word it is, it is a name then.
pub(super) fn quoted(name: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb => {
            format!("`{}`", name.replace('`', "``"))
        }
        Dialect::Postgres | Dialect::Sqlite => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}

/// A text as a literal.
pub(super) fn literal(text: &str, dialect: Dialect) -> String {
    let text = match dialect {
        Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb => text.replace('\\', "\\\\"),
        Dialect::Postgres | Dialect::Sqlite => text.to_owned(),
    };
    format!("'{}'", text.replace('\'', "''"))
}

/// The name of a table.
pub(super) fn qualified(table: &QualifiedName, dialect: Dialect) -> String {
    let name = quoted(&table.name, dialect);
    match &table.schema {
        Some(schema) => format!("{}.{name}", quoted(schema, dialect)),
        None => name,
    }
}

/// Names in brackets.
pub(super) fn list(names: &[String], dialect: Dialect) -> String {
    let names: Vec<String> = names.iter().map(|name| quoted(name, dialect)).collect();
    format!("({})", names.join(", "))
}
