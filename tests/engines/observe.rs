//! What the engine does with a case.

use crate::base::{Base, Fault, Server, State};
use crate::case::Case;

/// How what it does differs from what is expected.
pub(crate) fn faults(case: &Case, server: Server) -> Vec<String> {
    let mut faults = Vec::new();
    let meanwhile = case.may_have("meanwhile.sql");
    let lapsed = case.expect.lapsed.as_deref();
    let between = meanwhile.as_deref().filter(|_| lapsed.is_none());
    twice(case, server, between, &case.expect.outcome, &mut faults);
    if let Some(lapsed) = lapsed {
        twice(case, server, meanwhile.as_deref(), lapsed, &mut faults);
    }
    if let Some(wanted) = case.expect.other.as_deref() {
        let mut base = made(case, server);
        let before = match base.deliver(&case.text("delivery.sql")) {
            Ok(()) => rows(&base.state()),
            Err(fault) => return vec![format!("the first delivery fails: {}", fault.message)],
        };
        let delivered = base.deliver(&case.text("other.sql"));
        let found = match (delivered, rows(&base.state()) > before) {
            (Ok(()), true) => "kept".to_owned(),
            (Ok(()), false) => "swallowed".to_owned(),
            (Err(fault), _) => format!("refused: {}", fault.message),
        };
        if found != wanted {
            faults.push(format!("another event is {found}, not {wanted}"));
        }
    }
    faults
}

/// Delivers the same event twice.
fn twice(
    case: &Case,
    server: Server,
    between: Option<&str>,
    wanted: &str,
    faults: &mut Vec<String>,
) {
    let expect = &case.expect;
    let mut base = made(case, server);
    let delivery = case.text("delivery.sql");
    let first = base.deliver(&delivery);
    if first.is_err() != expect.first_fails {
        faults.push(format!("the first delivery ends so: {first:?}"));
    }
    if let Some(script) = between {
        base.run(script)
            .unwrap_or_else(|fault| panic!("{}: meanwhile.sql: {fault:?}", case.path()));
    }
    let before = base.state();
    let numbers = expect.burns.map(|_| base.numbers());
    let second = base.deliver(&delivery);
    let found = word(&second, &before, &base.state());
    if found != wanted {
        faults.push(format!(
            "the engine shows {found}, not {wanted}: {second:?}"
        ));
    }
    if let (Err(fault), "error") = (&second, wanted)
        && expect.code.as_deref() != Some(&fault.code)
    {
        faults.push(format!(
            "the code of its error is {}: {}",
            fault.code, fault.message
        ));
    }
    if let (Some(numbers), Some(burns)) = (numbers, expect.burns) {
        let now = base.numbers();
        if (now != numbers) != burns {
            faults.push(format!("its numbers were {numbers:?} and are {now:?}"));
        }
    }
}

fn made(case: &Case, server: Server) -> Base {
    let mut base = server.base();
    let schema = base.run(&case.text("schema.sql"));
    schema.unwrap_or_else(|fault| panic!("{}: schema.sql: {fault:?}", case.path()));
    base
}

fn rows(state: &State) -> usize {
    state.values().map(Vec::len).sum()
}

/// What a delivery did, in the words of the audit. Rows are the same if their first columns are.
fn word(delivered: &Result<(), Fault>, before: &State, after: &State) -> &'static str {
    let ids = |state: &State| -> Vec<(String, Option<String>)> {
        let tables = state.iter();
        let ids = tables.flat_map(|(table, rows)| {
            rows.iter()
                .map(|row| (table.clone(), row.first().cloned().flatten()))
        });
        ids.collect()
    };
    let mut left = ids(after);
    let gone = ids(before).into_iter().any(|id| {
        let at = left.iter().position(|other| *other == id);
        at.map(|at| left.swap_remove(at)).is_none()
    });
    match delivered {
        Err(_) if before == after => "error",
        Err(_) => "an error that changes rows",
        Ok(()) if before == after => "no-op",
        Ok(()) if gone => "destructive",
        Ok(()) if rows(after) > rows(before) => "duplicate",
        Ok(()) => "overwrite",
    }
}
