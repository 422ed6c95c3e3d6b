//! Keys that the audit proposes are asked of the database: rows that share one, told beside the
//! change, and an index that is proposed can be made.

mod backlog_support;
mod live_support;
mod servers;

use std::path::Path;

use backlog_support::{Connected, section};
use serde_json::Value;
use servers::{Database, mariadb, postgres, postgres_newer};
use tempfile::TempDir;

const FLOWS: &str = "version: 1\nconsumers:\n  - id: bill\n    event: order.placed\n    object: orders\n    \
     effects:\n      - id: invoice\n        kind: insert\n        table: invoices\n        set:\n          \
     id: {random: uuid()}\n          \
     order_ref: {snapshot: record.id, nulls: never}\n          total: {snapshot: record.total}\n";

const TABLE: &str = "CREATE TABLE invoices (id VARCHAR(9) NOT NULL PRIMARY KEY, order_ref VARCHAR(40), \
     total INTEGER)";

/// A project on one engine.
struct Shop {
    folder: TempDir,
    url: String,
    dialect: &'static str,
    _database: Option<Database>,
}

impl Shop {
    fn all() -> Vec<Shop> {
        let on = |dialect, database: Database| Shop {
            folder: project(),
            url: database.url().to_owned(),
            dialect,
            _database: Some(database),
        };
        let folder = project();
        let file = folder.path().join("shop.sqlite");
        std::fs::write(&file, b"").expect("a file");
        let all = vec![
            on("postgres", postgres().database()),
            on("postgres", postgres_newer().database()),
            on("mariadb", mariadb().database()),
            Shop {
                url: format!("sqlite:{}", file.to_str().expect("UTF-8")),
                folder,
                dialect: "sqlite",
                _database: None,
            },
        ];
        for shop in &all {
            shop.run(TABLE);
        }
        all
    }

    fn run(&self, sql: &str) {
        Connected::to(&self.url)
            .change(sql)
            .unwrap_or_else(|error| panic!("{error}: {sql}"));
    }

    fn insert(&self, rows: &[(&str, &str)]) {
        for (id, order) in rows {
            self.run(&format!(
                "INSERT INTO invoices (id, order_ref) VALUES ('{id}', {order})"
            ));
        }
    }

    /// The change that makes the key, with the arguments that give the database or answers.
    fn change(&self, arguments: &[&str]) -> Value {
        let mut all = vec!["check", "--format", "json"];
        all.extend(arguments);
        let said = live_support::run(self.folder.path(), &all, &self.url);
        let report: Value = serde_json::from_str(&said.stdout).expect("a report");
        let changes = report["changes_to_go"].as_array().expect("a list");
        changes
            .iter()
            .map(|change| change.get("change").unwrap_or(change))
            .find(|change| {
                change["title"]
                    .as_str()
                    .is_some_and(|title| title.contains("UNIQUE"))
            })
            .cloned()
            .unwrap_or_else(|| panic!("no key is proposed: {}", report["changes_to_go"]))
    }

    fn live(&self) -> Value {
        self.change(&["--database", "env:LIVE"])
    }
}

fn project() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("flows.yaml"), FLOWS).expect("written");
    folder
}

fn title(change: &Value) -> &str {
    change["title"].as_str().expect("a title")
}

#[test]
fn rows_that_share_a_proposed_key_are_told_and_the_statement_is_held_back() {
    for shop in Shop::all() {
        let name = shop.dialect;
        shop.insert(&[("r1", "'a'"), ("r2", "'b'")]);
        let change = shop.live();
        assert!(
            title(&change).contains("; no rows share it today"),
            "{name}: {change}"
        );
        let how = change["how"].as_str().expect("a statement").to_owned();
        shop.insert(&[
            ("r3", "'b'"),
            ("r4", "'b'"),
            ("r5", "'c'"),
            ("r6", "'c'"),
            ("r7", "NULL"),
        ]);
        let refused = Connected::to(&shop.url).change(&how);
        assert!(refused.is_err(), "{name}: the engine refuses it");
        let change = shop.live();
        for words in [
            "NOT YET: 5 rows share it in 2 groups today",
            "(first ids r2, r4)",
            "1 row hold",
        ] {
            assert!(title(&change).contains(words), "{name}: {words}: {change}");
        }
        assert_eq!(change["how"], Value::Null, "{name}");
        shop.run("DELETE FROM invoices WHERE id IN ('r3', 'r4', 'r6', 'r7')");
        let change = shop.live();
        assert_eq!(change["how"].as_str(), Some(how.as_str()), "{name}");
        shop.run(&how);
    }
}

#[test]
fn rows_share_a_key_by_the_collation_of_its_column() {
    for shop in Shop::all() {
        shop.insert(&[("r1", "'a'"), ("r2", "'A'")]);
        let shared = title(&shop.live()).contains("NOT YET");
        assert_eq!(shared, shop.dialect == "mariadb", "{}", shop.dialect);
    }
}

#[test]
fn answers_to_the_printed_question_are_told_as_well() {
    for shop in Shop::all() {
        let schema = shop.folder.path().join("schema.sql");
        std::fs::write(schema, format!("{TABLE};")).expect("written");
        let offline = ["--schema", "schema.sql", "--dialect", shop.dialect];
        let plain = shop.change(&offline);
        assert!(
            !title(&plain).contains("today"),
            "nothing was asked: {plain}"
        );
        let mut arguments = vec!["queries"];
        arguments.extend(offline);
        let said = live_support::run(shop.folder.path(), &arguments, "");
        assert_eq!(said.status, Some(0), "{}", said.stderr);
        let heading =
            "-- duplicates: UNIQUE on invoices (order_ref), refused while groups is not 0\n";
        let sql = section(&said.stdout, heading).expect("it is printed");
        shop.insert(&[("r1", "'a'"), ("r2", "'a'")]);
        let answer = Connected::to(&shop.url)
            .texts(sql.trim_end_matches(';'))
            .remove(0);
        let with = |text: &str| {
            std::fs::write(shop.folder.path().join("answers.txt"), text).expect("written");
            let mut arguments = offline.to_vec();
            arguments.extend(["--answers", "answers.txt"]);
            title(&shop.change(&arguments)).to_owned()
        };
        assert!(
            with(&answer).contains("NOT YET: 2 rows share it in 1 group"),
            "{answer}"
        );
        let at = answer.find("replica").expect("a member") + 7;
        let copy = format!("{}{}", &answer[..at], answer[at..].replacen('0', "1", 1));
        let copy = copy.replacen("false", "true", 1);
        assert!(with(&copy).contains("such as a replica"), "{copy}");
        let both = format!("{answer}\n{}", answer.replace("r1", "r0"));
        assert!(with(&both).contains("not alike"), "{both}");
        let groups = answer.replace("\"groups\"", "\"g\"");
        assert!(
            with(&groups).contains("is not one to its statement"),
            "{groups}"
        );
    }
}

#[test]
fn a_table_that_cannot_be_asked_is_open() {
    let database = postgres().database();
    let folder = project();
    database.run(TABLE).expect("made");
    let role = format!("asker_{}", std::process::id());
    database
        .run(&format!("CREATE ROLE {role} LOGIN"))
        .expect("made");
    let url = database.url().replace("postgres@", &format!("{role}@"));
    let title = title_of(folder.path(), &url);
    database.run(&format!("DROP ROLE {role}")).expect("dropped");
    assert!(title.contains("is not known"), "{title}");
    assert!(title.contains("lets this user not read"), "{title}");
}

fn title_of(folder: &Path, url: &str) -> String {
    let arguments = ["check", "--format", "json", "--database", "env:LIVE"];
    let said = live_support::run(folder, &arguments, url);
    let report: Value = serde_json::from_str(&said.stdout).expect("a report");
    report["changes_to_go"].to_string()
}
