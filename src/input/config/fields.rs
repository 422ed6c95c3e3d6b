//! Reading a mapping key by key. What is asked for is what is known: keys that nobody asked for
//! are unknown, so there is no second list of them to fall behind.
//!
//! A key without a value counts as not given. Nothing stops at a problem.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::sync::Arc;

use super::problem::Problem;
use super::secret::shown;
use super::tree::{Node, NodeKind};
use crate::model::nearest::nearest;
use crate::model::scope::Declared;
use crate::model::text::TextFile;

/// The file being read and the problems found so far.
pub(super) struct Sink<'t> {
    pub(super) file: &'t TextFile,
    problems: RefCell<Vec<Problem>>,
}

/// A scalar.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'t> {
    pub(super) value: &'t str,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// A mapping being read.
pub(super) struct Fields<'t> {
    sink: &'t Sink<'t>,
    /// As a sentence calls it: `` `gate` ``, `` entry 2 of `waivers` ``, or empty for the file.
    what: String,
    start: u32,
    end: u32,
    entries: Vec<(Text<'t>, &'t Node)>,
    asked: RefCell<Vec<&'static str>>,
    /// Keys that are not there, and what to do.
    missing: RefCell<Vec<(&'static str, &'static str)>>,
}

impl<'t> Sink<'t> {
    pub(super) fn new(file: &'t TextFile) -> Self {
        Self {
            file,
            problems: RefCell::default(),
        }
    }

    /// The problems in the order of the file.
    pub(super) fn into_problems(self) -> Vec<Problem> {
        let mut problems = self.problems.into_inner();
        problems.sort_by(|a, b| a.place.cmp(&b.place));
        problems
    }

    /// How many problems there are so far.
    pub(super) fn count(&self) -> usize {
        self.problems.borrow().len()
    }

    pub(super) fn push(&self, problem: Problem) {
        self.problems.borrow_mut().push(problem);
    }

    /// A problem with a scalar.
    pub(super) fn problem(&self, text: Text<'_>, sentence: impl Into<String>) -> Problem {
        Problem::at(self.file, text.start, text.end, sentence)
    }

    /// A scalar with its place.
    pub(super) fn declared(&self, text: Text<'_>) -> Declared {
        Declared {
            value: Arc::from(text.value),
            place: self.file.place(text.start, text.end),
        }
    }

    /// Reads a mapping; nothing at all is an empty one.
    pub(super) fn fields(
        &'t self,
        key: Text<'t>,
        node: &'t Node,
        what: String,
    ) -> Option<Fields<'t>> {
        let mut entries: Vec<(Text<'t>, &'t Node)> = Vec::new();
        let mut first_given = BTreeMap::new();
        match &node.kind {
            NodeKind::Null => {}
            NodeKind::Map(pairs) => {
                for (name, value) in pairs {
                    if let Some(name) = self.key(name)
                        && !self.repeats(name, &mut first_given)
                    {
                        entries.push((name, value));
                    }
                }
            }
            other => {
                let subject = if what.is_empty() { "the file" } else { &what };
                self.push(self.problem(
                    key,
                    format!("{subject} wants keys and values, not {}", other.name()),
                ));
                return None;
            }
        }
        let first = entries.first().map_or(key, |(name, _)| *name);
        Some(Fields {
            sink: self,
            what,
            start: first.start,
            end: first.end,
            entries,
            asked: RefCell::default(),
            missing: RefCell::default(),
        })
    }

    fn key(&self, node: &'t Node) -> Option<Text<'t>> {
        match &node.kind {
            NodeKind::Text(value) => Some(Text {
                value,
                start: node.start,
                end: node.end,
            }),
            other => {
                let sentence = format!("a key must be text, not {}", other.name());
                self.push(Problem::at(self.file, node.start, node.end, sentence));
                None
            }
        }
    }

    fn repeats(&self, name: Text<'t>, first_given: &mut BTreeMap<&'t str, u32>) -> bool {
        let first = *first_given.entry(name.value).or_insert(name.start);
        if first == name.start {
            return false;
        }
        let line = self.file.pos(first).line;
        let sentence = format!("the key `{}` is given twice", shown(name.value));
        let problem = self.problem(name, sentence);
        self.push(problem.label(format!("first given in line {line}")));
        true
    }
}

impl<'t> Fields<'t> {
    /// True if the key is there.
    pub(super) fn names(&self, key: &str) -> bool {
        self.entries.iter().any(|(name, _)| name.value == key)
    }

    /// The entries, when the keys are free; nothing is unknown then.
    pub(super) fn entries(&self) -> &[(Text<'t>, &'t Node)] {
        &self.entries
    }

    /// The key and value, when there is a value.
    fn ask(&self, name: &'static str) -> Option<(Text<'t>, &'t Node)> {
        self.asked.borrow_mut().push(name);
        self.entries
            .iter()
            .find(|(key, _)| key.value == name)
            .filter(|(_, value)| value.kind != NodeKind::Null)
            .copied()
    }

    /// A scalar that may be left out.
    pub(super) fn text(&self, name: &'static str) -> Option<Text<'t>> {
        let (key, node) = self.ask(name)?;
        self.scalar(key, node, &self.path(name))
    }

    /// The key and the number of items, where the value is a list.
    pub(super) fn list(&self, name: &'static str) -> Option<(Text<'t>, usize)> {
        let (key, node) = self.ask(name)?;
        match &node.kind {
            NodeKind::List(items) => Some((key, items.len())),
            _ => None,
        }
    }

    /// A scalar that may not be left out.
    pub(super) fn required(&self, name: &'static str, why: &'static str) -> Option<Text<'t>> {
        match self.ask(name) {
            Some((key, node)) => self.scalar(key, node, &self.path(name)),
            None => {
                self.missing(name, why);
                None
            }
        }
    }

    /// One scalar or a list of them; each at most once.
    pub(super) fn texts(&self, name: &'static str) -> Vec<Text<'t>> {
        self.ask(name).map_or_else(Vec::new, |(key, node)| {
            self.sink.texts(key, node, &self.path(name))
        })
    }

    /// A whole number.
    pub(super) fn number(&self, name: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let text = self.text(name)?;
        // As written: a number in quotes is text.
        let written = self.sink.written(text);
        let digits: String = written.chars().filter(|each| *each != '_').collect();
        let inside = |text: &str| text.parse().ok().filter(|number| range.contains(number));
        let number = inside(&digits);
        if number.is_none() {
            let (low, high) = (range.start(), range.end());
            let path = self.path(name);
            let sentence = format!("{path} wants a whole number from {low} to {high}");
            let problem = self.sink.problem(text, sentence);
            self.sink.push(match inside(text.value) {
                Some(_) => problem.label("write it without quotes"),
                None => problem,
            });
        }
        number
    }

    /// A mapping.
    pub(super) fn fields(&self, name: &'static str) -> Option<Fields<'t>> {
        let (key, node) = self.ask(name)?;
        self.sink.fields(key, node, self.path(name))
    }

    /// A list of mappings.
    pub(super) fn each(&self, name: &'static str) -> Vec<Fields<'t>> {
        let Some((key, node)) = self.ask(name) else {
            return Vec::new();
        };
        let NodeKind::List(items) = &node.kind else {
            let sentence = format!("{} wants a list, not {}", self.path(name), node.kind.name());
            let problem = self.sink.problem(key, sentence);
            self.sink.push(problem.help("begin each entry with `- `"));
            return Vec::new();
        };
        items
            .iter()
            .enumerate()
            .filter_map(|(at, item)| {
                let here = Text {
                    value: "",
                    start: item.start,
                    end: item.end,
                };
                let what = format!("entry {} of {}", at + 1, self.path(name));
                self.sink.fields(here, item, what)
            })
            .collect()
    }

    /// The entries of a list, whatever they are, each with the key of the list.
    pub(super) fn nodes(&self, name: &'static str) -> Vec<(Text<'t>, &'t Node)> {
        let Some((key, node)) = self.ask(name) else {
            return Vec::new();
        };
        let NodeKind::List(items) = &node.kind else {
            let sentence = format!("{} wants a list, not {}", self.path(name), node.kind.name());
            let problem = self.sink.problem(key, sentence);
            self.sink.push(problem.help("begin each entry with `- `"));
            return Vec::new();
        };
        items.iter().map(|item| (key, item)).collect()
    }

    /// Notes the absence of a key; [`Fields::finish`] reports it.
    pub(super) fn missing(&self, name: &'static str, why: &'static str) {
        self.missing.borrow_mut().push((name, why));
    }

    /// Reports every key that nobody asked for, and every one that is missing; a misspelt key is
    /// reported once, not as missing too.
    pub(super) fn finish(self) {
        let asked = self.asked.borrow();
        let mut missing = self.missing.borrow_mut();
        for (key, _) in &self.entries {
            if asked.contains(&key.value) {
                continue;
            }
            let inside = match self.what.as_str() {
                "" => String::new(),
                what => format!(" in {what}"),
            };
            let sentence = format!("unknown key `{}`{inside}", shown(key.value));
            let problem = self.sink.problem(*key, sentence);
            self.sink.push(match nearest(key.value, &asked) {
                Some(near) => {
                    missing.retain(|(name, _)| *name != near);
                    problem.label(format!("did you mean `{near}`?"))
                }
                None => problem.help(format!("known keys are {}", asked.join(", "))),
            });
        }
        if missing.is_empty() {
            return;
        }
        let what = if self.what.is_empty() {
            "the file"
        } else {
            &self.what
        };
        let names: Vec<String> = missing
            .iter()
            .map(|(name, _)| format!("no `{name}`"))
            .collect();
        let sentence = format!("{what} has {}", names.join(" and "));
        let problem = Problem::at(self.sink.file, self.start, self.end, sentence);
        let whys: Vec<&str> = missing.iter().map(|(_, why)| *why).collect();
        self.sink.push(match whys.as_slice() {
            [one] => problem.label(*one),
            several => problem.help(several.join("; ")),
        });
    }

    fn scalar(&self, key: Text<'t>, node: &'t Node, path: &str) -> Option<Text<'t>> {
        self.sink.scalar(key, node, path)
    }

    /// A key as a sentence calls it: `` `gate.flag` ``, `` `owner` of entry 2 of `waivers` ``.
    fn path(&self, name: &str) -> String {
        match self.what.strip_suffix('`') {
            _ if self.what.is_empty() => format!("`{name}`"),
            Some(outer) if outer.starts_with('`') => format!("{outer}.{name}`"),
            _ => format!("`{name}` of {}", self.what),
        }
    }
}

impl<'t> Sink<'t> {
    /// The stretch of the file that a scalar was read from, quotes included.
    pub(super) fn written(&self, text: Text<'_>) -> &'t str {
        let range = text.start as usize..text.end as usize;
        self.file.text().get(range).unwrap_or_default().trim()
    }

    /// One scalar.
    fn scalar(&self, key: Text<'t>, node: &'t Node, path: &str) -> Option<Text<'t>> {
        let NodeKind::Text(value) = &node.kind else {
            let sentence = format!("{path} wants text, not {}", node.kind.name());
            self.push(self.problem(key, sentence));
            return None;
        };
        let text = Text {
            value: value.trim(),
            start: node.start,
            end: node.end,
        };
        if text.value.is_empty() {
            self.push(self.problem(text, format!("{path} is empty")));
            return None;
        }
        Some(text)
    }

    /// One scalar or a list of them; each at most once.
    pub(super) fn texts(&self, key: Text<'t>, node: &'t Node, path: &str) -> Vec<Text<'t>> {
        let NodeKind::List(items) = &node.kind else {
            if matches!(node.kind, NodeKind::Map(_)) {
                let sentence = format!(
                    "{path} wants text or a list of texts, not {}",
                    node.kind.name()
                );
                self.push(self.problem(key, sentence));
                return Vec::new();
            }
            return self.scalar(key, node, path).into_iter().collect();
        };
        let mut texts: Vec<Text<'t>> = Vec::new();
        let mut seen = BTreeSet::new();
        for (at, item) in items.iter().enumerate() {
            let here = Text {
                value: "",
                start: item.start,
                end: item.end,
            };
            let Some(text) = self.scalar(here, item, &format!("entry {} of {path}", at + 1)) else {
                continue;
            };
            if !seen.insert(text.value) {
                let sentence = format!("{path} names `{}` twice", shown(text.value));
                self.push(self.problem(text, sentence));
            } else {
                texts.push(text);
            }
        }
        texts
    }
}
