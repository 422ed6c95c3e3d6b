//! Payloads read one by one: the same counts as those that the database makes, and no payload.

mod backlog_support;
mod live_support;
mod servers;

use backlog_support::{Payload, Project, TEMPLATE, configure_cutoffs, lead, row};
use serde_json::Value;
use servers::{mariadb, postgres, postgres_newer};

fn projects() -> Vec<(&'static str, Payload, Project)> {
    use Payload::{Bytes, Json, Text};
    vec![
        ("postgres 15 jsonb", Json, Project::on(postgres(), Json)),
        ("postgres 15 text", Text, Project::on(postgres(), Text)),
        ("postgres 15 bytea", Bytes, Project::on(postgres(), Bytes)),
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

fn streamed(project: &Project) -> Value {
    let said = project.says(&["backlog", "--format", "json", "--stream-payloads"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    serde_json::from_str(&said.stdout).expect("a document")
}

/// Every kind of row, a few of each, in more than one batch.
fn rows(payload: Payload, many: u32) -> String {
    let quoted = |id: &str| lead(&format!("\"{id}\""));
    let mut rows = vec![
        row("E''\\1", Some("new"), &quoted("a"), Some("Lead:a")),
        row("é", Some("new"), &quoted("b"), None),
        row("f1", Some("taken"), &quoted("O'Brien é"), None),
        row("f2", Some("new"), &lead("17"), None),
        row("f3", Some("new"), &quoted("c"), Some("lead:c")),
        row("f4", Some("new"), &quoted("d"), Some("Lead:d ")),
        row("f5", Some("new"), &lead("null"), None),
        row("f6", Some("new"), &lead("{}"), None),
        row("f7", Some("new"), &quoted(""), None),
        row("f8", Some("new"), "{}", Some("Lead:x")),
        row("g1", Some("done"), &quoted("e"), None),
        row("g2", Some("done"), &quoted("e"), Some("Lead:f")),
        row("g3", None, &quoted("f"), None),
        row("g4", Some("new"), &lead("true"), None),
    ]
    .concat();
    if payload != Payload::Json {
        rows += &row("h1", Some("new"), "{\"object_api", None);
        rows += &row("h2", Some("done"), "{\"object_api", None);
        rows += &row("h3", Some("new"), "", None);
    }
    for n in 0..many {
        let key = (n % 3 != 0).then(|| format!("Lead:{n}"));
        rows += &row(
            &format!("m{n}"),
            Some("new"),
            &lead(&format!("\"{n}\"")),
            key.as_deref(),
        );
    }
    rows
}

#[test]
fn payloads_read_one_by_one_give_the_counts_of_the_database() {
    for (name, payload, project) in projects() {
        configure_cutoffs(project.folder.path());
        let file = project.folder.path().join("outbox-audit.yaml");
        let text = std::fs::read_to_string(&file).expect("the configuration");
        std::fs::write(file, text.replace("2026-01-03", "2026-01-01")).expect("written");
        let script = rows(payload, 2100);
        // MariaDB reads a backslash in a text otherwise.
        let script = if name.starts_with("mariadb") {
            script.replace("E''\\1", "E''\\\\1")
        } else {
            script
        };
        project.run(&format!("BEGIN; {script} COMMIT;"));
        let (counted, read) = (project.counts(), streamed(&project));
        assert_eq!(
            counted["keys"]["missing"]["rows"],
            3 + 1 + 700,
            "{name}: {counted}"
        );
        for part in ["keys", "writers", "paths"] {
            let rows = |document: &Value| -> Value {
                let mut part = document[part].clone();
                // Which row of a kind is named is nobody's business.
                if let Some(members) = part.as_object_mut() {
                    members.retain(|name, _| name != "example");
                    members.values_mut().for_each(|kind| {
                        kind.as_object_mut().map(|kind| kind.remove("example"));
                    });
                }
                part
            };
            if part == "paths" && payload != Payload::Json && name.starts_with("postgres 15") {
                // It cannot be asked there; payloads that are read tell it.
                assert!(counted[part]["unknown"].is_string(), "{name}");
                assert_eq!(read[part][0], "object_api_name", "{name}");
                continue;
            }
            assert_eq!(rows(&counted), rows(&read), "{name}: {part}");
        }
        assert!(
            read["writers"]["rows"].as_u64() > Some(700),
            "{name}: {read}"
        );
        for part in ["waiting", "plan"] {
            assert_eq!(counted[part], read[part], "{name}: {part}");
        }
    }
}

#[test]
fn one_row_of_bad_json_does_not_hide_the_others_where_blocks_are_forbidden() {
    let project = Project::on(postgres(), Payload::Text);
    let role = format!("stream_{}", std::process::id());
    project.run(&format!(
        "CREATE ROLE {role} LOGIN; GRANT SELECT ON queue TO {role};\
         REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC"
    ));
    project.run(&row("e1", Some("new"), &lead("1"), None));
    project.run(&row("e2", Some("new"), "{", None));
    let url = project.url().replace("postgres@", &format!("{role}@"));
    let says = |more: &[&str]| {
        let mut arguments = vec!["backlog", "--format", "json", "--database", "env:LIVE"];
        arguments.extend(more);
        let said = live_support::run(project.folder.path(), &arguments, &url);
        serde_json::from_str::<Value>(&said.stdout).expect("a document")
    };
    let (counted, read) = (says(&[]), says(&["--stream-payloads"]));
    project.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
    assert!(counted["keys"]["unknown"].is_string(), "{counted}");
    assert_eq!(read["keys"]["missing"]["rows"], 1);
    assert_eq!(read["keys"]["unparsed"]["rows"], 1);
}

#[test]
fn what_engines_read_differently_and_ids_that_repeat_are_left_open() {
    for (name, payload, project) in projects() {
        project.run(&row("e1", Some("new"), &lead("\"top-secret\""), None));
        project.run(&row("e2", Some("new"), &lead("12345678901234567"), None));
        let read = streamed(&project);
        let unknown = read["keys"]["unknown"].as_str().expect("a reason");
        assert!(
            unknown.contains("(one is e2)"),
            "{name} {payload:?}: {unknown}"
        );
        assert!(!read.to_string().contains("top-secret"), "{name}");
    }
    let project = Project::in_file(Payload::Text);
    project.run("DROP TABLE queue");
    project.run(&backlog_support::table(false, Payload::Text).replace(" PRIMARY KEY", ""));
    project.run(&format!(
        "BEGIN; {} COMMIT;",
        row("e1", Some("new"), &lead("1"), None).repeat(2100)
    ));
    let read = streamed(&project);
    let unknown = read["keys"]["unknown"].as_str().expect("a reason");
    assert!(unknown.contains("of 2100 rows 2000 came"), "{unknown}");
}

#[test]
fn ids_of_every_type_are_read_in_order() {
    let kinds = [
        (
            postgres(),
            "bigint",
            "SELECT n, 'k', '{}'::jsonb, 'new', now() FROM generate_series(-50, 4100) n",
        ),
        (
            postgres(),
            "bytea",
            "SELECT decode(lpad(to_hex(n), 6, '0'), 'hex'), 'k', '{}'::jsonb, 'new', now() FROM generate_series(50, 4200) n",
        ),
        (
            postgres(),
            "uuid",
            "SELECT gen_random_uuid(), 'k', '{}'::jsonb, 'new', now() FROM generate_series(50, 4200) n",
        ),
        (
            mariadb(),
            "BIGINT",
            "SELECT seq, 'k', '{}', 'new', now() FROM seq_50_to_4200",
        ),
        (
            mariadb(),
            "BINARY(16)",
            "SELECT UNHEX(MD5(seq)), 'k', '{}', 'new', now() FROM seq_50_to_4200",
        ),
        (
            mariadb(),
            "UUID",
            "SELECT UUID(), 'k', '{}', 'new', now() FROM seq_50_to_4200",
        ),
        (
            mariadb(),
            "VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_bin",
            "SELECT seq, 'k', '{}', 'new', now() FROM seq_50_to_4200",
        ),
    ];
    for (server, kind, select) in kinds {
        let project = Project::on(server, Payload::Json);
        project.run("DROP TABLE queue");
        let table = backlog_support::table(server.url().starts_with("postgres"), Payload::Json);
        project.run(&table.replace("VARCHAR(36) PRIMARY KEY", &format!("{kind} PRIMARY KEY")));
        project.run(&format!(
            "INSERT INTO queue (id, kind, body, state, made) {select}"
        ));
        let read = streamed(&project);
        assert_eq!(read["keys"]["open"], 4151, "{kind}: {read}");
        assert_eq!(read["keys"]["keyless"]["rows"], 4151, "{kind}");
    }
}

#[test]
fn an_audit_reads_them_too_and_says_so() {
    let project = Project::in_file(Payload::Text);
    project.run(&row("e1", Some("new"), &lead("1"), None));
    let said = project.says(&["check", "--format", "json", "--stream-payloads"]);
    let report: Value = serde_json::from_str(&said.stdout).expect("a report");
    let text = report.to_string();
    assert!(text.contains("null-record-keys"), "{TEMPLATE}");
    assert!(
        text.contains("from payloads that were read one by one"),
        "{text}"
    );
    let both = project.says(&["backlog", "--sample", "5", "--stream-payloads"]);
    assert_eq!(both.status, Some(2), "{}", both.stderr);
}
