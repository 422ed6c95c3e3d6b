//! Which names a function assigns to, before it is read.

use std::collections::HashMap;

use tree_sitter::Node;

use super::{Lower, Names};
use crate::input::source::syntax::children;

impl<'t> Lower<'t, '_> {
    /// The names that a body assigns to, with how often; functions and classes inside it have names
    /// of their own.
    pub(super) fn assigned(&self, body: Node<'t>) -> HashMap<String, usize> {
        let mut found: HashMap<String, usize> = HashMap::new();
        let mut open = vec![body];
        while let Some(node) = open.pop() {
            match node.kind() {
                "function_definition" | "class_definition" | "lambda" => continue,
                "assignment" | "augmented_assignment" => {
                    let mut targets: Vec<Node<'t>> = Vec::new();
                    targets.extend(node.child_by_field_name("left"));
                    while let Some(target) = targets.pop() {
                        match target.kind() {
                            "identifier" => {
                                let name = self.read.text(target).to_owned();
                                *found.entry(name).or_default() += 1;
                            }
                            "attribute" | "subscript" => {}
                            _ => targets.extend(children(target)),
                        }
                    }
                }
                _ => {}
            }
            open.extend(children(node));
        }
        found
    }
}

impl Names {
    /// True of a name that is assigned to once: its assignment declares it.
    pub(super) fn once(&self, name: &str) -> bool {
        self.assigned.get(name).is_none_or(|count| *count <= 1)
    }

    /// The names that are assigned to more than once, sorted.
    pub(super) fn often(&self) -> Vec<&str> {
        let often = self.assigned.iter().filter(|(_, count)| **count > 1);
        let mut names: Vec<&str> = often.map(|(name, _)| &**name).collect();
        names.sort_unstable();
        names
    }
}
