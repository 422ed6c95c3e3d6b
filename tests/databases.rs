//! What tests rely on: the servers are what they are called, a database ends with its guard, and
//! an own server ends with whoever started it.

mod servers;

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use servers::{Server, block_on, mariadb, postgres, postgres_newer};
use sqlx::{AssertSqlSafe, Connection, MySqlConnection, PgConnection, Row};

/// The first column of the first row that a server answers with.
fn ask(url: &str, query: &str) -> String {
    let query = AssertSqlSafe(query.to_owned());
    block_on(async {
        if url.starts_with("postgres") {
            let mut connection = PgConnection::connect(url).await.expect("it connects");
            let row = sqlx::query(query).fetch_one(&mut connection).await;
            row.expect("an answer").get(0)
        } else {
            let mut connection = MySqlConnection::connect(url).await.expect("it connects");
            let row = sqlx::query(query).fetch_one(&mut connection).await;
            row.expect("an answer").get(0)
        }
    })
}

#[test]
fn the_servers_are_what_they_are_called() {
    let version = |server: &Server| ask(server.url(), "SELECT version()");
    let first = |server: &Server| -> u32 {
        let number = ask(server.url(), "SHOW server_version_num");
        number.parse::<u32>().expect("a number") / 10_000
    };
    assert!(first(postgres()) >= 14, "{}", version(postgres()));
    assert!(
        first(postgres_newer()) >= 18,
        "{}",
        version(postgres_newer())
    );
    let version = version(mariadb());
    assert!(version.contains("MariaDB"), "{version}");
}

#[test]
fn a_database_ends_with_its_guard() {
    for server in [postgres(), postgres_newer(), mariadb()] {
        let count = |name: &str| {
            let column = if server.url().starts_with("postgres") {
                "datname FROM pg_database WHERE datname"
            } else {
                "schema_name FROM information_schema.schemata WHERE schema_name"
            };
            let count =
                format!("SELECT CAST(count(*) AS char(1)) FROM (SELECT {column} = '{name}') a");
            ask(server.url(), &count)
        };
        let failed = std::panic::catch_unwind(|| {
            let one = server.database();
            let other = server.database();
            assert_ne!(one.name(), other.name());
            let script = "CREATE TABLE a (b INT); INSERT INTO a VALUES (1);";
            one.run(script).expect("a script runs");
            other.run(script).expect("and does not meet the other");
            assert!(one.run("SELECT nothing").is_err());
            assert_eq!(count(one.name()), "1");
            let open = block_on(async { one.name().to_owned() });
            std::panic::panic_any(open);
        });
        let name = failed.expect_err("the panic above");
        let name = name.downcast_ref::<String>().expect("its name");
        assert_eq!(count(name), "0", "it went with its guard");
    }
}

/// A test may be killed: nobody is left then to stop its server.
#[test]
fn an_own_server_ends_with_whoever_holds_it() {
    let temporary = tempfile::tempdir().expect("a folder");
    let open = Command::new("chmod")
        .arg("711")
        .arg(temporary.path())
        .status();
    assert!(open.expect("chmod runs").success());
    for engine in ["postgres", "postgres-newer", "mariadb"] {
        let mut process = Command::new("bash")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/servers"))
            .args(["hold", engine])
            .env("TMPDIR", temporary.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("bash runs");
        let mut url = String::new();
        let mut output = BufReader::new(process.stdout.take().expect("its output"));
        output.read_line(&mut url).expect("text");
        let (_, address) = url.split_once('@').expect("a URL");
        let (address, _) = address.split_once('/').expect("a database");
        assert!(TcpStream::connect(address).is_ok(), "{engine} listens");
        drop(process.stdin.take());
        let began = Instant::now();
        while TcpStream::connect(address).is_ok() {
            assert!(began.elapsed() < Duration::from_secs(20), "{engine} stops");
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(process.wait().expect("it ends").success(), "{engine}");
        let left = fs::read_dir(temporary.path()).expect("the folder");
        assert_eq!(left.count(), 0, "{engine} leaves nothing");
    }
}
