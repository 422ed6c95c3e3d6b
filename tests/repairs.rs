//! What a refused key is told to become makes the effect safe, and swallows no other one.

use std::fs;
use std::process::Command;

use serde_json::Value;

/// A refused key, and each way out that the report names.
struct Case {
    name: &'static str,
    dialect: &'static str,
    schema: &'static str,
    /// The lines of the effect below its kind.
    effect: &'static str,
    ways: &'static [Way],
}

/// One way out: the titles of its changes, and the effect as it is then.
struct Way {
    titles: &'static [&'static str],
    effect: &'static str,
}

const NULLABLE: &str = "CREATE TABLE parcel (depot VARCHAR(20) NOT NULL, ref VARCHAR(20), state VARCHAR(9) NOT NULL DEFAULT 'draft', UNIQUE (depot, ref));";
const BOTH: &str =
    "set: {depot: {snapshot: record.depot, nulls: never}, ref: {snapshot: record.ref}}
        on_conflict: {do_nothing: [depot, ref]}";
const ONE: &str = "set: {ref: {snapshot: record.ref, nulls: never}}";
const ONE_DONE: &str = "set: {ref: {snapshot: record.ref, nulls: never}}
        on_conflict: {do_nothing: [ref]}";

const CASES: &[Case] = &[
    Case {
        name: "a nullable part",
        dialect: "postgres",
        schema: NULLABLE,
        effect: BOTH,
        ways: &[
            Way {
                titles: &["make `ref` of parcel NOT NULL"],
                effect: BOTH,
            },
            Way {
                titles: &["count NULLs as equal (NULLS NOT DISTINCT, PostgreSQL 15 and later)"],
                effect: BOTH,
            },
        ],
    },
    Case {
        name: "a nullable part where NULLs never count as equal",
        dialect: "mariadb",
        schema: NULLABLE,
        effect: BOTH,
        ways: &[Way {
            titles: &["make `ref` of parcel NOT NULL"],
            effect: BOTH,
        }],
    },
    Case {
        name: "a nullable part that nothing else varies",
        dialect: "postgres",
        schema: "CREATE TABLE parcel (ref text UNIQUE);",
        effect: "set: {ref: {snapshot: record.ref}}",
        ways: &[Way {
            titles: &["make `ref` of parcel NOT NULL", "let a conflict on (ref)"],
            effect: "set: {ref: {snapshot: record.ref}}
        on_conflict: {do_nothing: [ref]}",
        }],
    },
    Case {
        name: "a part that is never set",
        dialect: "mariadb",
        schema: NULLABLE,
        effect: "set: {depot: {snapshot: record.depot, nulls: never}}
        on_conflict: {do_nothing: [depot, ref]}",
        ways: &[Way {
            titles: &["set parcel.ref from the event instead of NULL"],
            effect: "set: {depot: {snapshot: record.depot, nulls: never}, ref: {snapshot: record.ref, nulls: never}}
        on_conflict: {do_nothing: [depot, ref]}",
        }],
    },
    Case {
        name: "an expression over a nullable column",
        dialect: "postgres",
        schema: "CREATE TABLE parcel (depot text NOT NULL, ref text); CREATE UNIQUE INDEX one ON parcel (depot, lower(ref));",
        effect: "set: {depot: {snapshot: record.depot, nulls: never}, ref: {snapshot: record.ref}}",
        ways: &[
            Way {
                titles: &[
                    "make `ref` of parcel NOT NULL",
                    "let a conflict on (depot, lower(ref)) of parcel do nothing",
                ],
                effect: "sql: INSERT INTO parcel (depot, ref) VALUES ($1, $2) ON CONFLICT (depot, lower(ref)) DO NOTHING
        params: [{snapshot: record.depot, nulls: never}, {snapshot: record.ref}]",
            },
            Way {
                titles: &[
                    "count NULLs as equal",
                    "let a conflict on (depot, lower(ref)) of parcel do nothing",
                ],
                effect: "sql: INSERT INTO parcel (depot, ref) VALUES ($1, $2) ON CONFLICT (depot, lower(ref)) DO NOTHING
        params: [{snapshot: record.depot, nulls: never}, {snapshot: record.ref}]",
            },
        ],
    },
    Case {
        name: "an expression over a nullable column where statements name no key",
        dialect: "mysql",
        schema: "CREATE TABLE parcel (ref VARCHAR(20), UNIQUE KEY one ((lower(ref))));",
        effect: "set: {ref: {snapshot: record.ref}}",
        ways: &[Way {
            titles: &[
                "make `ref` of parcel NOT NULL",
                "let a conflict on any key of parcel do nothing",
            ],
            effect: "set: {ref: {snapshot: record.ref}}
        on_conflict: do-nothing",
        }],
    },
    Case {
        name: "a volatile part",
        dialect: "postgres",
        schema: "CREATE TABLE parcel (ref text NOT NULL, at timestamptz NOT NULL DEFAULT now(), UNIQUE (ref, at));",
        effect: ONE,
        ways: &[Way {
            titles: &[
                "set parcel.at from the event instead of now()",
                "let a conflict on (ref, at) of parcel do nothing",
            ],
            effect: "set: {ref: {snapshot: record.ref, nulls: never}, at: {snapshot: record.at, nulls: never}}
        on_conflict: {do_nothing: [ref, at]}",
        }],
    },
    Case {
        name: "a part that the engine draws",
        dialect: "postgres",
        schema: "CREATE TABLE parcel (ref text NOT NULL, id bigint GENERATED ALWAYS AS IDENTITY, PRIMARY KEY (ref, id));",
        effect: ONE,
        ways: &[Way {
            titles: &["set a field of parcel from the event that names the business fact"],
            effect: "",
        }],
    },
    Case {
        name: "only a drawn key",
        dialect: "sqlite",
        schema: "CREATE TABLE parcel (id INTEGER PRIMARY KEY, ref TEXT NOT NULL);",
        effect: ONE,
        ways: &[Way {
            titles: &["UNIQUE (ref) on parcel", "let a conflict on (ref)"],
            effect: ONE_DONE,
        }],
    },
    Case {
        name: "a table in partitions",
        dialect: "postgres",
        schema: "CREATE TABLE parcel (ref text NOT NULL, day date NOT NULL) PARTITION BY RANGE (day);",
        effect: ONE,
        ways: &[Way {
            titles: &[
                "the key must hold its partition columns too",
                "let a conflict on (ref)",
            ],
            effect: "",
        }],
    },
    Case {
        name: "a predicate that the row does not meet",
        dialect: "sqlite",
        schema: "CREATE TABLE parcel (ref TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'draft'); CREATE UNIQUE INDEX one ON parcel (ref) WHERE state = 'sent';",
        effect: ONE,
        ways: &[Way {
            titles: &["set a field of parcel from the event that names the business fact"],
            effect: "",
        }],
    },
    Case {
        name: "a predicate that the row meets",
        dialect: "postgres",
        schema: "CREATE TABLE parcel (ref text NOT NULL, gone boolean NOT NULL DEFAULT false); CREATE UNIQUE INDEX one ON parcel (ref) WHERE NOT gone;",
        effect: ONE_DONE,
        ways: &[Way {
            titles: &["let a conflict on (ref) WHERE NOT gone of parcel do nothing"],
            effect: "sql: INSERT INTO parcel (ref) VALUES ($1) ON CONFLICT (ref) WHERE NOT gone DO NOTHING
        params: [{snapshot: record.ref, nulls: never}]",
        }],
    },
    Case {
        name: "a prefix",
        dialect: "mariadb",
        schema: "CREATE TABLE parcel (ref VARCHAR(200) NOT NULL, UNIQUE (ref(8)));",
        effect: ONE,
        ways: &[Way {
            titles: &["let a conflict on (ref) of parcel do nothing"],
            effect: ONE_DONE,
        }],
    },
    Case {
        name: "a key that can be deferred",
        dialect: "postgres",
        schema: "CREATE TABLE parcel (ref text NOT NULL, CONSTRAINT one UNIQUE (ref) DEFERRABLE);",
        effect: ONE,
        ways: &[Way {
            titles: &["take a violation of one for already done"],
            effect: "set: {ref: {snapshot: record.ref, nulls: never}}
        on_conflict: {caught: one}",
        }],
    },
    Case {
        name: "a key that is checked at the commit",
        dialect: "postgres",
        schema: "CREATE TABLE parcel (ref text NOT NULL, CONSTRAINT one UNIQUE (ref) DEFERRABLE INITIALLY DEFERRED);",
        effect: ONE,
        ways: &[Way {
            titles: &[
                "check one of parcel at once, not at the commit",
                "let a conflict on (ref) of parcel do nothing",
            ],
            effect: ONE_DONE,
        }],
    },
    Case {
        name: "an exclusion constraint",
        dialect: "postgres",
        schema: "CREATE TABLE parcel (ref text NOT NULL, CONSTRAINT one EXCLUDE USING btree (ref WITH =));",
        effect: ONE_DONE,
        ways: &[Way {
            titles: &["take a violation of one for already done"],
            effect: "set: {ref: {snapshot: record.ref, nulls: never}}
        on_conflict: {caught: one}",
        }],
    },
    Case {
        name: "a key column that refuses NULL and gets nothing",
        dialect: "postgres",
        schema: "CREATE TABLE parcel (ref text NOT NULL UNIQUE, note text);",
        effect: "set: {note: {snapshot: record.note}}
        on_conflict: do-nothing",
        ways: &[Way {
            titles: &["set parcel.ref from the event instead of NULL"],
            effect: "set: {ref: {snapshot: record.ref, nulls: never}, note: {snapshot: record.note}}
        on_conflict: do-nothing",
        }],
    },
    Case {
        name: "a target that means no key",
        dialect: "postgres",
        schema: "CREATE TABLE parcel (ref text NOT NULL UNIQUE, note text);",
        effect: "sql: INSERT INTO parcel (ref, note) VALUES ($1, $2) ON CONFLICT (note) DO NOTHING
        params: [{snapshot: record.ref, nulls: never}, {snapshot: record.note}]",
        ways: &[Way {
            titles: &["let a conflict on (ref) of parcel do nothing"],
            effect: "sql: INSERT INTO parcel (ref, note) VALUES ($1, $2) ON CONFLICT (ref) DO NOTHING
        params: [{snapshot: record.ref, nulls: never}, {snapshot: record.note}]",
        }],
    },
];

/// The effect in the report, and the repairs of what is wrong with it.
fn audit(case: &Case, effect: &str, more: &str) -> (String, Vec<Vec<Value>>) {
    let folder = tempfile::tempdir().expect("a folder");
    let kind = match effect.starts_with("sql:") {
        true => "",
        false => "kind: insert\n        table: parcel\n        ",
    };
    let flows = format!(
        "version: 1\nconsumers:\n  - id: handle\n    event: sent\n    object: facts\n    effects:\n      - id: keep\n        {kind}{effect}\n"
    );
    fs::write(folder.path().join("flows.yaml"), flows).expect("flows");
    let schema = format!("{}\n{more}\n", case.schema);
    fs::write(folder.path().join("schema.sql"), schema).expect("a schema");
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .args(["check", "--format", "json", "--as-of", "2026-01-01"])
        .args(["--dialect", case.dialect, "."])
        .args(["--flows", "flows.yaml", "--schema", "schema.sql"])
        .current_dir(folder.path())
        .output()
        .expect("the audit starts");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let disposition = report["effects"][0]["disposition"].as_str();
    let mut repairs: Vec<Vec<Value>> = Vec::new();
    for obligation in report["obligations"].as_array().into_iter().flatten() {
        let ways = obligation["finding"]["repairs"].as_array();
        repairs.extend(ways.into_iter().flatten().filter_map(|way| {
            let changes = way.as_array()?;
            Some(changes.clone())
        }));
    }
    (disposition.unwrap_or("none").to_owned(), repairs)
}

#[test]
fn every_way_out_of_a_refused_key_leads_out() {
    for case in CASES {
        let (disposition, repairs) = audit(case, case.effect, "");
        assert_eq!(disposition, "blocked", "{}", case.name);
        assert_eq!(
            repairs.len(),
            case.ways.len(),
            "{}: {repairs:#?}",
            case.name
        );
        for (repair, way) in repairs.iter().zip(case.ways) {
            let titles: Vec<&str> = repair
                .iter()
                .map(|change| change["title"].as_str().unwrap_or_default())
                .collect();
            assert_eq!(titles.len(), way.titles.len(), "{}: {titles:#?}", case.name);
            for (title, wanted) in titles.iter().zip(way.titles) {
                assert!(title.contains(wanted), "{}: {title}", case.name);
            }
            if way.effect.is_empty() {
                continue;
            }
            let statements = repair.iter().filter_map(|change| change["how"].as_str());
            let statements: Vec<&str> = statements
                .filter(|how| how.starts_with("ALTER") || how.starts_with("CREATE"))
                .collect();
            let (after, left) = audit(case, way.effect, &statements.join("\n"));
            assert_eq!(after, "safe", "{}: {titles:?}: {left:#?}", case.name);
        }
    }
}

/// A key over a part of a key that is there would refuse rows that the table lets in today.
#[test]
fn no_way_out_swallows_what_the_table_lets_in() {
    // Where no key of the table says otherwise, a new one is all that there is.
    let has_a_key =
        |case: &&Case| case.name != "only a drawn key" && case.schema.contains("UNIQUE");
    for case in CASES.iter().filter(has_a_key) {
        let (_, repairs) = audit(case, case.effect, "");
        let new = repairs.iter().flatten().find(|change| {
            let key = change["key"].as_str().unwrap_or_default();
            key.starts_with("unique:")
        });
        assert!(new.is_none(), "{}: {new:?}", case.name);
    }
}
