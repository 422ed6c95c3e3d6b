//! Metadata drawn from a grammar: flows over two objects, with every kind of value, condition, key
//! and table that decides a judgement. Only expressions on which all implementations of the
//! language agree are written: operators in parentheses, names in full.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value as Json, json};

use super::case::Case;
use super::metadata::{
    bundle, composite, create, create_step, flow, named, number, set_step, sets,
};

const LEAD: &str = "Lead: name text!, a text, b text!, n int, m int!, d decimal, at time, ref text, cnt int, seen time";
const TASK: &str = "Task: k text, k2 text!, c text, n int, m int! = 0, d decimal, at time, no text, cnt int, seen time, status text! = open";

/// Values for text fields of an action; `stable` leaves out clocks, salts and the deployment.
fn text(stable: bool, changed: bool) -> BoxedStrategy<String> {
    let mut list = vec![
        "x",
        "v",
        "{!record.a}",
        "{!record.b}",
        "{!record.id}",
        "{!b}",
        "{!(record.a ?? \"none\")}",
        "{!UPPER(record.b)}",
        "{!(record.b + \"-\" + record.name)}",
        "{!record.m > 1 ? \"hi\" : \"lo\"}",
    ];
    if !stable {
        list.extend([
            "{!BCRYPT(record.b)}",
            "{!(record.a ?? BCRYPT(record.b))}",
            "{!env.REGION}",
        ]);
    }
    if changed {
        list.push("{!prior.b}");
    }
    select(list).prop_map(str::to_owned).boxed()
}

fn whole(stable: bool) -> BoxedStrategy<Json> {
    let _ = stable;
    select(vec![
        json!(3),
        json!("{!record.m}"),
        json!("{!record.n}"),
        json!("{!record.m + 1}"),
        json!("{!(record.n ?? 0) + record.m}"),
        json!("{!LEN(record.b)}"),
        json!("{!ROUND(record.m, 0)}"),
    ])
    .boxed()
}

fn date(stable: bool) -> BoxedStrategy<Json> {
    let mut list = vec![json!("{!record.at}")];
    if !stable {
        list.extend([
            json!("{!NOW()}"),
            json!("{!DATE_ADD(TODAY(), 1)}"),
            json!("{!(record.at ?? NOW())}"),
        ]);
    }
    select(list).boxed()
}

/// Which of two: mostly stable values, so that both safe and blocked effects come about.
fn stability() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.75)
}

/// Assignments to some of these fields; `kinds` gives the kind of each.
fn mappings(fields: &'static [(&'static str, Type)], changed: bool) -> BoxedStrategy<Json> {
    let most = fields.len().min(3);
    (subsequence(fields.to_vec(), 1..=most), stability())
        .prop_flat_map(move |(chosen, stable)| {
            let values: Vec<BoxedStrategy<(String, Json)>> = chosen
                .into_iter()
                .map(|(field, kind)| {
                    let value = match kind {
                        Type::Text => text(stable, changed).prop_map(Json::from).boxed(),
                        Type::Whole => whole(stable),
                        Type::Date => date(stable),
                    };
                    value
                        .prop_map(move |value| (field.to_owned(), value))
                        .boxed()
                })
                .collect();
            values
        })
        .prop_map(|members| Json::Object(members.into_iter().collect::<Map<_, _>>()))
        .boxed()
}

#[derive(Debug, Clone, Copy)]
enum Type {
    Text,
    Whole,
    Date,
}

const OWN: &[(&str, Type)] = &[
    ("a", Type::Text),
    ("b", Type::Text),
    ("n", Type::Whole),
    ("m", Type::Whole),
    ("d", Type::Whole),
    ("at", Type::Date),
];

const OTHER: &[(&str, Type)] = &[
    ("c", Type::Text),
    ("k", Type::Text),
    ("n", Type::Whole),
    ("d", Type::Whole),
    ("at", Type::Date),
];

/// Conditions of after-flows.
fn condition(changed: bool) -> BoxedStrategy<String> {
    let mut list = vec![
        "",
        "",
        "",
        "record.m > 0",
        "record.b == \"x\"",
        "record.d != nil",
        "NOW() < date(\"2026-01-05\")",
        "record.m > 0 && NOW() < date(\"2026-01-05\")",
    ];
    if changed {
        list.push("record.b != prior.b");
    }
    select(list).prop_map(str::to_owned).boxed()
}

/// Keys of the target table.
fn unique() -> impl Strategy<Value = &'static str> {
    select(vec![
        "",
        "",
        "; unique k2",
        "; unique k2",
        "; unique k2",
        "; unique k2, c",
        "; unique k2, at",
        "; unique k",
        "; unique k2 where status = open",
        "; unique k2 where status = closed",
        "; unique k2; unique k",
    ])
}

/// A create: the key from the event or not, looked up or not.
fn create_config() -> BoxedStrategy<Json> {
    let key = prop_oneof![4 => text(true, false), 1 => text(false, false)];
    let lookup = select(vec![
        vec![],
        vec!["k2"],
        vec!["k2"],
        vec!["k2"],
        vec!["k2", "c"],
        vec!["k"],
    ]);
    (mappings(OTHER, false), key, lookup)
        .prop_map(|(mut values, key, mut lookup)| {
            values["k2"] = json!(key);
            lookup.retain(|field| values.get(*field).is_some());
            create("Task", values, &lookup)
        })
        .boxed()
}

/// A later step of a composite, which may use the row that the first one made.
fn later_step() -> BoxedStrategy<Json> {
    let row = select(vec!["{!results.s1.id}", "{!record.ref}"]);
    let link = json!({"a": "{!results.s1.id}"});
    let tell = json!({"type": "CallWebhook", "url": "https://example.net/x"});
    prop_oneof![
        3 => (row, mappings(OTHER, false)).prop_map(|(row, values)| set_step("Task", row, values)),
        1 => Just(set_step("Lead", "{!record.id}", link)),
        1 => Just(tell),
        1 => create_config().prop_map(|config| create_step(
            "Task", config["field_mappings"].clone(), &[])),
    ]
    .boxed()
}

/// An after-flow.
fn after(name: &'static str) -> BoxedStrategy<(Json, Option<Json>)> {
    let on = prop_oneof![2 => Just("Lead afterCreate"), 1 => Just("Lead afterUpdate")];
    (on, 0usize..10)
        .prop_flat_map(move |(on, kind)| {
            let changed = on.ends_with("Update");
            let condition = condition(changed);
            match kind {
                0..=2 => (condition, mappings(OWN, changed))
                    .prop_map(move |(condition, values)| (sets(name, on, &condition, values), None))
                    .boxed(),
                3..=5 => (condition, create_config())
                    .prop_map(move |(condition, config)| {
                        (flow(name, on, &condition, "CreateRecord", config), None)
                    })
                    .boxed(),
                6..=7 => (condition, mappings(OTHER, changed))
                    .prop_map(move |(condition, values)| {
                        let config = json!({
                            "target_object": "Task",
                            "record_id": "{!record.ref}",
                            "field_mappings": values,
                        });
                        some(named(name, on, &condition, "UpdateRecord", config))
                    })
                    .boxed(),
                8 => (
                    condition,
                    create_config(),
                    prop::collection::vec(later_step(), 1..3),
                )
                    .prop_map(move |(condition, mut first, later)| {
                        first["type"] = json!("CreateRecord");
                        let steps: Vec<Json> = std::iter::once(first).chain(later).collect();
                        some(composite(name, on, &condition, &steps))
                    })
                    .boxed(),
                _ => condition
                    .prop_map(move |condition| {
                        let config = json!({
                            "to": "a@example.net", "subject": "{!record.name}", "body": "b",
                        });
                        (flow(name, on, &condition, "SendEmail", config), None)
                    })
                    .boxed(),
            }
        })
        .boxed()
}

fn some((flow, action): (Json, Json)) -> (Json, Option<Json>) {
    (flow, Some(action))
}

/// A synchronous flow of the target object, or of the event's.
fn before(name: &'static str) -> BoxedStrategy<(Json, Option<Json>)> {
    let on = select(vec![
        "Task beforeCreate",
        "Task beforeUpdate",
        "Task beforeUpdate",
        "Lead beforeUpdate",
    ]);
    (on, prop::bool::weighted(0.9))
        .prop_flat_map(move |(on, set)| {
            if !set {
                let config = json!({"url": "https://example.net/y"});
                return Just((flow(name, on, "", "CallWebhook", config), None)).boxed();
            }
            let (text_field, key) = match on {
                "Lead beforeUpdate" => ("a", "b"),
                _ => ("c", "k2"),
            };
            let list = in_memory(on, text_field, key);
            // On a field that no synchronous flow here sets.
            let other = match on {
                "Lead beforeUpdate" => "record.name != \"x\"",
                _ => "record.status == \"open\"",
            };
            let conditions = [String::new(), String::new(), other.to_owned()];
            (select(conditions.to_vec()), subsequence(list, 1..=2))
                .prop_map(move |(condition, values)| {
                    let values: Map<String, Json> = values.into_iter().collect();
                    (sets(name, on, &condition, Json::Object(values)), None)
                })
                .boxed()
        })
        .boxed()
}

/// If-empty on the record being saved is left out: it is judged by its kind, as feeding on stored
/// state, although it comes to rest.
fn in_memory(on: &str, text: &str, key: &str) -> Vec<(String, Json)> {
    let other = if on.starts_with("Lead") {
        "name"
    } else {
        "status"
    };
    let mut list = vec![
        (text.to_owned(), json!(format!("=UPPER(record.{other})"))),
        (key.to_owned(), json!(format!("=UPPER(record.{key})"))),
        ("n".to_owned(), json!("=record.m")),
        ("cnt".to_owned(), json!("=(record.cnt ?? 0) + 1")),
        ("seen".to_owned(), json!("=NOW()")),
        ("n".to_owned(), json!(7)),
        ("n".to_owned(), json!(format!("=LEN(record.{other})"))),
    ];
    if on.ends_with("Update") {
        list.push(("cnt".to_owned(), json!("=(prior.cnt ?? 0) + 1")));
    }
    list
}

/// A case.
pub(crate) fn case() -> impl Strategy<Value = Case> {
    let flows = (
        after("F"),
        proptest::option::of(after("G")),
        proptest::option::weighted(0.4, before("B")),
        proptest::option::weighted(0.15, before("C")),
    );
    let cascade = proptest::option::weighted(
        0.2,
        select(vec![
            json!({"d": "{!record.m}"}),
            json!({"c": "{!UPPER(record.k2)}"}),
            json!({"k2": "{!UPPER(record.k2)}"}),
        ])
        .prop_map(|values| (sets("H", "Task afterCreate", "", values), None)),
    );
    (flows, cascade, unique(), prop::bool::weighted(0.3)).prop_map(
        |((first, second, third, fourth), cascade, unique, numbered)| {
            let parts: Vec<_> = std::iter::once(first)
                .chain(second)
                .chain(third)
                .chain(fourth)
                .chain(cascade)
                .collect();
            let mut metadata = bundle(parts);
            if numbered {
                metadata["autonumbers"] = json!([number("Task", "no")]);
            }
            Case::new("generated", &[LEAD, &format!("{TASK}{unique}")], metadata)
        },
    )
}
