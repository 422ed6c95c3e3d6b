//! Rust, read with tree-sitter: a file that does not compile still gives its other parts, and no
//! nesting overflows a stack.
//!
//! An inline module is a file of its own with the same path and the package of the module; one for
//! tests has the role of a test. What has no counterpart in the neutral tree is said with what it
//! has: a tuple is a made `tuple`, an array a made `[]`; `if let` is a match of two arms, a chain of
//! them a match of a tuple; a closure or block whose last statement ends with `;` ends with an empty
//! tuple; arms of `select!` are a match without a value, each beginning with what it waits for; a
//! constant or type of an `impl` is called `Owner::NAME`.

pub(super) mod crates;
mod expressions;
mod items;
mod literals;
mod macros;
mod paths;
mod patterns;
mod select;
mod statements;
mod stretch;
mod types;

use std::collections::{HashMap, HashSet};
use std::mem;
use std::sync::Arc;

use tree_sitter::{Node, Parser};

use super::syntax::{About, Reading, children, parse};
use crate::model::source::{FileRole, Language, SourceFile};
use crate::model::text::TextFile;

/// Reads a file: its own module first, then those inside it. None if the parser gave up on it.
pub(super) fn read(file: &TextFile, about: About<'_>) -> Option<Vec<SourceFile>> {
    let language = tree_sitter_rust::LANGUAGE.into();
    let mut tree = parse(&language, file.text())?;
    if tree.root_node().has_error()
        && let Some(masked) = masked(file.text())
    {
        tree = parse(&language, &masked)?;
    }
    let root = tree.root_node();
    let mut parser = Parser::new();
    parser.set_language(&language).ok()?;
    let mut lower = Lower {
        read: Reading::new(file),
        parser,
        in_macros: 0,
        module: Module::new(&file.path, about.role, about.package),
        inner: Vec::new(),
        owner: None,
        test: about.role == FileRole::Test,
    };
    lower.items(children(root));
    let mut out = vec![lower.module.file];
    out.append(&mut lower.inner);
    if let Some(first) = out.first_mut() {
        lower.read.finish(root, first);
    }
    Some(out)
}

/// The grammar takes `str` of `str!(…)` for a type, which no macro may be called. The text with
/// another name of the same length for such macros; none if it has none.
fn masked(text: &str) -> Option<String> {
    let mut out = text.to_owned();
    for (name, other) in [("str!", "stR!"), ("char!", "chaR!"), ("bool!", "booL!")] {
        for (at, _) in text.match_indices(name) {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text
                .get(at + name.len()..)
                .and_then(|after| after.chars().next());
            let is_part = before.is_some_and(|c| c == '_' || c.is_alphanumeric());
            if !is_part && matches!(after, Some('(' | '[' | '{')) {
                out.replace_range(at..at + name.len(), other);
            }
        }
    }
    (out != text).then_some(out)
}

/// A file on its way into the neutral tree.
struct Lower<'t> {
    read: Reading<'t>,
    /// For what stands inside macros.
    parser: Parser,
    in_macros: usize,
    module: Module,
    /// Modules inside, as far as they are read.
    inner: Vec<SourceFile>,
    /// The type whose `impl` or trait is read.
    owner: Option<Arc<str>>,
    /// True in a module or function that only tests have.
    test: bool,
}

/// A module while it is read.
struct Module {
    file: SourceFile,
    /// What the names stand for that it brings in.
    by_name: HashMap<Arc<str>, Arc<str>>,
    /// Modules that it declares.
    children: HashSet<Arc<str>>,
}

impl Module {
    fn new(path: &Arc<str>, role: FileRole, package: Arc<str>) -> Self {
        Self {
            file: SourceFile {
                path: Arc::clone(path),
                language: Language::Rust,
                role,
                package,
                imports: Vec::new(),
                types: Vec::new(),
                functions: Vec::new(),
                values: Vec::new(),
                unparsed: Vec::new(),
            },
            by_name: HashMap::new(),
            children: HashSet::new(),
        }
    }
}

impl Lower<'_> {
    /// `mod name { … }`.
    fn inline_module(&mut self, name: &str, body: Node<'_>, test: bool) {
        if !self.read.enter(body) {
            return;
        }
        let role = match test {
            true => FileRole::Test,
            false => self.module.file.role,
        };
        let package = paths::below(&self.module.file.package, name);
        let module = Module::new(&self.module.file.path, role, package.into());
        let around = mem::replace(&mut self.module, module);
        let owner = self.owner.take();
        let was_test = self.test;
        self.test |= test;
        // Those inside it follow it.
        let before = mem::take(&mut self.inner);
        self.items(children(body));
        let within = mem::replace(&mut self.inner, before);
        let module = mem::replace(&mut self.module, around);
        self.inner.push(module.file);
        self.inner.extend(within);
        self.owner = owner;
        self.test = was_test;
        self.read.leave();
    }
}
