//! What can be told of the file before SQLite opens it.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::model::evidence::Reason;

use super::failure;

/// State of the file; two equal ones mean that nobody wrote between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Probe {
    /// Bytes.
    pub(super) length: u64,
    modified: Option<SystemTime>,
    header: Vec<u8>,
    /// The file is in WAL mode.
    pub(super) wal: bool,
}

impl Probe {
    /// True if pages that the header counts are missing at the end.
    ///
    /// Source: SQLite, "Database File Format", sections 1.3.2 and 1.3.7: the count is valid while
    /// the change counter equals the version-valid-for number.
    pub(super) fn is_cut_off(&self) -> bool {
        let page = match self.number(16, 2) {
            Some(1) => 65_536,
            Some(size) => size,
            None => return false,
        };
        let pages = self.number(28, 4).unwrap_or(0);
        let valid = self.number(24, 4) == self.number(92, 4);
        valid && self.length < page * pages
    }

    /// A big-endian number of the header.
    fn number(&self, at: usize, wide: usize) -> Option<u64> {
        let bytes = self.header.get(at..at + wide)?;
        Some(
            bytes
                .iter()
                .fold(0, |sum, byte| (sum << 8) | u64::from(*byte)),
        )
    }
}

/// Length of the header. Source: SQLite, "Database File Format", section 1.3.
const HEADER: u64 = 100;

/// Looks at the file and its log.
pub(super) fn probe(path: &Path, name: &str) -> Result<Probe, Reason> {
    let metadata = std::fs::metadata(path).map_err(|error| failure::io(name, &error))?;
    if !metadata.is_file() {
        return Err(failure::not_a_file(name));
    }
    if metadata.len() == 0 {
        return Err(failure::empty(name));
    }
    let mut header = Vec::new();
    File::open(path)
        .and_then(|file| file.take(HEADER).read_to_end(&mut header))
        .map_err(|error| failure::io(name, &error))?;
    if !header.starts_with(b"SQLite format 3\0") {
        return Err(failure::not_a_database(name));
    }
    // Bytes 18 and 19: write and read version, 2 for WAL.
    let wal = header.get(18) == Some(&2) || header.get(19) == Some(&2);
    if wal && has_content(&beside(path, "-wal"), name)? {
        return Err(failure::hot_wal(name));
    }
    Ok(Probe {
        length: metadata.len(),
        modified: metadata.modified().ok(),
        header,
        wal,
    })
}

fn has_content(path: &Path, name: &str) -> Result<bool, Reason> {
    match std::fs::metadata(path) {
        Ok(metadata) => Ok(metadata.len() > 0),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failure::io(name, &error)),
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
