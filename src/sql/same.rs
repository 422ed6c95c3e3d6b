//! Whether two expressions are the same to an engine that looks for an index: spelling, blanks,
//! parentheses and the casts that a catalog prints make no difference.

use crate::model::schema::{Dialect, PredicateTree};

use super::expression::{grouped, normal, ungrouped};

/// Whether two expressions are written alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alike {
    /// They are.
    Yes,
    /// They are not.
    No,
    /// Their words are the same and their parentheses differ, in a syntax that is not taken apart.
    Unknown,
}

/// Compares their normal forms; of what is not understood, words and then parentheses.
pub fn alike(one: &str, other: &str, dialect: Dialect) -> Alike {
    match (grouped(one, dialect), grouped(other, dialect)) {
        (Some(one), Some(other)) if one == other => Alike::Yes,
        (Some(_), Some(_)) => Alike::No,
        _ if normal(one, dialect) == normal(other, dialect) => Alike::Yes,
        _ if ungrouped(one, dialect) == ungrouped(other, dialect) => Alike::Unknown,
        _ => Alike::No,
    }
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
    fn parentheses_that_change_the_meaning_make_a_difference() {
        for (one, other) in [
            ("(a + b) * c", "a + b * c"),
            ("a - (b - c)", "a - b - c"),
            ("(a = 1 OR b = 1) AND c = 1", "a = 1 OR b = 1 AND c = 1"),
        ] {
            assert_eq!(alike(one, other, Dialect::Postgres), Alike::No, "{one}");
        }
        let queries = (
            "(EXISTS (SELECT 1)) OR (a AND b)",
            "EXISTS (SELECT 1) OR a AND b",
        );
        let open = alike(queries.0, queries.1, Dialect::Postgres);
        assert_eq!(open, Alike::Unknown);
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
