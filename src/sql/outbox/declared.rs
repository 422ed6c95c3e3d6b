//! The eligible query as a person declared it: checked to be one SELECT, and with the two uses of the
//! outbox named as plans are read by.

use crate::model::schema::Dialect;
use crate::sql::lexer::{Lexer, Token, TokenKind};

use super::eligible::{CANDIDATE, Eligible, OLDER};

/// What is wrong with a query, and where in it, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryFault {
    /// The stretch of the query.
    pub at: std::ops::Range<usize>,
    /// What is wrong, in words without a full stop.
    pub sentence: String,
}

/// The tokens of one statement of SQL.
struct Tokens<'t> {
    text: &'t str,
    list: Vec<Token>,
}

impl<'t> Tokens<'t> {
    fn of(text: &'t str, dialect: Dialect) -> Self {
        let mut lexer = Lexer::new(text, dialect);
        let mut list = Vec::new();
        loop {
            let token = lexer.advance();
            if token.kind == TokenKind::End {
                return Self { text, list };
            }
            list.push(token);
            if token.kind == TokenKind::Broken {
                return Self { text, list };
            }
        }
    }

    fn source(&self, at: usize) -> &'t str {
        self.list.get(at).map_or("", |token| {
            let part = self.text.get(token.start as usize..token.end as usize);
            part.unwrap_or_default()
        })
    }

    fn is(&self, at: usize, words: &[&str]) -> bool {
        let is_word = self
            .list
            .get(at)
            .is_some_and(|token| token.kind == TokenKind::Word);
        is_word
            && words
                .iter()
                .any(|word| self.source(at).eq_ignore_ascii_case(word))
    }

    /// The name that a token is, without its quotes; none for what is no name.
    fn name(&self, at: usize) -> Option<&'t str> {
        match self.list.get(at)?.kind {
            TokenKind::Word => Some(self.source(at)),
            TokenKind::Quoted => Some(self.source(at).trim_matches(['"', '`', '[', ']'])),
            _ => None,
        }
    }

    fn fault(&self, at: usize, sentence: &str) -> QueryFault {
        let token = self.list.get(at);
        QueryFault {
            at: token.map_or(0..self.text.len(), |token| {
                token.start as usize..token.end as usize
            }),
            sentence: sentence.to_owned(),
        }
    }

    /// How deep in parentheses each token stands.
    fn depths(&self) -> Vec<usize> {
        let mut depth = 0usize;
        let of = |token: &Token| match token.kind {
            TokenKind::Punct(b'(') => {
                depth += 1;
                depth
            }
            TokenKind::Punct(b')') => {
                depth = depth.saturating_sub(1);
                depth + 1
            }
            _ => depth,
        };
        self.list.iter().map(of).collect()
    }
}

/// Words that change something, wherever they stand, or write what was read to a file.
const CHANGES: [&str; 7] = [
    "INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE", "INTO", "CALL",
];

/// Everything that keeps a text from being one SELECT for EXPLAIN.
pub fn query_faults(text: &str) -> Vec<QueryFault> {
    let tokens = Tokens::of(text, dialect_of(text));
    let mut faults = Vec::new();
    if !tokens.is(0, &["SELECT", "WITH"]) {
        faults.push(tokens.fault(0, "it is no SELECT"));
    }
    for (at, token) in tokens.list.iter().enumerate() {
        let is_locking = at > 0 && tokens.is(at - 1, &["FOR", "KEY"]);
        match token.kind {
            TokenKind::Parameter => faults.push(tokens.fault(
                at,
                "a parameter has no value in EXPLAIN: write one, such as a stamp or a status",
            )),
            TokenKind::Terminator if at + 1 < tokens.list.len() => {
                faults.push(tokens.fault(at, "a second statement begins behind it"));
                break;
            }
            TokenKind::Broken => faults.push(tokens.fault(at, "it is never closed")),
            TokenKind::Word if tokens.is(at, &CHANGES) && !is_locking => {
                let called = tokens.source(at + 1) == "(" && tokens.is(at, &["REPLACE", "INSERT"]);
                if !called {
                    faults.push(tokens.fault(at, "it must only read"));
                }
            }
            _ => {}
        }
    }
    faults
}

/// Why the plan of a query that is one SELECT would not tell how an outbox is read; in words without a
/// full stop.
pub fn query_misses(text: &str, table: &str) -> Option<String> {
    declared(text, table, table, dialect_of(text)).err()
}

/// Backticks are MySQL's; what else differs between the engines makes no other tokens of a SELECT.
fn dialect_of(text: &str) -> Dialect {
    match text.contains('`') {
        true => Dialect::Mysql,
        false => Dialect::Postgres,
    }
}

/// The query with its uses of the outbox `table` named; `full` is its name with the schema, which
/// PostgreSQL is asked with, since bare names are found nowhere while a catalog is read.
///
/// # Errors
/// Why its plan would not tell, in words without a full stop.
pub(super) fn declared(
    text: &str,
    table: &str,
    full: &str,
    dialect: Dialect,
) -> Result<Eligible, String> {
    if let Some(fault) = query_faults(text).first() {
        return Err(format!(
            "the declared query cannot be used: {}",
            fault.sentence
        ));
    }
    let tokens = Tokens::of(text, dialect);
    let depths = tokens.depths();
    let mut uses = uses(&tokens, table).into_iter();
    let (Some(first), Some(second), None) = (uses.next(), uses.next(), uses.next()) else {
        return Err(format!(
            "the declared query does not read {table} twice, for events that wait and for an older one of \
             the same record"
        ));
    };
    let depth = |found: &Use| depths.get(found.table).copied().unwrap_or(0);
    if depth(&first) >= depth(&second) {
        return Err(format!(
            "the declared query does not look for an older event in a subquery of the one that reads {table}"
        ));
    }
    if first.is_called(&tokens, second.name) {
        return Err(format!(
            "the declared query gives both uses of {table} one name: alias them"
        ));
    }
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    for (found, name) in [(&first, CANDIDATE), (&second, OLDER)] {
        let span = |at: usize| {
            let token = tokens.list.get(at);
            token.map_or((0, 0), |token| (token.start as usize, token.end as usize))
        };
        let is_bare = found.table > 0 && tokens.source(found.table - 1) != ".";
        if dialect == Dialect::Postgres && is_bare {
            let (start, end) = span(found.table);
            edits.push((start, end, full.to_owned()));
        }
        match found.alias {
            Some(at) => {
                let as_word = at > 0 && tokens.is(at - 1, &["AS"]);
                let word = if as_word {
                    name.to_owned()
                } else {
                    format!("AS {name}")
                };
                edits.push((span(at).0, span(at).1, word));
            }
            None => {
                let end = span(found.table).1;
                edits.push((end, end, format!(" AS {name}")));
            }
        }
        for at in 0..tokens.list.len() {
            let qualifies = tokens.source(at + 1) == "." && at != found.table;
            let is_part = at > 0 && tokens.source(at - 1) == ".";
            if qualifies
                && !is_part
                && found.is_called(&tokens, tokens.name(at).unwrap_or(""))
                && !is_schema(&tokens, at, table)
            {
                edits.push((span(at).0, span(at).1, name.to_owned()));
            }
        }
    }
    edits.sort();
    let ends = end_of_search(&tokens, &depths);
    let (mut ordered, mut from) = (String::new(), 0);
    let mut unordered = None;
    for (start, end, name) in edits {
        if unordered.is_none() && start >= ends {
            unordered = Some(format!(
                "{ordered}{}",
                text.get(from..ends).unwrap_or_default()
            ));
        }
        ordered += text.get(from..start).unwrap_or_default();
        ordered += &name;
        from = end;
    }
    let unordered = unordered
        .unwrap_or_else(|| format!("{ordered}{}", text.get(from..ends).unwrap_or_default()));
    ordered += text.get(from..).unwrap_or_default();
    let bare = |query: String| query.trim_end().trim_end_matches(';').trim_end().to_owned();
    Ok(Eligible {
        ordered: bare(ordered),
        unordered: bare(unordered),
    })
}

/// One use of the table: its token, and the one of its alias.
struct Use<'t> {
    table: usize,
    alias: Option<usize>,
    name: &'t str,
}

impl Use<'_> {
    fn is_called(&self, tokens: &Tokens<'_>, name: &str) -> bool {
        let alias = self.alias.and_then(|at| tokens.name(at));
        alias.unwrap_or(self.name).eq_ignore_ascii_case(name)
    }
}

/// True of a name in front of the table, which is its schema's.
fn is_schema(tokens: &Tokens<'_>, at: usize, table: &str) -> bool {
    let before = at > 0 && (tokens.is(at - 1, &["FROM", "JOIN"]) || tokens.source(at - 1) == ",");
    before
        && tokens
            .name(at + 2)
            .is_some_and(|name| name.eq_ignore_ascii_case(table))
}

fn uses<'t>(tokens: &Tokens<'t>, table: &str) -> Vec<Use<'t>> {
    const NO_ALIAS: [&str; 16] = [
        "WHERE", "ORDER", "LIMIT", "FOR", "JOIN", "LEFT", "RIGHT", "INNER", "CROSS", "ON", "USE",
        "FORCE", "GROUP", "HAVING", "UNION", "FETCH",
    ];
    let mut uses = Vec::new();
    for at in 1..tokens.list.len() {
        let Some(name) = tokens
            .name(at)
            .filter(|name| name.eq_ignore_ascii_case(table))
        else {
            continue;
        };
        let begins = match tokens.source(at - 1) {
            "." => at.saturating_sub(3),
            _ => at - 1,
        };
        if !tokens.is(begins, &["FROM", "JOIN"]) || tokens.source(at + 1) == "." {
            continue;
        }
        let next = if tokens.is(at + 1, &["AS"]) {
            at + 2
        } else {
            at + 1
        };
        let alias = (tokens.name(next).is_some() && !tokens.is(next, &NO_ALIAS)).then_some(next);
        let name = alias.and_then(|at| tokens.name(at)).unwrap_or(name);
        uses.push(Use {
            table: at,
            alias,
            name,
        });
    }
    uses
}

/// Where order, limit and locks of the outermost query begin.
fn end_of_search(tokens: &Tokens<'_>, depths: &[usize]) -> usize {
    const ENDS: [&str; 5] = ["ORDER", "LIMIT", "FETCH", "OFFSET", "FOR"];
    let mut at = 0..tokens.list.len();
    let found = at.find(|at| depths.get(*at) == Some(&0) && tokens.is(*at, &ENDS));
    found
        .and_then(|at| tokens.list.get(at))
        .map_or(tokens.text.len(), |token| token.start as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_uses_of_the_table_get_the_names_that_plans_are_read_by() {
        let text = "SELECT q.id FROM crm.queue q WHERE q.state = 'new' AND NOT EXISTS (SELECT 1 FROM queue AS o \
                    WHERE o.rkey = q.rkey AND o.made < q.made ORDER BY 1) ORDER BY q.made LIMIT 1 FOR UPDATE SKIP LOCKED;";
        let eligible = declared(text, "queue", "queue", Dialect::Postgres).expect("a query");
        let unordered = "SELECT candidate.id FROM crm.queue AS candidate WHERE candidate.state = 'new' AND NOT EXISTS \
                         (SELECT 1 FROM queue AS older WHERE older.rkey = candidate.rkey AND older.made < candidate.made ORDER BY 1)";
        assert_eq!(eligible.unordered, unordered);
        let rest = "ORDER BY candidate.made LIMIT 1 FOR UPDATE SKIP LOCKED";
        assert_eq!(eligible.ordered, format!("{unordered} {rest}"));
        let bare = "SELECT id FROM queue WHERE NOT EXISTS (SELECT 1 FROM queue o WHERE o.rkey = queue.rkey)";
        let eligible = declared(bare, "Queue", "Queue", Dialect::Sqlite).expect("a query");
        assert_eq!(
            eligible.unordered,
            "SELECT id FROM queue AS candidate WHERE NOT EXISTS (SELECT 1 FROM queue AS older WHERE older.rkey = candidate.rkey)"
        );
    }

    #[test]
    fn what_a_plan_would_not_tell_is_refused() {
        for text in [
            "SELECT id FROM queue",
            "SELECT id FROM queue a, other b WHERE EXISTS (SELECT 1 FROM other)",
            "SELECT 1 FROM queue WHERE EXISTS (SELECT 1 FROM queue WHERE id = 1)",
            "SELECT 1 FROM queue a JOIN queue b ON a.id = b.id",
            "DELETE FROM queue",
        ] {
            assert!(
                declared(text, "queue", "queue", Dialect::Postgres).is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn every_fault_has_its_place() {
        for (text, quote) in [
            ("UPDATE t SET a = 1", "UPDATE"),
            ("SELECT 1; DELETE FROM t", ";"),
            ("SELECT a FROM t WHERE b = $1", "$1"),
            ("SELECT a FROM t WHERE b = ?", "?"),
            ("SELECT a INTO OUTFILE 'x' FROM t", "INTO"),
            (
                "WITH x AS (DELETE FROM t RETURNING a) SELECT a FROM x",
                "DELETE",
            ),
            ("SELECT 'a", "'a"),
        ] {
            let faults = query_faults(text);
            let at = faults.first().expect("a fault").at.clone();
            assert_eq!(text.get(at), Some(quote), "{text}: {faults:?}");
        }
        for text in [
            "SELECT replace(a, 'x', 'y') FROM t FOR UPDATE SKIP LOCKED;",
            "select a from `t` for no key update",
        ] {
            assert_eq!(query_faults(text), [], "{text}");
        }
    }
}
