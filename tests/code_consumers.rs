//! Consumers of a source tree as `check` judges them: what was read, whether they are on the path,
//! and what their statements leave behind.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const BUS: &str = r#"package shop

import "context"

type Handler func(ctx context.Context, payload string) error

type Bus struct{ kept map[string][]Handler }

func (b *Bus) On(event string, handler Handler) {
	b.kept[event] = append(b.kept[event], handler)
}

func (b *Bus) Emit(ctx context.Context, event, payload string) error {
	for _, handler := range b.kept[event] {
		if err := handler(ctx, payload); err != nil {
			return err
		}
	}
	return nil
}
"#;

const DISPATCHER: &str = r#"package shop

import (
	"context"
	"database/sql"
)

type Dispatcher struct {
	db  *sql.DB
	bus *Bus
}

func (d *Dispatcher) Run(ctx context.Context) error {
	var id, event, payload string
	row := d.db.QueryRowContext(ctx, "SELECT id, event, payload FROM outbox WHERE state = 'new'")
	if err := row.Scan(&id, &event, &payload); err != nil {
		return err
	}
	if err := d.bus.Emit(ctx, event, payload); err != nil {
		return err
	}
	_, err := d.db.ExecContext(ctx, "UPDATE outbox SET state = 'done' WHERE id = $1", id)
	return err
}
"#;

/// A handler on the bus of the outbox, and one on a bus of its own.
const HANDLERS: &str = r#"package shop

import (
	"context"
	"database/sql"
	"net/http"
)

type Shop struct {
	db  *sql.DB
	bus *Bus
}

func (s *Shop) Start() {
	s.bus.On("order.placed", s.bill)
	s.bus.On("order.paid", s.tell)
	s.bus.On("order.sent", s.stamp)
}

func (s *Shop) bill(ctx context.Context, payload string) error {
	_, err := s.db.ExecContext(ctx, "INSERT INTO invoice (order_id, state) VALUES ($1, 'open')", payload)
	return err
}

func (s *Shop) tell(ctx context.Context, payload string) error {
	_, err := http.Post("https://hooks.example.org/paid", "text/plain", nil)
	return err
}

func (s *Shop) stamp(ctx context.Context, payload string) error {
	_, err := s.db.ExecContext(ctx, "UPDATE invoice SET sent_at = now() WHERE id = $1", payload)
	return err
}
"#;

const SCHEMA: &str = "CREATE TABLE outbox (id bigint PRIMARY KEY, event text, payload text, state text);\n\
CREATE TABLE invoice (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, order_id text NOT NULL, state text NOT NULL, sent_at timestamptz);\n";

const CONFIGURATION: &str = "version: 1\ngate: {pack: neutral}\noutbox: {table: outbox}\ninputs: {schema: schema.sql, source: src}\n";

fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("it is made");
        fs::write(path, text).expect("it is written");
    }
    folder
}

fn shop() -> tempfile::TempDir {
    tree(&[
        ("src/go.mod", "module example.org/shop\n"),
        ("src/bus.go", BUS),
        ("src/dispatcher.go", DISPATCHER),
        ("src/handlers.go", HANDLERS),
        ("schema.sql", SCHEMA),
        ("outbox-audit.yaml", CONFIGURATION),
    ])
}

fn check(folder: &Path, arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .current_dir(folder)
        .args(["check", "--format", "json", "--as-of", "2026-01-01"])
        .args(arguments)
        .output()
        .expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{stderr}");
    serde_json::from_slice(&output.stdout).expect("it prints JSON")
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn source(report: &Value) -> &Value {
    let mut inputs = list(report, "inputs").iter();
    inputs.find(|one| one["kind"] == "source").expect("told")
}

fn outcome(report: &Value, subject: &str, check: &str) -> String {
    let mut all = list(report, "obligations").iter();
    let found = all.find(|one| {
        let of = one["subject"].as_str().unwrap_or_default();
        one["check"] == check && of.contains(subject)
    });
    let found = found.unwrap_or_else(|| panic!("{check} of {subject}"));
    found["outcome"].as_str().unwrap_or_default().to_owned()
}

fn path_of(report: &Value, id: &str) -> String {
    let mut consumers = list(report, "consumers").iter();
    let found = consumers.find(|one| one["id"] == id);
    let found = found.unwrap_or_else(|| panic!("{id}"));
    found["path"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn handlers_on_the_bus_of_the_outbox_are_judged() {
    let folder = shop();
    let report = check(folder.path(), &[]);
    for event in ["bill@order.placed", "tell@order.paid", "stamp@order.sent"] {
        assert_eq!(path_of(&report, &format!("code:go:Shop.{event}")), "on");
    }
    // No key fixes the order: whatever the parameter holds, a second delivery makes a second row.
    assert_eq!(
        outcome(&report, "Insert:invoice", "unguarded-create"),
        "not-met"
    );
    assert_eq!(outcome(&report, "Http:", "unprotected-external"), "not-met");
    assert_eq!(
        outcome(&report, "Update:invoice", "nondeterministic-set"),
        "not-met"
    );
    assert_eq!(report["verdict"], "HOLD");
    assert_eq!(report["inventory"]["classified"], 3);
    assert_eq!(report["inventory"]["untaken"], serde_json::json!([]));
}

#[test]
fn a_parameter_whose_origin_is_not_known_proves_no_key() {
    let folder = shop();
    let keyed = format!("{SCHEMA}CREATE UNIQUE INDEX one_bill ON invoice (order_id);\n");
    fs::write(folder.path().join("schema.sql"), keyed).expect("written");
    let report = check(folder.path(), &[]);
    assert_eq!(
        outcome(&report, "Insert:invoice", "unguarded-create"),
        "unknown"
    );
}

#[test]
fn what_a_name_alone_tells_is_not_known() {
    let folder = shop();
    let dynamic = HANDLERS.replace(
        "\"INSERT INTO invoice (order_id, state) VALUES ($1, 'open')\", payload",
        "\"INSERT INTO \" + payload + \" (order_id) VALUES (1)\"",
    );
    assert_ne!(dynamic, HANDLERS);
    fs::write(folder.path().join("src/handlers.go"), dynamic).expect("written");
    let report = check(folder.path(), &[]);
    assert_eq!(
        outcome(&report, "Shop.bill@order.placed/", "unknown-consumer"),
        "unknown"
    );
    assert_eq!(report["inventory"]["unknown"], 1);
}

#[test]
fn another_bus_is_off_and_without_a_dispatcher_nothing_is_decided() {
    let folder = shop();
    let other = BUS
        .replace("Bus", "Local")
        .replace("Handler", "LocalHandler");
    let late = "package shop\n\nimport (\n\t\"context\"\n\t\"net/http\"\n)\n\ntype Late struct{ bus *Local }\n\n\
        func (l *Late) Start() { l.bus.On(\"ui.opened\", l.open) }\n\n\
        func (l *Late) open(ctx context.Context, payload string) error {\n\t_, err := http.Get(\"https://x.example.org\")\n\treturn err\n}\n";
    fs::write(folder.path().join("src/local.go"), other).expect("written");
    fs::write(folder.path().join("src/late.go"), late).expect("written");
    let report = check(folder.path(), &[]);
    assert_eq!(path_of(&report, "code:go:Late.open@ui.opened"), "off");
    assert_eq!(path_of(&report, "code:go:Shop.tell@order.paid"), "on");
    fs::remove_file(folder.path().join("src/dispatcher.go")).expect("removed");
    let report = check(folder.path(), &[]);
    for id in [
        "code:go:Late.open@ui.opened",
        "code:go:Shop.tell@order.paid",
    ] {
        assert_eq!(path_of(&report, id), "unknown");
    }
    assert_eq!(
        report["verdict"], "UNPROVEN",
        "what may never run holds nothing"
    );
}

#[test]
fn an_event_that_nobody_takes_is_told() {
    let folder = shop();
    let emits = "package shop\n\nimport \"context\"\n\nfunc (s *Shop) Cancel(ctx context.Context) error {\n\treturn s.bus.Emit(ctx, \"order.cancelled\", \"\")\n}\n";
    fs::write(folder.path().join("src/cancel.go"), emits).expect("written");
    let report = check(folder.path(), &[]);
    let untaken = list(&report["inventory"], "untaken");
    assert_eq!(untaken.len(), 1);
    assert_eq!(untaken[0]["event"], "order.cancelled");
    assert_eq!(untaken[0]["place"]["file"], "src/cancel.go");
}

#[test]
fn the_digest_is_that_of_paths_and_contents() {
    let (one, other) = (shop(), shop());
    let digest = |folder: &Path| source(&check(folder, &[]))["digest"].clone();
    let first = digest(one.path());
    assert!(first.is_string());
    assert_eq!(first, digest(other.path()));
    fs::rename(
        other.path().join("src/bus.go"),
        other.path().join("src/wire.go"),
    )
    .expect("moved");
    assert_ne!(first, digest(other.path()));
    fs::write(one.path().join("src/bus.go"), format!("{BUS}// a line\n")).expect("written");
    assert_ne!(first, digest(one.path()));
}

#[test]
fn source_is_found_given_or_told_to_be_missing() {
    let folder = shop();
    fs::remove_file(folder.path().join("outbox-audit.yaml")).expect("removed");
    let found = check(folder.path(), &[]);
    assert_eq!(source(&found)["read"][0]["summary"], "3 source files (Go)");
    let given = check(
        folder.path(),
        &["--schema", "schema.sql", "--source", "src"],
    );
    assert_eq!(source(&given)["read"][0]["name"], "src");
    let none = tree(&[("schema.sql", SCHEMA)]);
    let report = check(none.path(), &[]);
    assert_eq!(source(&report)["unknown"][0]["why"], "not-given");
    let foreign = tree(&[("schema.sql", SCHEMA), ("src/main.rb", "puts\n")]);
    let report = check(foreign.path(), &["--source", "src"]);
    let unknown = &source(&report)["unknown"][0];
    assert_eq!(unknown["why"], "not-readable");
    let sentence = unknown["sentence"].as_str().unwrap_or_default();
    assert!(sentence.contains("Go, Python, Rust"), "{sentence}");
}

#[test]
fn what_does_not_parse_is_open() {
    let folder = shop();
    let torn = HANDLERS.replace(
        "return err\n}\n\nfunc (s *Shop) tell",
        "return err ]] }\n\nfunc (s *Shop) tell",
    );
    assert_ne!(torn, HANDLERS);
    fs::write(folder.path().join("src/handlers.go"), torn).expect("written");
    let report = check(folder.path(), &[]);
    let unknown = list(source(&report), "unknown");
    assert!(
        unknown.iter().any(|one| one["why"] == "not-parsed"),
        "{unknown:?}"
    );
}
