//! The whole tree as one program: which functions and types there are, and what a name means.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, RwLock};

use crate::model::map::FunctionSpan;
use crate::model::source::{
    FileRole, Function, Import, Language, SourceFile, SourceTree, TypeDecl, TypeKind, TypeRef,
    ValueDecl,
};

pub(super) use super::ids::title;

/// Re-exports and aliases are followed this far; a ring of them ends.
const MAX_ALIASES: usize = 8;

/// A function of the program, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FnId(u32);

/// An index over a source tree.
#[derive(Debug)]
pub(super) struct Program<'a> {
    /// The files.
    pub(super) files: Vec<&'a SourceFile>,
    functions: Vec<(usize, &'a Function)>,
    /// Functions by qualified name.
    pub(super) by_name: HashMap<String, Vec<FnId>>,
    /// Methods by qualified type, then name.
    pub(super) methods: HashMap<String, BTreeMap<&'a str, Vec<FnId>>>,
    /// Methods by name alone.
    by_method: HashMap<&'a str, Vec<FnId>>,
    /// Types by qualified name.
    types: HashMap<String, (usize, &'a TypeDecl)>,
    /// Constants and variables by qualified name.
    values: HashMap<String, (usize, &'a ValueDecl)>,
    /// Imports of each module, for languages in which they can be named from outside.
    exports: HashMap<&'a str, Vec<&'a Import>>,
    /// Classes that are made of a class, by its qualified name.
    pub(super) subclasses: HashMap<String, Vec<String>>,
    has_python: bool,
    /// Classes by their last name.
    pub(super) by_last_name: HashMap<&'a str, Vec<String>>,
    /// Types that say that they implement a trait, by qualified trait.
    pub(super) declared: HashMap<String, BTreeSet<String>>,
    /// Types that implement an interface, as far as they were asked for.
    pub(super) implementors: RwLock<HashMap<String, Arc<[String]>>>,
}

impl FnId {
    /// Its place in lists over all functions.
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

impl<'a> Program<'a> {
    /// Indexes everything but tests.
    pub(super) fn new(tree: &'a SourceTree) -> Self {
        let files: Vec<&SourceFile> = tree
            .files
            .iter()
            .filter(|file| file.role != FileRole::Test)
            .collect();
        let mut program = Self {
            files,
            functions: Vec::new(),
            by_name: HashMap::new(),
            methods: HashMap::new(),
            by_method: HashMap::new(),
            types: HashMap::new(),
            values: HashMap::new(),
            exports: HashMap::new(),
            subclasses: HashMap::new(),
            has_python: false,
            by_last_name: HashMap::new(),
            declared: HashMap::new(),
            implementors: RwLock::default(),
        };
        for (at, file) in program.files.clone().into_iter().enumerate() {
            program.add_names(at, file);
        }
        for (at, file) in program.files.clone().into_iter().enumerate() {
            for function in file.functions.iter().filter(|function| !function.test) {
                program.add_function(at, function);
            }
        }
        program.add_subclasses();
        program
    }

    fn add_names(&mut self, at: usize, file: &'a SourceFile) {
        self.has_python |= file.language == Language::Python;
        for decl in &file.types {
            let name = qualified(file, &decl.name);
            self.types.entry(name).or_insert((at, decl));
        }
        for value in &file.values {
            let name = qualified(file, &value.name);
            self.values.entry(name).or_insert((at, value));
        }
        if file.language != Language::Go {
            let exports = self.exports.entry(&file.package).or_default();
            exports.extend(&file.imports);
        }
    }

    fn add_function(&mut self, at: usize, function: &'a Function) {
        let id = FnId(self.functions.len() as u32);
        self.functions.push((at, function));
        let file = self.files[at];
        let Some(owner) = &function.owner else {
            let name = qualified(file, &function.name);
            self.by_name.entry(name).or_default().push(id);
            return;
        };
        let owner = self.named(file, owner);
        if let Some(of_trait) = &function.of_trait {
            let of_trait = self.named(file, &of_trait.name);
            self.declared
                .entry(of_trait)
                .or_default()
                .insert(owner.clone());
        }
        let name = format!("{owner}{}{}", separator(file.language), function.name);
        self.by_name.entry(name).or_default().push(id);
        self.methods
            .entry(owner)
            .or_default()
            .entry(&function.name)
            .or_default()
            .push(id);
        self.by_method.entry(&function.name).or_default().push(id);
    }

    /// True if some of it is Python.
    pub(super) fn has_python(&self) -> bool {
        self.has_python
    }

    /// All functions, in the order of files.
    pub(super) fn functions(&self) -> impl Iterator<Item = FnId> + use<> {
        (0..self.functions.len() as u32).map(FnId)
    }

    /// Where all of them stand.
    pub(super) fn spans(&self) -> Vec<FunctionSpan> {
        let mut spans: Vec<FunctionSpan> = self
            .functions()
            .map(|id| {
                let function = self.function(id);
                FunctionSpan {
                    file: Arc::clone(&self.file(id).path),
                    at: function.at,
                    end: function.end,
                    title: title(function),
                }
            })
            .collect();
        spans.sort();
        spans
    }

    /// The function of a number.
    pub(super) fn function(&self, id: FnId) -> &'a Function {
        self.functions[id.0 as usize].1
    }

    /// The file in which a function stands.
    pub(super) fn file(&self, id: FnId) -> &'a SourceFile {
        self.files[self.functions[id.0 as usize].0]
    }

    /// Functions of a qualified name.
    pub(super) fn functions_named(&self, name: &str) -> &[FnId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Methods of a name, whatever their type.
    pub(super) fn methods_named(&self, name: &str) -> &[FnId] {
        self.by_method.get(name).map_or(&[], Vec::as_slice)
    }

    /// A type of a qualified name, with its file.
    pub(super) fn type_named(&self, name: &str) -> Option<(&'a SourceFile, &'a TypeDecl)> {
        let (file, decl) = self.types.get(name)?;
        Some((self.files[*file], decl))
    }

    /// Constants and variables of packages, with their files.
    pub(super) fn values(&self) -> impl Iterator<Item = (&'a SourceFile, &'a ValueDecl)> {
        let values = self.values.values();
        values.map(|(file, value)| (self.files[*file], *value))
    }

    /// A constant or variable of a package, by qualified name, with its file.
    pub(super) fn value_named(&self, name: &str) -> Option<(&'a SourceFile, &'a ValueDecl)> {
        let (file, value) = self.values.get(name)?;
        Some((self.files[*file], value))
    }

    /// The qualified names of all values of packages and classes, in no order.
    pub(super) fn value_names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// The qualified name of what a name or path means in a file. A name that nothing of the tree
    /// declares comes back as far as imports qualify it.
    pub(super) fn named(&self, file: &SourceFile, name: &str) -> String {
        match file.language {
            Language::Go => self.aliased(self.named_in_go(file, name)),
            Language::Python => self.aliased(self.named_in_python(file, name)),
            Language::Rust => self.aliased(self.named_in_rust(file, name)),
        }
    }

    fn named_in_python(&self, file: &SourceFile, name: &str) -> String {
        let head = name.split('.').next().unwrap_or(name);
        let rest = name.get(head.len()..).unwrap_or_default();
        let mut imports = file.imports.iter().filter(|import| &*import.name == head);
        if let Some(import) = imports.next() {
            return format!("{}{rest}", import.target);
        }
        let own = qualified(file, head);
        if self.is_declared(&own) {
            return format!("{own}{rest}");
        }
        let globs = file.imports.iter().filter(|import| &*import.name == "*");
        for import in globs {
            let brought = self.aliased(format!("{}.{head}", import.target));
            if self.is_declared(&brought) {
                return format!("{brought}{rest}");
            }
        }
        name.to_owned()
    }

    fn named_in_go(&self, file: &SourceFile, name: &str) -> String {
        if name.contains('.') {
            return name.to_owned();
        }
        let own = qualified(file, name);
        if self.is_declared(&own) {
            return own;
        }
        let dots = file.imports.iter().filter(|import| &*import.name == "*");
        let mut brought = dots.map(|import| format!("{}.{name}", import.target));
        brought
            .find(|name| self.is_declared(name))
            .unwrap_or_else(|| name.to_owned())
    }

    fn named_in_rust(&self, file: &SourceFile, name: &str) -> String {
        let (head, rest) = match name.split_once("::") {
            Some((head, rest)) => (head, Some(rest)),
            None => (name, None),
        };
        let joined = |head: &str| match rest {
            Some(rest) => format!("{head}::{rest}"),
            None => head.to_owned(),
        };
        let package = &*file.package;
        let root = package.split("::").next().unwrap_or(package);
        match head {
            "crate" => return joined(root),
            "self" if rest.is_some() => return joined(package),
            "super" => {
                let parent = package
                    .rsplit_once("::")
                    .map_or(package, |(parent, _)| parent);
                return joined(parent);
            }
            _ => {}
        }
        let mut imports = file.imports.iter().filter(|import| &*import.name == head);
        if let Some(import) = imports.next() {
            return joined(&import.target);
        }
        let own = qualified(file, head);
        if self.is_declared(&own) || self.has_module(&own) {
            return joined(&own);
        }
        let globs = file.imports.iter().filter(|import| &*import.name == "*");
        for import in globs {
            let brought = self.aliased(format!("{}::{head}", import.target));
            if self.is_declared(&brought) {
                return joined(&brought);
            }
        }
        name.to_owned()
    }

    fn has_module(&self, name: &str) -> bool {
        self.exports.contains_key(name)
    }

    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.types.contains_key(name)
            || self.by_name.contains_key(name)
            || self.values.contains_key(name)
    }

    /// Follows re-exports and other names for the same type.
    pub(super) fn aliased(&self, mut name: String) -> String {
        for _ in 0..MAX_ALIASES {
            if let Some((file, decl)) = self.types.get(&name) {
                if decl.kind != TypeKind::Alias || !is_other_name(decl) {
                    return name;
                }
                let file = self.files[*file];
                let next = match file.language {
                    Language::Go => self.named_in_go(file, &decl.of[0].name),
                    Language::Python => self.named_in_python(file, &decl.of[0].name),
                    Language::Rust => self.named_in_rust(file, &decl.of[0].name),
                };
                if next == name {
                    return name;
                }
                name = next;
                continue;
            }
            match self.re_exported(&name) {
                Some(next) if next != name => name = next,
                _ => return name,
            }
        }
        name
    }

    /// What a path of modules leads to where its last module only brings the name in.
    fn re_exported(&self, name: &str) -> Option<String> {
        if self.is_declared(name) {
            return None;
        }
        let sep = match name.contains("::") {
            true => "::",
            false if self.has_python => ".",
            false => return None,
        };
        // The longest module of the path, and the name behind it.
        let mut cut = name.rfind(sep)?;
        loop {
            let (module, rest) = (&name[..cut], &name[cut + sep.len()..]);
            if let Some(imports) = self.exports.get(module) {
                let (head, tail) = rest
                    .split_once(sep)
                    .map_or((rest, None), |(head, tail)| (head, Some(tail)));
                let import = imports.iter().find(|import| &*import.name == head);
                if let Some(import) = import {
                    return Some(match tail {
                        Some(tail) => format!("{}{sep}{tail}", import.target),
                        None => import.target.to_string(),
                    });
                }
                let globs = imports.iter().filter(|import| &*import.name == "*");
                return globs
                    .map(|import| format!("{}{sep}{rest}", import.target))
                    .find(|brought| self.is_declared(brought));
            }
            cut = name[..cut].rfind(sep)?;
        }
    }

    /// The qualified name of a type as a file writes it.
    pub(super) fn type_name(&self, file: &SourceFile, of: &TypeRef) -> String {
        self.named(file, &of.name)
    }
}

/// The qualified name of something that a file declares.
pub(super) fn qualified(file: &SourceFile, name: &str) -> String {
    format!("{}{}{name}", file.package, separator(file.language))
}

/// What stands between a package and a name in it.
pub(super) fn separator(language: Language) -> &'static str {
    match language {
        Language::Go | Language::Python => ".",
        Language::Rust => "::",
    }
}

/// True of an alias of a named type, whose methods are those of that type; a Go type made of
/// another (`type Status string`) has a name of its own and no named type behind it.
fn is_other_name(decl: &TypeDecl) -> bool {
    decl.of.len() == 1
        && decl.fields.is_empty()
        && decl.of[0].args.is_empty()
        && (decl.of[0].name.contains('.')
            || decl.of[0].name.contains("::")
            || decl.of[0]
                .name
                .chars()
                .next()
                .is_some_and(char::is_uppercase))
}
