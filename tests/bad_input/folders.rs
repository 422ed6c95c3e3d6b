//! Folders that hold nothing, too little, loops, or what may not be read.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::attempt::{command, folder, json_of, judge, one_flow, reason, refused, reported};

const SCHEMA: &[u8] =
    b"CREATE TABLE Note (id INTEGER PRIMARY KEY, lead_id TEXT NOT NULL UNIQUE) STRICT;\n";

#[test]
fn an_empty_directory() {
    let empty = folder(&[]);
    let told = reported(
        empty.path(),
        &[],
        3,
        &[
            "UNPROVEN",
            "no effect was found",
            "no consumer was found in what was read",
            "next: give the flow metadata (--flows)",
        ],
    );
    assert!(
        told.stdout.contains("Map no consumer was found"),
        "{}",
        told.stdout
    );
}

#[test]
fn a_directory_without_flows() {
    let without = folder(&[("schema.sql", SCHEMA)]);
    reported(
        without.path(),
        &["--dialect", "sqlite"],
        3,
        &[
            "1 table",
            "no consumer was found in what was read",
            "give the flow metadata (--flows)",
        ],
    );
}

#[test]
fn flows_without_schema() {
    let flows = one_flow(
        "CreateRecord",
        &json!({"target_object": "Note", "field_mappings": {"lead_id": "{!record.id}"}}),
    );
    let without = folder(&[("flows.json", flows.to_string().as_bytes())]);
    reported(
        without.path(),
        &[],
        3,
        &[
            "no schema was read, so what protects Note is not known",
            "--> flows.json:1:",
            "next: give the schema (--schema) or the database (--database)",
        ],
    );
}

#[test]
fn a_project_that_does_not_exist() {
    let empty = folder(&[]);
    refused(
        empty.path(),
        &["nowhere"],
        &["nowhere does not exist; name the project to audit"],
    );
}

#[test]
fn inputs_that_do_not_exist() {
    let empty = folder(&[]);
    for (flag, kind) in [("--flows", "flows"), ("--schema", "schema")] {
        let flags = [flag, "nowhere.json"];
        reported(
            empty.path(),
            &flags,
            3,
            &["nowhere.json` does not exist", "next: correct the path"],
        );
        reason(&json_of(empty.path(), &flags), kind, "does not exist");
    }
}

#[test]
fn a_directory_in_place_of_a_file() {
    let outer = folder(&[]);
    fs::create_dir(outer.path().join("flows.json")).expect("a folder");
    let flags = ["--flows", "flows.json"];
    reported(
        outer.path(),
        &flags,
        3,
        &[
            "directory flows.json holds no",
            "next: name the file itself",
        ],
    );
    reason(&json_of(outer.path(), &flags), "flows", "flows.json");
    let flags = ["--database", "sqlite:flows.json"];
    reported(outer.path(), &flags, 3, &["flows.json is not a file"]);
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_circles() {
    use std::os::unix::fs::symlink;
    let outer = folder(&[]);
    let inner = outer.path().join("a");
    fs::create_dir(&inner).expect("a folder");
    symlink("..", inner.join("up")).expect("a link");
    symlink("self", outer.path().join("self")).expect("a link");
    let words = [
        "`a/up` is a link back to `.`, which holds it",
        "`self` could not be read",
        "next: remove the link",
    ];
    reported(outer.path(), &[], 3, &words);
    let report = json_of(outer.path(), &["--flows", "a"]);
    assert_eq!(
        reason(&report, "flows", "is a link back")["place"]["file"],
        "a/up"
    );
    reported(
        outer.path(),
        &["--flows", "self"],
        3,
        &["`self` could not be read"],
    );
}

/// A pipe would be waited for for ever.
#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_file() {
    let outer = folder(&[]);
    let made = std::process::Command::new("mkfifo")
        .arg(outer.path().join("flows.json"))
        .status();
    assert!(made.expect("mkfifo starts").success());
    reported(
        outer.path(),
        &["--flows", "flows.json"],
        3,
        &[
            "`flows.json` is not a regular file",
            "next: name a regular file",
        ],
    );
}

/// What this user may not read. Nobody keeps the superuser from reading, so then the audit is run
/// by the least of users.
#[cfg(unix)]
#[test]
fn files_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path, mode: u32| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its mode is set");
    };
    let outer = folder(&[
        ("flows.json", b"[]"),
        ("schema.sql", SCHEMA),
        ("db.sqlite", b"SQLite format 3\0"),
    ]);
    fs::create_dir(outer.path().join("closed")).expect("a folder");
    mode(outer.path(), 0o755);
    for name in ["flows.json", "schema.sql", "db.sqlite", "closed"] {
        mode(&outer.path().join(name), 0o000);
    }
    let open = fs::File::open(outer.path().join("flows.json")).is_ok();
    let binary = outer.path().join("audit");
    fs::copy(env!("CARGO_BIN_EXE_outbox-audit"), &binary).expect("the binary is copied");
    mode(&binary, 0o755);
    let run = |flags: &[&str]| {
        let mut command = if open {
            let mut command = std::process::Command::new("setpriv");
            command
                .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
                .arg(&binary);
            command
        } else {
            std::process::Command::new(&binary)
        };
        let output = command
            .current_dir(outer.path())
            .arg("check")
            .args(flags)
            .output()
            .expect("it starts");
        crate::attempt::judge(&output)
    };
    for (flags, sentence) in [
        (
            &["--flows", "flows.json"][..],
            "`flows.json` may not be read: permission denied",
        ),
        (
            &["--schema", "schema.sql"],
            "`schema.sql` may not be read: permission denied",
        ),
        (
            &["--database", "sqlite:db.sqlite"],
            "db.sqlite may not be read by this user",
        ),
        (
            &["--flows", "closed"],
            "`closed` may not be read: permission denied",
        ),
        (&[], "permission denied"),
    ] {
        let told = run(flags);
        assert_eq!(told.status, 3, "{flags:?} {}", told.stderr);
        assert!(told.stdout.contains(sentence), "{flags:?}: {}", told.stdout);
        assert!(
            told.stdout.to_lowercase().contains("next: give th"),
            "{flags:?}: {}",
            told.stdout
        );
    }
    mode(&outer.path().join("closed"), 0o755);
}

/// Consumers in the neutral format ask for the neutral pack, whether or not they could be read: a
/// slip in them must not ask for tables of a platform that is not there.
#[test]
fn the_neutral_format_keeps_its_pack_when_it_cannot_be_read() {
    let sound = "version: 1\nconsumers:\n- {id: a, event: x, effects: []}\n";
    let slip = "version: 1\nconsumers:\n- {id: a, evnt: x, effects: []}\n";
    let torn = [slip.as_bytes(), b"# \xff\n"].concat();
    for text in [sound.as_bytes(), slip.as_bytes(), &torn, b""] {
        let outer = folder(&[("flows.yaml", text)]);
        for arguments in [&[] as &[&str], &["--flows", "flows.yaml"]] {
            let report = json_of(outer.path(), arguments);
            assert_eq!(report["packs"], serde_json::json!(["neutral"]), "{report}");
            let page = judge(
                &command(outer.path(), arguments)
                    .output()
                    .expect("it starts"),
            );
            assert!(!page.stdout.contains("_System_"), "{}", page.stdout);
        }
    }
}

/// One cause, one reason and one change, however many tables are written.
#[test]
fn many_tables_without_any_schema() {
    let flows: Vec<serde_json::Value> = (0..40)
        .map(|at| {
            let config =
                json!({"target_object": format!("T{at}"), "field_mappings": {"a": "{!record.b}"}});
            let action = ["CreateRecord", "UpdateRecord"][at % 2];
            let mut flow = one_flow(action, &config)[0].take();
            flow["name"] = format!("F{at}").into();
            flow
        })
        .collect();
    let text = serde_json::to_vec(&flows).expect("JSON");
    let outer = folder(&[("flows.json", &text)]);
    let page = reported(
        outer.path(),
        &[],
        3,
        &["give the schema: none was read, and 21 tables"],
    );
    let causes = page
        .stdout
        .matches("= next: give the schema (--schema)")
        .count();
    assert_eq!(causes, 1, "{}", page.stdout);
    assert!(
        !page.stdout.contains("give the schema that defines T"),
        "{}",
        page.stdout
    );
    let report = json_of(outer.path(), &[]);
    let changes = report["changes_to_go"].to_string();
    assert!(!changes.contains("T7"), "{changes}");
}
