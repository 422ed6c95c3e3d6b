//! Everything that is wrong with a file of consumers as a whole, not only the first thing.
//!
//! The reader of typed values stops at the first fault. It is told, the entry that holds it is
//! blanked out (every byte keeps its place), and the file is read again.

use std::collections::BTreeSet;

use serde_saphyr::Error;

use crate::input::config::tree::{self, Node, NodeKind};
use crate::model::evidence::Reason;
use crate::model::text::TextFile;

use super::{errors, parse};

/// How many bytes are read again in all.
const MAX_REREAD: usize = 8 * 1024 * 1024;

/// More faults than these help nobody.
const MAX_FAULTS: usize = 100;

/// What is wrong with a file, and what stands all the same.
pub(super) struct Faults {
    /// Why, once for each fault, in the order in which they are met.
    pub(super) reasons: Vec<Reason>,
    /// The text with every consumer blanked that has a fault; none where one is outside them all, or
    /// not all are known.
    pub(super) rest: Option<String>,
}

/// All faults; `first` is the first of them.
pub(super) fn all(first: &Error, file: &TextFile) -> Faults {
    let mut reasons = vec![errors::reason(first, file)];
    let Ok(tree) = tree::read(file.text()) else {
        // Broken YAML: what follows the break is not known.
        return Faults {
            reasons,
            rest: None,
        };
    };
    let mut faulty = Faulty::new(&tree);
    faulty.add(first, file.text().as_bytes());
    let mut left = Left {
        text: file.text().as_bytes().to_vec(),
        whole: file.text().as_bytes(),
        tree: &tree,
    };
    let mut is_whole = false;
    let mut goes_on = left.take_out(first);
    for _ in 0..MAX_REREAD / file.text().len().max(1) {
        if !goes_on {
            break;
        }
        let Ok(text) = std::str::from_utf8(&left.text) else {
            break;
        };
        if text.trim().is_empty() {
            break;
        }
        let Err(error) = parse(text) else {
            is_whole = true;
            break;
        };
        if !left.is_made(&error) {
            reasons.push(errors::reason(&error, file));
        }
        faulty.add(&error, file.text().as_bytes());
        goes_on = reasons.len() < MAX_FAULTS && left.take_out(&error);
    }
    let rest = match is_whole {
        true => faulty.without(&left),
        false => None,
    };
    Faults { reasons, rest }
}

/// Which consumers have a fault.
struct Faulty<'t> {
    consumers: &'t [Node],
    /// Their places in the list; none once a fault stood outside it.
    at: Option<BTreeSet<usize>>,
}

impl<'t> Faulty<'t> {
    fn new(tree: &'t Node) -> Self {
        let consumers = match &tree.kind {
            NodeKind::Map(entries) => entries.iter().find_map(|(key, value)| {
                let is_list = matches!(&key.kind, NodeKind::Text(name) if name == "consumers");
                match &value.kind {
                    NodeKind::List(items) if is_list => Some(items.as_slice()),
                    _ => None,
                }
            }),
            _ => None,
        };
        Self {
            consumers: consumers.unwrap_or_default(),
            at: Some(BTreeSet::new()),
        }
    }

    fn add(&mut self, error: &Error, text: &[u8]) {
        let within = offset(error).and_then(|offset| {
            let mut items = self.consumers.iter();
            let at = items.rposition(|item| begins(item) <= offset)?;
            let item = self.consumers.get(at)?;
            (offset <= end(item, text) || at + 1 < self.consumers.len()).then_some(at)
        });
        match (within, &mut self.at) {
            (Some(at), Some(list)) => {
                list.insert(at);
            }
            _ => self.at = None,
        }
    }

    /// The whole text without them.
    fn without(&self, left: &Left<'_>) -> Option<String> {
        let mut text = left.whole.to_vec();
        for at in self.at.as_ref()? {
            let item = self.consumers.get(*at)?;
            let next = self.consumers.get(at + 1);
            let start = dash(left.whole, item.start as usize);
            let end = next.map_or_else(
                || end(item, left.whole),
                |next| dash(left.whole, next.start as usize),
            );
            blank(&mut text, start, end);
        }
        // Of none that is left, the list is nothing, which is no list.
        let some_stand = self.at.as_ref()?.len() < self.consumers.len();
        some_stand.then(|| String::from_utf8(text).ok()).flatten()
    }
}

fn blank(text: &mut [u8], start: usize, end: usize) {
    if let Some(bytes) = text.get_mut(start..end) {
        for byte in bytes.iter_mut().filter(|byte| !b"\r\n".contains(byte)) {
            *byte = b' ';
        }
    }
}

/// The text that is left, with the tree of the whole.
struct Left<'t> {
    text: Vec<u8>,
    /// As it was.
    whole: &'t [u8],
    tree: &'t Node,
}

/// A stretch that can be taken out of a mapping or list, from its first byte to just behind it.
#[derive(Clone, Copy)]
struct Stretch {
    start: usize,
    end: usize,
}

impl Left<'_> {
    /// Blanks the entry that an error stands in; false if there is nothing left to blank.
    fn take_out(&mut self, error: &Error) -> bool {
        let Some(path) = self.path(error) else {
            return false;
        };
        // The innermost that still holds something: it may have been emptied before.
        let stretch = path.iter().rev().find(|it| !self.is_blank(**it)).copied();
        let Some(Stretch { start, end }) = stretch else {
            return false;
        };
        blank(&mut self.text, start, end);
        true
    }

    /// True of an error that is there only because something was taken out.
    fn is_made(&self, error: &Error) -> bool {
        let Some(offset) = offset(error) else {
            return false;
        };
        let was_taken = |node: &Node| self.is_blank(self.whole(node));
        match missing(error) {
            // A key that was there, or was misspelt, in a mapping of which parts are gone.
            Some(field) => self.innermost(self.tree, offset).is_some_and(|entries| {
                entries
                    .iter()
                    .any(|(key, _)| is_meant(key, field) && was_taken(key))
            }),
            None => self.entry(offset).is_some_and(|(key, value)| {
                // A value of which nothing is left, though its key stands.
                !was_taken(key) && was_taken(value) && !matches!(value.kind, NodeKind::Null)
            }),
        }
    }

    fn whole(&self, node: &Node) -> Stretch {
        Stretch {
            start: begins(node),
            end: end(node, self.whole),
        }
    }

    fn is_blank(&self, stretch: Stretch) -> bool {
        let bytes = self.text.get(stretch.start..stretch.end);
        bytes.is_none_or(|bytes| {
            bytes
                .iter()
                .all(|byte| byte.is_ascii_whitespace() || b"-,".contains(byte))
        })
    }

    /// The entries that hold the place of an error, from the outside in. What is missing concerns
    /// the mapping it is missing in, so the entry that this mapping is.
    fn path(&self, error: &Error) -> Option<Vec<Stretch>> {
        let offset = offset(error)?;
        let is_missing = missing(error).is_some();
        let mut path = Vec::new();
        let mut node = self.tree;
        loop {
            let children: Vec<(usize, usize, &Node)> = match &node.kind {
                NodeKind::List(items) => items
                    .iter()
                    .map(|item| {
                        let start = dash(&self.text, item.start as usize);
                        (start, end(item, self.whole), item)
                    })
                    .collect(),
                NodeKind::Map(entries) => entries
                    .iter()
                    .map(|(key, value)| {
                        let last = end(value, self.whole).max(key.end as usize);
                        (key.start as usize, last, value)
                    })
                    .collect(),
                NodeKind::Null | NodeKind::Text(_) => break,
            };
            let at = children
                .iter()
                .rposition(|(start, _, _)| *start <= offset)
                .filter(|at| children.get(*at).is_some_and(|child| offset <= child.1));
            let Some((start, last, child)) = at.and_then(|at| children.get(at)).copied() else {
                break;
            };
            let next = at.and_then(|at| children.get(at + 1));
            path.push(Stretch {
                start,
                end: next.map_or(last, |next| next.0),
            });
            node = child;
        }
        // What is missing is told at another entry of its mapping, which is not at fault.
        if is_missing {
            path.pop();
        }
        Some(path)
    }

    /// The innermost mapping that holds a place.
    fn innermost<'n>(&self, node: &'n Node, offset: usize) -> Option<&'n [(Node, Node)]> {
        let within = |node: &&Node| begins(node) <= offset && offset <= end(node, self.whole);
        match &node.kind {
            NodeKind::List(items) => self.innermost(items.iter().rfind(within)?, offset),
            NodeKind::Map(entries) => {
                let values = entries.iter().map(|(_, value)| value);
                let inside = values.rev().find(within);
                inside
                    .and_then(|value| self.innermost(value, offset))
                    .or(Some(entries))
            }
            NodeKind::Null | NodeKind::Text(_) => None,
        }
    }

    /// The innermost entry of a mapping that holds a place.
    fn entry(&self, offset: usize) -> Option<(&Node, &Node)> {
        let entries = self.innermost(self.tree, offset)?;
        let found = entries
            .iter()
            .rfind(|(key, _)| key.start as usize <= offset)?;
        Some((&found.0, &found.1))
    }
}

/// Where an item of a list begins, its dash included.
fn dash(text: &[u8], start: usize) -> usize {
    let before = text.get(..start).unwrap_or_default();
    let spaces = before.iter().rev().take_while(|byte| **byte == b' ');
    let at = start - spaces.count();
    match at.checked_sub(1).and_then(|at| before.get(at)) {
        Some(b'-') => at - 1,
        _ => start,
    }
}

fn offset(error: &Error) -> Option<usize> {
    let location = error.without_snippet().location()?;
    Some(location.span().byte_offset()? as usize)
}

fn missing(error: &Error) -> Option<&'static str> {
    match error.without_snippet() {
        Error::SerdeMissingField { field, .. } => Some(field),
        _ => None,
    }
}

/// True of a key that is that name, or most like it.
fn is_meant(node: &Node, name: &str) -> bool {
    let NodeKind::Text(text) = &node.kind else {
        return false;
    };
    errors::nearest(text, std::iter::once(name)).is_some()
}

/// The first byte of what a node holds.
fn begins(node: &Node) -> usize {
    match &node.kind {
        NodeKind::Map(entries) => entries
            .first()
            .map_or(node.start as usize, |(key, _)| key.start as usize),
        _ => node.start as usize,
    }
}

/// Just behind a node, its closing bracket included.
fn end(node: &Node, text: &[u8]) -> usize {
    let start = node.start as usize;
    let own = node.end as usize;
    let inside = match &node.kind {
        NodeKind::List(items) => items.last().map(|item| end(item, text)),
        NodeKind::Map(entries) => entries.last().map(|(_, value)| end(value, text)),
        NodeKind::Null | NodeKind::Text(_) => return own,
    };
    let inside = inside.unwrap_or(start + 1).max(start);
    let closing = match text.get(start) {
        Some(b'{') => b'}',
        Some(b'[') => b']',
        _ => return inside.max(own),
    };
    let behind = text.get(inside..).unwrap_or_default();
    let at = behind.iter().position(|byte| *byte == closing);
    at.map_or(inside, |at| inside + at + 1)
}
