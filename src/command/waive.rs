//! `waive`: accepts one finding until a day, in the configuration file.

use std::fs;
use std::path::PathBuf;

use crate::cli::WaiveArgs;
use crate::input::config::waive::{NewWaiver, add_waiver};
use crate::input::config::{self, FILE_NAME};
use crate::model::check::{Obligation, Outcome};
use crate::model::nearest::{nearest_few, suggested};
use crate::model::report::Report;
use crate::model::secret::without_url_secrets;
use crate::verdict::can_be_waived;

use super::check;
use super::output::{Failure, to_file, to_stdout};

/// Sees that there is such a finding, and writes the waiver.
pub(super) fn run(arguments: WaiveArgs) -> Result<u8, Failure> {
    let path = arguments
        .check
        .path
        .clone()
        .unwrap_or_else(|| PathBuf::from("."));
    let file = match &arguments.check.config {
        Some(file) => file.clone(),
        None => config::find(&path).ok_or_else(|| {
            Failure::error(format!(
                "there is no {FILE_NAME} for {} to write into; `outbox-audit init` writes one",
                path.display()
            ))
        })?,
    };
    let today = config::date::today().map_err(Failure::error)?;
    let as_of = arguments.check.as_of.clone().unwrap_or(today);
    if arguments.expires < as_of {
        return Err(Failure::error(format!(
            "a waiver until {} would not apply on {as_of}; give a later day with --expires",
            arguments.expires
        )));
    }
    let report = check::audit_again(*arguments.check)?;
    may_be_waived(&report, &arguments.check_id, &arguments.subject)?;
    let text = fs::read_to_string(&file)
        .map_err(|error| Failure::error(format!("{} cannot be read: {error}", file.display())))?;
    let waiver = NewWaiver {
        check: &arguments.check_id,
        subject: &arguments.subject,
        reason: &arguments.reason,
        owner: &arguments.owner,
        expires: &arguments.expires,
    };
    let written = add_waiver(&text, &waiver)
        .map_err(|why| Failure::error(format!("{}: {why}", file.display())))?;
    to_file(&file, |out| out.write_all(written.as_bytes()))?;
    to_stdout(|out| {
        writeln!(
            out,
            "{} of {} is waived until {} in {}; it stays in the report, counted as waived",
            waiver.check,
            without_url_secrets(waiver.subject),
            waiver.expires,
            file.display()
        )
    })?;
    Ok(0)
}

/// Refuses what no waiver can cover, and what is not there, with what may have been meant.
fn may_be_waived(report: &Report, check: &str, subject: &str) -> Result<(), Failure> {
    let refused = |sentence: String| Err(Failure::error(sentence));
    let of = |one: &&Obligation| one.check.id == check && one.subject.to_string() == subject;
    let Some(found) = report.obligations.iter().find(of) else {
        return refused(not_there(report, check, subject));
    };
    if found.waiver.is_some() {
        return refused(format!("{check} of {subject} is waived already"));
    }
    if can_be_waived(found) {
        return Ok(());
    }
    match &found.outcome {
        Outcome::Unknown(reason) => refused(format!(
            "{check} of {subject} is unknown: nothing was found that could be accepted, and it cannot be waived: {}; next: {}",
            reason.sentence, reason.next_step
        )),
        Outcome::NotMet(_) => refused(format!(
            "{check} of {subject} cannot be waived: a failed redelivery test is never waived; next: \
             make it pass"
        )),
        other => refused(format!(
            "{check} of {subject} is {}: there is nothing to waive",
            other.word()
        )),
    }
}

fn not_there(report: &Report, check: &str, subject: &str) -> String {
    let findings = || report.obligations.iter().filter(|one| can_be_waived(one));
    let mut checks: Vec<&str> = report.obligations.iter().map(|one| one.check.id).collect();
    checks.sort_unstable();
    checks.dedup();
    let (what, near) = if checks.contains(&check) {
        let subjects: Vec<String> = findings()
            .filter(|one| one.check.id == check)
            .map(|one| one.subject.to_string())
            .collect();
        let names: Vec<&str> = subjects.iter().map(String::as_str).collect();
        let near = suggested(subject, &names, 3).into_iter();
        (
            format!("no finding of {check} is about `{subject}`"),
            near.map(str::to_owned).collect::<Vec<String>>(),
        )
    } else {
        let near = nearest_few(check, &checks, 3);
        (
            format!("no check is called `{check}`"),
            near.into_iter().map(str::to_owned).collect::<Vec<String>>(),
        )
    };
    match near.as_slice() {
        [] => format!("{what}; `outbox-audit check --verbose` shows what there is"),
        names => format!("{what}; there is {}", names.join(", ")),
    }
}
