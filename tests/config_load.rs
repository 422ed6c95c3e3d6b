//! Finding the file, and what happens when it cannot be read as text.

use std::fs;
use std::path::Path;

use outbox_audit::input::config::{FILE_NAME, find, load};

fn refused(path: &Path) -> String {
    load(path, FILE_NAME).expect_err("refused").to_string()
}

#[test]
fn the_nearest_file_upward_counts_and_the_repository_ends_the_search() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path().canonicalize().unwrap();
    let deep = root.join("repo/a/b");
    fs::create_dir_all(&deep).unwrap();
    fs::write(root.join(FILE_NAME), "version: 1\n").unwrap();
    assert_eq!(find(&deep), Some(root.join(FILE_NAME)));

    fs::create_dir(root.join("repo/.git")).unwrap();
    assert_eq!(
        find(&deep),
        None,
        "a file above the repository is another's"
    );

    let own = root.join("repo").join(FILE_NAME);
    fs::write(&own, "version: 1\n").unwrap();
    assert_eq!(find(&deep), Some(own.clone()));
    assert_eq!(find(&own), Some(own.clone()), "from a file");
    assert_eq!(find(&root.join("repo/not/there")), Some(own));
}

#[test]
fn a_file_is_read_and_its_paths_begin_at_its_directory() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join(FILE_NAME);
    fs::write(&file, "\u{feff}version: 1\r\ninputs: {flows: meta}\r\n").unwrap();
    let config = load(&file, FILE_NAME).unwrap();
    assert_eq!(config.inputs.flows[0].path, root.path().join("meta"));
    assert_eq!(
        config.inputs.flows[0].declared.place.to_string(),
        "outbox-audit.yaml:2:17"
    );
}

#[test]
fn what_cannot_be_read_says_why() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str, bytes: &[u8]| {
        let path = root.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    fs::create_dir(root.path().join("folder")).unwrap();
    let texts = [
        refused(&root.path().join("none.yaml")),
        refused(&root.path().join("folder")),
        refused(&at("latin1.yaml", b"version: 1\n# caf\xe9\n")),
        refused(&at("utf16.yaml", b"\xff\xfev\0e\0")),
        refused(&at("empty.yaml", b"")),
        refused(&at("large.yaml", &vec![b'#'; 1024 * 1024 + 1])),
        refused(&at("nul.yaml", b"version: 1\ngate: {flag: a\0b}\n")),
    ];
    insta::assert_snapshot!(texts.join("\n"));
}

#[cfg(unix)]
#[test]
fn a_dead_link_and_a_device_are_refused_without_waiting() {
    let root = tempfile::tempdir().unwrap();
    let link = root.path().join(FILE_NAME);
    std::os::unix::fs::symlink(root.path().join("gone"), &link).unwrap();
    let beside = root.path().canonicalize().unwrap().join(FILE_NAME);
    assert_eq!(find(root.path()), Some(beside));
    assert!(refused(&link).contains("cannot be read"));
    assert!(refused(Path::new("/dev/zero")).contains("not a regular file"));
}

#[test]
fn a_file_of_another_kind_is_refused_without_a_wall_of_text() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join(FILE_NAME);
    let keys: String = (0..5_000).map(|at| format!("k{at}: 1\n")).collect();
    fs::write(&file, format!("version: 1\n{keys}")).unwrap();
    let text = refused(&file);
    assert!(text.ends_with(
        "error: 5000 problems in outbox-audit.yaml, the first 50 shown; nothing was audited\n"
    ));
    assert_eq!(text.matches("error: unknown key").count(), 50);
}
