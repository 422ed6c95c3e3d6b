//! SQL scripts: dumps and migrations, replayed in order into one declared schema.

use std::sync::Arc;

use crate::model::evidence::{InputKind, ObservedBy, Reason, Why};
use crate::model::place::Place;
use crate::model::schema::{Dialect, Schema};
use crate::model::text::TextFile;
use crate::sql::ddl::Replay;

use super::dialect::{Guess, guess};
use super::migrations;

/// Makes a text file of bytes, or says why they are no text.
pub fn text_file(path: &str, bytes: Vec<u8>) -> Result<TextFile, Reason> {
    let unreadable = |sentence: String, next_step: &str| Reason {
        why: Why::NotReadable,
        needs: Some(InputKind::Schema),
        sentence,
        place: Some(Place::Path(path.into())),
        next_step: next_step.to_owned(),
    };
    if u32::try_from(bytes.len()).is_err() {
        let sentence = format!("{path} is larger than 4 GiB");
        return Err(unreadable(
            sentence,
            "Give a dump of the schema alone, without data.",
        ));
    }
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        let sentence = format!("{path} is UTF-16");
        return Err(unreadable(sentence, "Convert the file to UTF-8."));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(TextFile::new(path, text)),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let sentence = format!("{path} is not UTF-8 at byte {at}");
            Err(unreadable(
                sentence,
                "Convert the file to UTF-8, or give a dump of the schema alone, without data.",
            ))
        }
    }
}

/// Replays the scripts in order. Without a dialect the scripts' own signs decide; where they do
/// not, nothing is read and the reason asks for `--dialect`.
pub fn read(files: &[Arc<TextFile>], dialect: Option<Dialect>) -> Result<Schema, Reason> {
    let up = ways_up(files);
    let dialect = match dialect {
        Some(dialect) => {
            up.iter().try_for_each(|file| suits(file, dialect))?;
            dialect
        }
        None => decide(&up)?,
    };
    let mut replay = Replay::new(dialect);
    for file in up {
        for part in migrations::way_up(file.text()) {
            let offset = part.start as u32;
            let text = file.text().get(part).unwrap_or("");
            replay.read(text, &|start, end| file.place(offset + start, offset + end));
        }
    }
    Ok(replay.finish(InputKind::Schema, ObservedBy::Text))
}

/// Refuses a script with the signs of PostgreSQL alone that is said to be MySQL's: read so, its keys
/// would be wrong. (SQLite takes any word for a type, and PostgreSQL's reader refuses MySQL's
/// definitions one by one.)
fn suits(file: &TextFile, dialect: Dialect) -> Result<(), Reason> {
    let mysql = matches!(dialect, Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb);
    if mysql && guess(file.text()) == Guess::One(Dialect::Postgres) {
        return Err(Reason {
            why: Why::NotResolved,
            needs: Some(InputKind::Schema),
            sentence: format!(
                "{} is written for postgres, and the dialect given is {}",
                file.path,
                dialect.word()
            ),
            place: Some(Place::Path(file.path.clone())),
            next_step: "give the dialect it is written in (--dialect postgres)".to_owned(),
        });
    }
    Ok(())
}

/// The engine that the scripts' own signs point to.
///
/// # Errors
/// Why they do not.
pub fn dialect_of(files: &[Arc<TextFile>]) -> Result<Dialect, Reason> {
    decide(&ways_up(files))
}

/// True if no script shows a sign of any engine.
pub(super) fn says_nothing(files: &[Arc<TextFile>]) -> bool {
    files.iter().all(|file| guess(file.text()) == Guess::None)
}

fn ways_up(files: &[Arc<TextFile>]) -> Vec<&Arc<TextFile>> {
    files
        .iter()
        .filter(|file| !migrations::is_way_down(&file.path))
        .collect()
}

fn decide(files: &[&Arc<TextFile>]) -> Result<Dialect, Reason> {
    let mut found: Option<(Dialect, Arc<str>)> = None;
    for file in files {
        let one = match guess(file.text()) {
            Guess::None => continue,
            Guess::One(one) => one,
            Guess::Mixed(one, other) => {
                let sentence = format!(
                    "{} shows signs of {} and of {}",
                    file.path,
                    one.word(),
                    other.word()
                );
                return Err(undecided(sentence, file));
            }
        };
        found = match found {
            None => Some((one, file.path.clone())),
            Some((known, _)) if known == one || refines(known, one) => {
                Some((known, file.path.clone()))
            }
            Some((known, _)) if refines(one, known) => Some((one, file.path.clone())),
            Some((known, path)) => {
                let sentence = format!(
                    "{path} is written for {} and {} for {}",
                    known.word(),
                    file.path,
                    one.word()
                );
                return Err(undecided(sentence, file));
            }
        };
    }
    match (found, files.first()) {
        (Some((dialect, _)), _) => Ok(dialect),
        (None, Some(first)) => {
            let sentence = format!(
                "nothing in {} says which engine it is written for",
                first.path
            );
            Err(undecided(sentence, first))
        }
        (None, None) => Err(Reason {
            why: Why::NotGiven,
            needs: Some(InputKind::Schema),
            sentence: "the schema files hold ways down only".to_owned(),
            place: None,
            next_step: "Name the migrations that make the tables with --schema.".to_owned(),
        }),
    }
}

/// MariaDB and TiDB speak MySQL's dialect with words of their own.
pub(super) fn refines(special: Dialect, general: Dialect) -> bool {
    general == Dialect::Mysql && matches!(special, Dialect::Mariadb | Dialect::Tidb)
}

pub(super) fn undecided(sentence: String, file: &TextFile) -> Reason {
    Reason {
        why: Why::NotDecidable,
        needs: Some(InputKind::Schema),
        sentence,
        place: Some(Place::Path(file.path.clone())),
        next_step:
            "Say which engine it is with --dialect postgres, mysql, mariadb, tidb or sqlite, or with `inputs.dialect` in the configuration."
                .to_owned(),
    }
}
