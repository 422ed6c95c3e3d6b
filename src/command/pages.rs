//! `completions` and `man`: what a shell and `man` want to know of the command line.

use clap::CommandFactory;

use crate::cli::{Cli, CompletionsArgs, ManArgs};

use super::output::{Failure, to_stdout};

/// Prints the completions of a shell.
pub(super) fn completions(arguments: &CompletionsArgs) -> Result<u8, Failure> {
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, name.clone(), &mut script);
    let mut script = String::from_utf8_lossy(&script).into_owned();
    if arguments.shell == clap_complete::Shell::Bash {
        // clap_complete spells the name of a program with a hyphen in two ways, so that no command
        // of it is ever recognised (clap-rs/clap#6421).
        script = script.replace(&name.replace('-', "__subcmd__"), &name.replace('-', "__"));
    }
    to_stdout(|out| out.write_all(script.as_bytes()))?;
    Ok(0)
}

/// Prints a page: of the program, or of one of its commands.
pub(super) fn man(arguments: &ManArgs) -> Result<u8, Failure> {
    let mut command = Cli::command();
    // Names of commands become `outbox-audit check`, and what is inherited is passed down.
    command.build();
    let program = command.get_name().to_owned();
    let mut title = program.clone();
    for name in &arguments.command {
        let inner = command.find_subcommand(name).cloned();
        let Some(inner) = inner else {
            let known: Vec<&str> = command
                .get_subcommands()
                .map(clap::Command::get_name)
                .collect();
            return Err(Failure::error(format!(
                "no command `{name}`; there are: {}",
                known.join(", ")
            )));
        };
        title = format!("{title}-{name}");
        command = inner;
    }
    let command = command.display_name(title.clone());
    let page = clap_mangen::Man::new(command)
        .title(title.to_uppercase())
        .manual(program);
    let mut text = Vec::new();
    page.render(&mut text)
        .map_err(|error| Failure::error(format!("the page cannot be made: {error}")))?;
    to_stdout(|out| out.write_all(&text))?;
    Ok(0)
}
