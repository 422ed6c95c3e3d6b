//! What a statement has to do with being the first: whether it claims, locks or only looks.

use std::sync::Arc;

use crate::model::schema::{ConflictClause, Dialect, SqlLiteral};

use super::cursor::Cursor;
use super::implied::{Implied, RowValue, implied};
use super::lexer::tokens_of;
use super::predicate;
use super::statement::{
    self, ArmAction, ConflictTarget, DrawSource, Expression, Form, Insert, InsertVerb, Name,
    Placeholder, Rows, Statement, Update,
};

/// What a statement does for whoever wants to be the first.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// An insert that writes no row where the key is taken.
    InsertIfAbsent(Row),
    /// An insert that fails where a key is taken.
    Insert(Row),
    /// An update that asks for a column that it changes.
    UpdateIf(Change),
    /// Any other update.
    Update(Change),
    /// A read that locks the rows it finds.
    LockingRead(Look),
    /// A lock on a number or name; true if it is held to the end of the transaction.
    AdvisoryLock(bool),
    /// A read.
    Read(Look),
}

/// A row that is inserted.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// The table.
    pub table: String,
    /// Its values, with the columns where the statement names them.
    pub values: Vec<(Option<Arc<str>>, Expression)>,
    /// The columns of the key whose conflict is asked for; none where the statement names none.
    pub key: Option<Vec<Arc<str>>>,
}

/// An update.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The table.
    pub table: String,
    /// What is set.
    pub set: Vec<(Arc<str>, Expression)>,
    /// True if it asks for a column that it changes.
    pub asks: bool,
    /// Whether the row that it wrote is still one that it asks for.
    pub again: Again,
    /// What it is given, with the offsets of each in the text, in order.
    pub given: Vec<(Placeholder, usize, usize)>,
}

/// Whether a row that an update wrote is found by it once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again {
    /// It is not: the condition is false of what was set.
    No,
    /// It is: what is set is what is asked for.
    Yes,
    /// The statement alone does not tell.
    Unknown,
}

/// A read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Look {
    /// The table.
    pub table: String,
    /// What it gives, in order: a column, or none for anything else.
    pub items: Vec<Option<Arc<str>>>,
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
        Statement::Insert(insert) => match is_if_absent(&insert) {
            true => Some(Standing::InsertIfAbsent(row(*insert))),
            false if insert.arms.is_empty() && insert.verb == InsertVerb::Plain => {
                Some(Standing::Insert(row(*insert)))
            }
            false => None,
        },
        Statement::Update(update) => {
            let asked = update.only_if.as_ref().map(|only_if| &only_if.whole);
            let asks = asked.is_some_and(|asked| {
                asked.draws.iter().any(|draw| match &draw.source {
                    DrawSource::Column { name, .. } => sets(&update, name).is_some(),
                    _ => false,
                })
            });
            let change = Change {
                table: update.table.name.to_string(),
                again: again(&update, dialect),
                given: given(&update),
                asks,
                set: update
                    .set
                    .into_iter()
                    .map(|it| (it.column.name, it.value))
                    .collect(),
            };
            Some(match asks {
                true => Standing::UpdateIf(change),
                false => Standing::Update(change),
            })
        }
        _ => None,
    }
}

fn row(insert: Insert) -> Row {
    let rows = match insert.rows {
        Rows::Values(rows) => rows,
        Rows::IfAbsent(values, _) => vec![values],
        Rows::Query(query) => vec![vec![query]],
        Rows::Defaults => Vec::new(),
    };
    let column = |at: usize| {
        insert
            .columns
            .get(at)
            .map(|column| Arc::clone(&column.name))
    };
    let values = rows.into_iter().flat_map(|row| row.into_iter().enumerate());
    let mut arms = insert.arms.iter();
    let key = arms.find_map(|arm| match &arm.target {
        ConflictTarget::Parts { parts, .. } => {
            parts.iter().map(|part| part.column.clone()).collect()
        }
        _ => None,
    });
    Row {
        table: insert.table.name.to_string(),
        values: values.map(|(at, value)| (column(at), value)).collect(),
        key,
    }
}

fn sets<'u>(update: &'u Update, name: &str) -> Option<&'u Expression> {
    let mut set = update.set.iter();
    let found = set.find(|set| set.column.name.eq_ignore_ascii_case(name));
    found.map(|set| &set.value)
}

/// Whether the condition of an update holds of the row that it wrote.
fn again(update: &Update, dialect: Dialect) -> Again {
    let Some(only_if) = &update.only_if else {
        return Again::Yes;
    };
    // `version < $1` and `version = $1`, where the very value, or one more, is set.
    let moves_on = only_if.newer.iter().any(|(column, asked)| {
        sets(update, &column.name).is_some_and(|set| set.text == asked.text)
    });
    let steps = only_if.equals.iter().any(|(column, _)| {
        sets(update, &column.name).is_some_and(|set| is_step(set, &column.name))
    });
    if moves_on || steps {
        return Again::No;
    }
    let same = |column: &Name, asked: &Expression| {
        sets(update, &column.name).is_some_and(|set| set.text == asked.text)
    };
    let mut equals = only_if.equals.iter();
    if only_if.only_equals
        && equals.all(|(column, asked)| sets(update, &column.name).is_none() || same(column, asked))
    {
        return Again::Yes;
    }
    let tree = predicate::parse(&only_if.whole.text, dialect, &|_| true);
    let wrote = |column: &str| match sets(update, column) {
        None => RowValue::Unknown,
        Some(set) => match (&set.form, set.draws.first().map(|draw| &draw.source)) {
            (Form::Literal(SqlLiteral::Null), _) => RowValue::Null,
            (Form::Literal(literal), _) => RowValue::Literal(literal.clone()),
            // What the caller gives may be any value; that it is one is taken for granted.
            (Form::Plain, Some(DrawSource::Placeholder(_))) => RowValue::NotNull,
            (_, Some(DrawSource::Clock | DrawSource::Random | DrawSource::Sequence)) => {
                RowValue::NotNull
            }
            _ => RowValue::Unknown,
        },
    };
    match implied(&tree, &wrote) {
        Implied::No(_) => Again::No,
        Implied::Yes => Again::Yes,
        Implied::Unknown(_) => Again::Unknown,
    }
}

fn given(update: &Update) -> Vec<(Placeholder, usize, usize)> {
    let set = update.set.iter().map(|set| &set.value);
    let asked = update.only_if.iter().map(|only_if| &only_if.whole);
    let draws = set.chain(asked).flat_map(|value| &value.draws);
    draws
        .filter_map(|draw| match &draw.source {
            DrawSource::Placeholder(at) => {
                Some((at.clone(), draw.start as usize, draw.end as usize))
            }
            _ => None,
        })
        .collect()
}

/// True of `column + 1`.
fn is_step(set: &Expression, column: &str) -> bool {
    let own = set.draws.iter().all(|draw| match &draw.source {
        DrawSource::Column { name, .. } => name.eq_ignore_ascii_case(column),
        _ => false,
    });
    own && set.form == Form::Arithmetic && set.draws.len() == 1
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
    let mut items = Vec::new();
    cursor.eat("SELECT");
    let mut start = cursor;
    let mut depth = 0usize;
    while !cursor.at_end() {
        let called = cursor.token_is_punct(1, b'(');
        let lock = LOCKS.iter().find(|(name, _)| called && cursor.is(name));
        if let Some((_, to_commit)) = lock {
            return Standing::AdvisoryLock(*to_commit);
        }
        depth += usize::from(cursor.is_punct(b'('));
        depth = depth.saturating_sub(usize::from(cursor.is_punct(b')')));
        let ends = cursor.is("FROM") || (depth == 0 && cursor.is_punct(b','));
        if table.is_none() && ends {
            items.push(item(cursor.since(&start)));
        }
        if table.is_none() && cursor.eat("FROM") {
            table = cursor.qualified().ok().map(|found| found.name.to_string());
            continue;
        }
        locks |= cursor.are(&["FOR", "UPDATE"]) || cursor.are(&["FOR", "NO", "KEY", "UPDATE"]);
        cursor.step();
        if table.is_none() && ends {
            start = cursor;
        }
    }
    let look = Look {
        table: table.unwrap_or_default(),
        items,
    };
    match locks {
        true => Standing::LockingRead(look),
        false => Standing::Read(look),
    }
}

/// The column that an item of a select list is: `a`, `t.a`, `a AS b`.
fn item(mut span: Cursor<'_>) -> Option<Arc<str>> {
    let name = span.qualified().ok()?.name;
    let is_alone = span.at_end() || span.is("AS") || (span.len() == 1 && span.is_name());
    is_alone.then_some(name)
}

#[cfg(test)]
mod tests;
