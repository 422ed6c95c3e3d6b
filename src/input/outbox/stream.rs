//! Record keys of payloads that the database handed out: judged one by one, and forgotten. What
//! comes of them are the same answers as the database would give: numbers, ids and names.

mod payload;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::model::backlog::Rows;
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::outbox::{OutboxColumn, OutboxShape};
use crate::model::schema::Dialect;
use crate::model::template::{Part, parse};
use crate::sql::outbox::{BATCH, KEYS, PATHS, Question, WRITERS};

use super::Answer;
use payload::{Judged, Strict, judge, names};

/// What the rows that came so far tell.
pub(in crate::input) struct Tally<'s> {
    shape: &'s OutboxShape,
    parts: Vec<Part<'s>>,
    strict: Strict,
    expected: Option<u64>,
    replica: Value,
    seen: u64,
    last: Option<String>,
    open: u64,
    missing: Rows,
    wrong: Rows,
    keyless: Rows,
    unparsed: Rows,
    longest: Option<usize>,
    late: Rows,
    unnamed: Option<Vec<Value>>,
    undecided: Rows,
    because: &'static str,
}

/// A row as the statement gives it.
struct Row<'r> {
    id: &'r str,
    stored: Option<&'r str>,
    is_open: bool,
    is_late: bool,
}

impl<'s> Tally<'s> {
    /// Nothing read yet; `counted` is the row that says how many there are.
    pub(in crate::input) fn new(shape: &'s OutboxShape, counted: &[Option<String>]) -> Self {
        let told = |at: usize| counted.get(at).and_then(Option::as_deref);
        let template = shape.template.as_deref().unwrap_or_default();
        let column = shape.columns.get(&OutboxColumn::Payload);
        let is_json = column.is_some_and(|column| column.data_type.eq_ignore_ascii_case("json"));
        Self {
            shape,
            parts: parse(template).unwrap_or_default(),
            strict: Strict(shape.dialect == Dialect::Postgres && !is_json),
            expected: told(0).and_then(|rows| rows.parse().ok()),
            replica: match told(1) {
                Some("t" | "true" | "1") => json!(1),
                _ => json!(0),
            },
            seen: 0,
            last: None,
            open: 0,
            missing: Rows::default(),
            wrong: Rows::default(),
            keyless: Rows::default(),
            unparsed: Rows::default(),
            longest: None,
            late: Rows::default(),
            unnamed: None,
            undecided: Rows::default(),
            because: "",
        }
    }

    /// Where the next batch begins; none at the first row.
    pub(in crate::input) fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// True if a batch, at whose beginning `before` rows had been seen, was the last one.
    pub(in crate::input) fn is_last(&self, before: u64) -> bool {
        // Behind a row without an id there is no place to go on from.
        self.seen.saturating_sub(before) < BATCH || self.last.is_none()
    }

    /// How many rows have been seen.
    pub(in crate::input) fn seen(&self) -> u64 {
        self.seen
    }

    /// Judges one row and keeps nothing of its payload.
    pub(in crate::input) fn take(&mut self, values: &[Option<String>]) {
        let value = |at: usize| values.get(at).and_then(Option::as_deref);
        self.seen += 1;
        self.last = value(0).map(str::to_owned);
        let row = Row {
            id: value(1).unwrap_or_default(),
            stored: value(2),
            is_open: value(5) == Some("1"),
            is_late: value(6) == Some("1"),
        };
        self.open += u64::from(row.is_open);
        let text = match (value(3), value(4)) {
            (Some("long"), _) => return self.undecide(&row, "is longer than 16 MiB"),
            (Some("text"), Some(text)) => Some(text.to_owned()),
            (Some("hex"), Some(hex)) => of_hex(hex),
            _ => None,
        };
        let judged = match &text {
            Some(text) => judge(text, &self.parts, self.strict),
            None => Judged::NoJson,
        };
        match judged {
            Judged::Undecided(why) => self.undecide(&row, why),
            Judged::NoJson if row.is_open => add(&mut self.unparsed, &row),
            Judged::NoJson => {}
            Judged::Key(key) => self.compare(&row, key.as_deref(), text.as_deref()),
        }
    }

    fn undecide(&mut self, row: &Row<'_>, why: &'static str) {
        add(&mut self.undecided, row);
        self.because = why;
    }

    fn compare(&mut self, row: &Row<'_>, key: Option<&str>, payload: Option<&str>) {
        if row.is_late && key.is_some() {
            add(&mut self.late, row);
        }
        if !row.is_open {
            return;
        }
        self.longest = self.longest.max(key.map(|key| key.chars().count()));
        match (row.stored, key) {
            (None, Some(_)) => add(&mut self.missing, row),
            (Some(stored), key) if key != Some(stored) => add(&mut self.wrong, row),
            (None, None) => add(&mut self.keyless, row),
            (Some(_), _) => {}
        }
        if key.is_none() && self.unnamed.is_none() {
            self.unnamed = payload.map(|payload| self.names(payload));
        }
    }

    /// The names at the top of a payload, and below the first name of each path.
    fn names(&self, payload: &str) -> Vec<Value> {
        let below: BTreeSet<&str> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Path(path) if path.len() > 1 => path.first().copied(),
                Part::Path(_) | Part::Literal(_) => None,
            })
            .collect();
        let mut lists = vec![json!({"below": null, "names": names(payload, None)})];
        for first in below {
            lists.push(json!({"below": first, "names": names(payload, Some(first))}));
        }
        lists
    }

    /// The answer to a question that asks for payloads; none to another one.
    pub(in crate::input) fn answer(&self, question: &Question) -> Option<Answer> {
        let members = match question.id {
            KEYS => json!({
                "open": self.open,
                "missing": self.missing.rows, "missing_example": self.missing.example,
                "wrong": self.wrong.rows, "wrong_example": self.wrong.example,
                "keyless": self.keyless.rows, "keyless_example": self.keyless.example,
                "unparsed": self.unparsed.rows, "unparsed_example": self.unparsed.example,
                "longest": self.longest,
            }),
            WRITERS => json!({"rows": self.late.rows, "example": self.late.example}),
            PATHS => json!({"paths": self.unnamed.as_deref().unwrap_or_default()}),
            _ => return None,
        };
        if let Some(reason) = self.open() {
            return Some(Err(reason));
        }
        let mut answer = members;
        answer["query"] = json!(question.id);
        answer["question"] = json!(question.digest);
        answer["replica"] = self.replica.clone();
        answer["streamed"] = json!(1);
        Some(Ok(answer.to_string()))
    }

    /// Why the rows that came do not tell.
    fn open(&self) -> Option<Reason> {
        let table = &self.shape.name;
        let (sentence, next_step) = if self.expected != Some(self.seen) {
            (
                format!(
                    "{table}: of {} rows {} came when they were read in the order of their ids: some have none, or share one",
                    self.expected.unwrap_or_default(),
                    self.seen
                ),
                "name the primary key as `outbox.columns.id`",
            )
        } else if self.undecided.rows > 0 {
            (
                format!(
                    "{table}: {} rows have a payload whose key is not certain (one is {}): it {}",
                    self.undecided.rows,
                    self.undecided.example.as_deref().unwrap_or("unnamed"),
                    self.because
                ),
                "look at these rows by hand; without --stream-payloads the database is asked for their keys",
            )
        } else {
            return None;
        };
        Some(Reason {
            why: Why::NotDecidable,
            needs: Some(InputKind::Database),
            sentence,
            place: None,
            next_step: next_step.to_owned(),
        })
    }
}

/// What payloads that were read answer; none where none were, or to a question without payloads.
pub(in crate::input) fn of_stream(
    read: Option<&Result<Tally<'_>, Reason>>,
    question: &Question,
) -> Option<Answer> {
    match read? {
        Ok(tally) => tally.answer(question),
        Err(reason) => matches!(question.id, KEYS | WRITERS | PATHS).then(|| Err(reason.clone())),
    }
}

/// Why payloads cannot be read one by one.
pub(in crate::input) fn unreadable(shape: &OutboxShape, why: &str) -> Reason {
    Reason {
        why: Why::NotResolved,
        needs: Some(InputKind::Database),
        sentence: format!(
            "{}: its payloads cannot be read one by one: {why}",
            shape.name
        ),
        place: None,
        next_step: "name the columns under `outbox.columns` and the statuses under `outbox.states`"
            .to_owned(),
    }
}

fn add(rows: &mut Rows, row: &Row<'_>) {
    rows.rows += 1;
    if rows.example.is_none() {
        rows.example = Some(row.id.into());
    }
}

/// Bytes in hexadecimal digits as UTF-8; none if they are something else.
fn of_hex(hex: &str) -> Option<String> {
    let digit = |byte: &u8| {
        char::from(*byte)
            .to_digit(16)
            .and_then(|d| u8::try_from(d).ok())
    };
    let bytes: Option<Vec<u8>> = hex
        .as_bytes()
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => Some(digit(high)? * 16 + digit(low)?),
            _ => None,
        })
        .collect();
    String::from_utf8(bytes?).ok()
}
