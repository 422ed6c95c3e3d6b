//! Texts: escapes, raw texts, f-strings, texts that stand beside each other.

use tree_sitter::Node;

use super::Lower;
use crate::input::source::syntax::{children, join, other};
use crate::model::place::Pos;
use crate::model::source::{Block, Expr, ExprKind, Operator, Stmt, StmtKind};

impl<'t> Lower<'t, '_> {
    /// A text, or the parts of which it is joined.
    pub(super) fn string(&mut self, node: Node<'t>) -> Expr {
        let at = self.read.at(node);
        let mut parts = Vec::new();
        match node.kind() {
            "concatenated_string" => {
                for part in children(node) {
                    self.pieces(part, &mut parts);
                }
            }
            _ => self.pieces(node, &mut parts),
        }
        joined(at, parts)
    }

    /// The text of a literal without values in it.
    pub(super) fn plain_text(&mut self, node: Node<'t>) -> Option<String> {
        if !matches!(node.kind(), "string" | "concatenated_string") {
            return None;
        }
        match self.string(node).kind {
            ExprKind::Text(text) => Some(text.to_string()),
            _ => None,
        }
    }

    fn pieces(&mut self, node: Node<'t>, out: &mut Vec<Expr>) {
        let mut raw = false;
        let mut cursor = node.walk();
        let inner: Vec<Node<'t>> = node.children(&mut cursor).collect();
        for piece in inner {
            let at = self.read.at(piece);
            match piece.kind() {
                "string_start" => {
                    raw = self.read.text(piece).contains(['r', 'R']);
                }
                "string_content" => {
                    let text = self.content(piece, raw);
                    out.push(Expr {
                        at,
                        kind: ExprKind::Text(text.into()),
                    });
                }
                "interpolation" => {
                    let value = self.field_expr(piece, "expression");
                    out.push(self.with_format(piece, value));
                }
                _ => {}
            }
        }
    }

    /// `{value:{width}}`: the width is evaluated too.
    fn with_format(&mut self, piece: Node<'t>, value: Expr) -> Expr {
        let format = piece.child_by_field_name("format_specifier");
        let inner: Vec<Node<'t>> = format.map(children).unwrap_or_default();
        if inner.is_empty() {
            return value;
        }
        let at = value.at;
        let mut stmts: Vec<Stmt> = Vec::new();
        for part in inner {
            let made = self.field_expr(part, "expression");
            stmts.push(crate::input::source::syntax::expression(made));
        }
        stmts.push(Stmt {
            at,
            kind: StmtKind::Expr(value),
        });
        Expr {
            at,
            kind: ExprKind::Block(Box::new(Block { stmts })),
        }
    }

    fn content(&self, node: Node<'t>, raw: bool) -> String {
        let whole = self.read.text(node);
        let mut out = String::with_capacity(whole.len());
        let mut from = node.start_byte();
        for part in children(node) {
            let before = whole.get(from - node.start_byte()..part.start_byte() - node.start_byte());
            out.push_str(before.unwrap_or_default());
            let text = self.read.text(part);
            match part.kind() {
                "escape_sequence" if !raw => escape(text, &mut out),
                "escape_interpolation" => out.push_str(text.get(..1).unwrap_or_default()),
                _ => out.push_str(text),
            }
            from = part.end_byte();
        }
        out.push_str(whole.get(from - node.start_byte()..).unwrap_or_default());
        out
    }
}

/// Parts one behind the other; texts beside each other are one.
pub(super) fn joined(at: Pos, parts: Vec<Expr>) -> Expr {
    let mut merged: Vec<Expr> = Vec::new();
    for part in parts {
        if matches!(&part.kind, ExprKind::Text(text) if text.is_empty()) {
            continue;
        }
        if let (ExprKind::Text(next), Some(last)) = (&part.kind, merged.last_mut())
            && let ExprKind::Text(text) = &mut last.kind
        {
            *text = format!("{text}{next}").into();
            continue;
        }
        merged.push(part);
    }
    let only_text = matches!(
        merged.first().map(|part| &part.kind),
        Some(ExprKind::Text(_))
    );
    if merged.is_empty() || (merged.len() == 1 && !only_text) {
        // A text all the same.
        let empty = Expr {
            at,
            kind: ExprKind::Text("".into()),
        };
        merged.insert(0, empty);
    }
    let mut merged = merged.into_iter();
    let Some(mut first) = merged.next() else {
        return other(at, Vec::new());
    };
    first.at = at;
    join(first, merged.map(|part| (Operator::Add, part)).collect())
}

fn escape(text: &str, out: &mut String) {
    let mut rest = text.chars();
    rest.next();
    let Some(kind) = rest.next() else {
        return;
    };
    let digits = rest.as_str();
    let code = |digits: &str, base: u32| {
        u32::from_str_radix(digits, base)
            .ok()
            .and_then(char::from_u32)
    };
    let made = match kind {
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        'a' => Some('\u{7}'),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        'v' => Some('\u{b}'),
        '\\' | '\'' | '"' => Some(kind),
        // The line goes on.
        '\n' | '\r' => return,
        'x' | 'u' | 'U' => code(digits, 16),
        '0'..='7' => code(text.get(1..).unwrap_or_default(), 8),
        _ => None,
    };
    match made {
        Some(made) => out.push(made),
        None => out.push_str(text),
    }
}
