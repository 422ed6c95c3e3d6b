//! Results on stdout, the rest on stderr; files written beside and renamed.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::model::secret::without_url_secrets;
use crate::report::RenderOptions;

/// Why a command did not finish.
#[derive(Debug)]
pub(super) enum Failure {
    /// Something to tell.
    Message(String),
}

impl Failure {
    /// A plain message, `error: ` in front.
    pub(super) fn error(message: impl std::fmt::Display) -> Self {
        Failure::Message(format!("error: {message}\n"))
    }
}

/// Writes to stderr; nobody listening is no problem. Messages name what was typed, and a URL with a
/// password may have been typed anywhere: its secrets are covered here, for all of them.
pub(super) fn complain(message: &str) {
    super::progress::clear();
    let _ = io::stderr().write_all(without_url_secrets(message).as_bytes());
}

/// Writes to stdout. That nobody reads on, as behind `head`, is no failure, and the status stays
/// that of the command.
///
/// # Errors
/// A disk that is full.
pub(super) fn to_stdout(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::error(format!("stdout cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// A file that is written beside its place, and moved there when all that belongs together is
/// written; gone again if it is not.
#[derive(Debug)]
pub(super) struct Pending {
    shown: PathBuf,
    path: PathBuf,
    beside: Option<PathBuf>,
}

impl Pending {
    /// Writes it beside its place. What is no file, such as a pipe, is written at once.
    ///
    /// # Errors
    /// If it cannot be written, with its path and the cause.
    pub(super) fn write(
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Self, Failure> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        if name.is_empty() || path.is_dir() {
            return Err(Failure::error(format!(
                "{} cannot be written: it is a directory",
                path.display()
            )));
        }
        // Behind a link the file is replaced, and the link stays.
        let mut pending = Self {
            shown: path.to_owned(),
            path: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
            beside: None,
        };
        let is_special = fs::metadata(path).is_ok_and(|it| !it.is_file());
        let file = if is_special {
            OpenOptions::new().write(true).open(path)
        } else {
            name.push(format!(".{}.part", std::process::id()));
            let beside = pending.path.with_file_name(name);
            // Set before it exists: it is taken away however this ends.
            pending.beside = Some(beside.clone());
            File::create(beside)
        };
        let written = file.and_then(|file| {
            let mut out = BufWriter::new(file);
            write(&mut out)?;
            out.flush()
        });
        match written {
            Err(error) if is_special && error.kind() == io::ErrorKind::BrokenPipe => Ok(pending),
            Err(error) => Err(pending.failed(&error)),
            Ok(()) => Ok(pending),
        }
    }

    /// Moves it to its place.
    ///
    /// # Errors
    /// If it cannot be moved, with its path and the cause.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        let Some(beside) = &self.beside else {
            return Ok(());
        };
        fs::rename(beside, &self.path).map_err(|error| self.failed(&error))?;
        self.beside = None;
        Ok(())
    }

    fn failed(&self, error: &io::Error) -> Failure {
        Failure::error(format!(
            "{} cannot be written: {error}",
            self.shown.display()
        ))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            let _ = fs::remove_file(beside);
        }
    }
}

/// Writes a file as a whole or not at all.
///
/// # Errors
/// If it cannot be written, with its path and the cause.
pub(super) fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    Pending::write(path, write)?.finish()
}

/// True if what is written there may be coloured: on a terminal that knows colours, unless
/// `NO_COLOR` is set and not empty.
pub(super) fn colours(stream: &impl IsTerminal) -> bool {
    let set = |name, is: fn(&OsStr) -> bool| std::env::var_os(name).is_some_and(|value| is(&value));
    stream.is_terminal()
        && !set("NO_COLOR", |value| !value.is_empty())
        && !set("TERM", |term| term == "dumb")
}

/// How a report is shown on stdout.
pub(super) fn options(verbose: bool, quiet: bool) -> RenderOptions {
    let width = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .map_or(80, |columns: usize| columns.clamp(60, 120));
    RenderOptions {
        width,
        color: colours(&io::stdout()),
        verbose,
        quiet,
    }
}
