//! The GO of the repaired system rests on each piece of its evidence: without one, it is gone, and
//! what turned rests on that piece and nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};

use crate::audit::{copy, json, list, system, text};

/// How a piece is taken away.
enum Cut {
    /// A stretch of a file, which stands there once, gives way to another.
    Text(&'static str, &'static str, &'static str),
    /// Stretches of a file, wherever they stand, give way to others.
    Every(&'static str, &'static [(&'static str, &'static str)]),
    /// A statement changes the database.
    Sql(&'static str),
}

/// A piece of evidence, the verdict without it, and how many outcomes of which checks turn.
struct Piece {
    name: &'static str,
    cut: Cut,
    verdict: &'static str,
    turned: &'static [(&'static str, usize)],
    /// Subjects of all that turned contain it.
    about: &'static str,
}

const SERVICE: &str = "source/events/outbox_service.go";
const TEST: &str = "source/flows/redelivery_test.go";
const RESULTS: &str = "tests/redelivery.json";
const SETTINGS: &str = "outbox-audit.yaml";

const PIECES: &[Piece] = &[
    Piece {
        name: "a UNIQUE index",
        cut: Cut::Sql("DROP INDEX uq_shipment_invoice"),
        verdict: "HOLD",
        turned: &[
            ("constant-key", 1),
            ("index-not-live", 1),
            ("input-drift", 1),
            ("unguarded-create", 1),
            ("unhandled-conflict", 1),
        ],
        about: "Book shipment for invoice",
    },
    Piece {
        name: "a flow's natural key",
        cut: Cut::Text(
            "metadata/flows.json",
            "\"natural_key\": [\n          \"invoice_id\"\n        ],\n",
            "",
        ),
        verdict: "HOLD",
        turned: &[("unhandled-conflict", 1)],
        about: "Book shipment for invoice",
    },
    Piece {
        name: "the results of the tests of a flow",
        cut: Cut::Every(
            RESULTS,
            &[(
                "/Keep_ticket_history\",\"Elapsed\"",
                "/Keep_ticket\",\"Elapsed\"",
            )],
        ),
        verdict: "UNPROVEN",
        turned: &[("untested-redelivery", 1)],
        about: "Keep ticket history",
    },
    Piece {
        name: "what the tests say that they show",
        cut: Cut::Every(
            RESULTS,
            &[("flow:Keep ticket history\"", "flow:Keep first seen time\"")],
        ),
        verdict: "UNPROVEN",
        turned: &[("untested-redelivery", 1)],
        about: "Keep ticket history",
    },
    Piece {
        name: "the assertions of the tests",
        cut: Cut::Every(TEST, &[("t.Errorf(", "t.Logf(")]),
        verdict: "UNPROVEN",
        turned: &[("unprotected-external", 1), ("untested-redelivery", 21)],
        about: "flow:",
    },
    Piece {
        name: "the second delivery",
        cut: Cut::Every(
            TEST,
            &[
                ("range 2 {", "range 1 {"),
                // The run that is cut off, before the complete one.
                (
                    "err := bus.Publish(context.Background(), c.event, saved); err == nil",
                    "err := error(nil); err == nil",
                ),
            ],
        ),
        verdict: "UNPROVEN",
        turned: &[("unprotected-external", 1), ("untested-redelivery", 21)],
        about: "flow:",
    },
    Piece {
        name: "the consumer itself in the tests",
        cut: Cut::Text(
            "source/flows/database_test.go",
            "\texecutor.Subscribe()\n",
            "",
        ),
        verdict: "UNPROVEN",
        turned: &[("unprotected-external", 1), ("untested-redelivery", 21)],
        about: "flow:",
    },
    Piece {
        name: "the key that is sent with a call",
        cut: Cut::Text(
            "source/actions/webhook.go",
            "request.Header.Set(\"Idempotency-Key\", ",
            "fmt.Sprint(",
        ),
        verdict: "UNPROVEN",
        turned: &[("unprotected-external", 1)],
        about: "Announce won opportunity",
    },
    Piece {
        name: "a window that is long enough",
        cut: Cut::Text(SETTINGS, "window: 30d", "window: 1d"),
        verdict: "HOLD",
        turned: &[("unprotected-external", 1)],
        about: "Announce won opportunity",
    },
    Piece {
        name: "the error that comes back",
        cut: Cut::Text(
            "source/flows/executor.go",
            "\t\t\tfailed = errors.Join(failed, ",
            "\t\t\t_ = errors.Join(failed, ",
        ),
        verdict: "UNPROVEN",
        turned: &[("unconfirmed-rule", 1)],
        about: "nexus-errors-are-swallowed",
    },
    Piece {
        name: "the heartbeat",
        cut: Cut::Text(
            SERVICE,
            "\tstop := s.startHeartbeat(ctx, e.ID)\n\tdefer stop()\n",
            "",
        ),
        verdict: "HOLD",
        turned: &[("no-detached-bookkeeping", 1), ("no-heartbeat", 1)],
        about: "queue",
    },
    Piece {
        name: "the savepoint",
        cut: Cut::Text(
            SERVICE,
            "\t\tif _, err := tx.ExecContext(ctx, \"SAVEPOINT handler_work\"); err != nil {\n\t\t\treturn fmt.Errorf(\"savepoint: %w\", err)\n\t\t}\n",
            "",
        ),
        verdict: "HOLD",
        turned: &[("savepoint-lost", 1)],
        about: "queue",
    },
    Piece {
        name: "the row count of the fence",
        cut: Cut::Text(
            "source/persistence/outbox_repository.go",
            "\tif count == 0 {\n\t\treturn ErrClaimLost\n\t}\n",
            "\t_ = count\n",
        ),
        verdict: "HOLD",
        turned: &[("unfenced-status", 1)],
        about: "queue",
    },
    Piece {
        name: "one record key",
        cut: Cut::Sql(
            "UPDATE _System_OutboxEvent SET record_key = NULL WHERE __sys_gen_id = \
             (SELECT min(__sys_gen_id) FROM _System_OutboxEvent WHERE status = 'pending')",
        ),
        verdict: "HOLD",
        turned: &[("keyless-writers", 1), ("null-record-keys", 1)],
        about: "backlog",
    },
    Piece {
        name: "the flag that the code reads",
        cut: Cut::Text(SETTINGS, "flag: OUTBOX_PULL_WORKER", "flag: ANOTHER_FLAG"),
        verdict: "HOLD",
        turned: &[("batch-barrier", 1), ("flag-not-read", 1)],
        about: "queue",
    },
    Piece {
        name: "the test results",
        cut: Cut::Text(SETTINGS, "  tests: tests/redelivery.json\n", ""),
        verdict: "UNPROVEN",
        turned: &[("unprotected-external", 1), ("untested-redelivery", 21)],
        about: "flow:",
    },
];

/// The results without the digests of what they are of: each piece is to fall by itself.
fn unbind(folder: &Path) {
    let path = folder.join(RESULTS);
    let whole = fs::read_to_string(&path).expect("its text");
    let lines = whole
        .lines()
        .filter(|line| !line.contains("redelivery.digests"));
    let rest: Vec<&str> = lines.collect();
    fs::write(path, rest.join("\n")).expect("it is written");
}

fn apply(folder: &Path, cut: &Cut) {
    match cut {
        Cut::Text(file, from, to) => {
            let path = folder.join(file);
            let whole = fs::read_to_string(&path).expect("its text");
            assert_eq!(whole.matches(from).count(), 1, "{file}: {from}");
            fs::write(path, whole.replace(from, to)).expect("it is written");
        }
        Cut::Every(file, changes) => {
            let path = folder.join(file);
            let mut whole = fs::read_to_string(&path).expect("its text");
            for (from, to) in *changes {
                assert!(whole.contains(from), "{file}: {from}");
                whole = whole.replace(from, to);
            }
            fs::write(path, whole).expect("it is written");
        }
        Cut::Sql(statement) => {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.expect("a runtime").block_on(async {
                let file = folder.join("database.sqlite");
                let options = SqliteConnectOptions::new().filename(file);
                let mut connection = options.connect().await.expect("a database");
                let done = sqlx::raw_sql(*statement).execute(&mut connection).await;
                done.expect("it runs");
                connection.close().await.expect("it closes");
            });
        }
    }
}

/// Subject, check and outcome of all that decides.
fn gate(report: &Value) -> BTreeSet<(String, String, String)> {
    let all = list(report, "obligations").iter();
    all.filter(|each| text(each, "weight") == "gate")
        .map(|each| {
            (
                text(each, "subject"),
                text(each, "check"),
                text(each, "outcome"),
            )
        })
        .collect()
}

#[test]
fn each_piece_of_evidence_carries_the_go() {
    let whole = json(&system("nexuscrm-repaired"));
    assert_eq!(text(&whole, "verdict"), "GO");
    let before = gate(&whole);
    for piece in PIECES {
        let folder = copy("nexuscrm-repaired");
        unbind(folder.path());
        apply(folder.path(), &piece.cut);
        let report = json(folder.path());
        let name = piece.name;
        assert_eq!(text(&report, "verdict"), piece.verdict, "without {name}");
        let after = gate(&report);
        let turned: BTreeSet<(&str, &str)> = before
            .symmetric_difference(&after)
            .map(|(subject, check, _)| (&**subject, &**check))
            .collect();
        let checks: BTreeSet<&str> = turned.iter().map(|(_, check)| *check).collect();
        let counted: Vec<(&str, usize)> = checks
            .into_iter()
            .map(|check| (check, turned.iter().filter(|each| each.1 == check).count()))
            .collect();
        assert_eq!(counted, piece.turned, "without {name}");
        for (subject, check) in turned {
            assert!(
                subject.contains(piece.about),
                "without {name}: {check} of {subject}"
            );
        }
    }
}

/// Without the source nothing of the code is shown, and all that it showed is open, not unsafe.
#[test]
fn without_source_it_is_open_and_nothing_is_unsafe() {
    let folder = copy("nexuscrm-repaired");
    apply(
        folder.path(),
        &Cut::Text(SETTINGS, "  source: source\n", ""),
    );
    let report = json(folder.path());
    assert_eq!(text(&report, "verdict"), "UNPROVEN");
    let open: BTreeSet<String> = list(&report, "gate")
        .iter()
        .filter(|each| text(each, "state") == "not-shown")
        .map(|each| text(each, "id"))
        .collect();
    assert_eq!(open.len(), 5, "{open:?}");
    let unsafe_now = gate(&report).into_iter().find(|each| each.2 == "not-met");
    assert_eq!(unsafe_now, None);
}

/// Results hold for the source, the flows and the schema that they name, and for a time that has come.
#[test]
fn results_are_of_what_they_name() {
    let all: &[(&str, Cut, &str)] = &[
        (
            "a comment more in the code",
            Cut::Text(
                "source/actions/webhook.go",
                "package actions\n",
                "// Calls out.\npackage actions\n",
            ),
            "nothing that is audited has it",
        ),
        (
            "another flow",
            Cut::Text(
                "metadata/flows.json",
                "\"name\": \"Sweep stale leads nightly\"",
                "\"name\": \"Sweep stale leads\"",
            ),
            "nothing that is audited has it",
        ),
        (
            "a far day",
            Cut::Every(RESULTS, &[("\"Time\":\"20", "\"Time\":\"29")]),
            "is dated in the future (29",
        ),
    ];
    for (name, cut, wanted) in all {
        let folder = copy("nexuscrm-repaired");
        apply(folder.path(), cut);
        let report = json(folder.path());
        assert_eq!(text(&report, "verdict"), "UNPROVEN", "{name}");
        let open: Vec<String> = list(&report, "obligations")
            .iter()
            .filter(|each| text(each, "check") == "untested-redelivery")
            .filter(|each| text(each, "outcome") == "unknown")
            .map(|each| text(&each["reason"], "sentence"))
            .collect();
        assert_eq!(open.len(), 21, "{name}");
        for sentence in open {
            assert!(sentence.contains(wanted), "{name}: {sentence}");
        }
    }
}
