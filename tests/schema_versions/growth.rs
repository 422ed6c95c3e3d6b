//! What of a JSON Schema breaks those who rely on an older one.

use std::collections::BTreeSet;

use serde_json::Value;

/// What is done with documents of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// The tool writes them: what was there stays there, and is what it was.
    Written,
    /// The tool reads them: what was right stays right.
    Read,
}

/// Every change that breaks somebody, with its path.
pub(crate) fn broken(old: &Value, new: &Value, direction: Use) -> Vec<String> {
    let mut walk = Walk {
        old,
        new,
        direction,
        seen: BTreeSet::new(),
        broken: Vec::new(),
    };
    walk.compare(old, new, "");
    walk.broken
}

struct Walk<'s> {
    old: &'s Value,
    new: &'s Value,
    direction: Use,
    /// Pairs of definitions that were compared.
    seen: BTreeSet<(String, String)>,
    broken: Vec<String>,
}

fn resolved<'s>(root: &'s Value, schema: &'s Value) -> (&'s Value, String) {
    let (mut schema, mut name) = (schema, String::new());
    while let Some(reference) = schema["$ref"].as_str() {
        name = reference.to_owned();
        schema = root
            .pointer(reference.trim_start_matches('#'))
            .expect("it leads somewhere");
    }
    (schema, name)
}

fn texts(value: &Value) -> BTreeSet<String> {
    match value {
        Value::String(text) => BTreeSet::from([text.clone()]),
        Value::Array(items) => items.iter().map(ToString::to_string).collect(),
        _ => BTreeSet::new(),
    }
}

/// The types that are allowed; those of the choices too.
fn types(value: &Value) -> BTreeSet<String> {
    texts(value)
        .into_iter()
        .map(|one| one.trim_matches('"').to_owned())
        .collect()
}

impl<'s> Walk<'s> {
    fn tell(&mut self, path: &str, says: &str) {
        let path = if path.is_empty() { "/" } else { path };
        self.broken.push(format!("{path}: {says}"));
    }

    fn compare(&mut self, old: &'s Value, new: &'s Value, path: &str) {
        let ((old, old_name), (new, new_name)) = (resolved(self.old, old), resolved(self.new, new));
        if !old_name.is_empty() && !self.seen.insert((old_name, new_name)) {
            return;
        }
        self.compare_types(old, new, path);
        self.compare_required(old, new, path);
        for key in ["const", "pattern", "format"] {
            if old[key] != new[key] && !(self.direction == Use::Read && new[key].is_null()) {
                self.tell(path, &format!("{key} was {} and is {}", old[key], new[key]));
            }
        }
        let gone = texts(&old["enum"]).difference(&texts(&new["enum"])).count();
        if self.direction == Use::Read && gone > 0 && !new["enum"].is_null() {
            self.tell(path, "a value is gone");
        }
        for (name, property) in old["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}/{name}");
            match new["properties"].get(name) {
                Some(now) => self.compare(property, now, &path),
                None => self.tell(&path, "it is gone"),
            }
        }
        for key in ["items", "additionalProperties"] {
            if old[key].is_object() {
                let path = format!("{path}/{key}");
                match new[key].is_object() {
                    true => self.compare(&old[key], &new[key], &path),
                    false => self.tell(&path, "it is gone"),
                }
            }
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            for (at, choice) in old[key].as_array().into_iter().flatten().enumerate() {
                let path = format!("{path}/{key}/{at}");
                match new[key].get(at) {
                    Some(now) => self.compare(choice, now, &path),
                    None => self.tell(&path, "it is gone"),
                }
            }
        }
    }

    fn compare_types(&mut self, old: &Value, new: &Value, path: &str) {
        let (old, new) = (types(&old["type"]), types(&new["type"]));
        let holds = match self.direction {
            Use::Written => new.is_subset(&old) && new.is_empty() == old.is_empty(),
            Use::Read => old.is_subset(&new) || new.is_empty(),
        };
        if !holds {
            self.tell(path, &format!("the type was {old:?} and is {new:?}"));
        }
    }

    fn compare_required(&mut self, old: &Value, new: &Value, path: &str) {
        let (old, new) = (texts(&old["required"]), texts(&new["required"]));
        let holds = match self.direction {
            Use::Written => old.is_subset(&new),
            Use::Read => new.is_subset(&old),
        };
        if !holds {
            self.tell(path, &format!("required was {old:?} and is {new:?}"));
        }
    }
}
