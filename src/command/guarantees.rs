//! `guarantees`: where each is enforced and which tests would fail if it broke, as two tables.

use crate::cli::CheckArgs;
use crate::report::write_guarantees;

use super::check;
use super::output::{Failure, to_stdout};

/// Audits as `check` does, and prints the tables.
pub(super) fn run(arguments: CheckArgs) -> Result<u8, Failure> {
    let report = check::audit_again(arguments)?;
    to_stdout(|out| write_guarantees(&report, out))?;
    Ok(0)
}
