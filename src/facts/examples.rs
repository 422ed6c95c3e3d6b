//! Runs the examples of the rules for functions and names: each must be found where it says, and
//! nowhere else.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::expr::{self, Expr, ExprKind};
use crate::rules::{FunctionRule, NameRule, Rules};

/// An example that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleFailure {
    /// Id of the rule.
    pub rule: Arc<str>,
    /// The example.
    pub example: Arc<str>,
    /// What is wrong, in one sentence.
    pub sentence: String,
}

/// Runs all of them; gives the number run and the failures.
pub fn examples(rules: &Rules) -> (usize, Vec<ExampleFailure>) {
    let mut run = 0;
    let mut failures = Vec::new();
    for rule in &rules.functions {
        let finds = |tree: &Expr| uses_function(tree, rule);
        check(&rule.id, &rule.examples, &finds, &mut run, &mut failures);
    }
    for rule in &rules.names {
        let finds = |tree: &Expr| uses_name(tree, rule);
        check(&rule.id, &rule.examples, &finds, &mut run, &mut failures);
    }
    let mut seen: BTreeMap<(&str, &str, bool), &Arc<str>> = BTreeMap::new();
    for rule in &rules.functions {
        for name in &rule.names {
            let key = (&*rule.language, &**name, rule.method);
            if let Some(other) = seen.insert(key, &rule.id)
                && *other == rule.id
            {
                failures.push(ExampleFailure {
                    rule: Arc::clone(&rule.id),
                    example: Arc::clone(name),
                    sentence: format!("`{name}` is named twice"),
                });
            }
        }
    }
    (run, failures)
}

fn check(
    id: &Arc<str>,
    examples: &crate::rules::Examples,
    finds: &dyn Fn(&Expr) -> bool,
    run: &mut usize,
    failures: &mut Vec<ExampleFailure>,
) {
    let wanted = examples
        .matching
        .iter()
        .map(|text| (text, true))
        .chain(examples.no_match.iter().map(|text| (text, false)));
    for (text, expected) in wanted {
        *run += 1;
        let sentence = match expr::parse(text) {
            Err(error) => format!("it does not parse: {error}"),
            Ok(tree) if finds(&tree) != expected && expected => {
                "the rule is not found in it".to_owned()
            }
            Ok(tree) if finds(&tree) != expected => {
                "the rule is found in it and must not be".to_owned()
            }
            Ok(_) => continue,
        };
        failures.push(ExampleFailure {
            rule: Arc::clone(id),
            example: Arc::clone(text),
            sentence,
        });
    }
}

fn uses_function(tree: &Expr, rule: &FunctionRule) -> bool {
    let named = |name: &str| rule.names.iter().any(|known| &**known == name);
    tree.walk().any(|node| match &node.kind {
        ExprKind::Builtin { name, .. } => !rule.method && named(name),
        ExprKind::Call { callee, .. } => match &callee.kind {
            ExprKind::Ident(name) => !rule.method && named(name),
            ExprKind::Member { property, .. } => match &property.kind {
                ExprKind::Str(name) => rule.method && named(name),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    })
}

fn uses_name(tree: &Expr, rule: &NameRule) -> bool {
    tree.walk()
        .any(|node| matches!(&node.kind, ExprKind::Ident(name) if *name == *rule.name))
}
