//! Which engine a script is written for, by signs that only one of them has.

use crate::model::schema::Dialect;
use crate::sql::lexer::{Lexer, Token, TokenKind};

/// What the signs of a script say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guess {
    /// All signs point to one engine.
    One(Dialect),
    /// There is no sign.
    None,
    /// They contradict each other.
    Mixed(Dialect, Dialect),
}

/// Signs that count wherever they stand as a word.
const WORDS: [(&str, Dialect); 20] = [
    ("AUTOINCREMENT", Dialect::Sqlite),
    ("ROWID", Dialect::Sqlite),
    ("PRAGMA", Dialect::Sqlite),
    ("SQLITE_SEQUENCE", Dialect::Sqlite),
    ("AUTO_INCREMENT", Dialect::Mysql),
    ("ENGINE", Dialect::Mysql),
    ("INNODB", Dialect::Mysql),
    ("UNSIGNED", Dialect::Mysql),
    ("UTF8MB4", Dialect::Mysql),
    ("MEDIUMTEXT", Dialect::Mysql),
    ("LONGTEXT", Dialect::Mysql),
    ("TINYINT", Dialect::Mysql),
    ("DELIMITER", Dialect::Mysql),
    ("BIGSERIAL", Dialect::Postgres),
    ("TIMESTAMPTZ", Dialect::Postgres),
    ("JSONB", Dialect::Postgres),
    ("BYTEA", Dialect::Postgres),
    ("PG_CATALOG", Dialect::Postgres),
    ("CONCURRENTLY", Dialect::Postgres),
    ("PLPGSQL", Dialect::Postgres),
];

/// How much of a script is looked at, in bytes; signs stand among the definitions, at its head.
const ENOUGH: u32 = 1 << 20;

/// Looks for signs.
pub fn guess(text: &str) -> Guess {
    let mut found: Vec<Dialect> = Vec::new();
    if text.contains("/*T!") {
        found.push(Dialect::Tidb);
    }
    if text.contains("-- MariaDB dump") || text.contains("/*M!") {
        found.push(Dialect::Mariadb);
    }
    // PostgreSQL's lexer reads most of every dialect: its dollar quotes hide what is not SQL.
    let mut lexer = Lexer::new(text, Dialect::Postgres);
    let mut before: Option<Token> = None;
    loop {
        let token = lexer.advance();
        if matches!(token.kind, TokenKind::End | TokenKind::Broken) || token.start > ENOUGH {
            break;
        }
        if let Some(sign) = sign(text, token, before) {
            found.push(sign);
        }
        before = Some(token);
    }
    found.sort_by_key(|dialect| rank(*dialect));
    found.dedup();
    match found.as_slice() {
        [] => Guess::None,
        [one] => Guess::One(*one),
        // A dump of MariaDB or TiDB shows the signs of MySQL too.
        [one, Dialect::Mysql] if family(*one) => Guess::One(*one),
        [one, other, ..] => Guess::Mixed(*one, *other),
    }
}

fn rank(dialect: Dialect) -> u8 {
    match dialect {
        Dialect::Mariadb => 0,
        Dialect::Tidb => 1,
        Dialect::Mysql => 2,
        Dialect::Postgres => 3,
        Dialect::Sqlite => 4,
    }
}

fn family(dialect: Dialect) -> bool {
    matches!(dialect, Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb)
}

fn sign(text: &str, token: Token, before: Option<Token>) -> Option<Dialect> {
    let source = text
        .get(token.start as usize..token.end as usize)
        .unwrap_or("");
    let last = before.and_then(|token| text.get(token.start as usize..token.end as usize));
    let after = |word: &str| last.is_some_and(|last| last.eq_ignore_ascii_case(word));
    match token.kind {
        TokenKind::Quoted if source.starts_with('`') => Some(Dialect::Mysql),
        TokenKind::String if source.starts_with('$') => Some(Dialect::Postgres),
        TokenKind::Operator if source == "::" => Some(Dialect::Postgres),
        TokenKind::Word => {
            if after("FROM") && source.eq_ignore_ascii_case("STDIN") {
                return Some(Dialect::Postgres);
            }
            // ROWID and ENGINE are also names: a sign only where they cannot be.
            let needs = match source.to_ascii_uppercase().as_str() {
                "ROWID" => after("WITHOUT"),
                "ENGINE" => after(")"),
                _ => true,
            };
            let known = WORDS
                .iter()
                .find(|(word, _)| source.eq_ignore_ascii_case(word));
            known.filter(|_| needs).map(|(_, dialect)| *dialect)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs() {
        for (text, expected) in [
            (
                "CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT)",
                Guess::One(Dialect::Sqlite),
            ),
            (
                "CREATE TABLE a (k TEXT PRIMARY KEY) WITHOUT ROWID",
                Guess::One(Dialect::Sqlite),
            ),
            (
                "CREATE TABLE `a` (id int) ENGINE=InnoDB",
                Guess::One(Dialect::Mysql),
            ),
            (
                "CREATE TABLE `a` (id int) /*T![x] CLUSTERED */",
                Guess::One(Dialect::Tidb),
            ),
            ("CREATE TABLE a (id jsonb)", Guess::One(Dialect::Postgres)),
            ("SELECT 'x'::text", Guess::One(Dialect::Postgres)),
            ("CREATE TABLE a (id int, rowid int)", Guess::None),
            (
                "CREATE TABLE a (id bigserial) ENGINE=InnoDB",
                Guess::Mixed(Dialect::Mysql, Dialect::Postgres),
            ),
        ] {
            assert_eq!(guess(text), expected, "{text}");
        }
    }
}
