//! The map as documents: valid by the committed schema, bounded, and the same bytes each time.

use std::path::Path;
use std::process::{Command, Output};

use outbox_audit::report::MapDocument;
use serde_json::{Value, json};

const SCHEMA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/map.schema.json");

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/source/go"))
        .args(arguments)
        .output()
        .expect("it runs")
}

fn text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// `UPDATE_SCHEMAS=1 cargo test --test map` writes it anew.
#[test]
fn the_committed_schema_is_that_of_the_types() {
    let mut schema = schemars::schema_for!(MapDocument<'static>);
    schema.insert("title".to_owned(), json!("outbox-audit map, version 1"));
    let now = serde_json::to_string_pretty(&schema).expect("JSON") + "\n";
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(SCHEMA, &now).expect("written");
    }
    let committed = std::fs::read_to_string(SCHEMA).expect("the schema");
    assert!(
        committed == now,
        "run with UPDATE_SCHEMAS=1 to write it anew"
    );
}

#[test]
fn the_json_is_valid_and_the_same_bytes_each_time() {
    let first = text(&run(&["map", ".", "--format", "json"]));
    assert_eq!(first, text(&run(&["map", ".", "--format", "json"])));
    let document: Value = serde_json::from_str(&first).expect("JSON");
    let schema = std::fs::read_to_string(SCHEMA).expect("the schema");
    let schema: Value = serde_json::from_str(&schema).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a JSON Schema");
    let errors: Vec<String> = validator
        .iter_errors(&document)
        .map(|error| error.to_string())
        .collect();
    assert_eq!(errors, [""; 0]);
    assert!(document["consumers"].as_array().expect("a list").len() > 5);
}

#[test]
fn pictures_hold_every_consumer_of_a_small_tree() {
    let mermaid = text(&run(&["map", "query-builder", "--format", "mermaid"]));
    assert!(mermaid.starts_with("flowchart LR\n"), "{mermaid}");
    assert!(mermaid.contains("c0 --> e0"), "{mermaid}");
    assert!(mermaid.contains("insert visit"), "{mermaid}");
    let dot = text(&run(&["map", "query-builder", "--format", "dot"]));
    assert!(dot.starts_with("digraph consumers {"), "{dot}");
    assert!(dot.contains("c0 -> e1"), "{dot}");
}

/// GitHub draws no flowchart of more than 500 edges or 50,000 characters: what is left out is said.
#[test]
fn a_mermaid_picture_stays_below_the_limits() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut source = String::from("package big\n\nimport \"github.com/nats-io/nats.go\"\n\n");
    source.push_str("func start(c *nats.Conn) {\n");
    for at in 0..900 {
        source.push_str(&format!(
            "\tc.Subscribe(\"event-number-{at}\", func(m *nats.Msg) {{ c.Publish(\"reply-{at}\", nil) }})\n"
        ));
    }
    source.push_str("}\n");
    std::fs::write(folder.path().join("big.go"), source).expect("written");
    let path = folder.path().to_string_lossy().into_owned();
    let mermaid = text(&run(&["map", &path, "--format", "mermaid"]));
    assert!(mermaid.len() < 50_000, "{} bytes", mermaid.len());
    assert!(mermaid.matches("-->").count() < 500);
    assert!(mermaid.contains("not shown"), "{mermaid}");
}

#[test]
fn a_tree_that_is_not_there_is_an_error() {
    let output = run(&["map", "no-such-tree"]);
    assert_eq!(output.status.code(), Some(2));
    let says = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(says.contains("no-such-tree does not exist"), "{says}");
}

#[test]
fn a_part_that_is_not_there_is_an_error_and_a_single_file_has_its_name() {
    let output = run(&["map", ".", "--source", "no-such-part"]);
    assert_eq!(output.status.code(), Some(2));
    let one = text(&run(&["map", "in-process-bus/shop.go"]));
    assert!(one.contains("shop.go:46"), "{one}");
    assert!(one.starts_with("3 consumers · 2 effects"), "{one}");
}

/// A file that cannot be read is told, and the rest of the tree is mapped.
#[test]
fn what_cannot_be_read_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("good.go"), "package a\n").expect("written");
    std::fs::write(folder.path().join("bad.go"), b"package a\n\xff\xfe\n").expect("written");
    let path = folder.path().to_string_lossy().into_owned();
    let output = run(&["map", &path, "--format", "json"]);
    let document: Value = serde_json::from_str(&text(&output)).expect("JSON");
    assert_eq!(document["unknown"].as_array().map(Vec::len), Some(1));
    let says = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(says.contains("bad.go"), "{says}");
}

fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
        .args(arguments)
        .status()
        .expect("git runs");
    assert!(status.success(), "{arguments:?}");
}

/// A change far below a handler brings the handler into the report; all is analysed.
#[test]
fn changed_since_keeps_what_the_change_takes_part_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("written");
    };
    let subscribe = |event: &str, body: &str| {
        format!(
            "package a\n\nimport \"github.com/nats-io/nats.go\"\n\nfunc start{event}(c *nats.Conn) {{\n\tc.Subscribe(\"{event}\", func(m *nats.Msg) {{ {body}(c) }})\n}}\n"
        )
    };
    let effect = |name: &str, topic: &str| {
        format!(
            "package a\n\nimport \"github.com/nats-io/nats.go\"\n\nfunc {name}(c *nats.Conn) {{ c.Publish(\"{topic}\", nil) }}\n"
        )
    };
    write("one.go", &subscribe("one", "first"));
    write("two.go", &subscribe("two", "second"));
    write("first.go", &effect("first", "x"));
    write("second.go", &effect("second", "y"));
    git(folder.path(), &["init", "-q"]);
    git(folder.path(), &["add", "."]);
    git(folder.path(), &["commit", "-q", "-m", "start"]);
    write("second.go", &effect("second", "z"));
    let path = folder.path().to_string_lossy().into_owned();
    let all: Value =
        serde_json::from_str(&text(&run(&["map", &path, "--format", "json"]))).expect("JSON");
    assert_eq!(all["consumers"].as_array().map(Vec::len), Some(2));
    let narrowed = text(&run(&[
        "map",
        &path,
        "--format",
        "json",
        "--changed-since",
        "HEAD",
    ]));
    let narrowed: Value = serde_json::from_str(&narrowed).expect("JSON");
    assert_eq!(narrowed["consumers"].as_array().map(Vec::len), Some(1));
    assert_eq!(narrowed["consumers"][0]["event"], "two");
    assert_eq!(narrowed["consumers"][0]["effects"][0]["target"], "z");
    let refused = run(&["map", &path, "--changed-since", "no-such-revision"]);
    assert_eq!(refused.status.code(), Some(2));
}
