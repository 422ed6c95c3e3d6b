//! MySQL 8. Source: MySQL 8.4 Reference Manual, "INFORMATION_SCHEMA Tables".

use crate::model::schema::{EnforcerKind, TableKind, Volatility};

use super::{Recorded, key, server, table};

const STRICT: &[&[&str]] = &[&["sql_mode", "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES"]];

const SHOP: Recorded<'_> = Recorded {
    tables: &[
        &["orders", "BASE TABLE", "InnoDB", "", ""],
        &["archive", "BASE TABLE", "InnoDB", "partitioned", ""],
        &["report", "VIEW", "-", "-", ""],
        &["crashed", "BASE TABLE", "-", "-", ""],
    ],
    columns: &[
        &[
            "orders",
            "id",
            "bigint unsigned",
            "NO",
            "-",
            "auto_increment",
            "-",
            "",
        ],
        &[
            "orders",
            "email",
            "varchar(100)",
            "NO",
            "-",
            "",
            "utf8mb4_0900_ai_ci",
            "",
        ],
        &[
            "orders",
            "number",
            "varchar(20)",
            "NO",
            "",
            "",
            "utf8mb4_0900_bin",
            "",
        ],
        &[
            "orders",
            "code",
            "varchar(20)",
            "YES",
            "-",
            "",
            "utf8mb4_bin",
            "",
        ],
        &[
            "orders",
            "state",
            "varchar(20)",
            "NO",
            "draft",
            "",
            "utf8mb4_bin",
            "",
        ],
        &[
            "orders",
            "token",
            "char(36)",
            "NO",
            "uuid()",
            "DEFAULT_GENERATED",
            "utf8mb4_bin",
            "",
        ],
        &[
            "orders",
            "at",
            "datetime",
            "NO",
            "CURRENT_TIMESTAMP",
            "DEFAULT_GENERATED on update CURRENT_TIMESTAMP",
            "-",
            "",
        ],
        &[
            "orders",
            "live",
            "tinyint",
            "YES",
            "-",
            "VIRTUAL GENERATED",
            "-",
            "if((`state` = _utf8mb4\\'gone\\'),NULL,1)",
        ],
        &[
            "orders",
            "amount",
            "decimal(10,2)",
            "NO",
            "0.00",
            "",
            "-",
            "",
        ],
    ],
    checks: &[&["orders", "(`code` is not null)"]],
    statistics: &[
        &["orders", "PRIMARY", "0", "id", "-", "", "-"],
        &["orders", "by_code", "0", "code", "-", "YES", "-"],
        &["orders", "by_email", "0", "-", "-", "", "lower(`email`)"],
        &["orders", "by_at", "1", "at", "-", "", "-"],
        &["orders", "by_live", "0", "number", "10", "", "-"],
        &["orders", "by_live", "0", "live", "-", "YES", "-"],
    ],
};

#[test]
fn keys_with_their_parts() {
    let schema = SHOP.read(&server("8.4.3", "MySQL", STRICT));
    assert_eq!(
        key(&schema, "orders", "PRIMARY").kind,
        EnforcerKind::PrimaryKey
    );
    let by_email = &key(&schema, "orders", "by_email").parts[0];
    assert_eq!(by_email.expression.as_deref(), Some("lower(`email`)"));
    assert!(!by_email.nullable);
    let by_live = &key(&schema, "orders", "by_live").parts;
    assert_eq!(
        (by_live[0].prefix_length, by_live[1].nullable),
        (Some(10), true)
    );
    let by_code = &key(&schema, "orders", "by_code").parts[0];
    assert!(!by_code.nullable, "a CHECK keeps it from being NULL");
    assert_eq!(table(&schema, "orders").indexes.len(), 1);
}

#[test]
fn collations_say_what_they_fold() {
    let schema = SHOP.read(&server("8.4.3", "MySQL", STRICT));
    let by_code = &key(&schema, "orders", "by_code").parts[0];
    assert_eq!(
        by_code.folds.as_deref(),
        Some("is compared without the blanks at its end")
    );
    let by_live = &key(&schema, "orders", "by_live").parts[0];
    assert_eq!(by_live.folds, None, "collations of UCA 9.0.0 pad nothing");
}

#[test]
fn without_strict_mode_long_values_are_cut() {
    let schema = SHOP.read(&server("8.4.3", "MySQL", &[&["sql_mode", ""]]));
    let by_live = &key(&schema, "orders", "by_live").parts[0];
    assert!(
        by_live
            .folds
            .as_deref()
            .is_some_and(|why| why.contains("cut to its length"))
    );
}

#[test]
fn defaults_are_values_unless_said_otherwise() {
    let schema = SHOP.read(&server("8.4.3", "MySQL", STRICT));
    let orders = table(&schema, "orders");
    let of = |name: &str| {
        let default = orders.column(name)?.default.as_ref()?;
        Some((default.text.to_string(), default.volatility))
    };
    assert_eq!(of("id"), None);
    assert!(orders.columns[0].auto_number);
    assert_eq!(of("number"), Some(("''".into(), Volatility::Constant)));
    assert_eq!(of("state"), Some(("'draft'".into(), Volatility::Constant)));
    assert_eq!(of("token"), Some(("uuid()".into(), Volatility::Volatile)));
    assert_eq!(
        of("at"),
        Some(("CURRENT_TIMESTAMP".into(), Volatility::Volatile))
    );
    assert_eq!(of("amount"), Some(("0.00".into(), Volatility::Constant)));
    let at = orders.column("at").expect("the column");
    assert_eq!(at.on_update.as_deref(), Some("current_timestamp"));
    let live = orders.column("live").expect("the column");
    assert_eq!(
        live.generated.as_deref(),
        Some("if((`state` = _utf8mb4'gone'),NULL,1)")
    );
}

#[test]
fn kinds_of_tables_and_those_that_cannot_be_opened() {
    let schema = SHOP.read(&server("8.4.3", "MySQL", STRICT));
    assert_eq!(table(&schema, "archive").kind, TableKind::Partitioned);
    assert_eq!(table(&schema, "report").kind, TableKind::View);
    let unknown: Vec<_> = schema
        .unknown
        .iter()
        .map(|unknown| &unknown.table)
        .collect();
    assert_eq!(unknown, [&Some("shop.crashed".into())]);
}
