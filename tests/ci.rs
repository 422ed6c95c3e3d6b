//! What runs in continuous integration elsewhere, run here without the services: each script with
//! files in place of what they set, each template held against the scripts and inputs it names.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_outbox-audit");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn yaml(path: &str) -> Value {
    serde_saphyr::from_str(&read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A step of GitHub Actions, with files in place of what the runner sets.
struct Step {
    folder: tempfile::TempDir,
    output: Output,
}

impl Step {
    fn run(path: &Path, more: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let output = Command::new(root().join("ci/github"))
            .current_dir(folder.path())
            .env("OUTBOX_AUDIT_BINARY", BINARY)
            .env("OUTBOX_AUDIT_PATH", path)
            .env("OUTBOX_AUDIT_ARGUMENTS", "--as-of\n2026-01-01\n")
            .env("GITHUB_OUTPUT", folder.path().join("output"))
            .env("GITHUB_STEP_SUMMARY", folder.path().join("summary"))
            .envs(more.iter().copied())
            .output()
            .expect("it starts");
        Self { folder, output }
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    fn log(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    /// The lines that the runner reads commands from.
    fn heard(&self) -> Vec<String> {
        let log = self.log();
        let mut heard = Vec::new();
        let mut until: Option<String> = None;
        for line in log.lines() {
            match (&until, line.strip_prefix("::stop-commands::")) {
                (Some(token), _) if *line == format!("::{token}::") => until = None,
                (Some(_), _) => {}
                (None, Some(token)) => until = Some(token.to_owned()),
                (None, None) => heard.push(line.to_owned()),
            }
        }
        assert!(until.is_none(), "commands are read again: {log}");
        heard
    }
}

fn shop() -> PathBuf {
    root().join("fixtures/whole/shop")
}

#[test]
fn the_step_for_github_writes_all_that_it_promises() {
    let step = Step::run(&shop(), &[]);
    assert_eq!(step.output.status.code(), Some(1), "{}", step.log());
    assert_eq!(
        step.file("output"),
        "verdict=HOLD\nexit-status=1\nsarif=outbox-audit.sarif\nreport=outbox-audit.json\n"
    );
    assert!(
        step.file("summary").starts_with("# "),
        "{}",
        step.file("summary")
    );
    let sarif: Value = serde_json::from_str(&step.file("outbox-audit.sarif")).expect("JSON");
    assert_eq!(sarif["runs"][0]["properties"]["verdict"], "HOLD");
    let report: Value = serde_json::from_str(&step.file("outbox-audit.json")).expect("JSON");
    assert_eq!(report["verdict"], "HOLD");
    let heard = step.heard();
    assert!(heard[0].starts_with("::error title=HOLD"), "{heard:?}");
    assert!(
        heard
            .iter()
            .any(|line| line.contains("file=fixtures/whole/shop/"))
    );
    assert!(
        step.log().contains("conditions not met"),
        "the report is in the log"
    );
    // Nothing is left of its own files.
    let mut left: Vec<String> = fs::read_dir(step.folder.path())
        .expect("the folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    left.sort();
    assert_eq!(
        left,
        [
            "outbox-audit.json",
            "outbox-audit.sarif",
            "output",
            "summary"
        ]
    );
}

#[test]
fn unproven_and_wrong_usage_end_as_check_does() {
    let empty = tempfile::tempdir().expect("a folder");
    let step = Step::run(empty.path(), &[]);
    assert_eq!(step.output.status.code(), Some(3));
    assert!(
        step.file("output")
            .starts_with("verdict=UNPROVEN\nexit-status=3\n")
    );
    // UNPROVEN stays what it is where it does not fail the run.
    let lenient = [("OUTBOX_AUDIT_ARGUMENTS", "--fail-on\nhold")];
    let step = Step::run(empty.path(), &lenient);
    assert_eq!(step.output.status.code(), Some(0));
    assert!(
        step.file("output")
            .starts_with("verdict=UNPROVEN\nexit-status=0\n")
    );
    for more in [
        ("OUTBOX_AUDIT_ARGUMENTS", "--nonsense"),
        ("OUTBOX_AUDIT_SARIF", "missing/folder.sarif"),
        ("OUTBOX_AUDIT_SARIF", "a\nverdict=GO"),
    ] {
        let step = Step::run(&shop(), &[more]);
        assert_eq!(step.output.status.code(), Some(2), "{more:?}");
        assert_eq!(step.file("output"), "", "{more:?}");
        step.heard();
    }
}

#[test]
fn annotations_and_summary_can_be_left_out() {
    let step = Step::run(
        &shop(),
        &[
            ("OUTBOX_AUDIT_ANNOTATIONS", "false"),
            ("OUTBOX_AUDIT_SUMMARY", "false"),
        ],
    );
    assert_eq!(step.file("summary"), "");
    assert!(step.heard().is_empty());
    assert!(step.file("output").starts_with("verdict=HOLD\n"));
}

/// A name that is a command is none: neither in the report that is in the log, nor in what is heard.
#[test]
fn no_name_becomes_a_command_of_the_runner() {
    let folder = tempfile::tempdir().expect("a folder");
    let flows = r###"
version: 1
consumers:
  - id: "::set-output name=verdict::GO"
    event: "::error::x"
    object: orders
    effects:
      - id: "##[error]$(touch pwned) `touch pwned`"
        kind: insert
        table: "%0A::error::invoices"
        set:
          total: {clock: now()}
"###;
    fs::write(folder.path().join("flows.yaml"), flows).expect("it is written");
    let step = Step::run(folder.path(), &[]);
    assert!(
        matches!(step.output.status.code(), Some(1 | 3)),
        "{}",
        step.log()
    );
    for line in step.heard() {
        let known = ["::error ", "::warning ", "::notice "];
        let is_known = known.iter().any(|word| line.starts_with(word));
        assert!(is_known || !line.contains("::"), "{line}");
    }
    assert_eq!(step.file("output").lines().count(), 4);
    assert!(!step.folder.path().join("pwned").exists());
}

#[test]
fn the_job_for_gitlab_writes_its_reports() {
    let template = yaml("ci/gitlab.yml");
    let job = &template["outbox-audit"];
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = job["variables"]["OUTBOX_AUDIT_ARGUMENTS"]
        .as_str()
        .expect("arguments");
    let output = Command::new(root().join("ci/gitlab"))
        .current_dir(folder.path())
        .env("OUTBOX_AUDIT_BINARY", BINARY)
        .env("OUTBOX_AUDIT_PATH", shop())
        .env("OUTBOX_AUDIT_ARGUMENTS", arguments)
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let reports = &job["artifacts"]["reports"];
    let names = [
        reports["codequality"].as_str(),
        reports["junit"].as_str(),
        job["artifacts"]["paths"][0].as_str(),
    ];
    for name in names {
        let name = name.expect("it is named");
        assert!(folder.path().join(name).exists(), "{name}");
    }
    // What the image calls it is what the template calls.
    let call = job["script"][0].as_str().expect("a script");
    let copied = format!("COPY ci/gitlab /usr/local/bin/{call}\n");
    assert!(read("Containerfile").contains(&copied));
    assert_eq!(job["allow_failure"]["exit_codes"], 3);
}

#[test]
fn the_action_hands_every_input_to_a_script_through_its_environment() {
    let action = yaml("action.yml");
    let steps = action["runs"]["steps"].as_array().expect("steps");
    let mut handed = String::new();
    for step in steps {
        let run = step["run"].as_str().expect("each runs something");
        assert!(
            !run.contains("${{"),
            "{run}: what is typed would be part of a script"
        );
        let script = run
            .trim_matches('"')
            .strip_prefix("$GITHUB_ACTION_PATH/")
            .expect("a script");
        let mode = fs::metadata(root().join(script))
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o111, 0o111, "{script} can be run");
        let text = read(script);
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            assert!(text.contains(name.as_str()), "{script} reads {name}");
            handed.push_str(value.as_str().expect("a text"));
        }
        handed.push_str(step["if"].as_str().unwrap_or_default());
    }
    for (name, _) in action["inputs"].as_object().expect("inputs") {
        assert!(handed.contains(&format!("inputs.{name}")), "{name}");
    }
    let script = read("ci/github");
    for (name, output) in action["outputs"].as_object().expect("outputs") {
        assert_eq!(
            output["value"],
            format!("${{{{ steps.check.outputs.{name} }}}}")
        );
        assert!(script.contains(&format!("'{name}=%s\\n'")), "{name}");
    }
    assert!(read("ci/build").contains("'binary=%s\\n'"));
}

/// With a `cargo` that only says what it was asked.
#[test]
fn the_build_gives_the_path_of_the_binary() {
    let folder = tempfile::tempdir().expect("a folder");
    let cargo = folder.path().join("cargo");
    fs::write(&cargo, "#!/bin/sh\necho \"$PWD: $*\" >\"$ASKED\"\n").expect("it is written");
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).expect("it can be run");
    let path = std::env::var("PATH").unwrap_or_default();
    let (asked, given) = (folder.path().join("asked"), folder.path().join("output"));
    let output = Command::new(root().join("ci/build"))
        .current_dir(folder.path())
        .env("PATH", format!("{}:{path}", folder.path().display()))
        .env("ASKED", &asked)
        .env("GITHUB_OUTPUT", &given)
        .env("CARGO_TARGET_DIR", "built")
        .output()
        .expect("it starts");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let binary = root()
        .join("built/release/outbox-audit")
        .display()
        .to_string();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), binary);
    let given = fs::read_to_string(given).expect("it is written");
    assert_eq!(given, format!("binary={binary}\n"));
    let asked = fs::read_to_string(asked).expect("it was asked");
    assert_eq!(
        asked,
        format!(
            "{}: build --release --locked --quiet --bin outbox-audit\n",
            root().display()
        )
    );
}

/// What the README shows of the action are inputs and outputs that it has.
#[test]
fn the_example_in_the_readme_uses_what_there_is() {
    let text = read("README.md");
    let block = text.split("```yaml action\n").nth(1).expect("it is shown");
    let block = block.split("```").next().expect("it ends");
    let steps: Value = serde_saphyr::from_str(block).expect("it is YAML");
    let action = yaml("action.yml");
    for (name, _) in steps[0]["with"].as_object().expect("inputs") {
        assert!(action["inputs"].get(name).is_some(), "{name}");
    }
    let outputs = block.split("steps.audit.outputs.").skip(1);
    let names: Vec<&str> = outputs
        .filter_map(|rest| rest.split([' ', '}']).next())
        .collect();
    assert_eq!(names, ["sarif", "sarif"]);
    assert!(action["outputs"].get("sarif").is_some());
}

#[test]
fn the_hook_is_a_command_that_runs() {
    let hooks = yaml(".pre-commit-hooks.yaml");
    let hook = &hooks[0];
    assert_eq!(hook["pass_filenames"], false);
    let entry: Vec<&str> = hook["entry"]
        .as_str()
        .expect("an entry")
        .split(' ')
        .collect();
    assert_eq!(entry[0], "outbox-audit");
    let run = |folder: &Path| {
        let output = Command::new(BINARY)
            .args(&entry[1..])
            .current_dir(folder)
            .output()
            .expect("it starts");
        output.status.code()
    };
    assert_eq!(run(&shop()), Some(1));
    let empty = tempfile::tempdir().expect("a folder");
    assert_eq!(
        run(empty.path()),
        Some(0),
        "what is not known refuses no commit"
    );
}

/// All that the build in the image copies is there, and it copies all that the build names.
#[test]
fn the_image_copies_what_there_is() {
    let file = read("Containerfile");
    let copies = file.lines().filter_map(|line| line.strip_prefix("COPY "));
    for copy in copies.filter(|copy| !copy.starts_with("--from")) {
        let words: Vec<&str> = copy.split(' ').collect();
        for name in &words[..words.len() - 1] {
            assert!(root().join(name).exists(), "{name}");
        }
    }
    let manifest = read("Cargo.toml");
    let version = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "));
    let version = version.expect("it is stated").trim_matches('"');
    assert!(
        file.contains(&format!("rust:{version}-")),
        "the image has Rust {version}"
    );
}
