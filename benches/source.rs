//! How fast source trees are read: `cargo bench --bench source -- DIRECTORY…` prints, for each, the
//! files and bytes, the time to the whole tree, and what could not be read.

#![allow(clippy::print_stdout, reason = "a bench prints its figures")]

use std::path::PathBuf;
use std::time::Instant;

use outbox_audit::input::files::Limits;
use outbox_audit::input::source::{Wanted, read};

const RUNS: usize = 3;

fn main() {
    for argument in std::env::args().skip(1) {
        if argument.starts_with("--") {
            continue;
        }
        let root = PathBuf::from(&argument);
        let mut best = f64::INFINITY;
        let mut last = None;
        for _ in 0..RUNS {
            let started = Instant::now();
            let tree = read(
                std::slice::from_ref(&root),
                &root,
                &Limits::default(),
                &Wanted::All,
            );
            best = best.min(started.elapsed().as_secs_f64());
            last = Some(tree);
        }
        let Some(tree) = last else {
            continue;
        };
        let megabytes = tree.bytes as f64 / 1e6;
        let unparsed: usize = tree.files.iter().map(|file| file.unparsed.len()).sum();
        println!(
            "{argument}: {} files, {megabytes:.1} MB, {} as trees in {best:.2} s ({:.1} MB/s), \
             {unparsed} unparsed parts, {} gaps",
            tree.scanned,
            tree.files.len(),
            megabytes / best,
            tree.gaps.len(),
        );
        for file in tree.files.iter().filter(|file| !file.unparsed.is_empty()) {
            println!("  {} {:?}", file.path, file.unparsed);
        }
        for gap in &tree.gaps {
            println!("  {}", gap.sentence);
        }
    }
}
