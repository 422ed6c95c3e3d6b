//! Reading files and directories: every refusal has its place and next step, nothing is lost.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

use outbox_audit::input::files::kind::json_worth_parsing;
use outbox_audit::input::files::{
    self, FileKind, JsonKind, Limits, json_kind, read_text, recognise, relative, unreadable, walk,
};
use outbox_audit::input::json;
use outbox_audit::model::evidence::{InputKind, Reason, Why};
use outbox_audit::model::metadata::{Node, NodeOrigin};
use outbox_audit::model::text::TextFile;
use tempfile::TempDir;

const FLOWS: InputKind = InputKind::Flows;

fn tree(files: &[(&str, &[u8])]) -> TempDir {
    let dir = tempfile::tempdir().expect("temporary directory");
    for (name, bytes) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("parent")).expect("directory");
        fs::write(path, bytes).expect("file");
    }
    dir
}

fn refusal(dir: &TempDir, name: &str) -> Reason {
    let path = dir.path().join(name);
    let read = read_text(&path, dir.path(), &Limits::default(), FLOWS);
    let reason = *read.expect_err("refused");
    assert!(reason.place.is_some() && !reason.next_step.is_empty());
    assert_eq!(reason.needs, Some(FLOWS));
    reason
}

fn names(walk: &files::Walk) -> Vec<(&str, FileKind)> {
    walk.found.iter().map(|it| (&*it.name, it.kind)).collect()
}

fn node(text: &str) -> Node {
    let file = TextFile::new("x.json", text.to_owned());
    json::parse_text(text, &NodeOrigin::File(file.into())).expect("JSON")
}

#[test]
fn a_file_is_read_without_its_byte_order_mark_and_with_its_digest() {
    let dir = tree(&[("a/b.json", b"\xEF\xBB\xBF{\"a\": 1}\r\n")]);
    let path = dir.path().join("a/b.json");
    let read = read_text(&path, dir.path(), &Limits::default(), FLOWS).expect("read");
    assert_eq!(&*read.file.path, "a/b.json");
    assert_eq!(read.file.text(), "{\"a\": 1}\r\n");
    assert_eq!(read.digest.len(), 16);
    // The digest of `abc` in FIPS 180-2, appendix B.1.
    assert_eq!(&*files::digest(b"abc"), "ba7816bf8f01cfea");
}

#[test]
fn a_missing_file_and_a_directory_are_refused() {
    let dir = tree(&[("a/b.json", b"[]")]);
    let missing = refusal(&dir, "c.json");
    assert_eq!(missing.sentence, "`c.json` does not exist");
    assert_eq!(missing.why, Why::NotReadable);
    assert_eq!(
        refusal(&dir, "a").sentence,
        "`a` is a directory, not a file"
    );
}

#[test]
fn a_file_that_is_not_utf8_is_refused_with_byte_and_line() {
    let dir = tree(&[
        ("latin1.json", b"{\n  \"name\": \"caf\xE9\"}"),
        ("wide.json", b"\xFF\xFE{\0}\0"),
    ]);
    let latin1 = refusal(&dir, "latin1.json");
    assert!(
        latin1.sentence.contains("byte 16, on line 2"),
        "{}",
        latin1.sentence
    );
    assert_eq!(latin1.place.expect("place").to_string(), "latin1.json:2:15");
    assert!(refusal(&dir, "wide.json").sentence.contains("UTF-16"));
}

#[test]
fn a_huge_file_is_refused_by_its_size_without_being_read() {
    let dir = tree(&[]);
    let file = File::create(dir.path().join("huge.json")).expect("file");
    file.set_len(2 * 1024 * 1024 * 1024).expect("sparse");
    let reason = refusal(&dir, "huge.json");
    assert!(
        reason.sentence.contains("2147483648 bytes"),
        "{}",
        reason.sentence
    );
    assert!(reason.sentence.contains("536870912"));
    assert!(reason.next_step.contains("`limits.max_file_bytes`"));
}

#[test]
fn the_limit_is_exact() {
    let dir = tree(&[("a.json", b"12345")]);
    let read = |most| {
        let limits = Limits {
            max_file_bytes: most,
            ..Limits::default()
        };
        read_text(&dir.path().join("a.json"), dir.path(), &limits, FLOWS).is_ok()
    };
    assert!(read(5) && !read(4));
}

#[test]
fn errors_of_the_system_name_the_next_step() {
    let told = |kind| unreadable("f.json", &io::Error::from(kind), FLOWS);
    let denied = told(ErrorKind::PermissionDenied);
    assert_eq!(
        denied.sentence,
        "`f.json` may not be read: permission denied"
    );
    assert!(denied.next_step.contains("right to read `f.json`"));
    assert!(
        told(ErrorKind::Interrupted)
            .sentence
            .contains("could not be read")
    );
}

/// Whoever may read everything (root) reads the file; everybody else is told.
#[cfg(unix)]
#[test]
fn a_file_and_a_directory_without_rights_are_reported_unless_the_user_may_read_all() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tree(&[("a.json", b"{}"), ("shut/b.json", b"{}")]);
    let (file, shut) = (dir.path().join("a.json"), dir.path().join("shut"));
    let allow = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
    allow(&file, 0o000).expect("mode");
    allow(&shut, 0o000).expect("mode");
    let reads_all = File::open(&file).is_ok();
    let read = read_text(&file, dir.path(), &Limits::default(), FLOWS);
    let walked = walk(dir.path(), dir.path(), &Limits::default(), FLOWS);
    allow(&shut, 0o755).expect("mode");
    if reads_all {
        assert!(read.is_ok());
        assert_eq!(names(&walked).len(), 2);
        assert!(walked.problems.is_empty());
    } else {
        assert!(
            read.expect_err("refused")
                .sentence
                .contains("permission denied")
        );
        let told: Vec<_> = walked.problems.iter().map(|it| &*it.sentence).collect();
        assert_eq!(
            told,
            [
                "`a.json` may not be read: permission denied",
                "`shut` may not be read: permission denied"
            ]
        );
    }
}

#[test]
fn a_directory_is_looked_through_in_order_and_by_content() {
    let dir = tree(&[
        ("b/flows.json", b" [{\"name\": 1}]"),
        ("b/notes.json", b"just text"),
        ("a.sql", b"create table t(a)"),
        ("data.bin", b"SQLite format 3\0 but the name says otherwise"),
        ("data", b"SQLite format 3\0"),
        ("old.sqlite", b"SQLite format 3\0"),
        ("n.yaml", b"# ours\nversion: 1\nconsumers:\n  - id: a\n"),
        ("ci.yml", b"jobs:\n  consumers: 1\n"),
        ("outbox-audit.yaml", b"version: 1\n"),
        (".hidden/flows.json", b"[]"),
        (".gitignore", b"ignored/\n"),
        ("ignored/flows.json", b"[]"),
        (".ignore", b"b/\n"),
        ("src/main.rs", b"fn main() {}"),
    ]);
    let walked = walk(dir.path(), dir.path(), &Limits::default(), FLOWS);
    assert_eq!(
        names(&walked),
        [
            ("a.sql", FileKind::Sql),
            ("b/flows.json", FileKind::Json),
            ("data", FileKind::Sqlite),
            ("n.yaml", FileKind::NeutralFlows),
            ("old.sqlite", FileKind::Sqlite),
            ("outbox-audit.yaml", FileKind::Configuration),
        ]
    );
    assert_eq!(walked.problems, []);
}

#[cfg(unix)]
#[test]
fn a_directory_loop_is_reported_and_the_rest_is_read_once() {
    use std::os::unix::fs::symlink;
    let dir = tree(&[("a/flows.json", b"[]")]);
    symlink(dir.path(), dir.path().join("a/back")).expect("link");
    symlink(dir.path().join("a"), dir.path().join("again")).expect("link");
    symlink("gone.json", dir.path().join("dead.json")).expect("link");
    symlink("gone.rs", dir.path().join("dead.rs")).expect("link");
    let walked = walk(dir.path(), dir.path(), &Limits::default(), FLOWS);
    assert_eq!(names(&walked), [("a/flows.json", FileKind::Json)]);
    let told: Vec<_> = walked.problems.iter().map(|it| &*it.sentence).collect();
    assert!(
        told.iter()
            .any(|it| it.contains("`a/back` is a link back to `.`")),
        "{told:?}"
    );
    assert!(told.contains(&"`dead.json` does not exist"), "{told:?}");
    assert!(!told.iter().any(|it| it.contains("dead.rs")), "{told:?}");
}

#[test]
fn a_tree_with_too_many_entries_is_cut_and_says_so() {
    let files: Vec<String> = (0..30).map(|n| format!("{n:02}.json")).collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|it| (&**it, &b"{}"[..])).collect();
    let dir = tree(&files);
    let limits = Limits {
        max_files: 11,
        ..Limits::default()
    };
    let walked = walk(dir.path(), dir.path(), &limits, FLOWS);
    assert_eq!(walked.found.len(), 10);
    assert!(walked.problems[0].sentence.contains("more than 11 entries"));
    let missing = walk(&dir.path().join("none"), dir.path(), &limits, FLOWS);
    assert_eq!(missing.problems[0].sentence, "`none` does not exist");
}

#[test]
fn paths_are_relative_with_slashes() {
    assert_eq!(&*relative(Path::new("/r/a/b"), Path::new("/r")), "a/b");
    assert_eq!(&*relative(Path::new("/r"), Path::new("/r")), ".");
    assert_eq!(&*relative(Path::new("./a"), Path::new("x")), "a");
    assert_eq!(&*relative(Path::new("../a"), Path::new("x")), "../a");
    assert_eq!(&*relative(Path::new("/q/a"), Path::new("/r")), "/q/a");
}

#[test]
fn yaml_is_ours_only_with_consumers_at_the_top() {
    let kind = |text: &str| recognise(Path::new("x.yml"), text.as_bytes());
    assert_eq!(kind("\u{feff}consumers:\n"), FileKind::NeutralFlows);
    assert_eq!(
        kind("version: 1\r\n\"consumers\" : []\r\n"),
        FileKind::NeutralFlows
    );
    assert_eq!(
        kind("{version: 1,\n  consumers: []}"),
        FileKind::NeutralFlows
    );
    assert_eq!(kind("a:\n  consumers: []"), FileKind::Unknown);
    assert_eq!(kind("consumers_of: 1"), FileKind::Unknown);
    assert_eq!(
        recognise(Path::new("x.json"), b"\"text\""),
        FileKind::Unknown
    );
}

#[test]
fn json_is_recognised_by_its_keys() {
    let kind = |text| json_kind(&node(text));
    for flows in [
        r#"{"name": "A", "trigger_type": "afterCreate"}"#,
        r#"[{"x": 1}, {"name": "A", "flow_type": "simple", "status": "Active"}]"#,
        r#"{"flows": [{"name": "A", "trigger_object": "lead"}]}"#,
        r#"{"flows": []}"#,
        r#"{"data": [{"name": "A", "action_type": "SendEmail", "status": "Draft"}]}"#,
        r#"{"data": {"name": "A", "trigger_type": "schedule"}}"#,
        r#"[{"flow_id": "1", "step_order": 1}]"#,
        r#"[{"object_api_name": "a", "field_api_name": "no", "current_number": 3}]"#,
        r#"[{"object_id": "a", "api_name": "no", "type": "Text"}]"#,
        r#"[{"object_api_name": "a", "name": "go", "type": "Composite", "config": {}}]"#,
        r#"[{"api_name": "a", "sharing_model": "Private", "fields": []}]"#,
        r#"{"version": 1, "consumers": [{"id": "a", "effects": []}]}"#,
    ] {
        assert_eq!(kind(flows), Some(JsonKind::Flows), "{flows}");
    }
    assert_eq!(
        kind(r#"[{"tableName": "t", "columns": []}]"#),
        Some(JsonKind::SystemTables)
    );
    for other in [
        "[]",
        "{}",
        "1",
        r#"{"name": "pkg", "version": "1"}"#,
        r#"[{"name": "a", "type": "b"}]"#,
        r#"{"data": 1}"#,
        r#"{"actions": [{"name": "build"}]}"#,
        r#"{"fields": [], "objects": []}"#,
        r#"{"consumers": 3}"#,
    ] {
        assert_eq!(kind(other), None, "{other}");
    }
    assert!(json_worth_parsing("[{\"trigger_type\": "));
    assert!(!json_worth_parsing(r#"{"name": "pkg", "version": "1"}"#));
}
