//! `outbox` and `horizon`: what the queue is called, its record key, how long redelivery lasts.

use std::ops::Range;

use super::date::parse_day;
use super::fields::{Fields, Sink, Text};
use super::gate::declared;
use super::horizon::parse_seconds;
use super::problem::Problem;
use super::types::{OutboxOverrides, OutboxStates};
use crate::model::outbox::OutboxColumn;
use crate::model::scope::Declared;
use crate::model::template;
use crate::sql::outbox::{query_faults, query_misses};

/// The parts of the outbox that can be given a column name.
const COLUMNS: [OutboxColumn; 10] = [
    OutboxColumn::Id,
    OutboxColumn::EventType,
    OutboxColumn::Payload,
    OutboxColumn::Status,
    OutboxColumn::RetryCount,
    OutboxColumn::ErrorMessage,
    OutboxColumn::Created,
    OutboxColumn::Modified,
    OutboxColumn::Processed,
    OutboxColumn::RecordKey,
];

/// Reads `outbox`, and its record key's template apart.
pub(super) fn outbox(sink: &Sink<'_>, root: &Fields<'_>) -> (OutboxOverrides, Option<Declared>) {
    let mut overrides = OutboxOverrides::default();
    let Some(fields) = root.fields("outbox") else {
        return (overrides, None);
    };
    overrides.table = fields.text("table").map(|table| sink.declared(table));
    if let Some(columns) = fields.fields("columns") {
        for part in COLUMNS {
            if let Some(name) = columns.text(part.word()) {
                overrides.columns.insert(part, sink.declared(name));
            }
        }
        columns.finish();
    }
    overrides.states = states(sink, &fields);
    let mut template = None;
    if let Some(key) = fields.fields("record_key") {
        template = key
            .required(
                "template",
                "for example `template: \"{object}:{record.id}\"`",
            )
            .filter(|text| template_holds(sink, *text))
            .map(|text| sink.declared(text));
        overrides.cutoffs.since = key
            .text("since")
            .filter(|text| is_stamp(sink, *text))
            .map(|text| text.value.into());
        key.finish();
    }
    overrides.cutoffs.stale_seconds = seconds(sink, &fields, "stale_cutoff");
    overrides.cutoffs.retry_seconds = seconds(sink, &fields, "retry_cutoff");
    overrides.cutoffs.eligible_query = fields
        .text("eligible_query")
        .filter(|text| is_one_select(sink, *text))
        .filter(|text| reads_twice(sink, *text, overrides.table.as_ref()))
        .map(|text| text.value.into());
    overrides.cutoffs.max_retries = fields.number("max_retries", 1..=1_000_000);
    fields.finish();
    (overrides, template)
}

fn states(sink: &Sink<'_>, outbox: &Fields<'_>) -> OutboxStates {
    let Some(fields) = outbox.fields("states") else {
        return OutboxStates::default();
    };
    let mut seen: Vec<Text<'_>> = Vec::new();
    let mut words = |name: &'static str| {
        let texts = fields.texts(name);
        for text in &texts {
            if seen.iter().any(|before| before.value == text.value) {
                let sentence = format!("`{}` stands for two states of the outbox", text.value);
                sink.push(sink.problem(*text, sentence));
            }
        }
        seen.extend(&texts);
        declared(sink, texts)
    };
    let states = OutboxStates {
        ready: words("ready"),
        claimed: words("claimed"),
        done: words("done"),
        dead: words("dead"),
    };
    fields.finish();
    states
}

/// Reports each fault of a template at its place inside the string, where the string stands in the
/// file as it is read; else at the string.
fn template_holds(sink: &Sink<'_>, text: Text<'_>) -> bool {
    let Err(faults) = template::parse(text.value) else {
        return true;
    };
    for fault in faults {
        let (start, end) = inside(sink, text, &fault.at);
        let problem = Problem::at(
            sink.file,
            start,
            end,
            "the record key's template cannot be read",
        );
        sink.push(problem.label(fault.sentence));
    }
    false
}

/// The place of a stretch of a string, where the string stands in the file as it is read; else that
/// of the whole.
fn inside(sink: &Sink<'_>, text: Text<'_>, at: &Range<usize>) -> (u32, u32) {
    let written = sink.file.text().get(text.start as usize..text.end as usize);
    let found = written.and_then(|written| written.find(text.value));
    match found.map(|found| text.start + found as u32) {
        Some(from) => (from + at.start as u32, from + at.end as u32),
        None => (text.start, text.end),
    }
}

/// Reports a query whose plan would not tell how the table that is declared is read.
fn reads_twice(sink: &Sink<'_>, text: Text<'_>, table: Option<&Declared>) -> bool {
    let Some(why) = table.and_then(|table| query_misses(text.value, &table.value)) else {
        return true;
    };
    let problem = sink.problem(
        text,
        "the plan of `eligible_query` would not tell how the outbox is read",
    );
    sink.push(problem.label(why));
    false
}

/// Reports each fault of a query that is to be one SELECT.
fn is_one_select(sink: &Sink<'_>, text: Text<'_>) -> bool {
    let faults = query_faults(text.value);
    for fault in &faults {
        let (start, end) = inside(sink, text, &fault.at);
        let problem = Problem::at(
            sink.file,
            start,
            end,
            "`eligible_query` wants one SELECT without parameters",
        );
        sink.push(problem.label(fault.sentence.clone()));
    }
    faults.is_empty()
}

/// Reads `horizon`, in seconds.
pub(super) fn horizon(sink: &Sink<'_>, root: &Fields<'_>) -> Option<u64> {
    seconds(sink, root, "horizon")
}

/// `2026-01-31`, or with a time of day behind it.
fn is_stamp(sink: &Sink<'_>, text: Text<'_>) -> bool {
    let (day, time) = match text.value.split_once([' ', 'T']) {
        Some((day, time)) => (day, Some(time)),
        None => (text.value, None),
    };
    let is_time = |time: &str| {
        time.starts_with(|first: char| first.is_ascii_digit())
            && time.contains(':')
            && time
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b".:+Z-".contains(&byte))
    };
    let holds = parse_day(day).is_ok() && time.is_none_or(is_time);
    if !holds {
        let sentence = "`since` wants a stamp as the outbox writes it";
        let problem = sink.problem(text, sentence);
        sink.push(problem.label("for example `2026-01-31 09:00:00`"));
    }
    holds
}

pub(super) fn seconds(sink: &Sink<'_>, fields: &Fields<'_>, name: &'static str) -> Option<u64> {
    let text = fields.text(name)?;
    match parse_seconds(text.value) {
        Ok(seconds) => Some(seconds),
        Err(why) => {
            let sentence = format!("`{name}` wants a duration");
            sink.push(sink.problem(text, sentence).label(why));
            None
        }
    }
}
