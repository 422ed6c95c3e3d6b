//! Libraries outside the tree that a handler can call and that no rule describes.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::model::source::Language;
use crate::rules::CallPattern;

use super::calls::{Calls, Site};
use super::frame::Analysis;
use super::handler::Handler;
use super::matching::unversioned;
use super::program::FnId;
use super::resolve::Callee;

/// The libraries that a handler can call, sorted.
pub(super) fn called<'a>(
    analysis: &Analysis<'a>,
    calls: &Calls<'a>,
    handler: Handler<'a>,
) -> Vec<Arc<str>> {
    let within = handler.within();
    let language = analysis.program.file(within).language;
    let described = described(analysis, language);
    let mut found: BTreeSet<String> = BTreeSet::new();
    let mut seen: BTreeSet<FnId> = BTreeSet::new();
    let mut open: Vec<FnId> = Vec::new();
    let mut look = |site: &Site<'a>, open: &mut Vec<FnId>| match &site.callee {
        Callee::Functions(..) | Callee::Type(_) => open.extend(analysis.runs(&site.callee)),
        Callee::External(name) => found.extend(library(language, name)),
        Callee::Method { receivers, .. } => {
            let mut outside = receivers.iter().filter_map(|of| library(language, of));
            found.extend(outside.next());
        }
        _ => {}
    };
    let range = handler.range(analysis);
    for site in calls.within(within) {
        if range.contains(&site.call.at) {
            look(site, &mut open);
        }
    }
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            for site in calls.within(id) {
                look(site, &mut open);
            }
        }
    }
    let files = analysis.program.files.iter();
    let own: BTreeSet<&str> = files
        .map(|file| match file.language {
            Language::Go => &*file.package,
            Language::Python | Language::Rust if !file.package.contains("::") => {
                file.package.split('.').next().unwrap_or_default()
            }
            Language::Python | Language::Rust => {
                file.package.split("::").next().unwrap_or_default()
            }
        })
        .collect();
    let harmless = |name: &str| {
        let rules = analysis.rules.libraries.iter();
        let mut names = rules
            .filter(|rule| rule.language == language)
            .flat_map(|rule| &rule.names);
        names.any(|known| {
            let rest = name.strip_prefix(&**known);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.']))
        })
    };
    found.retain(|name| !described.contains(name) && !own.contains(&**name) && !harmless(name));
    found.into_iter().map(Into::into).collect()
}

/// The libraries of which some rule speaks.
fn described(analysis: &Analysis<'_>, language: Language) -> BTreeSet<String> {
    let rules = analysis.rules;
    let subscriptions = rules.subscriptions.iter();
    let subscriptions = subscriptions.map(|rule| (rule.language, &rule.call));
    let effects = rules.effects.iter().map(|rule| (rule.language, &rule.call));
    let draws = rules.draws.iter().map(|rule| (rule.language, &rule.call));
    let patterns = subscriptions.chain(effects).chain(draws);
    let names = patterns
        .filter(|(of, _)| *of == language)
        .flat_map(|(_, call): (_, &CallPattern)| call.receiver.iter().chain(&call.function));
    names.filter_map(|name| library(language, name)).collect()
}

/// The package in Go, the crate in Rust; none for the standard library and for what is no path.
fn library(language: Language, name: &str) -> Option<String> {
    match language {
        Language::Go => {
            let (package, _) = name.rsplit_once('.')?;
            let host = package.split('/').next()?;
            (host.contains('.')).then(|| unversioned(package))
        }
        Language::Python => {
            let (head, _) = name.split_once('.')?;
            (head != "*").then(|| head.to_owned())
        }
        Language::Rust => {
            let (head, _) = name.split_once("::")?;
            let is_own = matches!(
                head,
                "std"
                    | "core"
                    | "alloc"
                    | "crate"
                    | "self"
                    | "super"
                    | "*"
                    | "str"
                    | "bool"
                    | "char"
            );
            // `i64::from`, `f32::max`.
            let is_number = head.len() <= 5
                && head.starts_with(['i', 'u', 'f'])
                && head.get(1..).is_some_and(|rest| {
                    rest == "size" || rest.bytes().all(|byte| byte.is_ascii_digit())
                });
            let is_crate = head.starts_with(|c: char| c.is_ascii_lowercase());
            (!is_own && !is_number && is_crate).then(|| head.to_owned())
        }
    }
}
