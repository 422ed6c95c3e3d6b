//! Input that others write, torn and twisted: each reader comes back from it, without a panic and
//! in time. The functions and the inputs to begin with are those of the fuzzer, in `fuzz/`.

mod inputs;
mod mutated;
// Public for the programs of the fuzzer.
#[allow(unreachable_pub)]
#[path = "../../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use targets::{TARGETS, Target};

/// What no input of these sizes takes, on a machine that does other work too.
const RUNAWAY: Duration = Duration::from_secs(60);

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

/// The inputs that a target begins with, by name.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = fs::read_dir(fuzz().join("corpus").join(target)).expect("inputs to begin with");
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.expect("listed").path()).collect();
    paths.sort();
    let read = |path: &PathBuf| fs::read(path).expect("it can be read");
    paths.iter().map(read).collect()
}

/// Reads an input; says how long it took.
fn run(target: Target, data: &[u8]) -> Duration {
    let started = Instant::now();
    (target.1)(data);
    let took = started.elapsed();
    assert!(
        took < RUNAWAY,
        "{}: {took:?} of {} bytes",
        target.0,
        data.len()
    );
    took
}

#[test]
fn each_target_has_its_program_and_each_program_its_target() {
    let names = |folder: &str| {
        let entries = fs::read_dir(fuzz().join(folder)).expect("it can be listed");
        let mut names: Vec<String> = entries
            .map(|entry| {
                let path = entry.expect("listed").path();
                let stem = path.file_stem().expect("it has a name");
                stem.to_str().expect("UTF-8").to_owned()
            })
            .collect();
        names.sort();
        names
    };
    let mut targets: Vec<&str> = TARGETS.iter().map(|target| target.0).collect();
    targets.sort_unstable();
    assert_eq!(names("fuzz_targets"), targets);
    assert_eq!(names("corpus"), targets);
    let manifest = fs::read_to_string(fuzz().join("Cargo.toml")).expect("it can be read");
    for target in targets {
        let text = fs::read_to_string(fuzz().join(format!("fuzz_targets/{target}.rs")));
        let calls = format!("outbox_audit_fuzz::{target}(data)");
        assert!(text.expect("it can be read").contains(&calls), "{target}");
        let named = format!("[[bin]]\nname = \"{target}\"\npath = \"fuzz_targets/{target}.rs\"\n");
        assert!(manifest.contains(&named), "{target}");
    }
}
