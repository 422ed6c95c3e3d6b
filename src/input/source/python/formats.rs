//! Texts that are made of a template and values: `"…%s" % value`, `"…{}".format(value)`.

use tree_sitter::Node;

use super::Lower;
use super::literals::joined;
use crate::input::source::syntax::{children, other};
use crate::model::place::Pos;
use crate::model::source::{Expr, ExprKind};

/// A piece of a template.
enum Piece {
    Plain(String),
    /// The value of a number.
    Number(usize),
    /// The value of a name.
    Named(String),
}

impl<'t> Lower<'t, '_> {
    /// True of `"…" % values`.
    pub(super) fn is_percent(&self, node: Node<'t>) -> bool {
        let op = node.child_by_field_name("operator");
        let left = node.child_by_field_name("left");
        node.kind() == "binary_operator"
            && op.is_some_and(|op| self.read.text(op) == "%")
            && left.is_some_and(|left| {
                let left = inner(left);
                matches!(left.kind(), "string" | "concatenated_string")
            })
    }

    /// `"…" % values` as its parts, joined.
    pub(super) fn percent(&mut self, node: Node<'t>) -> Option<Expr> {
        if !self.is_percent(node) {
            return None;
        }
        let template = self.plain_text(inner(node.child_by_field_name("left")?))?;
        let right = node.child_by_field_name("right")?;
        let (numbered, named) = match right.kind() {
            "tuple" => (children(right), Vec::new()),
            "dictionary" => (Vec::new(), self.pairs(right)),
            _ => (vec![right], Vec::new()),
        };
        let at = self.read.at(node);
        Some(self.filled(at, percent_pieces(&template), numbered, named))
    }

    /// `"…{}".format(values)` as its parts, joined.
    pub(super) fn format_call(&mut self, node: Node<'t>, function: Node<'t>) -> Option<Expr> {
        let name = function.child_by_field_name("attribute")?;
        if self.read.text(name) != "format" {
            return None;
        }
        let template = self.plain_text(inner(function.child_by_field_name("object")?))?;
        let list = node.child_by_field_name("arguments")?;
        let mut numbered = Vec::new();
        let mut named = Vec::new();
        for arg in children(list) {
            match arg.kind() {
                "keyword_argument" => {
                    let name = arg.child_by_field_name("name")?;
                    let value = arg.child_by_field_name("value")?;
                    named.push((self.read.text(name).to_owned(), value));
                }
                "list_splat" | "dictionary_splat" => return None,
                _ => numbered.push(arg),
            }
        }
        let at = self.read.at(node);
        Some(self.filled(at, brace_pieces(&template), numbered, named))
    }

    fn pairs(&mut self, node: Node<'t>) -> Vec<(String, Node<'t>)> {
        let mut out = Vec::new();
        for pair in children(node) {
            let key = pair.child_by_field_name("key");
            let value = pair.child_by_field_name("value");
            if let (Some(key), Some(value)) = (key, value)
                && let Some(key) = self.plain_text(key)
            {
                out.push((key, value));
            }
        }
        out
    }

    fn filled(
        &mut self,
        at: Pos,
        pieces: Vec<Piece>,
        numbered: Vec<Node<'t>>,
        named: Vec<(String, Node<'t>)>,
    ) -> Expr {
        let numbered: Vec<Expr> = numbered.into_iter().map(|node| self.expr(node)).collect();
        let named: Vec<(String, Expr)> = named
            .into_iter()
            .map(|(name, node)| (name, self.expr(node)))
            .collect();
        let mut used = vec![false; numbered.len() + named.len()];
        let mut parts = Vec::new();
        for piece in pieces {
            let found = match piece {
                Piece::Plain(text) => {
                    parts.push(Expr {
                        at,
                        kind: ExprKind::Text(text.into()),
                    });
                    continue;
                }
                Piece::Number(number) => numbered.get(number).map(|value| (number, value)),
                Piece::Named(name) => {
                    let place = named.iter().position(|(known, _)| *known == name);
                    place.and_then(|place| Some((numbered.len() + place, &named.get(place)?.1)))
                }
            };
            match found {
                Some((place, value)) => {
                    if let Some(used) = used.get_mut(place) {
                        *used = true;
                    }
                    parts.push(value.clone());
                }
                None => parts.push(other(at, Vec::new())),
            }
        }
        // What no piece takes is evaluated all the same.
        let values = numbered
            .into_iter()
            .chain(named.into_iter().map(|(_, value)| value));
        let unused: Vec<Expr> = values
            .zip(used)
            .filter(|(_, used)| !used)
            .map(|(value, _)| value)
            .collect();
        let text = joined(at, parts);
        if unused.is_empty() {
            return text;
        }
        let mut stmts: Vec<_> = unused
            .into_iter()
            .map(crate::input::source::syntax::expression)
            .collect();
        stmts.push(crate::input::source::syntax::expression(text));
        Expr {
            at,
            kind: ExprKind::Block(Box::new(crate::model::source::Block { stmts })),
        }
    }
}

/// Through brackets around a literal.
fn inner(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    while at.kind() == "parenthesized_expression" {
        match children(at)[..] {
            [one] => at = one,
            _ => break,
        }
    }
    at
}

fn percent_pieces(template: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut plain = String::new();
    let mut number = 0;
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('%') {
        plain.push_str(before);
        if let Some(after) = after.strip_prefix('%') {
            plain.push('%');
            rest = after;
            continue;
        }
        let mut name = None;
        let mut format = after;
        if let Some((inside, behind)) = after
            .strip_prefix('(')
            .and_then(|after| after.split_once(')'))
        {
            name = Some(inside.to_owned());
            format = behind;
        }
        let end = format.find(|c: char| c.is_ascii_alphabetic());
        let flags = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '#' | ' ' | '.' | '*');
        match end {
            Some(end)
                if format
                    .get(..end)
                    .is_some_and(|text| text.chars().all(flags)) =>
            {
                out.push(Piece::Plain(std::mem::take(&mut plain)));
                out.push(match name {
                    Some(name) => Piece::Named(name),
                    None => {
                        number += 1;
                        Piece::Number(number - 1)
                    }
                });
                rest = format.get(end + 1..).unwrap_or_default();
            }
            _ => {
                plain.push('%');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    out.push(Piece::Plain(plain));
    out
}

fn brace_pieces(template: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut plain = String::new();
    let mut number = 0;
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        plain.push_str(rest.get(..at).unwrap_or_default());
        let after = rest.get(at + 1..).unwrap_or_default();
        let brace = rest.get(at..=at).unwrap_or_default();
        if let Some(after) = after.strip_prefix(brace) {
            plain.push_str(brace);
            rest = after;
            continue;
        }
        let Some((inside, behind)) = after.split_once('}').filter(|_| brace == "{") else {
            rest = after;
            continue;
        };
        rest = behind;
        out.push(Piece::Plain(std::mem::take(&mut plain)));
        let name = inside
            .split(['!', ':', '.', '['])
            .next()
            .unwrap_or_default();
        out.push(match name.parse::<usize>() {
            Ok(number) => Piece::Number(number),
            Err(_) if name.is_empty() => {
                number += 1;
                Piece::Number(number - 1)
            }
            Err(_) => Piece::Named(name.to_owned()),
        });
    }
    plain.push_str(rest);
    out.push(Piece::Plain(plain));
    out
}
