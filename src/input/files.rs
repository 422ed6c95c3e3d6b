//! Reading files from the outside: bounded, checked, and never in silence.
//!
//! Whatever cannot be read becomes a [`Reason`] with its place and the next step, so that no
//! caller can take an unread file for an empty one.

pub mod kind;
pub mod walk;

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path};
use std::sync::Arc;
use std::time::Duration;

use crate::model::digest::short;
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::place::Place;
use crate::model::text::TextFile;

pub use kind::{FileKind, JsonKind, json_kind, recognise};
pub use walk::{Found, Walk, walk};

/// How much is read at most; the `limits` of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest file, in bytes. Offsets are 32 bits wide, so 4 GiB is the most in any case.
    pub max_file_bytes: u64,
    /// Most entries of one directory tree.
    pub max_files: usize,
    /// Longest wait for one answer of a database.
    pub timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_file_bytes: 512 * 1024 * 1024,
            max_files: 200_000,
            timeout: Duration::from_secs(10),
        }
    }
}

/// A text file that was read.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// Its text, without a byte order mark.
    pub file: Arc<TextFile>,
    /// Digest of its bytes as they lie on the disk.
    pub digest: Arc<str>,
}

/// Reads one UTF-8 file; `needs` is the input it was given for.
///
/// # Errors
/// A reason: it is missing, not a regular file, not permitted, larger than the limit (then it is
/// not read at all), or not UTF-8 (with byte offset and line).
pub fn read_text(
    path: &Path,
    root: &Path,
    limits: &Limits,
    needs: InputKind,
) -> Result<Loaded, Box<Reason>> {
    let name = relative(path, root);
    let bytes = read_bytes(path, &name, limits, needs)?;
    let digest = digest(&bytes);
    let text = decode(bytes, &name, needs)?;
    Ok(Loaded {
        file: Arc::new(TextFile::new(name, text)),
        digest,
    })
}

/// Reads one UTF-8 file without a digest, for trees of many files.
///
/// # Errors
/// As [`read_text`].
pub fn read_plain(
    path: &Path,
    name: &Arc<str>,
    limits: &Limits,
    needs: InputKind,
) -> Result<String, Box<Reason>> {
    decode(read_bytes(path, name, limits, needs)?, name, needs)
}

/// The first 16 hex digits of the SHA-256.
pub fn digest(bytes: &[u8]) -> Arc<str> {
    short(bytes).into()
}

/// The path from `root`, with `/` on every platform; a path outside `root` stays as it was given.
pub fn relative(path: &Path, root: &Path) -> Arc<str> {
    let inner = path.strip_prefix(root).unwrap_or(path);
    let absolute = inner.has_root();
    let parts: Vec<_> = inner
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy()),
            Component::ParentDir => Some("..".into()),
            Component::Prefix(prefix) => Some(prefix.as_os_str().to_string_lossy()),
            Component::CurDir | Component::RootDir => None,
        })
        .collect();
    let joined = parts.join("/");
    match (joined.is_empty(), absolute) {
        (_, true) => format!("/{joined}").into(),
        (true, false) => ".".into(),
        (false, false) => joined.into(),
    }
}

/// The gap that an input/output error leaves.
pub fn unreadable(name: &str, error: &io::Error, needs: InputKind) -> Reason {
    let (says, next_step) = match error.kind() {
        ErrorKind::NotFound => (
            "does not exist".to_owned(),
            format!(
                "correct the path, or drop it from the {} inputs",
                needs.word()
            ),
        ),
        ErrorKind::PermissionDenied => (
            "may not be read: permission denied".to_owned(),
            format!("give the user who runs the audit the right to read `{name}`"),
        ),
        _ => (
            // The kind alone: the error's own text may hold an absolute path.
            format!("could not be read: {}", error.kind()),
            "see to it that the file can be read, then run the audit again".to_owned(),
        ),
    };
    reason(
        Why::NotReadable,
        needs,
        name,
        format!("`{name}` {says}"),
        next_step,
    )
}

/// True if a folder holds what Python installs for itself.
pub fn is_virtual_environment(folder: &Path) -> bool {
    folder.join("pyvenv.cfg").exists()
}

fn read_bytes(
    path: &Path,
    name: &Arc<str>,
    limits: &Limits,
    needs: InputKind,
) -> Result<Vec<u8>, Box<Reason>> {
    let failed = |error: io::Error| Box::new(unreadable(name, &error, needs));
    let metadata = fs::metadata(path).map_err(failed)?;
    // Opening a pipe or a device could wait for ever.
    if !metadata.is_file() {
        return Err(Box::new(not_a_file(name, &metadata, needs)));
    }
    let most = limits.max_file_bytes.min(u64::from(u32::MAX));
    if metadata.len() > most {
        return Err(Box::new(too_large(name, metadata.len(), most, needs)));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
    let file = File::open(path).map_err(failed)?;
    // The file may grow while it is read.
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > most {
        return Err(Box::new(too_large(name, bytes.len() as u64, most, needs)));
    }
    Ok(bytes)
}

fn decode(bytes: Vec<u8>, name: &Arc<str>, needs: InputKind) -> Result<String, Box<Reason>> {
    let error = match String::from_utf8(bytes) {
        Ok(mut text) => {
            if text.starts_with('\u{feff}') {
                text.drain(..'\u{feff}'.len_utf8());
            }
            return Ok(text);
        }
        Err(error) => error,
    };
    let offset = error.utf8_error().valid_up_to();
    let bytes = error.into_bytes();
    let utf16 = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
    let valid = bytes.get(..offset).unwrap_or_default();
    let prefix = TextFile::new(
        Arc::clone(name),
        String::from_utf8_lossy(valid).into_owned(),
    );
    let line = prefix.pos(offset as u32).line;
    let (sentence, next_step) = if utf16 {
        (
            format!("`{name}` is UTF-16, and only UTF-8 is read"),
            "save the file as UTF-8".to_owned(),
        )
    } else {
        (
            format!("`{name}` is not UTF-8: byte {offset}, on line {line}, begins no character"),
            "save the file as UTF-8, or correct the bytes on that line".to_owned(),
        )
    };
    let mut told = reason(Why::NotReadable, needs, name, sentence, next_step);
    told.place = Some(prefix.place(offset as u32, offset as u32));
    Err(Box::new(told))
}

fn not_a_file(name: &str, metadata: &Metadata, needs: InputKind) -> Reason {
    let what = if metadata.is_dir() {
        "is a directory, not a file"
    } else {
        "is not a regular file"
    };
    reason(
        Why::NotReadable,
        needs,
        name,
        format!("`{name}` {what}"),
        "name a regular file; copy what a pipe would deliver into one".to_owned(),
    )
}

fn too_large(name: &str, bytes: u64, most: u64, needs: InputKind) -> Reason {
    reason(
        Why::NotReadable,
        needs,
        name,
        format!("`{name}` has {bytes} bytes, more than the {most} that are read"),
        "raise `limits.max_file_bytes` in `outbox-audit.yaml` (at most 4294967295), or split the file"
            .to_owned(),
    )
}

fn reason(why: Why, needs: InputKind, name: &str, sentence: String, next_step: String) -> Reason {
    Reason {
        why,
        needs: Some(needs),
        sentence,
        place: Some(Place::Path(name.into())),
        next_step,
    }
}
