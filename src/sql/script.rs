//! A script cut into statements: data is passed over at speed, bodies of triggers and routines stay
//! whole, `DELIMITER` and the client's own commands are obeyed or named.

use crate::model::schema::Dialect;

use super::body::{Body, BodyKind};
use super::cursor::Cursor;
use super::lexer::{Lexer, Token, TokenKind};
use super::mode::SqlMode;
use super::scan;

/// What a statement is, as far as its first tokens tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementKind {
    /// All its tokens were read.
    Read,
    /// It moves data: only its first tokens were read.
    Data,
    /// A command to the client (`\connect x`, `.read x`), one line long.
    Client,
    /// The text ends inside a string, a comment, a body or a block of data.
    Broken,
}

/// One statement by its byte offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset just behind its last byte.
    pub end: u32,
}

/// Statements that move data or settings and define nothing.
const DATA: [&str; 24] = [
    "INSERT",
    "REPLACE",
    "UPDATE",
    "DELETE",
    "MERGE",
    "GRANT",
    "REVOKE",
    "COMMENT",
    "ANALYZE",
    "VACUUM",
    "LOCK",
    "UNLOCK",
    "TRUNCATE",
    "REINDEX",
    "VALUES",
    "SHOW",
    "DESCRIBE",
    "EXPLAIN",
    "NOTIFY",
    "LISTEN",
    "CHECKPOINT",
    "OPTIMIZE",
    "FLUSH",
    "LOAD",
];

/// How many tokens of a data statement are kept: enough for its target's name.
const HEAD: usize = 8;

/// Reads the statements of a text in order.
#[derive(Debug)]
pub struct Script<'a> {
    pub(super) text: &'a str,
    pub(super) lexer: Lexer<'a>,
    /// MySQL: the `sql_mode` that the script put aside in a variable.
    aside: SqlMode,
}

impl<'a> Script<'a> {
    /// Starts at the beginning of the text.
    pub fn new(text: &'a str, dialect: Dialect) -> Self {
        Self {
            text,
            lexer: Lexer::new(text, dialect),
            aside: SqlMode::default(),
        }
    }

    /// The next statement; its tokens replace what is in `tokens`, without the one that ends it.
    pub fn advance(&mut self, tokens: &mut Vec<Token>) -> Option<Statement> {
        tokens.clear();
        let mut first = self.lexer.advance();
        loop {
            match first.kind {
                TokenKind::End => return None,
                TokenKind::Terminator => {}
                _ if self.set_delimiter(first) => {}
                _ => break,
            }
            first = self.lexer.advance();
        }
        if first.kind == TokenKind::Broken {
            return Some(statement(StatementKind::Broken, first.start, first.end));
        }
        if self.is_client_command(first) {
            let end = scan::line_end(self.text.as_bytes(), first.start as usize);
            self.lexer.at = end;
            return Some(statement(StatementKind::Client, first.start, end as u32));
        }
        tokens.push(first);
        if DATA.iter().any(|word| self.is(first, word)) {
            return Some(self.pass_over(first, tokens));
        }
        let statement = self.read(first, tokens);
        if self.lexer.rules.mysql && self.is(first, "SET") {
            let set = Cursor::new(self.text, tokens, self.lexer.rules.dialect);
            self.lexer.rules.mode = self.lexer.rules.mode.after(set, &mut self.aside);
        }
        Some(statement)
    }

    fn word(&self, token: Token) -> &'a str {
        self.text
            .get(token.start as usize..token.end as usize)
            .unwrap_or("")
    }

    pub(super) fn is(&self, token: Token, word: &str) -> bool {
        token.kind == TokenKind::Word && self.word(token).eq_ignore_ascii_case(word)
    }

    /// `DELIMITER x` of the MySQL client: up to the end of the line.
    fn set_delimiter(&mut self, first: Token) -> bool {
        if !self.lexer.rules.mysql || !self.is(first, "DELIMITER") {
            return false;
        }
        let end = scan::line_end(self.text.as_bytes(), first.end as usize);
        let line = self.text.get(first.end as usize..end).unwrap_or("");
        let delimiter = line.split_whitespace().next();
        self.lexer.delimiter = delimiter
            .filter(|delimiter| *delimiter != ";")
            .map(str::as_bytes);
        self.lexer.at = end;
        true
    }

    fn pass_over(&mut self, first: Token, tokens: &mut Vec<Token>) -> Statement {
        while tokens.len() < HEAD {
            let token = self.lexer.advance();
            match token.kind {
                TokenKind::Terminator | TokenKind::End => {
                    return statement(StatementKind::Data, first.start, token.start);
                }
                TokenKind::Broken => {
                    return statement(StatementKind::Broken, first.start, token.end);
                }
                TokenKind::Word if self.separates_batches(token) => {
                    self.lexer.at = token.start as usize;
                    return statement(StatementKind::Data, first.start, token.start);
                }
                _ => tokens.push(token),
            }
        }
        let from = self.lexer.at;
        let whole = self.lexer.skip_statement();
        if let Some(batch) = self.batch_in(from) {
            self.lexer.at = batch;
            return statement(StatementKind::Data, first.start, batch as u32);
        }
        let kind = match whole {
            true => StatementKind::Data,
            false => StatementKind::Broken,
        };
        statement(kind, first.start, self.lexer.position())
    }

    fn read(&mut self, first: Token, tokens: &mut Vec<Token>) -> Statement {
        let mut body = Body::default();
        loop {
            let token = self.lexer.advance();
            match token.kind {
                TokenKind::End if body.kind == BodyKind::None => {
                    return statement(StatementKind::Read, first.start, token.start);
                }
                TokenKind::Terminator => {
                    body.look(self, tokens);
                    if body.is_closed() {
                        return self.ended(first, token, tokens);
                    }
                    tokens.push(token);
                }
                TokenKind::End | TokenKind::Broken => {
                    body.look(self, tokens);
                    let whole = token.kind == TokenKind::End && body.is_closed();
                    let kind = match whole {
                        true => StatementKind::Read,
                        false => StatementKind::Broken,
                    };
                    return statement(kind, first.start, token.start);
                }
                TokenKind::Word if self.separates_batches(token) => {
                    self.lexer.at = token.start as usize;
                    return self.ended(first, token, tokens);
                }
                TokenKind::Punct(b'\\') if self.lexer.rules.postgres => {
                    if self.sends(token) {
                        // The command is a statement of its own.
                        self.lexer.at = token.start as usize;
                        return self.ended(first, token, tokens);
                    }
                    self.lexer.at = scan::line_end(self.text.as_bytes(), token.start as usize);
                }
                _ => tokens.push(token),
            }
        }
    }

    /// Behind `COPY … FROM stdin;` the data follows, up to a line with `\.`.
    fn ended(&mut self, first: Token, end: Token, tokens: &[Token]) -> Statement {
        let from_stdin = self.is(first, "COPY")
            && tokens.windows(2).any(|pair| match pair {
                [from, stdin] => self.is(*from, "FROM") && self.is(*stdin, "STDIN"),
                _ => false,
            });
        if !from_stdin {
            return statement(StatementKind::Read, first.start, end.start);
        }
        let data = self.lexer.rest(end.end as usize);
        let Some(length) = memchr::memmem::find(data, b"\n\\.") else {
            self.lexer.at = self.text.len();
            return statement(StatementKind::Broken, first.start, self.lexer.position());
        };
        self.lexer.at = end.end as usize + length + 3;
        statement(StatementKind::Data, first.start, end.start)
    }
}

fn statement(kind: StatementKind, start: u32, end: u32) -> Statement {
    Statement { kind, start, end }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, dialect: Dialect) -> Vec<(StatementKind, String)> {
        let mut script = Script::new(text, dialect);
        let mut tokens = Vec::new();
        let mut found = Vec::new();
        while let Some(statement) = script.advance(&mut tokens) {
            let text = &text[statement.start as usize..statement.end as usize];
            found.push((statement.kind, text.trim_end().to_owned()));
        }
        found
    }

    fn texts(text: &str, dialect: Dialect) -> Vec<String> {
        split(text, dialect)
            .into_iter()
            .map(|statement| statement.1)
            .collect()
    }

    #[test]
    fn bodies_stay_whole() {
        let sqlite = "CREATE TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET x=CASE WHEN 1 THEN 2 END; SELECT 1; END; CREATE TABLE b(x)";
        assert_eq!(texts(sqlite, Dialect::Sqlite).len(), 2);
        let mysql = "CREATE PROCEDURE p() BEGIN IF a THEN SELECT IF(1,2,3); END IF; WHILE b DO SET c = CASE d WHEN 1 THEN 2 END; END WHILE; END; CREATE TABLE b(x int);";
        assert_eq!(texts(mysql, Dialect::Mysql).len(), 2);
        let single = "CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW IF NEW.x IS NULL THEN SET NEW.x = 1; END IF; CREATE TABLE b(x int)";
        assert_eq!(texts(single, Dialect::Mysql).len(), 2);
        let plain =
            "CREATE TRIGGER t BEFORE INSERT ON a FOR EACH ROW SET NEW.x = 1; CREATE TABLE b(x int)";
        assert_eq!(texts(plain, Dialect::Mysql).len(), 2);
        let atomic = "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT CASE WHEN true THEN 1 END; END; SELECT 2";
        assert_eq!(texts(atomic, Dialect::Postgres).len(), 2);
        let rule =
            "CREATE RULE r AS ON INSERT TO a DO ALSO (DELETE FROM b; DELETE FROM c); SELECT 2";
        assert_eq!(texts(rule, Dialect::Postgres).len(), 2);
    }

    #[test]
    fn delimiters() {
        let text = "DELIMITER $$\nCREATE PROCEDURE p() BEGIN SELECT 1; END$$\nINSERT INTO a VALUES ('$$; x');$$\nDELIMITER ;\nCREATE TABLE b(x int);";
        let found = texts(text, Dialect::Mysql);
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[2], "CREATE TABLE b(x int)");
    }

    #[test]
    fn data_is_passed_over() {
        let copy = "COPY a (b) FROM stdin;\n1\tx; y'\n\\.\n\nCREATE TABLE b(x int);";
        let found = split(copy, Dialect::Postgres);
        assert_eq!(found[0].0, StatementKind::Data);
        assert_eq!(found[1].1, "CREATE TABLE b(x int)");
        let insert = r"INSERT INTO a (b, c, d, e) VALUES ('x;y', E'\'', $$ ; $$, a$b); SELECT 1";
        assert_eq!(texts(insert, Dialect::Postgres)[1], "SELECT 1");
        let insert = r"INSERT INTO a (b, c, d, e) VALUES ('x;\'y', 1/*;*/, 2 -- ;
            ); SELECT 1";
        assert_eq!(texts(insert, Dialect::Mysql)[1], "SELECT 1");
    }

    #[test]
    fn what_is_cut_off_is_broken() {
        for (text, dialect) in [
            ("INSERT INTO a (b, c, d, e, f) VALUES ('x", Dialect::Mysql),
            ("COPY a FROM stdin;\n1\t2\n", Dialect::Postgres),
            ("CREATE TABLE a (b text DEFAULT 'x", Dialect::Sqlite),
            (
                "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1;",
                Dialect::Sqlite,
            ),
        ] {
            let found = split(text, dialect);
            assert_eq!(
                found.last().map(|last| last.0),
                Some(StatementKind::Broken),
                "{text}"
            );
        }
    }

    #[test]
    fn the_sql_mode_decides_what_quotes_and_backslashes_do() {
        let dump =
            "/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='ANSI_QUOTES,NO_BACKSLASH_ESCAPES' */;
            CREATE TABLE \"a;b\" (c text DEFAULT 'x\\');
            SET SQL_MODE=@OLD_SQL_MODE;
            CREATE TABLE d (c text DEFAULT 'x\\';');";
        let found = texts(dump, Dialect::Mysql);
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found[1].ends_with("'x\\')"), "{found:?}");
        for set in [
            "SET SESSION sql_mode = 'ANSI'",
            "SET @@session.sql_mode = 'ORACLE'",
            "SET sql_mode = (SELECT CONCAT(@@sql_mode, ',ANSI_QUOTES'))",
        ] {
            let text = format!("{set}; CREATE TABLE \"a\\\" (c int); SELECT 1");
            assert_eq!(texts(&text, Dialect::Mysql).len(), 3, "{set}");
        }
    }

    #[test]
    fn client_commands_end_with_their_line() {
        let found = split("\\restrict abc\nSELECT 1;", Dialect::Postgres);
        assert_eq!(
            found[0],
            (StatementKind::Client, "\\restrict abc".to_owned())
        );
        assert_eq!(
            split(".read x.sql\nSELECT 1;", Dialect::Sqlite)[0].0,
            StatementKind::Client
        );
    }
}
