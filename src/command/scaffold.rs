//! `scaffold`: prints redelivery tests for an effect, in the language of the system.

use crate::cli::ScaffoldArgs;
use crate::model::effect::Effect;
use crate::model::nearest::suggested;
use crate::model::report::Report;
use crate::model::source::Language;

use super::check;
use super::output::{Failure, to_stdout};

const GO: &str = include_str!("scaffold/go.txt");
const PYTHON: &str = include_str!("scaffold/python.txt");
const RUST: &str = include_str!("scaffold/rust.txt");

/// So many names are suggested.
const SUGGESTED: usize = 3;

/// Finds the effect, and prints the tests.
pub(super) fn run(arguments: ScaffoldArgs) -> Result<u8, Failure> {
    let chosen = arguments.language;
    let report = check::audit_again(*arguments.check)?;
    let (subject, effect, title) = found(&report, &arguments.effect)?;
    let language = chosen
        .map(Language::from)
        .or_else(|| language_of(&report, &subject))
        .ok_or_else(|| {
            Failure::error(
                "no source tells the language of the system; name it: --language go, python or rust",
            )
        })?;
    let text = filled(language, &subject, effect, &title);
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(0)
}

/// The subject as it was asked for, its first effect, and what a person calls its consumer.
fn found<'r>(report: &'r Report, name: &str) -> Result<(String, &'r Effect, String), Failure> {
    let title = |effect: &Effect| {
        let mut consumers = report.consumers.iter();
        let consumer = consumers.find(|one| one.id == effect.consumer);
        consumer.map_or_else(String::new, |one| one.title.to_string())
    };
    let all = || report.effects.iter().map(|row| &row.facts.effect);
    let own = all().find(|effect| *effect.id.0 == *name);
    let of_consumer = || all().find(|effect| *effect.consumer.0 == *name || title(effect) == name);
    if let Some(effect) = own.or_else(of_consumer) {
        return Ok((name.to_owned(), effect, title(effect)));
    }
    let ids: Vec<&str> = all().map(|effect| &*effect.id.0).collect();
    let consumers: Vec<&str> = report.consumers.iter().map(|one| &*one.id.0).collect();
    let names: Vec<&str> = ids.iter().chain(&consumers).copied().collect();
    let near = suggested(name, &names, SUGGESTED);
    Err(Failure::error(match near.is_empty() {
        true => format!("no effect and no consumer is called `{name}`, and none was found at all"),
        false => format!(
            "no effect and no consumer is called `{name}`; there is {}",
            near.join(", ")
        ),
    }))
}

/// The language of a consumer of source; else the one in which source was read.
fn language_of(report: &Report, subject: &str) -> Option<Language> {
    let of = |word: &str| Language::ALL.iter().copied().find(|one| one.word() == word);
    let own = subject
        .strip_prefix("code:")
        .and_then(|rest| of(rest.split(':').next()?));
    own.or_else(|| report.packs.iter().find_map(|pack| of(pack)))
}

fn filled(language: Language, subject: &str, effect: &Effect, title: &str) -> String {
    let template = match language {
        Language::Go => GO,
        Language::Python => PYTHON,
        Language::Rust => RUST,
    };
    let table = effect.target.name();
    let field = effect.writes.first().map(|write| &write.field);
    let (query, want) = match (effect.kind.is_set(), field) {
        (true, Some(field)) => (
            format!("SELECT {field} FROM {table} WHERE 1 = 1 /* the row of the event */"),
            "the value that the event gives",
        ),
        _ => (
            format!("SELECT COUNT(*) FROM {table} WHERE 1 = 1 /* the row of the event */"),
            "1",
        ),
    };
    // What stands in a text of the language must not end it.
    let plain = |text: &str| text.replace(['"', '\\', '\n'], " ");
    template
        .replace("{subject}", &plain(subject))
        .replace("{title}", &plain(title))
        .replace("{target}", &plain(table))
        .replace("{query}", &plain(&query))
        .replace("{want}", want)
}
