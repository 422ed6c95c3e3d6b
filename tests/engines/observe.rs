//! What the engine does with a case.

use crate::base::{Base, Fault, State};
use crate::case::Case;

/// How what it does differs from what is expected.
pub(crate) fn faults(case: &Case, base: &mut Base) -> Vec<String> {
    let expect = &case.expect;
    let meanwhile = case.may_have("meanwhile.sql");
    let meanwhile = meanwhile.as_deref();
    let mut faults = match (&expect.lapsed, meanwhile) {
        (None, _) => twice(case, base, meanwhile, &expect.outcome),
        (Some(lapsed), Some(_)) => {
            let mut faults = twice(case, base, None, &expect.outcome);
            faults.extend(twice(case, base, meanwhile, lapsed));
            faults
        }
        (Some(_), None) => vec!["`lapsed` needs meanwhile.sql".to_owned()],
    };
    match (&expect.other, case.may_have("other.sql")) {
        (Some(wanted), Some(other)) => faults.extend(another(case, base, &other, wanted)),
        (None, None) => {}
        _ => faults.push("`other` and other.sql go together".to_owned()),
    }
    faults
}

/// Delivers the same event twice.
fn twice(case: &Case, base: &mut Base, between: Option<&str>, wanted: &str) -> Vec<String> {
    let expect = &case.expect;
    let mut faults = Vec::new();
    base.clear();
    let delivery = case.text("delivery.sql");
    if let Err(fault) = base.run(&case.text("schema.sql")) {
        return vec![format!("schema.sql fails: {fault:?}")];
    }
    let first = base.deliver(&delivery);
    if first.is_err() != expect.first_fails {
        faults.push(format!("the first delivery ends so: {first:?}"));
    }
    if let Some(Err(fault)) = between.map(|script| base.run(script)) {
        faults.push(format!("meanwhile.sql fails: {fault:?}"));
    }
    let before = base.state();
    if expect.lost && rows(&before) > 0 {
        faults.push(format!("the first delivery is not lost: {before:?}"));
    }
    let numbers = expect.burns.map(|_| base.numbers());
    let second = base.deliver(&delivery);
    let found = word(&second, &before, &base.state());
    if found != wanted {
        faults.push(format!(
            "the engine shows {found}, not {wanted}: {second:?}"
        ));
    }
    let code = second.err().map(|fault| fault.code);
    if code != expect.code {
        faults.push(format!("the code of its error is {code:?}"));
    }
    if let (Some(numbers), Some(burns)) = (numbers, expect.burns) {
        let now = base.numbers();
        if (now != numbers) != burns {
            faults.push(format!("its numbers were {numbers:?} and are {now:?}"));
        }
    }
    faults
}

/// Delivers an event, and then another one.
fn another(case: &Case, base: &mut Base, other: &str, wanted: &str) -> Option<String> {
    base.clear();
    for file in ["schema.sql", "delivery.sql"] {
        if let Err(fault) = base.run(&case.text(file)) {
            return Some(format!("{file} fails: {fault:?}"));
        }
    }
    let before = rows(&base.state());
    let delivered = base.deliver(other);
    let found = match (delivered, rows(&base.state()) > before) {
        (Ok(()), true) => "kept".to_owned(),
        (Ok(()), false) => "swallowed".to_owned(),
        (Err(fault), _) => format!("refused: {}", fault.message),
    };
    (found != wanted).then(|| format!("another event is {found}, not {wanted}"))
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
