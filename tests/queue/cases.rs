//! Trees that are harder to read, and that say nothing: never silence, never a pass.

use std::fs;
use std::path::PathBuf;

use outbox_audit::model::queue::{Promise, Queue};
use outbox_audit::model::schema::Dialect;

use super::{read, root, told, word};

/// The worker of the checks' fixtures, changed.
pub(super) fn changed(name: &str, changes: &[(&str, &str)]) -> Queue {
    let base = root().join("fixtures/checks/non-atomic-claim/good-repaired/source");
    let mut source = fs::read_to_string(base.join("worker.go")).expect("the worker is there");
    for (from, to) in changes {
        assert!(source.contains(from), "{name}: {from}");
        source = source.replace(from, to);
    }
    let folder: PathBuf = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("queue")
        .join(name);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("worker.go"), source).expect("a file");
    fs::write(
        folder.join("go.mod"),
        "module example.org/outbox\n\ngo 1.23\n",
    )
    .expect("a file");
    read(&folder, Some(Dialect::Tidb))
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
    // Without the flag both are asked; under the flag only what it chooses.
    let flag = (
        "\tif os.Getenv(\"OUTBOX_PULL_WORKER\") != \"true\" {\n\t\treturn\n\t}\n",
        "",
    );
    let both = changed("second", &[("type txKey struct{}", second), flag]);
    assert_eq!(word(&both.promises[&Promise::AtomicClaim]), "broken");
    let chosen = changed("second-flagged", &[("type txKey struct{}", second)]);
    assert_eq!(word(&chosen.promises[&Promise::AtomicClaim]), "kept");
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
