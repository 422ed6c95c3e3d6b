//! `guarantees`: what the project promises about running things again.

use serde_json::{Map, Value};

use super::fields::{Fields, Sink, Text};
use super::secret::shown;
use super::tree::{Node, NodeKind};
use crate::model::guarantee::{Enforcement, Guarantee, Kind, ProvenBy};

/// Reads `guarantees`; an id stands once, and a kind once in each of them.
pub(super) fn guarantees(sink: &Sink<'_>, root: &Fields<'_>) -> Vec<Guarantee> {
    let mut all: Vec<Guarantee> = Vec::new();
    for fields in root.each("guarantees") {
        let id = fields.required("id", "add `id:` with a name for it");
        let statement = fields.required("statement", "say in one sentence what holds");
        let enforced_by = enforced(sink, &fields);
        let proven_by = fields
            .each("proven_by")
            .into_iter()
            .filter_map(proven)
            .collect();
        let checks = checks(sink, &fields);
        fields.finish();
        let (Some(id), Some(statement)) = (id, statement) else {
            continue;
        };
        if all.iter().any(|known| &*known.id == id.value) {
            let sentence = format!("`guarantees` lists `{}` twice", shown(id.value));
            sink.push(sink.problem(id, sentence));
        }
        all.push(Guarantee {
            id: id.value.into(),
            statement: statement.value.into(),
            enforced_by,
            proven_by,
            checks,
            place: Some(sink.declared(id).place),
        });
    }
    all
}

fn enforced(sink: &Sink<'_>, guarantee: &Fields<'_>) -> Vec<Enforcement> {
    let read = |fields: Fields<'_>| {
        let names = [
            fields.text("code"),
            fields.text("migration"),
            fields.text("index"),
        ];
        let given: Vec<Text<'_>> = names.into_iter().flatten().collect();
        let one = match names {
            [Some(code), None, None] => Some(Enforcement::Code(code.value.into())),
            [None, Some(migration), None] => Some(Enforcement::Migration(migration.value.into())),
            [None, None, Some(index)] => Some(Enforcement::Index(index.value.into())),
            _ => None,
        };
        match (&one, given.first()) {
            (None, Some(first)) => {
                let sentence = "an entry of `enforced_by` names one thing";
                let problem = sink.problem(*first, sentence);
                sink.push(problem.help("begin an entry for each of code, migration and index"));
            }
            (None, None) => fields.missing("code", "or `migration:` or `index:`, with its name"),
            _ => {}
        }
        fields.finish();
        one
    };
    guarantee
        .each("enforced_by")
        .into_iter()
        .filter_map(read)
        .collect()
}

fn proven(fields: Fields<'_>) -> Option<ProvenBy> {
    let suite = fields.required("suite", "add `suite:` with the file of the tests");
    let test = fields.text("test");
    let proves = fields.text("proves");
    fields.finish();
    Some(ProvenBy {
        suite: suite?.value.into(),
        test: test.map(|text| text.value.into()),
        proves: proves.map(|text| text.value.into()),
    })
}

fn checks(sink: &Sink<'_>, guarantee: &Fields<'_>) -> Vec<Kind> {
    let mut kinds: Vec<Kind> = Vec::new();
    for (key, node) in guarantee.nodes("checks") {
        let here = Text {
            value: "",
            start: node.start,
            end: node.end.max(key.end),
        };
        match serde_json::from_value::<Kind>(value(node)) {
            Ok(kind) if kinds.iter().any(|known| known.word() == kind.word()) => {
                let sentence = format!("one guarantee is checked by `{}` twice", kind.word());
                sink.push(
                    sink.problem(here, sentence)
                        .help("declare a guarantee for each"),
                );
            }
            Ok(kind) => kinds.push(kind),
            Err(error) => {
                let sentence = format!("a check of a guarantee: {}", shown(&error.to_string()));
                sink.push(sink.problem(here, sentence));
            }
        }
    }
    kinds
}

/// The value as JSON; every scalar is a text.
fn value(node: &Node) -> Value {
    match &node.kind {
        NodeKind::Null => Value::Null,
        NodeKind::Text(text) => Value::String(text.clone()),
        NodeKind::List(items) => Value::Array(items.iter().map(value).collect()),
        NodeKind::Map(entries) => {
            let mut map = Map::new();
            for (key, inner) in entries {
                let name = match &key.kind {
                    NodeKind::Text(text) => text.clone(),
                    _ => String::new(),
                };
                map.insert(name, value(inner));
            }
            Value::Object(map)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::input::config::parse;
    use crate::model::text::TextFile;

    fn problems(yaml: &str) -> String {
        let text = TextFile::new("f", format!("version: 1\nguarantees:\n{yaml}"));
        parse(text, Path::new("")).map_or_else(|it| it.to_string(), |_| String::new())
    }

    #[test]
    fn what_is_wrong_with_a_check_is_told_at_its_place() {
        let said =
            problems("- id: a\n  statement: b\n  checks:\n  - {kind: after-commit, function: f}\n");
        assert!(said.contains("call") && said.contains("f:6:5"), "{said}");
        let said =
            problems("- id: a\n  statement: b\n  checks:\n  - {kind: no-such, function: f}\n");
        assert!(
            said.contains("no-such") && said.contains("unique-key"),
            "{said}"
        );
    }

    #[test]
    fn a_flag_is_read_as_text() {
        let said = problems(
            "- id: a\n  statement: b\n  enforced_by: [{code: x.py::f}]\n  checks:\n  - {kind: unique-key, table: t, key: [a], lookup_first: true}\n",
        );
        assert_eq!(said, "");
    }
}
