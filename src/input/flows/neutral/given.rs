//! What the placeholders of a statement stand for, as the file gives it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::Reader;
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
    pub(super) fn new(reader: &mut Reader<'_>, raw: &format::Effect, results: &[Arc<str>]) -> Self {
        let values = match raw.params.as_ref() {
            None => Vec::new(),
            Some(Params::List(list)) => list
                .iter()
                .enumerate()
                .map(|(at, it)| {
                    let place = it.place(reader.file);
                    (
                        Placeholder::Position(at as u32 + 1),
                        reader.value(it, results),
                        place,
                    )
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
                    (key, reader.value(it, results), name.place(reader.file))
                })
                .collect(),
        };
        Self {
            values,
            used: RefCell::default(),
        }
    }

    pub(super) fn get(&self, wanted: &Placeholder) -> Option<&Value> {
        let at = self.values.iter().position(|(key, _, _)| key == wanted)?;
        self.used.borrow_mut().insert(at);
        self.values.get(at).map(|(_, value, _)| value)
    }

    /// Places of what no placeholder uses.
    pub(super) fn unused(&self) -> Vec<Place> {
        let used = self.used.borrow();
        let all = self.values.iter().enumerate();
        all.filter(|(at, _)| !used.contains(at))
            .map(|(_, (_, _, place))| place.clone())
            .collect()
    }
}
