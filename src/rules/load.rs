//! Reads packs, those compiled in and those of the user, and merges them.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use thiserror::Error;

use super::Rules;
use super::types::PackHead;
use crate::model::digest::short;
use crate::model::guarantee::Guarantee;
use crate::model::place::Place;

/// A pack that cannot be used. It is a configuration error: nothing is audited with half a pack.
#[derive(Debug, Error)]
pub enum PackError {
    /// No pack of that name is compiled in or given.
    #[error("unknown pack `{name}`; there are: {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A file of rules cannot be opened, or is none.
    #[error("rules at {file} cannot be used: {message}")]
    Unreadable {
        /// The path.
        file: String,
        /// Why, and what would do.
        message: String,
    },
    /// A file of a pack does not parse.
    #[error("rule pack file {file} cannot be read: {message}")]
    Invalid {
        /// The file.
        file: String,
        /// What the parser says, with line and column.
        message: String,
    },
}

/// One file of a pack.
struct PackFile {
    /// Pack.
    pack: &'static str,
    /// File name within the pack.
    name: &'static str,
    /// Content.
    text: &'static str,
}

macro_rules! pack_files {
    ($($pack:literal: $($name:literal),+;)+) => {
        &[$($(PackFile {
            pack: $pack,
            name: $name,
            text: include_str!(concat!("../../rules/", $pack, "/", $name)),
        }),+),+]
    };
}

/// The packs compiled in. A new file of a pack is one word here.
const BUILTIN: &[PackFile] = pack_files! {
    "expr-lang": "pack.yaml", "function.yaml";
    "go": "pack.yaml", "subscription.yaml", "effect.yaml", "draw.yaml", "library.yaml",
        "constructor.yaml", "queue.yaml", "guard.yaml", "test.yaml";
    "greatbook": "pack.yaml", "guarantee.yaml";
    "neutral": "pack.yaml";
    "nexuscrm": "pack.yaml", "platform.yaml", "trigger.yaml", "action.yaml", "function.yaml",
        "name.yaml", "outbox.yaml", "interpreter.yaml", "confirm.yaml";
    "python": "pack.yaml", "subscription.yaml", "effect.yaml", "draw.yaml", "library.yaml",
        "constructor.yaml", "queue.yaml", "guard.yaml", "test.yaml";
    "rust": "pack.yaml", "subscription.yaml", "effect.yaml", "draw.yaml", "library.yaml",
        "constructor.yaml", "queue.yaml", "guard.yaml", "test.yaml";
};

/// Names of the packs compiled in, sorted.
pub fn builtin_names() -> Vec<&'static str> {
    let names: BTreeSet<&str> = BUILTIN.iter().map(|file| file.pack).collect();
    names.into_iter().collect()
}

/// Loads the named packs and all they use, with the rules of the user in front of them: an entry
/// of theirs is found before one of a pack that says something else of the same thing.
///
/// # Errors
/// If a name is unknown, or a file cannot be read or does not parse.
pub fn load(names: &[&str], own: &[PathBuf]) -> Result<Rules, PackError> {
    let mut rules = Rules::default();
    for path in own {
        super::own::load(path, &mut rules)?;
    }
    let mut seen = BTreeSet::new();
    for name in names {
        load_pack(name, &mut rules, &mut seen)?;
    }
    Ok(rules)
}

/// The text of a pack compiled in, file by file; none for an unknown name.
pub fn builtin_text(name: &str) -> Option<String> {
    let mut text = String::new();
    for file in BUILTIN.iter().filter(|file| file.pack == name) {
        text.push_str(&format!(
            "# --- rules/{}/{}\n{}",
            file.pack, file.name, file.text
        ));
    }
    (!text.is_empty()).then_some(text)
}

fn load_pack(name: &str, rules: &mut Rules, seen: &mut BTreeSet<String>) -> Result<(), PackError> {
    if !seen.insert(name.to_owned()) {
        return Ok(());
    }
    let files: Vec<&PackFile> = BUILTIN.iter().filter(|file| file.pack == name).collect();
    let Some(head) = files.iter().find(|file| file.name == "pack.yaml") else {
        return Err(PackError::Unknown {
            name: name.to_owned(),
            known: builtin_names().join(", "),
        });
    };
    let head: PackHead = parse(head.text, &format!("rules/{name}/pack.yaml"))?;
    rules.packs.push(Arc::clone(&head.pack));
    if rules.gate.is_empty() {
        rules.gate = head.gate;
    }
    rules.ambient.extend(head.ambient);
    rules.residuals.extend(head.residuals);
    rules.unqueued = rules.unqueued.take().or(head.unqueued);
    rules.deferred.extend(head.deferred);
    for file in files {
        let shown = format!("rules/{}/{}", file.pack, file.name);
        add(rules, &head.pack, file.name, file.text, &shown)?;
    }
    for used in head.uses {
        load_pack(&used, rules, seen)?;
    }
    Ok(())
}

/// Kinds of entries by file name; `pack.yaml` is the head of a pack and no entry.
pub(super) const KINDS: &[&str] = &[
    "platform.yaml",
    "trigger.yaml",
    "action.yaml",
    "function.yaml",
    "name.yaml",
    "outbox.yaml",
    "interpreter.yaml",
    "confirm.yaml",
    "subscription.yaml",
    "effect.yaml",
    "constructor.yaml",
    "draw.yaml",
    "library.yaml",
    "queue.yaml",
    "guard.yaml",
    "test.yaml",
    "guarantee.yaml",
];

/// Adds the entries of one file; its name says what they are.
pub(super) fn add(
    rules: &mut Rules,
    pack: &Arc<str>,
    name: &str,
    text: &str,
    shown: &str,
) -> Result<(), PackError> {
    let before = rules.digests.get(pack).cloned().unwrap_or_default();
    let digest = short(format!("{before}{name}\0{text}").as_bytes());
    rules.digests.insert(Arc::clone(pack), digest);
    match name {
        "platform.yaml" => {
            let platform = parse(text, shown)?;
            rules.platform.get_or_insert((Arc::clone(pack), platform));
        }
        "trigger.yaml" => rules.triggers.extend(parse::<Vec<_>>(text, shown)?),
        "action.yaml" => rules.actions.extend(parse::<Vec<_>>(text, shown)?),
        "function.yaml" => rules.functions.extend(parse::<Vec<_>>(text, shown)?),
        "name.yaml" => rules.names.extend(parse::<Vec<_>>(text, shown)?),
        "outbox.yaml" => rules.outboxes.extend(parse::<Vec<_>>(text, shown)?),
        "interpreter.yaml" => {
            let interpreter = parse(text, shown)?;
            rules.interpreter.get_or_insert(interpreter);
        }
        "confirm.yaml" => {
            let entries = parse::<Vec<_>>(text, shown)?;
            let named = entries.into_iter().map(|it| (Arc::clone(pack), it));
            rules.confirms.extend(named);
        }
        "subscription.yaml" => rules.subscriptions.extend(parse::<Vec<_>>(text, shown)?),
        "effect.yaml" => rules.effects.extend(parse::<Vec<_>>(text, shown)?),
        "library.yaml" => rules.libraries.extend(parse::<Vec<_>>(text, shown)?),
        "draw.yaml" => rules.draws.extend(parse::<Vec<_>>(text, shown)?),
        "queue.yaml" => rules.queue.extend(parse::<Vec<_>>(text, shown)?),
        "guard.yaml" => rules.guards.extend(parse::<Vec<_>>(text, shown)?),
        "guarantee.yaml" => {
            let declared = parse::<Vec<Guarantee>>(text, shown)?;
            let placed = declared.into_iter().map(|one| Guarantee {
                place: Some(Place::Rule {
                    pack: Arc::clone(pack),
                    entry: Arc::clone(&one.id),
                }),
                ..one
            });
            rules.guarantees.extend(placed);
        }
        "test.yaml" => rules.tests.extend(parse::<Vec<_>>(text, shown)?),
        "constructor.yaml" => rules.constructors.extend(parse::<Vec<_>>(text, shown)?),
        _ => {}
    }
    Ok(())
}

fn parse<T: DeserializeOwned>(text: &str, shown: &str) -> Result<T, PackError> {
    serde_saphyr::from_str(text).map_err(|error| PackError::Invalid {
        file: shown.to_owned(),
        message: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pack_compiled_in_loads() {
        for name in builtin_names() {
            let rules = load(&[name], &[]).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(&*rules.packs[0], name);
        }
    }

    #[test]
    fn an_unknown_pack_names_the_known_ones() {
        let error = load(&["nexus"], &[]).expect_err("no such pack").to_string();
        assert!(error.contains("nexuscrm"), "{error}");
    }
}
