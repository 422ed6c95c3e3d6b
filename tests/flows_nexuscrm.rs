//! NexusCRM metadata: every shape in which it travels, and what becomes of rows that are wrong.

use std::sync::Arc;

use outbox_audit::input::flows;
use outbox_audit::model::evidence::Why;
use outbox_audit::model::metadata::{Metadata, Node, Text};
use outbox_audit::model::text::TextFile;

fn read_files(files: &[(&str, &str)]) -> Metadata {
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| Arc::new(TextFile::new(*path, (*text).to_owned())))
        .collect();
    flows::read(&files)
}

fn read(text: &str) -> Metadata {
    read_files(&[("flows.json", text)])
}

fn clean(text: &str) -> Metadata {
    let metadata = read(text);
    assert_eq!(metadata.problems, [], "{text}");
    assert!(metadata.read);
    metadata
}

/// `place: sentence` of each problem.
fn told(metadata: &Metadata) -> Vec<String> {
    let told = metadata.problems.iter().map(|it| {
        assert!(!it.next_step.is_empty());
        format!("{}: {}", it.place.as_ref().expect("place"), it.sentence)
    });
    told.collect()
}

fn names(metadata: &Metadata) -> Vec<&str> {
    metadata.flows.iter().map(|it| &*it.name.value).collect()
}

fn value(text: &Option<Text>) -> Option<&str> {
    text.as_ref().map(|it| &*it.value)
}

const FLOW: &str = r#"{"id": "f1", "name": "Convert", "status": "Active", "flow_type": "simple",
  "trigger_object": "lead", "trigger_type": "afterUpdate", "trigger_condition": "record.stage == 'won'",
  "action_type": "CreateRecord", "action_config": {"target_object": "deal", "field_mappings": {"name": "{!record.name}"}},
  "last_modified": "2026-01-01", "is_running": false}"#;

#[test]
fn a_flow_is_read_whole_and_with_places() {
    let metadata = clean(FLOW);
    let flow = &metadata.flows[0];
    assert_eq!(flow.id.as_deref(), Some("f1"));
    assert_eq!(value(&flow.status), Some("Active"));
    assert_eq!(value(&flow.flow_type), Some("simple"));
    assert_eq!(value(&flow.trigger_object), Some("lead"));
    assert_eq!(value(&flow.trigger_type), Some("afterUpdate"));
    assert_eq!(value(&flow.condition), Some("record.stage == 'won'"));
    assert_eq!(value(&flow.action_type), Some("CreateRecord"));
    assert!(!flow.deleted);
    assert_eq!(flow.place.to_string(), "flows.json:1:1");
    let condition = flow.condition.as_ref().expect("condition");
    assert_eq!(condition.place.to_string(), "flows.json:2:81");
    let config = flow.config.as_ref().expect("config");
    let name = config.get("field_mappings").and_then(|it| it.get("name"));
    assert_eq!(name.and_then(Node::source), Some("\"{!record.name}\""));
}

#[test]
fn every_shape_gives_the_same_flow() {
    for text in [
        format!("[{FLOW}]"),
        format!("{{\"flows\": [{FLOW}]}}"),
        format!("{{\"flows\": {FLOW}}}"),
        format!("{{\"data\": [{FLOW}]}}"),
        format!("{{\"data\": {FLOW}, \"message\": \"ok\"}}"),
        format!("{{\"data\": {{\"flows\": [{FLOW}], \"actions\": null}}}}"),
        format!(
            "{{\"_System_Flow\": [{FLOW}], \"exported\": \"2026-01-01\", \"tables\": [\"_System_Flow\"]}}"
        ),
    ] {
        let metadata = clean(&text);
        assert_eq!(names(&metadata), ["Convert"]);
        assert_eq!(metadata.flows[0].id.as_deref(), Some("f1"));
    }
    assert_eq!(names(&clean("[]")), [""; 0]);
}

#[test]
fn stored_column_names_are_read_and_flags_in_every_spelling() {
    for deleted in ["1", "true", "\"true\"", "\"1\"", "\"TRUE\""] {
        let text = format!(
            r#"{{"__sys_gen_id": 7, "name": "A", "trigger_type": "x", "__sys_gen_is_deleted": {deleted}}}"#
        );
        let metadata = clean(&text);
        assert!(metadata.flows[0].deleted, "{deleted}");
        assert_eq!(metadata.flows[0].id.as_deref(), Some("7"));
    }
    for kept in ["0", "false", "\"false\"", "null", "\"\""] {
        let text = format!(r#"{{"name": "A", "trigger_type": "x", "is_deleted": {kept}}}"#);
        assert!(!clean(&text).flows[0].deleted, "{kept}");
    }
}

#[test]
fn words_are_not_judged_and_empty_texts_are_absent() {
    let metadata = clean(
        r#"{"name": "A", "status": "Sleeping", "trigger_type": "on_full_moon", "trigger_condition": " ",
           "action_type": "", "action_config": null, "steps": null}"#,
    );
    let flow = &metadata.flows[0];
    assert_eq!(value(&flow.status), Some("Sleeping"));
    assert_eq!(value(&flow.trigger_type), Some("on_full_moon"));
    assert!(flow.condition.is_none() && flow.action_type.is_none() && flow.config.is_none());
}

#[test]
fn a_configuration_in_a_text_is_read_with_the_places_of_its_parts() {
    let text = r#"[{"name": "A", "trigger_type": "t", "action_config": "{\"to\": \"{!record.mail}\", \"é\\n\": [1, {\"k\": true}]}"}]"#;
    let metadata = clean(text);
    let config = metadata.flows[0].config.as_ref().expect("config");
    let to = config.get("to").expect("to");
    assert_eq!(to.string().map(|it| &**it), Some("{!record.mail}"));
    assert_eq!(to.source(), Some("{!record.mail}"));
    let list = config.get("é\n").expect("key");
    assert_eq!(list.source(), Some(r#"[1, {\"k\": true}]"#));
    assert_eq!(
        list.items()[1].get("k").and_then(Node::source),
        Some("true")
    );
    assert_eq!(
        config.source(),
        Some(r#"{\"to\": \"{!record.mail}\", \"é\\n\": [1, {\"k\": true}]}"#)
    );
    assert!(
        clean(r#"{"name": "A", "trigger_type": "t", "action_config": ""}"#).flows[0]
            .config
            .is_none()
    );
}

#[test]
fn a_configuration_that_is_no_object_is_kept_and_reported() {
    let metadata = read(
        r#"[{"name": "A", "trigger_type": "t", "action_config": "{\"a\": tru}"},
 {"name": "B", "trigger_type": "t", "action_config": [1]},
 {"name": "C", "trigger_type": "t", "action_config": "5"}]"#,
    );
    assert_eq!(names(&metadata), ["A", "B", "C"]);
    assert!(metadata.flows.iter().all(|flow| flow.config.is_some()));
    assert_eq!(
        told(&metadata),
        [
            "flows.json:1:66: `action_config` of the flow `A` is a text that is not JSON: `}` stands where true should",
            "flows.json:2:54: `action_config` of the flow `B` is an array, not an object",
            "flows.json:3:55: `action_config` of the flow `C` is a number, not an object",
        ]
    );
}

#[test]
fn a_bundle_is_joined() {
    let metadata = clean(
        r#"{
      "flows": [{"id": "f", "name": "Approve", "flow_type": "multistep", "trigger_type": "afterCreate"}],
      "flow_steps": [
        {"flow_id": "f", "step_order": 2, "step_name": "two", "step_type": "action", "action_type": "SendEmail", "action_config": {"to": "a"}},
        {"flow_id": "f", "step_order": "1", "step_type": "approval", "entry_condition": "true"},
        {"flow_id": "f", "step_order": 3, "step_name": "gone", "__sys_gen_is_deleted": 1}],
      "actions": [{"__sys_gen_id": "a", "object_api_name": "lead", "name": "go", "label": "Go", "type": "Composite", "config": "{\"steps\": []}"}],
      "objects": [{"__sys_gen_id": "o1", "api_name": "lead", "fields": [{"api_name": "no", "type": "AutoNumber", "is_unique": 1}]},
                  {"__sys_gen_id": "o2", "api_name": "deal"}, {"api_name": "bare"}],
      "fields": [{"object_id": "o2", "api_name": "lead_id", "type": "Lookup", "required": "true"},
                 {"object_id": "deal", "api_name": "total", "type": "RollupSummary", "is_unique": false},
                 {"object_api_name": "extra", "api_name": "x", "type": "Text"},
                 {"object_api_name": "lead", "api_name": "no", "type": "AutoNumber", "is_unique": true},
                 {"object_id": "nowhere", "api_name": "y", "type": "Text", "__sys_gen_is_deleted": true}],
      "autonumbers": [{"object_api_name": "lead", "field_api_name": "no", "current_number": 5}],
      "webhooks": [{"name": "w", "url": "u", "method": "POST"}]}"#,
    );
    let steps = &metadata.flows[0].steps;
    let read: Vec<_> = steps.iter().map(|it| (it.order, &*it.name.value)).collect();
    assert_eq!(read, [(2, "two"), (1, "1")]);
    assert_eq!(value(&steps[1].entry_condition), Some("true"));
    let action = &metadata.actions[0];
    assert_eq!((&*action.id, &*action.name.value), ("a", "go"));
    assert_eq!(action.object.as_deref(), Some("lead"));
    assert!(
        action
            .config
            .as_ref()
            .is_some_and(|it| it.get("steps").is_some())
    );
    let fields = |name: &str| -> Vec<(&str, &str, bool, bool)> {
        let fields = &metadata.objects[name].fields;
        fields
            .iter()
            .map(|it| (&*it.name.value, &*it.field_type, it.is_unique, it.required))
            .collect()
    };
    assert_eq!(fields("lead"), [("no", "AutoNumber", true, false)]);
    assert_eq!(
        fields("deal"),
        [
            ("lead_id", "Lookup", false, true),
            ("total", "RollupSummary", false, false)
        ]
    );
    assert_eq!(fields("extra"), [("x", "Text", false, false)]);
    assert_eq!(fields("bare"), []);
    let number = &metadata.auto_numbers[0];
    assert_eq!((&*number.object, &*number.field), ("lead", "no"));
}

#[test]
fn files_of_one_kind_each_are_joined_whatever_their_order() {
    let files = [
        (
            "c/steps.json",
            r#"[{"flow_id": "f", "step_order": 1, "step_name": "s"}]"#,
        ),
        (
            "b/flows.json",
            r#"[{"id": "f", "name": "B", "trigger_type": "t"}, {"name": "B", "trigger_type": "t"}]"#,
        ),
        ("a/more.json", r#"{"name": "A", "trigger_type": "t"}"#),
        (
            "a/fields.json",
            r#"[{"object_id": "lead", "api_name": "no", "type": "Text"}]"#,
        ),
        (
            "d/objects.json",
            r#"[{"api_name": "lead", "sharing_model": "Private"}]"#,
        ),
        (
            "d/numbers.json",
            r#"[{"object_api_name": "lead", "field_api_name": "no", "starting_number": 1}]"#,
        ),
        (
            "d/actions.json",
            r#"[{"__sys_gen_id": "a", "object_api_name": "lead", "name": "x", "type": "SendEmail"}]"#,
        ),
        ("b/flows.json", r#"given twice, read once"#),
    ];
    let metadata = read_files(&files);
    assert_eq!(told(&metadata), [""; 0]);
    assert_eq!(names(&metadata), ["A", "B", "B"]);
    assert_eq!(metadata.flows[1].steps.len(), 1);
    assert_eq!(metadata.objects["lead"].fields.len(), 1);
    assert_eq!(
        (metadata.actions.len(), metadata.auto_numbers.len()),
        (1, 1)
    );
    let mut reversed = files;
    reversed[..7].reverse();
    assert_eq!(
        format!("{:?}", read_files(&reversed).flows),
        format!("{:?}", metadata.flows)
    );
}

#[test]
fn rows_that_cannot_be_read_are_left_out_and_reported() {
    let metadata = read(
        r#"{"flows": [
 {"id": "1", "trigger_type": "t"},
 {"trigger_type": "t"},
 {"name": "C", "trigger_type": 5},
 {"name": "D", "trigger_type": "t", "is_deleted": "maybe"},
 {"name": {"en": "E"}, "trigger_type": "t"},
 7,
 {"name": "F", "trigger_type": "t", "steps": {"a": 1}},
 {"name": "G", "trigger_type": "t", "steps": [{"step_name": "s", "step_order": 1.5}, {"step_name": "u"}, []]}
], "flow_steps": [{"step_name": "x", "step_order": 1}, {"flow_id": "nope", "step_order": 1, "step_name": "y"}],
 "actions": [{"name": "H", "object_api_name": "o", "type": "SendEmail"}],
 "fields": [{"api_name": "x", "object_id": "gone", "type": "Text"}, {"object_id": "o"}],
 "flow": [{"name": "lost"}], "objects": 3}"#,
    );
    assert_eq!(names(&metadata), ["1", "F", "G"]);
    assert_eq!(
        told(&metadata),
        [
            "flows.json:2:2: the flow here has no name; it goes by its id, which differs between environments",
            "flows.json:3:2: the flow here has no `name` and is left out",
            "flows.json:4:32: the flow `C` is left out: `trigger_type` is a number, not a text",
            "flows.json:5:51: the flow `D` is left out: `is_deleted` is a text, not true or false",
            "flows.json:6:11: the flow here is left out: `name` is an object, not a text",
            "flows.json:7:2: a number stands where a flow should",
            "flows.json:8:46: `steps` of the flow `F` is not an array",
            "flows.json:9:80: the step `s` is left out: `step_order` is a number, not a whole number",
            "flows.json:9:86: the step `u` has no `step_order`, so which step runs on the event is not certain; it is taken for 0",
            "flows.json:9:106: an array stands where a step should",
            "flows.json:10:19: the step `x` has no `flow_id` and is left out",
            "flows.json:11:14: the action `H` has no `id` and is left out",
            "flows.json:12:69: the field here has no `api_name` and is left out",
            "flows.json:13:10: the rows under `flow` are of no kind that is read",
            "flows.json:13:41: `objects` is not an array of rows",
            "flows.json:10:68: the step `y` belongs to the flow `nope`, which was not read",
            "flows.json:12:44: the field `x` belongs to the object `gone`, which was not read",
        ]
    );
}

#[test]
fn two_claims_to_one_id_one_field_or_one_step_disagree() {
    let metadata = read(
        r#"{"flows": [
 {"id": "1", "name": "A", "trigger_type": "t", "steps": [{"step_name": "s", "step_order": 1}]},
 {"id": "1", "name": "B", "trigger_type": "t"}],
 "steps": [{"flow_id": 1, "step_name": "s", "step_order": 1}],
 "fields": [{"object_api_name": "o", "api_name": "x", "type": "Text"},
  {"object_api_name": "o", "api_name": "x", "type": "Text", "is_unique": true}]}"#,
    );
    assert_eq!(names(&metadata), ["A", "B"]);
    assert!(metadata.problems.iter().all(|it| it.why == Why::Disagree));
    assert_eq!(
        told(&metadata),
        [
            "flows.json:3:2: the id `1` names two flows, `A` (flows.json:2:2) and `B`",
            "flows.json:4:12: the step `s` of the flow `A` stands at flows.json:2:58 too",
            "flows.json:6:40: the field `o.x` is declared twice, and differently at flows.json:5:50",
        ]
    );
}

#[test]
fn what_holds_no_metadata_is_reported_and_not_read() {
    for text in [
        "5",
        "\"flows\"",
        "{}",
        "{\"name\": \"pkg\"}",
        "[1, 2]",
        "{\"data\": 3}",
        "{\"data\": {\"data\": {}}}",
    ] {
        let metadata = read(text);
        assert!(!metadata.read, "{text}");
        assert_eq!(metadata.problems.len(), 1, "{text}");
        assert!(
            metadata.problems[0]
                .sentence
                .contains("holds no flow metadata"),
            "{text}"
        );
    }
}

#[test]
fn broken_files_leave_a_gap_and_the_others_are_read() {
    let deep = "[".repeat(5000);
    let metadata = read_files(&[
        ("a.json", "[{\"name\": \"A\",\n \"trigger_type\": "),
        (
            "b.json",
            r#"{"name": "B", "trigger_type": "t", "name": "C"}"#,
        ),
        ("c.json", ""),
        ("d.json", &deep),
        ("e.json", r#"{"name": "E", "trigger_type": "t"}"#),
    ]);
    assert_eq!(names(&metadata), ["E"]);
    assert!(metadata.read);
    assert_eq!(
        told(&metadata),
        [
            "a.json:2:18: `a.json` is not valid JSON: it ends where a value should follow",
            "b.json:1:36: `b.json` is not valid JSON: the key `name` stands twice in one object",
            "c.json:1:1: `c.json` is not valid JSON: it is empty",
            "d.json:1:128: `d.json` is not valid JSON: it nests deeper than 127 levels",
        ]
    );
}
