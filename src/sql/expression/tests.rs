//! The normal form on what people write and engines print.

use super::*;

fn same(one: &str, other: &str, dialect: Dialect) -> bool {
    normal(one, dialect) == normal(other, dialect)
}

#[test]
fn what_postgres_prints_equals_what_it_was_given() {
    let cases = [
        ("lower(a)", "lower((a)::text)"),
        ("coalesce(b, '')", "COALESCE(b, ''::text)"),
        ("a || '-' || b", "((((a)::text || '-'::text) || b))"),
        ("left(a, 5)", "\"left\"((a)::text, 5)"),
        (
            "kind != 'x'",
            "((kind)::text <> 'x'::character varying(20))",
        ),
        ("data->>'id'", "(data ->> 'id'::text)"),
        ("cast(a as text)", "(a)::text"),
        ("f(a)", "public.f(a)"),
        ("state = 'a'", "(state = 'a'::public.state[])"),
        (
            "at > '2020-01-01'",
            "(at > '2020-01-01'::timestamp without time zone)",
        ),
        ("a + b * c", "(a + (b * c))"),
        ("a - b - c", "((a - b) - c)"),
        ("NOT a = b AND c", "((NOT (a = b)) AND c)"),
        ("a IS NOT NULL OR b = 1", "((a IS NOT NULL) OR (b = 1))"),
        (
            "case when a then 1 else 2 end",
            "CASE WHEN (a) THEN 1 ELSE 2 END",
        ),
        ("a BETWEEN 1 AND 2 AND b", "((a BETWEEN (1) AND 2) AND b)"),
        ("a COLLATE \"C\" || b", "((a COLLATE \"C\") || b)"),
        ("x[1] + 1", "((x)[1] + 1)"),
        ("a NOT LIKE 'x' AND b", "((a NOT LIKE ('x')) AND b)"),
        ("-a + b", "((- a) + b)"),
    ];
    for (written, printed) in cases {
        let (one, other) = (
            normal(written, Dialect::Postgres),
            normal(printed, Dialect::Postgres),
        );
        assert_eq!(one, other, "{written}");
        assert!(grouped(written, Dialect::Postgres).is_some(), "{written}");
    }
    let different = [
        ("lower(a)", "upper(a)"),
        ("a || 'X'", "a || 'x'"),
        ("f(a, b)", "f(b, a)"),
        ("(a + b) * c", "a + b * c"),
        ("a - (b - c)", "a - b - c"),
        ("(a = 1 OR b = 1) AND c = 1", "a = 1 OR b = 1 AND c = 1"),
        ("NOT (a AND b)", "NOT a AND b"),
        ("-(a + b)", "-a + b"),
        ("(a || b) COLLATE \"C\"", "a || b COLLATE \"C\""),
    ];
    for (one, other) in different {
        assert!(!same(one, other, Dialect::Postgres), "{one} and {other}");
    }
}

#[test]
fn parentheses_that_change_nothing_count_for_nothing() {
    for dialect in [Dialect::Postgres, Dialect::Sqlite, Dialect::Mysql] {
        for (one, other) in [
            ("((a))", "a"),
            ("(a + b) + c", "a + (b + c)"),
            ("lower((a))", "lower(a)"),
            ("((a) + (b * c))", "a + b * c"),
        ] {
            assert!(same(one, other, dialect), "{one} and {other}");
        }
    }
}

#[test]
fn operators_bind_as_the_engine_has_them() {
    // SQLite joins texts before it multiplies; PostgreSQL after it adds.
    assert!(same("a || b * c", "(a || b) * c", Dialect::Sqlite));
    assert!(same("a || b * c", "a || (b * c)", Dialect::Postgres));
    assert!(same("a -> 'k' = 1", "(a -> 'k') = 1", Dialect::Mysql));
}

#[test]
fn what_is_not_understood_keeps_its_parentheses() {
    let query = "a IN (SELECT b FROM t) AND (c OR d)";
    assert!(grouped(query, Dialect::Postgres).is_none());
    assert!(same(query, &format!("({query})"), Dialect::Postgres));
    assert!(!same(
        query,
        "a IN (SELECT b FROM t) AND c OR d",
        Dialect::Postgres
    ));
    let deep = format!("{}a{}", "(".repeat(5000), ")".repeat(5000));
    assert!(!normal(&deep, Dialect::Postgres).is_empty());
}

#[test]
fn what_mysql_prints_equals_what_it_was_given() {
    assert!(same("lower(k)", "lower(`k`)", Dialect::Mysql));
    assert!(same(
        "concat(a, '-')",
        "concat(`a`,_utf8mb4'-')",
        Dialect::Mysql
    ));
}

#[test]
fn only_parentheses_around_all_of_it_are_taken_off() {
    assert_eq!(bare("((a || b))", Dialect::Postgres), "a || b");
    assert_eq!(bare("(a) || (b)", Dialect::Postgres), "(a) || (b)");
}

#[test]
fn a_call_is_known_by_its_name() {
    let call = |text| call(text, Dialect::Postgres);
    assert_eq!(call("(public.\"left\"(a, 5))"), Some("left".to_owned()));
    assert_eq!(call("lower(a)"), Some("lower".to_owned()));
    assert_eq!(call("lower(a) || b"), None);
    assert_eq!(call("a + (b)"), None);
}
