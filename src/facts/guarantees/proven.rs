//! The tests that would fail if a guarantee broke: that they are there, ran on this source and passed.

use crate::model::evidence::{InputKind, ObservedBy, Reason, Why};
use crate::model::guarantee::{Guarantee, ProvenBy};
use crate::model::nearest::nearest;
use crate::model::place::Place;
use crate::model::scope::ContractPart;
use crate::model::tests::{TestOutcome, TestRun};

use super::answer::{fails, missing_input, open_because, shown};
use super::{Asked, Context};

/// What became of each suite or test.
pub(super) fn parts(context: &Context<'_>, guarantee: &Guarantee) -> Vec<ContractPart> {
    let at = guarantee.place.clone().unwrap_or(Place::CommandLine);
    let asked = Asked { context, at: &at };
    guarantee
        .proven_by
        .iter()
        .map(|one| part(&asked, one))
        .collect()
}

fn part(asked: &Asked<'_>, proof: &ProvenBy) -> ContractPart {
    let results = asked.context.results;
    let title = match &proof.test {
        Some(test) => format!("`{test}` of {}", proof.suite),
        None => format!("the suite {}", proof.suite),
    };
    if results.runs.is_empty() {
        let states = asked.context.states.iter();
        let mut unread = states
            .filter(|state| state.kind == InputKind::Tests)
            .flat_map(|state| &state.unknown);
        return match unread.next() {
            Some(reason) => open_because(reason, asked.at),
            None => missing_input(
                asked,
                InputKind::Tests,
                format!("whether {title} ran is not known: the results hold no test"),
                "run the tests, and give their results (--tests)",
            ),
        };
    }
    let of_suite: Vec<&TestRun> = results
        .runs
        .iter()
        .filter(|run| is_of(run, &proof.suite))
        .collect();
    let wanted: Vec<&TestRun> = match &proof.test {
        Some(test) => of_suite
            .iter()
            .copied()
            .filter(|run| is_called(run, test))
            .collect(),
        None => of_suite.clone(),
    };
    if wanted.is_empty() {
        return not_run(asked, proof, &title, &of_suite);
    }
    if let Some(failed) = wanted.iter().find(|run| run.outcome == TestOutcome::Failed) {
        return fails(&failed.place, format!("its test `{}` failed", failed.id));
    }
    let left = wanted.iter().find(|run| run.outcome != TestOutcome::Passed);
    if let Some(left) = left {
        return ContractPart::Open(std::sync::Arc::new(Reason {
            why: Why::NotDecidable,
            needs: Some(InputKind::Tests),
            sentence: format!("its test `{}` {}", left.id, left.outcome),
            place: Some(left.place.clone()),
            next_step: "run it to its end, and give its result".to_owned(),
        }));
    }
    if let Some(reason) = wanted
        .iter()
        .find_map(|run| asked.context.audited.doubt(run))
    {
        return ContractPart::Open(std::sync::Arc::new(reason));
    }
    let place = wanted.first().map_or(asked.at, |run| &run.place);
    let says = match wanted.len() {
        1 => format!("{title} ran and passed"),
        many => format!("{title} ran and passed: {many} tests"),
    };
    shown(InputKind::Tests, ObservedBy::TestResult, place, says)
}

fn not_run(
    asked: &Asked<'_>,
    proof: &ProvenBy,
    title: &str,
    of_suite: &[&TestRun],
) -> ContractPart {
    let names: Vec<&str> = of_suite.iter().map(|run| &*run.name).collect();
    let hint = match &proof.test {
        Some(test) => nearest(test, &names)
            .map_or_else(String::new, |near| format!("; the nearest is `{near}`")),
        None => String::new(),
    };
    ContractPart::Open(std::sync::Arc::new(Reason {
        why: Why::NotResolved,
        needs: Some(InputKind::Tests),
        sentence: format!("{title} is not among the results{hint}"),
        place: Some(asked.at.clone()),
        next_step: "run it and give its result, or correct its name".to_owned(),
    }))
}

/// True of a test of a file: pytest names a suite by its path with dots.
fn is_of(run: &TestRun, suite: &str) -> bool {
    let stem = suite.trim_start_matches("./");
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    let dotted = stem.replace('/', ".");
    let before = run
        .id
        .strip_suffix(&*run.name)
        .unwrap_or(&run.id)
        .trim_end_matches('.');
    // A class of the file may stand behind it.
    let mut parts = before.match_indices(&*dotted);
    parts.any(|(at, found)| {
        let front = at == 0 || before[..at].ends_with('.');
        let behind = &before[at + found.len()..];
        front && (behind.is_empty() || behind.starts_with('.'))
    })
}

/// True of a test of that name; one with parameters has them behind it in brackets.
fn is_called(run: &TestRun, test: &str) -> bool {
    let (class, name) = match test.rsplit_once(['.', ':']) {
        Some((class, name)) => (Some(class.trim_end_matches(':')), name),
        None => (None, test),
    };
    let own = run.name.split('[').next().unwrap_or(&run.name);
    own == name && class.is_none_or(|class| run.id.contains(class))
}
