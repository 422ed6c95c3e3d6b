//! Methods of values whose type is not known: what their name alone can mean.

use crate::model::map::Sureness;
use crate::model::source::{Language, Param};

use super::frame::{Analysis, Frame};
use super::program::{FnId, separator};
use super::resolve::Callee;

/// A call on a value of an unknown type is followed by the name alone to at most this many methods.
const MAX_BY_NAME: usize = 3;

/// Methods of texts, lists, sets and tables in Python: the name alone says nothing.
const COMMON: &[&str] = &[
    "add",
    "append",
    "clear",
    "copy",
    "count",
    "decode",
    "discard",
    "encode",
    "extend",
    "format",
    "get",
    "index",
    "insert",
    "items",
    "join",
    "keys",
    "lower",
    "pop",
    "popitem",
    "remove",
    "replace",
    "reverse",
    "setdefault",
    "sort",
    "split",
    "strip",
    "union",
    "update",
    "upper",
    "values",
];

impl<'a> Analysis<'a> {
    /// A method of a value of unknown type: those of this name that the file can know, if few.
    pub(super) fn by_name_alone(
        &self,
        name: &str,
        args: usize,
        frame: &Frame<'a, '_>,
    ) -> Callee<'a> {
        let unknown = Callee::Unknown {
            name: name.to_owned(),
        };
        let known = self.candidates(name, args, frame);
        let common = frame.file.language == Language::Python && COMMON.contains(&name);
        match known.len() {
            1..=MAX_BY_NAME if !common => Callee::Functions(known, Sureness::Low),
            _ => unknown,
        }
    }

    /// The methods of a name that take so many arguments and that a file can know.
    pub(super) fn candidates(&self, name: &str, args: usize, frame: &Frame<'a, '_>) -> Vec<FnId> {
        let all = self.program.methods_named(name).iter().copied();
        all.filter(|id| {
            let function = self.program.function(*id);
            let rest = function.params.iter().any(|param| param.rest);
            let needed = |param: &&Param| param.default.is_none() && !param.rest;
            let needed = function.params.iter().filter(needed).count();
            let fits = args >= needed && (args <= function.params.len() || rest);
            args != usize::MAX && fits && self.can_know(frame, *id)
        })
        .collect()
    }

    /// True if a value of the method's type can come into this file by its imports.
    fn can_know(&self, frame: &Frame<'a, '_>, id: FnId) -> bool {
        let other = self.program.file(id);
        if other.language != frame.file.language {
            return false;
        }
        match other.language {
            Language::Go => {
                other.package == frame.file.package
                    || frame
                        .file
                        .imports
                        .iter()
                        .any(|import| import.target == other.package)
            }
            // What a module does not bring in by name, others bring in for it.
            Language::Python => {
                let root = |name: &'a str| name.split('.').next();
                root(&other.package) == root(&frame.file.package)
            }
            Language::Rust => {
                let root = |name: &'a str| name.split(separator(Language::Rust)).next();
                root(&other.package) == root(&frame.file.package)
            }
        }
    }
}
