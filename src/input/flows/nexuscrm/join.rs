//! Joining rows: steps to their flows, fields to their objects, across files.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::problem;
use super::rows::{FieldRow, ObjectRef, Rows};
use crate::model::evidence::Why;
use crate::model::metadata::{Metadata, ObjectMeta};
use crate::model::place::Place;

impl Rows {
    /// Makes metadata of the rows. A row that names another which was not read is a problem, and
    /// so is an id that two rows claim.
    pub fn join(mut self, metadata: &mut Metadata) {
        self.claimed_twice();
        self.join_steps();
        self.join_fields(&mut metadata.objects);
        metadata.read |= self.read;
        metadata.flows.append(&mut self.flows);
        metadata.actions.append(&mut self.actions);
        metadata.auto_numbers.append(&mut self.auto_numbers);
        metadata.problems.append(&mut self.problems);
    }

    fn claimed_twice(&mut self) {
        let flows = self.flows.iter().filter_map(|flow| {
            let id = flow.id.as_deref()?;
            Some(("flow", id, &*flow.name.value, &flow.place))
        });
        let actions = self
            .actions
            .iter()
            .map(|it| ("action", &*it.id, &*it.name.value, &it.place));
        let mut first: BTreeMap<(&str, &str), (&str, &Place)> = BTreeMap::new();
        let mut problems = Vec::new();
        for (what, id, name, place) in flows.chain(actions) {
            if let Some((other, there)) = first.get(&(what, id)) {
                problems.push(problem(
                    Why::Disagree,
                    format!("the id `{id}` names two {what}s, `{other}` ({there}) and `{name}`"),
                    place.clone(),
                    "give one export of one environment",
                ));
            } else {
                first.insert((what, id), (name, place));
            }
        }
        self.problems.append(&mut problems);
    }

    /// A step belongs to the flow of that id in its own file, or else in any.
    fn join_steps(&mut self) {
        let mut by_id: BTreeMap<Arc<str>, Vec<usize>> = BTreeMap::new();
        for (at, flow) in self.flows.iter().enumerate() {
            if let Some(id) = &flow.id {
                by_id.entry(Arc::clone(id)).or_default().push(at);
            }
        }
        let mut known: BTreeMap<(usize, i64, Arc<str>), Place> = BTreeMap::new();
        for (at, flow) in self.flows.iter().enumerate() {
            for step in &flow.steps {
                let key = (at, step.order, Arc::clone(&step.name.value));
                known.entry(key).or_insert_with(|| step.place.clone());
            }
        }
        for (flow_id, step) in std::mem::take(&mut self.steps) {
            let candidates = by_id.get(&flow_id.value).map_or(&[][..], Vec::as_slice);
            let near = candidates.iter().copied().find(|at| {
                let flow = self.flows.get(*at);
                flow.is_some_and(|flow| file(&flow.place) == file(&step.place))
            });
            let found = near.or_else(|| candidates.first().copied());
            let Some((at, flow)) = found.and_then(|at| Some((at, self.flows.get_mut(at)?))) else {
                self.problems.push(problem(
                    Why::NotResolved,
                    format!(
                        "the step `{}` belongs to the flow `{}`, which was not read",
                        step.name.value, flow_id.value
                    ),
                    flow_id.place,
                    "add the flow to the flows that are given",
                ));
                continue;
            };
            // Steps within their flow may be exported as rows of their own too.
            match known.entry((at, step.order, Arc::clone(&step.name.value))) {
                Entry::Vacant(entry) => {
                    entry.insert(step.place.clone());
                    flow.steps.push(step);
                }
                Entry::Occupied(twin) => self.problems.push(problem(
                    Why::Disagree,
                    format!(
                        "the step `{}` of the flow `{}` stands at {} too",
                        step.name.value,
                        flow.name.value,
                        twin.get()
                    ),
                    step.place,
                    "give the steps either within their flow or as rows of their own",
                )),
            }
        }
    }

    fn join_fields(&mut self, objects: &mut BTreeMap<Arc<str>, ObjectMeta>) {
        let mut names: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
        for object in std::mem::take(&mut self.objects) {
            let name = object.name.value;
            if let Some(id) = object.id {
                names.insert(id, Arc::clone(&name));
            }
            objects.entry(name).or_default();
        }
        let mut known: BTreeMap<(Arc<str>, Arc<str>), usize> = BTreeMap::new();
        for FieldRow { object, field } in std::mem::take(&mut self.fields) {
            let name = match object {
                ObjectRef::Name(name) => Some(name),
                ObjectRef::Id(id) => {
                    let named = names.get(&id.value).cloned();
                    let named = named.or_else(|| {
                        objects
                            .contains_key(&id.value)
                            .then(|| Arc::clone(&id.value))
                    });
                    if named.is_none() {
                        self.problems.push(problem(
                            Why::NotResolved,
                            format!(
                                "the field `{}` belongs to the object `{}`, which was not read",
                                field.name.value, id.value
                            ),
                            id.place,
                            "add the object to the metadata that is given",
                        ));
                    }
                    named
                }
            };
            let Some(name) = name else {
                continue;
            };
            let fields = &mut objects.entry(Arc::clone(&name)).or_default().fields;
            let key = (Arc::clone(&name), Arc::clone(&field.name.value));
            let position = *known.entry(key).or_insert(fields.len());
            match fields.get(position) {
                None => fields.push(field),
                Some(twin)
                    if (&twin.field_type, twin.is_unique, twin.required)
                        == (&field.field_type, field.is_unique, field.required) => {}
                Some(twin) => {
                    self.problems.push(problem(
                        Why::Disagree,
                        format!(
                            "the field `{name}.{}` is declared twice, and differently at {}",
                            field.name.value, twin.name.place
                        ),
                        field.name.place.clone(),
                        "give one export of one environment",
                    ));
                    fields.push(field);
                }
            }
        }
    }
}

fn file(place: &Place) -> Option<&Arc<str>> {
    place.span().map(|span| &span.file)
}
