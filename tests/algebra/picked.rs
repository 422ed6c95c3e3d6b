//! Cases by hand: one for each kind of judgement, with what the audit is expected to say of the
//! first flow's effects.

use serde_json::{Value as Json, json};

use super::case::Case;
use super::metadata::{
    bundle, composite, create_step, creates, flow, named, number, set_step, sets,
};
use super::picked_more::{in_circles, in_memory, outside};

pub(crate) const LEAD: &str =
    "Lead: name text!, a text, b text!, n int, m int!, d decimal, at time, ref text";
pub(crate) const TASK: &str = "Task: k text, k2 text!, c text, n int, d decimal, at time, lead text, no text, status text! = open";

/// The case, and the word that `examine::word` has for the effects of its first flow.
pub(crate) type Picked = (Case, &'static [&'static str]);

pub(crate) fn one(
    name: &str,
    task: &str,
    words: &'static [&'static str],
    flows: Vec<Json>,
) -> Picked {
    let parts = flows.into_iter().map(|flow| (flow, None)).collect();
    (
        Case::new(name, &[LEAD, &format!("{TASK}{task}")], bundle(parts)),
        words,
    )
}

pub(crate) fn run(
    name: &str,
    task: &str,
    words: &'static [&'static str],
    (flow, action): (Json, Json),
    more: Vec<Json>,
) -> Picked {
    let mut parts = vec![(flow, Some(action))];
    parts.extend(more.into_iter().map(|flow| (flow, None)));
    (
        Case::new(name, &[LEAD, &format!("{TASK}{task}")], bundle(parts)),
        words,
    )
}

fn numbered((mut case, words): Picked) -> Picked {
    case.metadata["autonumbers"] = json!([number("Task", "no")]);
    (case, words)
}

pub(crate) const BORN: &str = "Lead afterCreate";

pub(crate) const CHANGED: &str = "Lead afterUpdate";

pub(crate) const TO_TASK: &str = "{!record.ref}";

pub(crate) fn by_id() -> Json {
    json!({"k2": "{!record.id}", "c": "{!record.a}"})
}

/// All of them.
pub(crate) fn picked() -> Vec<Picked> {
    [
        sets_of_fields(),
        rows(),
        steps(),
        in_memory(),
        outside(),
        in_circles(),
    ]
    .concat()
}

fn sets_of_fields() -> Vec<Picked> {
    let set = |name, word, values| one(name, "", word, vec![sets("F", BORN, "", values)]);
    let when = |name, word, condition| {
        let flow = sets("F", BORN, condition, json!({"a": "x"}));
        one(name, "", word, vec![flow])
    };
    vec![
        set(
            "copy and constant",
            &["safe set"],
            json!({"a": "{!record.b}", "n": 3}),
        ),
        set(
            "if-empty",
            &["safe set"],
            json!({"a": "{!(record.a ?? \"w\")}"}),
        ),
        set(
            "increment of the snapshot",
            &["safe set"],
            json!({"n": "{!record.m + 1}"}),
        ),
        set("the clock", &["blocked set"], json!({"at": "{!NOW()}"})),
        set(
            "a salt",
            &["blocked set"],
            json!({"a": "{!BCRYPT(record.b)}"}),
        ),
        set(
            "the clock where empty",
            &["blocked set"],
            json!({"at": "{!(record.at ?? NOW())}"}),
        ),
        set(
            "the deployment",
            &["blocked set"],
            json!({"a": "{!env.REGION}"}),
        ),
        set(
            "a day after today",
            &["blocked set"],
            json!({"at": "{!DATE_ADD(TODAY(), 1)}"}),
        ),
        when(
            "a condition on the event",
            &["safe set"],
            "record.m > 1 && record.b != nil",
        ),
        when(
            "a condition on the clock",
            &["blocked set"],
            "NOW() < date(\"2026-01-05\")",
        ),
        run(
            "another record, by its id",
            "",
            &["safe set"],
            named(
                "F",
                CHANGED,
                "record.ref != nil",
                "UpdateRecord",
                json!({"target_object": "Task", "record_id": TO_TASK, "field_mappings": {"c": "{!record.b}"}}),
            ),
            vec![],
        ),
    ]
}

fn rows() -> Vec<Picked> {
    let made = |name, task, word, values, key: &[&str]| {
        one(
            name,
            task,
            word,
            vec![creates("F", BORN, "Task", values, key)],
        )
    };
    let safe: &[&str] = &["safe create"];
    let blocked: &[&str] = &["blocked create"];
    vec![
        made("nothing unique", "", blocked, by_id(), &[]),
        made("nothing unique, looked up", "", blocked, by_id(), &["k2"]),
        made(
            "a plain insert behind a key",
            "; unique k2",
            blocked,
            by_id(),
            &[],
        ),
        made("found first", "; unique k2", safe, by_id(), &["k2"]),
        numbered(made(
            "found first, numbered",
            "; unique k2",
            safe,
            by_id(),
            &["k2"],
        )),
        numbered(made(
            "plain, numbered",
            "; unique k2",
            blocked,
            by_id(),
            &[],
        )),
        numbered(made("unguarded, numbered", "", blocked, by_id(), &[])),
        made(
            "a key with the clock in it",
            "; unique k2, at",
            blocked,
            json!({"k2": "{!record.id}", "at": "{!NOW()}"}),
            &["k2", "at"],
        ),
        made(
            "the clock beside the key",
            "; unique k2",
            safe,
            json!({"k2": "{!record.id}", "at": "{!NOW()}"}),
            &["k2"],
        ),
        made(
            "a nullable key",
            "; unique k",
            blocked,
            json!({"k": "{!record.a}", "k2": "u"}),
            &["k"],
        ),
        made(
            "a nullable key, never null",
            "; unique k",
            safe,
            json!({"k": "{!record.b}", "k2": "u"}),
            &["k"],
        ),
        made(
            "a partial key that covers",
            "; unique k2 where status = open",
            safe,
            json!({"k2": "{!record.id}"}),
            &["k2"],
        ),
        made(
            "a partial key that does not",
            "; unique k2 where status = open",
            blocked,
            json!({"k2": "{!record.id}", "status": "closed"}),
            &["k2"],
        ),
        made(
            "a constant key",
            "; unique k2",
            blocked,
            json!({"k2": "only"}),
            &["k2"],
        ),
        made(
            "looked up by less than the key",
            "; unique k2, c",
            blocked,
            json!({"k2": "{!record.id}", "c": "v"}),
            &["k2"],
        ),
        made(
            "looked up by more than the key",
            "; unique k2",
            blocked,
            json!({"k2": "{!record.id}", "c": "v"}),
            &["k2", "c"],
        ),
        one(
            "a before-flow rewrites the key",
            "; unique k2",
            blocked,
            vec![
                creates("F", BORN, "Task", json!({"k2": "{!record.b}"}), &["k2"]),
                sets(
                    "B",
                    "Task beforeCreate",
                    "",
                    json!({"k2": "=UPPER(record.k2)"}),
                ),
            ],
        ),
        one(
            "a before-flow beside the key",
            "; unique k2",
            safe,
            vec![
                creates("F", BORN, "Task", by_id(), &["k2"]),
                sets(
                    "B",
                    "Task beforeCreate",
                    "",
                    json!({"c": "=UPPER(record.k2)", "at": "=NOW()"}),
                ),
            ],
        ),
        one(
            "an approval",
            "",
            blocked,
            vec![flow("F", BORN, "", "SubmitForApproval", json!({}))],
        ),
    ]
}

fn steps() -> Vec<Picked> {
    let make = |key: &[&str]| create_step("Task", by_id(), key);
    let of_step = "{!results.s1.id}";
    let then = set_step("Task", of_step, json!({"n": "{!record.m}"}));
    let tell = json!({"type": "CallWebhook", "url": "https://example.net/x", "payload": of_step});
    let all = |name, task, words, condition: &str, list: &[Json]| {
        run(
            name,
            task,
            words,
            composite("F", BORN, condition, list),
            vec![],
        )
    };
    vec![
        all(
            "find or create, then use it",
            "; unique k2",
            &["safe create", "safe set"],
            "",
            &[make(&["k2"]), then.clone()],
        ),
        all(
            "create anew, then use it",
            "",
            &["blocked create", "blocked set"],
            "",
            &[make(&[]), then.clone()],
        ),
        all(
            "plain behind a key, then a set",
            "; unique k2",
            &["blocked create", "safe set"],
            "",
            &[
                make(&[]),
                set_step("Lead", "{!record.id}", json!({"a": "x"})),
            ],
        ),
        all(
            "a link to the row",
            "; unique k2",
            &["safe create", "safe set"],
            "",
            &[
                make(&["k2"]),
                set_step("Lead", "{!record.id}", json!({"a": of_step})),
            ],
        ),
        all(
            "a call in between",
            "; unique k2",
            &["safe create", "blocked external"],
            "",
            &[make(&["k2"]), tell],
        ),
        all(
            "two creates of one table",
            "; unique k2, c",
            &["safe create", "blocked create"],
            "",
            &[
                create_step(
                    "Task",
                    json!({"k2": "{!record.id}", "c": "v"}),
                    &["k2", "c"],
                ),
                create_step("Task", json!({"k2": "{!record.b}"}), &[]),
            ],
        ),
    ]
}
