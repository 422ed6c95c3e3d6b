//! Migrations written in Python: revisions of Alembic and migrations of Django, read and never run.
//!
//! Each file says what it stands on. In that order its operations become statements, which are
//! replayed as those of a script are, each with its place in the migration. What an operation does
//! that cannot be read is noted at its place, for the table it may change or for all of them.

mod alembic;
mod args;
mod django;
mod graph;
mod history;
mod module;
mod names;
mod statement;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::input::source;
use crate::model::evidence::{InputKind, ObservedBy, Reason, Why};
use crate::model::place::Place;
use crate::model::schema::{Dialect, Schema, Table, UnknownTable};
use crate::model::source::{Language, SourceFile};
use crate::model::text::TextFile;
use crate::sql::ddl::Replay;

use history::History;
use module::Module;
use statement::Step;

/// True if the text of a Python file looks like that of a migration.
pub(crate) fn is_migration(text: &str) -> bool {
    let begins = |word: &str| {
        text.lines().any(|line| {
            let rest = line.strip_prefix(word).map(str::trim_start);
            rest.is_some_and(|rest| rest.starts_with(['=', ':']))
        })
    };
    let of_django = || {
        text.contains("django")
            && text
                .lines()
                .any(|line| line.starts_with("class Migration("))
    };
    (begins("revision") && begins("down_revision")) || of_django()
}

/// The files of Python among some, parsed.
pub(super) struct Revisions {
    files: Vec<(Arc<TextFile>, SourceFile)>,
    unread: Vec<Reason>,
}

impl Revisions {
    /// Parses them.
    pub(super) fn parse(files: &[Arc<TextFile>]) -> Self {
        let mut out = Self {
            files: Vec::new(),
            unread: Vec::new(),
        };
        for (file, parsed) in files.iter().zip(source::parse_all(Language::Python, files)) {
            let broken = match parsed {
                Some(source) => {
                    let at = source.unparsed.first().map(|at| source.place(*at));
                    out.files.push((Arc::clone(file), source));
                    at
                }
                None => Some(Place::Path(Arc::clone(&file.path))),
            };
            if let Some(place) = broken {
                out.unread.push(not_parsed(&file.path, place));
            }
        }
        out
    }

    /// The engine that they are written for, where they say so by what they import, and the file
    /// that says it.
    pub(super) fn dialect(&self) -> Option<(Dialect, Arc<TextFile>)> {
        self.files.iter().find_map(|(text, file)| {
            let module = Module::new(text, file);
            let dialect = alembic::dialect(&module).or_else(|| django::dialect(&module))?;
            Some((dialect, Arc::clone(text)))
        })
    }

    /// Why the engine is not known, where nothing says it.
    pub(super) fn no_engine(&self) -> Reason {
        match self.files.first() {
            Some((first, _)) => super::sql_files::undecided(
                format!(
                    "nothing in the migrations beside {} says which engine they are written for",
                    first.path
                ),
                first,
            ),
            None => not_parsed(&"".into(), Place::CommandLine),
        }
    }

    /// The statements that are written in them as SQL, for the signs of an engine.
    pub(super) fn written(&self) -> Vec<Arc<TextFile>> {
        let mut out = Vec::new();
        // Which engine it is makes no difference to what is written as SQL.
        let history = History::of(&self.files, Dialect::Postgres);
        let order = graph::order(&history.nodes, false).order;
        for (at, steps) in history.steps(&order) {
            let Some(node) = history.nodes.get(at) else {
                continue;
            };
            let texts: Vec<&str> = steps.iter().filter_map(Step::written).collect();
            if !texts.is_empty() {
                out.push(Arc::new(TextFile::new(
                    Arc::clone(&node.name),
                    texts.join(";\n"),
                )));
            }
        }
        out
    }

    /// The schema as they leave it.
    pub(super) fn schema(&self, dialect: Dialect) -> Schema {
        let history = History::of(&self.files, dialect);
        let replay = |last: bool| {
            let order = graph::order(&history.nodes, last);
            let mut replay = Replay::new(dialect);
            let problems = order.problems.iter().chain(&self.unread);
            for reason in problems.chain(&history.strangers) {
                replay.unknown(None, reason.clone());
            }
            for (_, steps) in history.steps(&order.order) {
                for step in steps {
                    step.apply(&mut replay);
                }
            }
            let schema = replay.finish(InputKind::Schema, ObservedBy::Text);
            (schema, order.free)
        };
        let (mut schema, free) = replay(false);
        if free {
            let (other, _) = replay(true);
            schema.unknown.extend(differing(&schema, &other));
        }
        schema
    }
}

/// Tables that come out differently in two orders that the graph allows.
fn differing(one: &Schema, other: &Schema) -> Vec<UnknownTable> {
    let by_name = |schema: &Schema| -> BTreeMap<_, Vec<String>> {
        let tables = schema.tables.iter();
        tables
            .map(|table| ((table.schema.clone(), Arc::clone(&table.name)), says(table)))
            .collect()
    };
    let others = by_name(other);
    let tables = one.tables.iter().chain(&other.tables);
    let mut found: BTreeMap<Arc<str>, &Table> = BTreeMap::new();
    let ones = by_name(one);
    for table in tables {
        let key = (table.schema.clone(), Arc::clone(&table.name));
        if ones.get(&key) != others.get(&key) {
            found.entry(Arc::clone(&table.name)).or_insert(table);
        }
    }
    let found = found.into_values();
    found
        .map(|table| UnknownTable {
            table: Some(Arc::clone(&table.name)),
            reason: Reason {
                why: Why::NotDecidable,
                needs: Some(InputKind::Database),
                sentence: format!(
                    "what {} becomes depends on the order of revisions that do not say which comes \
                     first",
                    table.name
                ),
                place: Some(table.place.clone()),
                next_step:
                    "let one of the revisions stand on the other, or give the live database \
                            with --database"
                        .to_owned(),
            },
        })
        .collect()
}

/// What a table says, whatever the order of its columns and keys.
fn says(table: &Table) -> Vec<String> {
    let columns = table.columns.iter().map(|column| {
        format!(
            "column {} {} {} {:?}",
            column.name, column.data_type, column.nullable, column.default
        )
    });
    let keys = table.enforcers.iter().map(|key| {
        format!(
            "key {} {:?} {:?} {:?}",
            key.name, key.kind, key.parts, key.predicate
        )
    });
    let mut out: Vec<String> = columns.chain(keys).collect();
    out.sort();
    out
}

fn not_parsed(path: &Arc<str>, place: Place) -> Reason {
    Reason {
        why: Why::NotParsed,
        needs: Some(InputKind::Schema),
        sentence: format!("{path} does not parse as Python, so what it does is not known"),
        place: Some(place),
        next_step: "see to it that the file runs, or give the live database with --database"
            .to_owned(),
    }
}
