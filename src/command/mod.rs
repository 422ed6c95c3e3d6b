//! One file per command: what was typed becomes a call, what came back becomes output.

mod check;
mod explain;
mod guarantees;
mod init;
mod map;
mod outbox;
mod output;
mod pages;
mod progress;
mod rules;
mod scaffold;
mod schema;
mod verify;
mod waive;

use crate::cli::{Cli, Command};

use output::Failure;

/// Status of a command that could not run.
const COULD_NOT_RUN: u8 = 2;

/// Runs a command; gives the exit status.
pub fn run(cli: Cli) -> u8 {
    let result = match cli.command {
        Command::Check(arguments) => check::run(*arguments),
        Command::Guarantees(arguments) => guarantees::run(*arguments),
        Command::Explain(arguments) => explain::run(arguments),
        Command::Rules(arguments) => rules::run(arguments),
        Command::Verify(arguments) => verify::verify(arguments),
        Command::Diff(arguments) => verify::diff(&arguments),
        Command::Waive(arguments) => waive::run(arguments),
        Command::Scaffold(arguments) => scaffold::run(arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Map(arguments) => map::run(arguments),
        Command::Schema(arguments) => schema::run(arguments),
        Command::Backlog(arguments) => outbox::backlog(arguments),
        Command::Backfill(arguments) => outbox::backfill(arguments),
        Command::Queries(arguments) => outbox::queries(arguments),
        Command::Completions(arguments) => pages::completions(&arguments),
        Command::Man(arguments) => pages::man(&arguments),
    };
    match result {
        Ok(status) => status,
        Err(Failure::Message(message)) => {
            output::complain(&message);
            COULD_NOT_RUN
        }
    }
}
