//! How fast source trees are read: `cargo bench --bench source -- DIRECTORY…` prints, for each, the
//! time to load and scan all files and to make all trees, and what could not be read.

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

#[allow(dead_code, reason = "shared with the tests")]
#[path = "../tests/source/walk.rs"]
mod walk;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use outbox_audit::input::files::Limits;
use outbox_audit::input::source::scan::{NameKey, ScannedFile};
use outbox_audit::input::source::{Sources, Wanted};
use outbox_audit::model::source::SourceTree;

const RUNS: usize = 5;

fn main() {
    for argument in std::env::args().skip(1) {
        if !argument.starts_with("--") {
            measure(&PathBuf::from(argument));
        }
    }
}

fn measure(root: &Path) {
    let mut load = f64::INFINITY;
    let mut scan = f64::INFINITY;
    let mut scanned = Vec::new();
    let mut sources = None;
    for _ in 0..RUNS {
        let started = Instant::now();
        let loaded = Sources::load(&[root.to_owned()], root, &Limits::default());
        load = load.min(started.elapsed().as_secs_f64());
        let started = Instant::now();
        scanned = loaded.scan();
        scan = scan.min(started.elapsed().as_secs_f64());
        sources = Some(loaded);
    }
    let Some(sources) = sources else {
        return;
    };
    let started = Instant::now();
    let tree = sources.trees(&Wanted::Product);
    let trees = started.elapsed().as_secs_f64();
    let megabytes = tree.bytes as f64 / 1e6;
    println!(
        "{}: {} files, {megabytes:.1} MB: load {load:.3} s, scan {scan:.3} s ({:.0} MB/s), \
         trees {trees:.2} s ({:.1} MB/s)",
        root.display(),
        tree.scanned,
        megabytes / scan,
        megabytes / trees,
    );
    for file in tree.files.iter().filter(|file| !file.unparsed.is_empty()) {
        println!("  not parsed: {} {:?}", file.path, file.unparsed);
    }
    for gap in &tree.gaps {
        println!("  gap: {}", gap.sentence);
    }
    missed(&tree, &scanned);
}

/// What trees have and scans have not; nothing, or the scan is wrong.
fn missed(tree: &SourceTree, scanned: &[ScannedFile]) {
    let by_path: HashMap<&str, &ScannedFile> =
        scanned.iter().map(|file| (&*file.path, file)).collect();
    let torn = scanned.iter().filter(|file| file.names.torn).count();
    let (mut functions, mut calls) = (0, 0);
    for file in &tree.files {
        let Some(scan) = by_path.get(&*file.path).filter(|scan| !scan.names.torn) else {
            continue;
        };
        let named = walk::Named::of(file);
        functions += named.declares.len();
        calls += named.calls.len();
        for name in &named.declares {
            if !scan.names.declares.has(NameKey::of(name)) {
                println!("  not in the scan: {}: function {name}", file.path);
            }
        }
        for name in &named.calls {
            if !scan.names.calls.has(NameKey::of(name)) {
                println!("  not in the scan: {}: call of {name}", file.path);
            }
        }
    }
    println!("  {functions} names of functions and {calls} of calls, {torn} torn files");
}
