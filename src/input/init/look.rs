//! Looking through a project for what an audit could read. Only beginnings of files are read, and
//! never more than a bounded number of them.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use ignore::{DirEntry, WalkBuilder};
use memchr::memmem;

use super::Found;
use crate::input::schema::sql_files;
use crate::model::schema::Dialect;
use crate::model::text::TextFile;

/// The flag of the queue that is drained by pull workers.
const FLAG: &str = "OUTBOX_PULL_WORKER";
const MAX_ENTRIES: usize = 100_000;
const HEAD_BYTES: u64 = 64 * 1024;
const SOURCE_BYTES: u64 = 1024 * 1024;
/// More single files than this are named by their directories.
const MAX_NAMED: usize = 5;
/// Folders that hold what others wrote, or what a build left.
const SKIPPED: [&str; 8] = [
    "node_modules",
    "vendor",
    "target",
    "dist",
    "build",
    "testdata",
    "fixtures",
    "__pycache__",
];

/// Looks through the project.
pub fn look(root: &Path) -> Found {
    let mut walk = WalkBuilder::new(root);
    // Databases are often ignored by version control, so its ignore files do not count here.
    walk.standard_filters(false)
        .hidden(true)
        .follow_links(false)
        .filter_entry(|entry| entry.depth() == 0 || !is_skipped(entry));
    let mut seen = Sorted::default();
    let mut found = Found::default();
    for (count, entry) in walk.build().enumerate() {
        if count >= MAX_ENTRIES {
            found.cut_short = true;
            break;
        }
        let Ok(entry) = entry else { continue };
        if entry.file_type().is_some_and(|kind| kind.is_file())
            && let Ok(relative) = entry.path().strip_prefix(root)
            && let Some(relative) = relative.to_str()
        {
            seen.take(entry.path(), &relative.replace('\\', "/"));
        }
    }
    found.dialect = dialect(root, &seen.schema);
    found.flows = grouped(seen.flows);
    found.schema = grouped(seen.schema);
    found.databases = seen.databases.into_iter().collect();
    found.source = folders(seen.source);
    found.tests = grouped(seen.tests);
    found.flag = seen.flag.then(|| FLAG.to_owned());
    found
}

fn is_skipped(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
        && SKIPPED.iter().any(|name| entry.file_name() == *name)
}

#[derive(Default)]
struct Sorted {
    flows: BTreeSet<String>,
    schema: BTreeSet<String>,
    databases: BTreeSet<String>,
    source: BTreeSet<String>,
    tests: BTreeSet<String>,
    flag: bool,
}

impl Sorted {
    fn take(&mut self, path: &Path, relative: &str) {
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or("");
        let extension = extension.to_ascii_lowercase();
        let most = match extension.as_str() {
            "go" | "py" | "rs" if self.flag => 0,
            "go" | "py" | "rs" => SOURCE_BYTES,
            "json" | "yaml" | "yml" | "sql" | "xml" | "db" | "sqlite" | "sqlite3" => HEAD_BYTES,
            _ => return,
        };
        let text = head(path, most);
        let is = |part: &str| holds(&text, part);
        let list = match extension.as_str() {
            "go" | "py" | "rs" => {
                self.flag |= is(FLAG);
                &mut self.source
            }
            "json" if is("\"tableName\"") => &mut self.schema,
            "json" if is("\"trigger_object\"") || is("\"action_type\"") => &mut self.flows,
            "yaml" | "yml" if text.starts_with(b"consumers:") || is("\nconsumers:") => {
                &mut self.flows
            }
            "sql" if declares_a_schema(&text) => &mut self.schema,
            "xml" if is("<testsuite") => &mut self.tests,
            "db" | "sqlite" | "sqlite3" if text.starts_with(b"SQLite format 3\0") => {
                &mut self.databases
            }
            _ => return,
        };
        list.insert(relative.to_owned());
    }
}

/// The engine of the SQL among the schema files, as an audit would guess it.
fn dialect(root: &Path, schema: &BTreeSet<String>) -> Option<Dialect> {
    let files: Vec<Arc<TextFile>> = schema
        .iter()
        .filter(|name| name.to_ascii_lowercase().ends_with(".sql"))
        .map(|name| {
            let bytes = head(&root.join(name), SOURCE_BYTES);
            let text = String::from_utf8_lossy(&bytes).into_owned();
            Arc::new(TextFile::new(name.as_str(), text))
        })
        .collect();
    sql_files::dialect_of(&files).ok()
}

fn declares_a_schema(text: &[u8]) -> bool {
    let text = text.to_ascii_lowercase();
    ["create table", "create unique index"]
        .iter()
        .any(|words| holds(&text, words))
}

fn holds(text: &[u8], part: &str) -> bool {
    memmem::find(text, part.as_bytes()).is_some()
}

/// The beginning of a file; nothing of one that cannot be read.
fn head(path: &Path, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(path) {
        // What was read before an error still tells what the file is.
        let _ = file.take(most).read_to_end(&mut bytes);
    }
    bytes
}

/// The files, or their directories when there are many.
fn grouped(files: BTreeSet<String>) -> Vec<String> {
    if files.len() <= MAX_NAMED {
        return files.into_iter().collect();
    }
    let directories: BTreeSet<String> = files
        .iter()
        .map(|file| match file.rsplit_once('/') {
            Some((directory, _)) => directory.to_owned(),
            None => ".".to_owned(),
        })
        .collect();
    outermost(directories)
}

/// The top folders that hold the files.
fn folders(files: BTreeSet<String>) -> Vec<String> {
    let tops = files
        .iter()
        .map(|file| file.split_once('/').map_or(".", |(top, _)| top).to_owned())
        .collect();
    outermost(tops)
}

/// Directories without those that lie in another one of them.
fn outermost(directories: BTreeSet<String>) -> Vec<String> {
    if directories.contains(".") {
        return vec![".".to_owned()];
    }
    let inside = |inner: &str, outer: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    directories
        .iter()
        .filter(|inner| !directories.iter().any(|outer| inside(inner, outer)))
        .cloned()
        .collect()
}
