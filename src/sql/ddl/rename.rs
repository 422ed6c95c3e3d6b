//! New names for tables and columns, in all that mentions them.

use std::sync::Arc;

use crate::model::schema::Dialect;
use crate::sql::cursor::QualifiedName;
use crate::sql::lexer::{Lexer, TokenKind};
use crate::sql::literal;

use super::catalog::{Catalog, Relation};

/// Gives a table another name or schema; its keys come along.
pub(super) fn table(catalog: &mut Catalog, from: &QualifiedName, to: QualifiedName) {
    let old = catalog.key(from);
    let new = catalog.key(&to);
    let Some(mut relation) = catalog.remove(&old) else {
        return;
    };
    let to = catalog.resolve(to);
    if catalog.dialect == Dialect::Sqlite {
        // Source: `sqlite3AlterRenameTable`.
        for key in &mut relation.keys {
            if let Some(number) = key
                .name
                .strip_prefix(&*format!("sqlite_autoindex_{}_", relation.table.name))
            {
                key.name = format!("sqlite_autoindex_{}_{number}", to.name).into();
            }
        }
    }
    let was = relation.table.name.clone();
    relation.table.schema = to.schema;
    relation.table.name = to.name.clone();
    catalog.insert(relation);
    for other in catalog.relations.values_mut() {
        if other.partition_of.as_ref() == Some(&old) {
            other.partition_of = Some(new.clone());
        }
        for key in &mut other.table.foreign_keys {
            if key.references.eq_ignore_ascii_case(&was) {
                key.references = to.name.clone();
            }
        }
    }
}

/// Gives a column another name.
pub(super) fn column(relation: &mut Relation, from: &str, to: &Arc<str>, dialect: Dialect) {
    let renamed = |name: &mut Arc<str>| {
        if name.eq_ignore_ascii_case(from) {
            *name = to.clone();
        }
    };
    let rewritten = |text: &mut Arc<str>| {
        if let Some(changed) = rewrite(text, from, to, dialect) {
            *text = changed.into();
        }
    };
    for column in &mut relation.table.columns {
        renamed(&mut column.name);
        if let Some(expression) = &mut column.generated {
            rewritten(expression);
        }
    }
    for key in &mut relation.keys {
        for part in &mut key.parts {
            part.column.as_mut().into_iter().for_each(renamed);
            part.expression.as_mut().into_iter().for_each(rewritten);
        }
        key.include.iter_mut().for_each(renamed);
        key.predicate.as_mut().into_iter().for_each(rewritten);
    }
    for (_, column) in &mut relation.null_checks {
        renamed(column);
    }
    for (_, column) in &mut relation.not_nulls {
        renamed(column);
    }
    for key in &mut relation.table.foreign_keys {
        key.columns.iter_mut().for_each(renamed);
        if key.references.eq_ignore_ascii_case(&relation.table.name) {
            key.to.iter_mut().for_each(renamed);
        }
    }
}

/// The expression with the column's new name, or nothing if it does not mention it.
fn rewrite(text: &str, from: &str, to: &str, dialect: Dialect) -> Option<String> {
    let mut lexer = Lexer::new(text, dialect);
    let mut changed = String::with_capacity(text.len());
    let mut done = 0;
    let mut found = false;
    loop {
        let token = lexer.advance();
        match token.kind {
            TokenKind::End | TokenKind::Broken => break,
            TokenKind::Word | TokenKind::Quoted => {
                let (start, end) = (token.start as usize, token.end as usize);
                let source = text.get(start..end).unwrap_or("");
                if literal::name(source, dialect).eq_ignore_ascii_case(from) {
                    changed.push_str(text.get(done..start).unwrap_or(""));
                    changed.push_str(&quoted(to, dialect));
                    done = end;
                    found = true;
                }
            }
            _ => {}
        }
    }
    changed.push_str(text.get(done..).unwrap_or(""));
    found.then_some(changed)
}

fn quoted(name: &str, dialect: Dialect) -> String {
    let plain = name.bytes().all(|byte| {
        byte == b'_'
            || byte.is_ascii_digit()
            || byte.is_ascii_lowercase()
            || (dialect != Dialect::Postgres && byte.is_ascii_uppercase())
    }) && !name.starts_with(|first: char| first.is_ascii_digit());
    match dialect {
        _ if plain => name.to_owned(),
        Dialect::Postgres | Dialect::Sqlite => format!("\"{}\"", name.replace('"', "\"\"")),
        _ => format!("`{}`", name.replace('`', "``")),
    }
}
