//! `gate`, `natural_keys` and `deferred`: what the verdict is asked about.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fields::{Fields, Sink, Text};
use super::secret::shown;
use crate::model::scope::{Declared, DeferredFlow, NaturalKey};

/// What `gate` says.
#[derive(Default)]
pub(super) struct Gate {
    pub(super) flag: Option<Arc<str>>,
    pub(super) pack: Option<Declared>,
    pub(super) named: Vec<Declared>,
}

/// Reads `gate`.
pub(super) fn gate(sink: &Sink<'_>, root: &Fields<'_>) -> Gate {
    let Some(fields) = root.fields("gate") else {
        return Gate::default();
    };
    let gate = Gate {
        flag: flag(sink, &fields),
        pack: fields.text("pack").map(|pack| sink.declared(pack)),
        named: declared(sink, fields.texts("named")),
    };
    fields.finish();
    gate
}

/// The one flag that an audit answers for.
fn flag(sink: &Sink<'_>, fields: &Fields<'_>) -> Option<Arc<str>> {
    if let Some((key, items)) = fields.list("flag") {
        let sentence = match items {
            0 | 1 => "`gate.flag` wants text, not a list",
            _ => "`gate.flag` names two flags, and one audit answers for one",
        };
        let problem = sink.problem(key, sentence);
        sink.push(problem.label("audit each flag with a configuration of its own (--config FILE)"));
        return None;
    }
    fields.text("flag").map(|flag| Arc::from(flag.value))
}

/// Reads `deferred`; a flow is deferred once, and not one that the gate names.
pub(super) fn deferred(
    sink: &Sink<'_>,
    root: &Fields<'_>,
    named: &[Declared],
) -> Vec<DeferredFlow> {
    let mut flows: Vec<DeferredFlow> = Vec::new();
    for fields in root.each("deferred") {
        let flow = fields.required("flow", "add `flow:` with its name");
        let reason = fields.required("reason", "add `reason:` with why it can wait");
        let owner = fields.required("owner", "add `owner:` with who answers for it");
        fields.finish();
        let Some(flow) = flow else { continue };
        if flows.iter().any(|before| &*before.flow.value == flow.value) {
            let sentence = format!("`deferred` lists `{}` twice", shown(flow.value));
            sink.push(sink.problem(flow, sentence));
        }
        if let Some(named) = named.iter().find(|named| &*named.value == flow.value) {
            let line = named.place.span().map_or(0, |span| span.start.line);
            let sentence = format!(
                "`{}` is both named by the gate and deferred",
                shown(flow.value)
            );
            sink.push(
                sink.problem(flow, sentence)
                    .label(format!("named in line {line}")),
            );
        }
        if let (Some(reason), Some(owner)) = (reason, owner) {
            flows.push(DeferredFlow {
                flow: sink.declared(flow),
                reason: Arc::from(reason.value),
                owner: Arc::from(owner.value),
            });
        }
    }
    flows
}

/// Reads `natural_keys`: objects are free keys, without regard to case.
pub(super) fn natural_keys(sink: &Sink<'_>, root: &Fields<'_>) -> BTreeMap<Arc<str>, NaturalKey> {
    let mut keys: BTreeMap<Arc<str>, NaturalKey> = BTreeMap::new();
    let Some(objects) = root.fields("natural_keys") else {
        return keys;
    };
    for (object, node) in objects.entries() {
        let name = object.value.trim();
        let path = format!("`natural_keys.{}`", shown(name));
        if node.is_empty() {
            let problem = sink.problem(*object, format!("{path} names no field"));
            sink.push(problem.label("list the fields of the key, or remove the line"));
            continue;
        }
        let fields = sink.texts(*object, node, &path);
        if fields.is_empty() {
            continue;
        }
        if let Some(other) = keys.keys().find(|key| key.eq_ignore_ascii_case(name)) {
            let sentence = format!("{path} and `{other}` are one object: case does not count");
            sink.push(sink.problem(*object, sentence));
            continue;
        }
        keys.insert(
            Arc::from(name),
            NaturalKey {
                fields: fields.iter().map(|field| Arc::from(field.value)).collect(),
                field_places: fields
                    .iter()
                    .map(|field| sink.file.place(field.start, field.end))
                    .collect(),
                place: sink.file.place(object.start, object.end),
            },
        );
    }
    keys
}

/// Scalars with their places.
pub(super) fn declared(sink: &Sink<'_>, texts: Vec<Text<'_>>) -> Vec<Declared> {
    texts.into_iter().map(|text| sink.declared(text)).collect()
}
