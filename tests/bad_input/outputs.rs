//! Outputs that cannot be written, readers that go away, terminals that are none.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::attempt::{command, folder, judge, refused};

fn system() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/whole/nexuscrm")
}

fn entries(folder: &Path) -> Vec<String> {
    let list = fs::read_dir(folder).expect("the folder");
    let mut names: Vec<String> = list
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn an_output_that_cannot_be_written() {
    let outer = folder(&[("file", b"kept")]);
    fs::create_dir(outer.path().join("directory")).expect("a folder");
    for (target, why) in [
        ("missing/report.md", "missing/report.md cannot be written: "),
        (
            "directory",
            "directory cannot be written: it is a directory",
        ),
        (
            "directory/",
            "directory/ cannot be written: it is a directory",
        ),
        ("file/report.md", "file/report.md cannot be written: "),
    ] {
        for format in ["markdown", "json", "terminal"] {
            let path = outer.path().join(target);
            let flag = format!("{format}={}", path.display());
            refused(&system(), &["--output", &flag], &[why]);
            assert_eq!(entries(outer.path()), ["directory", "file"], "{flag}");
            assert!(
                entries(&outer.path().join("directory")).is_empty(),
                "{flag}"
            );
            assert_eq!(
                fs::read(outer.path().join("file")).expect("it is there"),
                b"kept"
            );
        }
    }
}

/// A report that stood there stays whole where the new one cannot be written beside it, and is
/// replaced as a whole where it can.
#[test]
fn an_output_is_replaced_as_a_whole() {
    let outer = folder(&[("report.json", b"old")]);
    let flag = format!("json={}", outer.path().join("report.json").display());
    let output = command(&system(), &["--quiet", "--output", &flag])
        .output()
        .expect("it starts");
    assert_eq!(judge(&output).status, 1);
    let text = fs::read_to_string(outer.path().join("report.json")).expect("it is there");
    let report: serde_json::Value = serde_json::from_str(&text).expect("it is whole");
    assert_eq!(report["verdict"], "HOLD");
    assert_eq!(
        entries(outer.path()),
        ["report.json"],
        "nothing is left beside it"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full() {
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("Linux has it");
    let output = command(&system(), &[])
        .stdout(Stdio::from(full))
        .output()
        .expect("it starts");
    let told = judge(&output);
    assert_eq!(told.status, 2);
    assert!(
        told.stderr.starts_with("error: stdout cannot be written: "),
        "{}",
        told.stderr
    );
}

/// Behind `head` nobody reads on: it is quiet, and the status is still that of the verdict.
#[test]
fn a_reader_that_goes_away() {
    for format in ["terminal", "markdown", "json"] {
        for read in [0, 10] {
            let mut child = command(&system(), &["--format", format])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("it starts");
            let mut stdout = child.stdout.take().expect("a pipe");
            let mut some = vec![0; read];
            stdout.read_exact(&mut some).expect("it begins to write");
            drop(stdout);
            let told = judge(&child.wait_with_output().expect("it ends"));
            assert_eq!(
                (told.status, &*told.stderr),
                (1, ""),
                "{format} after {read} bytes"
            );
        }
    }
}

#[test]
fn no_escape_codes_without_a_terminal() {
    for no_color in [None, Some("1"), Some("")] {
        for arguments in [
            &[][..],
            &["--verbose"],
            &["--format", "markdown"],
            &["--format", "json"],
            &["--nonsense"],
            &["--pack", "none"],
        ] {
            let mut command = command(&system(), arguments);
            command
                .env_remove("NO_COLOR")
                .env("TERM", "xterm-256color")
                .env("COLORTERM", "truecolor");
            if let Some(value) = no_color {
                command.env("NO_COLOR", value);
            }
            let output = command.output().expect("it starts");
            judge(&output);
            for bytes in [&output.stdout, &output.stderr] {
                assert!(
                    !bytes.contains(&0x1b),
                    "{arguments:?} with NO_COLOR {no_color:?}"
                );
            }
        }
    }
}
