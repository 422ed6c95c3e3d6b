//! Bodies of triggers, routines and rules: a `;` inside one does not end the statement.

use super::lexer::{Token, TokenKind};
use super::script::Script;

/// What keeps a `;` from ending the statement.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyKind {
    /// Nothing does.
    #[default]
    None,
    /// SQLite: `END` behind a `;`. Source: `sqlite3_complete`.
    Trigger,
    /// `BEGIN … END` with blocks in it.
    Blocks,
    /// PostgreSQL rules: commands in parentheses.
    Parentheses,
}

/// The open body of a trigger, routine or rule; looks at every token once.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) kind: BodyKind,
    looked: bool,
    depth: i32,
    seen: usize,
    closed: bool,
}

impl Body {
    pub(super) fn is_closed(&self) -> bool {
        self.kind == BodyKind::None || self.closed
    }

    pub(super) fn look(&mut self, script: &Script<'_>, tokens: &[Token]) {
        if !self.looked {
            self.looked = true;
            self.kind = body_kind(script, tokens);
        }
        match self.kind {
            BodyKind::None => {}
            BodyKind::Trigger => {
                self.closed = match tokens {
                    [.., before, end] => {
                        before.kind == TokenKind::Terminator && script.is(*end, "END")
                    }
                    _ => false,
                };
            }
            BodyKind::Blocks => self.count_blocks(script, tokens),
            BodyKind::Parentheses => {
                for token in tokens.get(self.seen..).unwrap_or_default() {
                    match token.kind {
                        TokenKind::Punct(b'(') => self.depth += 1,
                        TokenKind::Punct(b')') => self.depth -= 1,
                        _ => {}
                    }
                }
                self.seen = tokens.len();
                self.closed = self.depth <= 0;
            }
        }
    }

    /// `CASE` opens anywhere, the other words only where a statement can begin.
    fn count_blocks(&mut self, script: &Script<'_>, tokens: &[Token]) {
        const BEGINS: [&str; 8] = [
            "BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT", "ROW", "ATOMIC",
        ];
        const OPENS: [&str; 5] = ["BEGIN", "IF", "LOOP", "WHILE", "REPEAT"];
        while let Some(token) = tokens.get(self.seen) {
            let before = self.seen.checked_sub(1).and_then(|at| tokens.get(at));
            let after_end = before.is_some_and(|before| script.is(*before, "END"));
            if script.is(*token, "END") {
                self.depth -= 1;
            } else if script.is(*token, "CASE") && !after_end {
                self.depth += 1;
            } else if OPENS.iter().any(|word| script.is(*token, word)) && !after_end {
                let at_start = before.is_some_and(|before| {
                    matches!(before.kind, TokenKind::Terminator | TokenKind::Punct(b':'))
                        || BEGINS.iter().any(|word| script.is(*before, word))
                });
                if at_start || script.is(*token, "BEGIN") {
                    self.depth += 1;
                }
            }
            self.seen += 1;
        }
        self.closed = self.depth <= 0;
    }
}

fn body_kind(script: &Script<'_>, tokens: &[Token]) -> BodyKind {
    let mut head = tokens.iter().take(12);
    let creates = head
        .next()
        .is_some_and(|first| script.is(*first, "CREATE") || script.is(*first, "ALTER"));
    if !creates {
        return BodyKind::None;
    }
    let rules = script.lexer.rules;
    for token in head {
        let routine = ["TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "PACKAGE"]
            .iter()
            .any(|word| script.is(*token, word));
        if rules.sqlite && script.is(*token, "TRIGGER") {
            let begins = tokens.iter().any(|token| script.is(*token, "BEGIN"));
            return if begins {
                BodyKind::Trigger
            } else {
                BodyKind::None
            };
        }
        if rules.mysql && routine && script.lexer.delimiter.is_none() {
            return BodyKind::Blocks;
        }
        if rules.postgres && routine {
            let atomic = tokens.windows(2).any(|pair| match pair {
                [begin, atomic] => script.is(*begin, "BEGIN") && script.is(*atomic, "ATOMIC"),
                _ => false,
            });
            return if atomic {
                BodyKind::Blocks
            } else {
                BodyKind::None
            };
        }
        if rules.postgres && script.is(*token, "RULE") {
            return BodyKind::Parentheses;
        }
        if script.is(*token, "TABLE") || script.is(*token, "INDEX") || script.is(*token, "VIEW") {
            return BodyKind::None;
        }
    }
    BodyKind::None
}
