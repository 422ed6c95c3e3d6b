//! Commands to the client that stand among the statements: psql's, sqlite3's, mysql's, and `GO`.

use super::lexer::{Token, TokenKind};
use super::script::Script;

impl Script<'_> {
    pub(super) fn is_client_command(&self, first: Token) -> bool {
        match first.kind {
            TokenKind::Punct(b'\\') => true,
            TokenKind::Punct(b'.') => self.lexer.rules.sqlite,
            TokenKind::Word => {
                (self.lexer.rules.mysql && self.is(first, "SOURCE"))
                    || self.separates_batches(first)
            }
            _ => false,
        }
    }

    /// `GO` on a line of its own: SQL Server's tools send what stands before it.
    pub(super) fn separates_batches(&self, token: Token) -> bool {
        if !self.is(token, "GO") {
            return false;
        }
        let before = self.text.get(..token.start as usize).unwrap_or("");
        let behind = self.text.get(token.end as usize..).unwrap_or("");
        let blank = |line: Option<&str>| line.is_none_or(|line| line.trim().is_empty());
        blank(before.rsplit('\n').next()) && blank(behind.lines().next())
    }

    /// Where `GO` ends what was passed over from there on; a line in a string does not.
    pub(super) fn batch_in(&self, from: usize) -> Option<usize> {
        let passed = self.text.as_bytes().get(from..self.lexer.at)?;
        let near = |word: &[u8]| memchr::memmem::find(passed, word).is_some();
        if !near(b"\nGO") && !near(b"\ngo") {
            return None;
        }
        let mut lexer = self.lexer.clone();
        let end = lexer.at;
        lexer.at = from;
        while lexer.at < end {
            let token = lexer.advance();
            if self.separates_batches(token) {
                return Some(token.start as usize);
            }
        }
        None
    }

    /// True of psql's commands that send the statement before them: `\g`, `\gset`, `\gexec` and
    /// their like. The others run at once, and the statement goes on behind them.
    pub(super) fn sends(&self, backslash: Token) -> bool {
        let rest = self.text.get(backslash.end as usize..).unwrap_or("");
        ["g", "crosstabview", "watch", "parse"]
            .iter()
            .any(|command| rest.starts_with(command))
    }
}
