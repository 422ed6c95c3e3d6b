//! Members that a class has because another class points to it: the rows of a related table.

use std::collections::HashMap;

use crate::model::source::{ExprKind, Language};

use super::frame::{Analysis, Frame};
use super::matching::argument;
use super::program::qualified;
use super::resolve::Callee;

impl<'a> Analysis<'a> {
    /// Finds the attributes of classes that make members of others.
    pub(super) fn relations(&self) -> HashMap<String, (&'a str, String)> {
        let rules = self.rules;
        let relations = rules
            .constructors
            .iter()
            .filter(|rule| rule.language == Language::Python && rule.reverse.is_some());
        let relations: Vec<_> = relations.collect();
        let mut found: HashMap<String, (&'a str, String)> = HashMap::new();
        for file in self.program.files.iter().copied() {
            if file.language != Language::Python {
                continue;
            }
            for value in &file.values {
                let Some((class, _)) = value.name.rsplit_once('.') else {
                    continue;
                };
                let Some(ExprKind::Call(call)) = value.value.as_ref().map(|value| &value.kind)
                else {
                    continue;
                };
                self.refuel();
                let frame = Frame::outside(file, 0);
                let Callee::External(full) = self.resolve(call, &frame) else {
                    continue;
                };
                let rule = relations
                    .iter()
                    .find(|rule| rule.function.iter().any(|name| **name == *full));
                let Some(reverse) = rule.and_then(|rule| rule.reverse.as_ref()) else {
                    continue;
                };
                let Some(name) = argument(call, None, &reverse.named) else {
                    continue;
                };
                let to = call
                    .args
                    .first()
                    .and_then(|to| self.class_named(to, &frame));
                let to = to.map_or_else(Vec::new, |to| self.names_of(&to));
                let texts = self.texts(name, &frame);
                if let (Some(to), [name]) = (to.first(), &texts.constants()[..]) {
                    let from = qualified(file, class);
                    found.insert(format!("{to}.{name}"), (&*reverse.returns, from));
                }
            }
        }
        found
    }
}
