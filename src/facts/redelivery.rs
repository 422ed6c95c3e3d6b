//! Which tests speak of which effect, and whether they ran on the audited source.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::model::consumer::Consumer;
use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::facts::EffectFacts;
use crate::model::nearest::nearest;
use crate::model::scope::TestMapping;
use crate::model::tests::{RedeliveryTests, TestLink, TestResults, TestRun, fits, plain};

use super::ran_on::Audited;

/// So many tests that only their name speaks for are told.
const TOLD: usize = 3;

/// Links tests by their annotations and by the configuration.
pub(super) fn link(
    results: TestResults,
    audited: &Audited,
    mappings: &[TestMapping],
) -> RedeliveryTests {
    let TestResults { runs, .. } = results;
    let runs: Vec<Arc<TestRun>> = runs.into_iter().map(Arc::new).collect();
    let mut tests = RedeliveryTests::default();
    let mut linked = vec![false; runs.len()];
    let mut doubts: HashMap<usize, Option<Arc<Reason>>> = HashMap::new();
    let mut add = |tests: &mut RedeliveryTests, at: usize, subject: &str, grade| {
        let Some(run) = runs.get(at) else { return };
        let doubt = doubts
            .entry(at)
            .or_insert_with(|| audited.doubt(run).map(Arc::new));
        tests
            .links
            .entry(plain(subject))
            .or_default()
            .push(TestLink {
                run: Arc::clone(run),
                grade,
                doubt: doubt.clone(),
            });
    };
    for (at, run) in runs.iter().enumerate() {
        for claim in &run.claims {
            add(&mut tests, at, &claim.subject, claim.grade);
            if let Some(linked) = linked.get_mut(at) {
                *linked = true;
            }
        }
    }
    for mapping in mappings {
        let pattern = &*mapping.test.value;
        let mut found = false;
        for (at, run) in runs.iter().enumerate() {
            if !fits(pattern, &run.id) && !fits(pattern, &run.name) {
                continue;
            }
            found = true;
            if let Some(linked) = linked.get_mut(at) {
                *linked = true;
            }
            for subject in &mapping.proves {
                add(&mut tests, at, &subject.value, mapping.grade);
            }
        }
        if !found {
            let reason = Arc::new(no_such_test(mapping));
            for subject in &mapping.proves {
                tests
                    .missing
                    .insert(plain(&subject.value), Arc::clone(&reason));
            }
        }
    }
    tests.by_name = runs
        .iter()
        .zip(&linked)
        .filter(|(run, linked)| !**linked && speaks_of_it(&run.name))
        .map(|(run, _)| Arc::clone(&run.id))
        .take(TOLD)
        .collect();
    tests
}

/// Finds annotations whose subject is nothing that was read; the nearest name is told with each.
pub(super) fn note_strange(
    tests: &mut RedeliveryTests,
    consumers: &[Consumer],
    effects: &[Box<EffectFacts>],
) {
    if tests.links.is_empty() {
        return;
    }
    let names = || {
        let of_consumers = consumers.iter().flat_map(|one| [&*one.id.0, &*one.title]);
        of_consumers.chain(effects.iter().map(|one| &*one.effect.id.0))
    };
    let known: HashSet<String> = names()
        .map(plain)
        .filter(|name| tests.links.contains_key(name))
        .collect();
    let mut strange: Vec<(&String, &Arc<str>)> = tests
        .links
        .iter()
        .filter(|(subject, _)| !known.contains(*subject))
        .filter_map(|(subject, links)| Some((subject, &links.first()?.run.id)))
        .collect();
    strange.sort_unstable();
    let candidates: Vec<&str> = match strange.is_empty() {
        true => Vec::new(),
        false => names().collect(),
    };
    tests.strange = strange
        .into_iter()
        .take(TOLD)
        .map(|(subject, test)| {
            let near = nearest(subject, &candidates);
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            format!("`{test}` names `{subject}`, which is no effect and no consumer{near}")
        })
        .collect();
}

/// True if the name of a test makes a person look at it; it shows nothing.
fn speaks_of_it(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["redeliver", "idempoten"]
        .iter()
        .any(|word| name.contains(word))
}

fn no_such_test(mapping: &TestMapping) -> Reason {
    Reason {
        why: Why::NotResolved,
        needs: Some(InputKind::Tests),
        sentence: format!(
            "no test among the results is called `{}`",
            mapping.test.value
        ),
        place: Some(mapping.test.place.clone()),
        next_step: "correct the name under `tests`, or run the test and give its result".into(),
    }
}
