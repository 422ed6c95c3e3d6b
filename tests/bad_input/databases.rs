//! SQLite files that are none, broken, cut off or locked. (SQLite has no rights on tables.)

use std::fs;
use std::path::{Path, PathBuf};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};

use crate::attempt::{folder, json_of, reason, reported};

fn sound() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/whole/nexuscrm-repaired/database.sqlite")
}

/// The sentence about a database file with these bytes, and its next step.
fn says(bytes: &[u8], sentence: &str, next: &str) {
    let outer = folder(&[("db.sqlite", bytes)]);
    let flags = ["--database", "sqlite:db.sqlite"];
    reported(outer.path(), &flags, 3, &[sentence]);
    let report = json_of(outer.path(), &flags);
    let reason = reason(&report, "database", sentence);
    assert_eq!(reason["place"]["file"], "db.sqlite");
    assert!(
        reason["next_step"]
            .as_str()
            .is_some_and(|step| step.contains(next)),
        "{reason}"
    );
    let read = report["inputs"]
        .as_array()
        .expect("inputs")
        .iter()
        .find(|input| input["kind"] == "database");
    let read = &read.expect("it is listed")["read"];
    assert_eq!(
        read.as_array().map(Vec::len),
        Some(0),
        "nothing of it counts as read"
    );
    let left: Vec<_> = fs::read_dir(outer.path()).expect("the folder").collect();
    assert_eq!(left.len(), 1, "nothing is written beside the database");
}

#[test]
fn random_bytes_behind_the_magic() {
    // A fixed sequence (a linear congruential generator), so that every run sees the same bytes.
    let mut state: u32 = 1;
    let mut bytes = b"SQLite format 3\0".to_vec();
    bytes.extend((0..16_368).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    }));
    says(
        &bytes,
        "db.sqlite is not an SQLite database",
        "Correct the path",
    );
}

#[test]
fn a_sound_header_and_noise_behind_it() {
    let mut bytes = fs::read(sound()).expect("the database");
    for (at, byte) in bytes.iter_mut().enumerate().skip(100) {
        *byte = (at.wrapping_mul(2_654_435_761) >> 7) as u8;
    }
    says(&bytes, "db.sqlite is corrupt", "Restore the file");
}

#[test]
fn a_database_that_is_cut_off_anywhere() {
    let bytes = fs::read(sound()).expect("the database");
    for length in [50, 4_096, 20_000, bytes.len() - 4_096, bytes.len() - 1] {
        says(&bytes[..length], "db.sqlite is corrupt", "Restore the file");
    }
}

#[test]
fn what_is_no_database() {
    says(
        b"this is a text, and no database at all\n",
        "db.sqlite is not an SQLite database",
        "Correct the path",
    );
    says(b"", "db.sqlite is empty", "Correct the path");
}

#[test]
fn a_database_that_is_not_there() {
    let empty = folder(&[]);
    let flags = ["--database", "sqlite:db.sqlite"];
    reported(
        empty.path(),
        &flags,
        3,
        &["there is no file db.sqlite", "next: Correct the path"],
    );
    assert!(!empty.path().join("db.sqlite").exists(), "it is not made");
}

#[test]
fn a_database_that_is_locked() {
    let outer = folder(&[]);
    let file = outer.path().join("db.sqlite");
    fs::copy(sound(), &file).expect("it is copied");
    let flags = ["--database", "sqlite:db.sqlite"];
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let options = SqliteConnectOptions::new().filename(&file);
        let mut holder = options.connect().await.expect("a database");
        sqlx::raw_sql("BEGIN EXCLUSIVE; CREATE TABLE held (a TEXT);")
            .execute(&mut holder)
            .await
            .expect("the lock");
        reported(
            outer.path(),
            &flags,
            3,
            &[
                "db.sqlite is locked by another process",
                "next: Try again when the lock is gone",
            ],
        );
        reason(&json_of(outer.path(), &flags), "database", "is locked");
        sqlx::raw_sql("ROLLBACK")
            .execute(&mut holder)
            .await
            .expect("the lock goes");
        holder.close().await.expect("it is closed");
    });
    let report = json_of(outer.path(), &flags);
    let database = report["inputs"]
        .as_array()
        .expect("inputs")
        .iter()
        .find(|input| input["kind"] == "database");
    assert_eq!(
        database.expect("it is listed")["unknown"],
        serde_json::json!([]),
        "free again, it is read"
    );
}

#[test]
fn a_server_that_this_version_does_not_read() {
    let empty = folder(&[]);
    reported(
        empty.path(),
        &["--database", "oracle://u:pw@h/db"],
        3,
        &[
            "is a URL for an engine that this version does not read",
            "next: give postgres://",
        ],
    );
}
