//! The effect algebra: what the audit says of an effect is held against an interpreter of the
//! platform that runs it twice, in prefixes, and beside another holder.
//!
//! The interpreter is written from the platform's rules and shares no code with the audit; its
//! formulas are evaluated by another implementation of the expression language.

#![allow(
    clippy::await_holding_refcell_ref,
    reason = "the interpreter is one task; a borrow is dropped before the world is needed again"
)]

mod case;
mod compare;
mod cycles;
mod database;
mod drive;
mod examine;
mod formulas;
mod grammar;
mod metadata;
mod outside;
mod picked;
mod picked_more;
mod platform;
mod save;
mod schedule;
mod system;
mod tables;
mod tally;
mod verdict;

use tally::Tally;

#[test]
fn picked_cases_are_judged_as_they_behave() {
    let mut tally = Tally::default();
    let mut faults = Vec::new();
    for (case, words) in picked::picked() {
        let verdict = verdict::judge(&case.metadata, &case.tables);
        let found: Vec<&str> = verdict
            .effects
            .iter()
            .filter(|effect| effect.flow == "F")
            .map(examine::word)
            .collect();
        if found != words {
            faults.push(format!(
                "{}: judged {found:?}, expected {words:?}",
                case.name
            ));
        }
        if let Err(fault) = examine::examine(&case, &mut tally) {
            faults.push(format!("{}: {fault}", case.name));
        }
    }
    assert!(faults.is_empty(), "{}\n{tally:#?}", faults.join("\n\n"));
    tally.require(
        &tally.effects,
        &[
            ("safe set", 5),
            ("safe create", 3),
            ("safe derived", 1),
            ("blocked set", 5),
            ("blocked create", 5),
            ("blocked external", 2),
            ("blocked in memory", 1),
        ],
    );
}
#[test]
fn generated_cases_behave_as_judged() {
    use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
    // The same cases on every run: a new fault is a new case in `picked`.
    let (cases, seed) = (120, 0u8);
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 400,
        ..Config::default()
    };
    let mut runner = TestRunner::new_with_rng(
        config,
        TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]),
    );
    let tally = std::cell::RefCell::new(Tally {
        lenient: true,
        ..Tally::default()
    });
    let result = runner.run(&grammar::case(), |case| {
        examine::examine(&case, &mut tally.borrow_mut())
            .map_err(proptest::test_runner::TestCaseError::fail)
    });
    match result {
        Ok(()) => tally.borrow().check_generated(),
        Err(TestError::Fail(reason, case)) => panic!("{reason}\n{case:?}"),
        Err(other) => panic!("{other}"),
    }
}
