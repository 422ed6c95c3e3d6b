//! Answers to the questions about the backlog, from a live database or from a file.

pub mod plan;
pub(super) mod stream;

use std::sync::Arc;

use serde_json::Value;

use crate::model::backlog::{Backlog, Claims, KeyCounts, Rows, StatusRows, Statuses, Waiting};
use crate::model::evidence::{Evidence, Fact, InputKind, ObservedBy, Reason, Why};
use crate::model::outbox::OutboxShape;
use crate::model::place::Place;
use crate::model::plan::Plan;
use crate::sql::outbox::{Asked, CLAIMS, KEYS, PATHS, Question, STATUSES, WAITING, WRITERS};

/// Who answers, and how reports call it.
pub(super) struct Source<'a> {
    /// Name of the connection or of the file.
    pub(super) label: &'a Arc<str>,
    /// The outbox.
    pub(super) shape: &'a OutboxShape,
    /// True for a file with answers, false for a live database.
    pub(super) is_file: bool,
}

/// What came of a question: the JSON text of its one row, or why there is none.
pub(super) type Answer = Result<String, Reason>;

/// The backlog that answers tell of; `answers` are in the order of the questions.
pub(super) fn backlog(
    source: &Source<'_>,
    asked: &[Asked; 6],
    answers: [Option<Answer>; 6],
    plan: Option<Fact<Plan>>,
) -> Backlog {
    let [statuses, keys, waiting, claims, writers, paths] = answers;
    let [
        of_statuses,
        of_keys,
        of_waiting,
        of_claims,
        of_writers,
        of_paths,
    ] = asked;
    Backlog {
        statuses: source.fact(STATUSES, of_statuses, statuses, read_statuses),
        keys: source.fact(KEYS, of_keys, keys, read_keys),
        waiting: source.fact(WAITING, of_waiting, waiting, read_waiting),
        claims: source.fact(CLAIMS, of_claims, claims, read_claims),
        writers: source.fact(WRITERS, of_writers, writers, read_writers),
        paths: source.fact(PATHS, of_paths, paths, read_paths),
        server: None,
        plan,
    }
}

impl Source<'_> {
    fn fact<T>(
        &self,
        id: &'static str,
        asked: &Asked,
        answer: Option<Answer>,
        read: fn(&Value) -> Option<T>,
    ) -> Fact<T> {
        let question = match asked {
            Ok(question) => question,
            Err(unasked) => return self.unknown(Why::NotResolved, unasked_words(&unasked.why)),
        };
        let text = match answer {
            Some(Ok(text)) => text,
            Some(Err(reason)) => return Fact::Unknown(Arc::new(reason)),
            None => {
                return self.unknown(
                    Why::NotGiven,
                    (
                        format!("{id} was not answered"),
                        "run every query that `outbox-audit queries` prints",
                    ),
                );
            }
        };
        let Ok(value) = serde_json::from_str::<Value>(&text) else {
            return self.unknown(
                Why::NotParsed,
                (
                    format!("the answer to {id} is no JSON"),
                    "run the query as it is printed",
                ),
            );
        };
        if value["query"] != question.id || value["question"] != *question.digest {
            return self.unknown(
                Why::Stale,
                (
                    format!("the answer to {id} is one to another statement"),
                    "print the queries anew with `outbox-audit queries`, and run them",
                ),
            );
        }
        if truth(&value["replica"]) {
            return self.unknown(
                Why::Stale,
                (
                    format!(
                        "{id} was answered by a server that takes no writes, such as a replica"
                    ),
                    "ask the primary",
                ),
            );
        }
        if let Some(most) = self
            .shape
            .sample
            .filter(|most| number(&value["sampled"]).is_none_or(|rows| rows >= *most))
        {
            return self.unknown(
                Why::NotDecidable,
                (
                    format!(
                        "{id} was asked of a sample of {most} rows only: {}",
                        found(&value)
                    ),
                    "count the whole: leave --sample out",
                ),
            );
        }
        match read(&value) {
            Some(told) => Fact::Shown(told, self.evidence(id, truth(&value["streamed"]))),
            None => self.unknown(
                Why::NotParsed,
                (
                    format!("the answer to {id} lacks a number that was asked for"),
                    "run the query as it is printed",
                ),
            ),
        }
    }

    fn evidence(&self, id: &str, streamed: bool) -> Arc<Evidence> {
        Arc::new(Evidence {
            input: match self.is_file {
                true => InputKind::Answers,
                false => InputKind::Database,
            },
            by: match self.is_file {
                true => ObservedBy::Answer { id: id.into() },
                false => ObservedBy::Query { id: id.into() },
            },
            place: match self.is_file {
                true => Place::Path(Arc::clone(self.label)),
                false => Place::Object {
                    connection: Arc::clone(self.label),
                    object: Arc::clone(&self.shape.name),
                },
            },
            says: format!(
                "counted among the rows of {} that are not done{}",
                self.shape.name,
                match streamed {
                    true => ", from payloads that were read one by one",
                    false => "",
                }
            )
            .into(),
        })
    }

    fn unknown<T>(&self, why: Why, (what, next_step): (String, &str)) -> Fact<T> {
        Fact::Unknown(Arc::new(Reason {
            why,
            needs: Some(InputKind::Database),
            sentence: match what.starts_with(&*self.shape.name) {
                true => what,
                false => format!("{}: {what}", self.shape.name),
            },
            place: None,
            next_step: next_step.into(),
        }))
    }
}

/// The answer to a question that another one's answer settles: without a payload that gives no key
/// there are no names to look for.
pub(super) fn settled(question: &Question, keys: Option<&Answer>) -> Option<Answer> {
    if question.id != PATHS {
        return None;
    }
    let keys: Value = serde_json::from_str(keys?.as_ref().ok()?).ok()?;
    let none = number(&keys["keyless"]) == Some(0) && keys["sampled"].is_null();
    none.then(|| {
        Ok(format!(
            "{{\"query\": \"{}\", \"question\": \"{}\", \"replica\": {}, \"paths\": []}}",
            question.id, question.digest, keys["replica"]
        ))
    })
}

/// A question that cannot be asked, and what would let it be.
fn unasked_words(why: &str) -> (String, &'static str) {
    let next_step = if why.contains("template") {
        "declare it under `outbox.record_key.template`, with plain names in its paths"
    } else if why.contains("rollout") {
        "declare it under `outbox.record_key.since`, as the stamps of the table are written"
    } else if why.contains("final") {
        "name them under `outbox.states` (ready, claimed, done, dead)"
    } else {
        "name it under `outbox.columns`"
    };
    (why.to_owned(), next_step)
}

/// The numbers of an answer in words: what was found in a sample is a lower bound.
fn found(value: &Value) -> String {
    let numbers = value.as_object().into_iter().flatten();
    let mut words: Vec<String> = numbers
        .filter(|(name, _)| {
            !matches!(
                name.as_str(),
                "question" | "replica" | "sampled" | "streamed" | "longest" | "most"
            )
        })
        .filter_map(|(name, value)| Some(format!("{name} {}", number(value)?)))
        .collect();
    if let Some(list) = value["statuses"].as_array() {
        words.push(format!("statuses {}", list.len()));
    }
    format!("at least {}", words.join(", "))
}

/// Engines print truth as `true`, `1` or `"1"`.
pub(super) fn truth(value: &Value) -> bool {
    value.as_bool() == Some(true) || number(value).is_some_and(|number| number != 0)
}

pub(super) fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

pub(super) fn text(value: &Value) -> Option<Arc<str>> {
    value.as_str().map(Arc::from)
}

fn read_statuses(value: &Value) -> Option<Statuses> {
    // MySQL aggregates no row to NULL.
    let list = match &value["statuses"] {
        Value::Null => &Vec::new(),
        other => other.as_array()?,
    };
    let mut list: Vec<StatusRows> = list
        .iter()
        .map(|each| {
            Some(StatusRows {
                status: text(&each["status"]),
                rows: number(&each["rows"])?,
                oldest: text(&each["oldest"]),
                heartbeat: text(&each["heartbeat"]),
                retries: number(&each["retries"]),
            })
        })
        .collect::<Option<_>>()?;
    list.sort_by(|one, other| (other.rows, &one.status).cmp(&(one.rows, &other.status)));
    Some(Statuses {
        now: text(&value["now"])?,
        list,
    })
}

fn read_keys(value: &Value) -> Option<KeyCounts> {
    let rows = |count: &str, example: &str| {
        Some(Rows {
            rows: number(&value[count])?,
            example: text(&value[example]),
        })
    };
    Some(KeyCounts {
        open: number(&value["open"])?,
        missing: rows("missing", "missing_example")?,
        wrong: rows("wrong", "wrong_example")?,
        keyless: rows("keyless", "keyless_example")?,
        unparsed: rows("unparsed", "unparsed_example")?,
        longest: number(&value["longest"]),
    })
}

fn read_claims(value: &Value) -> Option<Claims> {
    let rows = |count: &str| {
        Some(Rows {
            rows: number(&value[count])?,
            example: text(&value[format!("{count}_example").as_str()]),
        })
    };
    Some(Claims {
        unclaimable: rows("unclaimable")?,
        claimed: rows("claimed"),
        stale: rows("stale"),
        stale_most: rows("stale_most"),
        silent: rows("silent"),
        retrying: rows("retrying"),
        spent: rows("spent"),
        ahead: rows("ahead"),
    })
}

fn read_paths(value: &Value) -> Option<Vec<Arc<str>>> {
    let mut paths = Vec::new();
    for list in value["paths"].as_array()? {
        // MariaDB gives the list inside as a text.
        let inside = list["names"].as_str();
        let inside: Option<Value> = inside.and_then(|text| serde_json::from_str(text).ok());
        let names = inside.as_ref().unwrap_or(&list["names"]);
        let names = names.as_array().into_iter().flatten();
        for name in names.filter_map(Value::as_str) {
            paths.push(match list["below"].as_str() {
                Some(below) => format!("{below}.{name}").into(),
                None => name.into(),
            });
        }
    }
    paths.sort();
    Some(paths)
}

fn read_writers(value: &Value) -> Option<Rows> {
    Some(Rows {
        rows: number(&value["rows"])?,
        example: text(&value["example"]),
    })
}

fn read_waiting(value: &Value) -> Option<Waiting> {
    Some(Waiting {
        rows: number(&value["rows"])?,
        keys: number(&value["keys"])?,
        most: number(&value["most"])?,
        held: number(&value["held"]),
        behind_stale: number(&value["behind_stale"]),
    })
}
