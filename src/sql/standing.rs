//! What a statement has to do with being the first: whether it claims, locks or only looks.

use crate::model::schema::{ConflictClause, Dialect};

use super::cursor::Cursor;
use super::lexer::tokens_of;
use super::statement::{self, ArmAction, DrawSource, Insert, InsertVerb, Statement};

/// What a statement does for whoever wants to be the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// An insert that writes no row where the key is taken.
    InsertIfAbsent(String),
    /// An insert that fails where a key is taken.
    Insert(String),
    /// An update that asks for what it changes: no row is found once it has run.
    UpdateIf(String),
    /// A read that locks the rows it finds.
    LockingRead(String),
    /// A lock on a number or name; true if it is held to the end of the transaction.
    AdvisoryLock(bool),
    /// A read.
    Read(String),
}

/// Functions that take a lock, and whether it ends with the transaction.
const LOCKS: &[(&str, bool)] = &[
    ("pg_advisory_xact_lock", true),
    ("pg_try_advisory_xact_lock", true),
    ("pg_advisory_lock", false),
    ("pg_try_advisory_lock", false),
    ("get_lock", false),
    ("sp_getapplock", true),
];

/// Reads it; none of a statement that does nothing of the kind, or cannot be read as a whole.
pub fn standing(text: &str, dialect: Dialect) -> Option<Standing> {
    let tokens = tokens_of(text.trim_end().trim_end_matches(';'), dialect)?;
    let cursor = Cursor::new(text, &tokens, dialect);
    if cursor.is("SELECT") {
        return Some(read(cursor));
    }
    let mut statement = statement::parse(text, dialect).ok()?;
    while let Statement::With(_, inner) = statement {
        statement = *inner;
    }
    match statement {
        Statement::Insert(insert) => Some(match is_if_absent(&insert) {
            true => Standing::InsertIfAbsent(insert.table.name.to_string()),
            false if insert.arms.is_empty() && insert.verb == InsertVerb::Plain => {
                Standing::Insert(insert.table.name.to_string())
            }
            false => return None,
        }),
        Statement::Update(update) => {
            let asked = &update.only_if.as_ref()?.whole;
            let asks = asked.draws.iter().any(|draw| match &draw.source {
                DrawSource::Column { name, .. } => {
                    let mut set = update.set.iter();
                    set.any(|set| set.column.name.eq_ignore_ascii_case(name))
                }
                _ => false,
            });
            asks.then(|| Standing::UpdateIf(update.table.name.to_string()))
        }
        _ => None,
    }
}

fn is_if_absent(insert: &Insert) -> bool {
    let ignores = matches!(
        insert.verb,
        InsertVerb::Ignore | InsertVerb::Or(ConflictClause::Ignore)
    );
    let mut arms = insert.arms.iter();
    ignores || (!insert.arms.is_empty() && arms.all(|arm| matches!(arm.action, ArmAction::Nothing)))
}

fn read(mut cursor: Cursor<'_>) -> Standing {
    let mut table = None;
    let mut locks = false;
    while !cursor.at_end() {
        let called = cursor.token_is_punct(1, b'(');
        let lock = LOCKS.iter().find(|(name, _)| called && cursor.is(name));
        if let Some((_, to_commit)) = lock {
            return Standing::AdvisoryLock(*to_commit);
        }
        if table.is_none() && cursor.eat("FROM") {
            table = cursor.qualified().ok().map(|found| found.name.to_string());
            continue;
        }
        locks |= cursor.are(&["FOR", "UPDATE"]) || cursor.are(&["FOR", "NO", "KEY", "UPDATE"]);
        cursor.step();
    }
    let table = table.unwrap_or_default();
    match locks {
        true => Standing::LockingRead(table),
        false => Standing::Read(table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Standing> {
        standing(text, Dialect::Postgres)
    }

    #[test]
    fn claims_are_told_from_writes() {
        let claim = Some(Standing::InsertIfAbsent("seen".to_owned()));
        assert_eq!(
            of("INSERT INTO seen (id) VALUES ($1) ON CONFLICT DO NOTHING"),
            claim
        );
        assert_eq!(
            of("INSERT INTO seen (id) VALUES ($1) ON CONFLICT (id) DO NOTHING RETURNING id"),
            claim
        );
        let plain = Some(Standing::Insert("seen".to_owned()));
        assert_eq!(of("INSERT INTO seen (id) VALUES ($1)"), plain);
        let over = "INSERT INTO seen (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET id = 1";
        assert_eq!(of(over), None);
        assert_eq!(
            standing("INSERT IGNORE INTO seen (id) VALUES (?)", Dialect::Mysql),
            claim
        );
    }

    #[test]
    fn an_update_that_asks_for_what_it_changes() {
        let update = "UPDATE job SET state = 'done' WHERE id = $1 AND state = 'open'";
        assert_eq!(of(update), Some(Standing::UpdateIf("job".to_owned())));
        assert_eq!(of("UPDATE job SET state = 'done' WHERE id = $1"), None);
    }

    #[test]
    fn locks_are_told_from_reads() {
        assert_eq!(
            of("SELECT id FROM job WHERE id = $1 FOR UPDATE SKIP LOCKED"),
            Some(Standing::LockingRead("job".to_owned()))
        );
        assert_eq!(
            of("SELECT id FROM job WHERE note = 'FOR UPDATE'"),
            Some(Standing::Read("job".to_owned()))
        );
        assert_eq!(
            of("SELECT pg_advisory_xact_lock($1)"),
            Some(Standing::AdvisoryLock(true))
        );
    }
}
