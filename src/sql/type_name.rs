//! Types by one of the names that an engine has for them.

use crate::model::schema::Dialect;

/// PostgreSQL's short names, with what its catalog prints.
/// Source: PostgreSQL, Data Types, table 8.1.
const POSTGRES: [(&str, &str); 20] = [
    ("int", "integer"),
    ("int4", "integer"),
    ("int8", "bigint"),
    ("int2", "smallint"),
    ("serial", "integer"),
    ("serial4", "integer"),
    ("bigserial", "bigint"),
    ("serial8", "bigint"),
    ("smallserial", "smallint"),
    ("bool", "boolean"),
    ("varchar", "character varying"),
    ("char", "character"),
    ("bpchar", "character"),
    ("decimal", "numeric"),
    ("float8", "double precision"),
    ("float4", "real"),
    ("timestamp", "timestamp without time zone"),
    ("timestamptz", "timestamp with time zone"),
    ("time", "time without time zone"),
    ("timetz", "time with time zone"),
];

/// The type by its long name, in lower case, so that two texts of one type are the same.
pub fn canonical(text: &str, dialect: Option<Dialect>) -> String {
    let lower = text.to_ascii_lowercase();
    let mut words = String::new();
    let mut arguments = String::new();
    let mut depth = 0usize;
    for character in lower.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 && character.is_whitespace() => continue,
            _ => {}
        }
        match depth > 0 || character == ')' {
            true => arguments.push(character),
            false => words.push(character),
        }
    }
    let (words, brackets) = match words.find('[') {
        Some(at) => words.split_at(at),
        None => (&*words, ""),
    };
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let known = POSTGRES.iter().find(|(short, _)| *short == words);
    let words = match (dialect, known) {
        (Some(Dialect::Postgres), Some((_, long))) => (*long).to_owned(),
        _ => words,
    };
    format!("{words}{arguments}{brackets}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_type_are_one() {
        let postgres = |text| canonical(text, Some(Dialect::Postgres));
        for (one, other) in [
            ("VARCHAR(32)", "character varying(32)"),
            ("timestamptz (6)", "timestamp(6) with time zone"),
            ("Numeric(18, 2)", "decimal(18,2)"),
            ("int[]", "integer[]"),
            ("timestamp", "timestamp without time zone"),
        ] {
            assert_eq!(postgres(one), postgres(other), "{one}");
        }
        for (one, other) in [
            ("varchar(32)", "varchar(33)"),
            ("int", "bigint"),
            ("int", "int[]"),
        ] {
            assert_ne!(postgres(one), postgres(other), "{one}");
        }
        assert_ne!(
            canonical("int", Some(Dialect::Sqlite)),
            canonical("integer", Some(Dialect::Sqlite))
        );
    }
}
