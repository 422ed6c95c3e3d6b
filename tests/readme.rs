//! The README shows what is: its excerpts are cut from real output, its files are the files, its
//! configuration can be used.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A fenced block: what stands behind the opening fence, and the text.
struct Block {
    info: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).expect("there is a README")
}

fn blocks() -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in readme().lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => {
                let info = info.to_owned();
                open = Some(Block {
                    info,
                    text: String::new(),
                });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "every fence is closed");
    blocks
}

fn check(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
        .current_dir(root())
        .arg("check")
        .args(arguments)
        .output()
        .expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn excerpts_are_cut_from_the_real_output() {
    let mut count = 0;
    for block in blocks() {
        let Some(arguments) = block.info.strip_prefix("text output ") else {
            continue;
        };
        let (_, output, _) = check(&arguments.split(' ').collect::<Vec<_>>());
        for part in block.text.split("…\n") {
            assert!(
                output.contains(part),
                "README.md shows what `check {arguments}` does not print:\n{part}\nit prints:\n{output}"
            );
        }
        count += 1;
    }
    assert_eq!(count, 3, "excerpts of output");
}

#[test]
fn files_are_shown_whole() {
    let mut count = 0;
    for block in blocks() {
        let Some((_, file)) = block.info.split_once(" file ") else {
            continue;
        };
        let written = fs::read_to_string(root().join(file)).expect("the file is there");
        assert_eq!(block.text, written, "{file}");
        count += 1;
    }
    assert_eq!(count, 2, "files that are shown");
}

/// The configuration that is shown can be used with the system that it is for.
#[test]
fn the_configuration_can_be_used() {
    let block = blocks().into_iter().find(|block| block.info == "yaml");
    let folder = tempfile::tempdir().expect("a folder");
    let system = root().join("fixtures/whole/nexuscrm");
    let mut text = block.expect("it is shown").text;
    for file in [
        "metadata/flows.json",
        "system_tables.json",
        "database.sqlite",
    ] {
        let path = system.join(file).display().to_string().replace('\\', "/");
        assert!(text.contains(file), "{file}");
        text = text.replace(file, &path);
    }
    let config = folder.path().join("outbox-audit.yaml");
    fs::write(&config, text).expect("it is written");
    let config = config.to_str().expect("its name is UTF-8");
    let (status, output, errors) = check(&["--config", config, "--as-of", "2026-01-01"]);
    assert_eq!((status, &*errors), (Some(1), ""), "{output}");
}

/// The exit statuses of the two bundled systems that the README promises.
#[test]
fn the_bundled_systems_have_the_verdicts_that_are_promised() {
    for (system, status, verdict) in [("nexuscrm", 1, "HOLD"), ("nexuscrm-repaired", 0, "GO")] {
        let (found, output, _) = check(&[&format!("fixtures/whole/{system}")]);
        assert_eq!(found, Some(status), "{system}");
        assert!(
            output.lines().any(|line| line.starts_with(verdict)),
            "{output}"
        );
    }
}

#[test]
fn files_that_are_named_exist() {
    for word in readme().split(['(', ')', '`', ' ', '\n']) {
        let word = word.trim_end_matches(['.', ',', ';', ':']);
        let named = [
            "src/",
            "tests/",
            "schemas/",
            "fixtures/",
            "scripts/",
            "ci/",
            "rules/",
            "LICENSE-",
        ]
        .iter()
        .any(|folder| word.starts_with(folder));
        if named && !word.contains(['<', '*', '…']) {
            assert!(root().join(word).exists(), "README.md names {word}");
        }
    }
}

/// What was typed wins: the statements are for the engine of the schema that was named, also where
/// the configuration names a database of another one.
#[test]
fn printed_statements_are_for_the_schema_that_was_typed() {
    let system = root().join("fixtures/whole/nexuscrm-repaired");
    for command in ["queries", "backfill"] {
        let output = Command::new(env!("CARGO_BIN_EXE_outbox-audit"))
            .current_dir(&system)
            .args([
                command,
                "--schema",
                "system_tables.json",
                "--dialect",
                "tidb",
            ])
            .output()
            .expect("it starts");
        assert_eq!(output.status.code(), Some(0), "{command}: {output:?}");
        let says = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            says.contains("JSON_EXTRACT") || says.contains("JSON_UNQUOTE"),
            "{says}"
        );
        assert!(!says.contains("json_type"), "{command}: {says}");
    }
}
