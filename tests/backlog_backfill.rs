//! The printed backfill, run on every engine: what it fills and what it leaves, and that it can be
//! killed half-way beside workers that write.

mod backlog_support;
mod live_support;
mod servers;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use backlog_support::{Connected, Payload, Project, lead, row, section};
use servers::{Server, mariadb, postgres, postgres_newer};

/// The three parts of what is printed.
struct Printed {
    session: Option<String>,
    batch: String,
    remaining: String,
}

fn printed(project: &Project, batch: &str) -> Printed {
    let said = project.says(&["backfill", "--batch", batch]);
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    let part = |heading| section(&said.stdout, heading);
    Printed {
        session: part("-- Once in each session:\n"),
        batch: part("-- Until it changes no row:\n").expect("a batch"),
        remaining: part("-- Done when it says 0:\n").expect("a last query"),
    }
}

impl Printed {
    fn session(&self, url: &str) -> Connected {
        let mut connection = Connected::to(url);
        if let Some(once) = &self.session {
            connection.change(once).expect("the session is prepared");
        }
        connection
    }

    fn remaining(&self, connection: &mut Connected) -> String {
        let sql = self.remaining.trim_end_matches(';');
        let text = sql.replace("count(*) AS remaining", "CONCAT('', count(*)) AS remaining");
        connection.texts(&text).remove(0)
    }

    /// To the end: the number of rows that changed.
    fn finish(&self, url: &str) -> u64 {
        let mut connection = self.session(url);
        let mut all = 0;
        loop {
            let changed = connection.change(&self.batch).expect("a batch runs");
            all += changed;
            if changed == 0 {
                assert_eq!(self.remaining(&mut connection), "0");
                return all;
            }
        }
    }
}

fn small_projects() -> Vec<(&'static str, Payload, Project)> {
    use Payload::{Bytes, Json, Text};
    vec![
        ("postgres 15 jsonb", Json, Project::on(postgres(), Json)),
        ("postgres 15 text", Text, Project::on(postgres(), Text)),
        ("postgres 15 bytea", Bytes, Project::on(postgres(), Bytes)),
        (
            "postgres 18 text",
            Text,
            Project::on(postgres_newer(), Text),
        ),
        ("mariadb json", Json, Project::on(mariadb(), Json)),
        ("mariadb text", Text, Project::on(mariadb(), Text)),
        ("mariadb blob", Bytes, Project::on(mariadb(), Bytes)),
        ("sqlite text", Text, Project::in_file(Text)),
    ]
}

const ALL: &str = "SELECT CONCAT(id, ' ', COALESCE(rkey, '-')) FROM queue ORDER BY id";

#[test]
fn it_fills_what_waits_without_a_key_and_nothing_else() {
    for (name, payload, project) in small_projects() {
        let quoted = |id: &str| lead(&format!("\"{id}\""));
        let mut rows = vec![
            row("a1", Some("new"), &quoted("O'Brien é"), None),
            row("a2", Some("taken"), &lead("17"), None),
            row("a3", Some("parked"), &quoted("x"), None),
            row("a4", None, &quoted("y"), None),
            row("b1", Some("done"), &quoted("z"), None),
            row("b2", Some("dropped"), &quoted("z"), None),
            row("b3", Some("new"), &quoted("z"), Some("other:z")),
            row("b4", Some("new"), &lead("null"), None),
        ];
        if payload != Payload::Json {
            rows.push(row("b5", Some("new"), "{\"object_api", None));
        }
        project.run(&rows.concat());
        if name.starts_with("mariadb") {
            // The trap that the column is set to itself for.
            project.run(
                "ALTER TABLE queue MODIFY beat DATETIME(6) NULL ON UPDATE CURRENT_TIMESTAMP(6)",
            );
        }
        // One row a run: a row that gives no key must not stop the next one.
        let filled = printed(&project, "1").finish(project.url());
        assert_eq!(filled, 4, "{name}");
        let mut wanted = vec![
            "a1 Lead:O'Brien é",
            "a2 Lead:17",
            "a3 Lead:x",
            "a4 Lead:y",
            "b1 -",
            "b2 -",
            "b3 other:z",
            "b4 -",
        ];
        if payload != Payload::Json {
            wanted.push("b5 -");
        }
        assert_eq!(project.texts(ALL), wanted, "{name}");
        let moved = "SELECT id FROM queue WHERE beat <> made";
        assert!(project.texts(moved).is_empty(), "{name}: a heartbeat moved");
        assert_eq!(printed(&project, "500").finish(project.url()), 0, "{name}");
    }
}

/// So many rows wait without a key.
const ROWS: usize = 3000;

fn many(server: &Server) -> Project {
    let project = Project::on(server, Payload::Json);
    fill(&project);
    project
}

fn fill(project: &Project) {
    let values: Vec<String> = (0..ROWS)
        .map(|at| {
            let state = if at % 10 == 9 { "done" } else { "new" };
            let key = lead(&format!("\"r{}\"", at % 700));
            let stamp = "'2026-01-02 03:04:05.000006'";
            format!("('w{at:05}', 'k', '{key}', '{state}', {stamp}, {stamp})")
        })
        .collect();
    project.run(&format!(
        "INSERT INTO queue (id, kind, body, state, made, beat) VALUES {}",
        values.join(", ")
    ));
}

/// What a worker and the application do meanwhile: claim, finish, enqueue with a key.
fn work(url: &str, stop: &AtomicBool) -> usize {
    let mut connection = Connected::to(url);
    let mut rounds = 0;
    while !stop.load(Ordering::Relaxed) {
        let id = format!("w{:05}", (rounds * 37) % ROWS);
        let key = lead(&format!("\"n{rounds}\""));
        for statement in [
            format!("UPDATE queue SET state = 'taken' WHERE id = '{id}' AND state = 'new'"),
            format!("UPDATE queue SET state = 'done' WHERE id = '{id}' AND state = 'taken'"),
            row(
                &format!("n{rounds:05}"),
                Some("new"),
                &key,
                Some(&format!("Lead:n{rounds}")),
            ),
        ] {
            // A deadlock is taken back and tried again, as a worker does.
            let began = Instant::now();
            while let Err(error) = connection.change(&statement) {
                assert!(began.elapsed() < Duration::from_secs(20), "{error}");
            }
        }
        rounds += 1;
    }
    rounds
}

/// Runs batches until the connection is killed from outside; how many rows it had filled.
fn until_killed(project: &Project, printed: &Printed, kill: &str) -> u64 {
    let mut victim = printed.session(project.url());
    let own = match kill.starts_with("KILL") {
        true => "SELECT CAST(CONNECTION_ID() AS CHAR)",
        false => "SELECT pg_backend_pid()::text",
    };
    let id = victim.texts(own).remove(0);
    let mut filled = 0;
    for run in 0.. {
        if run == 5 {
            project.run(&kill.replace("ID", &id));
        }
        match victim.change(&printed.batch) {
            Ok(changed) => filled += changed,
            Err(_) => break,
        }
        assert!(run < 100, "the connection is killed");
    }
    filled
}

#[test]
fn killed_half_way_beside_workers_it_is_run_again_to_the_end() {
    for (server, kill) in [
        (postgres(), "SELECT pg_terminate_backend(ID)"),
        (postgres_newer(), "SELECT pg_terminate_backend(ID)"),
        (mariadb(), "KILL CONNECTION ID"),
    ] {
        let project = many(server);
        let printed = printed(&project, "100");
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| work(project.url(), &stop));
            let before = until_killed(&project, &printed, kill);
            assert!(before >= 500, "{before} rows before it was killed");
            let left = printed.remaining(&mut printed.session(project.url()));
            assert_ne!(left, "0", "it was killed half-way");
            // A row that a worker holds is passed over: again, until nothing is left.
            let mut session = printed.session(project.url());
            let began = Instant::now();
            while printed.remaining(&mut session) != "0" {
                while session.change(&printed.batch).unwrap_or(1) > 0 {}
                assert!(began.elapsed() < Duration::from_secs(60), "it ends");
            }
            stop.store(true, Ordering::Relaxed);
            let rounds = worker.join().expect("the worker ends well");
            assert!(rounds > 0, "the worker worked");
        });
        nothing_is_wrong(&project);
    }
}

/// Afterwards no row is wrong, and none has changed that should not have.
fn nothing_is_wrong(project: &Project) {
    let keys = project.counts()["keys"].clone();
    for kind in ["missing", "wrong", "keyless", "unparsed"] {
        assert_eq!(keys[kind]["rows"], 0, "{kind}");
    }
    let moved = "SELECT id FROM queue WHERE beat <> made";
    assert!(project.texts(moved).is_empty(), "a heartbeat moved");
    // What was done before the backfill began stays as it was.
    let done = "SELECT id FROM queue WHERE id LIKE 'w____9' AND rkey IS NOT NULL";
    assert!(project.texts(done).is_empty(), "a done row was filled");
}

const URL: &str = "OUTBOX_AUDIT_BACKFILL_URL";
const BATCH: &str = "OUTBOX_AUDIT_BACKFILL_BATCH";

#[test]
#[ignore = "a process of its own, which the test below starts and kills"]
fn batches_until_killed() {
    let url = std::env::var(URL).expect("the database is named");
    let batch = std::env::var(BATCH).expect("the statement is given");
    let mut connection = Connected::to(&url);
    loop {
        // Busy with the writer: again.
        if connection.change(&batch).is_ok_and(|changed| changed == 0) {
            return;
        }
    }
}

#[test]
fn a_process_that_fills_an_sqlite_file_is_killed_beside_a_writer_and_run_again() {
    let project = Project::in_file(Payload::Text);
    fill(&project);
    let printed = printed(&project, "7");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| work(project.url(), &stop));
        let mut victim = std::process::Command::new(std::env::current_exe().expect("this test"))
            .args(["--exact", "batches_until_killed", "--ignored"])
            .env(URL, project.url())
            .env(BATCH, &printed.batch)
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("it starts");
        let mut session = printed.session(project.url());
        let all = printed
            .remaining(&mut session)
            .parse::<usize>()
            .expect("a number");
        let began = Instant::now();
        let left = loop {
            let left = printed
                .remaining(&mut session)
                .parse::<usize>()
                .expect("a number");
            if left + 300 < all {
                break left;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "it fills");
        };
        victim.kill().expect("it is killed");
        victim.wait().expect("it has ended");
        assert!(left > 0, "it was killed half-way");
        let began = Instant::now();
        while printed.remaining(&mut session) != "0" {
            while session.change(&printed.batch).unwrap_or(1) > 0 {}
            assert!(began.elapsed() < Duration::from_secs(120), "it ends");
        }
        stop.store(true, Ordering::Relaxed);
        assert!(
            worker.join().expect("the worker ends well") > 0,
            "the worker worked"
        );
    });
    nothing_is_wrong(&project);
}
