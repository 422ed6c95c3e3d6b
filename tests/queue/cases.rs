//! Trees that are harder to read, and that say nothing: never silence, never a pass.

use std::fs;
use std::path::{Path, PathBuf};

use outbox_audit::model::queue::{Promise, Queue};
use outbox_audit::model::schema::Dialect;

use super::{read, root, told, word};

/// A copy of a folder, changed: each text that is replaced stands in one of its files.
pub(super) fn written(base: &Path, name: &str, changes: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("queue")
        .join(name);
    let mut found = vec![false; changes.len()];
    let mut open = vec![base.to_owned()];
    while let Some(from) = open.pop() {
        for entry in fs::read_dir(&from).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let mut text = fs::read_to_string(&path).expect("a text");
            for ((from, to), found) in changes.iter().zip(&mut found) {
                if text.contains(from) {
                    text = text.replace(from, to);
                    *found = true;
                }
            }
            let to = folder.join(path.strip_prefix(base).expect("it is below"));
            fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
            fs::write(to, text).expect("a file");
        }
    }
    for ((from, _), found) in changes.iter().zip(found) {
        assert!(found, "{name}: {from}");
    }
    folder
}

/// The repaired worker of Go, changed.
pub(super) fn changed(name: &str, changes: &[(&str, &str)]) -> Queue {
    let base = root().join("fixtures/queue/go/repaired/source");
    read(&written(&base, name, changes), Some(Dialect::Tidb))
}

#[test]
fn without_a_dispatcher_nothing_is_known() {
    let queue = changed(
        "none",
        &[(
            "s.bus.Publish(inject(ctx, tx), e.kind, e.payload)",
            "error(nil)",
        )],
    );
    assert!(queue.dispatcher.is_none());
    for promise in Promise::ALL {
        assert_eq!(word(&queue.promises[&promise]), "unknown", "{promise:?}");
    }
}

#[test]
fn a_second_dispatcher_counts_too() {
    let second = "\n// Drain hands on without a claim.\nfunc (s *Service) Drain(ctx context.Context) error {\n\
                  \tfound, err := s.candidates(ctx)\n\tfor _, e := range found {\n\
                  \t\terr = s.bus.Publish(ctx, e.kind, e.payload)\n\t}\n\treturn err\n}\n\ntype txKey struct{}";
    // Both are asked, whether the flag chooses one of them or not.
    let flag = (
        "\tif os.Getenv(\"OUTBOX_PULL_WORKER\") != \"true\" {\n\t\treturn\n\t}\n",
        "",
    );
    let both = changed("second", &[("type txKey struct{}", second), flag]);
    assert_eq!(word(&both.promises[&Promise::AtomicClaim]), "broken");
    let chosen = changed("second-flagged", &[("type txKey struct{}", second)]);
    assert_eq!(word(&chosen.promises[&Promise::AtomicClaim]), "broken");
}

#[test]
fn a_statement_built_at_run_time_is_unknown_with_its_place() {
    let queue = changed(
        "built",
        &[(
            "WHERE Id = ? AND (Status = 'pending' OR (Status = 'processing' AND LastModifiedDate < NOW(6) - INTERVAL 120 SECOND))`, id)",
            "WHERE Id = ? AND `+os.Args[1], id)",
        )],
    );
    let told = told(&queue, Promise::AtomicClaim);
    assert!(told.starts_with("unknown worker.go:"), "{told}");
}

#[test]
fn the_flag_may_be_kept_in_a_field() {
    let queue = changed(
        "field",
        &[
            ("\tonce sync.Once\n", "\tonce sync.Once\n\tpull_ bool\n"),
            (
                "if os.Getenv(\"OUTBOX_PULL_WORKER\") != \"true\" {",
                "if !s.pull_ {",
            ),
            (
                "// Start runs",
                "// New reads the flag.\nfunc New(db *sql.DB, bus *Bus) *Service {\n\treturn &Service{db: db, bus: bus, pull_: os.Getenv(\"OUTBOX_PULL_WORKER\") == \"true\"}\n}\n\n// Start runs",
            ),
        ],
    );
    assert_eq!(
        word(&queue.promises[&Promise::FlagGuardsWorkers]),
        "kept",
        "{}",
        told(&queue, Promise::FlagGuardsWorkers)
    );
}

#[test]
fn a_worker_that_calls_itself_ends() {
    let queue = changed(
        "recursion",
        &[("\t\tif !worked {\n", "\t\ts.pull(ctx)\n\t\tif !worked {\n")],
    );
    assert_eq!(word(&queue.promises[&Promise::AtomicClaim]), "kept");
}
