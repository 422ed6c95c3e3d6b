//! How the facts about a live outbox scale: ten million rows, of which a hundred thousand are not
//! done, in PostgreSQL and MariaDB.
//!
//! `cargo bench --bench backlog` builds the tables in databases of its own, runs `backlog` on them
//! without any index, with those that the audit asks for, and with payloads that are read out, prints
//! wall time and peak memory, and drops them. It asserts nothing: a timed test would fail on a busy machine. The servers are those
//! of `OUTBOX_AUDIT_TEST_POSTGRES` and `OUTBOX_AUDIT_TEST_MARIADB` (`scripts/servers hold ENGINE`);
//! one that is not named is left out. `OUTBOX_AUDIT_BENCH_ROWS` asks for another number of rows, and
//! `OUTBOX_AUDIT_BENCH_BINARY` runs another binary. It needs about 3 GB of disk for each server.

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, PgConnection};

const RUNS: usize = 3;
const NAME: &str = "outbox_audit_bench";

fn main() {
    // Test runners start every target; only `cargo bench` asks for figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let rows: u64 = std::env::var("OUTBOX_AUDIT_BENCH_ROWS")
        .ok()
        .and_then(|rows| rows.parse().ok())
        .unwrap_or(10_000_000);
    let folder = std::env::temp_dir().join(format!("outbox-audit-backlog-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    fs::write(folder.join("outbox-audit.yaml"), CONFIGURATION).expect("the configuration");
    println!("{:<44} {:>10} {:>10}", "job", "median", "peak");
    for (engine, variable) in [
        ("postgres", "OUTBOX_AUDIT_TEST_POSTGRES"),
        ("mariadb", "OUTBOX_AUDIT_TEST_MARIADB"),
    ] {
        let Ok(server) = std::env::var(variable) else {
            println!("{engine}: {variable} names no server");
            continue;
        };
        let is_postgres = engine == "postgres";
        let place = server.rfind('/').expect("a URL names a database");
        let url = format!("{}/{NAME}", &server[..place]);
        run(&server, &format!("DROP DATABASE IF EXISTS {NAME}"));
        run(&server, &format!("CREATE DATABASE {NAME}"));
        if !is_postgres {
            // The servers of the tests have room for little.
            run(&server, "SET GLOBAL innodb_buffer_pool_size = 1073741824");
        }
        let began = Instant::now();
        run(&url, &table(is_postgres));
        run(&url, &fill(is_postgres, rows));
        let analyze = if is_postgres {
            "ANALYZE queue"
        } else {
            "ANALYZE TABLE queue"
        };
        run(&url, analyze);
        let built = format!("{engine}: {rows} rows are built");
        println!("{built:<44} {:>7} s", began.elapsed().as_secs());
        report(
            &format!("{engine}: backlog without an index"),
            &folder,
            &url,
            &[],
        );
        for index in [
            "CREATE INDEX queue_state ON queue (state, made, id)",
            "CREATE INDEX queue_key ON queue (rkey, state, made, id)",
        ] {
            run(&url, index);
        }
        run(&url, analyze);
        report(
            &format!("{engine}: backlog with both indexes"),
            &folder,
            &url,
            &[],
        );
        report(
            &format!("{engine}: the same, payloads read out"),
            &folder,
            &url,
            &["--stream-payloads"],
        );
        run(&server, &format!("DROP DATABASE {NAME}"));
    }
    fs::remove_dir_all(&folder).expect("the temporary folder goes");
}

const CONFIGURATION: &str = "version: 1\noutbox:\n  table: queue\n  columns: {id: id, event_type: kind, \
    payload: body, status: state, retry_count: tries, created: made, modified: beat, record_key: rkey}\n  \
    states: {ready: [new], claimed: [taken], done: [done], dead: [dropped]}\n  record_key: {template: \
    \"{object_api_name}:{record.id}\"}\n  stale_cutoff: 5m\n  retry_cutoff: 30s\n  max_retries: 5\n\
    limits: {timeout_seconds: 10}\n";

fn table(is_postgres: bool) -> String {
    let (json, stamp) = match is_postgres {
        true => ("jsonb", "timestamptz"),
        false => ("JSON", "DATETIME(6)"),
    };
    format!(
        "CREATE TABLE queue (id VARCHAR(36) NOT NULL PRIMARY KEY, kind VARCHAR(40) NOT NULL, body {json} \
         NOT NULL, state VARCHAR(20) NOT NULL, tries INT NOT NULL, made {stamp} NOT NULL, beat {stamp} \
         NOT NULL, rkey VARCHAR(120))"
    )
}

/// The last row in a hundred is not done, as a queue is worked off from its oldest row on; of these
/// one in ten has no key, and three share one each.
fn fill(is_postgres: bool, rows: u64) -> String {
    let done = rows - rows / 100;
    let (source, number, text, moment) = match is_postgres {
        true => (
            format!("generate_series(1, {rows}) AS s(n)"),
            "lpad(n::text, 36, '0')",
            "'{\"object_api_name\": \"Lead\", \"record\": {\"id\": \"' || n / 3 || '\", \"name\": \"Ada\"}}'",
            "now() - (n % 86400) * interval '1 second'",
        ),
        false => (
            format!("(SELECT seq AS n FROM seq_1_to_{rows}) s"),
            "lpad(n, 36, '0')",
            "CONCAT('{\"object_api_name\": \"Lead\", \"record\": {\"id\": \"', n DIV 3, '\", \"name\": \"Ada\"}}')",
            "now(6) - INTERVAL (n % 86400) SECOND",
        ),
    };
    let (cast, key) = match is_postgres {
        true => (format!("({text})::jsonb"), "'Lead:' || n / 3"),
        false => (text.to_owned(), "CONCAT('Lead:', n DIV 3)"),
    };
    format!(
        "INSERT INTO queue SELECT {number}, 'record.updated', {cast}, CASE WHEN n > {done} THEN 'new' \
         ELSE 'done' END, 0, {moment}, {moment}, CASE WHEN n % 10 = 0 THEN NULL ELSE {key} END FROM \
         {source}"
    )
}

fn run(url: &str, sql: &str) {
    let sql = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts")
        .block_on(async {
            if url.starts_with("postgres") {
                let mut wire = PgConnection::connect(url).await.expect("it connects");
                wire.execute(sql).await.expect("it runs");
            } else {
                let mut wire = MySqlConnection::connect(url).await.expect("it connects");
                wire.execute(sql).await.expect("it runs");
            }
        });
}

fn report(label: &str, folder: &Path, url: &str, more: &[&str]) {
    let mut times: Vec<Duration> = Vec::new();
    let mut peak = 0;
    for _ in 0..RUNS {
        let (time, memory) = measure(folder, url, more);
        times.push(time);
        peak = peak.max(memory);
    }
    times.sort();
    println!(
        "{label:<44} {:>7} ms {:>7} MB",
        times[RUNS / 2].as_millis(),
        peak / 1024
    );
}

/// Wall time, and the highest resident memory that was seen, in KiB.
fn measure(folder: &Path, url: &str, more: &[&str]) -> (Duration, u64) {
    let binary = std::env::var("OUTBOX_AUDIT_BENCH_BINARY")
        .unwrap_or_else(|_| env!("CARGO_BIN_EXE_outbox-audit").to_owned());
    let started = Instant::now();
    let mut child = Command::new(binary)
        .args(["backlog", "--format", "json", "--database", "env:BENCH"])
        .args(more)
        .current_dir(folder)
        .env("BENCH", url)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        if let Ok(text) = fs::read_to_string(&status) {
            let seen = text
                .lines()
                .find_map(|line| line.strip_prefix("VmHWM:"))
                .and_then(|rest| rest.trim().trim_end_matches(" kB").trim().parse().ok());
            peak = peak.max(seen.unwrap_or(0));
        }
        if child
            .try_wait()
            .expect("the binary can be waited for")
            .is_some()
        {
            return (started.elapsed(), peak);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
