//! The order of migrations: each runs behind those that it stands on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::place::Place;

/// A migration, as far as the order goes.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// The history it belongs to: the folder of revisions, the app.
    pub(super) group: Arc<str>,
    /// Its name in that history.
    pub(super) name: Arc<str>,
    /// Those it stands on.
    pub(super) needs: Vec<Need>,
    /// Where it says its name.
    pub(super) place: Place,
    /// True if the history is meant to have several heads, each with a label.
    pub(super) labelled: bool,
}

/// What a migration stands on.
#[derive(Debug, Clone)]
pub(super) struct Need {
    /// The history, where it is another one that is named.
    pub(super) group: Option<Arc<str>>,
    /// The name.
    pub(super) name: Arc<str>,
    /// Where it is written.
    pub(super) place: Place,
}

/// The order, and what is wrong with it.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Positions of the nodes, each behind those that it stands on.
    pub(super) order: Vec<usize>,
    /// What makes the outcome uncertain, with its place.
    pub(super) problems: Vec<Reason>,
    /// True if another order would do as well.
    pub(super) free: bool,
}

/// Orders them. Where the graph leaves a choice, names decide: the first one, or with `last` the
/// last one.
pub(super) fn order(nodes: &[Node], last: bool) -> Order {
    let mut out = Order::default();
    let mut by_name: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut anywhere: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut twice: BTreeSet<usize> = BTreeSet::new();
    for (at, node) in nodes.iter().enumerate() {
        let key = (&*node.group, &*node.name);
        if let Some(known) = by_name.get(&key).and_then(|known| nodes.get(*known)) {
            let sentence = format!(
                "the revision {} is there twice: at {} and at {}",
                node.name, known.place, node.place
            );
            out.problems.push(problem(
                sentence,
                &node.place,
                "leave one file of each revision in the tree",
            ));
            twice.insert(at);
            continue;
        }
        by_name.insert(key, at);
        anywhere.entry(&node.name).or_default().push(at);
    }
    let mut waits: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); nodes.len()];
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        for need in &node.needs {
            let group = need.group.as_ref().unwrap_or(&node.group);
            let own = by_name.get(&(&**group, &*need.name)).copied();
            let elsewhere = || match anywhere.get(&*need.name).map(Vec::as_slice) {
                Some([one]) if need.group.is_none() => Some(*one),
                _ => None,
            };
            match own.or_else(elsewhere) {
                Some(found) => {
                    if let Some(waiting) = waits.get_mut(at)
                        && waiting.insert(found)
                        && let Some(list) = followers.get_mut(found)
                    {
                        list.push(at);
                    }
                }
                None => {
                    let sentence = format!(
                        "{} stands on the revision {}, which is not in the tree: what that one and \
                         those before it did is not known",
                        node.name, need.name
                    );
                    out.problems.push(problem(
                        sentence,
                        &need.place,
                        "put the missing file back, or give the live database with --database",
                    ));
                }
            }
        }
    }
    heads(nodes, &followers, &twice, &mut out);
    let key = |at: usize| {
        let node = nodes.get(at);
        (
            node.map(|node| (Arc::clone(&node.group), Arc::clone(&node.name))),
            at,
        )
    };
    let mut ready: BTreeSet<_> = (0..nodes.len())
        .filter(|at| !twice.contains(at) && waits.get(*at).is_some_and(BTreeSet::is_empty))
        .map(key)
        .collect();
    loop {
        out.free |= ready.len() > 1;
        let next = match last {
            true => ready.pop_last(),
            false => ready.pop_first(),
        };
        let Some((_, at)) = next else {
            break;
        };
        out.order.push(at);
        for follower in followers.get(at).into_iter().flatten() {
            if let Some(waiting) = waits.get_mut(*follower) {
                waiting.remove(&at);
                if waiting.is_empty() && !twice.contains(follower) {
                    ready.insert(key(*follower));
                }
            }
        }
    }
    let left = (0..nodes.len()).filter(|at| waits.get(*at).is_some_and(|waits| !waits.is_empty()));
    if let Some(node) = left.filter_map(|at| nodes.get(at)).next() {
        let sentence = format!(
            "{} stands on itself, by way of others: it and what stands on it was not read",
            node.name
        );
        out.problems.push(problem(
            sentence,
            &node.place,
            "correct what the revisions say they stand on",
        ));
    }
    out
}

/// Histories that end in several migrations: which of them a database has seen is not known.
fn heads(nodes: &[Node], followers: &[Vec<usize>], twice: &BTreeSet<usize>, out: &mut Order) {
    let mut by_group: BTreeMap<&str, Vec<&Node>> = BTreeMap::new();
    let mut labelled: BTreeSet<&str> = BTreeSet::new();
    for (at, node) in nodes.iter().enumerate() {
        if node.labelled {
            labelled.insert(&node.group);
        }
        let followed = followers.get(at).into_iter().flatten().any(|follower| {
            nodes
                .get(*follower)
                .is_some_and(|follower| follower.group == node.group)
        });
        if !followed && !twice.contains(&at) {
            by_group.entry(&node.group).or_default().push(node);
        }
    }
    for (group, heads) in by_group {
        let [first, .., last] = &heads[..] else {
            continue;
        };
        if labelled.contains(group) {
            continue;
        }
        let named: Vec<String> = heads
            .iter()
            .map(|head| format!("{} ({})", head.name, head.place))
            .collect();
        let fork = nodes
            .iter()
            .enumerate()
            .rfind(|(at, node)| {
                &*node.group == group && followers.get(*at).is_some_and(|list| list.len() > 1)
            })
            .map(|(_, node)| format!("; they part behind {}", node.name))
            .unwrap_or_default();
        let sentence = format!(
            "the revisions of {group} end in {} heads: {}{fork}",
            heads.len(),
            named.join(", "),
        );
        let place = if last.place > first.place {
            &last.place
        } else {
            &first.place
        };
        out.problems.push(problem(
            sentence,
            place,
            "merge the heads with a revision that stands on all of them",
        ));
    }
}

fn problem(sentence: String, place: &Place, next_step: &str) -> Reason {
    Reason {
        why: Why::NotResolved,
        needs: Some(InputKind::Schema),
        sentence,
        place: Some(place.clone()),
        next_step: next_step.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, needs: &[&str]) -> Node {
        let place = Place::Path(format!("versions/{name}.py").into());
        Node {
            group: "versions".into(),
            name: name.into(),
            needs: needs
                .iter()
                .map(|need| Need {
                    group: None,
                    name: (*need).into(),
                    place: place.clone(),
                })
                .collect(),
            place,
            labelled: false,
        }
    }

    fn sentences(nodes: &[Node]) -> Vec<String> {
        let problems = order(nodes, false).problems.into_iter();
        problems.map(|reason| reason.sentence).collect()
    }

    #[test]
    fn each_runs_behind_those_it_stands_on() {
        let nodes = [node("c", &["b"]), node("a", &[]), node("b", &["a"])];
        let found = order(&nodes, false);
        assert_eq!(found.order, [1, 2, 0]);
        assert!(found.problems.is_empty() && !found.free);
    }

    #[test]
    fn a_merge_leaves_the_order_free_and_is_no_problem() {
        let nodes = [
            node("a", &[]),
            node("b", &["a"]),
            node("c", &["a"]),
            node("d", &["b", "c"]),
        ];
        assert_eq!(order(&nodes, false).order, [0, 1, 2, 3]);
        assert_eq!(order(&nodes, true).order, [0, 2, 1, 3]);
        assert!(order(&nodes, false).free);
        assert!(order(&nodes, false).problems.is_empty());
    }

    #[test]
    fn what_is_wrong_with_the_graph_is_told() {
        let nodes = [node("a", &[]), node("b", &["a"]), node("c", &["a"])];
        assert_eq!(
            sentences(&nodes),
            [
                "the revisions of versions end in 2 heads: b (versions/b.py), c (versions/c.py); \
                 they part behind a"
            ]
        );
        let mut labelled = nodes.to_vec();
        labelled[1].labelled = true;
        assert!(sentences(&labelled).is_empty());
        assert_eq!(
            sentences(&[node("b", &["a"])]),
            [
                "b stands on the revision a, which is not in the tree: what that one and those \
                 before it did is not known"
            ]
        );
        assert_eq!(
            sentences(&[node("a", &["b"]), node("b", &["a"])]),
            ["a stands on itself, by way of others: it and what stands on it was not read"]
        );
        assert_eq!(
            sentences(&[node("a", &[]), node("a", &[])]),
            ["the revision a is there twice: at versions/a.py and at versions/a.py"]
        );
    }
}
