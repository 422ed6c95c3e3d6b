//! The backlog, counted on the servers of the tests and in SQLite: every kind of row, and what goes
//! wrong.

mod backlog_support;
mod live_support;
mod servers;

use backlog_support::{Payload, Project, configure, lead, row, section};
use serde_json::{Value, json};
use servers::{mariadb, postgres, postgres_newer};

/// One project for each engine and type of payload in which bad JSON can be told from good.
fn projects() -> Vec<(&'static str, Payload, Project)> {
    use Payload::{Bytes, Json, Text};
    vec![
        ("postgres 15 jsonb", Json, Project::on(postgres(), Json)),
        (
            "postgres 18 jsonb",
            Json,
            Project::on(postgres_newer(), Json),
        ),
        (
            "postgres 18 text",
            Text,
            Project::on(postgres_newer(), Text),
        ),
        ("mariadb json", Json, Project::on(mariadb(), Json)),
        ("mariadb text", Text, Project::on(mariadb(), Text)),
        ("mariadb blob", Bytes, Project::on(mariadb(), Bytes)),
        ("sqlite text", Text, Project::in_file(Text)),
        ("sqlite blob", Bytes, Project::in_file(Bytes)),
    ]
}

fn every_kind(payload: Payload) -> String {
    let quoted = |id: &str| lead(&format!("\"{id}\""));
    let mut rows = vec![
        row("e01", Some("new"), &quoted("a"), Some("Lead:a")),
        row("e02", Some("new"), &quoted("a"), Some("Lead:a")),
        row("e03", Some("new"), &quoted("b"), None),
        row("e04", Some("taken"), &quoted("O'Brien é"), None),
        row("e05", Some("new"), &lead("17"), None),
        row("e06", Some("new"), &quoted("c"), Some("lead:c")),
        row("e07", Some("new"), &quoted("d"), Some("Lead:d ")),
        row("e08", Some("new"), &lead("null"), None),
        row("e09", Some("new"), &lead("{}"), None),
        row("e10", Some("new"), &quoted(""), None),
        row("e11", Some("new"), "{}", Some("Lead:x")),
        row("e12", Some("done"), &quoted("e"), None),
        row("e13", Some("dropped"), &quoted("e"), None),
        row("e14", Some("parked"), &quoted("f"), None),
        row("e15", None, &quoted("f"), None),
        row("e16", Some("new"), &lead("true"), None),
    ];
    if payload != Payload::Json {
        rows.push(row("e17", Some("new"), "{\"object_api", None));
        rows.push(row("e18", Some("done"), "{\"object_api", None));
        rows.push(row("e19", Some("new"), "", None));
    }
    rows.push("UPDATE queue SET tries = 4 WHERE id = 'e05';".to_owned());
    rows.concat()
}

#[test]
fn every_kind_of_row_is_counted_by_every_engine() {
    // These fail a whole statement for one payload that is no JSON: they are asked row by row.
    let by_row = [
        ("postgres 15 text", Payload::Text),
        ("postgres 15 bytea", Payload::Bytes),
    ]
    .map(|(name, payload)| (name, payload, Project::on(postgres(), payload)));
    for (name, payload, project) in projects().into_iter().chain(by_row) {
        project.run(&every_kind(payload));
        let counts = project.counts();
        let bad = if payload == Payload::Json { 0 } else { 2 };
        let keys = json!({
            "open": 14 + bad,
            "missing": {"rows": 5, "example": "e03"},
            "wrong": {"rows": 3, "example": "e06"},
            "keyless": {"rows": 4, "example": "e08"},
            "unparsed": {"rows": bad, "example": if bad > 0 { json!("e17") } else { Value::Null }},
            "longest": "Lead:O'Brien é".chars().count(),
        });
        assert_eq!(counts["keys"], keys, "{name}");
        let waiting = json!({
            "rows": 1, "keys": 1, "most": 2, "behind_unclaimable": 0, "behind_stale": null,
        });
        assert_eq!(counts["waiting"], waiting, "{name}");
        let statuses = counts["statuses"]["statuses"].as_array().expect("a list");
        let told: Vec<(Option<&str>, u64)> = statuses
            .iter()
            .map(|row| {
                (
                    row["status"].as_str(),
                    row["rows"].as_u64().expect("a number"),
                )
            })
            .collect();
        let wanted = [
            (Some("new"), 11 + bad),
            (None, 1),
            (Some("parked"), 1),
            (Some("taken"), 1),
        ];
        assert_eq!(told, wanted, "{name}");
        let known: Vec<&Value> = statuses.iter().map(|row| &row["known"]).collect();
        assert_eq!(known, [true, false, false, true], "{name}");
        assert_eq!(statuses[0]["most_retries"], 4, "{name}");
        let oldest = statuses[0]["oldest"].as_str().expect("a stamp");
        assert!(oldest.contains("000006"), "{name}: {oldest}");
    }
}

#[test]
fn what_is_printed_is_what_is_run() {
    for (name, payload, project) in projects() {
        project.run(&every_kind(payload));
        let counts = project.counts();
        let said = project.says(&["queries"]);
        assert_eq!(said.status, Some(0), "{}", said.stderr);
        for (id, member) in [("backlog-keys", "open"), ("backlog-waiting", "rows")] {
            let sql = section(&said.stdout, &format!("-- {id}\n")).expect(id);
            let answers = project.texts(sql.trim_end_matches(';'));
            let answer: Value = serde_json::from_str(&answers[0]).expect("JSON");
            assert_eq!(answer["query"], id, "{name}");
            let kept = match id {
                "backlog-keys" => &counts["keys"][member],
                _ => &counts["waiting"][member],
            };
            assert_eq!(&answer[member], kept, "{name}: {id}");
        }
    }
}

#[test]
fn an_empty_outbox_waits_for_nothing() {
    for (name, _, project) in projects() {
        let counts = project.counts();
        assert_eq!(counts["keys"]["open"], 0, "{name}");
        assert_eq!(counts["keys"]["longest"], Value::Null, "{name}");
        assert_eq!(counts["waiting"]["most"], 0, "{name}");
        assert_eq!(counts["statuses"]["statuses"], json!([]), "{name}");
    }
}

#[test]
fn where_a_block_may_not_run_bad_json_leaves_the_keys_open() {
    for payload in [Payload::Text, Payload::Bytes] {
        let project = Project::on(postgres(), payload);
        let role = format!("blockless_{}_{payload:?}", std::process::id()).to_lowercase();
        project.run(&format!(
            "CREATE ROLE {role} LOGIN; GRANT SELECT ON queue TO {role};\
             REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC"
        ));
        let url = project.url().replace("postgres@", &format!("{role}@"));
        let counts = || -> Value {
            let arguments = ["backlog", "--format", "json", "--database", "env:LIVE"];
            let said = live_support::run(project.folder.path(), &arguments, &url);
            serde_json::from_str(&said.stdout).expect("a document")
        };
        project.run(&row("e1", Some("new"), &lead("1"), None));
        assert_eq!(counts()["keys"]["missing"]["rows"], 1, "{payload:?}");
        project.run(&row("e2", Some("new"), "{", None));
        let open = counts();
        project.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
        let unknown = open["keys"]["unknown"].as_str().expect("a reason");
        assert!(unknown.contains("is no JSON"), "{unknown}");
        assert!(!unknown.contains('{'), "no payload in it: {unknown}");
        // What needs no payload is still counted.
        assert_eq!(open["statuses"]["statuses"][0]["rows"], 2, "{payload:?}");
    }
}

#[test]
fn a_template_that_fits_no_payload_leaves_every_row_without_a_key() {
    for (name, payload, project) in projects() {
        project.run(&row("e1", Some("new"), &lead("1"), None));
        let config = project.folder.path().join("outbox-audit.yaml");
        let text = std::fs::read_to_string(&config).expect("the configuration");
        std::fs::write(&config, text.replace("record.id", "record.uuid")).expect("written");
        let counts = project.counts();
        assert_eq!(counts["keys"]["keyless"]["rows"], 1, "{name} {payload:?}");
        // The names that there are, and no value.
        let names = json!(["object_api_name", "record", "record.id"]);
        assert_eq!(counts["paths"], names, "{name} {payload:?}");
        assert_eq!(counts["keys"]["missing"]["rows"], 0, "{name}");
    }
}

#[test]
fn a_view_is_counted_and_not_filled() {
    for server in [postgres(), mariadb()] {
        let project = Project::on(server, Payload::Json);
        project.run(&row("e1", Some("new"), &lead("1"), None));
        project.run("ALTER TABLE queue RENAME TO rows_of_queue");
        project.run("CREATE VIEW queue AS SELECT * FROM rows_of_queue");
        assert_eq!(project.counts()["keys"]["missing"]["rows"], 1);
        let said = project.says(&["backfill"]);
        assert_eq!(said.status, Some(2));
        assert!(said.stderr.contains("is a view"), "{}", said.stderr);
    }
}

#[test]
fn no_outbox_and_no_column_are_told_with_what_to_do() {
    let project = Project::on(postgres(), Payload::Json);
    project.run("ALTER TABLE queue DROP COLUMN rkey");
    project.run(
        &row("e1", Some("new"), &lead("1"), None)
            .replace(", rkey)", ")")
            .replace(", NULL)", ")"),
    );
    let counts = project.counts();
    assert_eq!(counts["keys"]["missing"]["rows"], 1);
    let waiting = counts["waiting"]["unknown"].as_str().expect("a reason");
    assert!(waiting.contains("`record_key`"), "{waiting}");
    let said = project.says(&["backfill"]);
    assert_eq!(said.status, Some(2));
    assert!(said.stderr.contains("`record_key`"), "{}", said.stderr);
    project.run("ALTER TABLE queue RENAME TO other");
    for command in ["backlog", "backfill", "queries"] {
        let said = project.says(&[command]);
        assert_eq!(said.status, Some(2), "{command}");
        assert!(said.stderr.contains("queue"), "{}", said.stderr);
        assert!(said.stderr.contains("outbox.table"), "{}", said.stderr);
        assert_eq!(said.stdout, "");
    }
}

#[test]
fn states_that_nobody_named_are_not_guessed() {
    let project = Project::on(mariadb(), Payload::Json);
    configure(project.folder.path(), "");
    let config = project.folder.path().join("outbox-audit.yaml");
    let text = std::fs::read_to_string(&config).expect("the configuration");
    let kept: Vec<&str> = text
        .lines()
        .filter(|line| !line.contains("states:"))
        .collect();
    std::fs::write(&config, kept.join("\n")).expect("written");
    let counts = project.counts();
    for part in ["keys", "statuses", "waiting"] {
        let unknown = counts[part]["unknown"].as_str().expect("a reason");
        assert!(unknown.contains("final"), "{unknown}");
    }
}

#[test]
fn without_the_right_to_read_it_nothing_is_claimed() {
    let project = Project::on(postgres(), Payload::Json);
    project.run(&row("e1", Some("new"), &lead("1"), None));
    let role = format!("reader_{}", std::process::id());
    project.run(&format!("CREATE ROLE {role} LOGIN"));
    let url = project.url().replace("postgres@", &format!("{role}@"));
    let arguments = ["backlog", "--format", "json", "--database", "env:LIVE"];
    let said = live_support::run(project.folder.path(), &arguments, &url);
    project.run(&format!("DROP ROLE {role}"));
    let counts: Value = serde_json::from_str(&said.stdout).expect("a document");
    for part in ["keys", "statuses", "waiting"] {
        let unknown = counts[part]["unknown"].as_str().expect("a reason");
        assert!(unknown.contains("not read what is asked for"), "{unknown}");
    }
}

#[test]
fn a_sample_gives_lower_bounds_and_never_a_fact() {
    for (name, payload, project) in projects() {
        project.run(&every_kind(payload));
        let sampled = |rows: &str| -> Value {
            let said = project.says(&["backlog", "--format", "json", "--sample", rows]);
            assert_eq!(said.status, Some(0), "{}", said.stderr);
            serde_json::from_str(&said.stdout).expect("a document")
        };
        let counts = sampled("4");
        for part in ["keys", "statuses", "waiting", "claims"] {
            let unknown = counts[part]["unknown"].as_str().expect("a reason");
            assert!(
                unknown.contains("a sample of 4 rows only: at least"),
                "{name}: {unknown}"
            );
        }
        let keys = counts["keys"]["unknown"].as_str().expect("a reason");
        assert!(
            keys.contains("missing 2") && keys.contains("open 4"),
            "{name}: {keys}"
        );
        // More than the table has: it is the whole.
        assert_eq!(sampled("1000")["keys"], project.counts()["keys"], "{name}");
    }
}

#[test]
fn what_is_read_as_a_whole_is_said_beforehand() {
    let project = Project::on(postgres(), Payload::Json);
    project.run(
        "INSERT INTO queue (id, kind, body, state, made) SELECT 'e' || n, 'k', '{}', 'done', now() \
         FROM generate_series(1, 120000) n; ANALYZE queue;",
    );
    let said = project.says(&["backlog"]);
    assert_eq!(said.stderr, "", "an index finds them");
    project.run("DROP INDEX queue_state");
    let said = project.says(&["backlog"]);
    for words in [
        "note: no index finds the rows of queue",
        "about 120000 rows",
        "after 10 s",
    ] {
        assert!(said.stderr.contains(words), "{words}: {}", said.stderr);
    }
    let said = project.says(&["backlog", "--sample", "100"]);
    assert!(said.stderr.contains("reads 100 of"), "{}", said.stderr);
}

#[test]
fn an_operator_sees_in_the_server_who_asks() {
    let project = Project::on(postgres(), Payload::Json);
    let mariadb = Project::on(mariadb(), Payload::Json);
    for project in [&project, &mariadb] {
        project.run(&row("e1", Some("new"), &lead("1"), None));
        project.run("ALTER TABLE queue RENAME TO rows_of_queue");
    }
    project.run(
        "CREATE VIEW queue AS SELECT id, kind, body, current_setting('application_name') AS state, \
         tries, made, beat, rkey FROM rows_of_queue",
    );
    let status = project.counts()["statuses"]["statuses"][0]["status"].clone();
    assert_eq!(status, "outbox-audit");
    // MySQL has no such setting: the statement says it.
    mariadb.run(
        "CREATE VIEW queue AS SELECT id, kind, body, (SELECT left(INFO, 20) FROM \
         information_schema.PROCESSLIST WHERE ID = CONNECTION_ID()) AS state, tries, made, beat, rkey \
         FROM rows_of_queue",
    );
    let status = mariadb.counts()["statuses"]["statuses"][0]["status"].clone();
    assert_eq!(status, "/* outbox-audit */ S");
}

#[test]
fn the_server_is_asked_what_it_is() {
    for (server, engine, isolation) in [
        (postgres(), "postgres", "serializable"),
        (mariadb(), "mariadb", "repeatable read"),
    ] {
        let project = Project::on(server, Payload::Json);
        if engine == "postgres" {
            let name = project.texts("SELECT current_database()::text").remove(0);
            project.run(&format!(
                "ALTER DATABASE \"{name}\" SET default_transaction_isolation = 'serializable'; \
                 ALTER DATABASE \"{name}\" SET timezone = 'Asia/Tokyo'"
            ));
        }
        let told = project.counts()["server"].clone();
        assert_eq!(told["engine"], engine);
        assert_eq!(told["role"], "primary");
        assert_eq!(told["isolation"], isolation, "{told}");
        let version = told["version"].as_str().expect("a version");
        let number = |sql: &str| project.texts(sql).remove(0);
        let asked = match engine {
            "postgres" => number("SHOW server_version"),
            _ => number("SELECT VERSION()"),
        };
        assert!(
            asked.starts_with(version) && version.contains('.'),
            "{version}: {asked}"
        );
        let zone = told["time_zone"].as_str().expect("a zone");
        match engine {
            "postgres" => assert_eq!(zone, "Asia/Tokyo"),
            _ => assert!(zone.ends_with("of its system"), "{zone}"),
        }
        let said = project.says(&["backlog"]).stdout;
        let head = said.lines().skip(1).take_while(|line| !line.is_empty());
        let head = head.map(str::trim).collect::<Vec<_>>().join(" ");
        assert!(
            head.contains("primary; isolation level") && head.contains(zone),
            "{head}"
        );
        let report = project.says(&["check", "--format", "json"]).stdout;
        assert!(
            report.contains(&format!("({engine} {version}, primary, {isolation}")),
            "{head}"
        );
    }
    assert_eq!(
        Project::in_file(Payload::Text).counts()["server"],
        Value::Null
    );
}
