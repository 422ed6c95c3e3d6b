//! The members of one metadata row, taken out one by one and checked for their type.

use std::sync::Arc;

use super::embedded;
use super::problem;
use crate::model::evidence::{Reason, Why};
use crate::model::metadata::{Member, Node, NodeKind, Text};
use crate::model::place::Place;

/// A row whose members are being taken out.
pub(super) struct Row<'p> {
    /// What the row is, with its name: ``flow `Assign owner` ``.
    title: String,
    /// Where it begins.
    pub(super) place: Place,
    members: Vec<Member>,
    problems: &'p mut Vec<Reason>,
    /// False once a member was of a type that leaves its meaning open.
    pub(super) sound: bool,
}

impl<'p> Row<'p> {
    /// Takes a node apart; none, with a problem, unless it is an object.
    pub(super) fn new(
        what: &'static str,
        node: Node,
        problems: &'p mut Vec<Reason>,
    ) -> Option<Self> {
        let place = node.origin.place(node.start, node.start + 1);
        let named = ["name", "step_name", "api_name", "field_api_name"]
            .iter()
            .find_map(|key| node.get(key)?.string().filter(|it| !it.is_empty()));
        let title = match named {
            Some(name) => format!("the {what} `{name}`"),
            None => format!("the {what} here"),
        };
        let NodeKind::Object(members) = node.kind else {
            problems.push(problem(
                Why::NotParsed,
                format!("{} stands where a {what} should", kind_word(&node.kind)),
                place,
                "take it out, or export the metadata again",
            ));
            return None;
        };
        Some(Self {
            title,
            place,
            members,
            problems,
            sound: true,
        })
    }

    /// Takes out the value of the first of these names.
    pub(super) fn take(&mut self, names: &[&str]) -> Option<Node> {
        self.member(names).map(|member| member.value)
    }

    fn member(&mut self, names: &[&str]) -> Option<Member> {
        let at = names
            .iter()
            .find_map(|name| self.members.iter().position(|it| &*it.key == *name))?;
        Some(self.members.swap_remove(at))
    }

    /// A text; none if it is absent, `null` or empty, which the platform does not tell apart.
    pub(super) fn text(&mut self, names: &[&str]) -> Option<Text> {
        let Member {
            key, value: node, ..
        } = self.member(names)?;
        match &node.kind {
            NodeKind::Null => None,
            NodeKind::String(text) if text.trim().is_empty() => None,
            NodeKind::String(_) => node.text(),
            _ => {
                self.wrong(&key, &node, "a text");
                None
            }
        }
    }

    /// An id: a text or a number.
    pub(super) fn id(&mut self, names: &[&str]) -> Option<Text> {
        let Member {
            key, value: node, ..
        } = self.member(names)?;
        match &node.kind {
            NodeKind::Number(value) => Some(Text {
                value: Arc::clone(value),
                place: node.place(),
            }),
            NodeKind::Null => None,
            NodeKind::String(text) if text.trim().is_empty() => None,
            NodeKind::String(_) => node.text(),
            _ => {
                self.wrong(&key, &node, "an id");
                None
            }
        }
    }

    /// A flag as JSON, drivers or forms write it; false if it is absent.
    pub(super) fn flag(&mut self, names: &[&str]) -> bool {
        let Some(Member {
            key, value: node, ..
        }) = self.member(names)
        else {
            return false;
        };
        let value = match &node.kind {
            NodeKind::Null => Some(false),
            NodeKind::Bool(value) => Some(*value),
            NodeKind::Number(text) | NodeKind::String(text) => match &*text.to_ascii_lowercase() {
                "1" | "true" => Some(true),
                "0" | "false" | "" => Some(false),
                _ => None,
            },
            _ => None,
        };
        value.unwrap_or_else(|| {
            self.wrong(&key, &node, "true or false");
            false
        })
    }

    /// A whole number; none if it is absent.
    pub(super) fn number(&mut self, names: &[&str]) -> Option<i64> {
        let Member {
            key, value: node, ..
        } = self.member(names)?;
        let value = match &node.kind {
            NodeKind::Null => return None,
            NodeKind::Number(text) | NodeKind::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        if value.is_none() {
            self.wrong(&key, &node, "a whole number");
        }
        value
    }

    /// An action's configuration: an object, or a text that holds one, as a JSON column is
    /// exported by some tools. What is neither is kept as it stands, with a problem.
    pub(super) fn config(&mut self, names: &[&str]) -> Option<Node> {
        let Member {
            key, value: node, ..
        } = self.member(names)?;
        let name = &*key;
        match &node.kind {
            NodeKind::Null => None,
            NodeKind::String(text) if text.trim().is_empty() => None,
            NodeKind::String(_) => match embedded::parse(&node) {
                Ok(inner) if matches!(inner.kind, NodeKind::Null) => None,
                Ok(inner) => Some(self.object(name, inner)),
                Err((fault, place)) => {
                    self.problems.push(problem(
                        Why::NotParsed,
                        format!(
                            "`{name}` of {} is a text that is not JSON: {fault}",
                            self.title
                        ),
                        place,
                        "correct it, or export the metadata again",
                    ));
                    Some(node)
                }
            },
            _ => Some(self.object(name, node)),
        }
    }

    fn object(&mut self, name: &str, node: Node) -> Node {
        if !matches!(node.kind, NodeKind::Object(_)) {
            self.problems.push(problem(
                Why::NotParsed,
                format!(
                    "`{name}` of {} is {}, not an object",
                    self.title,
                    kind_word(&node.kind)
                ),
                node.place(),
                "correct it, or export the metadata again",
            ));
        }
        node
    }

    /// Says what is missing or wrong with the row, which is kept.
    pub(super) fn complain(&mut self, why: Why, says: &str, next_step: &str) {
        self.problems.push(problem(
            why,
            format!("{} {says}", self.title),
            self.place.clone(),
            next_step,
        ));
    }

    /// Says that a member is missing, without which the row means nothing.
    pub(super) fn lacks(&mut self, name: &str) {
        self.sound = false;
        self.complain(
            Why::NotParsed,
            &format!("has no `{name}` and is left out"),
            &format!("add `{name}`, or export the metadata again"),
        );
    }

    fn wrong(&mut self, name: &str, node: &Node, wanted: &str) {
        self.sound = false;
        self.problems.push(problem(
            Why::NotParsed,
            format!(
                "{} is left out: `{name}` is {}, not {wanted}",
                self.title,
                kind_word(&node.kind)
            ),
            node.place(),
            "correct it, or export the metadata again",
        ));
    }
}

fn kind_word(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::Null => "`null`",
        NodeKind::Bool(_) => "a boolean",
        NodeKind::Number(_) => "a number",
        NodeKind::String(_) => "a text",
        NodeKind::Array(_) => "an array",
        NodeKind::Object(_) => "an object",
    }
}
