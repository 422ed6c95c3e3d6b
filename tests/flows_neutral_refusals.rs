//! The neutral format: what becomes of a declaration that does not hold together, and of a file
//! that is no declaration at all.

use std::sync::Arc;

use outbox_audit::input::flows;
use outbox_audit::model::consumer::PathState;
use outbox_audit::model::effect::{OnConflict, RowChoice};
use outbox_audit::model::metadata::Metadata;
use outbox_audit::model::text::TextFile;

fn read(text: &str) -> Metadata {
    flows::read(&[Arc::new(TextFile::new("flows.yaml", text.to_owned()))])
}

fn told(metadata: &Metadata) -> Vec<String> {
    let told = metadata.problems.iter().map(|it| {
        assert!(!it.next_step.is_empty());
        let place = it.place.as_ref().expect("place");
        format!("{place}: {} -> {}", it.sentence, it.next_step)
    });
    told.collect()
}

#[test]
fn what_does_not_hold_together_is_reported_and_the_rest_is_read() {
    let metadata = read(
        r#"version: 1
consumers:
- id: a b
  event: e
  effects: []
- id: c
  event: e
  active: false
  effects:
  - {id: one, kind: update, table: t}
  - {id: one, kind: upsert, table: t, row: own}
  - {id: two, kind: http, table: t}
  - {id: two, kind: delete, table: t, row: own, on_conflict: error, to: x}
  - {id: x/y, kind: file, to: f}
  - {id: three, kind: insert, table: t, on_conflict: {find_first: [a]}}
  - {id: four, kind: insert, table: t, on_conflict: {update: [a], retries: true}}
  - id: five
    kind: insert
    table: t
    result: made
    set: {a: {}, b: {clock: c, random: r}, c: {all: []}, d: {result: mode.id}}
  - {id: five, kind: insert, table: t, set: {a: {result: maid.id}, b: {result: made.id}}}
- id: c
  event: e
  effects: []
- id: d
  event: " "
  effects: []
- id: e
  event: e
  reason: none
  effects: []
"#,
    );
    let ids: Vec<_> = metadata
        .declared
        .iter()
        .map(|it| &*it.consumer.title)
        .collect();
    assert_eq!(ids, ["c", "e"]);
    let consumer = &metadata.declared[0];
    let effects: Vec<&str> = consumer.effects.iter().map(|it| &*it.id.0).collect();
    assert_eq!(
        effects,
        [
            "declared:c/one/update:t",
            "declared:c/one/upsert:t",
            "declared:c/two/http:?",
            "declared:c/two/delete:t",
            "declared:c/three/insert:t",
            "declared:c/four/insert:t",
            "declared:c/five/insert:t",
            "declared:c/five/insert:t#2",
        ]
    );
    assert!(matches!(consumer.consumer.path, PathState::Unknown(_)));
    assert!(matches!(consumer.effects[0].rows, RowChoice::Unknown(_)));
    assert!(matches!(
        consumer.effects[1].on_conflict,
        OnConflict::Unknown(_)
    ));
    assert!(matches!(
        consumer.effects[4].on_conflict,
        OnConflict::Unknown(_)
    ));
    let unknown = consumer.effects[6].writes.iter().take(3);
    assert!(unknown.into_iter().all(|it| !it.value.is_stable()));
    insta::assert_snapshot!("contradictions", told(&metadata).join("\n"));
}

/// The one problem of a file that cannot be read.
fn refused(text: &str) -> String {
    let metadata = read(text);
    assert!(!metadata.read && metadata.declared.is_empty());
    assert_eq!(metadata.problems.len(), 1, "{:#?}", told(&metadata));
    told(&metadata).remove(0)
}

#[test]
fn misspelt_keys_and_words_get_the_nearest_name() {
    let with = |body: &str| {
        refused(&format!(
            "version: 1\nconsumers:\n- id: c\n  event: e\n{body}"
        ))
    };
    let all = [
        with("  effect: []\n"),
        with("  wholly_other: []\n  effects: []\n"),
        with("  trigger: after_commit\n  effects: []\n"),
        with("  effects:\n  - {id: x, kind: inserts, table: t}\n"),
        with("  effects:\n  - {id: x, kind: insert, table: t, on_conflict: do_nothing}\n"),
        with("  effects:\n  - {id: x, kind: insert, table: t, on_conflict: {do-nothing: [a]}}\n"),
        with("  effects:\n  - {id: x, kind: insert, table: t, set: {a: {snapshott: b}}}\n"),
        with("  effects:\n  - {id: x, kind: insert, table: t, set: {a: won}}\n"),
        with("  effects:\n  - {id: x, kind: delete, table: t, row: name}\n"),
        with(""),
        with("  event: f\n  effects: []\n"),
        with(
            "  effects:\n  - {id: x, kind: insert, table: t, set: {a: {clock: b}, a: {clock: c}}}\n",
        ),
        refused(""),
        refused("version: 1\n"),
        refused("version: 2\nconsumers: []\n"),
        refused("- 1\n"),
        refused("version: 1\nconsumers:\n- id: [\n"),
        refused("version: 1\nconsumers: []\n---\nversion: 1\nconsumers: []\n"),
        refused("version: 1\nconsumers: [{id: a, event: e, effects: 5}]\n"),
        refused("version: 1\nconsumers: [{id: a, event: e, effects: []}\n"),
    ];
    insta::assert_snapshot!("misspelt", all.join("\n"));
}

#[test]
fn bombs_and_loops_are_refused_in_bounded_time() {
    let mut bomb = "version: 1\nx0: &x0 {constant: 1}\n".to_owned();
    let mut all =
        "consumers:\n- id: c\n  event: e\n  conditions:\n  - &a0 {all: [{clock: x}, {clock: x}]}\n"
            .to_owned();
    for level in 1..28 {
        bomb += &format!("x{level}: &x{level} [*x{0}, *x{0}, *x{0}]\n", level - 1);
        all += &format!(
            "  - &a{level} {{all: [*a{0}, *a{0}, *a{0}, *a{0}, *a{0}, *a{0}]}}\n",
            level - 1
        );
    }
    let told = [
        refused(&bomb),
        refused(&format!("version: 1\n{all}  effects: []\n")),
        refused("version: 1\nconsumers: &c\n- *c\n"),
        refused(
            "version: 1\nconsumers:\n- id: c\n  event: e\n  effects: []\n  conditions:\n  - &v {all: [*v]}\n",
        ),
        refused(&format!("version: 1\nconsumers: {}", "[".repeat(100_000))),
        refused(&format!(
            "version: 1\nconsumers:\n- conditions: [{}",
            "{all: [".repeat(10_000)
        )),
    ];
    insta::assert_snapshot!("bombs", told.join("\n"));
}
