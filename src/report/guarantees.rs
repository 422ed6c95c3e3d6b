//! What became of guarantees, and the two tables about them: where each is enforced, and the tests
//! that would fail if it broke.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use crate::model::guarantee::{Enforcement, JudgedGuarantee};
use crate::model::report::Report;
use crate::model::scope::ContractPart;

/// What became of a guarantee, or of a part of it; the worst counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// All of it holds.
    Met,
    /// Some of it is not known.
    Unknown,
    /// Some of it does not hold.
    NotMet,
}

impl Standing {
    /// The word used in JSON.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Standing::Met => "met",
            Standing::Unknown => "unknown",
            Standing::NotMet => "not-met",
        }
    }

    /// All of a guarantee together; one without tests is not known.
    pub(crate) fn of(judged: &JudgedGuarantee) -> Self {
        let kinds = judged.kinds.iter().flat_map(|kind| &kind.parts);
        let parts = judged.enforced.iter().chain(&judged.proven).chain(kinds);
        let own = standing(parts);
        match judged.proven.is_empty() {
            true => own.max(Standing::Unknown),
            false => own,
        }
    }
}

/// Several parts together.
pub(crate) fn standing<'p>(parts: impl IntoIterator<Item = &'p ContractPart>) -> Standing {
    let each = parts.into_iter().map(|part| match part {
        ContractPart::Holds(_) => Standing::Met,
        ContractPart::Open(_) => Standing::Unknown,
        ContractPart::Fails(..) => Standing::NotMet,
    });
    each.max().unwrap_or(Standing::Met)
}

/// A part in a few words: where it stands, or why not.
fn told(part: &ContractPart) -> String {
    match part {
        ContractPart::Holds(evidence) => format!("there: {}", evidence.place),
        ContractPart::Fails(why, _) => format!("NOT THERE: {why}"),
        ContractPart::Open(reason) => format!("not known: {}", reason.sentence),
    }
}

/// Writes the two tables, in markdown, with what became of each guarantee.
///
/// # Errors
/// If the output cannot be written.
pub fn write_guarantees(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    if report.guarantees.is_empty() {
        return writeln!(
            out,
            "No guarantee is declared: name them under `guarantees` in outbox-audit.yaml, or use a pack that has some."
        );
    }
    writeln!(out, "## Where it is enforced\n")?;
    writeln!(
        out,
        "| Concern | Code | Found | Verdict |\n| --- | --- | --- | --- |"
    )?;
    for judged in &report.guarantees {
        enforced(judged, out)?;
    }
    writeln!(out, "\n## The tests that would fail if it broke\n")?;
    writeln!(out, "| Suite | What it proves | Ran |\n| --- | --- | --- |")?;
    for (suite, rows) in suites(&report.guarantees) {
        let proves: Vec<&str> = rows.iter().map(|(proves, _)| &**proves).collect();
        let mut told: Vec<String> = rows.iter().map(|(_, part)| ran(part)).collect();
        told.dedup();
        let suite = cell(suite);
        writeln!(
            out,
            "| `{suite}` | {} | {} |",
            cell(&proves.join("; ")),
            cell(&told.join("; "))
        )?;
    }
    writeln!(out, "\n## What is held against code, schema and rows\n")?;
    writeln!(
        out,
        "| Guarantee | Kind | Verdict | Found |\n| --- | --- | --- | --- |"
    )?;
    for judged in &report.guarantees {
        for kind in &judged.kinds {
            let worst = standing(&kind.parts);
            let mut says: Vec<String> = Vec::new();
            for part in kind.parts.iter().filter(|part| standing([*part]) == worst) {
                let one = said(part);
                if !says.contains(&one) {
                    says.push(one);
                }
            }
            let id = &judged.guarantee.id;
            writeln!(
                out,
                "| {id} | {} | {} | {} |",
                kind.word,
                worst.word(),
                cell(&says.join("; "))
            )?;
        }
    }
    Ok(())
}

fn enforced(judged: &JudgedGuarantee, out: &mut dyn Write) -> io::Result<()> {
    let guarantee = &judged.guarantee;
    let names: Vec<String> = guarantee.enforced_by.iter().map(shown).collect();
    let found: Vec<String> = judged.enforced.iter().map(told).collect();
    writeln!(
        out,
        "| {} | {} | {} | {} |",
        cell(&guarantee.statement),
        names
            .iter()
            .map(|name| cell(name))
            .collect::<Vec<_>>()
            .join("<br>"),
        found
            .iter()
            .map(|it| cell(it))
            .collect::<Vec<_>>()
            .join("<br>"),
        Standing::of(judged).word()
    )
}

fn shown(one: &Enforcement) -> String {
    match one {
        Enforcement::Code(name) => format!("`{name}`"),
        other => format!("{} `{}`", other.word(), other.name()),
    }
}

fn said(part: &ContractPart) -> String {
    match part {
        ContractPart::Holds(evidence) => evidence.says.to_string(),
        ContractPart::Fails(why, place) => format!("{why} ({place})"),
        ContractPart::Open(reason) => match &reason.place {
            Some(place) => format!("{} ({place})", reason.sentence),
            None => reason.sentence.clone(),
        },
    }
}

fn ran(part: &ContractPart) -> String {
    match part {
        ContractPart::Holds(evidence) => evidence.says.to_string(),
        ContractPart::Fails(why, _) => format!("FAILED: {why}"),
        ContractPart::Open(reason) => format!("not known: {}", reason.sentence),
    }
}

type Row<'r> = (String, &'r ContractPart);

/// The suites in the order of their names, each with what it proves.
fn suites(all: &[Arc<JudgedGuarantee>]) -> BTreeMap<&str, Vec<Row<'_>>> {
    let mut suites: BTreeMap<&str, Vec<Row<'_>>> = BTreeMap::new();
    for judged in all {
        for (one, part) in judged.guarantee.proven_by.iter().zip(&judged.proven) {
            let proves = one.proves.as_ref().unwrap_or(&judged.guarantee.statement);
            suites
                .entry(&one.suite)
                .or_default()
                .push((proves.to_string(), part));
        }
    }
    suites
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
