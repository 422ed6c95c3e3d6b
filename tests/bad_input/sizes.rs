//! Input that is too large, too deep, repeats itself without end, or hides in its own name.

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::attempt::{
    command, folder, json_of, judge, one_flow, position, reason, refused, reported,
};
use crate::outputs::formats;

/// What any of these may take, with room for a slow machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Nine levels of nine: as text 400 bytes, unfolded 387 million values.
fn bomb(first: &str) -> String {
    let mut text = format!("  - &a {first}\n");
    for (before, name) in ('a'..='h').zip('b'..='i') {
        let nine = vec![format!("*{before}"); 9].join(", ");
        text.push_str(&format!("  - &{name} [{nine}]\n"));
    }
    text
}

#[test]
fn a_bomb_of_aliases() {
    let began = Instant::now();
    for key in ["consumers", "other"] {
        let text = format!(
            "version: 1\n{key}:\n{}",
            bomb("[x, x, x, x, x, x, x, x, x]")
        );
        let outer = folder(&[("flows.yaml", text.as_bytes())]);
        reported(
            outer.path(),
            &["--flows", "flows.yaml"],
            3,
            &["`flows.yaml` could not be read"],
        );
        let report = json_of(outer.path(), &["--flows", "flows.yaml"]);
        position(&reason(&report, "flows", "could not be read")["place"]);
    }
    let aliases = format!("version: 1\nconsumers: &a\n{}", "  - *a\n".repeat(3));
    let outer = folder(&[("flows.yaml", aliases.as_bytes())]);
    reported(
        outer.path(),
        &["--flows", "flows.yaml"],
        3,
        &["`flows.yaml` could not be read"],
    );
    let text = format!("version: 1\ngate:\n{}", bomb("[x, x, x, x, x, x, x, x, x]"));
    let outer = folder(&[("outbox-audit.yaml", text.as_bytes())]);
    refused(
        outer.path(),
        &[],
        &["outbox-audit.yaml:", "nothing was audited"],
    );
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
}

/// Two gigabytes that take no room on the disk; the head is what such a file begins with.
#[test]
fn a_file_of_two_gigabytes() {
    let began = Instant::now();
    for (name, head, flag, kind) in [
        (
            "flows.json",
            "[{\"name\": \"F\", \"trigger_object\": \"Lead\", \"action_type\": \"SendEmail\"",
            "--flows",
            "flows",
        ),
        ("flows.yaml", "version: 1\nconsumers:\n", "--flows", "flows"),
        (
            "schema.sql",
            "CREATE TABLE t (a TEXT);\n",
            "--schema",
            "schema",
        ),
        (
            "system_tables.json",
            "[{\"tableName\": \"t\"",
            "--schema",
            "schema",
        ),
    ] {
        let outer = folder(&[]);
        let mut file = File::create(outer.path().join(name)).expect("a file");
        file.write_all(head.as_bytes()).expect("its head");
        file.set_len(2 << 30).expect("a sparse file");
        drop(file);
        for flags in [&[flag, name][..], &[]] {
            let sentence =
                format!("`{name}` has 2147483648 bytes, more than the 536870912 that are read");
            reported(
                outer.path(),
                flags,
                3,
                &[
                    &sentence,
                    "next: raise `limits.max_file_bytes` in `outbox-audit.yaml`",
                ],
            );
            let report = json_of(outer.path(), flags);
            let all: Vec<_> = report["inputs"]
                .as_array()
                .expect("inputs")
                .iter()
                .filter(|input| {
                    input["unknown"]
                        .to_string()
                        .contains(&*format!("`{name}` has"))
                })
                .collect();
            assert_eq!(all.len(), 1, "{name} {flags:?}");
            if !flags.is_empty() {
                reason(&report, kind, &sentence);
            }
        }
    }
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
}

/// A limit that is raised over what the platform's memory holds is still no panic.
#[test]
fn the_limit_holds_for_a_file_of_zeros() {
    let config = "version: 1\ninputs:\n  flows: flows.json\nlimits:\n  max_file_bytes: 1000\n";
    let flows = vec![0_u8; 2_000];
    let outer = folder(&[
        ("outbox-audit.yaml", config.as_bytes()),
        ("flows.json", &flows),
    ]);
    reported(
        outer.path(),
        &[],
        3,
        &["`flows.json` has 2000 bytes, more than the 1000 that are read"],
    );
    let outer = folder(&[("flows.json", &flows)]);
    reported(
        outer.path(),
        &["--flows", "flows.json"],
        3,
        &["`flows.json` is not valid JSON"],
    );
}

#[test]
fn a_hundred_thousand_levels() {
    const DEEP: usize = 100_000;
    let began = Instant::now();
    let (open, close) = ("[".repeat(DEEP), "]".repeat(DEEP));
    for text in [
        open.clone(),
        format!("{open}{close}"),
        "{\"flows\":".repeat(DEEP),
    ] {
        let outer = folder(&[("flows.json", text.as_bytes())]);
        reported(
            outer.path(),
            &["--flows", "flows.json"],
            3,
            &["`flows.json` is not valid JSON: it nests deeper than 127 levels"],
        );
        reported(outer.path(), &[], 3, &["no consumer was found"]);
        let outer = folder(&[("system_tables.json", text.as_bytes())]);
        reported(
            outer.path(),
            &["--schema", "system_tables.json"],
            3,
            &["system_tables.json"],
        );
    }
    let yaml = format!("version: 1\nconsumers: {open}");
    let outer = folder(&[("flows.yaml", yaml.as_bytes())]);
    reported(
        outer.path(),
        &["--flows", "flows.yaml"],
        3,
        &["`flows.yaml` could not be read"],
    );
    let outer = folder(&[(
        "outbox-audit.yaml",
        format!("version: 1\ngate: {open}").as_bytes(),
    )]);
    refused(outer.path(), &[], &["outbox-audit.yaml:2:"]);
    let sql = format!(
        "CREATE TABLE t (a INT CHECK {}1{});",
        "(".repeat(DEEP),
        ")".repeat(DEEP)
    );
    let outer = folder(&[("schema.sql", sql.as_bytes())]);
    for dialect in ["sqlite", "postgres", "mysql"] {
        reported(
            outer.path(),
            &["--schema", "schema.sql", "--dialect", dialect],
            3,
            &["no consumer was found"],
        );
    }
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
}

#[test]
fn a_formula_of_a_megabyte() {
    const LONG: usize = 1 << 20;
    let began = Instant::now();
    for formula in [
        "record.a + ".repeat(LONG / 11) + "1",
        "(".repeat(LONG / 2) + "1" + &")".repeat(LONG / 2),
        "!".repeat(LONG) + "true",
        format!("\"{}\"", "x".repeat(LONG)),
        format!("record.{}", "a".repeat(LONG)),
        format!("[{}1]", "1,".repeat(LONG / 2)),
        "a?b:".repeat(LONG / 4) + "c",
    ] {
        let flows = one_flow(
            "UpdateRecord",
            &json!({"field_mappings": {"a": format!("{{!{formula}}}")}}),
        );
        let outer = folder(&[("flows.json", flows.to_string().as_bytes())]);
        for format in ["terminal", "markdown"] {
            let output = command(outer.path(), &["--format", format])
                .output()
                .expect("it starts");
            judge(&output);
            assert!(
                output.stdout.len() < 40_000,
                "{} bytes as {format}",
                output.stdout.len()
            );
        }
    }
    assert!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
}

/// Characters that clear the screen, ring, reorder the line or show nothing.
#[test]
fn a_name_that_is_made_to_deceive() {
    let name = "\u{1b}[2J\u{7}\u{202e}GO\u{200b}\r\n\u{9b}31m".repeat(1_000);
    assert!(name.chars().count() >= 10_000);
    let mut flows = one_flow(
        "SendEmail",
        &json!({"to": name, "subject": name, "body": name}),
    );
    flows[0]["name"] = json!(name);
    let mut broken = one_flow(&name, &json!({}))[0].clone();
    broken["name"] = json!(format!("second {name}"));
    flows.as_array_mut().expect("a list").push(broken);
    let outer = folder(&[("flows.json", flows.to_string().as_bytes())]);
    for format in formats() {
        let output = command(outer.path(), &["--format", &format])
            .output()
            .expect("it starts");
        let told = judge(&output);
        assert_eq!(told.status, 1, "the mail has no contract");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let bad = text
            .chars()
            .find(|one| (one.is_control() && *one != '\n') || "\u{202e}\u{200b}".contains(*one));
        assert_eq!(bad, None, "{format}");
        // Programs get ids whole; people get names cut.
        let is_for_people = ["terminal", "markdown", "github", "gitlab"].contains(&&*format);
        let most = if is_for_people { 60_000 } else { 20_000_000 };
        assert!(text.len() < most, "{format}: {} bytes", text.len());
    }
    let report = json_of(outer.path(), &[]);
    let statements: Vec<&str> = report["obligations"]
        .as_array()
        .expect("obligations")
        .iter()
        .filter_map(|each| each["finding"]["repairs"][0][0]["how"].as_str())
        .collect();
    assert!(!statements.is_empty());
    for statement in statements {
        assert_eq!(statement.lines().count(), 1, "a name breaks no statement");
        let yaml = statement.replace('…', "dedup-table");
        let read: serde_json::Value = serde_saphyr::from_str(&yaml).expect("it can be pasted");
        assert_eq!(read["contracts"][0]["consumer"], format!("flow:{name}"));
    }
    let output = command(outer.path(), &["--format", "json"])
        .output()
        .expect("it starts");
    judge(&output);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let bad = text
        .chars()
        .find(|one| (one.is_control() && *one != '\n') || "\u{202e}\u{200b}".contains(*one));
    assert_eq!(bad, None, "JSON escapes them");
    let flow = report["consumers"]
        .as_array()
        .expect("consumers")
        .iter()
        .find(|each| each["title"] == name);
    assert!(flow.is_some(), "and a reader gets the name back");
}
