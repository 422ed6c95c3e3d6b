//! What stands in the way of keys that the audit proposes: asked of the database that was read, or
//! taken from a file with answers.

use std::sync::Arc;

use serde_json::Value;

use super::answers::lines_of;
use super::{Database, Sources};
use crate::input::files::relative;
use crate::input::outbox::{Answer, number, text, truth};
use crate::input::schema;
use crate::model::duplicates::Duplicates;
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::place::Place;
use crate::sql::outbox::Question;

/// One entry for each question, in order: none where nothing was there to be asked.
pub fn ask_keys(
    sources: &Sources,
    database: Option<&Database>,
    questions: &[Question],
) -> Vec<Option<Result<Duplicates, Arc<Reason>>>> {
    if questions.is_empty() {
        return Vec::new();
    }
    let asked = database.map(|database| match database {
        Database::Sqlite { path, name } => schema::ask_sqlite(path, name, questions),
        Database::Server { reference, name } => {
            schema::ask_server(reference, name, sources.limits.timeout, questions)
        }
    });
    match asked {
        Some(Ok(answers)) => questions
            .iter()
            .zip(answers)
            .map(|(question, answer)| Some(read(question, answer)))
            .collect(),
        Some(Err(reason)) => {
            let reason = Arc::new(reason);
            let all = questions.iter();
            all.map(|_| Some(Err(Arc::clone(&reason)))).collect()
        }
        None => {
            let lines = lines_of(sources);
            questions
                .iter()
                .map(|question| {
                    let is_its = |line: &&String| line.contains(&question.digest);
                    let mut mine = lines.iter().filter(is_its);
                    let Some(line) = mine.next() else {
                        let is_like = |line: &&String| is_to(line, question);
                        let other = lines.iter().find(is_like)?;
                        return Some(Err(Arc::new(other_statement(other, sources))));
                    };
                    Some(match mine.any(|other| other != line) {
                        true => Err(Arc::new(open(
                            "the duplicates of a key are answered twice, and not alike",
                        ))),
                        false => read(question, Ok(line.clone())),
                    })
                })
                .collect()
        }
    }
}

fn read(question: &Question, answer: Answer) -> Result<Duplicates, Arc<Reason>> {
    let answer = answer.map_err(Arc::new)?;
    let is_copy =
        serde_json::from_str::<Value>(&answer).is_ok_and(|value| truth(&value["replica"]));
    if is_copy {
        return Err(Arc::new(Reason {
            why: Why::Stale,
            ..open(
                "the duplicates of a key were counted by a server that takes no writes, such as a replica",
            )
        }));
    }
    let told = serde_json::from_str::<Value>(&answer)
        .ok()
        .filter(|value| value["query"] == question.id && value["question"] == *question.digest)
        .and_then(|value| {
            Some(Duplicates {
                groups: number(&value["groups"])?,
                rows: number(&value["rows"])?,
                example: text(&value["example"]),
                nulls: number(&value["nulls"])?,
            })
        });
    told.ok_or_else(|| {
        Arc::new(open(
            "the answer about the duplicates of a key is not one to its statement",
        ))
    })
}

/// True of an answer to the same question, as another statement asks it.
fn is_to(line: &str, question: &Question) -> bool {
    serde_json::from_str::<Value>(line).is_ok_and(|value| value["query"] == question.id)
}

fn other_statement(line: &str, sources: &Sources) -> Reason {
    let name = serde_json::from_str::<Value>(line).ok();
    let name = name
        .and_then(|value| text(&value["query"]))
        .unwrap_or_default();
    let file = sources.answers.as_ref();
    let file = file.map_or_else(
        || Arc::from("the file"),
        |path| relative(path, &sources.root),
    );
    Reason {
        why: Why::Stale,
        needs: Some(InputKind::Answers),
        place: Some(Place::Path(Arc::clone(&file))),
        ..open(&format!(
            "{file} answers {name} as another statement asks it, for another engine, table, key or version: not used"
        ))
    }
}

fn open(sentence: &str) -> Reason {
    Reason {
        why: Why::NotParsed,
        needs: Some(InputKind::Database),
        sentence: sentence.to_owned(),
        place: None,
        next_step:
            "run the statements of `outbox-audit queries` anew, and keep their output as it is"
                .to_owned(),
    }
}
