//! What the placeholders of a statement stand for, and which of these values none uses.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::Reader;
use super::at::At;
use super::format;
use super::params::Params;
use crate::model::place::Place;
use crate::model::value::Value;
use crate::sql::statement::Placeholder;

/// What placeholders stand for.
pub(super) struct Given {
    values: Vec<(Placeholder, Value, Place)>,
    used: RefCell<BTreeSet<usize>>,
}

impl Given {
    /// Reads the values of `params`.
    pub(super) fn new(reader: &mut Reader<'_>, raw: &format::Effect, results: &[Arc<str>]) -> Self {
        let values = match raw.params.as_ref() {
            None => Vec::new(),
            Some(Params::List(list)) => list
                .iter()
                .enumerate()
                .map(|(at, it)| {
                    let place = it.place(reader.file);
                    let key = Placeholder::Position(at as u32 + 1);
                    let value = param(reader, &format!("${}", at + 1), it, results);
                    (key, value, place)
                })
                .collect(),
            Some(Params::Map(map)) => map
                .iter()
                .map(|(name, it)| {
                    let bare = name.value.trim_start_matches(['$', ':', '@', '?']);
                    let key = match bare.parse() {
                        Ok(number) => Placeholder::Position(number),
                        Err(_) => Placeholder::Name(bare.into()),
                    };
                    let value = param(reader, &name.value, it, results);
                    (key, value, name.place(reader.file))
                })
                .collect(),
        };
        Self {
            values,
            used: RefCell::default(),
        }
    }

    /// What one of them stands for.
    pub(super) fn get(&self, wanted: &Placeholder) -> Option<&Value> {
        let at = self.values.iter().position(|(key, _, _)| key == wanted)?;
        self.used.borrow_mut().insert(at);
        self.values.get(at).map(|(_, value, _)| value)
    }

    /// Names and places of what no placeholder uses.
    pub(super) fn unused(&self) -> Vec<(String, Place)> {
        let used = self.used.borrow();
        let all = self.values.iter().enumerate();
        all.filter(|(at, _)| !used.contains(at))
            .map(|(_, (key, _, place))| {
                let name = match key {
                    Placeholder::Position(at) => format!("${at}"),
                    Placeholder::Name(name) => name.to_string(),
                };
                (name, place.clone())
            })
            .collect()
    }
}

/// The value of a parameter; what is wrong with it is told of the parameter.
fn param(
    reader: &mut Reader<'_>,
    name: &str,
    value: &At<format::Value>,
    results: &[Arc<str>],
) -> Value {
    let before = reader.problems.len();
    let read = reader.value(value, results);
    for problem in reader.problems.iter_mut().skip(before) {
        problem.sentence = format!("parameter `{name}`: {}", problem.sentence);
    }
    read
}
