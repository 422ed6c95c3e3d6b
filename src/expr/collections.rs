//! Reads array and map literals.

use super::ast::{ExprKind, MapEntry};
use super::parser::{Parsed, Parser};
use super::token::TokenKind;

impl Parser<'_> {
    /// `[a, b,]` (source: expr-lang v1.17 parser/parser.go, `parseArrayExpression`).
    pub(super) fn array(&mut self) -> Parsed {
        let start = self.current.span.start;
        self.advance()?;
        let mut items = Vec::new();
        while !self.current.is_bracket(']') {
            if !items.is_empty() {
                self.expect_operator(",", "an operator, `,` or `]`")?;
                if self.current.is_bracket(']') {
                    break;
                }
            }
            items.push(*self.expression(0)?);
        }
        self.advance()?;
        self.node(ExprKind::Array(items), start)
    }

    /// `{a: 1, "b": 2, (c): 3,}` (source: expr-lang v1.17 parser/parser.go, `parseMapExpression`).
    pub(super) fn map(&mut self) -> Parsed {
        let start = self.current.span.start;
        self.advance()?;
        let mut entries = Vec::new();
        while !self.current.is_bracket('}') {
            if !entries.is_empty() {
                self.expect_operator(",", "an operator, `,` or `}`")?;
                if self.current.is_bracket('}') {
                    break;
                }
            }
            let key = *self.map_key()?;
            self.expect_operator(":", "`:` after the key of the map")?;
            let value = *self.expression(0)?;
            self.count_nodes(1)?;
            entries.push(MapEntry { key, value });
        }
        self.advance()?;
        self.node(ExprKind::Map(entries), start)
    }

    fn map_key(&mut self) -> Parsed {
        let start = self.current.span.start;
        let key = match &mut self.current.kind {
            TokenKind::Identifier(text) | TokenKind::Number(text) => (*text).to_owned(),
            TokenKind::Str(value) => std::mem::take(value),
            TokenKind::Bracket('(') => return self.expression(0),
            _ => {
                return Err(self.unexpected(
                    "a name, string, number or parenthesised expression as the key of the map",
                ));
            }
        };
        self.advance()?;
        self.node(ExprKind::Str(key), start)
    }
}
