//! The commit of the audited tree, asked of `git` itself. Its absence is fine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::model::report::TreeState;
use crate::model::tests::SourceState;

/// Longest wait for an answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The commit and whether the tree below `root` differs from it.
///
/// Nothing of the audited repository is run: hooks, the file system monitor and optional locks are
/// switched off.
pub fn tree_state(root: &Path) -> TreeState {
    let directory = directory(root);
    let asked = |arguments: &[&str]| {
        let id = git(directory, arguments)?.trim().to_owned();
        let is_id = !id.is_empty() && id.chars().all(|each| each.is_ascii_hexdigit());
        is_id.then_some(id)
    };
    let Some(commit) = asked(&["rev-parse", "--short=12", "HEAD"]) else {
        return TreeState::None;
    };
    let Some(id) = asked(&["rev-parse", "HEAD"]) else {
        return TreeState::None;
    };
    match git(
        directory,
        &[
            "status",
            "--porcelain",
            "--untracked-files=normal",
            "--",
            ".",
        ],
    ) {
        Some(changes) => TreeState::Commit {
            commit,
            id,
            clean: changes.trim().is_empty(),
        },
        None => TreeState::None,
    }
}

fn directory(root: &Path) -> &Path {
    if root.is_dir() {
        root
    } else {
        root.parent().unwrap_or(root)
    }
}

/// The path from the top of the repository around `root` to it, with `/` at its end; empty at the
/// top and outside of any repository. The file system is asked and not git, which refuses
/// repositories of other users, as those that a container is given often are.
pub fn path_in_repository(root: &Path) -> String {
    let Ok(directory) = directory(root).canonicalize() else {
        return String::new();
    };
    let top = directory.ancestors().find(|one| one.join(".git").exists());
    let below = top.and_then(|top| directory.strip_prefix(top).ok());
    below
        .into_iter()
        .flat_map(Path::components)
        .map(|part| format!("{}/", part.as_os_str().to_string_lossy()))
        .collect()
}

/// The commit that last changed the directory, apart from some files of it, with its time; none if
/// git does not know.
pub fn last_change(root: &Path, apart_from: &[PathBuf]) -> Option<SourceState> {
    let head = git(root, &["rev-parse", "HEAD"])?;
    let apart: Vec<String> = apart_from
        .iter()
        .filter_map(|path| path.strip_prefix(root).ok()?.to_str())
        // More would not fit a command line; a commit that changed one of the rest is then counted.
        .take(1_000)
        .map(|path| format!(":(exclude,literal){path}"))
        .collect();
    let mut arguments = vec![
        "log",
        "-1",
        "--no-show-signature",
        "--format=%H %ct",
        "--",
        ".",
    ];
    arguments.extend(apart.iter().map(String::as_str));
    let last = git(root, &arguments)?;
    let (changed_by, at) = last.trim().split_once(' ')?;
    Some(SourceState {
        commit: head.trim().into(),
        changed_by: changed_by.into(),
        changed_at: at.parse().ok()?,
    })
}

/// The files below `root` that differ from a revision, by their paths from `root`; new ones too.
/// None if git does not know the revision, or is not there.
pub fn changed_since(root: &Path, revision: &str) -> Option<BTreeSet<String>> {
    // A revision that looks like an option would be one.
    if revision.starts_with('-') {
        return None;
    }
    let changed = git(
        root,
        &[
            "diff",
            "--relative",
            "--name-only",
            "-z",
            revision,
            "--",
            ".",
        ],
    )?;
    let new = git(
        root,
        &[
            "ls-files",
            "--others",
            "--exclude-standard",
            "-z",
            "--",
            ".",
        ],
    )?;
    let names = changed.split('\0').chain(new.split('\0'));
    Some(
        names
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect(),
    )
}

fn git(directory: &Path, arguments: &[&str]) -> Option<String> {
    let mut child = Command::new("git")
        .args([
            "--no-optional-locks",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.untrackedCache=false",
        ])
        .arg("-C")
        .arg(directory)
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let output = child.stdout.take()?;
    let reader = std::thread::spawn(move || {
        use std::io::Read;
        let mut text = String::new();
        // A status of a million changed files says no more than its first megabyte.
        output.take(1 << 20).read_to_string(&mut text).ok()?;
        Some(text)
    });
    let started = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if started.elapsed() < TIMEOUT => {
                std::thread::sleep(Duration::from_millis(1));
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    let text = reader.join().ok()??;
    status?.success().then_some(text)
}
