//! Statements that a connection is handed.

use crate::model::place::Place;
use crate::model::source::{Expr, ExprKind};

use super::super::module::moves_data;
use super::super::statement::{Sql, Step};
use super::columns::Reader;

/// What a text or an expression does that a connection is handed.
pub(super) fn execute<'a>(read: &Reader<'_, 'a>, sql: &'a Expr, place: &Place) -> Vec<Step> {
    if let Some(text) = read.module.text(sql, read.names) {
        return vec![Step::Run(Sql::raw(text, place.clone(), read.dialect))];
    }
    if is_data(read, sql) {
        return Vec::new();
    }
    let sentence = "a statement is executed that is made at run time".to_owned();
    vec![Step::unread(None, sentence, place.clone())]
}

/// True if an expression is one of SQLAlchemy's that moves data, or a text that begins like one.
fn is_data<'a>(read: &Reader<'_, 'a>, sql: &'a Expr) -> bool {
    const MAKES: [&str; 6] = [
        "select",
        "insert",
        "update",
        "delete",
        "values",
        "from_select",
    ];
    let mut at = read.module.resolve(sql, read.names);
    loop {
        at = match &at.kind {
            ExprKind::Call(call) => {
                let last = match &call.callee.kind {
                    ExprKind::Field { name, .. } | ExprKind::Name(name) => &**name,
                    _ => "",
                };
                if MAKES.contains(&last) {
                    return true;
                }
                match &call.callee.kind {
                    ExprKind::Field { of, .. } => read.module.resolve(of, read.names),
                    _ => break,
                }
            }
            _ => break,
        };
        if matches!(at.kind, ExprKind::Name(_) | ExprKind::Text(_)) {
            break;
        }
    }
    let beginning = read.module.beginning(sql, read.names);
    beginning.is_some_and(|text| moves_data(&text))
}
