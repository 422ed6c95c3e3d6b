//! Go, read with tree-sitter.
//!
//! What has no counterpart in the neutral tree is said with what it has: a send `ch <- v` is a call
//! of the method `<-` with the value, a receive `<-ch` one without; named results are variables
//! that the body begins with, and a bare `return` returns them; a struct or interface without a
//! name is declared as `struct@line:column`; a `case` that only falls through lends its patterns to
//! the next one.

mod calls;
mod expressions;
mod literals;
pub(super) mod names;
mod new_values;
mod simple;
mod statements;
mod types;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tree_sitter::Node;

use super::syntax::{About, Reading, children, fields, parse, plain};
use crate::model::place::Pos;
use crate::model::source::{
    Block, FileRole, Function, Import, Language, SourceFile, Stmt, StmtKind, TypeDecl, ValueDecl,
};
use crate::model::text::TextFile;

/// Reads a file; none if the parser gave up on it.
pub(super) fn read(file: &TextFile, about: About<'_>) -> Option<SourceFile> {
    let language = tree_sitter_go::LANGUAGE.into();
    let mut tree = parse(&language, file.text())?;
    if tree.root_node().has_error()
        && let Some(masked) = new_values::masked(file.text())
    {
        tree = parse(&language, &masked)?;
    }
    let root = tree.root_node();
    let mut lower = Lower::new(file);
    lower.imports(root, file, &about);
    lower.own_types = lower.type_names(root);
    for node in children(root) {
        lower.top_level(node);
    }
    for function in &mut lower.functions {
        function.test = about.role == FileRole::Test;
    }
    let mut out = SourceFile {
        path: Arc::clone(&file.path),
        language: Language::Go,
        role: about.role,
        package: about.package,
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
struct Lower<'t> {
    read: Reading<'t>,
    imports: Vec<Import>,
    /// Position in `imports`, by name.
    by_name: HashMap<Arc<str>, usize>,
    /// Names of types of the package's scope that this file declares.
    own_types: HashSet<&'t str>,
    /// Type parameters of the function around.
    type_params: Vec<Arc<str>>,
    types: Vec<TypeDecl>,
    functions: Vec<Function>,
    values: Vec<ValueDecl>,
    /// Names of the results of the functions around, innermost last; empty where they have none.
    results: Vec<Vec<Arc<str>>>,
}

impl<'t> Lower<'t> {
    fn new(file: &'t TextFile) -> Self {
        Self {
            read: Reading::new(file),
            imports: Vec::new(),
            by_name: HashMap::new(),
            own_types: HashSet::new(),
            type_params: Vec::new(),
            types: Vec::new(),
            functions: Vec::new(),
            values: Vec::new(),
            results: Vec::new(),
        }
    }

    fn imports(&mut self, root: Node<'t>, file: &TextFile, about: &About<'_>) {
        let declarations = children(root).into_iter();
        let declarations = declarations.filter(|node| node.kind() == "import_declaration");
        let specs = declarations.flat_map(children).flat_map(|node| {
            if node.kind() == "import_spec_list" {
                children(node)
            } else {
                vec![node]
            }
        });
        for spec in specs {
            let Some(path) = spec.child_by_field_name("path") else {
                continue;
            };
            let target = names::renamed(&literals::decode(self.read.text(path)), &about.renamed);
            let name: Arc<str> = match spec.child_by_field_name("name") {
                Some(name) if name.kind() == "dot" => "*".into(),
                Some(name) => self.read.name(name),
                None => match about.named.get(&target) {
                    Some(name) => Arc::clone(name),
                    None => names::import_name(&target, file.text()).into(),
                },
            };
            let at = self.read.at(spec);
            self.by_name.insert(Arc::clone(&name), self.imports.len());
            self.imports.push(Import { name, target, at });
        }
    }

    /// What an import of the file stands for.
    fn imported(&self, name: &str) -> Option<Arc<str>> {
        let at = self.by_name.get(name)?;
        Some(Arc::clone(&self.imports.get(*at)?.target))
    }

    fn type_names(&self, root: Node<'t>) -> HashSet<&'t str> {
        let all = children(root).into_iter();
        all.filter(|node| node.kind() == "type_declaration")
            .flat_map(children)
            .filter_map(|spec| spec.child_by_field_name("name"))
            .map(|name| self.read.text(name))
            .collect()
    }

    fn top_level(&mut self, node: Node<'t>) {
        match node.kind() {
            "function_declaration" | "method_declaration" => self.function(node),
            "type_declaration" => self.type_declaration(node),
            "const_declaration" | "var_declaration" => self.package_values(node),
            "package_clause" | "import_declaration" | "empty_statement" => {}
            // A broken part may hold whole declarations.
            "ERROR" => {
                if self.read.enter(node) {
                    for inner in children(node) {
                        self.top_level(inner);
                    }
                    self.read.leave();
                }
            }
            _ => self.read.not_read(node),
        }
    }

    fn function(&mut self, node: Node<'t>) {
        let part = |field| node.child_by_field_name(field);
        let Some(name) = part("name") else {
            return;
        };
        let mut generics = self.type_params(part("type_parameters"));
        let mut owner = None;
        let mut receiver = None;
        if let Some(list) = part("receiver").and_then(|list| list.named_child(0)) {
            let of = list.child_by_field_name("type");
            let of = of.map(|of| self.type_ref(of));
            if let Some(of) = of {
                let params = of.args.into_iter().map(|param| (param.name, Vec::new()));
                generics.extend(params);
                owner = Some(of.name);
            }
            receiver = fields(list, "name")
                .first()
                .map(|name| self.read.name(*name));
        }
        let called = self.read.name(name);
        let at = self.read.at(name);
        let params = self.params(part("parameters"));
        let returns = self.result_types(node);
        self.type_params = generics.iter().map(|(name, _)| Arc::clone(name)).collect();
        let body = self.body(node);
        self.type_params.clear();
        self.functions.push(Function {
            name: called,
            owner,
            of_trait: None,
            receiver,
            generics,
            params,
            returns,
            body,
            attributes: Vec::new(),
            test: false,
            at,
            end: self.read.end(node),
        });
    }

    /// The body of a function or literal; it begins with its named results.
    fn body(&mut self, node: Node<'t>) -> Block {
        let mut stmts = Vec::new();
        let mut names = Vec::new();
        let result = node.child_by_field_name("result");
        if let Some(list) = result.filter(|list| list.kind() == "parameter_list") {
            for param in children(list) {
                let of = param.child_by_field_name("type");
                let of = of.map_or_else(|| plain("?"), |of| self.type_ref(of));
                for name in fields(param, "name") {
                    names.push(self.read.name(name));
                    let kind = StmtKind::Let {
                        patterns: vec![self.binding(name)],
                        of: Some(of.clone()),
                        values: Vec::new(),
                        otherwise: Block::default(),
                    };
                    let at = self.read.at(name);
                    stmts.push(Stmt { at, kind });
                }
            }
        }
        self.results.push(names);
        if let Some(body) = node.child_by_field_name("body") {
            stmts.extend(self.block(body).stmts);
        }
        self.results.pop();
        Block { stmts }
    }

    fn package_values(&mut self, node: Node<'t>) {
        let constant = node.kind() == "const_declaration";
        for spec in self.value_specs(node) {
            let mut values = spec.values.into_iter();
            for (name, at) in spec.names {
                self.values.push(ValueDecl {
                    name,
                    constant,
                    of: spec.of.clone(),
                    value: values.next(),
                    at,
                });
            }
        }
    }

    /// Where a node begins.
    fn at(&self, node: Node<'t>) -> Pos {
        self.read.at(node)
    }
}
