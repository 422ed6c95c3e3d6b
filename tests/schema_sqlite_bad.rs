//! SQLite files that cannot be read: each gives a reason, none is changed, nothing is left beside it.

mod schema_support;

use std::path::Path;

use outbox_audit::input::schema::read_sqlite;
use outbox_audit::model::evidence::{InputKind, Reason, Why};
use schema_support::{block_on, make};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Executor};

const SCRIPT: &str = "CREATE TABLE a(id INTEGER PRIMARY KEY, k TEXT NOT NULL UNIQUE, d TEXT); \
    CREATE UNIQUE INDEX u ON a(d) WHERE d IS NOT NULL; INSERT INTO a(k) VALUES ('x')";

fn refused(path: &Path) -> Reason {
    let before = std::fs::read(path).ok();
    let reason = read_sqlite(path, "data/app.db").expect_err("a reason");
    assert_eq!(reason.why, Why::NotReadable);
    assert_eq!(reason.needs, Some(InputKind::Database));
    assert!(
        reason.sentence.contains("data/app.db"),
        "{}",
        reason.sentence
    );
    assert!(!reason.next_step.is_empty());
    assert!(
        !reason.sentence.contains(&path.display().to_string()),
        "the path as named, not the one on disk"
    );
    assert_eq!(std::fs::read(path).ok(), before);
    reason
}

#[test]
fn missing_empty_and_foreign_files() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("app.db");
    assert!(refused(&path).sentence.contains("no file"));
    std::fs::write(&path, b"").expect("write");
    assert!(refused(&path).sentence.contains("empty"));
    std::fs::write(
        &path,
        b"-- SQL text, not a database at all, and longer than a header is",
    )
    .expect("write");
    assert!(refused(&path).sentence.contains("not an SQLite database"));
    std::fs::write(&path, [0x5A; 8192]).expect("write");
    assert!(refused(&path).sentence.contains("encrypted"));
    assert!(refused(folder.path()).sentence.contains("not a file"));
}

#[test]
fn corrupt_files() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("app.db");
    make(&path, SCRIPT);
    let whole = std::fs::read(&path).expect("bytes");
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("write");
    refused(&path);
    std::fs::write(&path, &whole[..100]).expect("write");
    refused(&path);
    // The pages behind the first are overwritten.
    let mut broken = whole.clone();
    for byte in broken.iter_mut().skip(4096) {
        *byte = 0xA5;
    }
    std::fs::write(&path, &broken).expect("write");
    assert!(refused(&path).sentence.contains("corrupt"));
    // The stored text of a table.
    let mut broken = whole;
    let at = memchr::memmem::find(&broken, b"CREATE TABLE").expect("the text");
    broken[at..at + 12].copy_from_slice(b"CREATE XXXXX");
    std::fs::write(&path, &broken).expect("write");
    refused(&path);
}

#[test]
fn locked_files() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("app.db");
    make(&path, SCRIPT);
    block_on(async {
        let mut other = SqliteConnectOptions::new()
            .filename(&path)
            .connect()
            .await
            .expect("open");
        other.execute("BEGIN EXCLUSIVE").await.expect("lock");
        let at = path.clone();
        let reason = std::thread::spawn(move || refused(&at))
            .join()
            .expect("thread");
        assert!(reason.sentence.contains("locked"), "{}", reason.sentence);
        other.execute("ROLLBACK").await.expect("unlock");
        other.close().await.expect("close");
    });
    assert!(read_sqlite(&path, "data/app.db").is_ok());
}

#[test]
fn a_log_with_changes_is_not_ignored() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("app.db");
    make(&path, SCRIPT);
    block_on(async {
        let mut other = SqliteConnectOptions::new()
            .filename(&path)
            .connect()
            .await
            .expect("open");
        other
            .execute("PRAGMA journal_mode = WAL")
            .await
            .expect("wal");
        other
            .execute("CREATE UNIQUE INDEX later ON a(id, d)")
            .await
            .expect("index");
        let at = path.clone();
        let reason = std::thread::spawn(move || refused(&at))
            .join()
            .expect("thread");
        assert!(
            reason.sentence.contains("write-ahead log"),
            "{}",
            reason.sentence
        );
        other.close().await.expect("close");
    });
    // Closing wrote the log back: now the file is whole, and is read without making -wal or -shm.
    let schema = read_sqlite(&path, "data/app.db").expect("catalog");
    assert!(schema.unknown.is_empty(), "{:?}", schema.unknown);
    let names: Vec<&str> = schema.tables[0]
        .enforcers
        .iter()
        .map(|key| &*key.name)
        .collect();
    assert!(names.contains(&"later"), "{names:?}");
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("folder").collect();
    assert_eq!(left.len(), 1);
}

#[test]
fn the_text_and_the_catalog_have_to_agree() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("app.db");
    make(
        &path,
        "CREATE TABLE a(k TEXT UNIQUE); CREATE TABLE b(k TEXT UNIQUE)",
    );
    let schema = read_sqlite(&path, "app.db").expect("catalog");
    assert!(schema.unknown.is_empty());
    let key = &schema.tables[0].enforcers[0];
    assert_eq!(key.enforced.shown(), Some(&true));
    assert_eq!(key.evidence.place.to_string(), "app.db: a");
    // A definition that this reader does not know, and SQLite does: the first is unknown, not lost.
    make(
        &path,
        "CREATE TABLE c(k TEXT DEFAULT (1) CHECK (k <> 'a') UNIQUE, l ANY COLLATE RTRIM)",
    );
    let schema = read_sqlite(&path, "app.db").expect("catalog");
    assert_eq!(schema.tables.len(), 3);
}
