//! Outputs that cannot be written, readers that go away, terminals that are none.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use clap::ValueEnum;
use outbox_audit::report::Format;

use crate::attempt::{command, folder, judge, refused};

fn system() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/whole/shop")
}

/// One whose reports are longer than a pipe holds.
fn large_system() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/whole/nexuscrm")
}

/// The formats by the names that are typed.
pub(crate) fn formats() -> Vec<String> {
    let all = Format::value_variants().iter();
    all.filter_map(|format| Some(format.to_possible_value()?.get_name().to_owned()))
        .collect()
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
        for format in formats() {
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

/// Where one of several cannot be written, none is, and what stood there stays.
#[test]
fn all_outputs_or_none() {
    let outer = folder(&[("old.md", b"old")]);
    let flags: Vec<String> = [
        ("markdown", "old.md"),
        ("sarif", "new.sarif"),
        ("junit", "missing/new.xml"),
    ]
    .iter()
    .map(|(format, file)| format!("--output={format}={}", outer.path().join(file).display()))
    .collect();
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    refused(&system(), &flags, &["missing/new.xml cannot be written: "]);
    assert_eq!(entries(outer.path()), ["old.md"]);
    let old = fs::read(outer.path().join("old.md")).expect("it is there");
    assert_eq!(old, b"old");
}

#[test]
fn one_path_for_two_outputs() {
    let outer = folder(&[]);
    let one = format!("json={}", outer.path().join("report").display());
    let two = format!("sarif={}", outer.path().join("./report").display());
    let flags = ["--output", &one, "--output", &two];
    refused(&system(), &flags, &["report is named by two --output"]);
    assert!(entries(outer.path()).is_empty());
}

/// A link stays one, and what is no file is not replaced by one.
#[cfg(unix)]
#[test]
fn links_and_devices_stay_what_they_are() {
    let outer = folder(&[("real.json", b"old")]);
    let link = outer.path().join("link.json");
    std::os::unix::fs::symlink("real.json", &link).expect("a link");
    let null = outer.path().join("null");
    std::os::unix::fs::symlink("/dev/null", &null).expect("a link");
    let output = command(
        &system(),
        &[
            "--quiet",
            &format!("--output=json={}", link.display()),
            &format!("--output=sarif={}", null.display()),
        ],
    )
    .output()
    .expect("it starts");
    assert_eq!(judge(&output).status, 1);
    let kind = |path: &Path| fs::symlink_metadata(path).expect("it is there").file_type();
    assert!(kind(&link).is_symlink() && kind(&null).is_symlink());
    assert!(!kind(Path::new("/dev/null")).is_file());
    let text = fs::read_to_string(outer.path().join("real.json")).expect("it is there");
    assert!(text.starts_with("{\n  \"document\": \"report\""), "{text}");
    assert_eq!(entries(outer.path()), ["link.json", "null", "real.json"]);
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
    for (format, read) in [
        ("terminal", 0),
        ("markdown", 10),
        ("json", 0),
        ("json", 10),
        ("sarif", 10),
        ("junit", 0),
    ] {
        let mut child = command(&large_system(), &["--format", format])
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
