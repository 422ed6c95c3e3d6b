//! What a person reads when the configuration is wrong: text, place, suggestion, 80 columns.

use std::path::Path;

use outbox_audit::input::config::problem::Problems;
use outbox_audit::input::config::render::{Style, render};
use outbox_audit::input::config::{check_names, parse};
use outbox_audit::input::names::KnownNames;
use outbox_audit::model::text::TextFile;

fn problems(yaml: &str) -> Problems {
    parse(
        TextFile::new("outbox-audit.yaml", yaml.to_owned()),
        Path::new(""),
    )
    .expect_err("it should be refused")
}

fn refused(yaml: &str) -> String {
    let text = problems(yaml).to_string();
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "wider than 80: {line}");
    }
    text
}

macro_rules! refuses {
    ($($name:ident: $yaml:expr;)*) => {$(
        #[test]
        fn $name() {
            insta::assert_snapshot!(refused($yaml));
        }
    )*};
}

refuses! {
    misspelt_keys_at_each_level: "\
version: 1
wiavers: []
gate:
  nmaed: [Convert lead]
inputs:
  databse: env:DB
outbox:
  tabel: x
  columns:
    retryCount: r
  states:
    redy: pending
  record_key:
    templte: '{a}'
contracts:
  - consmer: a
    kind: idempotency-key
    consumer: a
    key: k
limits:
  max_fils: 3
colour: blue
";
    wrong_types: "\
version: 1
gate: [Convert lead]
inputs: flows
outbox:
  table: [a]
  columns: no
natural_keys:
  Opportunity: {lead_id: 1}
  Lead:
  Case: []
  Task: [[a]]
waivers:
  check: unguarded-create
exclusions:
  - just text
limits:
  max_files: many
  max_file_bytes: \"5000\"
  timeout_seconds: 0
";
    several_problems_at_once: "\
version: 1
horizon: 7 days
deferred:
  - {flow: Nightly, reason: later}
waivers:
  - check: unguarded-create
    subject: flow:Convert lead/action/Insert:Opportunity
    reason: merged by hand
    owner: ann
    expires: 2026-02-30
";
    a_waiver_without_owner: "\
version: 1
waivers:
  - check: unguarded-create
    subject: flow:Convert lead/action/Insert:Opportunity
    reason: merged by hand
    expires: 2026-12-31
";
    a_contract_without_what_it_rests_on: "\
version: 1
contracts:
  - {consumer: a, kind: dedup-table}
  - {consumer: b, kind: accepted-duplicate}
  - {consumer: c, kind: attempt-leger}
  - {consumer: d, kind: hope}
  - {consumer: e}
";
    duplicate_keys: "\
version: 1
gate: {flag: A, flag: B}
packs: a
packs: b
natural_keys:
  Lead: email
  lead: phone
";
    an_unknown_version: "version: 2\nwhatever: true\n";
    no_version: "packs: [nexuscrm]\n";
    a_template_without_braces: "\
version: 1
outbox:
  record_key:
    template: \"object_api_name:record.id\"
";
    a_template_with_faults_inside: "\
version: 1
outbox:
  record_key: {template: \"é{object}:{record..id}:{oops\"}
";
    an_empty_file: "# nothing yet\n";
    a_list_instead_of_keys: "- version: 1\n";
    a_tab: "version: 1\ngate:\n\tflag: A\n";
    an_open_quote: "version: 1\ngate: {flag: \"A}\n";
    an_unquoted_template: "version: 1\noutbox:\n  record_key:\n    template: {a}:{b}\n";
    two_documents: "version: 1\n---\nversion: 1\n";
    contradictions: "\
version: 1
gate: {named: [Convert lead, Convert lead, Nightly]}
deferred:
  - {flow: Nightly, reason: later, owner: ann}
outbox: {states: {ready: [pending], done: [processed], dead: pending}}
";
    keys_that_are_no_text: "version: 1\n? [a, b]\n: c\n~: d\n";
    a_very_long_line: &format!(
        "version: 1\ngate: {{flag: \"{}\", nmaed: [a], pack: \"{}\"}}\n",
        "x".repeat(200),
        "y".repeat(200)
    );
    an_assertion_without_a_real_digest: "\
version: 1
assertions:
  - {callee: render, says: pure, owner: ann, digest: v1.2}
";
}

#[test]
fn a_bomb_is_refused() {
    let mut bomb = "version: 1\na: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for (name, of) in "bcdefghij".chars().zip("abcdefghi".chars()) {
        let nine = [format!("*{of}").as_str(); 9].join(",");
        bomb += &format!("{name}: &{name} [{nine}]\n");
    }
    // Unfolded it would be three billion values: that this ends at all is the test.
    insta::assert_snapshot!(refused(&bomb));
}

#[test]
fn a_password_in_the_file_never_comes_back() {
    let mut texts = String::new();
    for yaml in [
        "version: 1\ninputs:\n  database: postgres://auditor:hunter2@db/crm\n",
        "version: 1\ninputs: {database: \"mysql://u:hunter2@h/d\", flws: x}\n",
        "version: 1\ninputs:\n  database: auditor:hunter2@tcp(db:3306)/crm\n",
        "version: 1\ninputs:\n  database: env:postgres://u:hunter2@h\n",
        "version: 1\ninputs:\n  database: [postgres://u:hunter2@h]\n",
        "version: 1\ninputs:\n  databse: postgres://u:hunter2@h\n",
        "version: 1\ninputs:\n  databse: host=db password=hunter2\n",
        "version: 1\ninputs: {flows: [a, a], databse: \"mysql://u:hunter2@h/d\"}\n",
        "version: 1\ninputs:\n  database: a\n  database: postgres://u:hunter2@h\n",
        "version: postgres://u:hunter2@h\n",
        "version: 1\nhorizon: postgres://u:hunter2@h\n",
        "version: 1\npostgres://u:hunter2@h: x\n",
        "version: 1\nnatural_keys: {\"postgres://u:hunter2@h\": []}\n",
        "version: 1\ninputs:\n  database: postgres://u:hunter2@h: x\n",
        "version: 1\ninputs:\n  database: \"postgres://u:hunter2@h\n",
        "version: 1\ninputs:\n  database: >-\n    postgres://u:hunter2@h\n",
        "version: 1\noutbox: {record_key: {template: \"postgres://u:hunter2@h\"}}\n",
        "version: 1\nwaivers: [{check: a, subject: b, reason: c, owner: d, expires: \"x://u:hunter2@h\"}]\n",
    ] {
        let problems = problems(yaml);
        let text = format!("{problems}");
        assert!(
            !format!("{text}{problems:?}").contains("hunter2"),
            "{yaml}\n{text}"
        );
        texts += &format!("{text}\n");
    }
    insta::assert_snapshot!(texts);
}

#[test]
fn colour_adds_codes_and_nothing_else() {
    let problems = problems("version: 1\nwiavers: []\nhorizon: soon\n");
    let coloured = render(&problems.file, &problems.list, Style::Colour);
    assert!(coloured.contains("\u{1b}[1;31merror\u{1b}[0m: unknown key"));
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain += before;
        rest = after.split_once('m').expect("a code ends").1;
    }
    plain += rest;
    assert_eq!(plain, render(&problems.file, &problems.list, Style::Plain));
}

#[test]
fn every_place_opens_at_the_word_it_speaks_of() {
    let yaml = "version: 1\ngaté: {flag: A}\nhorizon: 'söon'\nwiavers: []\n";
    let file = TextFile::new("f", yaml.to_owned());
    let problems = problems(yaml);
    let words: Vec<&str> = problems
        .list
        .iter()
        .map(|problem| {
            let span = problem.place.span().unwrap();
            let start = file.offset(span.start).unwrap() as usize;
            let end = file.offset(span.end).unwrap() as usize;
            &yaml[start..end]
        })
        .collect();
    assert_eq!(words, ["gaté", "'söon'", "wiavers"]);
}

#[test]
fn names_that_lead_nowhere_are_reported_with_the_nearest() {
    let yaml = "\
version: 1
gate: {named: [Convert laed, Notify owner]}
deferred:
  - {flow: Nightly sync, reason: later, owner: ann}
contracts:
  - {consumer: 'flow:Notify ownr', kind: accepted-duplicate, reason: a, owner: b}
  - {consumer: Notify owner, kind: accepted-duplicate, reason: a, owner: b}
exclusions:
  - {consumer: Convert lead, reason: inactive}
waivers:
  - {check: unguarded-creates, subject: s, reason: r, owner: o, expires: 2026-12-31}
";
    let file = TextFile::new("outbox-audit.yaml", yaml.to_owned());
    let config = parse(file, Path::new("")).unwrap();
    let names = KnownNames {
        flows: Some(vec!["Convert lead", "Convert leads", "Notify owner"]),
        consumers: vec!["flow:Convert lead".into(), "flow:Notify owner".into()],
        ..KnownNames::default()
    };
    let checks = ["unguarded-create", "volatile-value"];
    let problems = check_names(&config, &names, &checks, &["neutral"]);
    insta::assert_snapshot!(render("outbox-audit.yaml", &problems, Style::Plain));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "(version: 1\n)?[a-z:\\-\\[\\]{}\"'#&*!|>~ \n\té0-9.]{0,80}") {
        if let Err(problems) = parse(TextFile::new("f", text), Path::new("")) {
            proptest::prop_assert!(!problems.list.is_empty());
            proptest::prop_assert!(!problems.to_string().is_empty());
        }
    }

    #[test]
    fn every_mangled_key_is_found_at_once(cuts in proptest::collection::vec(0usize..14, 1..14)) {
        const KEYS: [&str; 14] = ["gate", "inputs", "outbox", "natural_keys", "packs", "rules", "horizon",
            "contracts", "exclusions", "waivers", "deferred", "assertions", "limits", "colour"];
        let wrong: std::collections::BTreeSet<usize> = cuts.into_iter().collect();
        let mut yaml = "version: 1\n".to_owned();
        for at in &wrong {
            yaml += &format!("{}x:\n", KEYS[*at]);
        }
        proptest::prop_assert_eq!(problems(&yaml).list.len(), wrong.len());
    }
}
