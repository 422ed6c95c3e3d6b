//! What the searches for one broken promise came to.
//!
//! With all others kept they depend on the promise and the engine only, so they are made once and kept
//! beside the code: a person who waits for a verdict waits for none of them. The file holds acts; what
//! they lead to is made from the transitions each time, so a run that the transitions do not allow is
//! never told. A test searches again and compares.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::act::Act;
use super::search::{Run, Searched, replay, search, takeover};
use super::shape::{Engine, Limits, Protocol};
use crate::model::queue::{Bound, Promise, Property};

/// One search, as the file holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    engine: Engine,
    /// The broken one; none for the takeover where all are kept.
    promise: Option<Promise>,
    /// None for the takeover, which looks no further than its first run.
    bound: Option<Bound>,
    runs: Vec<Acts>,
}

/// A run without its states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Acts {
    property: Property,
    acts: Vec<Act>,
}

fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    // A file that cannot be read is an empty one: everything is searched then, and the test fails.
    ENTRIES.get_or_init(|| serde_json::from_str(include_str!("known.json")).unwrap_or_default())
}

fn entry(engine: Engine, promise: Option<Promise>) -> Option<&'static Entry> {
    let mut all = entries().iter();
    all.find(|entry| entry.engine == engine && entry.promise == promise)
}

/// What breaking this one alone does: from the file, or searched where the file does not tell.
pub(super) fn alone(engine: Engine, promise: Promise) -> Searched {
    let protocol = Protocol::kept(engine).without(promise);
    told(engine, promise, &protocol).unwrap_or_else(|| search(&protocol))
}

fn told(engine: Engine, promise: Promise, protocol: &Protocol) -> Option<Searched> {
    let entry = entry(engine, Some(promise))?;
    let bound = entry.bound?;
    let protocol = protocol.within(limits(&bound));
    let runs = entry.runs.iter();
    Some(Searched {
        runs: runs
            .map(|run| replay(&protocol, &run.acts, run.property))
            .collect::<Option<_>>()?,
        bound,
    })
}

/// The takeover where every promise is kept. Its last step does no harm by itself.
pub(super) fn known_takeover(engine: Engine) -> Option<Run> {
    let protocol = Protocol::kept(engine);
    let limits = Limits {
        faults: 0,
        ..protocol.limits
    };
    entry(engine, None)
        .and_then(|entry| entry.runs.first())
        .and_then(|run| {
            let whole = replay(&protocol.within(limits), &run.acts, Property::Stuck)?;
            Some(Run {
                property: run.property,
                ..whole
            })
        })
        .or_else(|| takeover(&protocol))
}

fn limits(bound: &Bound) -> Limits {
    Limits {
        workers: bound.workers,
        events: bound.events,
        stalls: bound.stalls,
        crashes: bound.crashes,
        faults: bound.faults,
        ..Limits::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use rayon::prelude::*;

    use super::*;

    impl Entry {
        fn of_promise(engine: Engine, promise: Promise) -> Self {
            let Searched { runs, bound } = search(&Protocol::kept(engine).without(promise));
            Self {
                engine,
                promise: Some(promise),
                bound: Some(bound),
                runs: runs.iter().map(Acts::of).collect(),
            }
        }

        fn of_takeover(engine: Engine) -> Self {
            Self {
                engine,
                promise: None,
                bound: None,
                runs: takeover(&Protocol::kept(engine))
                    .iter()
                    .map(Acts::of)
                    .collect(),
            }
        }
    }

    impl Acts {
        fn of(run: &Run) -> Self {
            Self {
                property: run.property,
                acts: run.steps.iter().map(|(act, _)| *act).collect(),
            }
        }
    }

    const ENGINES: [Engine; 2] = [Engine::MySql, Engine::Postgres];

    /// All searches again; one line each. `UPDATE_RUNS=1` writes them.
    #[test]
    fn the_file_holds_what_a_search_finds() {
        let asked: Vec<(Engine, Option<Promise>)> = ENGINES
            .into_iter()
            .flat_map(|engine| {
                let promises = Promise::ALL.into_iter().map(Some).chain([None]);
                promises.map(move |promise| (engine, promise))
            })
            .collect();
        let made: Vec<Entry> = asked
            .par_iter()
            .map(|(engine, promise)| match promise {
                Some(promise) => Entry::of_promise(*engine, *promise),
                None => Entry::of_takeover(*engine),
            })
            .collect();
        if std::env::var_os("UPDATE_RUNS").is_some() {
            let lines: Vec<String> = made
                .iter()
                .map(|entry| serde_json::to_string(entry).expect("it is plain data"))
                .collect();
            let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/protocol/known.json");
            std::fs::write(path, format!("[\n{}\n]\n", lines.join(",\n"))).expect("it is written");
            return;
        }
        assert_eq!(made.len(), entries().len());
        for (made, kept) in made.iter().zip(entries()) {
            assert_eq!(
                made, kept,
                "run the test with UPDATE_RUNS=1 and read what changed"
            );
        }
        // What is told from the file is what the search tells, state by state.
        for (engine, promise) in asked {
            match promise {
                Some(promise) => {
                    let protocol = Protocol::kept(engine).without(promise);
                    assert!(told(engine, promise, &protocol).is_some(), "{promise:?}");
                }
                None => {
                    let kept = entry(engine, None).and_then(|entry| entry.runs.first());
                    assert!(kept.is_some(), "{engine:?}");
                }
            }
        }
    }
}
