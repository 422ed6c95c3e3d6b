//! Answers to printed queries: a file with one line of JSON for each, in any order.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use super::Sources;
use super::states::count;
use crate::input::files::read_text;
use crate::input::outbox::{Answer, Source, backlog};
use crate::model::backlog::Backlog;
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::inputs::{InputState, ReadInput};
use crate::model::place::Place;
use crate::model::schema::Schema;
use crate::sql::outbox::{Asked, JsonCheck, questions};

/// The backlog that the file tells of, and the state of this input; nothing where none was given.
/// What a live database was asked itself stands before any file.
pub(super) fn read(
    sources: &Sources,
    schema: Option<&Schema>,
    live: bool,
) -> (Option<Backlog>, Option<InputState>) {
    let Some(path) = &sources.answers else {
        return (None, None);
    };
    let mut state = InputState {
        kind: InputKind::Answers,
        read: Vec::new(),
        unknown: Vec::new(),
    };
    let loaded = match read_text(path, &sources.root, &sources.limits, InputKind::Answers) {
        Ok(loaded) => loaded,
        Err(reason) => {
            state.unknown.push(Arc::new(*reason));
            return (None, Some(state));
        }
    };
    let name = Arc::clone(&loaded.file.path);
    let lines = answers(loaded.file.text());
    let mut open = |why, sentence: String, next_step: &str| {
        state.unknown.push(Arc::new(Reason {
            why,
            needs: Some(InputKind::Answers),
            sentence,
            place: Some(Place::Path(Arc::clone(&name))),
            next_step: next_step.to_owned(),
        }));
    };
    let shape = schema
        .zip(sources.outbox.as_ref())
        .and_then(|(schema, names)| {
            let dialect = schema.dialect.or(sources.dialect)?;
            names.shape_in(schema, dialect)
        });
    let Some(shape) = shape else {
        open(
            Why::NotResolved,
            format!("{name} answers questions about an outbox whose table or engine is not known"),
            "give the schema that defines it (--schema), and its engine (--dialect)",
        );
        return (None, Some(state));
    };
    if lines.is_empty() {
        open(
            Why::NotParsed,
            format!("{name} holds no answer: no line of it is a JSON object"),
            "run the statements of `outbox-audit queries`, and keep their output as it is (psql -At, mysql -Nr)",
        );
        return (None, Some(state));
    }
    let asked = questions(&shape, JsonCheck::Asks);
    let strange = strange(&lines, &asked);
    if !strange.is_empty() {
        open(
            Why::Stale,
            format!(
                "{name} answers {} as another statement asks it, for another engine, table, template or version than {}: not used",
                strange.join(", "),
                shape.dialect.word()
            ),
            "print the queries anew with `outbox-audit queries`, and run them",
        );
    }
    state.read.push(ReadInput {
        name: Arc::clone(&name),
        digest: Some(Arc::clone(&loaded.digest)),
        summary: match live {
            true => format!(
                "{}; the database was asked itself",
                count(lines.len(), "answer")
            ),
            false => count(lines.len(), "answer"),
        }
        .into(),
    });
    if live {
        return (None, Some(state));
    }
    let of = |at: usize| -> Option<Answer> {
        let question = asked.get(at)?.as_ref().ok()?;
        let mut mine = lines.iter().filter(|(query, _)| query == question.id);
        let (_, text) = mine.next()?;
        if mine.any(|(_, other)| other != text) {
            return Some(Err(Reason {
                why: Why::Disagree,
                needs: Some(InputKind::Answers),
                sentence: format!("{name} answers {} twice, and not alike", question.id),
                place: Some(Place::Path(Arc::clone(&name))),
                next_step: "keep the answer of the primary, of one run".to_owned(),
            }));
        }
        Some(Ok((*text).to_owned()))
    };
    let source = Source {
        label: &name,
        shape: &shape,
        is_file: true,
    };
    let told = backlog(
        &source,
        &asked,
        [of(0), of(1), of(2), of(3), of(4), of(5)],
        None,
    );
    (Some(told), Some(state))
}

/// Questions that lines answer as another statement would ask them.
fn strange<'l>(lines: &'l [(String, &str)], asked: &[Asked; 6]) -> Vec<&'l str> {
    let is_its = |id: &str, line: &str| {
        let mut questions = asked.iter().filter_map(|asked| asked.as_ref().ok());
        questions.any(|question| question.id == id && line.contains(&question.digest))
    };
    let is_known = |id: &str| {
        asked.iter().any(|asked| match asked {
            Ok(question) => question.id == id,
            Err(unasked) => unasked.id == id,
        })
    };
    let strange = lines
        .iter()
        .filter(|(id, line)| is_known(id) && !is_its(id, line));
    let ids: BTreeSet<&str> = strange.map(|(id, _)| &**id).collect();
    ids.into_iter().collect()
}

/// Lines of the file with answers that are JSON objects; none where there is no such file. What is
/// wrong with it is said where the backlog is read from it.
pub(super) fn lines_of(sources: &Sources) -> Vec<String> {
    let Some(path) = &sources.answers else {
        return Vec::new();
    };
    let loaded = read_text(path, &sources.root, &sources.limits, InputKind::Answers);
    loaded.map_or_else(
        |_| Vec::new(),
        |loaded| {
            let lines = answers(loaded.file.text()).into_iter();
            lines.map(|(_, line)| line.to_owned()).collect()
        },
    )
}

/// Lines that are JSON objects, with the query that they name. Whatever a client prints around them
/// is passed over: an answer that is lost so is missed.
fn answers(text: &str) -> Vec<(String, &str)> {
    text.lines()
        .map(str::trim)
        .filter_map(|line| {
            let value: Value = serde_json::from_str(line).ok()?;
            Some((value.get("query")?.as_str()?.to_owned(), line))
        })
        .collect()
}
