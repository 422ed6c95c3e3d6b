//! Macro calls of Rust. What stands between their brackets is read as the arguments of a call, as a
//! list or as a block where it parses as one, else piece by piece, and at the least for the calls
//! and texts in it, so that no call is lost.

use std::sync::Arc;

use tree_sitter::{Node, Range};

use super::Lower;
use super::stretch::Stretch;
use crate::input::source::syntax::{block_of, children, other, plain};
use crate::model::place::Pos;
use crate::model::source::{Call, Expr, ExprKind, MadeField, Stmt, ValueDecl};

/// Arguments, and the names of those that have one.
type Arguments = (Vec<Expr>, Vec<(usize, Arc<str>)>);

impl Lower<'_> {
    /// `name!(…)`.
    pub(super) fn macro_call(&mut self, node: Node<'_>) -> Expr {
        let at = self.read.at(node);
        let Some(name) = node.child_by_field_name("macro") else {
            return other(at, Vec::new());
        };
        let path = self.path_text(name);
        let list = children(node)
            .into_iter()
            .rfind(|part| part.kind() == "token_tree");
        let (args, named) = match list {
            Some(list) => self.within(&path, list),
            None => (Vec::new(), Vec::new()),
        };
        let call = Call {
            callee: Expr {
                at,
                kind: ExprKind::Name(path.into()),
            },
            at: self.name_of(name),
            end: self.read.end(node),
            generics: Vec::new(),
            args,
            named,
            decorates: None,
            is_macro: true,
            tried: false,
        };
        let kind = ExprKind::Call(Box::new(call));
        Expr { at, kind }
    }

    fn within(&mut self, path: &str, list: Node<'_>) -> Arguments {
        self.in_macros += 1;
        let name = path.rsplit("::").next().unwrap_or(path);
        let out = if matches!(name, "select" | "select_biased") {
            let at = self.read.at(list);
            let kind = self.select(list);
            let kind = ExprKind::Block(Box::new(block_of(Stmt { at, kind })));
            (vec![Expr { at, kind }], Vec::new())
        } else {
            self.arguments(list)
        };
        self.in_macros -= 1;
        out
    }

    /// A macro among items: those inside it are items of the module, else it is a value that
    /// nobody names.
    pub(super) fn macro_of_items(&mut self, node: Node<'_>) {
        let list = children(node)
            .into_iter()
            .rfind(|part| part.kind() == "token_tree");
        let tree = list.and_then(|list| self.parsed(list.range()));
        let block = tree.as_ref().and_then(Stretch::only);
        if let Some(block) = block.filter(|block| block.kind() == "block") {
            let inner = children(block);
            if inner.iter().any(|part| part.kind().ends_with("_item")) {
                if self.read.enter(block) {
                    self.in_macros += 1;
                    self.items(inner);
                    self.in_macros -= 1;
                    self.read.leave();
                }
                return;
            }
        }
        let value = ValueDecl {
            name: "_".into(),
            constant: false,
            of: None,
            value: Some(self.expr(node)),
            at: self.read.at(node),
        };
        self.module.file.values.push(value);
    }

    /// What stands between brackets, as arguments.
    fn arguments(&mut self, list: Node<'_>) -> Arguments {
        let tree = self.parsed(list.range());
        let whole = tree.as_ref().and_then(Stretch::only);
        let Some(whole) = whole else {
            return self.pieces(list);
        };
        let mut args = Vec::new();
        let mut named = Vec::new();
        let inner = match whole.kind() {
            "tuple_expression" | "parenthesized_expression" | "array_expression" => children(whole),
            "unit_expression" => Vec::new(),
            _ => vec![whole],
        };
        for node in inner {
            let part = |field| node.child_by_field_name(field);
            match (node.kind(), part("left"), part("right")) {
                ("assignment_expression", Some(left), Some(right)) => {
                    named.push((args.len(), self.read.name(left)));
                    args.push(self.expr(right));
                }
                _ => args.push(self.expr(node)),
            }
        }
        (args, named)
    }

    /// The same, of what parses only in part.
    fn pieces(&mut self, list: Node<'_>) -> Arguments {
        let mut args = Vec::new();
        let mut named = Vec::new();
        for piece in split(&tokens(list), &[",", ";", "=>"]) {
            let (name, value) = self.named(piece);
            if let Some(name) = name {
                named.push((args.len(), name));
            }
            args.push(self.loose(value));
        }
        (args, named)
    }

    /// `name = value`, `name: value`, `"name": value`; what marks how a value is shown is dropped.
    fn named<'a, 'n>(&mut self, piece: &'a [Node<'n>]) -> (Option<Arc<str>>, &'a [Node<'n>]) {
        let (name, value) = match piece {
            [name, sign, value @ ..] if matches!(sign.kind(), "=" | ":") && !value.is_empty() => {
                let name = match name.kind() {
                    "string_literal" => super::literals::decode(self.read.text(*name)).into(),
                    _ => self.read.name(*name),
                };
                (Some(name), value)
            }
            _ => (None, piece),
        };
        match value {
            [mark, rest @ ..] if matches!(mark.kind(), "%" | "?") => (name, rest),
            _ => (name, value),
        }
    }

    /// Tokens as an expression: whole, as an object or list of them, or for their calls alone.
    pub(super) fn loose(&mut self, tokens_of: &[Node<'_>]) -> Expr {
        let (Some(first), Some(last)) = (tokens_of.first(), tokens_of.last()) else {
            let at = Pos { line: 1, column: 1 };
            return other(at, Vec::new());
        };
        if !self.read.enter(*first) {
            return other(self.read.at(*first), Vec::new());
        }
        let range = Range {
            start_byte: first.start_byte(),
            end_byte: last.end_byte(),
            start_point: first.start_position(),
            end_point: last.end_position(),
        };
        self.in_macros += 1;
        let tree = self.parsed(range);
        let whole = tree.as_ref().and_then(Stretch::only);
        let out = match (whole, tokens_of) {
            (Some(whole), _) => self.expr(whole),
            (None, [list]) if list.kind() == "token_tree" => self.object(*list),
            _ => self.calls(tokens_of),
        };
        self.in_macros -= 1;
        self.read.leave();
        out
    }

    /// `{"a": x, …}` and `[x, …]` of a macro.
    fn object(&mut self, list: Node<'_>) -> Expr {
        let mut fields = Vec::new();
        for piece in split(&tokens(list), &[",", ";"]) {
            let (name, value) = self.named(piece);
            let value = self.loose(value);
            let key = None;
            fields.push(MadeField { name, key, value });
        }
        let is_list = self.read.text(list).starts_with('[');
        let kind = ExprKind::Make {
            of: is_list.then(|| plain("[]")),
            fields,
        };
        let at = self.read.at(list);
        Expr { at, kind }
    }

    /// The calls and texts among tokens.
    pub(super) fn calls(&mut self, all: &[Node<'_>]) -> Expr {
        let mut parts = Vec::new();
        for (index, token) in all.iter().enumerate() {
            let before = |back: usize| index.checked_sub(back).and_then(|at| all.get(at));
            match token.kind() {
                "string_literal" | "raw_string_literal" => parts.push(self.expr(*token)),
                "token_tree" => {
                    let is_macro = before(1).is_some_and(|sign| sign.kind() == "!");
                    let name = before(if is_macro { 2 } else { 1 });
                    let round = self.read.text(*token).starts_with('(');
                    // `'a (b)` is a lifetime and a list.
                    let lifetime = before(if is_macro { 3 } else { 2 });
                    let lifetime = lifetime.is_some_and(|quote| quote.kind() == "'");
                    let name = name.filter(|name| name.kind() == "identifier" && !lifetime);
                    match name.filter(|_| round || is_macro) {
                        Some(name) => {
                            let back = if is_macro { 3 } else { 2 };
                            let dot = before(back).filter(|dot| dot.kind() == ".");
                            let of = dot.map(|dot| before(back + 1).copied().unwrap_or(*dot));
                            parts.push(self.loose_call(*name, *token, is_macro, of));
                        }
                        None => {
                            let (args, _) = self.deeper(*token);
                            parts.push(other(self.read.at(*token), args));
                        }
                    }
                }
                _ => {}
            }
        }
        let at = all.first().map(|first| self.read.at(*first));
        other(at.unwrap_or(Pos { line: 1, column: 1 }), parts)
    }

    fn deeper(&mut self, list: Node<'_>) -> Arguments {
        if !self.read.enter(list) {
            return (Vec::new(), Vec::new());
        }
        self.in_macros += 1;
        let out = self.pieces(list);
        self.in_macros -= 1;
        self.read.leave();
        out
    }

    fn loose_call(
        &mut self,
        name: Node<'_>,
        list: Node<'_>,
        is_macro: bool,
        of: Option<Node<'_>>,
    ) -> Expr {
        let at = self.read.at(name);
        let called = self.read.name(name);
        let kind = match of {
            Some(of) => ExprKind::Field {
                of: Box::new(match of.kind() {
                    "identifier" | "self" => self.expr(of),
                    _ => other(self.read.at(of), Vec::new()),
                }),
                name: called,
                at,
            },
            None => ExprKind::Name(called),
        };
        let (args, named) = self.deeper(list);
        let call = Call {
            callee: Expr { at, kind },
            at,
            end: self.read.end(list),
            generics: Vec::new(),
            args,
            named,
            decorates: None,
            is_macro,
            tried: false,
        };
        let kind = ExprKind::Call(Box::new(call));
        Expr { at, kind }
    }
}

/// The tokens between the brackets of a list.
pub(super) fn tokens(list: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = list.walk();
    let all = list.children(&mut cursor);
    let mut all: Vec<Node<'_>> = all.filter(|token| !token.is_extra()).collect();
    all.pop();
    if !all.is_empty() {
        all.remove(0);
    }
    all
}

/// The stretches between separators, none of them empty.
pub(super) fn split<'a, 'n>(all: &'a [Node<'n>], separators: &[&str]) -> Vec<&'a [Node<'n>]> {
    all.split(|token| separators.contains(&token.kind()))
        .filter(|piece| !piece.is_empty())
        .collect()
}
