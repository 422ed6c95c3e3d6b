//! Items of Rust: modules, functions, implementations, traits, types, constants.

use std::mem;
use std::sync::Arc;

use tree_sitter::Node;

use super::Lower;
use super::paths::below;
use crate::input::source::syntax::{children, plain};
use crate::model::source::{
    Block, Field, Function, Signature, TypeDecl, TypeKind, TypeRef, ValueDecl,
};

impl Lower<'_> {
    /// Items one after the other. What a module brings in holds for all of it, so that is read first.
    pub(super) fn items(&mut self, nodes: Vec<Node<'_>>) {
        for node in &nodes {
            let name = node.child_by_field_name("name");
            if let ("mod_item", Some(name)) = (node.kind(), name) {
                let name = self.read.name(name);
                self.module.children.insert(name);
            }
        }
        for node in nodes.iter().filter(|node| node.kind() == "use_declaration") {
            self.use_declaration(*node);
        }
        let mut attributes = Vec::new();
        for node in nodes {
            match node.kind() {
                "attribute_item" => attributes.push(self.attribute(node)),
                "use_declaration" => attributes.clear(),
                _ => {
                    if !self.item(node, mem::take(&mut attributes)) {
                        self.not_an_item(node);
                    }
                }
            }
        }
    }

    /// A broken part may hold whole items, and a macro may make some.
    fn not_an_item(&mut self, node: Node<'_>) {
        match node.kind() {
            "ERROR" => {
                if self.read.enter(node) {
                    self.items(children(node));
                    self.read.leave();
                }
            }
            "macro_invocation" => self.macro_of_items(node),
            "expression_statement" => match children(node).first() {
                Some(inner) if inner.kind() == "macro_invocation" => self.macro_of_items(*inner),
                _ => self.read.not_read(node),
            },
            // Between the brackets of a macro anything may stand.
            _ if self.in_macros > 0 => {}
            "inner_attribute_item"
            | "empty_statement"
            | "macro_definition"
            | "shebang"
            | "extern_crate_declaration"
            | "foreign_mod_item" => {}
            _ => self.read.not_read(node),
        }
    }

    /// `derive(Debug)` of `#[derive(Debug)]`.
    pub(super) fn attribute(&mut self, node: Node<'_>) -> Arc<str> {
        match children(node).first() {
            Some(inner) => self.read.name(*inner),
            None => "".into(),
        }
    }

    /// Reads an item; false if the node is none.
    pub(super) fn item(&mut self, node: Node<'_>, attributes: Vec<Arc<str>>) -> bool {
        let part = |field| node.child_by_field_name(field);
        match node.kind() {
            "mod_item" => {
                if let (Some(name), Some(body)) = (part("name"), part("body")) {
                    let test = attributes.iter().any(|text| is_for_tests(text));
                    let name = self.read.name(name);
                    self.inline_module(&name, body, test);
                }
            }
            "function_item" | "function_signature_item" => self.function(node, attributes, None),
            "impl_item" => self.implementation(node),
            "trait_item" => self.trait_item(node),
            "struct_item" | "union_item" => {
                let fields = part("body").map(|body| self.fields(body, ""));
                self.declare(node, TypeKind::Struct, |decl| {
                    decl.fields = fields.unwrap_or_default();
                });
            }
            "enum_item" => self.enumeration(node),
            "type_item" | "associated_type" => {
                let of = part("type").map(|of| self.type_ref(of));
                self.declare(node, TypeKind::Alias, |decl| decl.of.extend(of));
            }
            "const_item" | "static_item" => {
                let Some(name) = part("name") else {
                    return true;
                };
                let mut cursor = node.walk();
                let mut words = node.children(&mut cursor);
                let changes = words.any(|word| word.kind() == "mutable_specifier");
                let value = ValueDecl {
                    name: self.member(name),
                    constant: !changes,
                    of: part("type").map(|of| self.type_ref(of)),
                    value: part("value").map(|value| self.expr(value)),
                    at: self.read.at(name),
                };
                self.module.file.values.push(value);
            }
            "use_declaration" => self.use_declaration(node),
            _ => return false,
        }
        true
    }

    /// A name, behind that of the type whose `impl` it stands in.
    fn member(&mut self, name: Node<'_>) -> Arc<str> {
        match &self.owner {
            Some(owner) => below(owner, self.read.text(name)).into(),
            None => self.read.name(name),
        }
    }

    fn declare(&mut self, node: Node<'_>, kind: TypeKind, fill: impl FnOnce(&mut TypeDecl)) {
        let Some(name) = node.child_by_field_name("name") else {
            return;
        };
        let mut decl = TypeDecl {
            name: self.member(name),
            kind,
            fields: Vec::new(),
            methods: Vec::new(),
            variants: Vec::new(),
            of: Vec::new(),
            at: self.read.at(name),
        };
        fill(&mut decl);
        self.module.file.types.push(decl);
    }

    /// Fields by name or position; `before` is `Variant.` for those of a variant.
    fn fields(&mut self, body: Node<'_>, before: &str) -> Vec<Field> {
        let mut out: Vec<Field> = Vec::new();
        let ordered = body.kind() == "ordered_field_declaration_list";
        for node in children(body) {
            let named = node.kind() == "field_declaration";
            let (name, of) = match node.kind() {
                "attribute_item" | "visibility_modifier" => continue,
                _ if named => {
                    let part = |field| node.child_by_field_name(field);
                    let (Some(name), Some(of)) = (part("name"), part("type")) else {
                        continue;
                    };
                    (self.read.text(name).to_owned(), of)
                }
                _ if ordered => (out.len().to_string(), node),
                _ => continue,
            };
            out.push(Field {
                name: format!("{before}{name}").into(),
                of: self.type_ref(of),
                embedded: false,
            });
        }
        out
    }

    fn enumeration(&mut self, node: Node<'_>) {
        let mut fields = Vec::new();
        let mut variants = Vec::new();
        let body = node.child_by_field_name("body");
        for variant in body.map(children).unwrap_or_default() {
            let Some(name) = variant.child_by_field_name("name") else {
                continue;
            };
            let name = self.read.name(name);
            if let Some(body) = variant.child_by_field_name("body") {
                fields.extend(self.fields(body, &format!("{name}.")));
            }
            variants.push(name);
        }
        self.declare(node, TypeKind::Enum, |decl| {
            decl.fields = fields;
            decl.variants = variants;
        });
    }

    fn trait_item(&mut self, node: Node<'_>) {
        let part = |field| node.child_by_field_name(field);
        let Some(name) = part("name") else {
            return;
        };
        let of = self.bounds(part("bounds"));
        let body = part("body").map(children).unwrap_or_default();
        let mut methods = Vec::new();
        for method in &body {
            if method.kind().starts_with("function") {
                methods.extend(self.signature(*method));
            }
        }
        self.declare(node, TypeKind::Interface, |decl| {
            decl.of = of;
            decl.methods = methods;
        });
        let owner = self.read.name(name);
        let with_body = |node: &Node<'_>| node.kind() != "function_signature_item";
        let body = body.into_iter().filter(with_body).collect();
        self.members(node, owner, None, body);
    }

    fn implementation(&mut self, node: Node<'_>) {
        let part = |field| node.child_by_field_name(field);
        let Some(of) = part("type") else {
            return;
        };
        let owner = self.type_ref(of).name;
        let of_trait = part("trait").map(|of| self.type_ref(of));
        let body = part("body").map(children).unwrap_or_default();
        self.members(node, owner, of_trait, body);
    }

    /// What stands in an `impl` or a trait.
    fn members(
        &mut self,
        node: Node<'_>,
        owner: Arc<str>,
        of_trait: Option<TypeRef>,
        body: Vec<Node<'_>>,
    ) {
        let around = self.owner.replace(owner);
        let generics = self.generics(node);
        let mut attributes = Vec::new();
        for member in body {
            let first = self.module.file.functions.len();
            match member.kind() {
                "attribute_item" => attributes.push(self.attribute(member)),
                "function_item" | "function_signature_item" => {
                    let attributes = mem::take(&mut attributes);
                    self.function(member, attributes, of_trait.clone());
                    // Functions inside it come before it.
                    let made = self.module.file.functions.get_mut(first..);
                    if let Some(method) = made.and_then(<[Function]>::last_mut) {
                        let own = mem::take(&mut method.generics);
                        method.generics = generics.iter().cloned().chain(own).collect();
                    }
                }
                _ => {
                    let attributes = mem::take(&mut attributes);
                    if !self.item(member, attributes) {
                        self.not_an_item(member);
                    }
                }
            }
        }
        self.owner = around;
    }

    fn signature(&mut self, node: Node<'_>) -> Option<Signature> {
        let part = |field| node.child_by_field_name(field);
        let name = part("name")?;
        let params = self.params(part("parameters"));
        Some(Signature {
            name: self.read.name(name),
            params: params.into_iter().map(|param| param.of).collect(),
            returns: part("return_type")
                .map(|of| self.type_ref(of))
                .into_iter()
                .collect(),
        })
    }

    /// A function, or a method of the `impl` around.
    fn function(&mut self, node: Node<'_>, attributes: Vec<Arc<str>>, of_trait: Option<TypeRef>) {
        let part = |field| node.child_by_field_name(field);
        let Some(name) = part("name") else {
            return;
        };
        let tests = attributes
            .iter()
            .any(|text| is_test(text) || is_for_tests(text));
        let test = self.test || tests;
        let mut function = Function {
            name: self.read.name(name),
            owner: self.owner.clone(),
            of_trait,
            receiver: self.receiver(part("parameters")),
            generics: self.generics(node),
            params: self.params(part("parameters")),
            returns: part("return_type")
                .map(|of| self.type_ref(of))
                .into_iter()
                .collect(),
            body: Block::default(),
            attributes,
            test,
            at: self.read.at(name),
            end: self.read.end(node),
        };
        if let Some(body) = part("body") {
            let was_test = mem::replace(&mut self.test, test);
            function.body = self.block(body);
            self.test = was_test;
        }
        if function.returns == [plain("tuple")] {
            function.returns.clear();
        }
        self.module.file.functions.push(function);
    }

    fn receiver(&mut self, list: Option<Node<'_>>) -> Option<Arc<str>> {
        let first = children(list?).into_iter();
        let first = first
            .into_iter()
            .find(|node| node.kind() != "attribute_item")?;
        let pattern = first.child_by_field_name("pattern");
        let by_type = pattern.is_some_and(|pattern| pattern.kind() == "self");
        (first.kind() == "self_parameter" || by_type).then(|| "self".into())
    }
}

/// True of `test`, `tokio::test(…)`.
fn is_test(attribute: &str) -> bool {
    let name = attribute
        .split(['(', '='])
        .next()
        .unwrap_or_default()
        .trim();
    name.rsplit("::").next() == Some("test")
}

/// True of `cfg(test)` and of `cfg(any(test, …))`, not of `cfg(not(test))`.
fn is_for_tests(attribute: &str) -> bool {
    let text: String = attribute.split_whitespace().collect();
    let inner = text.strip_prefix("cfg(").unwrap_or_default();
    let mut words = inner.split([',', '(', ')']);
    words.any(|word| word == "test") && !inner.contains("not(test")
}
