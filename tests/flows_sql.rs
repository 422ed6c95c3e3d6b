//! Effects of the neutral format that are given as the statement they run.

use std::sync::Arc;

use outbox_audit::input::flows;
use outbox_audit::model::conflict::{ArmAction, Otherwise};
use outbox_audit::model::consumer::PathState;
use outbox_audit::model::effect::{Effect, EffectKind, OnConflict, RowChoice};
use outbox_audit::model::metadata::Metadata;
use outbox_audit::model::place::{Place, Pos};
use outbox_audit::model::schema::Dialect;
use outbox_audit::model::text::TextFile;
use outbox_audit::model::value::{Literal, Shape, Value, ValueSource};

const HEAD: &str = "version: 1\nconsumers:\n  - id: c\n    event: e\n    object: o\n    effects:\n";

fn read(effects: &str, dialect: Option<Dialect>) -> (String, Metadata) {
    let text = format!("{HEAD}{effects}");
    let file = Arc::new(TextFile::new("flows.yaml", text.clone()));
    (text, flows::read_for(&[file], dialect))
}

/// The effects of one statement that is read without a problem.
#[track_caller]
fn effects(sql: &str, params: &str, dialect: Dialect) -> Vec<Effect> {
    let params = match params {
        "" => String::new(),
        some => format!("        params: {some}\n"),
    };
    let (_, metadata) = read(
        &format!("      - id: x\n        sql: {sql}\n{params}"),
        Some(dialect),
    );
    assert!(metadata.problems.is_empty(), "{:?}", metadata.problems);
    metadata.declared[0].effects.clone()
}

fn quoted(text: &str, place: &Place) -> String {
    let span = place.span().expect("a place in the file");
    let file = TextFile::new("x", text.to_owned());
    let at = |pos: Pos| file.offset(pos).expect("a position of the file") as usize;
    text[at(span.start)..at(span.end)].to_owned()
}

fn sources(value: &Value) -> Vec<ValueSource> {
    value.draws.iter().map(|draw| draw.source).collect()
}

#[test]
fn an_insert_becomes_values_by_column() {
    let list = "[{snapshot: record.id, nulls: never}, {deployment: REGION}]";
    let sql =
        "INSERT INTO s.t (a, b, c, d, e, f) VALUES ($1, 'x', now(), DEFAULT, lower($2), my_own(1))";
    let [effect] = &effects(sql, list, Dialect::Postgres)[..] else {
        panic!("one effect");
    };
    assert_eq!(&*effect.id.0, "declared:c/x/insert:s.t");
    assert_eq!(effect.on_conflict, OnConflict::Error);
    let told: Vec<(&str, Vec<ValueSource>)> = effect
        .writes
        .iter()
        .map(|write| (&*write.field, sources(&write.value)))
        .collect();
    assert_eq!(
        told,
        [
            ("a", vec![ValueSource::Snapshot]),
            ("b", vec![]),
            ("c", vec![ValueSource::Clock]),
            ("e", vec![ValueSource::Deployment]),
            ("f", vec![ValueSource::Unknown]),
        ]
    );
    let constant = effect.writes[1].value.constant.clone();
    assert_eq!(constant, Some(Literal::String("x".into())));
}

#[test]
fn every_row_is_an_effect() {
    let found = effects(
        "INSERT INTO t (a, n) VALUES (:id, 1), (:id, 2)",
        "{id: {snapshot: record.id}}",
        Dialect::Sqlite,
    );
    let ids: Vec<&str> = found.iter().map(|effect| &*effect.id.0).collect();
    assert_eq!(ids, ["declared:c/x/insert:t", "declared:c/x/insert:t#2"]);
    assert_eq!(found[1].order, 1);
}

#[test]
fn conflicts_are_kept_clause_by_clause() {
    let said = |sql: &str, dialect| {
        let found = effects(sql, "[{snapshot: record.id}]", dialect);
        match &found[0].on_conflict {
            OnConflict::Statement(said) => (found[0].kind, (**said).clone()),
            other => panic!("{other:?}"),
        }
    };
    let (kind, conflict) = said(
        "INSERT INTO t (a, n) VALUES ($1, 1) ON CONFLICT (a) DO UPDATE SET n = t.n + EXCLUDED.n, a = t.a RETURNING a",
        Dialect::Postgres,
    );
    assert_eq!(kind, EffectKind::Upsert);
    assert!(conflict.returning);
    let ArmAction::Update {
        set,
        only_newer: false,
    } = &conflict.arms[0].action
    else {
        panic!("{conflict:?}");
    };
    // `a = t.a` changes nothing.
    assert_eq!(set.len(), 1);
    assert_eq!(set[0].value.shape, Shape::Accumulates);
    assert_eq!(sources(&set[0].value), [ValueSource::LiveState]);
    let (kind, conflict) = said("INSERT IGNORE INTO t (a) VALUES (?)", Dialect::Mysql);
    assert_eq!(
        (kind, conflict.otherwise),
        (EffectKind::Insert, Otherwise::LeavesOut)
    );
    let (_, conflict) = said("REPLACE INTO t (a) VALUES (?)", Dialect::Mysql);
    assert_eq!(conflict.otherwise, Otherwise::Replaces);
    let (_, conflict) = said("INSERT OR ROLLBACK INTO t (a) VALUES (?)", Dialect::Sqlite);
    assert_eq!(conflict.otherwise, Otherwise::RollsBack);
}

#[test]
fn updates_deletes_and_merges() {
    let found = effects(
        "UPDATE t SET n = n + 1 WHERE id = ? AND state = 'a'",
        "[{snapshot: record.id}]",
        Dialect::Mysql,
    );
    assert_eq!(found[0].kind, EffectKind::Increment);
    assert!(matches!(&found[0].rows, RowChoice::Where { columns, .. } if columns.len() == 2));
    assert!(found[0].runs_if.is_empty());
    let found = effects(
        "UPDATE t SET n = n + 1, v = ?2 WHERE id = ?1 AND v < ?2",
        "[{snapshot: record.id}, {snapshot: record.v}]",
        Dialect::Sqlite,
    );
    assert_eq!(found[0].kind, EffectKind::Update);
    assert!(found[0].runs_if.is_empty());
    let found = effects(
        "UPDATE t SET n = 1 WHERE id = ?1 AND m > 5",
        "[{snapshot: record.id}]",
        Dialect::Sqlite,
    );
    assert_eq!(found[0].runs_if.len(), 1);
    let found = effects("DELETE FROM t WHERE at < now()", "", Dialect::Postgres);
    assert!(matches!(found[0].rows, RowChoice::Search(_)));
    let merge = "MERGE INTO t USING (SELECT $1 AS k) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET n = 1 WHEN NOT MATCHED THEN INSERT (k) VALUES (s.k)";
    let found = effects(merge, "[{snapshot: record.id}]", Dialect::Postgres);
    let kinds: Vec<EffectKind> = found.iter().map(|effect| effect.kind).collect();
    assert_eq!(kinds, [EffectKind::FindOrCreate, EffectKind::Update]);
    assert_eq!(sources(&found[0].writes[0].value), [ValueSource::Snapshot]);
}

#[test]
fn places_point_into_the_statement_however_yaml_writes_it() {
    for sql in [
        "|\n          INSERT INTO t (a, b)\n          VALUES (now(),\n            'x y') ON CONFLICT (a) DO NOTHING",
        ">\n          INSERT INTO t (a, b)\n          VALUES (now(),\n            'x y') ON CONFLICT (a) DO NOTHING",
        "INSERT INTO t (a, b) VALUES (now(), 'x y') ON CONFLICT (a) DO NOTHING",
        "\"INSERT INTO t (a, b) VALUES (now(), 'x y') ON CONFLICT (a) DO NOTHING\"",
    ] {
        let (text, metadata) = read(
            &format!("      - id: x\n        sql: {sql}\n"),
            Some(Dialect::Postgres),
        );
        let effect = &metadata.declared[0].effects[0];
        assert_eq!(
            quoted(&text, &effect.writes[0].value.place),
            "now()",
            "{sql}"
        );
        assert_eq!(quoted(&text, &effect.writes[1].place), "b", "{sql}");
        let OnConflict::Statement(said) = &effect.on_conflict else {
            panic!("{effect:?}");
        };
        assert_eq!(
            quoted(&text, &said.arms[0].place),
            "ON CONFLICT (a) DO NOTHING",
            "{sql}"
        );
    }
}

#[test]
fn what_does_not_hold_together_is_a_problem_with_its_place() {
    let insert = "sql: INSERT INTO t (a) VALUES ($1)";
    for (effect, quote, says) in [
        (
            format!("{{id: x, {insert}}}"),
            "$1",
            "does not say what `$1` stands for",
        ),
        (
            format!("{{id: x, {insert}, params: [{{clock: n}}, {{clock: m}}]}}"),
            "{",
            "no placeholder of `x` uses parameter `$2`",
        ),
        (
            "{id: x, sql: 'INSERT INTO t (a, b) VALUES ($1, $2)', params: [{clock: n}, {clock: n, live: m}]}"
                .to_owned(),
            "{",
            "parameter `$2`: a value must have exactly one source",
        ),
        (
            "{id: x, sql: 'INSERT INTO t (a) VALUES (:who)', params: {who: {clock: n, live: m}}}".to_owned(),
            "{",
            "parameter `who`: a value must have exactly one source",
        ),
        (
            format!("{{id: x, kind: insert, {insert}, params: [{{clock: n}}]}}"),
            "insert",
            "`kind` stands beside `sql`",
        ),
        (
            "{id: x, table: t}".to_owned(),
            "x",
            "`x` says neither `kind` nor `sql`",
        ),
        (
            "{id: x, sql: SELECT 1}".to_owned(),
            "SELECT",
            "this statement is not understood",
        ),
        (
            "{id: x, sql: INSERT INTO t VALUES (1)}".to_owned(),
            "INSERT",
            "the statement names no columns",
        ),
    ] {
        let (text, metadata) = read(&format!("      - {effect}\n"), Some(Dialect::Postgres));
        let [problem] = &metadata.problems[..] else {
            panic!("{effect}: {:?}", metadata.problems);
        };
        assert!(problem.sentence.contains(says), "{}", problem.sentence);
        assert_eq!(
            quoted(&text, problem.place.as_ref().expect("a place")),
            quote,
            "{effect}"
        );
    }
}

#[test]
fn without_an_engine_the_effect_is_unknown() {
    let (_, metadata) = read("      - {id: x, sql: DELETE FROM t}\n", None);
    let effect = &metadata.declared[0].effects[0];
    assert_eq!(effect.kind, EffectKind::Unmapped);
    assert!(
        matches!(&effect.path, PathState::Unknown(reason) if reason.next_step.contains("--dialect"))
    );
    let (_, metadata) = read(
        "      - {id: x, sql: \"DELETE FROM t; DROP TABLE t\"}\n",
        Some(Dialect::Sqlite),
    );
    let effect = &metadata.declared[0].effects[0];
    assert!(
        matches!(&effect.path, PathState::Unknown(reason) if reason.sentence.contains("second statement"))
    );
}
