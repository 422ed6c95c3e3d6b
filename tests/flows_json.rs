//! The JSON reader: what it accepts, where it says a text is wrong, and the laws it keeps.

use std::sync::Arc;

use outbox_audit::input::json::{self, JsonError, JsonFault, MAX_DEPTH};
use outbox_audit::model::evidence::InputKind;
use outbox_audit::model::metadata::{Node, NodeKind};
use outbox_audit::model::text::TextFile;
use proptest::prelude::*;
use serde_json::Value;

fn file(text: &str) -> Arc<TextFile> {
    Arc::new(TextFile::new("flows.json", text.to_owned()))
}

fn parse(text: &str) -> Result<Node, JsonError> {
    json::parse(&file(text))
}

/// The fault and the `line:column` it is reported at.
fn fault(text: &str) -> (JsonFault, String) {
    let file = file(text);
    let error = json::parse(&file).expect_err("not JSON");
    let place = error.reason(&file, InputKind::Flows).place.expect("place");
    let told = place.to_string();
    let at = told.strip_prefix("flows.json:").expect("in the file");
    (error.fault, at.to_owned())
}

fn to_value(node: &Node) -> Value {
    match &node.kind {
        NodeKind::Null => Value::Null,
        NodeKind::Bool(it) => Value::Bool(*it),
        NodeKind::Number(text) => serde_json::from_str(text).expect("number"),
        NodeKind::String(text) => Value::String(text.to_string()),
        NodeKind::Array(items) => items.iter().map(to_value).collect(),
        NodeKind::Object(members) => members
            .iter()
            .map(|member| (member.key.to_string(), to_value(&member.value)))
            .collect(),
    }
}

/// Every node's and key's stretch, read again, is the same value.
fn assert_spans_hold(node: &Node) {
    let source = node.source().expect("read from a file");
    assert_eq!(
        serde_json::from_str::<Value>(source).expect("span is JSON"),
        to_value(node)
    );
    node.items().iter().for_each(assert_spans_hold);
    for member in node.members() {
        let mut key = member.value.clone();
        key.start = member.key_start;
        key.end = member.key_end;
        let key = serde_json::from_str::<String>(key.source().expect("key")).expect("key");
        assert_eq!(key, *member.key);
        assert_spans_hold(&member.value);
    }
}

#[test]
fn a_text_that_is_cut_off_is_reported_at_its_end() {
    let text = "[\n  {\"name\": \"A\", \"status\": \"acti";
    let (fault, at) = fault(text);
    assert_eq!(fault, JsonFault::Ends("the closing `\"` of a string"));
    assert_eq!(at, "2:32");
    for end in 1..text.len() {
        let error = parse(&text[..end]).expect_err("cut off");
        assert_eq!(error.offset as usize, end, "{error}");
        assert!(matches!(error.fault, JsonFault::Ends(_)), "{error}");
    }
}

#[test]
fn a_repeated_key_is_reported_at_the_second_one() {
    let (first, at) = fault("{\"a\": 1,\n \"b\": {}, \"\\u0061\": 2}");
    assert_eq!(first, JsonFault::Duplicate("a".into()));
    assert_eq!(at, "2:11");
    let many: Vec<String> = (0..100).map(|n| format!("\"k{}\":0", n % 99)).collect();
    let (second, at) = fault(&format!("{{{}}}", many.join(",")));
    assert_eq!(second, JsonFault::Duplicate("k0".into()));
    assert_ne!(at, "1:1");
}

#[test]
fn faults_have_their_place_and_name_the_character() {
    assert_eq!(fault(" \n ").0, JsonFault::Empty);
    assert_eq!(fault("").1, "1:1");
    let unexpected = |found, wanted| JsonFault::Unexpected { found, wanted };
    assert_eq!(fault("{\"a\" 1}"), (unexpected('1', "`:`"), "1:6".into()));
    assert_eq!(
        fault("[\"é\", ü]"),
        (unexpected('ü', "an item or `]`"), "1:7".into())
    );
    assert_eq!(
        fault("{'a': 1}").0,
        unexpected('\'', "a key in double quotes")
    );
    assert_eq!(fault("[1] x"), (JsonFault::Trailing, "1:5".into()));
    assert_eq!(
        fault("[01]"),
        (JsonFault::Number("01".into()), "1:2".into())
    );
    assert_eq!(fault("[tru1]"), (unexpected('1', "true"), "1:5".into()));
}

#[test]
fn a_bad_escape_a_lone_surrogate_and_a_control_character_are_refused_in_place() {
    for (text, at) in [
        (r#"["ab\q"]"#, "1:6"),
        (r#"["\ud800"]"#, "1:"),
        (r#"["\udc00x"]"#, "1:"),
        (r#"["\u12g4"]"#, "1:"),
        ("[\"a\tb\"]", "1:4"),
        ("[\"a\nb\"]", "1:4"),
    ] {
        let (fault, found) = fault(text);
        assert!(matches!(fault, JsonFault::String(_)), "{text}: {fault}");
        assert!(found.starts_with(at), "{text}: {found}");
    }
    let pair = parse(r#""\ud83d\ude00""#).expect("pair");
    assert_eq!(pair.string().map(|text| &**text), Some("😀"));
}

#[test]
fn nesting_is_bounded() {
    let nest = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(&nest(MAX_DEPTH)).is_ok());
    let error = parse(&nest(MAX_DEPTH + 1)).expect_err("too deep");
    assert_eq!(error.fault, JsonFault::TooDeep);
    assert_eq!(error.offset as usize, MAX_DEPTH);
    assert!(parse(&"[{\"a\":".repeat(1_000_000)).is_err());
}

#[test]
fn equal_short_texts_are_kept_once() {
    let node = parse(r#"[{"name": "x"}, {"name": "x"}]"#).expect("JSON");
    let names: Vec<_> = node
        .items()
        .iter()
        .filter_map(|it| it.get("name"))
        .collect();
    let texts: Vec<_> = names.iter().filter_map(|it| it.string()).collect();
    assert!(Arc::ptr_eq(texts[0], texts[1]));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|n| Value::from(f64::from(n) / 64.0)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..30)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Texts that are nearly JSON.
fn broken_json() -> impl Strategy<Value = String> {
    let bits = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("\""),
        Just("\\"),
        Just("\\u"),
        Just("d83d"),
        Just("\"a\""),
        Just("\"b\":"),
        Just("-"),
        Just("0"),
        Just("1."),
        Just("5e"),
        Just("+2"),
        Just("null"),
        Just("tru"),
        Just("true"),
        Just(" "),
        Just("\n"),
        Just("é"),
        Just("\u{1}"),
    ];
    prop::collection::vec(bits, 0..24).prop_map(|bits| bits.concat())
}

/// What `serde_json` says; none where it refuses for reasons of its own (huge numbers).
fn oracle(text: &str) -> Option<Result<Value, ()>> {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => Some(Ok(value)),
        Err(error) if error.to_string().contains("out of range") => None,
        Err(_) => Some(Err(())),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn reads_what_is_printed_and_every_span_holds(value in any_json(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let node = parse(&text.expect("prints")).expect("reads");
        prop_assert_eq!(to_value(&node), value);
        assert_spans_hold(&node);
    }

    #[test]
    fn agrees_with_serde_json_on_broken_texts(text in broken_json()) {
        let ours = parse(&text);
        match (oracle(&text), &ours) {
            (None, _) => {}
            // The one difference: a repeated key is an error here.
            (Some(_), Err(JsonError { fault: JsonFault::Duplicate(_), .. })) => {}
            (Some(Ok(theirs)), ours) => prop_assert_eq!(ours.as_ref().map(to_value), Ok(theirs)),
            (Some(Err(())), ours) => prop_assert!(ours.is_err(), "{:?}", ours),
        }
    }

    #[test]
    fn no_text_panics_and_an_error_lies_inside(text in any::<String>()) {
        if let Err(error) = parse(&text) {
            prop_assert!(error.offset as usize <= text.len());
        }
    }

    #[test]
    fn a_cut_is_never_read_as_whole(value in any_json(), at in any::<prop::sample::Index>()) {
        let text = serde_json::to_string(&[value]).expect("prints");
        let mut cut = at.index(text.len());
        while !text.is_char_boundary(cut) { cut -= 1; }
        prop_assert!(parse(&text[..cut]).is_err());
    }
}
