//! Printed queries, run by hand, and their output given back: what counts as an answer.

mod backlog_support;
mod live_support;
mod servers;

use backlog_support::{Payload, Project, lead, row, section, table};
use serde_json::Value;
use servers::{mariadb, postgres, postgres_newer};

/// The project without its connection: the schema as text, beside the configuration.
fn offline(project: &Project, postgres: bool, payload: Payload) {
    let text = table(postgres, payload);
    std::fs::write(project.folder.path().join("schema.sql"), text).expect("written");
}

fn run(project: &Project, dialect: &str, arguments: &[&str]) -> live_support::Said {
    let mut all = arguments.to_vec();
    all.extend(["--schema", "schema.sql", "--dialect", dialect]);
    live_support::run(project.folder.path(), &all, "")
}

/// The output of the printed statements, as a client without decoration prints it.
fn output(project: &Project, dialect: &str) -> String {
    let said = run(project, dialect, &["queries"]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    ["backlog-statuses", "backlog-keys", "backlog-waiting"]
        .map(|id| {
            let sql = section(&said.stdout, &format!("-- {id}\n")).expect(id);
            project.texts(sql.trim_end_matches(';')).remove(0)
        })
        .join("\n")
}

/// Outcome and sentence of a check, with these answers.
fn outcome(project: &Project, dialect: &str, check: &str, answers: &str) -> (String, String) {
    let file = project.folder.path().join("answers.txt");
    std::fs::write(file, answers).expect("written");
    let said = run(
        project,
        dialect,
        &["check", "--format", "json", "--answers", "answers.txt"],
    );
    let report: Value = serde_json::from_str(&said.stdout).expect("a report");
    assert_ne!(report["verdict"], "GO");
    let obligations = report["obligations"].as_array().expect("a list");
    let found = obligations.iter().find(|each| each["check"] == check);
    let found = found.unwrap_or_else(|| panic!("{check} is decided"));
    let sentence = ["finding", "reason"]
        .iter()
        .find_map(|part| found[part]["sentence"].as_str())
        .or(found["proof"].as_str())
        .unwrap_or_default();
    let word = found["outcome"].as_str().expect("a word");
    (word.to_owned(), sentence.to_owned())
}

#[test]
fn what_a_person_ran_is_evidence_like_what_the_audit_asked() {
    let projects = [
        (
            "postgres",
            true,
            Payload::Json,
            Project::on(postgres(), Payload::Json),
        ),
        (
            "postgres",
            true,
            Payload::Text,
            Project::on(postgres_newer(), Payload::Text),
        ),
        (
            "mariadb",
            false,
            Payload::Json,
            Project::on(mariadb(), Payload::Json),
        ),
        (
            "sqlite",
            false,
            Payload::Text,
            Project::in_file(Payload::Text),
        ),
    ];
    for (dialect, postgres, payload, project) in projects {
        offline(&project, postgres, payload);
        let ask = |check| outcome(&project, dialect, check, &output(&project, dialect));
        assert_eq!(ask("null-record-keys").0, "met", "{dialect}: no row");
        project.run(&row("e1", Some("new"), &lead("1"), None));
        project.run(&row("e2", Some("new"), &lead("2"), Some("Lead:3")));
        let (word, sentence) = ask("null-record-keys");
        assert_eq!(word, "not-met", "{dialect}");
        assert!(sentence.contains("1 of 2 rows"), "{sentence}");
        assert!(sentence.contains("one is e1"), "{sentence}");
        assert_eq!(ask("wrong-record-keys").0, "not-met", "{dialect}");
    }
}

#[test]
fn what_is_no_answer_to_this_question_is_none() {
    let project = Project::in_file(Payload::Text);
    offline(&project, false, Payload::Text);
    let good = output(&project, "sqlite");
    let with = |answers: &str| outcome(&project, "sqlite", "null-record-keys", answers);
    assert_eq!(with(&format!("answer\n  {good}  \n(3 rows)\n")).0, "met");
    let keys = good.lines().nth(1).expect("three lines");
    let at = keys.find("\"question\":\"").expect("a digest") + 12;
    let mut other = keys.to_owned();
    other.replace_range(at..at + 4, "0000");
    for (answers, words) in [
        (String::new(), "holds no answer"),
        (
            good.lines().next().unwrap_or("").to_owned(),
            "was not answered",
        ),
        (other, "another statement"),
        (keys.replace("\"replica\":0", "\"replica\":1"), "replica"),
        (
            keys.replace("\"open\":0", "\"open\":null"),
            "lacks a number",
        ),
        (
            format!("{keys}\n{}", keys.replace("\"missing\":0", "\"missing\":3")),
            "twice",
        ),
        (keys.replace('}', ""), "holds no answer"),
    ] {
        let (word, sentence) = with(&answers);
        assert_eq!(word, "unknown", "{answers}");
        let told = sentence.contains(words) || words == "holds no answer";
        assert!(told, "{words}: {sentence}");
    }
}

#[test]
fn a_file_that_is_not_there_is_told() {
    let project = Project::in_file(Payload::Text);
    offline(&project, false, Payload::Text);
    let said = run(
        &project,
        "sqlite",
        &["check", "--format", "json", "--answers", "nowhere.txt"],
    );
    assert_eq!(said.status, Some(3), "{}", said.stderr);
    assert!(said.stdout.contains("nowhere.txt"), "{}", said.stdout);
}
