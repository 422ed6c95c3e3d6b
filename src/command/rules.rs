//! `rules list|show|test`: what the packs say, and whether their own examples hold.

use std::io::{self, Write};

use crate::cli::{RulesArgs, RulesCommand, RulesShowArgs};
use crate::facts;
use crate::input::source;
use crate::model::nearest::nearest;
use crate::report;
use crate::rules::{self, CallPattern, Rules};

use super::output::{Failure, options, to_stdout};

/// Runs one of the three.
pub(super) fn run(command: RulesCommand) -> Result<u8, Failure> {
    match command {
        RulesCommand::List(arguments) => list(&arguments),
        RulesCommand::Show(arguments) => show(&arguments),
        RulesCommand::Test(arguments) => test(&arguments),
    }
}

fn loaded(arguments: &RulesArgs) -> Result<Rules, Failure> {
    let names: Vec<&str> = if arguments.packs.is_empty() {
        rules::builtin_names()
    } else {
        arguments.packs.iter().map(String::as_str).collect()
    };
    Ok(rules::load(&names, &arguments.rules)?)
}

fn list(arguments: &RulesArgs) -> Result<u8, Failure> {
    let rules = loaded(arguments)?;
    let width = options(false, false).width;
    to_stdout(|out| report::fitted(width, out, |out| entries(&rules, out)))?;
    Ok(0)
}

fn entries(rules: &Rules, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "packs: {}", rules.packs.join(", "))?;
    for rule in &rules.triggers {
        writeln!(out, "trigger   {}", rule.words.join(", "))?;
    }
    for rule in &rules.actions {
        writeln!(out, "action    {:<28} {}", rule.id, rule.words.join(", "))?;
    }
    for rule in &rules.functions {
        let draws: Vec<&str> = rule.draws.iter().map(|source| source.word()).collect();
        let draws = if draws.is_empty() {
            "pure".to_owned()
        } else {
            format!("draws {}", draws.join(", "))
        };
        writeln!(
            out,
            "function  {:<28} {} ({draws})",
            rule.id,
            rule.names.join(", ")
        )?;
    }
    for rule in &rules.names {
        writeln!(out, "name      {:<28} {}", rule.id, rule.name)?;
    }
    for rule in &rules.outboxes {
        writeln!(out, "outbox    {:<28} {}", rule.id, rule.table.join(", "))?;
    }
    for rule in &rules.subscriptions {
        writeln!(out, "handler   {:<28} {}", rule.id, called(&rule.call))?;
    }
    for rule in &rules.effects {
        writeln!(out, "effect    {:<28} {}", rule.id, called(&rule.call))?;
    }
    for rule in &rules.tests {
        writeln!(out, "test      {:<28} {}", rule.id, called(&rule.call))?;
    }
    for rule in &rules.guards {
        let calls = rule.call.as_ref().map(called).unwrap_or_default();
        let values = rule.values.iter().chain(&rule.fields).chain(&rule.of);
        let mut names: Vec<&str> = values.map(|name| &**name).collect();
        names.extend((!calls.is_empty()).then_some(&*calls));
        writeln!(out, "guard     {:<28} {}", rule.id, names.join(", "))?;
    }
    for one in &rules.guarantees {
        writeln!(out, "guarantee {:<28} {}", one.id, one.statement)?;
    }
    Ok(())
}

/// The calls that a pattern speaks of.
fn called(pattern: &CallPattern) -> String {
    let names = pattern.method.iter().chain(&pattern.function);
    names.map(|name| &**name).collect::<Vec<_>>().join(", ")
}

fn show(arguments: &RulesShowArgs) -> Result<u8, Failure> {
    let pack = arguments.name.split('/').next().unwrap_or_default();
    let entry = arguments.name.split_once('/').map(|(_, entry)| entry);
    let text = match rules::builtin_text(pack) {
        Some(text) if entry.is_none() => text,
        _ => {
            let wanted = entry.unwrap_or(&arguments.name);
            found_entry(wanted).ok_or_else(|| unknown(wanted, &arguments.name))?
        }
    };
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(0)
}

/// The lines of one entry, from its id to the next entry.
fn found_entry(id: &str) -> Option<String> {
    rules::builtin_names().into_iter().find_map(|pack| {
        let text = rules::builtin_text(pack)?;
        let mut lines = text.lines().skip_while(|line| !names(line, id));
        let mut entry = format!("{}\n", lines.next()?);
        for line in lines.take_while(|line| !line.starts_with("- ") && !line.starts_with('#')) {
            entry.push_str(line);
            entry.push('\n');
        }
        Some(entry)
    })
}

fn names(line: &str, id: &str) -> bool {
    let rest = line
        .strip_prefix("- id: ")
        .or_else(|| line.strip_prefix("- {id: "));
    rest.is_some_and(|rest| rest.split([',', '}', ' ']).next() == Some(id))
}

/// `typed` is told whole: the part of a URL behind its scheme would not be known for one.
fn unknown(name: &str, typed: &str) -> Failure {
    let loaded = rules::load(&rules::builtin_names(), &[]);
    let ids: Vec<String> = loaded
        .map(|rules| {
            let actions = rules.actions.iter().map(|rule| rule.id.to_string());
            let functions = rules.functions.iter().map(|rule| rule.id.to_string());
            let names = rules.names.iter().map(|rule| rule.id.to_string());
            let outboxes = rules.outboxes.iter().map(|rule| rule.id.to_string());
            let subscriptions = rules.subscriptions.iter().map(|rule| rule.id.to_string());
            let effects = rules.effects.iter().map(|rule| rule.id.to_string());
            actions
                .chain(subscriptions)
                .chain(effects)
                .chain(functions)
                .chain(names)
                .chain(outboxes)
                .collect()
        })
        .unwrap_or_default();
    let mut known: Vec<&str> = ids.iter().map(String::as_str).collect();
    known.extend(rules::builtin_names());
    let hint =
        nearest(name, &known).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    Failure::error(format!(
        "no pack and no entry is called `{typed}`{hint}\n`outbox-audit rules list` shows them all"
    ))
}

fn test(arguments: &RulesArgs) -> Result<u8, Failure> {
    let rules = loaded(arguments)?;
    let (mut run, mut failures) = facts::examples(&rules);
    let (of_source, failed) = facts::source::examples(&rules, &source::parse);
    run += of_source;
    failures.extend(failed);
    to_stdout(|out| {
        for failure in &failures {
            writeln!(
                out,
                "{}: `{}`: {}",
                failure.rule, failure.example, failure.sentence
            )?;
        }
        writeln!(out, "{run} examples run, {} failed", failures.len())
    })?;
    Ok(u8::from(!failures.is_empty()))
}
