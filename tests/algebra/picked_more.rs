//! More cases by hand: sets in memory, effects outside, cycles.

use serde_json::{Value as Json, json};

use super::metadata::{creates, flow, named, sets};
use super::picked::*;

pub(crate) fn in_memory() -> Vec<Picked> {
    let push = |values: Json| {
        let config =
            json!({"target_object": "Task", "record_id": TO_TASK, "field_mappings": values});
        named("F", CHANGED, "record.ref != nil", "UpdateRecord", config)
    };
    let before = |name, words, values: Json, set: Json| {
        run(
            name,
            "",
            words,
            push(values),
            vec![sets("B", "Task beforeUpdate", "", set)],
        )
    };
    vec![
        before(
            "computed from what is set",
            &["safe set"],
            json!({"c": "{!record.b}"}),
            json!({"k": "=record.c == \"x\" ? \"p\" : \"q\""}),
        ),
        before(
            "computed from another field",
            &["safe set"],
            json!({"c": "{!record.b}"}),
            json!({"k": "=LOWER(record.k2)"}),
        ),
        before(
            "the clock in memory",
            &["safe set"],
            json!({"c": "{!record.b}"}),
            json!({"at": "=NOW()"}),
        ),
        before(
            "counts its saves",
            &["safe set"],
            json!({"c": "{!record.b}"}),
            json!({"n": "=(record.n ?? 0) + 1"}),
        ),
        before(
            "counts saves that always change",
            &["safe set"],
            json!({"d": "{!record.m}"}),
            json!({"n": "=(record.n ?? 0) + 1"}),
        ),
        before(
            "two fields from each other",
            &["safe set"],
            json!({"c": "{!record.b}"}),
            json!({"k": "=record.k2", "k2": "=record.k2 + \"!\""}),
        ),
    ]
}

pub(crate) fn outside() -> Vec<Picked> {
    let mail = json!({"to": "a@example.net", "subject": "{!record.name}", "body": "b"});
    let keyed = json!({
        "url": "https://example.net/x",
        "headers": {"Idempotency-Key": "{!record.id}"},
        "payload": "{!record.b}",
    });
    vec![
        one(
            "mail",
            "",
            &["blocked external"],
            vec![flow("F", BORN, "", "SendEmail", mail)],
        ),
        one(
            "a call with one key for all",
            "",
            &["blocked external"],
            vec![flow("F", BORN, "", "CallWebhook", keyed)],
        ),
        one(
            "a call before an insert",
            "; unique k2",
            &["safe create"],
            vec![
                creates("F", BORN, "Task", by_id(), &["k2"]),
                flow(
                    "B",
                    "Task beforeCreate",
                    "",
                    "CallWebhook",
                    json!({"url": "https://example.net/y"}),
                ),
            ],
        ),
    ]
}

pub(crate) fn in_circles() -> Vec<Picked> {
    let own = |name, word, values| one(name, "", word, vec![sets("F", CHANGED, "", values)]);
    vec![
        own("constants rest", &["safe set"], json!({"a": "x", "b": "y"})),
        own(
            "a clock never rests",
            &["blocked set"],
            json!({"at": "{!NOW()}"}),
        ),
        own(
            "an append never rests",
            &["blocked set"],
            json!({"b": "{!record.b + \"!\"}"}),
        ),
        own(
            "an increment never rests",
            &["blocked set"],
            json!({"m": "{!record.m + 1}"}),
        ),
        one(
            "constants that alternate",
            "",
            &["blocked set"],
            vec![
                sets("F", CHANGED, "record.b == \"x\"", json!({"b": "y"})),
                sets("G", CHANGED, "record.b == \"y\"", json!({"b": "x"})),
            ],
        ),
        one(
            "constants that lead on",
            "",
            &["safe set"],
            vec![
                sets("F", CHANGED, "record.b == \"x\"", json!({"b": "y"})),
                sets("G", CHANGED, "record.b == \"y\"", json!({"b": "Z"})),
            ],
        ),
        one(
            "rows beget rows",
            "",
            &["blocked create"],
            vec![creates(
                "F",
                "Task afterCreate",
                "Task",
                json!({"k2": "{!record.k2}"}),
                &[],
            )],
        ),
    ]
}
