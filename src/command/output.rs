//! Results on stdout, the rest on stderr; files written beside and renamed.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

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

/// Writes a file as a whole or not at all: beside it first, then renamed.
///
/// # Errors
/// If it cannot be written, with its path and the cause.
pub(super) fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let failed =
        |error: io::Error| Failure::error(format!("{} cannot be written: {error}", path.display()));
    let mut name = path.file_name().unwrap_or_default().to_owned();
    if name.is_empty() || path.is_dir() {
        return Err(Failure::error(format!(
            "{} cannot be written: it is a directory",
            path.display()
        )));
    }
    name.push(format!(".{}.part", std::process::id()));
    let beside = path.with_file_name(name);
    let result = File::create(&beside).and_then(|file| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.flush()
    });
    let result = result.and_then(|()| fs::rename(&beside, path));
    if result.is_err() {
        let _ = fs::remove_file(&beside);
    }
    result.map_err(failed)
}

/// How a report is shown on stdout.
pub(super) fn options(verbose: bool, quiet: bool) -> RenderOptions {
    let terminal = io::stdout().is_terminal();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let width = std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .map_or(80, |columns: usize| columns.clamp(60, 120));
    RenderOptions {
        width,
        color: terminal && !no_color && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
        verbose,
        quiet,
    }
}
