//! Laws of the schema readers: no text makes them panic, reformatting changes nothing, and what a
//! row implies of a predicate is what SQLite evaluates.

mod schema_support;

use outbox_audit::model::schema::{Dialect, Schema, SqlLiteral};
use outbox_audit::model::text::TextFile;
use outbox_audit::sql::implied::{Implied, RowValue, implied};
use outbox_audit::sql::lexer::{Lexer, TokenKind};
use outbox_audit::sql::predicate::parse;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use schema_support::{block_on, memory, read, shape};
use sqlx::{AssertSqlSafe, Executor, Row};

const DIALECTS: [Dialect; 5] = [
    Dialect::Postgres,
    Dialect::Mysql,
    Dialect::Mariadb,
    Dialect::Tidb,
    Dialect::Sqlite,
];

/// Pieces of SQL that make trouble when they stand side by side.
fn piece() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "CREATE",
        "TABLE",
        "UNIQUE",
        "INDEX",
        "ALTER",
        "DROP",
        "PRIMARY KEY",
        "CONSTRAINT",
        "a",
        "b",
        "(",
        ")",
        ",",
        ";",
        "'",
        "\"",
        "`",
        "[",
        "]",
        "--",
        "/*",
        "*/",
        "/*!50100",
        "$$",
        "$x$",
        "\\",
        "DELIMITER //\n",
        "//",
        "COPY a FROM stdin;\n",
        "\n\\.\n",
        "BEGIN",
        "END",
        "TRIGGER",
        "WHERE",
        "IS NOT NULL",
        "LIKE",
        "PARTITION OF",
        "REFERENCES",
        "CHECK",
        "DEFAULT",
        "AS",
        "GENERATED ALWAYS AS",
        "ON",
        "ONLY",
        "USING",
        "EXCLUDE",
        "WITH",
        "=",
        "::",
        "E'",
        "x'",
        "#",
        "RENAME",
        "TO",
        "COLUMN",
        "ADD",
        "INT",
        "\u{e9}",
        "\u{0}",
        "1",
        ".",
        "DO",
        "PRAGMA",
        "SET",
        "search_path",
        "INSERT INTO",
        "VALUES",
        "CASE",
        "IF NOT EXISTS",
        "WITHOUT ROWID",
        "STRICT",
    ]);
    prop_oneof![8 => words.prop_map(str::to_owned), 1 => ".{0,4}"]
}

fn soup() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..60).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_bytes_make_the_lexer_panic_or_lose_its_way(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes);
        for dialect in DIALECTS {
            let mut lexer = Lexer::new(&text, dialect);
            let mut last = 0;
            loop {
                let token = lexer.advance();
                prop_assert!(token.start >= last && token.end >= token.start);
                prop_assert!(text.get(token.start as usize..token.end as usize).is_some());
                if token.kind == TokenKind::End {
                    break;
                }
                prop_assert!(token.end > last);
                last = token.end;
            }
        }
    }

    #[test]
    fn no_statement_makes_the_reader_panic(text in soup()) {
        for dialect in DIALECTS {
            // What shows another engine's signs is refused, with a reason.
            let file = std::sync::Arc::new(TextFile::new("schema.sql", text.clone()));
            let _ = outbox_audit::input::schema::read_text(&[file], Some(dialect));
            parse(&text, dialect, &|name| name == "a");
            outbox_audit::sql::volatility::of_default(&text, Some(dialect));
        }
        outbox_audit::input::schema::dialect::guess(&text);
    }

    #[test]
    fn reformatting_changes_nothing(choices in prop::collection::vec(0u8..6, 200)) {
        let script = "CREATE TABLE a ( k TEXT NOT NULL , l INTEGER , m TEXT DEFAULT 'X y' , \
            CONSTRAINT c UNIQUE ( k , l ) ) ; CREATE UNIQUE INDEX u ON a ( m ) WHERE l IS NULL ; \
            ALTER TABLE a ADD COLUMN n TEXT ; CREATE UNIQUE INDEX v ON a ( lower ( n ) ) ;";
        let plain = facts(&read(script, Dialect::Sqlite));
        for dialect in DIALECTS {
            if dialect == Dialect::Mysql || dialect == Dialect::Mariadb || dialect == Dialect::Tidb {
                continue;
            }
            let expected = facts(&read(script, dialect));
            let changed = reformatted(script, &choices);
            prop_assert_eq!(facts(&read(&changed, dialect)), expected, "{}", changed);
        }
        prop_assert!(!plain.is_empty());
    }
}

/// Blanks, comments full of guard words, and the case of keywords.
fn reformatted(script: &str, choices: &[u8]) -> String {
    let mut changed = String::new();
    let mut in_string = false;
    for (at, word) in script.split(' ').enumerate() {
        let choice = choices.get(at % choices.len()).copied().unwrap_or(0);
        if !in_string {
            changed.push_str(match choice {
                0 => " ",
                1 => "\n\n\t",
                2 => " /* UNIQUE (x); PRIMARY KEY */ ",
                3 => " -- ; DROP TABLE a; '\n",
                4 => "\r\n",
                _ => "  ",
            });
        } else {
            changed.push(' ');
        }
        in_string ^= word.matches('\'').count() % 2 == 1;
        let keyword = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
        if keyword && choice % 2 == 1 {
            changed.push_str(&word.to_ascii_lowercase());
        } else {
            changed.push_str(word);
        }
    }
    changed
}

fn facts(schema: &Schema) -> String {
    assert!(schema.unknown.is_empty(), "{:?}", schema.unknown);
    let tables: Vec<_> = schema
        .tables
        .iter()
        .map(|table| {
            let trees: Vec<_> = table
                .enforcers
                .iter()
                .map(|enforcer| enforcer.predicate.as_ref().map(|predicate| &predicate.tree))
                .collect();
            let defaults: Vec<_> = table.columns.iter().map(|column| &column.default).collect();
            format!("{} {:?} {trees:?} {defaults:?}", table.name, shape(table))
        })
        .collect();
    tables.join("\n")
}

/// Literals that the columns and predicates draw from, as SQL.
fn literal() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "NULL",
        "TRUE",
        "FALSE",
        "0",
        "1",
        "2",
        "-1",
        "10",
        "1.5",
        "5.0",
        "5",
        "05",
        "1e1",
        "'a'",
        "'A'",
        "'a '",
        "'b'",
        "'1'",
        "'01'",
        "''",
        "'active'",
        "9007199254740993",
        "9007199254740992.0",
    ])
}

fn predicate() -> impl Strategy<Value = String> {
    let column = || prop::sample::select(vec!["c_text", "c_int", "c_none", "c_real", "c_nocase"]);
    let operator = prop::sample::select(vec![
        "=", "<>", "<", "<=", ">", ">=", "==", "!=", "IS", "IS NOT",
    ]);
    let list = prop::collection::vec(literal(), 0..4).prop_map(|list| list.join(", "));
    let test = prop::sample::select(vec![
        "IS NULL",
        "IS NOT NULL",
        "ISNULL",
        "NOTNULL",
        "NOT NULL",
        "IS TRUE",
        "IS FALSE",
        "IS NOT TRUE",
        "IS NOT FALSE",
        "",
    ]);
    let leaf = prop_oneof![
        (column(), operator.clone(), literal())
            .prop_map(|(column, operator, literal)| format!("{column} {operator} {literal}")),
        (
            literal(),
            prop::sample::select(vec!["=", "<", ">="]),
            column()
        )
            .prop_map(|(literal, operator, column)| format!("{literal} {operator} {column}")),
        (column(), prop::sample::select(vec!["IN", "NOT IN"]), list)
            .prop_map(|(column, word, list)| format!("{column} {word} ({list})")),
        (column(), literal(), literal())
            .prop_map(|(column, low, high)| format!("{column} BETWEEN {low} AND {high}")),
        (column(), test).prop_map(|(column, test)| format!("{column} {test}")),
        (column(), literal()).prop_map(|(column, literal)| format!("{column} || 'x' = {literal}")),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("{one} AND {other}")),
            (inner.clone(), inner.clone()).prop_map(|(one, other)| format!("{one} OR {other}")),
            inner.clone().prop_map(|one| format!("NOT {one}")),
            inner.prop_map(|one| format!("({one})")),
        ]
    })
}

/// A literal as the audit holds it, from its SQL.
fn value(sql: &str) -> SqlLiteral {
    match sql {
        "NULL" => SqlLiteral::Null,
        "TRUE" => SqlLiteral::Bool(true),
        "FALSE" => SqlLiteral::Bool(false),
        text if text.starts_with('\'') => SqlLiteral::String(text.trim_matches('\'').into()),
        number => SqlLiteral::Number(number.into()),
    }
}

/// What the row is said to hold: its value, that it is not NULL, or nothing.
fn known(sql: &str, how: u8) -> RowValue {
    match (how, sql) {
        (0, _) => RowValue::Unknown,
        (1, "NULL") => RowValue::Null,
        (1, _) => RowValue::NotNull,
        _ => RowValue::Literal(value(sql)),
    }
}

const COLUMNS: [(&str, &str); 5] = [
    ("c_text", "TEXT"),
    ("c_int", "INTEGER"),
    ("c_none", ""),
    ("c_real", "REAL"),
    ("c_nocase", "TEXT COLLATE NOCASE"),
];

#[test]
fn what_a_row_implies_is_what_sqlite_evaluates() {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(3000));
    let mut answers = [0u32; 3];
    block_on(async {
        let mut connection = memory().await;
        let rows = prop::collection::vec((literal(), 0u8..6), COLUMNS.len());
        let cases = (predicate(), rows);
        let columns: Vec<String> = COLUMNS
            .iter()
            .map(|(name, kind)| format!("{name} {kind}"))
            .collect();
        let create = format!("CREATE TABLE t({})", columns.join(", "));
        connection
            .execute(AssertSqlSafe(create))
            .await
            .expect("table");
        for _ in 0..3000 {
            let (predicate, row) = cases.new_tree(&mut runner).expect("case").current();
            let tree = parse(&predicate, Dialect::Sqlite, &|_| true);
            let answer = implied(&tree, &|name| {
                COLUMNS
                    .iter()
                    .position(|(column, _)| *column == name)
                    .and_then(|at| row.get(at))
                    .map_or(RowValue::Unknown, |(sql, how)| known(sql, *how))
            });
            let values: Vec<&str> = row.iter().map(|(sql, _)| *sql).collect();
            let script = format!(
                "DELETE FROM t; INSERT INTO t VALUES ({})",
                values.join(", ")
            );
            connection
                .execute(AssertSqlSafe(script))
                .await
                .expect("row");
            let query = format!("SELECT count(*) FROM t WHERE {predicate}");
            let holds: i64 = connection
                .fetch_one(AssertSqlSafe(query))
                .await
                .unwrap_or_else(|error| panic!("{predicate}: {error}"))
                .get(0);
            match answer {
                Implied::Yes => {
                    answers[0] += 1;
                    assert_eq!(holds, 1, "{predicate} with {row:?} is said to hold");
                }
                Implied::No(_) => {
                    answers[1] += 1;
                    assert_eq!(holds, 0, "{predicate} with {row:?} is said not to hold");
                }
                Implied::Unknown(_) => answers[2] += 1,
            }
        }
    });
    assert!(
        answers.iter().all(|count| *count > 300),
        "{answers:?}: each answer has to occur"
    );
}
