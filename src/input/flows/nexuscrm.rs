//! NexusCRM metadata as JSON: flows, steps, named actions, objects, fields and auto-numbers.
//!
//! A file may hold one row, an array of rows of one kind, an object with one array per kind, or
//! any of these under `data`, as the metadata API answers. Members go by the names of the API
//! (`id`, `last_modified`) or of the columns (`__sys_gen_id`). Nothing is concluded from a word:
//! an unknown status, trigger or action is just text.

mod embedded;
mod join;
mod kinds;
mod members;
mod rows;
mod table_rows;

use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::metadata::{Node, NodeKind};
use crate::model::place::Place;

pub use kinds::is_metadata;
use kinds::{RowKind, row_kind, section};
pub use rows::Rows;
pub use table_rows::{FLOWS, TABLES};

impl Rows {
    /// Takes up everything a file holds.
    pub fn read(&mut self, node: Node) {
        let place = node.place();
        if row_kind(&node).is_some() {
            self.read = true;
            self.row(node, None);
            return;
        }
        match node.kind {
            NodeKind::Array(items) => {
                // An array holds one kind: a row that lacks the telling keys is one of them too.
                let kind = items.iter().find_map(row_kind);
                if kind.is_none() && !items.is_empty() {
                    self.problems.push(unrecognised(place));
                    return;
                }
                self.read = true;
                items.into_iter().for_each(|item| self.row(item, kind));
            }
            NodeKind::Object(members) if members.iter().any(|it| section(&it.key).is_some()) => {
                self.read = true;
                for member in members {
                    match section(&member.key) {
                        Some(kind) => self.section(&member.key, kind, member.value),
                        None => self.no_section(&member.key, &member.value),
                    }
                }
            }
            NodeKind::Object(members) => {
                match members.into_iter().find(|member| &*member.key == "data") {
                    Some(data) => self.read(data.value),
                    None => self.problems.push(unrecognised(place)),
                }
            }
            _ => self.problems.push(unrecognised(place)),
        }
    }

    /// Takes up the rows of one kind: an array, or a single one.
    fn section(&mut self, key: &str, kind: RowKind, value: Node) {
        let place = value.place();
        match value.kind {
            NodeKind::Null => {}
            NodeKind::Object(_) => self.row(value, Some(kind)),
            NodeKind::Array(items) => items.into_iter().for_each(|item| self.row_of(item, kind)),
            _ => self.problems.push(problem(
                Why::NotParsed,
                format!("`{key}` is not an array of rows"),
                place,
                "make it an array, or export the metadata again",
            )),
        }
    }

    /// Rows under a name that is not known must not be lost in silence.
    fn no_section(&mut self, key: &str, value: &Node) {
        if value.items().iter().any(|item| !item.members().is_empty()) {
            self.problems.push(problem(
                Why::NotMapped,
                format!("the rows under `{key}` are of no kind that is read"),
                value.place(),
                "use the names `flows`, `flow_steps`, `actions`, `objects`, `fields`, `autonumbers`, \
                 `webhooks`, or take the rows out",
            ));
        }
    }

    /// Takes up one row of the kind that its keys tell, or else of the kind around it.
    fn row(&mut self, node: Node, around: Option<RowKind>) {
        if let Some(kind) = row_kind(&node).or(around) {
            self.row_of(node, kind);
        }
    }
}

fn unrecognised(place: Place) -> Reason {
    problem(
        Why::NotParsed,
        "the JSON holds no flow metadata: neither a flow, nor an array of rows, nor `flows` or `data`"
            .to_owned(),
        place,
        "export the flows as an array, or as `{\"flows\": […], \"actions\": […]}`",
    )
}

fn problem(why: Why, sentence: String, place: Place, next_step: impl Into<String>) -> Reason {
    Reason {
        why,
        needs: Some(InputKind::Flows),
        sentence,
        place: Some(place),
        next_step: next_step.into(),
    }
}
