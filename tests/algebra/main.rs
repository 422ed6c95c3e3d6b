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
