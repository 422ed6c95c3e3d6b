use super::metadata::*;
use super::picked::*;
use serde_json::json;
pub(crate) fn suspects() -> Vec<Picked> {
    let make = |key: &[&str]| create_step("Task", by_id(), key);
    let push = |values: serde_json::Value| {
        let config =
            json!({"target_object": "Task", "record_id": TO_TASK, "field_mappings": values});
        named("F", CHANGED, "record.ref != nil", "UpdateRecord", config)
    };
    let before =
        |name, values, sets_: Vec<serde_json::Value>| run(name, "", &[], push(values), sets_);
    vec![
        run(
            "1 step rewrites key",
            "; unique k2",
            &[],
            composite(
                "F",
                BORN,
                "",
                &[
                    make(&["k2"]),
                    set_step("Task", "{!results.s1.id}", json!({"k2": "{!record.b}"})),
                ],
            ),
            vec![],
        ),
        one(
            "2 after-flow rewrites key",
            "; unique k2",
            &[],
            vec![
                creates("F", BORN, "Task", by_id(), &["k2"]),
                sets(
                    "G",
                    "Task afterCreate",
                    "",
                    json!({"k2": "{!UPPER(record.k2)}"}),
                ),
            ],
        ),
        before(
            "3 prior copy decimals",
            json!({"d": "{!record.m}", "c": "{!record.b}"}),
            vec![sets("B", "Task beforeUpdate", "", json!({"k": "=prior.c"}))],
        ),
        before(
            "4 prior increment",
            json!({"c": "{!record.b}"}),
            vec![sets(
                "B",
                "Task beforeUpdate",
                "",
                json!({"n": "=(prior.n ?? 0) + 1"}),
            )],
        ),
        before(
            "5 two before-flows",
            json!({"c": "{!record.b}"}),
            vec![
                sets("B", "Task beforeUpdate", "", json!({"k": "=record.k2"})),
                sets(
                    "C",
                    "Task beforeUpdate",
                    "",
                    json!({"k2": "=record.k + \"!\""}),
                ),
            ],
        ),
        one(
            "6 cycle with before-flow",
            "",
            &[],
            vec![
                sets("F", CHANGED, "", json!({"a": "x"})),
                sets(
                    "B",
                    "Lead beforeUpdate",
                    "",
                    json!({"a": "=UPPER(record.a)"}),
                ),
            ],
        ),
        one(
            "7 fill empty cycle",
            "",
            &[],
            vec![sets(
                "F",
                CHANGED,
                "",
                json!({"a": "{!(record.a ?? BCRYPT(record.b))}"}),
            )],
        ),
        before(
            "8 conditional before",
            json!({"c": "{!record.b}"}),
            vec![sets(
                "B",
                "Task beforeUpdate",
                "record.c == \"x\"",
                json!({"k": "p"}),
            )],
        ),
        before(
            "8b conditional before on other",
            json!({"c": "{!record.b}"}),
            vec![sets(
                "B",
                "Task beforeUpdate",
                "record.k2 == \"x\"",
                json!({"k": "p"}),
            )],
        ),
        before(
            "8c conditional before, own",
            json!({"d": "{!record.m}"}),
            vec![sets(
                "B",
                "Task beforeUpdate",
                "record.k == \"x\"",
                json!({"k": "y"}),
            )],
        ),
        before(
            "9 create in before-flow",
            json!({"c": "{!record.b}"}),
            vec![creates(
                "B",
                "Task beforeUpdate",
                "Task",
                json!({"k2": "{!record.c}"}),
                &["k2"],
            )],
        ),
        before(
            "10 partial failing",
            json!({"c": "{!record.b}"}),
            vec![sets(
                "B",
                "Task beforeUpdate",
                "",
                json!({"k": "v", "n": "=record.n + 1", "status":"=record.k2"}),
            )],
        ),
        before(
            "10b partial failing",
            json!({"d": "{!record.m}"}),
            vec![sets(
                "B",
                "Task beforeUpdate",
                "",
                json!({"k": "=record.k2", "no": "=LEN(record.c) > 3 ? \"a\" : \"b\""}),
            )],
        ),
        one(
            "12 predicate rewritten",
            "; unique k2 where status = open",
            &[],
            vec![
                creates(
                    "F",
                    BORN,
                    "Task",
                    json!({"k2": "{!record.id}", "c": "{!record.b}"}),
                    &["k2"],
                ),
                sets(
                    "B",
                    "Task beforeCreate",
                    "record.c == \"x\"",
                    json!({"status": "closed"}),
                ),
            ],
        ),
        one(
            "12b predicate rewritten",
            "; unique k2 where status = open",
            &[],
            vec![
                creates(
                    "F",
                    BORN,
                    "Task",
                    json!({"k2": "{!record.id}", "c": "{!record.b}"}),
                    &["k2"],
                ),
                sets("B", "Task beforeCreate", "", json!({"status": "closed"})),
            ],
        ),
        run(
            "18 before update rewrites key",
            "; unique k2",
            &[],
            composite(
                "F",
                BORN,
                "",
                &[
                    make(&["k2"]),
                    set_step("Task", "{!results.s1.id}", json!({"n": "{!record.m}"})),
                ],
            ),
            vec![sets(
                "B",
                "Task beforeUpdate",
                "",
                json!({"k2": "=UPPER(record.k2)"}),
            )],
        ),
        one(
            "18b before update rewrites key, user",
            "; unique k2",
            &[],
            vec![
                creates("F", BORN, "Task", by_id(), &["k2"]),
                sets(
                    "B",
                    "Task beforeUpdate",
                    "",
                    json!({"k2": "=UPPER(record.k2)"}),
                ),
            ],
        ),
        one(
            "19 prior in after-update",
            "",
            &[],
            vec![sets("F", CHANGED, "", json!({"a": "{!prior.b}"}))],
        ),
        run(
            "20 predicate column rewritten by a step",
            "; unique k2 where status = open",
            &[],
            composite(
                "F",
                BORN,
                "",
                &[
                    make(&["k2"]),
                    set_step("Task", "{!results.s1.id}", json!({"status": "closed"})),
                ],
            ),
            vec![],
        ),
        before(
            "21 before condition on clock",
            json!({"c": "{!record.b}"}),
            vec![sets(
                "B",
                "Task beforeUpdate",
                "NOW() < date(\"2026-01-05\")",
                json!({"k": "p"}),
            )],
        ),
        one(
            "22 key from result",
            "; unique k2",
            &[],
            vec![creates(
                "F",
                "Task afterCreate",
                "Task",
                json!({"k2":"{!record.id}"}),
                &["k2"],
            )],
        ),
    ]
}
pub(crate) fn more() -> Vec<Picked> {
    vec![
        one(
            "23 not an if-empty",
            "",
            &[],
            vec![sets(
                "F",
                CHANGED,
                "",
                json!({"b": "{!record.m > 0 ? (record.b + \"!\") : record.b}"}),
            )],
        ),
        one(
            "24 another field's if-empty",
            "",
            &[],
            vec![sets(
                "F",
                CHANGED,
                "",
                json!({"a": "{!(record.n ?? 0) > 0 ? \"x\" : ((record.at ?? record.a) + \"!\")}"}),
            )],
        ),
        one(
            "24b",
            "",
            &[],
            vec![sets(
                "F",
                CHANGED,
                "",
                json!({"b": "{!(record.a ?? (record.b + \"!\"))}"}),
            )],
        ),
        one(
            "25 chain with unconditional",
            "",
            &[],
            vec![
                sets("F", CHANGED, "record.b == \"x\"", json!({"b": "y"})),
                sets("G", CHANGED, "record.b == \"y\"", json!({"b": "Z"})),
                sets("H", CHANGED, "", json!({"d": 3})),
            ],
        ),
        one(
            "26 chain with two that feed",
            "",
            &[],
            vec![
                sets("F", CHANGED, "record.b == \"x\"", json!({"b": "y"})),
                sets("G", CHANGED, "record.b == \"y\"", json!({"b": "Z"})),
                sets("H", CHANGED, "", json!({"a": "{!record.name}"})),
                sets(
                    "I",
                    CHANGED,
                    "",
                    json!({"name": "{!(record.a ?? \"\") + \"!\"}"}),
                ),
            ],
        ),
    ]
}
