//! The eligible query of the configuration: it is the one whose plan is asked for and judged.

mod backlog_support;
mod live_support;
mod servers;

use backlog_support::{Payload, Project, configure, lead, row};
use serde_json::Value;
use servers::{mariadb, postgres};

const GOOD: &str = "SELECT q.id FROM queue q WHERE q.state = 'new' AND NOT EXISTS (SELECT 1 FROM queue o WHERE \
    o.rkey = q.rkey AND o.made < q.made AND o.state NOT IN ('done', 'dropped')) ORDER BY q.made LIMIT 1";

fn projects() -> Vec<(&'static str, Project)> {
    vec![
        ("postgres", Project::on(postgres(), Payload::Json)),
        ("mariadb", Project::on(mariadb(), Payload::Json)),
        ("sqlite", Project::in_file(Payload::Text)),
    ]
}

fn plan(project: &Project, query: &str) -> Value {
    configure(
        project.folder.path(),
        &format!("  eligible_query: \"{query}\"\n"),
    );
    project.counts()["plan"].clone()
}

#[test]
fn the_declared_query_is_the_one_that_is_planned() {
    for (engine, project) in projects() {
        for n in 0..40 {
            let id = format!("e{n:02}");
            project.run(&row(&id, Some("done"), &lead("1"), Some(&id)));
        }
        let good = plan(&project, GOOD);
        assert_eq!(
            good["candidates"]["served_by"], "queue_state",
            "{engine}: {good}"
        );
        assert_eq!(good["older"]["served_by"], "queue_key", "{engine}: {good}");
        // It hides the status and the key from every index.
        let bad = GOOD
            .replace("q.state = 'new'", "upper(q.state) = 'NEW'")
            .replace("o.rkey = q.rkey", "lower(o.rkey) = lower(q.rkey)");
        let bad = plan(&project, &bad);
        for part in ["candidates", "older"] {
            assert_eq!(
                bad[part]["served_by"],
                Value::Null,
                "{engine} {part}: {bad}"
            );
        }
        let locked = plan(&project, &GOOD.replace("q.made LIMIT", "q.nowhere LIMIT"));
        assert!(locked["unknown"].is_string(), "{engine}: {locked}");
        assert!(!locked["unknown"].to_string().contains("upper"), "{engine}");
    }
    let locking = Project::on(postgres(), Payload::Json);
    let plan = plan(&locking, &format!("{GOOD} FOR UPDATE SKIP LOCKED"));
    assert_eq!(plan["older"]["served_by"], "queue_key", "{plan}");
    let printed = locking.says(&["queries"]).stdout;
    assert!(
        printed.contains("AS candidate WHERE") && printed.contains("SKIP LOCKED"),
        "{printed}"
    );
}

#[test]
fn what_is_no_such_query_is_an_error_of_the_configuration_with_its_place() {
    let project = Project::in_file(Payload::Text);
    for (query, quote, says) in [
        (
            "UPDATE queue SET state = 'new'",
            "UPDATE",
            "it is no SELECT",
        ),
        (
            "SELECT 1; SELECT 2",
            ";",
            "a second statement begins behind it",
        ),
        (
            "SELECT id FROM queue WHERE made < $1",
            "$1",
            "a parameter has no value in EXPLAIN",
        ),
        (
            "SELECT id FROM queue",
            "SELECT",
            "does not read queue twice",
        ),
    ] {
        configure(
            project.folder.path(),
            &format!("  eligible_query: \"{query}\"\n"),
        );
        let said = project.says(&["backlog"]);
        assert_eq!(said.status, Some(2), "{query}");
        assert!(said.stderr.contains(says), "{query}: {}", said.stderr);
        let text =
            std::fs::read_to_string(project.folder.path().join("outbox-audit.yaml")).expect("it");
        let (at, line) = text
            .lines()
            .enumerate()
            .find(|(_, line)| line.contains("eligible"))
            .expect("a line");
        let mut column = line.find(quote).expect("it is there") + 1;
        if quote == "SELECT" {
            // The whole string.
            column -= 1;
        }
        let place = format!("outbox-audit.yaml:{}:{column}", at + 1);
        assert!(said.stderr.contains(&place), "{place}: {}", said.stderr);
    }
}
