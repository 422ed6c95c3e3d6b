//! Whether two expressions are the same to an engine that looks for an index: spelling, blanks,
//! parentheses and the casts that a catalog prints make no difference.

use crate::model::schema::{Dialect, PredicateTree};

use super::columns::pass_type;
use super::cursor::Cursor;
use super::lexer::{Lexer, TokenKind};
use super::literal;

/// Whether two expressions are written alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alike {
    /// They are.
    Yes,
    /// They are not.
    No,
    /// Their words are the same and their parentheses differ: which of these change the meaning is
    /// not worked out.
    Unknown,
}

/// Compares words, then parentheses; those around everything, or around one operand, count for
/// nothing, nor do any where one associative operator stands alone.
pub fn alike(one: &str, other: &str, dialect: Dialect) -> Alike {
    let (Some(one), Some(other)) = (spelled(one, dialect), spelled(other, dialect)) else {
        return Alike::No;
    };
    let plain = |words: &[String]| -> Vec<String> {
        let is_group = |word: &&String| *word != "(" && *word != ")";
        words.iter().filter(is_group).cloned().collect()
    };
    if plain(&one.words) != plain(&other.words) {
        return Alike::No;
    }
    let chain = matches!(one.operators.as_slice(), [] | [_])
        && one
            .operators
            .iter()
            .all(|it| ["||", "+", "*"].contains(&&**it));
    match chain || one.words == other.words {
        true => Alike::Yes,
        false => Alike::Unknown,
    }
}

/// An expression as words, with the parentheses that group.
struct Spelled {
    words: Vec<String>,
    /// The operators in it, each once.
    operators: Vec<String>,
}

/// What stands between a parenthesis and its end.
#[derive(Default)]
struct Group {
    words: Vec<String>,
    /// True behind the name of a function.
    call: bool,
    operates: bool,
    own: usize,
    groups: usize,
}

impl Group {
    /// What it holds, without a group that is all of it.
    fn content(mut self) -> Vec<String> {
        if self.own == 0 && self.groups == 1 {
            self.words.pop();
            self.words.remove(0);
        }
        self.words
    }
}

fn spelled(text: &str, dialect: Dialect) -> Option<Spelled> {
    const WORDS: [&str; 8] = ["and", "or", "not", "is", "like", "in", "between", "collate"];
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
    let mut operators: Vec<String> = Vec::new();
    let mut open = vec![Group::default()];
    let mut named = false;
    while let Some(token) = cursor.peek() {
        let source = cursor.source(token);
        let group = open.last_mut()?;
        let mut after_name = false;
        match token.kind {
            TokenKind::Operator if source == "::" => {
                cursor.step();
                pass_type(&mut cursor);
                continue;
            }
            TokenKind::Punct(b'(') => open.push(Group {
                call: named,
                ..Group::default()
            }),
            TokenKind::Punct(b')') => {
                let done = open.pop()?;
                let group = open.last_mut()?;
                if done.call {
                    group.words.push("[".to_owned());
                    group.words.extend(done.content());
                    group.words.push("]".to_owned());
                } else if done.operates {
                    group.groups += 1;
                    group.words.push("(".to_owned());
                    group.words.extend(done.words);
                    group.words.push(")".to_owned());
                } else {
                    // Around one operand, or around a group that is all of it.
                    group.own += done.own;
                    group.groups += done.groups;
                    group.words.extend(done.words);
                }
            }
            TokenKind::Word | TokenKind::Quoted => {
                let word = literal::name(source, dialect).to_lowercase();
                let operator = WORDS.contains(&&*word);
                after_name = !operator;
                note(group, word, operator, &mut operators);
            }
            TokenKind::Operator | TokenKind::Punct(_) => {
                note(group, source.to_owned(), source != ",", &mut operators);
            }
            _ => note(group, source.to_owned(), false, &mut operators),
        }
        named = after_name;
        cursor.step();
    }
    let root = open.pop().filter(|_| open.is_empty())?;
    Some(Spelled {
        words: root.content(),
        operators,
    })
}

fn note(group: &mut Group, word: String, operator: bool, operators: &mut Vec<String>) {
    group.own += 1;
    group.operates |= operator;
    if operator && !operators.contains(&word) {
        operators.push(word.clone());
    }
    group.words.push(word);
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
            alike(one, other, dialect) == Alike::Yes
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
        let same = |one, other| alike(one, other, Dialect::Postgres) == Alike::Yes;
        assert!(same("lower(email)", "LOWER((\"email\")::text)"));
        assert!(same("a || b", "(a||b)"));
        assert!(!same("lower(email)", "upper(email)"));
        assert!(!same("a || 'x'", "a || 'X'"));
        assert!(same("((a || b) || c)", "a || b || c"));
        assert!(same("(((a + b) * c))", "(a + b) * c"));
        assert!(same("lower((a || b))", "lower(a || b)"));
        assert!(same("coalesce((a), (b))", "coalesce(a, b)"));
    }

    #[test]
    fn parentheses_that_may_change_the_meaning_leave_it_open() {
        for (one, other) in [
            ("(a + b) * c", "a + b * c"),
            ("a - (b - c)", "a - b - c"),
            ("(a = 1 OR b = 1) AND c = 1", "a = 1 OR b = 1 AND c = 1"),
        ] {
            assert_eq!(
                alike(one, other, Dialect::Postgres),
                Alike::Unknown,
                "{one}"
            );
        }
        assert_eq!(alike("a + b", "a - b", Dialect::Postgres), Alike::No);
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
