//! One side of a comparison in a predicate: a column or a literal, with the casts that engines print.

use std::sync::Arc;

use crate::model::schema::{Dialect, SqlLiteral};

use super::lexer::{Token, TokenKind};
use super::literal;
use super::predicate::{DEPTH, Parser};

/// What stands on one side of a comparison.
pub(super) enum Operand {
    Column(Arc<str>),
    Literal(SqlLiteral),
}

impl Parser<'_> {
    /// A column or a literal, its parentheses and the casts that change nothing taken off.
    pub(super) fn operand(&mut self) -> Option<Operand> {
        if self.depth >= DEPTH {
            return None;
        }
        let mut operand = if self.cursor.eat_punct(b'(') {
            self.depth += 1;
            let inside = self.operand();
            self.depth -= 1;
            if !self.cursor.eat_punct(b')') {
                return None;
            }
            inside?
        } else {
            self.simple()?
        };
        while let Some(kind) = self.cast()? {
            operand = kind.of(operand)?;
        }
        Some(operand)
    }

    fn simple(&mut self) -> Option<Operand> {
        let token = self.cursor.peek()?;
        let source = self.cursor.source(token);
        let operand = match token.kind {
            TokenKind::Number => Operand::Literal(SqlLiteral::Number(source.into())),
            TokenKind::Punct(sign @ (b'-' | b'+')) => {
                let number = self.cursor.ahead(1)?;
                if number.kind != TokenKind::Number {
                    return None;
                }
                self.cursor.step();
                let digits = self.cursor.source(number);
                let text = if sign == b'-' {
                    format!("-{digits}")
                } else {
                    digits.to_owned()
                };
                Operand::Literal(SqlLiteral::Number(text.into()))
            }
            TokenKind::String => {
                let text = literal::string(source, self.cursor.dialect)?;
                Operand::Literal(SqlLiteral::String(text.into()))
            }
            TokenKind::Word if self.cursor.is("NULL") => Operand::Literal(SqlLiteral::Null),
            TokenKind::Word if self.cursor.is("TRUE") => Operand::Literal(SqlLiteral::Bool(true)),
            TokenKind::Word if self.cursor.is("FALSE") => Operand::Literal(SqlLiteral::Bool(false)),
            TokenKind::Word | TokenKind::Quoted => return self.column(token),
            _ => return None,
        };
        self.cursor.step();
        Some(operand)
    }

    fn column(&mut self, token: Token) -> Option<Operand> {
        const NOT_NAMES: [&str; 6] = ["CASE", "NOT", "EXISTS", "CAST", "ARRAY", "SELECT"];
        if NOT_NAMES.iter().any(|word| self.cursor.is(word)) {
            return None;
        }
        let mut name = self.cursor.name().ok()?;
        while self.cursor.eat_punct(b'.') {
            name = self.cursor.name().ok()?;
        }
        let double_quoted = self.cursor.source(token).starts_with('"');
        if self.cursor.dialect == Dialect::Sqlite && double_quoted && !(self.is_column)(&name) {
            return Some(Operand::Literal(SqlLiteral::String(name)));
        }
        (!self.cursor.is_punct(b'(')).then_some(Operand::Column(name))
    }

    /// `::type` behind an operand: nothing when none stands there, a failure when its type is not
    /// known to keep values apart.
    pub(super) fn cast(&mut self) -> Option<Option<Cast>> {
        let token = self.cursor.peek();
        if token.is_none_or(|token| self.cursor.source(token) != "::") {
            return Some(None);
        }
        self.cursor.step();
        let name = self.cursor.qualified().ok()?.name.to_ascii_lowercase();
        let mut kind = Cast::of_type(&name)?;
        if name == "character" {
            kind = self.cursor.eat("VARYING").then_some(Cast::Text)?;
        }
        if name == "double" && !self.cursor.eat("PRECISION") {
            return None;
        }
        if self.cursor.is_punct(b'(') {
            // A length cuts.
            return None;
        }
        while self.cursor.eat_punct(b'[') {
            if !self.cursor.eat_punct(b']') {
                return None;
            }
        }
        Some(Some(kind))
    }
}

/// Casts that keep the values of a literal apart.
#[derive(Clone, Copy)]
pub(super) enum Cast {
    /// To text.
    Text,
    /// To a number; exact for literals only.
    Number,
    /// To boolean.
    Bool,
    /// To a type of the user's own, as enums are printed.
    Named,
}

impl Cast {
    fn of_type(name: &str) -> Option<Self> {
        Some(match name {
            "text" | "varchar" | "character" => Cast::Text,
            "integer" | "int" | "int2" | "int4" | "int8" | "bigint" | "smallint" | "numeric"
            | "double" => Cast::Number,
            "boolean" | "bool" => Cast::Bool,
            // Their equality is not that of the text.
            "bpchar" | "char" | "citext" | "date" | "time" | "timetz" | "timestamp"
            | "timestamptz" | "interval" | "json" | "jsonb" | "uuid" | "bytea" | "real"
            | "float4" | "float8" | "decimal" | "money" | "inet" | "cidr" | "bit" | "xml"
            | "regclass" | "oid" | "name" => return None,
            _ => Cast::Named,
        })
    }

    fn of(self, operand: Operand) -> Option<Operand> {
        let literal = match operand {
            Operand::Column(column) => {
                return matches!(self, Cast::Text).then_some(Operand::Column(column));
            }
            Operand::Literal(literal) => literal,
        };
        let cast = match (self, literal) {
            (_, SqlLiteral::Null) => SqlLiteral::Null,
            (Cast::Bool, SqlLiteral::Bool(value)) => SqlLiteral::Bool(value),
            (Cast::Bool, SqlLiteral::String(text)) => match text.to_ascii_lowercase().as_str() {
                "t" | "true" | "yes" | "on" | "1" => SqlLiteral::Bool(true),
                "f" | "false" | "no" | "off" | "0" => SqlLiteral::Bool(false),
                _ => return None,
            },
            (Cast::Number, SqlLiteral::Number(number)) => SqlLiteral::Number(number),
            (Cast::Number, SqlLiteral::String(text)) => {
                let digits = text.strip_prefix('-').unwrap_or(&text);
                if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    return None;
                }
                SqlLiteral::Number(text)
            }
            (Cast::Text | Cast::Named, SqlLiteral::String(text)) => SqlLiteral::String(text),
            _ => return None,
        };
        Some(Operand::Literal(cast))
    }
}
