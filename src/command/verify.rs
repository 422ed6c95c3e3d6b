//! `verify` and `diff`: whether a report still holds, and what differs between two.

use std::path::{Path, PathBuf};

use crate::cli::{DiffArgs, VerifyArgs};
use crate::input::report::{self, RecordedReport};
use crate::model::decisions::Decisions;
use crate::report::{write_comparison, write_verification};
use crate::verdict::compare;

use super::check;
use super::output::{self, Failure};

/// Status of a report that no longer holds, and of a newer report that is worse.
const CHANGED: u8 = 1;

/// Status where it cannot be told.
const CANNOT_TELL: u8 = 3;

/// Audits anew and holds the report against it.
pub(super) fn verify(arguments: VerifyArgs) -> Result<u8, Failure> {
    let recorded = read(&arguments.report)?;
    let now = check::audit_again(*arguments.check)?;
    let now = Decisions::of(&now);
    let comparison = compare(&recorded.decisions, &now);
    let foreign = recorded.decisions.head.tool != now.head.tool;
    let changed = !recorded.sealed || !comparison.decides_alike();
    // What was read then and cannot be read now leaves open what it would show.
    let open = foreign || !comparison.unread.is_empty();
    output::to_stdout(|out| {
        write_verification(out, &recorded.decisions, &now, &comparison, recorded.sealed)
    })?;
    Ok(match (open, changed) {
        (true, _) if recorded.sealed => CANNOT_TELL,
        (_, true) => CHANGED,
        _ => 0,
    })
}

/// Compares two reports.
pub(super) fn diff(arguments: &DiffArgs) -> Result<u8, Failure> {
    let (old, new) = (read(&arguments.old)?, read(&arguments.new)?);
    for (file, report) in [(&arguments.old, &old), (&arguments.new, &new)] {
        if !report.sealed {
            output::complain(&format!(
                "warning: {} was changed after it was written: its seal is not that of what it says\n",
                file.display()
            ));
        }
    }
    let comparison = compare(&old.decisions, &new.decisions);
    output::to_stdout(|out| write_comparison(out, &old.decisions, &new.decisions, &comparison))?;
    Ok(if comparison.worse.is_empty() {
        0
    } else {
        CHANGED
    })
}

fn read(path: &PathBuf) -> Result<RecordedReport, Failure> {
    report::read(Path::new(path), &path.display().to_string()).map_err(Failure::error)
}
