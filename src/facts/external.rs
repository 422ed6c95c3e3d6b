//! Effects that leave the database: mail and calls to other systems.

use std::sync::Arc;

use crate::model::effect::{EffectKind, EffectNote, NoteKind, RowChoice, Target};
use crate::model::metadata::{Node, NodeKind, Text};
use crate::model::secret::is_secret_name;
use crate::model::value::Value;
use crate::rules::{ActionRule, Becomes, FormulaSyntax};

use super::action::{ActionContext, Site};
use super::failing::fail;
use super::formula::{formula_in, value_of};

/// Mail or an HTTP call.
pub(super) fn external_effect(
    context: &mut ActionContext<'_>,
    site: &Site<'_>,
    rule: &ActionRule,
    word: &Text,
) {
    let environment = context.environment();
    let values: Vec<(&Arc<str>, Value)> = rule
        .values
        .iter()
        .filter_map(|key| Some((key, site.config?.get(key)?)))
        .map(|(key, node)| (key, value_of(node, rule.formula, environment)))
        .collect();
    let (kind, target) = match rule.becomes {
        Becomes::Mail => (EffectKind::Mail, Arc::from("mail")),
        _ => (EffectKind::Http, address(site)),
    };
    let word = rule.words.first().unwrap_or(&word.value);
    let mut effect = context.blank(site, word, Target::Outside(target));
    effect.kind = kind;
    effect.rows = RowChoice::None;
    effect
        .by_rule
        .push(context.by_rule(&rule.id, &format!("what {word} does at delivery")));
    // Optional values are evaluated too, but an error in one of them is passed over.
    let failing = values
        .iter()
        .find(|(key, value)| value.fails.is_some() && rule.required.contains(key));
    if let Some((key, value)) = failing {
        let why = value.fails.as_deref().unwrap_or_default();
        let sentence = format!("it fails on every event: `{key}` cannot be evaluated: {why}");
        fail(&mut effect, sentence, value.place.clone());
    }
    for key in &rule.sent_as_written {
        let Some(node) = site.config.and_then(|config| config.get(key)) else {
            continue;
        };
        note_literal_formulas(node, key, &mut effect.notes);
        for member in node.members() {
            let names_key = rule
                .idempotency_names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(&member.key));
            if names_key && effect.idempotency_key.is_none() {
                let key = value_of(&member.value, FormulaSyntax::None, environment);
                effect.idempotency_key = Some(Box::new(key));
            }
        }
    }
    context.push(effect);
}

/// A constant address without user, query and fragment, which may hold secrets.
fn address(site: &Site<'_>) -> Arc<str> {
    let url = site
        .config
        .and_then(|config| config.get("url"))
        .and_then(Node::string);
    let Some(url) = url.filter(|url| formula_in(url, FormulaSyntax::Braces).is_none()) else {
        return "webhook".into();
    };
    let bare = url.split(['?', '#']).next().unwrap_or_default();
    match bare.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = match rest.find('/') {
                Some(at) => rest.split_at(at),
                None => (rest, ""),
            };
            let host = authority.rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{path}").into()
        }
        None => "webhook".into(),
    }
}

/// Notes each formula inside a map whose values the platform sends as written.
fn note_literal_formulas(node: &Node, within: &str, notes: &mut Vec<EffectNote>) {
    match &node.kind {
        NodeKind::Array(items) => {
            for item in items {
                note_literal_formulas(item, within, notes);
            }
        }
        NodeKind::Object(members) => {
            for member in members {
                nested_formula(&member.key, &member.value, within, notes);
                note_literal_formulas(&member.value, within, notes);
            }
        }
        _ => {}
    }
}

fn nested_formula(key: &str, node: &Node, within: &str, notes: &mut Vec<EffectNote>) {
    let Some(text) = node.string() else { return };
    if formula_in(text, FormulaSyntax::Braces).is_some() {
        // The text around the formula may be a credential.
        let what = if is_secret_name(key) { key } else { text };
        notes.push(EffectNote {
            kind: NoteKind::LiteralFormula,
            sentence: format!(
                "`{what}` inside `{within}` is sent as written: formulas are evaluated only at the top level"
            )
            .into(),
            place: node.place(),
        });
    }
}
