//! What the audit says of keys where no server is at hand to show it: MySQL and TiDB by their
//! manuals, PostgreSQL with ICU. The text of each case is all that it knows.

use std::process::Command;

use serde_json::Value;

/// The effect that every case runs.
const MYSQL: &str = "INSERT INTO ticket (ref) VALUES (?) ON DUPLICATE KEY UPDATE ref = VALUES(ref)";
const POSTGRES: &str = "INSERT INTO ticket (ref) VALUES ($1) ON CONFLICT DO NOTHING";

/// What is said of it.
struct Said {
    report: Value,
}

impl Said {
    fn outcome(&self, check: &str) -> &str {
        let obligation = self.obligation(check);
        obligation["outcome"].as_str().unwrap_or("nothing")
    }

    fn obligation(&self, check: &str) -> &Value {
        let all = self.report["obligations"].as_array();
        let mut all = all.into_iter().flatten();
        all.find(|each| each["check"] == check)
            .unwrap_or(&Value::Null)
    }
}

fn audited(dialect: &str, schema: &str, null: &str) -> Said {
    let folder = tempfile::tempdir().expect("a folder");
    let sql = match dialect {
        "postgres" => POSTGRES,
        _ => MYSQL,
    };
    let flows = format!(
        "version: 1\nconsumers:\n  - id: handle\n    event: e\n    object: o\n    effects:\n      \
         - id: keep\n        sql: {sql}\n        params: [{{snapshot: record.ref{null}}}]\n"
    );
    std::fs::write(folder.path().join("schema.sql"), schema).expect("written");
    std::fs::write(folder.path().join("flows.yaml"), flows).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .args(["check", "--format", "json", "--as-of", "2026-01-01"])
        .args(["--dialect", dialect, "--flows", "flows.yaml"])
        .args(["--schema", "schema.sql", "."])
        .current_dir(folder.path())
        .output()
        .expect("it starts");
    let report = serde_json::from_slice(&output.stdout).expect("a report");
    Said { report }
}

/// Outcomes of `unguarded-create` and `coarse-key`, for a value that is never NULL.
#[track_caller]
fn check(dialect: &str, schema: &str, create: &str, coarse: &str) {
    judged(dialect, schema, ", null: never", create, coarse);
}

/// The same, for a value that may be NULL.
#[track_caller]
fn check_null(dialect: &str, schema: &str, create: &str, coarse: &str) {
    judged(dialect, schema, "", create, coarse);
}

#[track_caller]
fn judged(dialect: &str, schema: &str, null: &str, create: &str, coarse: &str) {
    let said = audited(dialect, schema, null);
    let found = [said.outcome("unguarded-create"), said.outcome("coarse-key")];
    assert_eq!(
        found,
        [create, coarse],
        "{dialect}: {schema}\n{}",
        said.obligation("unguarded-create")
    );
}

/// A table of that column and key, and what follows it.
fn table(columns: &str, rest: &str) -> String {
    format!("CREATE TABLE ticket ({columns}){rest};")
}

const FAMILY: [&str; 2] = ["mysql", "tidb"];

#[test]
fn functional_parts_of_a_key() {
    for dialect in FAMILY {
        let of = |column: &str, part: &str| {
            table(&format!("{column}, UNIQUE KEY one_ticket (({part}))"), "")
        };
        let text = "ref VARCHAR(40) COLLATE utf8mb4_bin NOT NULL";
        check(dialect, &of(text, "lower(ref)"), "met", "not-met");
        check(dialect, &of(text, "sha2(ref, 256)"), "met", "met");
        let nullable = "ref VARCHAR(40) COLLATE utf8mb4_bin";
        check_null(
            dialect,
            &of(nullable, "coalesce(ref, '')"),
            "met",
            "not-met",
        );
        check_null(
            dialect,
            &of(nullable, "lower(ref)"),
            "not-met",
            "not-applicable",
        );
    }
}

#[test]
fn prefixes_compare_the_head_only() {
    for dialect in FAMILY {
        let of = |column: &str, length: u32| {
            table(
                &format!("ref {column} NOT NULL, UNIQUE KEY one_ticket (ref({length}))"),
                "",
            )
        };
        check(
            dialect,
            &of("TEXT COLLATE utf8mb4_bin", 50),
            "met",
            "not-met",
        );
        check(dialect, &of("VARBINARY(64)", 50), "met", "not-met");
        check(dialect, &of("VARBINARY(64)", 64), "met", "met");
    }
}

#[test]
fn an_invisible_index_is_one() {
    for dialect in FAMILY {
        let of = table(
            "ref VARBINARY(40) NOT NULL, UNIQUE KEY one_ticket (ref) INVISIBLE",
            "",
        );
        check(dialect, &of, "met", "met");
    }
}

#[test]
fn a_key_shrinks_with_its_columns() {
    for dialect in FAMILY {
        let mut of = table(
            "b INT, ref VARBINARY(40) NOT NULL, UNIQUE KEY one_ticket (ref, b)",
            "",
        );
        check(dialect, &of, "not-met", "not-applicable");
        of.push_str("ALTER TABLE ticket DROP COLUMN b;");
        check(dialect, &of, "met", "met");
    }
}

#[test]
fn a_check_that_tidb_does_not_ask() {
    let of = table(
        "ref VARBINARY(40) CHECK (ref IS NOT NULL), UNIQUE KEY one_ticket (ref)",
        "",
    );
    check_null("mysql", &of, "met", "met");
    check_null("tidb", &of, "not-met", "not-applicable");
    check("tidb", &of, "met", "met");
}

#[test]
fn a_unique_key_holds_the_columns_of_the_partitions() {
    let column = "id INT NOT NULL DEFAULT 0, day DATE NOT NULL DEFAULT '2026-01-01', ref VARBINARY(40) NOT NULL";
    for dialect in ["mysql", "mariadb", "tidb"] {
        for (key, by, create) in [
            ("(ref)", "HASH (id) PARTITIONS 4", "unknown"),
            ("(ref)", "LINEAR KEY (id) PARTITIONS 4", "unknown"),
            (
                "(ref)",
                "RANGE (year(day)) (PARTITION p VALUES LESS THAN MAXVALUE)",
                "unknown",
            ),
            ("(ref)", "KEY (ref) PARTITIONS 4", "met"),
            ("(ref, id)", "HASH (id) PARTITIONS 4", "met"),
            (
                "(ref, `DAY`)",
                "RANGE COLUMNS (day) (PARTITION p VALUES LESS THAN ('2030-01-01'))",
                "met",
            ),
        ] {
            let keyed = format!("{column}, UNIQUE KEY one_ticket {key}");
            let coarse = "met";
            let at_once = table(&keyed, &format!(" PARTITION BY {by}"));
            check(dialect, &at_once, create, coarse);
            let later = format!(
                "{} ALTER TABLE ticket PARTITION BY {by};",
                table(&keyed, "")
            );
            check(dialect, &later, create, coarse);
            let back = format!("{later} ALTER TABLE ticket REMOVE PARTITIONING;");
            if create == "met" {
                check(dialect, &back, create, coarse);
            }
        }
        let range = "RANGE (id) SUBPARTITION BY HASH (to_days(day)) (PARTITION p VALUES LESS THAN MAXVALUE)";
        let of = table(
            &format!("{column}, UNIQUE KEY one_ticket (ref, id)"),
            &format!(" PARTITION BY {range}"),
        );
        check(dialect, &of, "unknown", "met");
    }
}

#[test]
fn a_global_index_of_tidb_holds_across_partitions() {
    let column = "id INT NOT NULL DEFAULT 0, ref VARBINARY(40) NOT NULL";
    let by = " PARTITION BY HASH (id) PARTITIONS 4";
    for global in ["GLOBAL", "/*T![global_index] GLOBAL */"] {
        let of = table(
            &format!("{column}, UNIQUE KEY one_ticket (ref) {global}"),
            by,
        );
        check("tidb", &of, "met", "met");
        let later = format!(
            "{} ALTER TABLE ticket ADD UNIQUE INDEX one_ticket (ref) {global};",
            table(column, by)
        );
        check("tidb", &later, "met", "met");
        let index = format!(
            "{} CREATE UNIQUE INDEX one_ticket ON ticket (ref) {global};",
            table(column, by)
        );
        check("tidb", &index, "met", "met");
    }
    // To the others it is a comment.
    let of = table(
        &format!("{column}, UNIQUE KEY one_ticket (ref) /*T![global_index] GLOBAL */"),
        by,
    );
    check("mysql", &of, "unknown", "met");
}

#[test]
fn a_partition_column_that_differs_each_time() {
    for dialect in FAMILY {
        let of = table(
            "day DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6), ref VARBINARY(40) NOT NULL, UNIQUE KEY one_ticket (ref, day)",
            " PARTITION BY RANGE COLUMNS (day) (PARTITION p VALUES LESS THAN (MAXVALUE))",
        );
        check(dialect, &of, "not-met", "not-applicable");
    }
}

#[test]
fn a_timestamp_may_have_a_default_that_nobody_wrote() {
    for dialect in FAMILY {
        let of = table(
            "at TIMESTAMP(6) NOT NULL, ref VARBINARY(40) NOT NULL, UNIQUE KEY one_ticket (ref, at)",
            "",
        );
        check(dialect, &of, "unknown", "not-applicable");
    }
}

#[test]
fn collations_that_fold_by_their_options() {
    let of = |options: &str, rest: &str| format!("CREATE COLLATION loose ({options}); {rest}");
    let loose = "provider = icu, locale = 'und-u-ks-level2', deterministic = false";
    let strict = "provider = icu, locale = 'und'";
    let column = table(
        "ref text COLLATE loose NOT NULL, CONSTRAINT one_ticket UNIQUE (ref)",
        "",
    );
    check("postgres", &of(loose, &column), "met", "not-met");
    check("postgres", &of(strict, &column), "met", "met");
    let index = "CREATE TABLE ticket (ref text NOT NULL); CREATE UNIQUE INDEX one_ticket ON ticket (ref COLLATE loose);";
    check("postgres", &of(loose, index), "met", "not-met");
    let domain = "CREATE DOMAIN code AS text COLLATE loose NOT NULL; CREATE TABLE ticket (ref code, CONSTRAINT one_ticket UNIQUE (ref));";
    check("postgres", &of(loose, domain), "met", "not-met");
    let copied = "CREATE COLLATION other FROM loose; CREATE TABLE ticket (ref text COLLATE other NOT NULL, CONSTRAINT one_ticket UNIQUE (ref));";
    check("postgres", &of(loose, copied), "met", "not-met");
}

#[test]
fn a_check_that_is_switched_off_or_dropped() {
    let column = "id INT AUTO_INCREMENT PRIMARY KEY, ref VARBINARY(40)";
    let named = format!(
        "{column}, CONSTRAINT has_ref CHECK (ref IS NOT NULL), UNIQUE KEY one_ticket (ref)"
    );
    let unnamed = format!("{column}, CHECK (ref IS NOT NULL), UNIQUE KEY one_ticket (ref)");
    for (definition, change, create) in [
        (&named, "", "met"),
        (&named, "ALTER CHECK has_ref NOT ENFORCED", "not-met"),
        (&named, "ALTER CONSTRAINT has_ref NOT ENFORCED", "not-met"),
        (&named, "ALTER CHECK other NOT ENFORCED", "met"),
        (&named, "DROP CHECK has_ref", "not-met"),
        (&named, "DROP CONSTRAINT has_ref", "not-met"),
        (&named, "DROP FOREIGN KEY has_ref", "met"),
        (&unnamed, "DROP CHECK ticket_chk_1", "not-met"),
        (&unnamed, "DROP CONSTRAINT ticket_chk_1", "not-met"),
    ] {
        let mut schema = table(definition, "");
        if !change.is_empty() {
            schema.push_str(&format!("ALTER TABLE ticket {change};"));
        }
        let coarse = if create == "met" {
            "met"
        } else {
            "not-applicable"
        };
        check_null("mysql", &schema, create, coarse);
    }
}

#[test]
fn a_table_that_is_emptied_or_keeps_what_is_rolled_back() {
    let plain = "CREATE TABLE ticket (ref text NOT NULL UNIQUE);";
    let lapses = |dialect: &str, schema: &str| {
        let said = audited(dialect, schema, ", null: never");
        said.outcome("guard-lapses").to_owned()
    };
    assert_eq!(lapses("postgres", plain), "met");
    let emptied = format!("{plain} ALTER TABLE ticket SET UNLOGGED;");
    assert_eq!(lapses("postgres", &emptied), "not-met");
    let kept = format!("{emptied} ALTER TABLE ticket SET LOGGED;");
    assert_eq!(lapses("postgres", &kept), "met");
    let column = "ref VARBINARY(40) NOT NULL, UNIQUE KEY one_ticket (ref)";
    for dialect in ["mysql", "mariadb"] {
        for engine in ["MyISAM", "Aria", "MEMORY"] {
            let at_once = table(column, &format!(" ENGINE={engine}"));
            check(dialect, &at_once, "unknown", "met");
            let later = format!("{} ALTER TABLE ticket ENGINE {engine};", table(column, ""));
            check(dialect, &later, "unknown", "met");
            let back =
                format!("{at_once} ALTER TABLE ticket ROW_FORMAT = DYNAMIC ENGINE = InnoDB;");
            check(dialect, &back, "met", "met");
        }
        check(dialect, &table(column, " ENGINE=RocksDB"), "met", "met");
    }
}
