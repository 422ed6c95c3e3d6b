//! The effect algebra: what the audit says of an effect is held against an interpreter of the
//! platform that runs it twice, in prefixes, and beside another holder.
//!
//! The interpreter is written from the platform's rules and shares no code with the audit; its
//! formulas are evaluated by another implementation of the expression language.

mod case;
mod compare;
mod cycles;
mod database;
mod examine;
mod formulas;
mod metadata;
mod picked;
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
}
mod suspects;
#[test]
fn suspects_are_shown() {
    for (case, _) in suspects::suspects().into_iter().chain(suspects::more()) {
        let mut tally = Tally::default();
        let verdict = verdict::judge(&case.metadata, &case.tables);
        println!("== {}", case.name);
        for effect in &verdict.effects {
            println!(
                "   {} {} {:?}",
                effect.id,
                examine::word(effect),
                effect.failed
            );
        }
        println!("   cycles {:?}", verdict.cycles);
        match examine::examine(&case, &mut tally) {
            Ok(()) => println!("   ok"),
            Err(fault) => println!(
                "   FAULT {}",
                &fault.lines().take(12).collect::<Vec<_>>().join("\n    ")
            ),
        }
    }
}
mod grammar;
#[test]
fn generated_cases_behave_as_judged() {
    use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
    let cases = std::env::var("ALGEBRA_CASES")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(120);
    let seed = std::env::var("ALGEBRA_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(0u8);
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
    let tally = std::cell::RefCell::new(Tally::default());
    let result = runner.run(&grammar::case(), |case| {
        examine::examine(&case, &mut tally.borrow_mut())
            .map_err(proptest::test_runner::TestCaseError::fail)
    });
    match result {
        Ok(()) => println!("{:#?}", tally.borrow()),
        Err(TestError::Fail(reason, case)) => panic!("{reason}\n{case:?}"),
        Err(other) => panic!("{other}"),
    }
}
