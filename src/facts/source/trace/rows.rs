//! Rows that statements gave, lists of them, and the columns that end in variables.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::model::source::{Block, Expr, ExprKind, StmtKind};

use super::super::walk::{self, Part};
use super::bound::assign;
use super::value::{Env, Kind, Val};
use super::walk::Walk;
use super::{Column, ColumnAt, RowAt};

/// Structs in structs are looked into so deep.
const MAX_DEPTH: usize = 8;

impl<'a> Walk<'a, '_> {
    /// Fills variables with the columns of a row.
    pub(super) fn scanned(&mut self, into: &'a [Expr], on: &Val<'a>, env: &mut Env<'a>) {
        let (of, row) = match &on.kind {
            Kind::Result(of) => (Some(*of), RowAt::Read),
            Kind::Row(of, row) => (Some(*of), row.clone()),
            _ => (None, RowAt::Unknown),
        };
        for (at, target) in into.iter().enumerate() {
            let kind = match of {
                Some(of) => Kind::Column(Column {
                    of,
                    at: ColumnAt::Number(at),
                    row: row.clone(),
                }),
                None => Kind::Unknown,
            };
            assign(target, Val::of(kind).taking(on), env);
        }
    }

    /// What a loop binds: the number of the round, and the element.
    pub(super) fn element(&mut self, over: &Val<'a>, number: usize) -> Val<'a> {
        let element = match &over.kind {
            Kind::List(_, element) => (**element).clone(),
            Kind::Result(of) => Val::of(Kind::Row(*of, RowAt::Read)),
            Kind::Made(parts) if is_list(parts) => {
                let mut all = parts.values().cloned();
                let first = all.next().unwrap_or_default();
                all.fold(first, Val::or)
            }
            _ => Val::default(),
        };
        at_row(element, &RowAt::Round(number), MAX_DEPTH).taking(over)
    }

    /// `of[by]`.
    pub(super) fn indexed(&mut self, of: &Val<'a>, by: &Val<'a>, slices: bool) -> Val<'a> {
        let whole = match &of.kind {
            // Places of a part of a list are not those of the list.
            Kind::List(_, element) if slices => {
                Val::of(Kind::List(self.number(), Rc::clone(element)))
            }
            Kind::List(number, element) => {
                let row = match &by.kind {
                    Kind::Round(round) => RowAt::Round(*round),
                    Kind::Text(at) => RowAt::Fixed(*number, Arc::clone(at)),
                    _ => RowAt::Unknown,
                };
                at_row((**element).clone(), &row, MAX_DEPTH)
            }
            Kind::Made(parts) => match by.text().and_then(|at| parts.get(at)) {
                Some(part) => part.clone(),
                None if is_list(parts) && matches!(by.kind, Kind::Round(_)) => {
                    let Kind::Round(round) = by.kind else {
                        return Val::default();
                    };
                    let mut all = parts.values().cloned();
                    let first = all.next().unwrap_or_default();
                    at_row(all.fold(first, Val::or), &RowAt::Round(round), MAX_DEPTH)
                }
                None => Val::default(),
            },
            Kind::Row(step, row) => column_of(*step, row, by),
            Kind::Result(step) => column_of(*step, &RowAt::Read, by),
            _ => Val::default(),
        };
        whole.taking(of)
    }
}

/// The column of a row that a text or number names.
pub(super) fn column_of<'a>(of: usize, row: &RowAt, by: &Val<'a>) -> Val<'a> {
    let Some(text) = by.text() else {
        return Val::default();
    };
    let at = match text.parse() {
        Ok(number) => ColumnAt::Number(number),
        Err(_) => ColumnAt::Name(Arc::clone(text)),
    };
    let row = row.clone();
    Val::of(Kind::Column(Column { of, at, row }))
}

/// True of parts that are numbered.
pub(super) fn is_list(parts: &BTreeMap<Arc<str>, Val<'_>>) -> bool {
    parts.keys().all(|name| name.parse::<usize>().is_ok())
}

/// A value of one row, where it is of a list of rows.
fn at_row<'a>(val: Val<'a>, row: &RowAt, depth: usize) -> Val<'a> {
    let kind = match val.kind {
        Kind::Column(column) => Kind::Column(Column {
            row: row.clone(),
            ..column
        }),
        Kind::Row(of, _) => Kind::Row(of, row.clone()),
        Kind::Made(parts) if depth > 0 => {
            let parts = parts.iter().map(|(name, part)| {
                let part = at_row(part.clone(), row, depth - 1);
                (Arc::clone(name), part)
            });
            Kind::Made(Rc::new(parts.collect()))
        }
        other => other,
    };
    Val { kind, ..val }
}

/// Columns that a value is, or is made of.
pub(super) fn columns(val: &Val<'_>, into: &mut Vec<Column>, depth: usize) {
    match &val.kind {
        Kind::Column(column) if !into.contains(column) => into.push(column.clone()),
        Kind::Row(of, row) => into.push(Column {
            of: *of,
            at: ColumnAt::Name("".into()),
            row: row.clone(),
        }),
        Kind::Made(parts) if depth > 0 => {
            for part in parts.values() {
                columns(part, into, depth - 1);
            }
        }
        _ => {}
    }
}

/// `append(list, …)`.
pub(super) fn appended<'a>(args: &[Val<'a>], number: usize) -> Val<'a> {
    let Some((first, rest)) = args.split_first() else {
        return Val::default();
    };
    if let Kind::Made(parts) = &first.kind {
        let mut parts = (**parts).clone();
        for arg in rest {
            parts.insert(parts.len().to_string().into(), arg.clone());
        }
        return Val::of(Kind::Made(Rc::new(parts)));
    }
    let (number, mut element) = match &first.kind {
        Kind::List(number, element) => (*number, Some((**element).clone())),
        _ => (number, None),
    };
    for arg in rest {
        let arg = match &arg.kind {
            Kind::List(_, inner) => (**inner).clone(),
            _ => arg.clone(),
        };
        element = Some(match element {
            Some(before) => with(before, arg),
            None => arg,
        });
    }
    let all = args.iter().fold(Val::default(), |all, arg| all.taking(arg));
    match element {
        Some(element) => Val {
            kind: Kind::List(number, Rc::new(element)),
            ..all
        },
        None => all,
    }
}

/// An element of a list to which another one is added; one that was only made holds nothing yet.
pub(super) fn with<'a>(before: Val<'a>, added: Val<'a>) -> Val<'a> {
    match before.kind {
        Kind::Nil => added,
        _ => before.or(added),
    }
}

/// Forgets what a round of a loop may change: a name that the body assigns to has the value from before
/// only in the first round. One that is only counted up is the number of the round.
pub(super) fn forget<'a>(body: &'a Block, number: usize, env: &mut Env<'a>) {
    let mut open: Vec<Part<'a>> = vec![Part::Block(body)];
    while let Some(part) = open.pop() {
        match part {
            Part::Block(block) => {
                for stmt in &block.stmts {
                    if let StmtKind::Assign { targets, op, .. } = &stmt.kind {
                        for target in targets {
                            if let ExprKind::Name(name) = &target.kind {
                                changes(
                                    name,
                                    *op == crate::model::source::AssignOp::Add,
                                    number,
                                    env,
                                );
                            }
                        }
                    }
                    walk::stmt_parts(stmt, &mut |part| open.push(part));
                }
            }
            Part::Closure(closure) => open.push(Part::Block(&closure.body)),
            Part::Expr(expr) => walk::parts(expr, &mut |part| open.push(part)),
        }
    }
}

fn changes(name: &Arc<str>, counts: bool, number: usize, env: &mut Env<'_>) {
    let Some(val) = env.get(name) else {
        return;
    };
    let kind = match (&val.kind, counts) {
        (Kind::Text(_), true) => Kind::Round(number),
        (Kind::Round(round), true) if *round == number => return,
        (
            Kind::Text(_)
            | Kind::Bool(_)
            | Kind::Nil
            | Kind::Now(_)
            | Kind::OfClock(..)
            | Kind::Column(_)
            | Kind::Made(_)
            | Kind::Row(..)
            | Kind::Round(_),
            _,
        ) => Kind::Unknown,
        _ => return,
    };
    let val = Val {
        kind,
        ..val.clone()
    };
    Rc::make_mut(env).insert(Arc::clone(name), val);
}
