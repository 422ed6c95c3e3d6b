//! What only the door does about guarantees: the settings and rows they speak of are asked for, and the
//! gate asks for them where no pack does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::AuditRequest;
use crate::facts;
use crate::input;
use crate::input::gather::{Database, ask_keys};
use crate::model::evidence::InputKind;
use crate::model::inputs::{InputState, Inputs};
use crate::rules::Rules;
use crate::verdict::ConditionSpec;

/// The checks on guarantees.
const GUARANTEES: [&str; 3] = [
    "broken-guarantee",
    "moved-enforcement",
    "unproven-guarantee",
];

/// The condition that asks for guarantees, where some are declared and no condition of the pack does.
pub(crate) fn condition(
    request: &AuditRequest,
    rules: &Rules,
    all: &[ConditionSpec],
) -> Option<ConditionSpec> {
    let asked = |spec: &ConditionSpec| spec.checks.iter().any(|id| &**id == GUARANTEES[0]);
    let declared = facts::guarantees::declared(rules, &request.declarations);
    (!declared.is_empty() && !all.iter().any(asked)).then(|| ConditionSpec {
        id: "guarantees".into(),
        title: "guarantees that the project declares".into(),
        checks: GUARANTEES.map(Arc::from).to_vec(),
        needs: Vec::new(),
        undecided: Vec::new(),
        only_if: None,
    })
}

/// The functions that guarantees name; none where nothing is guaranteed.
pub(crate) fn named(rules: &Rules, request: &AuditRequest) -> Option<BTreeSet<Arc<str>>> {
    let guarantees = facts::guarantees::declared(rules, &request.declarations);
    (!guarantees.is_empty()).then(|| facts::guarantees::named(&guarantees))
}

/// What rows of the live database say of guarantees.
pub(crate) fn rows(
    inputs: &Inputs,
    rules: &Rules,
    request: &AuditRequest,
    database: Option<&Database>,
) -> facts::guarantees::Rows {
    let guarantees = facts::guarantees::declared(rules, &request.declarations);
    let Some(schema) = inputs.live.as_ref() else {
        return BTreeMap::new();
    };
    let questions = facts::guarantees::questions(&guarantees, schema);
    let told = ask_keys(&request.sources, database, &questions);
    let digests = questions.into_iter().map(|question| question.digest);
    digests
        .zip(told)
        .filter_map(|(digest, told)| Some((digest, told?)))
        .collect()
}

/// The settings that guarantees name; a file that could not be read is told with the configuration.
pub(crate) fn settings(inputs: &mut Inputs, rules: &Rules, request: &AuditRequest) {
    let guarantees = facts::guarantees::declared(rules, &request.declarations);
    let names = facts::guarantees::settings(&guarantees);
    let sources = &request.sources;
    let read = input::settings::read(&sources.root, &sources.limits, &names);
    inputs.settings = read.found;
    if !read.unread.is_empty() {
        inputs.states.push(InputState {
            kind: InputKind::Configuration,
            read: Vec::new(),
            unknown: read.unread,
        });
    }
}
