//! Python, read with tree-sitter.
//!
//! What has no counterpart in the neutral tree is said with what it has. What a module runs when it
//! is loaded is a function called `<module>`, and so are statements in the body of a class. A
//! decorator is a call that says what it decorates; a base class is one too, of `__init_subclass__`.
//! A function inside another is a closure with a name. A comprehension is a loop as a value. `raise`
//! is a call of that name. `super()` is the receiver, taken as one of the base classes. A format text
//! is its parts, joined.

mod calls;
mod classes;
mod expressions;
mod formats;
mod functions;
mod imports;
mod literals;
mod matches;
pub(super) mod modules;
mod names;
pub(super) mod roles;
mod simple;
mod statements;
mod types;

use std::collections::HashMap;
use std::sync::Arc;

use tree_sitter::Node;

use super::syntax::{About, Reading, parse};
use crate::model::place::Pos;
use crate::model::source::{
    Block, FileRole, Function, Import, Language, SourceFile, Stmt, TypeDecl, TypeRef, ValueDecl,
};
use crate::model::text::TextFile;

/// The name of the function that a module is.
const MODULE: &str = "<module>";

/// Reads a file; none if the parser gave up on it.
pub(super) fn read(file: &TextFile, about: About<'_>) -> Option<SourceFile> {
    let language = tree_sitter_python::LANGUAGE.into();
    let tree = parse(&language, file.text())?;
    let root = tree.root_node();
    let mut lower = Lower {
        read: Reading::new(file),
        about: &about,
        path: &file.path,
        imports: Vec::new(),
        types: Vec::new(),
        functions: Vec::new(),
        values: Vec::new(),
        classes: Vec::new(),
        within: Vec::new(),
    };
    let stmts = lower.statements(root);
    lower.module(root, stmts);
    for function in &mut lower.functions {
        function.test = about.role == FileRole::Test;
    }
    let mut out = SourceFile {
        path: Arc::clone(&file.path),
        language: Language::Python,
        role: about.role,
        package: Arc::clone(&about.package),
        imports: lower.imports,
        types: lower.types,
        functions: lower.functions,
        values: lower.values,
        unparsed: Vec::new(),
    };
    lower.read.finish(root, &mut out);
    Some(out)
}

/// A file on its way into the neutral tree.
struct Lower<'t, 'a> {
    read: Reading<'t>,
    about: &'a About<'a>,
    path: &'a str,
    imports: Vec<Import>,
    types: Vec<TypeDecl>,
    functions: Vec<Function>,
    values: Vec<ValueDecl>,
    /// Classes around, innermost last.
    classes: Vec<Class>,
    /// Functions around, innermost last.
    within: Vec<Names>,
}

/// A class while it is read.
struct Class {
    /// Name, with the classes around it.
    name: Arc<str>,
    /// Its base classes.
    bases: Vec<TypeRef>,
    /// Its place in the list of types.
    decl: usize,
    /// How many functions are around it.
    depth: usize,
}

/// What is known of the names of a function while it is read.
#[derive(Default)]
struct Names {
    /// How often each name is assigned to; those assigned to more than once are declared on top.
    assigned: HashMap<String, usize>,
    /// The receiver of a method.
    receiver: Option<Arc<str>>,
    /// True if `yield` gives a value to whoever enters it as a context.
    gives: bool,
}

impl Lower<'_, '_> {
    /// The class in whose body we are; none inside its methods.
    fn class(&self) -> Option<&Class> {
        let class = self.classes.last()?;
        (class.depth == self.within.len()).then_some(class)
    }

    /// Adds what the module runs when it is loaded.
    fn module(&mut self, root: Node<'_>, stmts: Vec<Stmt>) {
        if stmts.is_empty() {
            return;
        }
        self.functions.push(Function {
            name: MODULE.into(),
            owner: None,
            of_trait: None,
            receiver: None,
            generics: Vec::new(),
            params: Vec::new(),
            returns: Vec::new(),
            body: Block { stmts },
            attributes: Vec::new(),
            test: false,
            at: Pos { line: 1, column: 1 },
            end: self.read.end(root),
        });
    }
}
