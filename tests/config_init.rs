//! What `init` writes: it can be read back, it explains every option, it overwrites nothing.

use std::fs;
use std::path::Path;

use outbox_audit::input::config::document::json_schema;
use outbox_audit::input::config::{Config, FILE_NAME, load, parse};
use outbox_audit::input::init::{Found, InitError, init, look, write};
use outbox_audit::model::schema::Dialect;
use outbox_audit::model::text::TextFile;

fn read(yaml: &str) -> Config {
    parse(TextFile::new(FILE_NAME, yaml.to_owned()), Path::new(""))
        .unwrap_or_else(|problems| panic!("{problems}\n{yaml}"))
}

fn project() -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    for (path, content) in [
        (
            "metadata/flows.json",
            "{\"flows\": [{\"trigger_object\": \"Lead\"}]}",
        ),
        ("metadata/readme.json", "{}"),
        (
            "schema/system_tables.json",
            "[{\"tableName\": \"Lead\", \"columns\": []}]",
        ),
        ("schema/extra.sql", "-- x\nCreate Table a (b int);"),
        ("schema/query.sql", "select 1"),
        ("data/crm.db", "SQLite format 3\0 and the rest"),
        ("data/not.db", "something else"),
        (
            "backend/main.go",
            "package main // OUTBOX_PULL_WORKER decides",
        ),
        ("tools/x.py", "print(1)"),
        ("node_modules/a/flows.json", "{\"trigger_object\": 1}"),
        ("reports/unit results.xml", "<?xml?><testsuites/>"),
        (".hidden/b.go", "package b"),
    ] {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, content).expect("written");
    }
    root
}

#[test]
fn it_finds_what_an_audit_could_read_and_writes_it_down() {
    let root = project();
    let found = look(root.path());
    let path = write(root.path(), &found, false).unwrap();
    insta::assert_snapshot!(fs::read_to_string(&path).unwrap());
    let config = load(&path, FILE_NAME).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(
        config.declarations.flag.as_deref(),
        Some("OUTBOX_PULL_WORKER")
    );
    assert!(config.inputs.flows[0].path.is_file());
    assert_eq!(config.inputs.schema.len(), 2);
    assert_eq!(config.inputs.source.len(), 2);
    assert!(config.inputs.tests[0].path.is_file());
    assert!(config.inputs.database.is_some());
    assert_eq!(look(root.path()), found, "its own file changes nothing");
}

/// The engine is written down where the text shows one, as an audit would read it, and only then.
#[test]
fn the_dialect_is_written_where_the_schema_shows_it() {
    let written = |files: &[(&str, &str)]| {
        let root = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            fs::write(root.path().join(name), text).expect("written");
        }
        read(&init(&look(root.path()))).inputs.dialect
    };
    let mysql = ("a.sql", "create table a (b int) engine=InnoDB;");
    let plain = ("b.sql", "create table b (c int);");
    let postgres = ("c.sql", "create table c (d jsonb);");
    let down = ("d.down.sql", "create table c (d jsonb);");
    assert_eq!(written(&[mysql]), Some(Dialect::Mysql));
    assert_eq!(written(&[mysql, plain, down]), Some(Dialect::Mysql));
    assert_eq!(written(&[plain, postgres]), Some(Dialect::Postgres));
    assert_eq!(written(&[plain]), None);
    assert_eq!(written(&[mysql, postgres]), None, "they contradict");
    assert_eq!(written(&[]), None);
    let tables = ("t.json", "[{\"tableName\": \"x\", \"columns\": []}]");
    assert_eq!(written(&[tables]), None);
}

#[test]
fn nothing_found_is_a_file_of_examples() {
    let text = init(&Found::default());
    let config = read(&text);
    assert!(config.inputs.flows.is_empty());
    assert!(config.declarations.record_key_template.is_none());
}

#[test]
fn every_option_stands_in_it_with_a_line_that_explains_it() {
    let text = init(&Found::default());
    let schema: serde_json::Value = serde_json::from_str(&json_schema()).unwrap();
    let mut keys = Vec::new();
    for object in [&schema]
        .into_iter()
        .chain(schema["$defs"].as_object().unwrap().values())
    {
        keys.extend(
            object["properties"]
                .as_object()
                .into_iter()
                .flat_map(|it| it.keys()),
        );
    }
    assert!(keys.len() > 50, "{}", keys.len());
    let lines: Vec<&str> = text.lines().collect();
    let is_prose = |line: &str| {
        line.trim_start()
            .strip_prefix("# ")
            .is_some_and(|rest| !rest.starts_with(' '))
    };
    for key in keys {
        let wanted = format!("{key}:");
        let at = lines.iter().position(|line| {
            !is_prose(line)
                && line
                    .trim_start_matches(['#', ' ', '-'])
                    .starts_with(&wanted)
        });
        let at = at.unwrap_or_else(|| panic!("{key} is not in the file"));
        // Keys of a list's entries are explained by the line above the list.
        if !lines[at].starts_with("#  ") {
            assert!(is_prose(lines[at - 1]), "{key} is not explained");
        }
    }
}

#[test]
fn every_example_is_good_once_its_mark_is_removed() {
    let uncommented: String = init(&Found::default())
        .lines()
        .filter_map(|line| {
            let indent = line.len() - line.trim_start().len();
            match line.trim_start().strip_prefix('#') {
                Some(rest) if rest.starts_with(' ') && !rest.starts_with("  ") => None,
                Some(rest) => Some(format!("{}{rest}\n", " ".repeat(indent))),
                None => Some(format!("{line}\n")),
            }
        })
        .collect();
    let config = read(&uncommented);
    assert_eq!(config.declarations.contracts.len(), 3);
    assert_eq!(config.outbox.columns.len(), 10);
    assert!(config.declarations.record_key_template.is_some());
    assert_eq!(config.declarations.horizon_seconds, Some(604_800));
    assert_eq!(config.limits, Default::default(), "the defaults are shown");
}

#[test]
fn an_existing_file_is_kept_unless_forced() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join(FILE_NAME);
    fs::write(&path, "mine").unwrap();
    let refused = write(root.path(), &Found::default(), false).unwrap_err();
    assert!(matches!(refused, InitError::Exists(_)), "{refused}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    write(root.path(), &Found::default(), true).unwrap();
    assert!(load(&path, FILE_NAME).is_ok());
    let refused = write(&root.path().join("gone"), &Found::default(), true).unwrap_err();
    assert!(matches!(refused, InitError::Write { .. }), "{refused}");
}

proptest::proptest! {
    #[test]
    fn any_path_is_read_back_as_it_is(paths in proptest::collection::btree_set("[ -~éß\t#:'\"\\\\{}]{0,9}[!-~]", 1..4)) {
        let paths: Vec<String> = paths.into_iter().filter(|path| path.trim() == path).collect();
        let found = Found { flows: paths.clone(), ..Found::default() };
        let config = read(&init(&found));
        let back: Vec<String> = config.inputs.flows.iter().map(|it| it.declared.value.to_string()).collect();
        proptest::prop_assert_eq!(back, paths);
    }
}
