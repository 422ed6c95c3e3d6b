//! The test of a contract: that it is there, ran on what is audited, passed, and delivers an event
//! twice to the consumer itself.

use std::sync::Arc;

use crate::model::evidence::{Evidence, InputKind, ObservedBy, Why};
use crate::model::nearest::{nearest_few, suggested};
use crate::model::scope::{Contract, ContractPart, Declared};
use crate::model::tests::{TestOutcome, TestRun, fits};

use super::{ContractInput, open};

/// So many names are suggested.
const SUGGESTED: usize = 3;

/// What was found out about it.
pub(super) fn parts(
    input: &ContractInput<'_>,
    contract: &Contract,
    test: &Declared,
) -> Vec<ContractPart> {
    let name = &test.value;
    let runs = &input.results.runs;
    if runs.is_empty() {
        return vec![match input.tests.and_then(|state| state.unknown.first()) {
            Some(reason) => ContractPart::Open(Arc::clone(reason)),
            None => open(
                Why::NotResolved,
                Some(InputKind::Tests),
                format!("the results hold no test, so not its test `{name}`"),
                &test.place,
                "run the test, and give its result",
            ),
        }];
    }
    let fitting: Vec<&TestRun> = runs
        .iter()
        .filter(|run| fits(name, &run.id) || fits(name, &run.name))
        .collect();
    let Some(worst) = fitting.iter().max_by_key(|run| run.outcome) else {
        return vec![ContractPart::Fails(
            format!(
                "no test among the results is called `{name}`{}",
                near(name, runs)
            )
            .into(),
            test.place.clone(),
        )];
    };
    match worst.outcome {
        TestOutcome::Failed => vec![ContractPart::Fails(
            format!("its test `{}` failed", worst.id).into(),
            worst.place.clone(),
        )],
        TestOutcome::Passed => fitting
            .iter()
            .map(|run| passed(input, contract, run))
            .collect(),
        other => vec![open(
            Why::NotDecidable,
            Some(InputKind::Tests),
            format!("its test `{}` {other}", worst.id),
            &worst.place,
            "run it to its end, and give its result",
        )],
    }
}

/// A test that passed, by its source.
fn passed(input: &ContractInput<'_>, contract: &Contract, run: &TestRun) -> ContractPart {
    if let Some(reason) = input.audited.doubt(run) {
        return ContractPart::Open(Arc::new(reason));
    }
    let source = match &run.source {
        Some(Ok(source)) => source,
        Some(Err(reason)) => return ContractPart::Open(Arc::clone(reason)),
        None => {
            return open(
                Why::NotDecidable,
                Some(InputKind::Tests),
                format!(
                    "its test `{}` passed, and the test's source was not read: whether it delivers an event twice \
                     to the consumer itself is not known",
                    run.id
                ),
                &run.place,
                "give the source that holds the test (--source)",
            );
        }
    };
    let consumer = &contract.consumer.value;
    let is_other = consumer.starts_with("code:")
        && source
            .to
            .as_ref()
            .is_some_and(|to| to.iter().all(|one| one.0 != *consumer));
    if is_other {
        return open(
            Why::NotDecidable,
            Some(InputKind::Tests),
            format!(
                "its test `{}` passed, and delivers the event to another consumer",
                run.id
            ),
            &source.evidence.place,
            "name the test that delivers the event of this consumer",
        );
    }
    ContractPart::Holds(Arc::new(Evidence {
        input: InputKind::Tests,
        by: ObservedBy::TestResult,
        place: run.place.clone(),
        says: format!("`{}` passed; {}", run.id, source.evidence.says).into(),
    }))
}

/// Names that may have been meant; else what there is.
fn near(name: &str, runs: &[TestRun]) -> String {
    let quoted = |names: Vec<&str>| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    let names: Vec<&str> = runs.iter().flat_map(|run| [&*run.id, &*run.name]).collect();
    match nearest_few(name, &names, SUGGESTED) {
        near if !near.is_empty() => format!("; did you mean {}?", quoted(near)),
        _ => format!("; there is {}", quoted(suggested(name, &names, SUGGESTED))),
    }
}
