//! Gathers everything an audit reads. What cannot be read becomes a reason; nothing stops the rest.

mod answers;
mod database;
mod keys;
mod source;
mod states;

pub use database::Database;
pub use keys::ask_keys;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::input::files::{
    FileKind, JsonKind, Limits, Loaded, json_kind, kind, read_text, relative, walk,
};
use crate::input::schema::Wanted;
use crate::input::{evidence, flows, json, schema};
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::inputs::{InputState, Inputs};
use crate::model::metadata::Node;
use crate::model::outbox::OutboxNames;
use crate::model::place::Place;
use crate::model::schema::{Dialect, Schema};

use states::{close, flows_state, live_flows_state, schema_state};

/// What to read.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The audited project; names in reports are relative to it.
    pub root: PathBuf,
    /// Flow metadata, files or directories.
    pub flows: Vec<PathBuf>,
    /// Schema as text, files or directories.
    pub schema: Vec<PathBuf>,
    /// Source trees.
    pub source: Vec<PathBuf>,
    /// Dialect of SQL text.
    pub dialect: Option<Dialect>,
    /// A live database.
    pub database: Option<Database>,
    /// Results of tests, files or directories.
    pub tests: Vec<PathBuf>,
    /// The outbox whose backlog is counted in a live database.
    pub outbox: Option<OutboxNames>,
    /// Told beforehand what will be read of a live database, where that is much.
    pub notice: Option<fn(&str)>,
    /// Answers to printed queries.
    pub answers: Option<PathBuf>,
    /// Bounds on reading.
    pub limits: Limits,
    /// True if what is not named is searched for below the root.
    pub search: bool,
}

/// Reads all of it. Without flows the root is searched for them, by what files hold, and for source,
/// by what files are called; for schema text too, unless one is named, also beside a database: where
/// the two differ is worth to know. A database is searched for where neither is named.
pub fn gather(sources: &Sources) -> Inputs {
    gather_with(sources).0
}

/// The same, with the database that was read.
pub fn gather_with(sources: &Sources) -> (Inputs, Option<Database>) {
    let mut reading = Reading::new(sources);
    if sources.search && sources.flows.is_empty() {
        reading.discover(&sources.root);
    }
    for path in &sources.flows {
        reading.given(path, InputKind::Flows);
    }
    for path in &sources.schema {
        reading.given(path, InputKind::Schema);
    }
    reading.databases.extend(sources.database.clone());
    let database = reading.databases.first().cloned();
    (reading.finish(), database)
}

struct Reading<'a> {
    sources: &'a Sources,
    flows: Vec<Loaded>,
    /// Trees of the JSON files among them that had to be parsed to be told apart.
    parsed: BTreeMap<Arc<str>, Node>,
    schema: Vec<Loaded>,
    databases: Vec<Database>,
    taken: BTreeSet<Arc<str>>,
    problems: Vec<(InputKind, Reason)>,
}

impl<'a> Reading<'a> {
    fn new(sources: &'a Sources) -> Self {
        Self {
            sources,
            flows: Vec::new(),
            parsed: BTreeMap::new(),
            schema: Vec::new(),
            databases: Vec::new(),
            taken: BTreeSet::new(),
            problems: Vec::new(),
        }
    }

    /// A file or directory that was named for one kind of input.
    fn given(&mut self, path: &Path, needs: InputKind) {
        if path.is_dir() {
            let before = (self.flows.len(), self.schema.len());
            self.directory(path, Some(needs));
            if before == (self.flows.len(), self.schema.len()) {
                let name = relative(path, &self.sources.root);
                self.problems.push((
                    needs,
                    Reason {
                        why: Why::NotReadable,
                        needs: Some(needs),
                        sentence: format!(
                            "directory {name} holds no file that is recognised as {}",
                            needs.word()
                        ),
                        place: Some(Place::Path(name)),
                        next_step: "name the file itself".into(),
                    },
                ));
            }
            return;
        }
        match read_text(path, &self.sources.root, &self.sources.limits, needs) {
            Ok(loaded) => self.take(loaded, needs),
            Err(reason) => self.problems.push((needs, *reason)),
        }
    }

    /// Everything that is recognised below the root, of the kinds that are not named.
    fn discover(&mut self, root: &Path) {
        if !self.sources.schema.is_empty() {
            return self.directory(root, Some(InputKind::Flows));
        }
        if root.is_file() {
            return self.file_by_content(root);
        }
        self.directory(root, None);
        if self.sources.database.is_some() {
            return self.databases.clear();
        }
        if self.databases.len() > 1 {
            let names: Vec<String> = self
                .databases
                .iter()
                .map(|database| database.name().to_string())
                .collect();
            self.databases.clear();
            self.problems.push((
                InputKind::Database,
                Reason {
                    why: Why::NotResolved,
                    needs: Some(InputKind::Database),
                    sentence: format!("there are several databases: {}", names.join(", ")),
                    place: None,
                    next_step: "name the one to read with --database sqlite:FILE".into(),
                },
            ));
        }
    }

    fn directory(&mut self, directory: &Path, wanted: Option<InputKind>) {
        let needs = wanted.unwrap_or(InputKind::Flows);
        let walked = walk(directory, &self.sources.root, &self.sources.limits, needs);
        for problem in walked.problems {
            self.problems.push((needs, problem));
        }
        for found in walked.found {
            // What is named as something else is read as that, once.
            if self.sources.schema.contains(&found.path) && wanted != Some(InputKind::Schema) {
                continue;
            }
            let is_flows = wanted.is_none_or(|kind| kind == InputKind::Flows);
            let is_schema = wanted.is_none_or(|kind| kind == InputKind::Schema);
            match found.kind {
                FileKind::NeutralFlows if is_flows => self.load(&found.path, InputKind::Flows),
                FileKind::Sql | FileKind::Migration if is_schema => {
                    self.load(&found.path, InputKind::Schema)
                }
                FileKind::Json => self.json(&found.path, is_flows, is_schema),
                FileKind::Sqlite if wanted.is_none() => self.databases.push(Database::Sqlite {
                    path: found.path,
                    name: found.name,
                }),
                _ => {}
            }
        }
    }

    /// A single file that was named as the thing to audit.
    fn file_by_content(&mut self, path: &Path) {
        let mut head = Vec::new();
        if let Ok(file) = std::fs::File::open(path) {
            use std::io::Read;
            let _ = file.take(64 * 1024).read_to_end(&mut head);
        }
        match kind::recognise(path, &head) {
            FileKind::Sql | FileKind::Migration => self.load(path, InputKind::Schema),
            FileKind::Sqlite => self.databases.push(Database::Sqlite {
                path: path.to_owned(),
                name: relative(path, &self.sources.root),
            }),
            FileKind::Json => self.json(path, true, true),
            FileKind::NeutralFlows | FileKind::Configuration | FileKind::Unknown => {
                self.load(path, InputKind::Flows);
            }
        }
    }

    fn load(&mut self, path: &Path, needs: InputKind) {
        match read_text(path, &self.sources.root, &self.sources.limits, needs) {
            Ok(loaded) => self.take(loaded, needs),
            Err(reason) => self.problems.push((needs, *reason)),
        }
    }

    /// JSON tells what it is only once it is parsed.
    fn json(&mut self, path: &Path, flows: bool, schema: bool) {
        let limits = &self.sources.limits;
        let loaded = match read_text(path, &self.sources.root, limits, InputKind::Flows) {
            Ok(loaded) => loaded,
            Err(reason) => return self.problems.push((InputKind::Flows, *reason)),
        };
        // What is this short and no JSON is the beginning of something that was cut off.
        let stub = loaded.file.text().len() < 64;
        let worth = || kind::is_called_flows(path) || kind::json_worth_parsing(loaded.file.text());
        if !stub && !worth() {
            return;
        }
        match json::parse(&loaded.file) {
            Ok(node) => match json_kind(&node) {
                Some(JsonKind::Flows) if flows => {
                    self.parsed.insert(Arc::clone(&loaded.file.path), node);
                    self.take(loaded, InputKind::Flows);
                }
                Some(JsonKind::SystemTables) if schema => self.take(loaded, InputKind::Schema),
                _ => {}
            },
            Err(error) => {
                let reason = error.reason(&loaded.file, InputKind::Flows);
                self.problems.push((InputKind::Flows, reason));
            }
        }
    }

    fn take(&mut self, loaded: Loaded, kind: InputKind) {
        if !self.taken.insert(Arc::clone(&loaded.file.path)) {
            return;
        }
        match kind {
            InputKind::Schema => self.schema.push(loaded),
            _ => self.flows.push(loaded),
        }
    }

    fn finish(mut self) -> Inputs {
        let texts = |list: &[Loaded]| {
            list.iter()
                .map(|each| Arc::clone(&each.file))
                .collect::<Vec<_>>()
        };
        let flow_files = texts(&self.flows);
        let schema_files = texts(&self.schema);
        // Files that are given, or found, say which flows are meant; else the database does.
        let wanted = match flow_files.is_empty() {
            true => flows::nexuscrm::TABLES,
            false => &[],
        };
        let (live, mut database) = self.databases(Wanted {
            tables: wanted,
            outbox: self.sources.outbox.as_ref(),
            notice: self.sources.notice,
        });
        let (live, mut rows, backlog) = match live {
            Some(live) => (Some(live.schema), live.rows, live.backlog),
            None => (None, Vec::new(), None),
        };
        let live_flows = rows
            .iter()
            .any(|table| &*table.table == flows::nexuscrm::FLOWS && !table.rows.is_empty());
        if !live_flows {
            // Tables without a flow are no metadata that was given; why they could not be read is.
            rows.iter_mut().for_each(|table| table.rows.clear());
        }
        let (declared, schema_problems) = if schema_files.is_empty() {
            (None, Vec::new())
        } else {
            schema::read_text(&schema_files, self.sources.dialect)
        };
        let schemas: Vec<&Schema> = [declared.as_ref(), live.as_ref()]
            .into_iter()
            .flatten()
            .collect();
        let told = schemas.iter().find_map(|schema| schema.dialect);
        let live_dialect = live.as_ref().and_then(|schema| schema.dialect);
        database.unknown.extend(self.other_engine(live_dialect));
        let metadata = flows::read_parsed(
            flow_files
                .iter()
                .map(|file| (Arc::clone(file), self.parsed.remove(&file.path)))
                .collect(),
            rows,
            self.sources.dialect.or(told),
            &schemas,
        );
        let mut flows = flows_state(self.state(InputKind::Flows), &self.flows, &metadata);
        if let Some(database) = self.databases.first().filter(|_| live_flows) {
            flows = live_flows_state(flows, database.name(), &metadata);
        }
        let mut states = vec![
            flows,
            schema_state(
                self.state(InputKind::Schema),
                &self.schema,
                declared.as_ref(),
                schema_problems,
            ),
            database,
        ];
        let sources = self.sources;
        let (tests, read) = evidence::read(&sources.tests, &sources.root, &sources.limits);
        let (source, state) = source::read(self.sources, &tests.functions());
        states.push(state);
        states.push(close(read));
        let known = live.as_ref().or(declared.as_ref());
        let (answered, answers) = answers::read(self.sources, known, backlog.is_some());
        states.extend(answers);
        let mut files = flow_files;
        files.extend(schema_files);
        Inputs {
            settings: Vec::new(),
            metadata,
            declared,
            live,
            backlog: backlog.or(answered),
            tests,
            source,
            states,
            files,
        }
    }

    fn state(&self, kind: InputKind) -> InputState {
        InputState {
            kind,
            read: Vec::new(),
            unknown: self
                .problems
                .iter()
                .filter(|(needs, _)| *needs == kind)
                .map(|(_, reason)| Arc::new(reason.clone()))
                .collect(),
        }
    }
}
