//! The rule packs hold their own examples: each is found where its entry says, and an audit judges
//! a value by it as the entry says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use outbox_audit::facts;
use outbox_audit::input::source;
use outbox_audit::rules::{self, Examples, NameKind, Rules};
use serde_json::{Value, json};

fn builtin() -> Rules {
    rules::load(&rules::builtin_names(), &[]).expect("the packs load")
}

/// Every entry with examples: its id and them.
fn entries(rules: &Rules) -> Vec<(&str, &Examples)> {
    let functions = rules.functions.iter().map(|it| (&*it.id, &it.examples));
    let names = rules.names.iter().map(|it| (&*it.id, &it.examples));
    let subscriptions = rules.subscriptions.iter();
    let subscriptions = subscriptions.map(|it| (&*it.id, &it.examples));
    let effects = rules.effects.iter().map(|it| (&*it.id, &it.examples));
    let draws = rules.draws.iter().map(|it| (&*it.id, &it.examples));
    let guards = rules.guards.iter().map(|it| (&*it.id, &it.examples));
    let tests = rules.tests.iter().map(|it| (&*it.id, &it.examples));
    let queue = rules.queue.iter().map(|it| (&*it.id, &it.examples));
    functions
        .chain(guards)
        .chain(tests)
        .chain(queue)
        .chain(names)
        .chain(subscriptions)
        .chain(effects)
        .chain(draws)
        .collect()
}

fn tool(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .args(arguments)
        .output()
        .expect("it starts")
}

#[test]
fn every_folder_of_rules_is_compiled_in() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let mut packs = Vec::new();
    for entry in fs::read_dir(&root).expect("the folder can be read") {
        let folder = entry.expect("its entries can be read").path();
        let pack = folder.file_name().and_then(|name| name.to_str());
        let pack = pack.expect("its name is UTF-8").to_owned();
        let text = rules::builtin_text(&pack).unwrap_or_default();
        for entry in fs::read_dir(&folder).expect("the folder can be read") {
            let file = entry.expect("its entries can be read").path();
            let written = fs::read_to_string(&file).expect("it is UTF-8");
            assert!(text.contains(&written), "{} is compiled in", file.display());
        }
        packs.push(pack);
    }
    packs.sort();
    assert_eq!(packs, rules::builtin_names());
}

#[test]
fn every_entry_has_examples_of_both_kinds_and_an_id_of_its_own() {
    let rules = builtin();
    let mut ids = BTreeSet::new();
    for (id, examples) in entries(&rules) {
        assert!(ids.insert(id), "{id} stands once");
        assert!(
            !examples.matching.is_empty(),
            "{id}: an example under `match`"
        );
        assert!(
            !examples.no_match.is_empty(),
            "{id}: an example under `no_match`"
        );
    }
    assert!(ids.len() > 20, "the entries are there");
}

#[test]
fn every_example_is_found_where_its_entry_says() {
    let rules = builtin();
    let (mut run, failures) = facts::examples(&rules);
    assert_eq!(failures, []);
    let (of_source, failures) = facts::source::examples(&rules, &source::parse);
    assert_eq!(failures, []);
    run += of_source;
    let wanted: usize = entries(&rules)
        .iter()
        .map(|(_, examples)| examples.matching.len() + examples.no_match.len())
        .sum();
    assert_eq!(run, wanted, "examples run");
}

/// What an entry promises of a value that is one of its examples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Promise {
    /// The same on every delivery.
    Stable,
    /// Not the same, or not shown to be.
    Moving,
    /// Not this entry's concern: it must not be judged by it.
    NotMoving,
}

fn promises(rules: &Rules) -> BTreeMap<String, (String, Promise)> {
    let mut promises = BTreeMap::new();
    let mut add = |id: &str, examples: &Examples, promise: Promise| {
        let matching = examples.matching.iter().map(|text| (text, promise));
        let others = examples.no_match.iter();
        let others = others.map(|text| (text, Promise::NotMoving));
        for (at, (text, promise)) in matching.chain(others).enumerate() {
            promises.insert(format!("{id} {at}"), (text.to_string(), promise));
        }
    };
    let word = |stable: bool| {
        if stable {
            Promise::Stable
        } else {
            Promise::Moving
        }
    };
    for rule in &rules.functions {
        let pure = rule.draws.iter().all(|source| source.is_stable());
        add(&rule.id, &rule.examples, word(pure && !rule.unordered));
    }
    for rule in &rules.names {
        let stable = matches!(rule.is, NameKind::Record | NameKind::Prior | NameKind::User);
        add(&rule.id, &rule.examples, word(stable));
    }
    promises
}

/// Each example as the value of a flow of its own, audited.
#[test]
fn an_audit_judges_every_example_as_its_entry_says() {
    let rules = builtin();
    let wanted = promises(&rules);
    let flows: Vec<Value> = wanted
        .iter()
        .map(|(name, (text, _))| {
            json!({
                "name": name, "status": "Active", "flow_type": "simple", "trigger_object": "Lead",
                "trigger_type": "afterCreate", "trigger_condition": "", "action_type": "UpdateRecord",
                "action_config": {"field_mappings": {"value": format!("{{!{text}}}")}},
            })
        })
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("flows.json");
    fs::write(&file, json!({ "flows": flows }).to_string()).expect("it is written");
    let path = folder.path().to_str().expect("its name is UTF-8");
    let output = tool(&["check", path, "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("it prints JSON");
    let outcomes: BTreeMap<String, String> = report["obligations"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|it| it["check"] == "nondeterministic-set")
        .filter_map(|it| {
            let subject = it["subject"].as_str()?.strip_prefix("flow:")?;
            let flow = subject.split('/').next()?;
            Some((flow.to_owned(), it["outcome"].as_str()?.to_owned()))
        })
        .collect();
    let mut wrong = Vec::new();
    for (name, (text, promise)) in &wanted {
        let outcome = outcomes.get(name).map_or("nothing", String::as_str);
        let kept = match promise {
            Promise::Stable => outcome == "met",
            Promise::Moving => matches!(outcome, "not-met" | "unknown"),
            Promise::NotMoving => matches!(outcome, "met" | "unknown"),
        };
        if !kept {
            wrong.push(format!(
                "{name}: `{text}`: {outcome}, and its entry says {promise:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rules of one's own, in a folder as `--rules` takes it.
fn own(functions: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("function.yaml");
    fs::write(&file, functions).expect("it is written");
    let path = folder.path().to_path_buf();
    (folder, path)
}

#[test]
fn examples_that_do_not_hold_fail() {
    for (examples, says) in [
        (
            "{match: [\"record.x\"], no_match: [\"record.y\"]}",
            "record.x",
        ),
        (
            "{match: [\"OWN()\"], no_match: [\"1 + OWN()\"]}",
            "1 + OWN()",
        ),
        ("{match: [\"OWN(\"], no_match: [\"record.y\"]}", "OWN("),
    ] {
        let rule = format!(
            "- {{id: own, language: expr-lang, names: [OWN], draws: [clock], examples: {examples}}}\n"
        );
        let (_folder, path) = own(&rule);
        let rules = rules::load(&["expr-lang"], std::slice::from_ref(&path)).expect("it loads");
        let (_, failures) = facts::examples(&rules);
        let found: Vec<(&str, &str)> = failures
            .iter()
            .map(|it| (&*it.rule, &*it.example))
            .collect();
        assert_eq!(found, [("own", says)]);
        let output = tool(&["rules", "test", "--rules", path.to_str().expect("UTF-8")]);
        assert_eq!(output.status.code(), Some(1), "{examples}");
        assert!(
            String::from_utf8_lossy(&output.stdout).contains(says),
            "{examples}"
        );
    }
}

#[test]
fn examples_that_hold_pass() {
    let rule = "- {id: own, language: expr-lang, names: [OWN], draws: [clock], examples: {match: [\"OWN()\"], no_match: [\"record.OWN\"]}}\n";
    let (_folder, path) = own(rule);
    let output = tool(&["rules", "test", "--rules", path.to_str().expect("UTF-8")]);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    assert_eq!(tool(&["rules", "test"]).status.code(), Some(0));
}

/// A rule of one's own about source: with it a call of a private library is an effect, and its
/// examples are judged like those of the packs.
#[test]
fn a_rule_about_source_of_ones_own_is_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let tree = folder.path().join("tree");
    fs::create_dir(&tree).expect("a folder");
    let source = "package a\n\nimport (\n\t\"example.org/pay\"\n\t\"github.com/nats-io/nats.go\"\n)\n\nfunc start(c *nats.Conn, p *pay.Client) {\n\tc.Subscribe(\"due\", func(m *nats.Msg) { p.Charge(\"card\") })\n}\n";
    fs::write(tree.join("a.go"), source).expect("written");
    let rule = "- id: own-charge\n  language: go\n  call: {method: [Charge], receiver: [example.org/pay.Client]}\n  kind: http\n  target: {word: payment}\n  examples:\n    match: [\"import \\\"example.org/pay\\\"\\nfunc f(p *pay.Client) { p.Charge(1) }\"]\n    no_match: [\"type C struct{}\\nfunc (C) Charge(a int) {}\\nfunc f(c C) { c.Charge(1) }\"]\n";
    let path = folder.path().join("effect.yaml");
    fs::write(&path, rule).expect("written");
    let (tree, path) = (tree.to_str().expect("UTF-8"), path.to_str().expect("UTF-8"));
    let without = tool(&["map", tree]);
    assert!(String::from_utf8_lossy(&without.stdout).contains("no effect found"));
    let with = tool(&["map", tree, "--rules", path]);
    assert!(String::from_utf8_lossy(&with.stdout).contains("http payment"));
    let tested = tool(&["rules", "test", "--rules", path]);
    assert_eq!(tested.status.code(), Some(0), "{tested:?}");
    let wrong = rule.replace("p.Charge(1)", "p.Refund(1)");
    fs::write(path, wrong).expect("written");
    let tested = tool(&["rules", "test", "--rules", path]);
    assert_eq!(tested.status.code(), Some(1), "{tested:?}");
}
