//! The predicate of a partial index or CHECK constraint as a tree over the columns of one row.
//!
//! What is not understood stays as its text: [`PredicateTree::Opaque`] is never true and never false.

use std::sync::Arc;

use crate::model::schema::{Comparison, Dialect, PredicateTree, SqlLiteral};

use super::cursor::Cursor;
use super::lexer::tokens_of;
use super::literal;
use super::operand::Operand;

/// Parentheses and NOTs deeper than this are not followed.
pub(super) const DEPTH: u32 = 64;

/// Parses a predicate. `is_column` tells names from strings where the engine takes `"x"` for
/// either (SQLite).
pub fn parse(text: &str, dialect: Dialect, is_column: &dyn Fn(&str) -> bool) -> PredicateTree {
    let Some(tokens) = tokens_of(text, dialect) else {
        return opaque(text);
    };
    let mut parser = Parser {
        cursor: Cursor::new(text, &tokens, dialect),
        is_column,
        depth: 0,
    };
    match parser.disjunction() {
        Some(tree) if parser.cursor.at_end() => tree,
        _ => opaque(text),
    }
}

/// The literal that a text is, its parentheses and the casts that change nothing taken off.
pub fn literal(text: &str, dialect: Dialect) -> Option<SqlLiteral> {
    let tokens = tokens_of(text, dialect)?;
    let mut parser = Parser {
        cursor: Cursor::new(text, &tokens, dialect),
        is_column: &|_| true,
        depth: 0,
    };
    let literal = parser.literal()?;
    parser.cursor.at_end().then_some(literal)
}

fn opaque(text: &str) -> PredicateTree {
    PredicateTree::Opaque(text.trim().into())
}

/// Walks over the tokens of one predicate.
pub(super) struct Parser<'t> {
    pub(super) cursor: Cursor<'t>,
    pub(super) is_column: &'t dyn Fn(&str) -> bool,
    pub(super) depth: u32,
}

impl Parser<'_> {
    fn disjunction(&mut self) -> Option<PredicateTree> {
        let mut parts = vec![self.conjunction()?];
        while self.cursor.eat("OR") {
            parts.push(self.conjunction()?);
        }
        Some(match parts.len() {
            1 => parts.remove(0),
            _ => PredicateTree::Or(parts),
        })
    }

    fn conjunction(&mut self) -> Option<PredicateTree> {
        let mut parts = vec![self.negation()?];
        while self.cursor.eat("AND") {
            parts.push(self.negation()?);
        }
        Some(match parts.len() {
            1 => parts.remove(0),
            _ => PredicateTree::And(parts),
        })
    }

    fn negation(&mut self) -> Option<PredicateTree> {
        if self.depth >= DEPTH {
            return None;
        }
        self.depth += 1;
        let tree = if self.cursor.eat("NOT") {
            self.negation().map(not)
        } else {
            self.atom()
        };
        self.depth -= 1;
        tree
    }

    /// A comparison, a truth value or a parenthesis; or, as text, what it was not understood to be.
    fn atom(&mut self) -> Option<PredicateTree> {
        let start = self.cursor;
        if let Some(tree) = self.parenthesis().or_else(|| self.comparison())
            && self.ends_here()
        {
            return Some(tree);
        }
        self.cursor = start;
        self.skip_atom();
        let text = self.cursor.since(&start).plain();
        (!text.is_empty()).then(|| opaque(&text))
    }

    fn ends_here(&self) -> bool {
        self.cursor.at_end() || self.cursor.is_punct(b')') || self.cursor.is_any(&["AND", "OR"])
    }

    /// To the next AND or OR that belongs to this level; the AND of BETWEEN and what stands inside
    /// CASE do not.
    fn skip_atom(&mut self) {
        let mut betweens = 0u32;
        let mut cases = 0u32;
        while !self.cursor.at_end() && !self.cursor.is_punct(b')') {
            if cases == 0 && self.cursor.is("OR") {
                return;
            }
            if cases == 0 && self.cursor.is("AND") {
                match betweens {
                    0 => return,
                    _ => betweens -= 1,
                }
            }
            if self.cursor.is("BETWEEN") {
                betweens += 1;
            } else if self.cursor.is("CASE") {
                cases += 1;
            } else if self.cursor.is("END") {
                cases = cases.saturating_sub(1);
            }
            if self.cursor.is_punct(b'(') {
                if self.cursor.parens().is_err() {
                    return;
                }
            } else {
                self.cursor.step();
            }
        }
    }

    fn parenthesis(&mut self) -> Option<PredicateTree> {
        let start = self.cursor;
        if !self.cursor.eat_punct(b'(') {
            return None;
        }
        let tree = self.disjunction();
        if let Some(tree) = tree
            && self.cursor.eat_punct(b')')
            && self.ends_here()
        {
            return Some(tree);
        }
        self.cursor = start;
        None
    }

    fn comparison(&mut self) -> Option<PredicateTree> {
        let left = self.operand()?;
        if self.ends_here() {
            return Some(truth(left));
        }
        match left {
            Operand::Column(column) => self.of_column(column),
            Operand::Literal(literal) => {
                let operator = self.operator()?;
                match self.operand()? {
                    Operand::Column(column) => Some(PredicateTree::Compare {
                        column,
                        operator: mirrored(operator),
                        literal,
                    }),
                    Operand::Literal(_) => None,
                }
            }
        }
    }

    fn of_column(&mut self, column: Arc<str>) -> Option<PredicateTree> {
        if self.cursor.eat("ISNULL") {
            return Some(PredicateTree::IsNull(column));
        }
        if self.cursor.eat("NOTNULL") || self.cursor.eat_all(&["NOT", "NULL"]) {
            return Some(PredicateTree::IsNotNull(column));
        }
        if self.cursor.eat("IS") {
            return self.is(column);
        }
        let negated = self.cursor.eat("NOT");
        if self.cursor.eat("IN") {
            let literals = self.list(b'(', b')')?;
            return Some(negate_if(negated, PredicateTree::In { column, literals }));
        }
        if self.cursor.eat("BETWEEN") {
            let low = self.literal()?;
            if !self.cursor.eat("AND") {
                return None;
            }
            let high = self.literal()?;
            let compare = |operator, literal| PredicateTree::Compare {
                column: column.clone(),
                operator,
                literal,
            };
            let both = PredicateTree::And(vec![
                compare(Comparison::GreaterOrEqual, low),
                compare(Comparison::LessOrEqual, high),
            ]);
            return Some(negate_if(negated, both));
        }
        if negated {
            return None;
        }
        let operator = self.operator()?;
        let any = self.cursor.is_any(&["ANY", "SOME"]);
        if any || self.cursor.is("ALL") {
            self.cursor.step();
            let literals = self.array()?;
            let tree = PredicateTree::In { column, literals };
            return match (operator, any) {
                (Comparison::Equal, true) => Some(tree),
                (Comparison::NotEqual, false) => Some(not(tree)),
                _ => None,
            };
        }
        let literal = self.literal()?;
        Some(PredicateTree::Compare {
            column,
            operator,
            literal,
        })
    }

    /// Behind `column IS`.
    fn is(&mut self, column: Arc<str>) -> Option<PredicateTree> {
        let negated = self.cursor.eat("NOT");
        if self.cursor.eat("NULL") || self.cursor.eat("UNKNOWN") {
            return Some(match negated {
                true => PredicateTree::IsNotNull(column),
                false => PredicateTree::IsNull(column),
            });
        }
        // `IS` gives true or false, never NULL: the NOT NULL beside the test makes it so.
        let given = |tree| PredicateTree::And(vec![PredicateTree::IsNotNull(column.clone()), tree]);
        if self.cursor.eat("TRUE") {
            let tree = given(PredicateTree::Truth(column.clone()));
            return Some(negate_if(negated, tree));
        }
        if self.cursor.eat("FALSE") {
            let tree = given(not(PredicateTree::Truth(column.clone())));
            return Some(negate_if(negated, tree));
        }
        let distinct = self.cursor.eat_all(&["DISTINCT", "FROM"]);
        if !distinct && self.cursor.dialect != Dialect::Sqlite {
            return None;
        }
        let equal = match self.literal()? {
            SqlLiteral::Null => PredicateTree::IsNull(column.clone()),
            literal => given(PredicateTree::Compare {
                column: column.clone(),
                operator: Comparison::Equal,
                literal,
            }),
        };
        Some(negate_if(negated != distinct, equal))
    }

    fn operator(&mut self) -> Option<Comparison> {
        let token = self.cursor.peek()?;
        let operator = match self.cursor.source(token) {
            "=" | "==" => Comparison::Equal,
            "<>" | "!=" => Comparison::NotEqual,
            "<" => Comparison::Less,
            "<=" => Comparison::LessOrEqual,
            ">" => Comparison::Greater,
            ">=" => Comparison::GreaterOrEqual,
            _ => return None,
        };
        self.cursor.step();
        Some(operator)
    }

    fn list(&mut self, open: u8, close: u8) -> Option<Vec<SqlLiteral>> {
        if !self.cursor.eat_punct(open) {
            return None;
        }
        let mut literals = Vec::new();
        if self.cursor.eat_punct(close) {
            return Some(literals);
        }
        loop {
            literals.push(self.literal()?);
            if self.cursor.eat_punct(close) {
                return Some(literals);
            }
            if !self.cursor.eat_punct(b',') {
                return None;
            }
        }
    }

    /// `(ARRAY[…])`, `((ARRAY[…])::text[])` or `('{a,b}'::text[])` behind ANY or ALL.
    fn array(&mut self) -> Option<Vec<SqlLiteral>> {
        if !self.cursor.eat_punct(b'(') {
            return None;
        }
        let literals = match self.cursor.is_punct(b'(') {
            true => self.array()?,
            false if self.cursor.eat("ARRAY") => self.list(b'[', b']')?,
            false => {
                let token = self.cursor.peek()?;
                let text = literal::string(self.cursor.source(token), self.cursor.dialect)?;
                self.cursor.step();
                let inside = text.strip_prefix('{')?.strip_suffix('}')?;
                if inside.contains(['"', '\\', '{', ' ']) {
                    return None;
                }
                inside
                    .split(',')
                    .map(|item| SqlLiteral::String(item.into()))
                    .collect()
            }
        };
        while self.cast()?.is_some() {}
        self.cursor.eat_punct(b')').then_some(literals)
    }

    fn literal(&mut self) -> Option<SqlLiteral> {
        match self.operand()? {
            Operand::Literal(literal) => Some(literal),
            Operand::Column(_) => None,
        }
    }
}

fn truth(operand: Operand) -> PredicateTree {
    match operand {
        Operand::Column(column) => PredicateTree::Truth(column),
        Operand::Literal(SqlLiteral::Bool(true)) => PredicateTree::And(Vec::new()),
        Operand::Literal(SqlLiteral::Bool(false)) => PredicateTree::Or(Vec::new()),
        Operand::Literal(SqlLiteral::Number(number)) if &*number == "1" => {
            PredicateTree::And(Vec::new())
        }
        Operand::Literal(SqlLiteral::Null) => opaque("NULL"),
        Operand::Literal(SqlLiteral::Number(text) | SqlLiteral::String(text)) => opaque(&text),
    }
}

fn not(tree: PredicateTree) -> PredicateTree {
    PredicateTree::Not(Box::new(tree))
}

fn negate_if(negated: bool, tree: PredicateTree) -> PredicateTree {
    if negated { not(tree) } else { tree }
}

fn mirrored(operator: Comparison) -> Comparison {
    match operator {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        same => same,
    }
}
