//! Whether two expressions are the same to an engine that looks for an index: spelling, blanks,
//! parentheses and the casts that a catalog prints make no difference.

use crate::model::schema::{Dialect, PredicateTree};

use super::columns::pass_type;
use super::cursor::Cursor;
use super::lexer::{Lexer, TokenKind};
use super::literal;

/// True if the two are written alike.
pub fn same_expression(one: &str, other: &str, dialect: Dialect) -> bool {
    match (words(one, dialect), words(other, dialect)) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    }
}

fn words(text: &str, dialect: Dialect) -> Option<Vec<String>> {
    let mut lexer = Lexer::new(text, dialect);
    let mut tokens = Vec::new();
    loop {
        let token = lexer.advance();
        match token.kind {
            TokenKind::End => break,
            TokenKind::Broken | TokenKind::Terminator => return None,
            _ => tokens.push(token),
        }
    }
    let mut cursor = Cursor::new(text, &tokens, dialect);
    let mut words: Vec<String> = Vec::new();
    while let Some(token) = cursor.peek() {
        let source = cursor.source(token);
        match token.kind {
            TokenKind::Operator if source == "::" => {
                cursor.step();
                pass_type(&mut cursor);
                continue;
            }
            // Parentheses group; those of a call stay visible by the name before them.
            TokenKind::Punct(b'(' | b')') => {}
            TokenKind::Word | TokenKind::Quoted => {
                words.push(literal::name(source, dialect).to_lowercase());
            }
            _ => words.push(source.to_owned()),
        }
        cursor.step();
    }
    Some(words)
}

/// Whether a condition implies another, by its conjuncts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Implies {
    /// It does.
    Yes,
    /// It does not: a column is asked for of which it says nothing.
    No,
    /// It cannot be told.
    Unknown,
}

/// Whether every row for which `given` is true is one for which `wanted` is.
pub fn implies(given: &PredicateTree, wanted: &PredicateTree, dialect: Dialect) -> Implies {
    let (given, wanted) = (conjuncts(given), conjuncts(wanted));
    let mut answer = Implies::Yes;
    for part in wanted {
        if given.iter().any(|known| proves(known, part, dialect)) {
            continue;
        }
        let columns = columns(part);
        let spoken_of = columns.is_empty()
            || given.iter().any(|known| {
                let known = self::columns(known);
                known.is_empty() || columns.iter().any(|column| known.contains(column))
            });
        match spoken_of {
            true => answer = Implies::Unknown,
            false => return Implies::No,
        }
    }
    answer
}

fn conjuncts(tree: &PredicateTree) -> Vec<&PredicateTree> {
    match tree {
        PredicateTree::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}

fn proves(known: &PredicateTree, part: &PredicateTree, dialect: Dialect) -> bool {
    match (known, part) {
        (PredicateTree::Opaque(one), PredicateTree::Opaque(other)) => {
            same_expression(one, other, dialect)
        }
        // What is compared is not NULL.
        (
            PredicateTree::Compare { column, .. }
            | PredicateTree::In { column, .. }
            | PredicateTree::Truth(column),
            PredicateTree::IsNotNull(asked),
        ) => column.eq_ignore_ascii_case(asked),
        _ => known == part,
    }
}

fn columns(tree: &PredicateTree) -> Vec<String> {
    match tree {
        PredicateTree::And(parts) | PredicateTree::Or(parts) => {
            parts.iter().flat_map(columns).collect()
        }
        PredicateTree::Not(inner) => columns(inner),
        PredicateTree::Compare { column, .. }
        | PredicateTree::In { column, .. }
        | PredicateTree::IsNull(column)
        | PredicateTree::IsNotNull(column)
        | PredicateTree::Truth(column) => vec![column.to_ascii_lowercase()],
        PredicateTree::Opaque(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::predicate::parse;

    #[test]
    fn spelling_makes_no_difference() {
        let same = |one, other| same_expression(one, other, Dialect::Postgres);
        assert!(same("lower(email)", "LOWER((\"email\")::text)"));
        assert!(same("a || b", "(a||b)"));
        assert!(!same("lower(email)", "upper(email)"));
        assert!(!same("a || 'x'", "a || 'X'"));
    }

    #[test]
    fn a_condition_implies_its_parts() {
        let tree = |text| parse(text, Dialect::Postgres, &|_| true);
        for (given, wanted, expected) in [
            ("deleted_at IS NULL", "(deleted_at IS NULL)", Implies::Yes),
            ("a = 1 AND kind = 'x'", "(kind = 'x'::text)", Implies::Yes),
            ("kind = 'x'", "kind IS NOT NULL", Implies::Yes),
            ("kind = 'x'", "deleted_at IS NULL", Implies::No),
            ("kind = 'y'", "kind = 'x'", Implies::Unknown),
            ("f(a)", "f(a)", Implies::Yes),
            ("f(a)", "b = 1", Implies::Unknown),
        ] {
            let answer = implies(&tree(given), &tree(wanted), Dialect::Postgres);
            assert_eq!(answer, expected, "{given} => {wanted}");
        }
    }
}
