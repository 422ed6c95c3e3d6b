//! The smallest set of changes that meets every demand: one change that serves several counts once.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// What one obligation asks for: any one of the alternatives, each a set of changes.
#[derive(Debug, Clone)]
pub(super) struct Demand {
    /// Position of the obligation; none for a missing input.
    pub(super) obligation: Option<usize>,
    /// Conditions it belongs to, 1-based.
    pub(super) conditions: Vec<usize>,
    /// Keys of changes.
    pub(super) alternatives: Vec<Vec<String>>,
}

/// Steps of the search for one group of demands; beyond it the best found so far is taken.
const MAX_STEPS: usize = 200_000;

/// Chosen changes, each with the demands it serves; false if the search was cut short.
///
/// Demands with one alternative leave no choice. What they choose may meet others. The rest falls
/// into groups that share no change, each searched by itself.
pub(super) fn smallest(demands: &[Demand]) -> (BTreeMap<String, Vec<usize>>, bool) {
    let mut chosen: HashSet<&str> = HashSet::new();
    for demand in demands {
        if let [only] = demand.alternatives.as_slice() {
            chosen.extend(only.iter().map(String::as_str));
        }
    }
    let open: Vec<&Demand> = demands
        .iter()
        .filter(|demand| !is_met(demand, &chosen))
        .collect();
    let mut minimal = true;
    for group in groups(&open, &chosen) {
        let mut search = Search {
            demands: &group,
            best: None,
            steps: 0,
        };
        search.extend(0, &chosen, &mut BTreeSet::new());
        minimal &= search.steps < MAX_STEPS;
        chosen.extend(search.best.unwrap_or_default());
    }
    let mut served: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, demand) in demands.iter().enumerate() {
        let met = demand
            .alternatives
            .iter()
            .find(|changes| changes.iter().all(|key| chosen.contains(key.as_str())));
        for key in met.into_iter().flatten() {
            served.entry(key).or_default().push(at);
        }
    }
    let served = served.into_iter().map(|(key, by)| (key.to_owned(), by));
    (served.collect(), minimal)
}

fn is_met(demand: &Demand, chosen: &HashSet<&str>) -> bool {
    demand
        .alternatives
        .iter()
        .any(|changes| changes.iter().all(|key| chosen.contains(key.as_str())))
}

/// Demands that share a change that is not chosen yet belong together.
fn groups<'a>(open: &[&'a Demand], chosen: &HashSet<&str>) -> Vec<Vec<&'a Demand>> {
    let mut parent: Vec<usize> = (0..open.len()).collect();
    let mut owner: HashMap<&str, usize> = HashMap::new();
    for (at, demand) in open.iter().enumerate() {
        for key in demand.alternatives.iter().flatten() {
            if chosen.contains(key.as_str()) {
                continue;
            }
            let other = *owner.entry(key).or_insert(at);
            let (a, b) = (root(&parent, at), root(&parent, other));
            if let Some(slot) = parent.get_mut(a.max(b)) {
                *slot = a.min(b);
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<&'a Demand>> = BTreeMap::new();
    for (at, demand) in open.iter().enumerate() {
        groups.entry(root(&parent, at)).or_default().push(demand);
    }
    groups.into_values().collect()
}

fn root(parent: &[usize], mut at: usize) -> usize {
    while let Some(up) = parent.get(at).copied().filter(|up| *up != at) {
        at = up;
    }
    at
}

struct Search<'d, 'a> {
    demands: &'d [&'a Demand],
    best: Option<BTreeSet<&'a str>>,
    steps: usize,
}

impl<'a> Search<'_, 'a> {
    /// Tries every alternative of the first demand that is not met, the cheapest first.
    fn extend(&mut self, from: usize, fixed: &HashSet<&'a str>, added: &mut BTreeSet<&'a str>) {
        self.steps += 1;
        if self
            .best
            .as_ref()
            .is_some_and(|best| best.len() <= added.len())
        {
            return;
        }
        let has = |key: &str| fixed.contains(key) || added.contains(key);
        let next = self
            .demands
            .iter()
            .enumerate()
            .skip(from)
            .find(|(_, demand)| {
                !demand
                    .alternatives
                    .iter()
                    .any(|changes| changes.iter().all(|key| has(key)))
            });
        let Some((at, demand)) = next else {
            self.best = Some(added.clone());
            return;
        };
        if self.steps >= MAX_STEPS && self.best.is_some() {
            return;
        }
        let mut alternatives: Vec<Vec<&'a str>> = demand
            .alternatives
            .iter()
            .map(|changes| {
                changes
                    .iter()
                    .map(String::as_str)
                    .filter(|key| !has(key))
                    .collect()
            })
            .collect();
        alternatives.sort_by_key(Vec::len);
        for new in alternatives {
            added.extend(&new);
            self.extend(at + 1, fixed, added);
            for key in &new {
                added.remove(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demand(alternatives: &[&[&str]]) -> Demand {
        Demand {
            obligation: None,
            conditions: Vec::new(),
            alternatives: alternatives
                .iter()
                .map(|changes| changes.iter().map(ToString::to_string).collect())
                .collect(),
        }
    }

    fn chosen(demands: &[Demand]) -> Vec<String> {
        let (chosen, minimal) = smallest(demands);
        assert!(minimal);
        chosen.into_keys().collect()
    }

    #[test]
    fn one_change_that_serves_two_counts_once() {
        let demands = [
            demand(&[&["a"], &["shared"]]),
            demand(&[&["b"], &["shared"]]),
        ];
        assert_eq!(chosen(&demands), ["shared"]);
    }

    #[test]
    fn what_must_be_done_anyway_is_used_first() {
        let demands = [demand(&[&["a"], &["b"]]), demand(&[&["b"]])];
        assert_eq!(chosen(&demands), ["b"]);
    }

    #[test]
    fn a_pair_is_taken_only_if_it_pays() {
        let demands = [
            demand(&[&["index", "code"], &["other"]]),
            demand(&[&["code"], &["x", "y"]]),
            demand(&[&["index"], &["z", "w"]]),
        ];
        assert_eq!(chosen(&demands), ["code", "index"]);
    }
}
