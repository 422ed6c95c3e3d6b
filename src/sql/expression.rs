//! Expressions as engines print them and as people write them, made comparable: one normal form.
//!
//! Without casts, with names in lower case and without quotes or schemas, and with a parenthesis
//! around each operation inside another one, as the engine groups them; those that a text writes
//! count for nothing beyond that. Operations that may be grouped either way (`a || b || c`) are
//! one.

use crate::model::schema::Dialect;

use super::columns::pass_type;
use super::cursor::Cursor;
use super::lexer::{TokenKind, tokens_of};
use super::precedence::{self, Operator};

/// Expressions nested deeper than this are not taken apart.
const MAX_DEPTH: u32 = 64;

/// Nor are those of more tokens.
const MAX_TOKENS: usize = 10_000;

/// The expression without the parentheses around all of it.
pub fn bare(text: &str, dialect: Dialect) -> String {
    let Some(tokens) = tokens_of(text, dialect) else {
        return text.to_owned();
    };
    let inside = Cursor::new(text, &tokens, dialect).without_parens().whole();
    let is_empty = inside.is_empty();
    if is_empty { text } else { inside }.to_owned()
}

/// The function that an expression calls, if it is one call and nothing else.
pub fn call(text: &str, dialect: Dialect) -> Option<String> {
    let tokens = tokens_of(text, dialect)?;
    let mut cursor = Cursor::new(text, &tokens, dialect).without_parens();
    let name = cursor.qualified().ok()?.name.to_lowercase();
    cursor.parens().ok()?;
    cursor.at_end().then_some(name)
}

/// The normal form, which two texts share if an engine reads them as the same expression. What is
/// not understood (a query, a syntax of its own) keeps its words and parentheses.
pub fn normal(text: &str, dialect: Dialect) -> String {
    grouped(text, dialect).unwrap_or_else(|| words(text, dialect, &["("]).join(" "))
}

/// The normal form of an expression that is understood as a whole.
pub(super) fn grouped(text: &str, dialect: Dialect) -> Option<String> {
    let tokens = tokens_of(text, dialect).filter(|tokens| tokens.len() <= MAX_TOKENS)?;
    let mut reader = Reader {
        cursor: Cursor::new(text, &tokens, dialect),
        depth: 0,
    };
    let found = reader.expression(0)?;
    reader.cursor.at_end().then(|| found.words.join(" "))
}

/// The words of an expression without its parentheses, casts left in: what two texts share that
/// may differ in how they group.
pub(super) fn ungrouped(text: &str, dialect: Dialect) -> String {
    words(text, dialect, &[]).join(" ")
}

fn words(text: &str, dialect: Dialect, kept: &[&str]) -> Vec<String> {
    let Some(tokens) = tokens_of(text, dialect) else {
        return vec![text.to_owned()];
    };
    let mut cursor = Cursor::new(text, &tokens, dialect).without_parens();
    let mut words = Vec::new();
    while let Some(token) = cursor.peek() {
        match token.kind {
            TokenKind::Punct(b'(' | b')') if kept.is_empty() => cursor.step(),
            _ if cursor.source(token) == "::" => {
                cursor.step();
                pass_type(&mut cursor);
            }
            TokenKind::Word | TokenKind::Quoted => {
                let name = cursor.qualified().map(|name| name.name.to_lowercase());
                words.push(name.unwrap_or_else(|_| {
                    cursor.step();
                    cursor.source(token).to_lowercase()
                }));
            }
            _ => {
                words.push(cursor.source(token).to_owned());
                cursor.step();
            }
        }
    }
    words
}

/// A part of an expression in its normal form.
struct Form {
    words: Vec<String>,
    /// The operation that it is, unless it is one operand.
    operator: Option<String>,
}

impl Form {
    fn atom(words: Vec<String>) -> Self {
        Self {
            words,
            operator: None,
        }
    }

    /// It as an operand: in parentheses if it is an operation, unless it continues `chain`.
    fn operand(self, chain: Option<&str>) -> Vec<String> {
        match self.operator {
            None => self.words,
            Some(own) if chain == Some(&own) => self.words,
            Some(_) => parenthesised(self.words),
        }
    }

    /// An operation behind its operand.
    fn suffixed(self, operator: &str, further: Vec<String>) -> Self {
        let mut words = self.operand(None);
        words.push(operator.to_owned());
        words.extend(further);
        Self {
            words,
            operator: Some(operator.to_owned()),
        }
    }
}

fn parenthesised(words: Vec<String>) -> Vec<String> {
    let open = std::iter::once("(".to_owned());
    open.chain(words).chain([")".to_owned()]).collect()
}

/// Reads by precedence.
struct Reader<'t> {
    cursor: Cursor<'t>,
    depth: u32,
}

impl Reader<'_> {
    /// An expression whose operators bind at least that tightly.
    fn expression(&mut self, least: u8) -> Option<Form> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut left = self.prefixed()?;
        loop {
            left = self.casts(left);
            let Some(operator) = precedence::infix(&self.cursor) else {
                break;
            };
            if operator.binds < least {
                break;
            }
            (0..operator.tokens).for_each(|_| self.cursor.step());
            left = self.operation(left, &operator)?;
        }
        self.depth -= 1;
        Some(left)
    }

    fn operation(&mut self, left: Form, operator: &Operator) -> Option<Form> {
        let name = operator.name.as_str();
        match name.strip_prefix("not ").unwrap_or(name) {
            "is null" | "is not null" => return Some(left.suffixed(name, Vec::new())),
            "in" => {
                self.cursor.eat_punct(b'(').then_some(())?;
                let list = self.arguments(b')')?;
                return Some(left.suffixed(name, parenthesised(list)));
            }
            "between" => {
                let low = self.expression(operator.binds + 1)?;
                self.cursor.eat("AND").then_some(())?;
                let high = self.expression(operator.binds + 1)?;
                let mut words = low.operand(None);
                words.push("and".to_owned());
                words.extend(high.operand(None));
                return Some(left.suffixed(name, words));
            }
            "collate" => {
                let collation = self.cursor.qualified().ok()?.name.to_lowercase();
                return Some(left.suffixed(name, vec![collation]));
            }
            _ => {}
        }
        let right = self.expression(operator.binds + 1)?;
        let chain = operator.either_way.then_some(name);
        let mut words = left.operand(chain);
        words.push(name.to_owned());
        words.extend(right.operand(chain));
        if name.ends_with("like") && self.cursor.eat("ESCAPE") {
            words.push("escape".to_owned());
            words.extend(self.expression(operator.binds + 1)?.operand(None));
        }
        Some(Form {
            words,
            operator: Some(name.to_owned()),
        })
    }

    fn prefixed(&mut self) -> Option<Form> {
        let Some(operator) = precedence::prefix(&self.cursor) else {
            return self.operand();
        };
        self.cursor.step();
        let operand = self.expression(operator.binds)?;
        let mut words = vec![operator.name.clone()];
        words.extend(operand.operand(None));
        Some(Form {
            words,
            operator: Some(operator.name),
        })
    }

    /// Casts and subscripts behind an operand; of `x::type` only `x` counts.
    fn casts(&mut self, mut form: Form) -> Form {
        while let Some(token) = self.cursor.peek() {
            if self.cursor.source(token) != "::" {
                break;
            }
            self.cursor.step();
            pass_type(&mut self.cursor);
        }
        if self.cursor.is_punct(b'[')
            && let Some(index) = self.subscript()
        {
            form = Form::atom([form.operand(None), index].concat());
        }
        form
    }

    fn subscript(&mut self) -> Option<Vec<String>> {
        let start = self.cursor;
        self.cursor.step();
        let Some(mut inside) = self.arguments(b']') else {
            self.cursor = start;
            return None;
        };
        inside.insert(0, "[".to_owned());
        inside.push("]".to_owned());
        Some(inside)
    }

    fn operand(&mut self) -> Option<Form> {
        let token = self.cursor.peek()?;
        match token.kind {
            TokenKind::Punct(b'(') => self.group(),
            TokenKind::Word if self.cursor.is("CASE") => self.case(),
            TokenKind::Word | TokenKind::Quoted => self.named(),
            TokenKind::String | TokenKind::Number | TokenKind::Parameter => {
                let source = self.cursor.source(token).to_owned();
                self.cursor.step();
                Some(Form::atom(vec![source]))
            }
            _ => None,
        }
    }

    /// What stands in parentheses: one expression, or a row of several.
    fn group(&mut self) -> Option<Form> {
        self.cursor.step();
        let first = self.expression(0)?;
        if self.cursor.eat_punct(b')') {
            return Some(first);
        }
        self.cursor.eat_punct(b',').then_some(())?;
        let mut words = first.operand(None);
        words.push(",".to_owned());
        words.extend(self.arguments(b')')?);
        Some(Form::atom(parenthesised(words)))
    }

    fn named(&mut self) -> Option<Form> {
        let token = self.cursor.peek()?;
        if token.kind == TokenKind::Word && precedence::is_reserved(&self.cursor) {
            return None;
        }
        let is_word = token.kind == TokenKind::Word;
        let is_cast = is_word && self.cursor.is("CAST");
        let name = self.cursor.qualified().ok()?.name.to_lowercase();
        if is_cast && self.cursor.eat_punct(b'(') {
            let value = self.expression(0)?;
            self.cursor.eat("AS").then_some(())?;
            pass_type(&mut self.cursor);
            return self.cursor.eat_punct(b')').then_some(value);
        }
        let before_text = self
            .cursor
            .peek()
            .is_some_and(|next| next.kind == TokenKind::String);
        if is_word && before_text {
            let text = self.operand()?;
            // The character set in front of a string says nothing of it: `_utf8mb4'x'`.
            return match name.starts_with('_') {
                true => Some(text),
                false => Some(Form::atom([vec![name], text.words].concat())),
            };
        }
        if name == "array" && self.cursor.is_punct(b'[') {
            let list = self.subscript()?;
            return Some(Form::atom([vec![name], list].concat()));
        }
        if !self.cursor.eat_punct(b'(') {
            return Some(Form::atom(vec![name]));
        }
        let arguments = self.arguments(b')')?;
        Some(Form::atom([vec![name], parenthesised(arguments)].concat()))
    }

    /// A list of expressions, and what ends it.
    fn arguments(&mut self, end: u8) -> Option<Vec<String>> {
        let mut words = Vec::new();
        if self.cursor.eat_punct(end) {
            return Some(words);
        }
        loop {
            match self.cursor.is_punct(b'*') {
                true => {
                    self.cursor.step();
                    words.push("*".to_owned());
                }
                false => words.extend(self.expression(0)?.words),
            }
            if self.cursor.eat_punct(end) {
                return Some(words);
            }
            self.cursor.eat_punct(b',').then_some(())?;
            words.push(",".to_owned());
        }
    }

    fn case(&mut self) -> Option<Form> {
        self.cursor.step();
        let mut words = vec!["case".to_owned()];
        while !self.cursor.eat("END") {
            let parts = [("WHEN", "when"), ("THEN", "then"), ("ELSE", "else")];
            let part = parts.iter().find(|(word, _)| self.cursor.is(word));
            match part {
                Some((_, word)) => {
                    self.cursor.step();
                    words.push((*word).to_owned());
                }
                None if words.len() > 1 => return None,
                None => {}
            }
            words.extend(self.expression(0)?.operand(None));
        }
        words.push("end".to_owned());
        Some(Form::atom(words))
    }
}

#[cfg(test)]
mod tests;
