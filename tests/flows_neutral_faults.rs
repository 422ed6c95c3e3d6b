//! The neutral format: all that is wrong with a file is told at once, each with its place.

use std::sync::Arc;

use outbox_audit::input::flows;
use outbox_audit::model::text::TextFile;

/// Line, column and what is said, of every problem.
fn told(text: &str) -> Vec<String> {
    let metadata = flows::read(&[Arc::new(TextFile::new("flows.yaml", text.to_owned()))]);
    assert!(metadata.declared.is_empty(), "a torn file declares nothing");
    let told = metadata.problems.iter().map(|it| {
        let place = it.place.as_ref().expect("a place").to_string();
        let sentence = it.sentence.replace("`flows.yaml` could not be read: ", "");
        let at = place.trim_start_matches("flows.yaml:").to_owned();
        format!("{at} {sentence}")
    });
    told.collect()
}

#[test]
fn every_fault_of_a_file_is_told() {
    let told = told(
        "version: 1
consumers:
  - id: one
    evnt: placed
    event: placed
    effects:
      - id: a
        kind: insrt
        table: t
      - {id: b, kind: mail, too: x, to: y}
      - id: c
        kind: insert
        table: t
        set:
          x: {snapshot: record.x, nulls: nevr}
          y: 5
        numbers:
          - {column: n, rolls_back: false}
  - id: two
    effects: []
  - id: three
    event: placed
    effects: {a: b}
",
    );
    assert_eq!(
        told,
        [
            "4:5 `evnt` is not a known key",
            "8:15 `insrt` is not a known word",
            "10:29 `too` is not a known key",
            "15:42 `nevr` is not a known word",
            "16:14 keys and values should stand there",
            "18:25 `drawn` is missing",
            "20:5 `event` is missing",
            "23:14 a list should stand there",
        ]
    );
}

#[test]
fn json_is_no_different() {
    let told = told(
        r#"{"version": 1, "consumers": [
  {"id": "one", "event": "e", "effects": [{"id": "a", "knd": "mail", "to": "x"}, {"id": "b", "kind": "mial", "to": "x"}]},
  {"id": "two", "evnt": "e", "effects": []}
]}"#,
    );
    assert_eq!(
        told,
        [
            "2:55 `knd` is not a known key",
            "2:102 `mial` is not a known word",
            "3:17 `evnt` is not a known key",
        ]
    );
}

#[test]
fn what_was_left_out_makes_no_fault_of_its_own() {
    let only = "version: 1\nconsumers:\n  - id: one\n    event: e\n    effects:\n      - 7\n";
    assert_eq!(told(only), ["6:9 keys and values should stand there"]);
    let key = "version: 1\nconsumers:\n  - id: [x]\n    event: e\n    effects: []\n";
    assert_eq!(told(key), ["3:9 a text should stand there"]);
}

#[test]
fn broken_yaml_is_told_once() {
    assert_eq!(told("version: 1\nconsumers: [\n  {id: one\n").len(), 1);
}

#[test]
fn consumers_without_a_fault_stand() {
    let yaml = "version: 1
consumers:
  - id: one
    event: placed
    effects: []
  - id: two
    event: placed
    effcts:
      - {id: a, kind: mail, to: x}
  - id: three
    event: placed
    effects:
      - id: a
        kind: mail
        to: {snapshot: record.email}
        too: x
  # The last one.
  - id: four
    event: paid
    effects: []
";
    let json = r#"{"version": 1, "consumers": [
  {"id": "one", "event": "e", "effects": []},
  {"id": "two", "evnt": "e", "effects": []},
  {"id": "four", "event": "e", "effects": []},
  {"id": "three", "event": "e", "efects": []}
]}"#;
    for (text, faults) in [(yaml, 3), (json, 2)] {
        let file = Arc::new(TextFile::new("flows.yaml", text.to_owned()));
        let metadata = flows::read(&[file]);
        let declared = metadata.declared.iter();
        let ids: Vec<String> = declared.map(|each| each.consumer.id.to_string()).collect();
        assert_eq!(
            ids,
            ["declared:one", "declared:four"],
            "{:?}",
            metadata.problems
        );
        let told: Vec<&str> = metadata.problems.iter().map(|it| &*it.sentence).collect();
        assert!(told.len() >= faults - 1, "{told:?}");
        let four = &metadata.declared[1]
            .consumer
            .place
            .span()
            .expect("a place")
            .clone();
        let line = text
            .lines()
            .nth(four.start.line as usize - 1)
            .expect("a line");
        assert!(line.contains("four"), "{line}");
    }
}

#[test]
fn a_fault_outside_the_consumers_leaves_none() {
    for text in [
        "version: 1\nconsumers:\n  - {id: one, event: e, effects: []}\n  - {id: two, evnt: e, effects: []}\nmore: 1\n",
        "versoin: 1\nconsumers:\n  - {id: one, event: e, effects: []}\n",
    ] {
        assert!(!told(text).is_empty(), "{text}");
    }
}
