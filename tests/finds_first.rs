//! A create that finds first: which code the source is believed in. Each edit of the repaired system is
//! either another way to write the same, or no longer finds the row that is in the way.

use std::fs;
use std::path::{Path, PathBuf};

use outbox_audit::facts;
use outbox_audit::input::files::Limits;
use outbox_audit::input::source::{self, Wanted};
use outbox_audit::model::map::ConsumerMap;
use outbox_audit::rules;

const FILE: &str = "persistence/find_or_insert.go";

/// Ways to write the same.
const SAME: &[(&str, &[(&str, &str)])] = &[
    ("as it is", &[]),
    (
        "the branches apart",
        &[(
            "	if err == nil || !errors.Is(err, sql.ErrNoRows) {\n		return id, err\n	}\n",
            "	if err == nil {\n		return id, nil\n	}\n	if !errors.Is(err, sql.ErrNoRows) {\n		return \"\", err\n	}\n",
        )],
    ),
    (
        "another order of the question",
        &[(
            "err == nil || !errors.Is(err, sql.ErrNoRows)",
            "!(err != nil && errors.Is(err, sql.ErrNoRows))",
        )],
    ),
    (
        "by the id",
        &[(
            "	if err == nil || !errors.Is(err, sql.ErrNoRows) {\n		return id, err\n	}\n",
            "	if id != \"\" {\n		return id, nil\n	}\n	if err != nil && !errors.Is(err, sql.ErrNoRows) {\n		return \"\", err\n	}\n",
        )],
    ),
    (
        "other names",
        &[
            ("id, err", "found, failure"),
            ("isTaken(err)", "isTaken(failure)"),
            (
                "err == nil || !errors.Is(err, sql.ErrNoRows)",
                "failure == nil || !errors.Is(failure, sql.ErrNoRows)",
            ),
        ],
    ),
    ("a lock", &[("WHERE %s\"", "WHERE %s FOR UPDATE\"")]),
];

/// What no longer finds first, or not the row that is in the way.
const BROKEN: &[(&str, &[(&str, &str)])] = &[
    (
        "what is found is passed over",
        &[(
            "	if err == nil || !errors.Is(err, sql.ErrNoRows) {\n		return id, err\n	}\n",
            "",
        )],
    ),
    (
        "the question is turned around",
        &[("err == nil || !errors.Is(err, sql.ErrNoRows)", "err != nil")],
    ),
    (
        "only a failure ends it",
        &[(
            "err == nil || !errors.Is(err, sql.ErrNoRows)",
            "err != nil && !errors.Is(err, sql.ErrNoRows)",
        )],
    ),
    (
        "deleted rows are not looked at",
        &[("WHERE %s\"", "WHERE %s AND __sys_gen_is_deleted = 0\"")],
    ),
    (
        "it looks again for a part of the key",
        &[(
            "	if isTaken(err) {\n		return r.find(ctx, object, key, values)",
            "	if isTaken(err) {\n		return r.find(ctx, object, key[:1], values)",
        )],
    ),
    (
        "it does not look again",
        &[(
            "		return r.find(ctx, object, key, values)\n	}\n	return id, err",
            "		return \"\", nil\n	}\n	return id, err",
        )],
    ),
    (
        "another code",
        &[("duplicateKey = 1062", "duplicateKey = 1064")],
    ),
    (
        "it does not look before",
        &[(
            "	id, err := r.find(ctx, object, key, values)\n	if err == nil || !errors.Is(err, sql.ErrNoRows) {\n		return id, err\n	}\n	id, err = r.Insert",
            "	id, err := r.Insert",
        )],
    ),
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/whole/nexuscrm-repaired/source")
}

fn map_with(edits: &[(&str, &str)]) -> ConsumerMap {
    let folder = tempfile::tempdir().expect("a folder");
    let mut open = vec![source()];
    while let Some(from) = open.pop() {
        for entry in fs::read_dir(&from).expect("a folder") {
            let path = entry.expect("an entry").path();
            let below = path.strip_prefix(source()).expect("below it");
            let to = folder.path().join(below);
            if path.is_dir() {
                fs::create_dir_all(&to).expect("it is made");
                open.push(path);
            } else {
                fs::copy(&path, &to).expect("it is copied");
            }
        }
    }
    let file = folder.path().join(FILE);
    let mut text = fs::read_to_string(&file).expect("a text");
    for (from, to) in edits {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    fs::write(&file, text).expect("it is written");
    let rules = rules::load(&rules::builtin_names(), &[]).expect("the packs load");
    let roots = [folder.path().to_owned()];
    let tree = source::read(&roots, folder.path(), &Limits::default(), &Wanted::Product);
    assert!(tree.files.iter().all(|file| file.unparsed.is_empty()));
    facts::source::map(&tree, &rules)
}

/// Whether any word of what runs the flows finds first.
fn finds_first(edits: &[(&str, &str)]) -> bool {
    let map = map_with(edits);
    let mut branches = map.branches.iter();
    branches.any(|branch| {
        branch.word.eq_ignore_ascii_case("CreateRecord") && branch.takes_row.is_some()
    })
}

#[test]
fn other_ways_to_write_it_are_seen() {
    for (name, edits) in SAME {
        assert!(finds_first(edits), "{name}");
    }
}

#[test]
fn what_does_not_find_the_row_in_the_way_is_not_believed() {
    for (name, edits) in BROKEN {
        assert!(!finds_first(edits), "{name}");
    }
}
