//! Runs the examples of the rules about source code.

use std::sync::Arc;

use crate::facts::ExampleFailure;
use crate::model::source::{Language, SourceFile, SourceTree};
use crate::rules::{Examples, Rules};

use super::buses::Buses;
use super::calls::Calls;
use super::frame::Analysis;
use super::program::Program;
use super::subscriptions;
use super::threads::Threads;

/// Makes a tree of a text.
type Reader<'r> = &'r dyn Fn(Language, &str) -> Option<Vec<SourceFile>>;

/// Runs all of them; gives the number run and the failures.
pub fn examples(rules: &Rules, read: Reader<'_>) -> (usize, Vec<ExampleFailure>) {
    let mut run = 0;
    let mut failures = Vec::new();
    for rule in &rules.subscriptions {
        let finds = |tree: &SourceTree| {
            let program = Program::new(tree);
            let analysis = Analysis::new(&program, rules);
            let buses = Buses::of(&analysis);
            let (analysis, calls) = Calls::of(analysis, &buses, &Threads::none());
            let found = subscriptions::find(&analysis, &buses, &calls);
            found.iter().any(|found| found.rule == rule.id)
        };
        let about = (&rule.id, rule.language, &rule.examples);
        check(about, read, &finds, &mut run, &mut failures);
    }
    for rule in &rules.effects {
        let finds = |tree: &SourceTree| {
            let program = Program::new(tree);
            let analysis = Analysis::new(&program, rules);
            let buses = Buses::default();
            let (analysis, calls) = Calls::of(analysis, &buses, &Threads::none());
            calls.sites.iter().any(|site| {
                let frame = analysis.frame(site.within);
                analysis
                    .effects_of(site.call, &site.callee, &frame)
                    .is_some_and(|effects| effects.rule == rule.id && !effects.found.is_empty())
            })
        };
        let about = (&rule.id, rule.language, &rule.examples);
        check(about, read, &finds, &mut run, &mut failures);
    }
    for rule in &rules.draws {
        let finds = |tree: &SourceTree| {
            let program = Program::new(tree);
            let analysis = Analysis::new(&program, rules);
            let buses = Buses::default();
            let (analysis, calls) = Calls::of(analysis, &buses, &Threads::none());
            calls.sites.iter().any(|site| {
                let frame = analysis.frame(site.within);
                let found = analysis.draw_rule(site.call, &site.callee, &frame);
                found.is_some_and(|found| found.id == rule.id)
            })
        };
        let about = (&rule.id, rule.language, &rule.examples);
        check(about, read, &finds, &mut run, &mut failures);
    }
    for rule in &rules.queue {
        let finds = |tree: &SourceTree| {
            let program = Program::new(tree);
            let analysis = Analysis::new(&program, rules);
            let buses = Buses::default();
            let (analysis, calls) = Calls::of(analysis, &buses, &Threads::none());
            calls.sites.iter().any(|site| {
                let frame = analysis.frame(site.within);
                let found = analysis.queue_rule(site.call, &site.callee, &frame);
                found.is_some_and(|found| found.id == rule.id)
            }) || analysis.names_span(rule)
        };
        let about = (&rule.id, rule.language, &rule.examples);
        check(about, read, &finds, &mut run, &mut failures);
    }
    for rule in &rules.tests {
        let finds = |tree: &SourceTree| {
            let program = Program::new(tree);
            let analysis = Analysis::new(&program, rules);
            let buses = Buses::default();
            let (analysis, calls) = Calls::of(analysis, &buses, &Threads::none());
            calls.sites.iter().any(|site| {
                let frame = analysis.frame(site.within);
                let found = analysis.test_word(site.call, &site.callee, &frame);
                found == Some(rule.means)
            })
        };
        let about = (&rule.id, rule.language, &rule.examples);
        check(about, read, &finds, &mut run, &mut failures);
    }
    for rule in &rules.guards {
        let finds = |tree: &SourceTree| {
            let program = Program::new(tree);
            let analysis = Analysis::new(&program, rules);
            let buses = Buses::default();
            let (analysis, calls) = Calls::of(analysis, &buses, &Threads::none());
            super::flow::fits_example(&analysis, &calls, rule)
        };
        let about = (&rule.id, rule.language, &rule.examples);
        check(about, read, &finds, &mut run, &mut failures);
    }
    (run, failures)
}

fn check(
    (rule, language, examples): (&Arc<str>, Language, &Examples),
    read: Reader<'_>,
    finds: &dyn Fn(&SourceTree) -> bool,
    run: &mut usize,
    failures: &mut Vec<ExampleFailure>,
) {
    let wanted = examples.matching.iter().map(|text| (text, true));
    let unwanted = examples.no_match.iter().map(|text| (text, false));
    for (text, must) in wanted.chain(unwanted) {
        *run += 1;
        let sentence = match read(language, text) {
            None => "it could not be read".to_owned(),
            Some(files) if files.iter().any(|file| !file.unparsed.is_empty()) => {
                "it does not parse".to_owned()
            }
            Some(files) => {
                let tree = SourceTree {
                    files,
                    ..SourceTree::default()
                };
                match (finds(&tree), must) {
                    (false, true) => "the rule is not found in it".to_owned(),
                    (true, false) => "the rule is found in it, and must not be".to_owned(),
                    _ => continue,
                }
            }
        };
        failures.push(ExampleFailure {
            rule: Arc::clone(rule),
            example: Arc::clone(text),
            sentence,
        });
    }
}
