//! `explain CHECK|ID`: the page of a check, or what a report knows of one thing.

use crate::checks;
use crate::cli::{ExplainArgs, Format};
use crate::model::nearest::nearest;
use crate::report::{self, explained};

use super::check;
use super::output::{self, Failure, to_stdout};

/// Prints it.
pub(super) fn run(arguments: ExplainArgs) -> Result<u8, Failure> {
    let options = output::options(true, false);
    let id = arguments.id;
    if let Some(info) = checks::find(&id) {
        to_stdout(|out| report::write_page(info, options.width, out))?;
        return Ok(0);
    }
    if !explained::names_something_in_a_report(&id) {
        return Err(unknown_check(&id));
    }
    if arguments.check.format != Format::Terminal || !arguments.check.outputs.is_empty() {
        return Err(Failure::error(
            "`explain` prints text; `outbox-audit check` writes the other formats",
        ));
    }
    let path = arguments.check.path.as_ref();
    let path = path.map_or_else(String::new, |path| format!(" {}", path.display()));
    let report = check::audit_again(*arguments.check)?;
    let found = explained::find(&report, &id).map_err(|like| unknown_id(&id, &path, &like))?;
    let text = report::explain(&report, &found, &options);
    to_stdout(|out| write!(out, "{text}"))?;
    Ok(0)
}

fn unknown_check(id: &str) -> Failure {
    let known: Vec<&str> = checks::CHECKS.iter().map(|check| check.info.id).collect();
    let hint =
        nearest(id, &known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    let message = format!(
        "error: unknown check `{id}`{hint}\nthe checks are: {}\nthe id of a consumer or an effect has a \
         colon in it, as in `flow:…`; that of a finding is its fingerprint\n",
        known.join(", ")
    );
    Failure::Message(fitted(&message))
}

/// Lines that fit a terminal.
fn fitted(message: &str) -> String {
    let mut out = Vec::new();
    // A vector takes every write.
    let _ = report::fitted(80, &mut out, |out| out.write_all(message.as_bytes()));
    String::from_utf8_lossy(&out).into_owned()
}

fn unknown_id(id: &str, path: &str, like: &[String]) -> Failure {
    let mut message = format!("nothing in this report has the id `{id}`");
    if !like.is_empty() {
        message.push_str("; did you mean");
        for one in like {
            message.push_str("\n  ");
            message.push_str(one);
        }
    }
    // The command stands on a line of its own, to be copied.
    message.push_str(&format!(
        "\nthis lists the ids:\n  outbox-audit check{path} --format json | jq -r '.consumers[].id, .effects[].id'"
    ));
    Failure::error(message)
}
