//! Connections that go wrong: hang, are refused, speak another protocol, end in the middle. Each
//! gives a reason with its next step, and nothing of the URL in any output.

mod live_support;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use live_support::{Said, live_within, run};
use outbox_audit::model::evidence::{Reason, Why};

const PASSWORD: &str = "s3ntinel-Pa55";
const USER: &str = "bob-sentinel";
const SCHEMES: [&str; 2] = ["postgres", "mysql"];

/// A server for one connection on a free port.
fn listener(serve: impl FnOnce(TcpStream) + Send + 'static) -> (u16, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let thread = std::thread::spawn(move || {
        if let Ok((stream, _)) = listener.accept() {
            serve(stream);
        }
    });
    (port, thread)
}

fn url(scheme: &str, port: u16, options: &str) -> String {
    format!("{scheme}://{USER}:{PASSWORD}@localhost:{port}/shop{options}")
}

fn refused(url: &str) -> Reason {
    let reason = live_within(url, Duration::from_secs(1)).expect_err("it cannot be read");
    assert_eq!(reason.why, Why::NotReadable);
    assert!(!reason.next_step.is_empty());
    assert!(
        reason.sentence.starts_with("env:LIVE "),
        "{}",
        reason.sentence
    );
    tells_nothing(&format!("{reason:?}"));
    reason
}

fn tells_nothing(text: &str) {
    for secret in [PASSWORD, USER, "localhost", "127.0.0.1", "::1"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

#[test]
fn a_server_that_accepts_and_says_nothing() {
    for scheme in SCHEMES {
        let (port, thread) = listener(|mut stream| {
            // Reads until the other side gives up.
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        });
        let began = Instant::now();
        let reason = refused(&url(scheme, port, ""));
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{:?}",
            began.elapsed()
        );
        assert!(
            reason.sentence.contains("no answer within 1 s"),
            "{}",
            reason.sentence
        );
        thread.join().expect("it ends");
    }
}

#[test]
fn a_port_where_nothing_listens() {
    for scheme in SCHEMES {
        let port = {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            listener.local_addr().expect("an address").port()
        };
        let reason = refused(&url(scheme, port, ""));
        assert!(
            reason.sentence.contains("nothing listens there"),
            "{}",
            reason.sentence
        );
    }
}

#[test]
fn a_host_that_no_name_leads_to() {
    for scheme in SCHEMES {
        let reason = refused(&format!(
            "{scheme}://{USER}:{PASSWORD}@no-such-host.invalid/shop"
        ));
        let known = ["cannot be reached", "no answer within"];
        assert!(
            known.iter().any(|words| reason.sentence.contains(words)),
            "{}",
            reason.sentence
        );
        assert!(!format!("{reason:?}").contains("no-such-host"));
    }
}

#[test]
fn a_connection_that_ends_during_the_greeting() {
    for scheme in SCHEMES {
        let (port, thread) = listener(|mut stream| {
            let mut some = [0; 8];
            let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
            let _ = stream.read(&mut some);
            let _ = stream.shutdown(Shutdown::Both);
        });
        let reason = refused(&url(scheme, port, ""));
        let known = ["closed the connection", "does not answer as such a server"];
        assert!(
            known.iter().any(|words| reason.sentence.contains(words)),
            "{}",
            reason.sentence
        );
        thread.join().expect("it ends");
    }
}

#[test]
fn a_server_of_another_protocol() {
    for scheme in SCHEMES {
        let (port, thread) = listener(|mut stream| {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        });
        let reason = refused(&url(scheme, port, ""));
        // What looks like the length of a long packet is waited for.
        let known = ["does not answer as such a server", "no answer within"];
        assert!(
            known.iter().any(|words| reason.sentence.contains(words)),
            "{scheme}: {}",
            reason.sentence
        );
        thread.join().expect("it ends");
    }
}

#[test]
fn a_server_without_the_encryption_asked_for() {
    let (port, thread) = listener(|mut stream| {
        let mut request = [0; 8];
        stream
            .read_exact(&mut request)
            .expect("the request for encryption");
        stream.write_all(b"N").expect("the answer");
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    let reason = refused(&url("postgres", port, "?sslmode=require"));
    assert!(
        reason.sentence.contains("no encrypted connection"),
        "{}",
        reason.sentence
    );
    thread.join().expect("it ends");
}

#[test]
fn files_of_the_url_that_are_not_there() {
    let (port, thread) = listener(|mut stream| {
        let mut request = [0; 8];
        stream
            .read_exact(&mut request)
            .expect("the request for encryption");
        stream.write_all(b"S").expect("the answer");
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    let options = "?sslmode=verify-full&sslrootcert=/no/such/s3ntinel-Pa55.pem";
    let reason = refused(&url("postgres", port, options));
    let sentence = &reason.sentence;
    assert!(
        sentence.contains("certificate file that is not there"),
        "{sentence}"
    );
    thread.join().expect("it ends");
    let reason = refused("postgres://bob-sentinel:s3ntinel-Pa55@%2Fno%2Fsuch%2Ffolder/shop");
    assert!(
        reason.sentence.contains("names a socket"),
        "{}",
        reason.sentence
    );
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let flows = "version: 1\nconsumers:\n  - id: bill\n    event: order.placed\n    object: orders\n    \
        effects:\n      - id: make\n        kind: insert\n        table: invoice\n        set:\n          \
        order_id: {snapshot: record.id, nulls: never}\n        on_conflict: do-nothing\n";
    std::fs::write(folder.path().join("flows.yaml"), flows).expect("written");
    folder
}

fn everything(folder: &Path, value: &str) -> Vec<Said> {
    let mut said = Vec::new();
    for format in ["terminal", "markdown", "json"] {
        let arguments = [
            "check",
            "--verbose",
            "--format",
            format,
            "--database",
            "env:LIVE",
            ".",
        ];
        said.push(run(folder, &arguments, value));
        let typed = [
            "check",
            "--verbose",
            "--format",
            format,
            "--database",
            value,
            ".",
        ];
        if value.contains("://") {
            said.push(run(folder, &typed, ""));
        }
    }
    for format in ["terminal", "json"] {
        let arguments = ["schema", "--format", format, "--database", "env:LIVE"];
        said.push(run(folder, &arguments, value));
    }
    said
}

#[test]
fn no_output_tells_the_url() {
    let folder = project();
    for value in [
        url(
            "postgres",
            1,
            "?sslmode=verify-full&application_name=s3ntinel-Pa55",
        ),
        url("mysql", 1, "?ssl-mode=VERIFY_CA"),
        url("postgres", 1, "?sslmode=s3ntinel-Pa55"),
        url("oracle", 1, ""),
        format!("postgres://{USER}:{PASSWORD}@localhost:99999999/shop"),
        format!("mysql://{USER}:{PASSWORD}@localhost"),
        format!("{USER}:{PASSWORD}@tcp(localhost:3306)/shop"),
    ] {
        for said in everything(folder.path(), &value) {
            tells_nothing(&said.stdout);
            tells_nothing(&said.stderr);
            assert!(!said.stdout.is_empty() || !said.stderr.is_empty());
            assert_ne!(said.status, Some(0), "{}", said.stdout);
        }
    }
}

#[test]
fn a_variable_that_holds_nothing_usable() {
    let folder = project();
    for (value, words) in [
        ("", "the environment variable LIVE is empty"),
        ("  ", "the environment variable LIVE is empty"),
        ("shop", "what env:LIVE holds is no URL of a database"),
        ("env:LIVE", "what env:LIVE holds is no URL of a database"),
        (
            "mysql://localhost",
            "env:LIVE names a server and no database on it",
        ),
        (
            "oracle://localhost/shop",
            "is a URL for an engine that this version does not read",
        ),
        ("sqlite:no.db", "there is no file env:LIVE"),
    ] {
        let arguments = ["check", "--format", "json", "--database", "env:LIVE", "."];
        let said = run(folder.path(), &arguments, value);
        assert_eq!(said.status, Some(3), "{value}: {}", said.stdout);
        assert!(said.stdout.contains(words), "{value}: {}", said.stdout);
        assert!(said.stdout.contains("next_step"));
    }
    let arguments = [
        "check",
        "--database",
        "env:OUTBOX_AUDIT_NO_SUCH_VARIABLE",
        ".",
    ];
    let said = run(folder.path(), &arguments, "");
    assert_eq!(said.status, Some(3));
    assert!(
        said.stdout.contains("OUTBOX_AUDIT_NO_SUCH_VARIABLE is"),
        "{}",
        said.stdout
    );
}

#[test]
fn a_variable_may_name_a_file() {
    let folder = project();
    let copied = folder.path().join("app.db");
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/whole/nexuscrm/database.sqlite");
    std::fs::copy(fixture, copied).expect("a copy");
    let arguments = ["schema", "--database", "env:LIVE"];
    let said = run(folder.path(), &arguments, "sqlite:app.db");
    assert_eq!(said.status, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("env:LIVE: "), "{}", said.stdout);
}
