//! What differs between two reports, as text.

use std::io::{self, Write};

use crate::model::decisions::{Comparison, Decisions, Head, Turn};

use crate::model::report::Verdict;

use super::visible;

/// So many outcomes of one kind are listed.
const LISTED: usize = 20;

/// Whether a report still holds: the answer first, then what changed.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_verification(
    out: &mut dyn Write,
    recorded: &Decisions,
    now: &Decisions,
    comparison: &Comparison,
    sealed: bool,
) -> io::Result<()> {
    let (old, new) = (&recorded.head, &now.head);
    let foreign = old.tool != new.tool;
    let open = foreign || !comparison.unread.is_empty();
    let alike = comparison.decides_alike();
    let answer = match (sealed, open, alike) {
        (false, _, _) => {
            "CHANGED  the report itself was changed after it was written: its seal is not that of what it says"
        }
        (true, true, _) => "CANNOT TELL  not all that the report rests on can be compared",
        (true, false, false) => "CHANGED  the audit decides otherwise now",
        (true, false, true) if new.verdict != Verdict::Go.word() => &format!(
            "HOLDS: the verdict is still {}; every outcome is as the report says",
            new.verdict
        ),
        (true, false, true) => "HOLDS  every outcome is as the report says: GO",
    };
    writeln!(out, "{answer}")?;
    if foreign {
        writeln!(
            out,
            "tool     the report is of version {}, this is {}: make it anew",
            old.tool, new.tool
        )?;
    }
    for one in &comparison.unread {
        writeln!(out, "input    {}", visible::name(one))?;
        writeln!(
            out,
            "         next: give it as the report was made, for example with --database or --tests"
        )?;
    }
    body(out, old, new, comparison)
}

/// What appeared, vanished and turned between two reports.
///
/// # Errors
/// Whatever `out` returns.
pub fn write_comparison(
    out: &mut dyn Write,
    old: &Decisions,
    new: &Decisions,
    comparison: &Comparison,
) -> io::Result<()> {
    let answer = match (comparison.worse.as_slice(), comparison.decides_alike()) {
        ([], true) => "THE SAME  every outcome is as it was".to_owned(),
        ([], false) => "NOT WORSE".to_owned(),
        ([first], _) => format!("WORSE  {}", visible::name(first)),
        (all, _) => format!("WORSE  in {} points", all.len()),
    };
    writeln!(out, "{answer}")?;
    if comparison.worse.len() > 1 {
        for one in comparison.worse.iter().take(LISTED) {
            writeln!(out, "worse    {}", visible::name(one))?;
        }
        more(out, comparison.worse.len())?;
    }
    if old.head.tool != new.head.tool {
        writeln!(out, "tool     {} → {}", old.head.tool, new.head.tool)?;
    }
    for one in &comparison.unread {
        writeln!(out, "input    {}", visible::name(one))?;
    }
    body(out, &old.head, &new.head, comparison)
}

fn body(out: &mut dyn Write, old: &Head, new: &Head, comparison: &Comparison) -> io::Result<()> {
    match &comparison.verdict {
        Some((before, after)) => writeln!(out, "verdict  {before} → {after}")?,
        None => writeln!(out, "verdict  {}", new.verdict)?,
    }
    let (before, after) = (tree(old), tree(new));
    match before == after {
        true => writeln!(out, "tree     {after}")?,
        false => writeln!(out, "tree     {before} → {after}")?,
    }
    for input in comparison.inputs.iter().take(LISTED) {
        writeln!(out, "input    {}", visible::name(input))?;
    }
    more(out, comparison.inputs.len())?;
    for (id, before, after) in &comparison.conditions {
        writeln!(out, "gate     {}: {before} → {after}", visible::name(id))?;
    }
    let is = |before: bool, after: bool| {
        let turns = comparison.turns.iter();
        turns.filter(move |turn| turn.before.is_some() == before && turn.after.is_some() == after)
    };
    list(out, "turned", is(true, true).collect())?;
    list(out, "appeared", is(false, true).collect())?;
    list(out, "vanished", is(true, false).collect())
}

/// Outcomes of one kind, the first few.
fn list(out: &mut dyn Write, title: &str, turns: Vec<&Turn>) -> io::Result<()> {
    if turns.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title} ({})", turns.len())?;
    for turn in turns.iter().take(LISTED) {
        let sides = [&turn.before, &turn.after];
        let words: Vec<&str> = sides.iter().filter_map(|word| word.as_deref()).collect();
        let weight = if turn.gate { "" } else { ", advisory" };
        writeln!(
            out,
            "  {}{weight}  {} of {}",
            words.join(" → "),
            turn.check,
            visible::name(&turn.subject)
        )?;
    }
    more(out, turns.len())
}

fn more(out: &mut dyn Write, all: usize) -> io::Result<()> {
    match all.saturating_sub(LISTED) {
        0 => Ok(()),
        left => writeln!(out, "  and {left} more"),
    }
}

fn tree(head: &Head) -> String {
    match &head.commit {
        Some(commit) if head.clean => format!("{commit}, clean"),
        Some(commit) => format!("{commit}, with changes"),
        None => "not under version control".to_owned(),
    }
}
