//! What the source of a test shows: that an event comes twice to the consumer itself, how, and that
//! something is asserted after it.

mod calls;
mod events;
mod launches;
mod names;
mod show;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::consumer::ConsumerId;
use crate::model::evidence::{Evidence, InputKind, ObservedBy, Reason, Why};
use crate::model::map::{ConsumerMap, Delivery, MappedConsumer};
use crate::model::place::{Place, Pos};
use crate::model::source::{Call, Expr, ExprKind, FileRole, Language, SourceFile, SourceTree};
use crate::model::tests::{TestResults, TestRun, TestSource, plain};
use crate::rules::{Rules, TestWord};

use super::buses::Buses;
use super::frame::Analysis;
use super::program::{FnId, Program};
use super::resolve::Callee;
use super::texts::called_name;
use super::walk as parts;
use events::judged;
use names::{Named, skipped};
use walk::Walk;

/// Holds each result of a test against the test's source, as far as that was read.
pub fn hold_tests(results: &mut TestResults, tree: SourceTree, rules: &Rules, map: &ConsumerMap) {
    let has_tests = !tree.tests.is_empty()
        || tree.files.iter().any(|file| {
            file.role == FileRole::Test || file.functions.iter().any(|function| function.test)
        });
    if !has_tests || results.runs.is_empty() {
        return;
    }
    let runs = &results.runs;
    // What cannot be looked at stays as it is: not read.
    let Ok(tested) = super::on_deep_stack(|| tested(tree, rules, map, runs)) else {
        return;
    };
    for (run, source) in results.runs.iter_mut().zip(tested) {
        run.source = source;
    }
}

/// Where functions of tests stand.
#[derive(Debug, Default)]
struct OfTests {
    /// Files, by path and package: a module inside a file has a package of its own.
    files: BTreeSet<(Arc<str>, Arc<str>)>,
    /// Functions of other files, by path and position.
    functions: BTreeSet<(Arc<str>, Pos)>,
}

impl OfTests {
    /// Makes code like any other of the tests of a tree; what is part of one is told by its place.
    fn taken_from(tree: &mut SourceTree) -> Self {
        let mut found = Self::default();
        tree.files.append(&mut tree.tests);
        for file in &mut tree.files {
            let whole = file.role == FileRole::Test;
            if whole {
                let key = (Arc::clone(&file.path), Arc::clone(&file.package));
                found.files.insert(key);
                file.role = FileRole::Product;
            }
            for function in file.functions.iter_mut().filter(|function| function.test) {
                function.test = false;
                let key = (Arc::clone(&file.path), function.at);
                found.functions.insert(key);
            }
        }
        found
    }

    fn has(&self, file: &SourceFile, at: Pos) -> bool {
        let key = (Arc::clone(&file.path), Arc::clone(&file.package));
        self.files.contains(&key) || self.functions.contains(&(Arc::clone(&file.path), at))
    }
}

fn tested(
    mut tree: SourceTree,
    rules: &Rules,
    map: &ConsumerMap,
    runs: &[TestRun],
) -> Vec<Option<Result<Arc<TestSource>, Arc<Reason>>>> {
    let of_tests = OfTests::taken_from(&mut tree);
    let program = Program::new(&tree);
    let analysis = Analysis::new(&program, rules);
    let buses = Buses::of(&analysis);
    let all: Vec<FnId> = program.functions().collect();
    let is_test = |id: &FnId| of_tests.has(program.file(*id), program.function(*id).at);
    let mut handlers: BTreeMap<FnId, BTreeSet<ConsumerId>> = BTreeMap::new();
    let mut registers = BTreeSet::new();
    let live: Vec<&MappedConsumer> = map
        .consumers
        .iter()
        .filter(|one| !matches!(one.delivery, Delivery::Elsewhere(_)))
        .collect();
    for id in all.iter().copied().filter(|id| !is_test(id)) {
        let at = program.file(id).place(program.function(id).at);
        for one in &live {
            if one.handler_at == at {
                handlers.entry(id).or_default().insert(one.id.clone());
            }
            if holds(&program, id, &one.registered_at) {
                registers.insert(id);
            }
        }
    }
    let shared = Shared {
        buses: buses
            .dispatching
            .keys()
            .copied()
            .filter(|id| !is_test(id))
            .collect(),
        handlers,
        registers,
        of_tests: &of_tests,
        analysis: &analysis,
    };
    runs.iter().map(|run| shared.look(run, &all)).collect()
}

/// True if a function holds a place.
fn holds(program: &Program<'_>, id: FnId, place: &Place) -> bool {
    let function = program.function(id);
    place.span().is_some_and(|span| {
        span.file == program.file(id).path && function.at <= span.start && span.start < function.end
    })
}

/// What every test is held against.
struct Shared<'a, 's> {
    /// The program with its tests.
    analysis: &'s Analysis<'a>,
    /// Methods of the product that run the handlers of an event.
    buses: BTreeSet<FnId>,
    /// Handlers themselves, with the consumers that they are.
    handlers: BTreeMap<FnId, BTreeSet<ConsumerId>>,
    /// Functions of the product that subscribe them.
    registers: BTreeSet<FnId>,
    of_tests: &'s OfTests,
}

impl<'a> Shared<'a, '_> {
    fn is_test(&self, id: FnId) -> bool {
        let program = self.analysis.program;
        self.of_tests.has(program.file(id), program.function(id).at)
    }

    /// True if a method of that name only begins what was launched before.
    fn begins(&self, name: &str) -> bool {
        let mut rules = self.analysis.rules.tests.iter();
        rules.any(|rule| {
            rule.means == TestWord::Begins && rule.call.method.iter().any(|known| &**known == name)
        })
    }

    /// True if a text among arguments names a handler, or its module and it.
    fn names_handler(&self, args: &[Expr]) -> bool {
        args.iter()
            .any(|arg| matches!(&arg.kind, ExprKind::Text(text) if self.is_handler(text)))
    }

    /// True of the name of a handler, or of its module and it.
    fn is_handler(&self, text: &str) -> bool {
        let program = self.analysis.program;
        let mut names = self.handlers.keys().map(|id| &*program.function(*id).name);
        names.any(|name| text.rsplit('.').next() == Some(name))
    }

    /// What a method without arguments asks of an error, by its name: the type of what it is called on
    /// is often not written.
    fn asks_for_error(&self, call: &Call, callee: &Callee<'_>) -> Option<TestWord> {
        if matches!(callee, Callee::Functions(..)) {
            return None;
        }
        let name = called_name(call);
        let mut rules = self.analysis.rules.tests.iter();
        let rule = rules.find(|rule| {
            matches!(
                rule.means,
                TestWord::IsError | TestWord::IsSuccess | TestWord::DemandsError
            ) && rule.language == Language::Rust
                && rule.call.method.iter().any(|known| **known == *name)
        })?;
        Some(rule.means)
    }

    /// True of a word by which a rule says that something is put in place of another thing.
    fn replaces(&self, word: &str) -> bool {
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        let mut rules = self.analysis.rules.tests.iter();
        rules.any(|rule| {
            let names = rule.call.function.iter().chain(&rule.call.method);
            rule.means == TestWord::Replaces
                && names.into_iter().any(|name| last(name) == last(word))
        })
    }

    fn look(&self, run: &TestRun, all: &[FnId]) -> Option<Result<Arc<TestSource>, Arc<Reason>>> {
        let program = self.analysis.program;
        let name = &run.name;
        let named = Named::of(run);
        let found: Vec<FnId> = all
            .iter()
            .copied()
            .filter(|id| self.is_test(*id) && named.is(program, *id))
            .collect();
        let found = named.best(program, found);
        let id = *found.first()?;
        let place = program.file(id).place(program.function(id).at);
        let none = |why: String| {
            Some(Err(Arc::new(Reason {
                why: Why::NotDecidable,
                needs: Some(InputKind::Tests),
                sentence: format!("`{name}` passed, and is no evidence: {why}"),
                place: Some(place.clone()),
                next_step: "let the test deliver the event twice to the consumer itself and \
                            compare the rows after it"
                    .into(),
            })))
        };
        if found.len() > 1 {
            return none(format!("there are several tests `{}`", named.function));
        }
        if let Some(mark) = skipped(program.function(id)) {
            return none(format!("its source leaves it out (`{mark}`)"));
        }
        let part = named.part.clone();
        let is_named = part
            .as_ref()
            .is_none_or(|part| self.literals(id).contains(part));
        let wanted = usize::from(part.is_some());
        let mut walk = Walk::new(self, part);
        walk.decorators(id);
        walk.function(id);
        if !is_named || walk.parts < wanted {
            return none("its source names no such part".to_owned());
        }
        if walk.parts > wanted {
            return none("several parts of its source can be the one that ran".to_owned());
        }
        match judged(&walk.events) {
            Ok(shown) => {
                let to = shown.to.map(|to| {
                    let consumers = to.iter().filter_map(|id| self.handlers.get(id));
                    consumers.flatten().cloned().collect()
                });
                let says = format!(
                    "`{name}` delivers the event twice to the consumer, and asserts at {}",
                    shown.asserted
                );
                Some(Ok(Arc::new(TestSource {
                    evidence: Arc::new(Evidence {
                        input: InputKind::Tests,
                        by: ObservedBy::Text,
                        place: shown.delivered,
                        says: says.into(),
                    }),
                    grades: shown.grades,
                    not: shown.not,
                    to,
                })))
            }
            Err(why) => none(why),
        }
    }

    /// Texts that a test can name its parts by: its own, and those of the values that it goes over.
    fn literals(&self, id: FnId) -> BTreeSet<String> {
        let program = self.analysis.program;
        let file = program.file(id);
        let mut found = BTreeSet::new();
        let mut names = BTreeSet::new();
        parts::each_expr(&program.function(id).body, &mut |expr| match &expr.kind {
            ExprKind::Text(text) => _ = found.insert(plain(text)),
            ExprKind::Name(name) => _ = names.insert(Arc::clone(name)),
            _ => {}
        });
        for name in names {
            let full = program.named(file, &name);
            let value = program
                .value_named(&full)
                .or_else(|| program.value_named(&super::program::qualified(file, &name)));
            let Some(value) = value.and_then(|(_, value)| value.value.as_ref()) else {
                continue;
            };
            let mut open = vec![value];
            while let Some(expr) = open.pop() {
                if let ExprKind::Text(text) = &expr.kind {
                    found.insert(plain(text));
                }
                parts::parts(expr, &mut |part| {
                    if let parts::Part::Expr(inner) = part {
                        open.push(inner);
                    }
                });
            }
        }
        found
    }
}
