//! `explain CHECK`: the page of a check.

use crate::checks;
use crate::cli::ExplainArgs;
use crate::model::nearest::nearest;

use super::output::{Failure, to_stdout};

/// Prints the page.
pub(super) fn run(arguments: &ExplainArgs) -> Result<u8, Failure> {
    let Some(info) = checks::find(&arguments.check) else {
        let known: Vec<&str> = checks::CHECKS.iter().map(|check| check.info.id).collect();
        let hint = nearest(&arguments.check, &known)
            .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        return Err(Failure::error(format!(
            "unknown check `{}`{hint}\nthe checks are: {}",
            arguments.check,
            known.join(", ")
        )));
    };
    to_stdout(|out| {
        write!(out, "{}", info.page.trim_end())?;
        writeln!(out)?;
        writeln!(out)?;
        writeln!(out, "Clause {} · {}", info.clause, info.weight.word())
    })?;
    Ok(0)
}
