//! `inputs`, `packs`, `rules` and `limits`: what is read, and how much of it.

use std::path::Path;

use crate::model::schema::Dialect;

use super::database::{DatabaseRef, is_url};
use super::fields::{Fields, Sink, Text};
use super::secret::shown;
use super::types::{ConfiguredDatabase, ConfiguredInputs, ConfiguredPath, Limits};
use crate::model::nearest::nearest;

/// Reads `inputs`; paths are relative to `base`.
pub(super) fn inputs(sink: &Sink<'_>, root: &Fields<'_>, base: &Path) -> ConfiguredInputs {
    let Some(fields) = root.fields("inputs") else {
        return ConfiguredInputs::default();
    };
    let paths = |name| paths(sink, fields.texts(name), base);
    let inputs = ConfiguredInputs {
        flows: paths("flows"),
        schema: paths("schema"),
        dialect: fields.text("dialect").and_then(|text| dialect(sink, text)),
        database: fields
            .text("database")
            .and_then(|text| database(sink, text, base)),
        source: paths("source"),
        tests: paths("tests"),
        answers: fields.text("answers").map(|text| path(sink, text, base)),
    };
    fields.finish();
    inputs
}

/// Paths as written and as they are opened.
pub(super) fn paths(sink: &Sink<'_>, texts: Vec<Text<'_>>, base: &Path) -> Vec<ConfiguredPath> {
    texts
        .into_iter()
        .map(|text| path(sink, text, base))
        .collect()
}

fn path(sink: &Sink<'_>, text: Text<'_>, base: &Path) -> ConfiguredPath {
    ConfiguredPath {
        path: base.join(text.value),
        declared: sink.declared(text),
    }
}

fn database(sink: &Sink<'_>, text: Text<'_>, base: &Path) -> Option<ConfiguredDatabase> {
    let refused =
        |sentence: &str| {
            let problem = sink.problem(text, sentence).hiding_the_value();
            sink.push(problem.help(
                "give `env:NAME`, with the URL in that environment variable, or `sqlite:FILE`",
            ));
            None
        };
    let reference = match DatabaseRef::parse(text.value) {
        Ok(DatabaseRef::Url(_)) => {
            return refused("`inputs.database` takes no URL: a password would stand in the file");
        }
        Ok(DatabaseRef::Sqlite(file)) => DatabaseRef::Sqlite(base.join(file)),
        Ok(reference) => reference,
        Err(why) if text.value.starts_with("env:") || text.value.starts_with("sqlite:") => {
            return refused(why);
        }
        Err(_) if is_url(text.value) => return refused("`inputs.database` takes no URL"),
        Err(_) => return refused("`inputs.database` is neither `env:NAME` nor `sqlite:FILE`"),
    };
    Some(ConfiguredDatabase {
        reference,
        declared: sink.declared(text),
    })
}

fn dialect(sink: &Sink<'_>, word: Text<'_>) -> Option<Dialect> {
    let words = Dialect::ALL.map(Dialect::word);
    let found = Dialect::ALL
        .into_iter()
        .find(|dialect| dialect.word() == word.value);
    if found.is_none() {
        let sentence = format!("`{}` is no dialect", shown(word.value));
        let problem = sink.problem(word, sentence);
        sink.push(match nearest(word.value, &words) {
            Some(near) => problem.label(format!("did you mean `{near}`?")),
            None => problem.help(format!("dialects are {}", words.join(", "))),
        });
    }
    found
}

/// Reads `limits`.
pub(super) fn limits(root: &Fields<'_>) -> Limits {
    let mut limits = Limits::default();
    let Some(fields) = root.fields("limits") else {
        return limits;
    };
    if let Some(bytes) = fields.number("max_file_bytes", 1..=u32::MAX.into()) {
        limits.max_file_bytes = bytes;
    }
    if let Some(files) = fields.number("max_files", 1..=1_000_000) {
        limits.max_files = files;
    }
    if let Some(seconds) = fields.number("timeout_seconds", 1..=3_600) {
        limits.timeout_seconds = seconds;
    }
    fields.finish();
    limits
}
