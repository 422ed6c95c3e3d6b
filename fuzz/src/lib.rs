//! One function per reader of input that others write: it takes any bytes, and must come back
//! without a panic, in time and memory that the size of the input bounds.
//!
//! The fuzzer and the tests of the crate (`tests/hostile`) drive the same functions.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use outbox_audit::model::dialect::Dialect;
use outbox_audit::model::source::{Language, SourceTree};
use outbox_audit::model::text::TextFile;
use outbox_audit::rules::{self, Rules};
use outbox_audit::sql::{expression, predicate, query, statement, verbs};
use outbox_audit::{expr, facts, input, model};

/// A reader: the name of its target and of its folder of inputs, and what reads.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: &[Target] = &[
    ("go", go),
    ("rust", rust),
    ("scan", scan),
    ("sql_postgres", sql_postgres),
    ("sql_mysql", sql_mysql),
    ("sql_sqlite", sql_sqlite),
    ("expr", expr),
    ("metadata_json", metadata_json),
    ("flows_yaml", flows_yaml),
    ("config_yaml", config_yaml),
    ("template", template),
    ("plan", plan),
];

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    rules::load(&rules::builtin_names(), &[]).expect("the bundled packs can be used")
});

/// Go source, and the map of what is made of it.
pub fn go(data: &[u8]) {
    source(Language::Go, data);
}

/// Rust source, and the map of what is made of it.
pub fn rust(data: &[u8]) {
    source(Language::Rust, data);
}

fn source(language: Language, data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Some(files) = input::source::parse(language, &text) else {
        return;
    };
    let tree = SourceTree {
        scanned: files.len(),
        files,
        ..SourceTree::default()
    };
    facts::source::map_on_deep_stack(&tree, &RULES).expect("the analysis ends");
}

/// The scanner that decides which files are worth a tree.
pub fn scan(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for language in [Language::Go, Language::Rust] {
        input::source::scan::scan(language, &text);
    }
}

/// Schemas and statements of PostgreSQL.
pub fn sql_postgres(data: &[u8]) {
    sql(Dialect::Postgres, data);
}

/// Schemas and statements of MySQL and those that speak like it.
pub fn sql_mysql(data: &[u8]) {
    for dialect in [Dialect::Mysql, Dialect::Mariadb, Dialect::Tidb] {
        sql(dialect, data);
    }
}

/// Schemas and statements of SQLite.
pub fn sql_sqlite(data: &[u8]) {
    sql(Dialect::Sqlite, data);
}

fn sql(dialect: Dialect, data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let file = Arc::new(TextFile::new("schema.sql", text.clone().into_owned()));
    let _ = input::schema::dialect::guess(&text);
    let _ = input::schema::read_text(&[file], Some(dialect));
    let _ = statement::parse(&text, dialect);
    let _ = query::query(&text, dialect);
    let _ = predicate::parse(&text, dialect, &|_| true);
    let _ = verbs::verbs(&text, dialect);
    let _ = expression::normal(&text, dialect);
}

/// Formulas of flows.
pub fn expr(data: &[u8]) {
    let _ = expr::parse(&String::from_utf8_lossy(data));
}

/// Flow metadata as JSON, and the tables that a platform describes in JSON.
pub fn metadata_json(data: &[u8]) {
    flows("metadata.json", data);
    let text = String::from_utf8_lossy(data).into_owned();
    let file = Arc::new(TextFile::new("system_tables.json", text));
    let _ = input::schema::read_text(&[file], None);
}

/// Flows in the neutral format.
pub fn flows_yaml(data: &[u8]) {
    flows("flows.yaml", data);
}

fn flows(name: &str, data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let _ = input::flows::read(&[Arc::new(TextFile::new(name, text))]);
}

/// The configuration, and what is said of one that is wrong.
pub fn config_yaml(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let file = TextFile::new("outbox-audit.yaml", text);
    if let Err(problems) = input::config::parse(file, Path::new("")) {
        let _ = problems.to_string();
    }
}

/// Templates of record keys.
pub fn template(data: &[u8]) {
    let _ = model::template::parse(&String::from_utf8_lossy(data));
}

/// Plans of queries, as each engine prints them: a text, lines, rows of values behind tabs.
pub fn plan(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for skips in [false, true] {
        let _ = input::outbox::plan::postgres(&text, skips);
    }
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let _ = input::outbox::plan::sqlite(&lines);
    let value = |cell: &str| (cell != "NULL").then(|| cell.to_owned());
    let rows: Vec<Vec<Option<String>>> = text
        .lines()
        .map(|line| line.split('\t').map(value).collect())
        .collect();
    let _ = input::outbox::plan::mysql(&rows);
    let _ = input::outbox::plan::tidb(&rows);
}
