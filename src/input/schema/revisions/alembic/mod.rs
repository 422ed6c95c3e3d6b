//! Revisions of Alembic: what their `upgrade` does, read and never run.

mod binding;
mod body;
mod calls;
mod changes;
mod columns;
mod constraints;
mod execute;
mod operations;
mod tables;
mod types;

use std::sync::Arc;

use crate::model::schema::Dialect;
use crate::model::source::ExprKind;

use super::graph::{Need, Node};
use super::module::{Module, Names};
use super::statement::Step;

pub(super) use body::steps;

/// True if a module says which revision it is.
pub(super) fn is_revision(module: &Module<'_>) -> bool {
    module.has("revision") && module.has("down_revision") && module.function("upgrade").is_some()
}

/// The revision as a node of the graph; what of it is made at run time is told in the steps.
pub(super) fn node(module: &Module<'_>) -> (Node, Vec<Step>) {
    let path = &module.source.path;
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let names = Names::default();
    let mut unread = Vec::new();
    let head = module.value("revision");
    let whole = crate::model::place::Place::Path(Arc::clone(path));
    let place = head.map_or(whole, |head| module.place(head));
    let name = head.and_then(|head| module.text(head, &names));
    if name.is_none() {
        let sentence = format!("the revision that {path} is was not read");
        unread.push(Step::unread(None, sentence, place.clone()));
    }
    let mut needs = Vec::new();
    for word in ["down_revision", "depends_on"] {
        let Some(value) = module.value(word) else {
            if module.has(word) && !is_declared_only(module, word) {
                let sentence = format!("`{word}` of {path} was not read");
                unread.push(Step::unread(None, sentence, place.clone()));
            }
            continue;
        };
        if matches!(module.resolve(value, &names).kind, ExprKind::Nil) {
            continue;
        }
        let parts = match module.text(value, &names) {
            Some(_) => Some(vec![value]),
            None => module.list(value, &names),
        };
        for part in parts.iter().flatten() {
            match module.text(part, &names) {
                Some(name) => needs.push(Need {
                    group: None,
                    name: name.into(),
                    place: module.place(part),
                }),
                None => {
                    let sentence = format!("`{word}` of {path} was not read");
                    unread.push(Step::unread(None, sentence, module.place(part)));
                }
            }
        }
        if parts.is_none() {
            let sentence = format!("`{word}` of {path} was not read");
            unread.push(Step::unread(None, sentence, module.place(value)));
        }
    }
    let labelled = module
        .value("branch_labels")
        .is_some_and(|labels| !matches!(labels.kind, ExprKind::Nil));
    let node = Node {
        group: folder.into(),
        name: name.map_or_else(|| file.into(), Arc::from),
        needs,
        place,
        labelled,
    };
    (node, unread)
}

/// `down_revision: str` by itself gives no value.
fn is_declared_only(module: &Module<'_>, word: &str) -> bool {
    let decls = module.source.values.iter();
    let mut of_name = decls.filter(|decl| &*decl.name == word);
    of_name.all(|decl| decl.value.is_none())
}

/// The engine that the revision is written for, where it says so.
pub(super) fn dialect(module: &Module<'_>) -> Option<Dialect> {
    [
        ("sqlalchemy.dialects.postgresql", Dialect::Postgres),
        ("sqlalchemy.dialects.mysql", Dialect::Mysql),
        ("sqlalchemy.dialects.sqlite", Dialect::Sqlite),
    ]
    .into_iter()
    .find(|(package, _)| module.imports(package))
    .map(|(_, dialect)| dialect)
}
