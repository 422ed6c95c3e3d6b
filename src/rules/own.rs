//! Rules of the user: a file, or a directory of files, named like those of a pack.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Rules;
use super::load::{KINDS, PackError, add};

/// Rules are written by hand; anything larger is a mistake.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Adds the rules at a path.
///
/// # Errors
/// If it cannot be read, holds no file of rules, or one that does not parse.
pub(super) fn load(path: &Path, rules: &mut Rules) -> Result<(), PackError> {
    let shown = path.to_string_lossy().replace('\\', "/");
    let unreadable = |message: String| PackError::Unreadable {
        file: shown.clone(),
        message,
    };
    let pack: Arc<str> = format!("rules:{shown}").into();
    let files = files(path).map_err(|error| unreadable(error.to_string()))?;
    let mut added = false;
    for file in files {
        let name = file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if !KINDS.contains(&&*name) {
            continue;
        }
        let size = fs::metadata(&file).map(|data| data.len()).unwrap_or(0);
        if size > MAX_BYTES {
            return Err(unreadable(format!("{name} is larger than 4 MiB")));
        }
        let text = fs::read_to_string(&file).map_err(|error| unreadable(error.to_string()))?;
        let shown = file.to_string_lossy().replace('\\', "/");
        add(rules, &pack, &name, &text, &shown)?;
        added = true;
    }
    if !added {
        return Err(unreadable(format!(
            "it holds no file of rules; they are called {}",
            KINDS.join(", ")
        )));
    }
    rules.packs.push(pack);
    Ok(())
}

fn files(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        fs::metadata(path)?;
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        files.push(entry?.path());
    }
    files.sort();
    Ok(files)
}
