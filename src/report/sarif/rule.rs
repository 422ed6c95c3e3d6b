//! The checks as rules: what each asks, with its page as help.

use serde::Serialize;

use super::message::{Message, message};
use crate::model::check::{CheckInfo, Weight};

/// One check.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    id: &'static str,
    short_description: Message,
    full_description: Message,
    help: Help,
    default_configuration: Configuration,
    properties: Properties,
}

#[derive(Serialize)]
struct Help {
    text: &'static str,
    markdown: &'static str,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct Properties {
    tags: [&'static str; 2],
    clause: &'static str,
    weight: &'static str,
}

/// The rule that is a check.
pub(super) fn rule(check: &'static CheckInfo) -> Rule {
    // A check without a page says its title: the help may not be empty.
    let page = match check.page.is_empty() {
        true => check.title,
        false => check.page,
    };
    Rule {
        id: check.id,
        short_description: message(check.title),
        full_description: message(what(check)),
        help: Help {
            text: page,
            markdown: page,
        },
        default_configuration: Configuration {
            level: match check.weight {
                Weight::Gate => "error",
                Weight::Advisory => "warning",
            },
        },
        properties: Properties {
            tags: ["outbox", check.weight.word()],
            clause: check.clause,
            weight: check.weight.word(),
        },
    }
}

/// The first section of the page; the title where there is none.
fn what(check: &'static CheckInfo) -> &'static str {
    let mut sections = check.page.split("\n## ").skip(1);
    let first = sections.next().and_then(|one| one.split_once('\n'));
    first.map_or(check.title, |(_, text)| text.trim())
}
