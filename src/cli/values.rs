//! Values of flags that need more than a word list, and errors that keep URLs to themselves.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command, Error, ValueEnum};

use super::Format;
use crate::input::config::database::DatabaseRef;
use crate::input::config::date::parse_day;

/// A report written to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Its format.
    pub format: Format,
    /// The file.
    pub path: PathBuf,
}

/// Reads `--database`. Its errors do not repeat the value, as those of clap's own parsers do.
#[derive(Debug, Clone, Copy)]
pub(super) struct DatabaseValue;

impl TypedValueParser for DatabaseValue {
    type Value = DatabaseRef;

    fn parse_ref(
        &self,
        command: &Command,
        _: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, Error> {
        let refused = |why: &str| {
            Error::raw(
                ErrorKind::ValueValidation,
                format!("invalid value for '--database <DATABASE>': {why}\n"),
            )
            .with_cmd(command)
        };
        let text = value.to_str().ok_or_else(|| refused("it is not UTF-8"))?;
        DatabaseRef::parse(text).map_err(refused)
    }
}

/// Reads a path of an input. A URL is none: it would be looked for as a file, and its password be
/// told with the file that is missing.
pub(super) fn path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        if path.to_string_lossy().contains("://") {
            Err("it is a URL, and a file or directory is read; a database is named with --database")
        } else {
            Ok(path)
        }
    })
}

/// Reads a day.
pub(super) fn day(text: &str) -> Result<String, String> {
    parse_day(text).map(str::to_owned)
}

/// Reads a text that is not blank.
pub(super) fn text(text: &str) -> Result<String, String> {
    let trimmed = text.trim();
    match trimmed.is_empty() {
        true => Err("it is empty".to_owned()),
        false => Ok(trimmed.to_owned()),
    }
}

/// Reads `FORMAT=PATH`.
pub(super) fn output(text: &str) -> Result<Output, String> {
    let (format, path) = text
        .split_once('=')
        .ok_or("write FORMAT=PATH, for example markdown=report.md")?;
    // The value is not repeated here: clap shows it already, and it may be a URL.
    let format = Format::from_str(format, false).map_err(|_| {
        let names: Vec<String> = Format::value_variants()
            .iter()
            .filter_map(|format| Some(format.to_possible_value()?.get_name().to_owned()))
            .collect();
        format!("FORMAT is one of {}", names.join(", "))
    })?;
    if path.is_empty() {
        return Err("the path behind `=` is missing".to_owned());
    }
    if path.contains("://") {
        return Err("the path behind `=` is a URL, and a file is written".to_owned());
    }
    Ok(Output {
        format,
        path: PathBuf::from(path),
    })
}

/// The same error with every typed URL cut down to its scheme: a URL in the wrong place may hold
/// a password too, and clap quotes what it does not understand.
pub(super) fn without_urls(error: Error, arguments: &[OsString], command: &mut Command) -> Error {
    if !error.use_stderr() {
        return error;
    }
    let mut urls: Vec<(String, String)> = arguments
        .iter()
        .filter_map(|argument| {
            let text = argument.to_string_lossy().into_owned();
            let at = text.find("://")?;
            let scheme = text
                .get(..at)?
                .trim_start_matches(|each: char| each == '-' || each.is_whitespace());
            let scheme = scheme.rsplit('=').next().unwrap_or(scheme).to_owned();
            let start = at.checked_sub(scheme.len())?;
            Some((text.get(start..)?.to_owned(), format!("{scheme}://…")))
        })
        .collect();
    if urls.is_empty() {
        return error;
    }
    urls.sort_by_key(|(url, _)| std::cmp::Reverse(url.len()));
    let kind = error.kind();
    let mut text = error.to_string();
    for (url, shown) in &urls {
        text = text.replace(url, shown);
    }
    let text = text.strip_prefix("error: ").unwrap_or(&text).to_owned();
    Error::raw(kind, text).with_cmd(command)
}
