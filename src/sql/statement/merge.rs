//! MERGE over one row of values: `USING (SELECT … )` or `USING (VALUES …)`.

use std::sync::Arc;

use crate::sql::cursor::Cursor;

use super::ast::{DrawSource, Expression, Form, Merge, MergeInsert};
use super::condition::condition;
use super::expression::{Scope, value};
use super::{NotUnderstood, insert, returning, update};

/// The row that MERGE compares with: its alias, and what each of its columns is.
struct Source {
    alias: Arc<str>,
    columns: Vec<(Arc<str>, Expression)>,
}

/// Reads behind the word MERGE.
pub(super) fn merge(cursor: &mut Cursor<'_>, scope: &Scope) -> Result<Merge, NotUnderstood> {
    cursor.eat("INTO");
    cursor.eat("ONLY");
    let table = cursor.qualified()?;
    update::alias(cursor)?;
    cursor.expect("USING")?;
    let source = source(cursor, scope)?;
    cursor.expect("ON")?;
    let condition = condition(cursor, scope, &["WHEN"])?;
    let equals = condition.only_equals.then(|| {
        let pairs = condition.equals.into_iter();
        pairs
            .map(|(name, value)| (name, source.resolved(value)))
            .collect()
    });
    let mut merge = Merge {
        table,
        equals,
        matched: Vec::new(),
        deletes: false,
        absent: None,
    };
    while cursor.eat("WHEN") {
        arm(cursor, scope, &source, &mut merge)?;
    }
    returning(cursor);
    Ok(merge)
}

fn arm(
    cursor: &mut Cursor<'_>,
    scope: &Scope,
    source: &Source,
    merge: &mut Merge,
) -> Result<(), NotUnderstood> {
    let absent = cursor.eat("NOT");
    cursor.expect("MATCHED")?;
    if cursor.is_any(&["AND", "BY"]) {
        let why = "a condition on an arm of MERGE is not followed";
        return Err(NotUnderstood::at(cursor.stop(), why));
    }
    cursor.expect("THEN")?;
    if cursor.eat_all(&["DO", "NOTHING"]) {
        return Ok(());
    }
    if absent {
        cursor.expect("INSERT")?;
        let columns = match cursor.is_punct(b'(') {
            true => insert::names(cursor)?,
            false => Vec::new(),
        };
        cursor.expect("VALUES")?;
        let at = cursor.stop();
        let values = insert::values(cursor, scope)?;
        if !columns.is_empty() && columns.len() != values.len() {
            return Err(at.into());
        }
        let values = values.into_iter().map(|it| source.resolved(it)).collect();
        merge.absent = Some(MergeInsert { columns, values });
        return Ok(());
    }
    if cursor.eat("DELETE") {
        merge.deletes = true;
        return Ok(());
    }
    cursor.expect("UPDATE")?;
    cursor.expect("SET")?;
    let mut set = update::assignments(cursor, scope, &["WHEN", "RETURNING"])?;
    for assignment in &mut set {
        assignment.value = source.resolved(assignment.value.clone());
    }
    merge.matched.extend(set);
    Ok(())
}

fn source(cursor: &mut Cursor<'_>, scope: &Scope) -> Result<Source, NotUnderstood> {
    let at = cursor.stop();
    let not_one_row = || {
        NotUnderstood::at(
            at,
            "MERGE from a table or a query over tables is not followed",
        )
    };
    let mut inside = cursor.parens().map_err(|_| not_one_row())?;
    let mut columns: Vec<(Arc<str>, Expression)> = Vec::new();
    if inside.eat("SELECT") {
        loop {
            let value = value(&mut inside, &["AS", "FROM"], scope)?;
            let name: Arc<str> = match inside.eat("AS") {
                true => inside.name()?,
                false => Arc::from(""),
            };
            columns.push((name, value));
            if !inside.eat_punct(b',') {
                break;
            }
        }
        if inside.eat("FROM") && !inside.eat("DUAL") {
            return Err(not_one_row());
        }
    } else if inside.eat("VALUES") {
        let values = insert::values(&mut inside, scope)?;
        columns = values.into_iter().map(|it| (Arc::from(""), it)).collect();
    }
    if !inside.at_end() || columns.is_empty() {
        return Err(not_one_row());
    }
    cursor.eat("AS");
    let alias = cursor.name()?;
    if cursor.is_punct(b'(') {
        let names = insert::names(cursor)?;
        for (slot, name) in columns.iter_mut().zip(names) {
            slot.0 = name.name;
        }
    }
    Ok(Source { alias, columns })
}

impl Source {
    fn of(&self, draw: &DrawSource) -> Option<&Expression> {
        match draw {
            DrawSource::Column { of: Some(of), name } if of.eq_ignore_ascii_case(&self.alias) => {
                let mut columns = self.columns.iter();
                let found = columns.find(|(column, _)| column.eq_ignore_ascii_case(name));
                found.map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// The expression with the columns of the source replaced by what they are.
    fn resolved(&self, expression: Expression) -> Expression {
        if let ([draw], Form::Plain) = (expression.draws.as_slice(), &expression.form)
            && let Some(value) = self.of(&draw.source)
        {
            return value.clone();
        }
        let draws = expression.draws.iter();
        let draws = draws.flat_map(|draw| match self.of(&draw.source) {
            Some(value) => value.draws.clone(),
            None => vec![draw.clone()],
        });
        Expression {
            draws: draws.collect(),
            ..expression.clone()
        }
    }
}
