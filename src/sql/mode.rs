//! Where the dialects differ in their tokens, and what MySQL's `sql_mode` changes about it.

use crate::model::schema::Dialect;

use super::cursor::Cursor;
use super::lexer::TokenKind;
use super::literal;

/// How text is cut into tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    pub(super) dialect: Dialect,
    /// MySQL, MariaDB, TiDB.
    pub(super) mysql: bool,
    pub(super) postgres: bool,
    pub(super) sqlite: bool,
    /// MySQL's `sql_mode`, as far as it changes tokens.
    pub(super) mode: SqlMode,
}

/// The parts of MySQL's `sql_mode` that change how text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct SqlMode {
    /// `"x"` is a name.
    pub(super) ansi_quotes: bool,
    /// A backslash in a string is a character like any other.
    pub(super) plain_backslash: bool,
}

impl Rules {
    pub(super) fn of(dialect: Dialect) -> Self {
        Self {
            dialect,
            mysql: matches!(dialect, Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb),
            postgres: dialect == Dialect::Postgres,
            sqlite: dialect == Dialect::Sqlite,
            mode: SqlMode::default(),
        }
    }

    /// True if a backslash escapes in an ordinary string.
    pub(super) fn backslashes(self) -> bool {
        self.mysql && !self.mode.plain_backslash
    }
}

/// Modes that stand for several others. Source: MySQL and MariaDB manuals, "SQL Mode".
const ANSI: [&str; 8] = [
    "ANSI",
    "ANSI_QUOTES",
    "DB2",
    "MAXDB",
    "MSSQL",
    "ORACLE",
    "POSTGRESQL",
    "MYSQL323_ANSI",
];

impl SqlMode {
    /// The mode behind a `SET` statement, and the one it puts aside in a variable, if it does.
    ///
    /// A mode taken from a variable is the one that was put aside before.
    pub(super) fn after(self, set: Cursor<'_>, aside: &mut Self) -> Self {
        let mut mode = self;
        let mut cursor = set;
        cursor.step();
        while !cursor.at_end() {
            let start = cursor;
            cursor.skip_to(&[]);
            let one = cursor.since(&start);
            if names_mode(&one, 0) {
                mode = mode.assigned(one, *aside);
            } else if (1..one.len()).any(|at| names_mode(&one, at)) {
                *aside = mode;
            }
            if !cursor.eat_punct(b',') {
                break;
            }
        }
        mode
    }

    fn assigned(self, one: Cursor<'_>, aside: Self) -> Self {
        let tokens = (1..one.len()).filter_map(|at| one.ahead(at));
        let mut words = String::new();
        let (mut whole, mut variable) = (true, false);
        for token in tokens {
            match token.kind {
                TokenKind::String | TokenKind::Quoted => {
                    let text = literal::name(one.source(token), one.dialect);
                    words.push(',');
                    words.push_str(&text.to_ascii_uppercase());
                }
                TokenKind::Parameter => variable = true,
                // A function makes a mode of another: what is taken away is not followed.
                TokenKind::Punct(b'(') => whole = false,
                _ => {}
            }
        }
        let has = |names: &[&str]| words.split(',').any(|word| names.contains(&word.trim()));
        let named = Self {
            ansi_quotes: has(&ANSI),
            plain_backslash: has(&["NO_BACKSLASH_ESCAPES"]),
        };
        match (whole, variable) {
            (true, true) => aside,
            (true, false) => named,
            (false, _) if (1..one.len()).any(|at| one.token_is(one.ahead(at), "REPLACE")) => self,
            (false, _) => Self {
                ansi_quotes: self.ansi_quotes || named.ansi_quotes,
                plain_backslash: self.plain_backslash || named.plain_backslash,
            },
        }
    }
}

/// True if the token is `sql_mode` or `@@sql_mode`, behind `SESSION` or the like; at 0, the target.
fn names_mode(one: &Cursor<'_>, at: usize) -> bool {
    let is_mode = |at: usize| {
        one.ahead(at).is_some_and(|token| {
            let name = one.source(token).trim_start_matches('@');
            matches!(token.kind, TokenKind::Word | TokenKind::Parameter)
                && name.eq_ignore_ascii_case("sql_mode")
        })
    };
    let scope = |at: usize| {
        one.ahead(at).is_some_and(|token| {
            let name = one.source(token).trim_start_matches('@');
            ["SESSION", "LOCAL", "GLOBAL"]
                .iter()
                .any(|scope| scope.eq_ignore_ascii_case(name))
        })
    };
    let dot = |at: usize| {
        one.ahead(at)
            .is_some_and(|token| token.kind == TokenKind::Punct(b'.'))
    };
    is_mode(at) || (scope(at) && (is_mode(at + 1) || (dot(at + 1) && is_mode(at + 2))))
}
