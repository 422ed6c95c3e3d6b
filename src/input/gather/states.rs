//! What became of each kind of input: read, not given, not readable.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::input::files::Loaded;
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::inputs::{InputState, ReadInput};
use crate::model::metadata::Metadata;
use crate::model::schema::{Dialect, Schema};
use crate::model::server::Server;

pub(super) fn flows_state(
    mut state: InputState,
    files: &[Loaded],
    metadata: &Metadata,
) -> InputState {
    let unread: BTreeSet<&str> = metadata
        .problems
        .iter()
        .filter(|problem| matches!(problem.why, Why::NotReadable | Why::NotParsed))
        .filter_map(|problem| problem.place.as_ref()?.span().map(|span| &*span.file))
        .collect();
    for loaded in files {
        let path = &loaded.file.path;
        let flows = metadata
            .flows
            .iter()
            .filter(|flow| flow.place.span().is_some_and(|span| span.file == *path))
            .count();
        let declared = metadata
            .declared
            .iter()
            .filter(|each| {
                each.consumer
                    .place
                    .span()
                    .is_some_and(|span| span.file == *path)
            })
            .count();
        if flows == 0 && declared == 0 && unread.contains(&**path) {
            continue;
        }
        let summary = match (flows, declared) {
            (_, 0) => count(flows, "flow"),
            (0, _) => count(declared, "consumer"),
            _ => format!("{}, {}", count(flows, "flow"), count(declared, "consumer")),
        };
        state.read.push(ReadInput {
            name: Arc::clone(path),
            digest: Some(Arc::clone(&loaded.digest)),
            summary: summary.into(),
        });
    }
    state.unknown.extend(
        metadata
            .problems
            .iter()
            .map(|problem| Arc::new(problem.clone())),
    );
    close(state)
}

/// Flows that were read from the platform's own tables.
pub(super) fn live_flows_state(
    mut state: InputState,
    database: &Arc<str>,
    metadata: &Metadata,
) -> InputState {
    state.unknown.retain(|reason| reason.why != Why::NotGiven);
    state.read.push(ReadInput {
        name: Arc::clone(database),
        digest: None,
        summary: format!("{} (live)", count(metadata.flows.len(), "flow")).into(),
    });
    state
}

pub(super) fn schema_state(
    mut state: InputState,
    files: &[Loaded],
    declared: Option<&Schema>,
    problems: Vec<Reason>,
) -> InputState {
    state.unknown.extend(problems.into_iter().map(Arc::new));
    state.unknown.extend(nameless(declared));
    let tables = declared.map_or(0, |schema| schema.tables.len());
    if declared.is_some() {
        for (at, loaded) in files.iter().enumerate() {
            // All files make one schema, which the first of them stands for.
            let summary = match (at, files.len()) {
                (0, 1) => format!("{} (declared)", count(tables, "table")),
                (0, many) => format!("{} (declared in {many} files)", count(tables, "table")),
                _ => String::new(),
            };
            state.read.push(ReadInput {
                name: Arc::clone(&loaded.file.path),
                digest: Some(Arc::clone(&loaded.digest)),
                summary: summary.into(),
            });
        }
    }
    close(state)
}

/// What was not understood and names no table: it may speak of any.
pub(super) fn nameless(schema: Option<&Schema>) -> impl Iterator<Item = Arc<Reason>> {
    schema
        .into_iter()
        .flat_map(|schema| &schema.unknown)
        .filter(|unknown| unknown.table.is_none())
        .map(|unknown| Arc::new(unknown.reason.clone()))
}

/// What was read of a database, for the head of the report.
pub(super) fn live_summary(tables: usize, engine: &str, server: Option<&Server>) -> Arc<str> {
    let tables = count(tables, "table");
    match server {
        Some(server) => format!(
            "{tables} ({engine} {}, {}, {}, time zone {}, live)",
            server.version,
            server.role(),
            server.isolation,
            server.time_zone
        ),
        None => format!("{tables} ({engine}, live)"),
    }
    .into()
}

/// Why a database of another engine than the one that was named decides nothing of its text.
pub(super) fn other_engine(database: &str, named: Dialect, live: Dialect) -> Reason {
    Reason {
        why: Why::Disagree,
        needs: Some(InputKind::Database),
        sentence: format!(
            "{database} is {}, and the dialect that was named is {}: statements were read as those of {}",
            live.word(),
            named.word(),
            named.word()
        ),
        place: None,
        next_step: format!(
            "leave --dialect (`inputs.dialect`) out, or name the database of {} with --database",
            named.word()
        ),
    }
}

/// An input of which nothing was given says so.
pub(super) fn close(mut state: InputState) -> InputState {
    if state.read.is_empty() && state.unknown.is_empty() {
        state.unknown.push(Arc::new(not_given(state.kind)));
    }
    state
}

pub(super) fn not_given(kind: InputKind) -> Reason {
    let what = match kind {
        InputKind::Tests => "no test results were given",
        InputKind::Database => "no database was given",
        InputKind::Schema => "no schema text was given",
        InputKind::Source => "no source was given",
        InputKind::Flows => "no flow metadata was given or found",
        _ => "it was not given",
    };
    Reason {
        why: Why::NotGiven,
        needs: Some(kind),
        sentence: what.into(),
        place: None,
        next_step: format!("give it with --{}", kind.word()),
    }
}

pub(super) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
