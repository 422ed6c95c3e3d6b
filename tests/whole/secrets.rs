//! Nothing secret comes out: credentials and queries of URLs, values of headers that name a secret,
//! the URL of a database, in whatever format and wherever they stand in a file.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::audit::{Run, check_in, copy};
use crate::formats::all_formats;

const SECRETS: [&str; 3] = ["hunter2", "token=abc", "s3cr3t"];

fn told(run: &Run, what: &str) {
    for secret in SECRETS {
        for (name, text) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
            let line = text.lines().find(|line| line.contains(secret));
            assert!(
                line.is_none(),
                "{what}: {secret} on {name}: {}",
                line.unwrap_or_default()
            );
        }
    }
    // Wrapping may part a word, so blanks and line ends are looked past too.
    let all: String = run
        .stdout
        .chars()
        .filter(|one| !one.is_whitespace())
        .collect();
    for secret in SECRETS {
        assert!(
            !all.contains(secret),
            "{what}: {secret} is told over two lines"
        );
    }
}

fn in_each_format(folder: &Path, what: &str) {
    let run = check_in(folder, &["--verbose"]);
    assert!(
        matches!(run.status, Some(0 | 1 | 3)),
        "{what}: {:?} {}",
        run.status,
        run.stderr
    );
    told(&run, what);
    for (format, stdout) in all_formats(folder, &[]) {
        assert!(!stdout.is_empty());
        let written = Run {
            status: run.status,
            stdout,
            stderr: String::new(),
        };
        told(&written, &format!("{what} as {format}"));
    }
}

/// Puts secrets into every URL and a header into every call.
fn poison(node: &mut Value) -> usize {
    let mut count = 0;
    match node {
        Value::Object(fields) => {
            if fields.contains_key("url") && !fields.contains_key("headers") {
                fields.insert("headers".to_owned(), json!({}));
            }
            for (key, value) in fields.iter_mut() {
                if key == "headers"
                    && let Some(headers) = value.as_object_mut()
                {
                    headers.insert("Authorization".to_owned(), json!("Bearer s3cr3t"));
                    headers.insert("X-Api-Key".to_owned(), json!("{!\"s3cr3t\" + record.id}"));
                    count += 1;
                }
                count += poison(value);
            }
        }
        Value::Array(items) => count += items.iter_mut().map(poison).sum::<usize>(),
        Value::String(text) => {
            if let Some(rest) = text.strip_prefix("https://") {
                let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
                *text = format!("https://bob:hunter2@{host}/{path}?token=abc");
                count += 1;
            }
        }
        _ => {}
    }
    count
}

#[test]
fn secrets_of_calls_stay_in_the_file() {
    for name in ["nexuscrm", "nexuscrm-repaired"] {
        let folder = copy(name);
        let file = folder.path().join("metadata/flows.json");
        let mut flows: Value =
            serde_json::from_str(&fs::read_to_string(&file).expect("its text")).expect("JSON");
        let poisoned = poison(&mut flows);
        assert!(poisoned >= 8, "{poisoned}");
        for (layout, text) in [
            (
                "pretty",
                serde_json::to_string_pretty(&flows).expect("JSON"),
            ),
            ("compact", flows.to_string()),
        ] {
            fs::write(&file, text).expect("it is written");
            in_each_format(folder.path(), &format!("{name} {layout}"));
        }
    }
}

fn flow(name: &str, action: &str, config: &Value) -> Value {
    json!({"name": name, "status": "Active", "trigger_object": "Lead", "trigger_type": "afterCreate",
        "action_type": action, "action_config": config})
}

/// In values that are set, in formulas, in formulas that cannot be read, in conditions, in names.
#[test]
fn secrets_of_values_stay_in_the_file() {
    let url = "https://bob:hunter2@host/x?token=abc";
    let padded = format!("https://bob:hunter2@host/x?{}&token=abc", "p".repeat(120));
    let set = |fields: &Value| json!({"target_object": "Lead", "field_mappings": fields});
    let mut flows = vec![
        flow(
            "constant",
            "UpdateRecord",
            &set(&json!({"website": url, "api_token": "s3cr3t"})),
        ),
        flow(
            "moving",
            "UpdateRecord",
            &set(&json!({"a": format!("{{!\"{url}\" + NOW()}}")})),
        ),
        flow(
            "broken",
            "UpdateRecord",
            &set(&json!({"a": format!("{{!\"{url}\" + record.}}")})),
        ),
        flow(
            "failing",
            "UpdateRecord",
            &set(&json!({"a": format!("{{!\"{url}\" + nothing_known}}")})),
        ),
        flow(
            "created",
            "CreateRecord",
            &json!({"target_object": "Note", "field_mappings": {"link": url}}),
        ),
        flow(
            "formula",
            "CallWebhook",
            &json!({"url": format!("{{!\"{url}\" + record.id}}")}),
        ),
        flow(
            "header",
            "CallWebhook",
            &json!({"url": padded, "headers": {
            "Authorization": "{!\"Bearer s3cr3t\"}", "Idempotency-Key": "{!record.id}"}}),
        ),
        flow(
            &format!("named {url}"),
            "UpdateRecord",
            &set(&json!({"a": "{!NOW()}"})),
        ),
    ];
    flows[0]["trigger_condition"] = json!(format!("record.website != \"{url}\" && NOW() > 1"));
    let folder = tempfile::tempdir().expect("a folder");
    let flows = Value::Array(flows);
    for (layout, text) in [
        (
            "pretty",
            serde_json::to_string_pretty(&flows).expect("JSON"),
        ),
        ("compact", flows.to_string()),
    ] {
        fs::write(folder.path().join("flows.json"), text).expect("it is written");
        in_each_format(folder.path(), layout);
    }
}

#[test]
fn the_url_of_a_database_is_never_repeated() {
    let folder = copy("nexuscrm");
    let url = "mysql://u:hunter2@h/db?token=abc";
    for arguments in [
        &["--database", url][..],
        &["--database", url, "--format", "json"],
        &["--database", url, "--format", "markdown"],
        &[&*format!("--database={url}"), "--stage", "nonsense"],
        &["--database", url, "--database", url],
        &["--databse", url],
        &["--flows", url],
        &["--schema", url],
        &[url],
        &["--config", url],
    ] {
        let run = check_in(folder.path(), arguments);
        assert_ne!(run.status, Some(0), "{arguments:?}");
        assert!(!format!("{}{}", run.stdout, run.stderr).is_empty());
        told(&run, &format!("{arguments:?}"));
    }
}
