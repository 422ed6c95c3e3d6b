//! Flow metadata and schemas that are cut off, contradict themselves, or cannot be understood.

use serde_json::{Value, json};

use crate::attempt::{folder, json_of, one_flow, position, reason, reported};

/// What the audit says of a file of that name and text, found in its directory and named.
fn says(name: &str, text: &[u8], sentence: &str, next: &str) -> Value {
    let outer = folder(&[(name, text)]);
    reported(outer.path(), &["--flows", name], 3, &[sentence, next]);
    let named = reason(
        &json_of(outer.path(), &["--flows", name]),
        "flows",
        sentence,
    );
    assert_eq!(named["place"]["file"], name);
    assert!(
        named["next_step"]
            .as_str()
            .is_some_and(|step| step.contains(next)),
        "{named}"
    );
    let found = reason(&json_of(outer.path(), &[]), "flows", sentence);
    assert_eq!(named, found, "found by itself it is the same");
    named
}

#[test]
fn json_that_is_cut_off_anywhere() {
    let flows = one_flow(
        "UpdateRecord",
        &json!({"field_mappings": {"a": "{!record.b}"}}),
    );
    let text = serde_json::to_string_pretty(&flows).expect("JSON");
    let from = text.find("\"action_config\"").expect("its first key") + 20;
    for length in [from, from + 30, text.len() - 30, text.len() - 1] {
        let cut = &text[..length];
        let reason = says(
            "flows.json",
            cut.as_bytes(),
            "`flows.json` is not valid JSON: it ends where",
            "it is cut off",
        );
        let line = cut.lines().count().max(1) + usize::from(cut.ends_with('\n'));
        let column = cut.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        assert_eq!(
            position(&reason["place"]),
            (line as u64, column as u64),
            "the end of\n{cut}"
        );
    }
}

/// What is called flows and cannot be read as flows is told whether it is named or found.
#[test]
fn a_file_that_is_called_flows_and_holds_none() {
    let deep = "[".repeat(100_000);
    let damaged: [&[u8]; 4] = [b"", b" \n", &[0; 1_000], deep.as_bytes()];
    for text in damaged {
        for name in ["flows.json", "crm.flow.json", "metadata.json"] {
            says(name, text, &format!("`{name}` is not valid JSON"), "");
        }
    }
    for text in [&damaged[..3], &[b"version: 1\nconsumrs: []\n"]].concat() {
        says("flows.yaml", text, "`flows.yaml` could not be read", "");
    }
    // Of another tool, and sound: it is passed by.
    for (name, text) in [
        ("flows.json", "[{\"id\": \"n1\", \"type\": \"tab\"}]"),
        ("flows.yaml", "steps: []\n"),
        ("package.json", ""),
    ] {
        let outer = folder(&[(name, text.as_bytes())]);
        reported(outer.path(), &[], 3, &["Not read no flows"]);
    }
}

#[test]
fn keys_that_stand_twice() {
    let text = "[{\"name\": \"F\",\n  \"status\": \"Draft\",\n  \"trigger_type\": \"afterCreate\", \"action_type\": \"SendEmail\",\n  \"status\": \"Active\"}]";
    let reason = says(
        "flows.json",
        text.as_bytes(),
        "the key `status` stands twice in one object",
        "remove one of the two",
    );
    assert_eq!(position(&reason["place"]), (4, 3));
    let text = "version: 1\nconsumers:\n  - id: a\n    event: e\n    object: o\n    event: f\n    effects: []\n";
    let reason = says(
        "flows.yaml",
        text.as_bytes(),
        "the key `event` stands twice",
        "remove one of the two",
    );
    assert_eq!(position(&reason["place"]), (6, 5));
}

#[test]
fn text_that_is_not_utf_8() {
    let mut text = one_flow("SendEmail", &json!({"subject": "x"}))
        .to_string()
        .into_bytes();
    let at = text.len() - 5;
    text[at] = 0xFF;
    let sentence = format!("`flows.json` is not UTF-8: byte {at}, on line 1,");
    let reason = says("flows.json", &text, &sentence, "save the file as UTF-8");
    assert_eq!(position(&reason["place"]), (1, at as u64 + 1));
    let wide: Vec<u8> = "\u{feff}[]"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let outer = folder(&[("flows.json", &wide)]);
    reported(
        outer.path(),
        &["--flows", "flows.json"],
        3,
        &["`flows.json` is UTF-16, and only UTF-8 is read"],
    );
}

#[test]
fn an_action_that_no_rule_knows() {
    let text = one_flow("LaunchRocket", &json!({})).to_string();
    let outer = folder(&[("flows.json", text.as_bytes())]);
    let sentence =
        "action `LaunchRocket` of flow `F` is in no rule pack: what it does is not known";
    reported(
        outer.path(),
        &[],
        3,
        &[
            sentence,
            "next: describe the action in a rule pack (--rules)",
        ],
    );
    let report = json_of(outer.path(), &[]);
    let effect = &report["effects"][0];
    assert_eq!(
        (&effect["class"], &effect["disposition"]),
        (&json!("unknown"), &json!("unknown"))
    );
    let column = text.find("\"LaunchRocket\"").expect("it is there") as u64 + 1;
    assert_eq!(position(&effect["place"]), (1, column));
}

#[test]
fn a_formula_that_cannot_be_read() {
    for (formula, wrong) in [
        ("record.b + ", "}"),
        ("record.b + * 2", "* 2"),
        ("record.(b)", "(b)"),
        ("'open", "'open"),
    ] {
        let text = one_flow(
            "UpdateRecord",
            &json!({"field_mappings": {"a": format!("{{!{formula}}}")}}),
        )
        .to_string();
        let outer = folder(&[("flows.json", text.as_bytes())]);
        reported(
            outer.path(),
            &[],
            3,
            &["the formula does not parse", "next: correct the value"],
        );
        let report = json_of(outer.path(), &[]);
        assert_eq!(report["effects"][0]["disposition"], "unknown", "{formula}");
        let obligations = report["obligations"].as_array().expect("obligations");
        let open = obligations
            .iter()
            .find(|each| each["check"] == "nondeterministic-set")
            .expect("it is asked");
        let start = text.find(formula).expect("it is there");
        let at = start + formula.len() + 1 - wrong.len().min(formula.len() + 1);
        let (line, column) = position(&open["reason"]["place"]);
        let inside = start as u64 + 1..=(start + formula.len()) as u64 + 1;
        assert!(
            line == 1 && inside.contains(&column),
            "{formula}: {column} is not in {inside:?}, about {at}"
        );
    }
}

#[test]
fn a_schema_that_cannot_be_read() {
    for (name, text, sentence) in [
        (
            "system_tables.json",
            "[{\"tableName\": \"t\", \"columns\": [",
            "system_tables.json ends in the middle of its JSON",
        ),
        ("system_tables.json", "[[]]", "a table has to be an object"),
        (
            "schema.sql",
            "CREATE TABLE t (a TEXT NOT NULL UNIQUE, b TEXT",
            "",
        ),
        (
            "schema.sql",
            "CREATE TABLE t (a TEXT NOT NULL UNIQUE, b TEXT DEFAULT 'open",
            "",
        ),
    ] {
        let flows = one_flow(
            "CreateRecord",
            &json!({"target_object": "t", "field_mappings": {"a": "{!record.id}"}}),
        );
        let outer = folder(&[
            ("flows.json", flows.to_string().as_bytes()),
            (name, text.as_bytes()),
        ]);
        let flags = [
            "--flows",
            "flows.json",
            "--schema",
            name,
            "--dialect",
            "sqlite",
        ];
        let told = reported(outer.path(), &flags, 3, &[sentence]);
        let report = json_of(outer.path(), &flags);
        assert_ne!(
            report["effects"][0]["disposition"], "safe",
            "{text}: {}",
            told.stdout
        );
        let obligations = report["obligations"].as_array().expect("obligations");
        let guard = obligations
            .iter()
            .find(|each| each["check"] == "unguarded-create")
            .expect("it is asked");
        assert_eq!(guard["outcome"], "unknown", "{text}");
    }
}
