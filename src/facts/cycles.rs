//! Cycles: a write enqueues an event, whose consumer writes what enqueues the first event again.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::model::consumer::{Consumer, ConsumerId};
use crate::model::effect::{Effect, EffectId, EffectKind};
use crate::model::facts::Cycle;

use super::path::{ByConsumer, Index};
use super::rest::{Columns, rest_of};

/// The effects are the first nodes, each event on an object is one more; so the number of edges
/// grows with the metadata and not with its square.
struct Graph {
    edges: Vec<Vec<usize>>,
}

/// Finds every strongly connected set of on-path writes, and whether it comes to rest.
pub(super) fn cycles_of(
    effects: &[&Effect],
    consumers: &[Consumer],
    groups: &ByConsumer,
    index: &Index,
    guarded: &dyn Fn(&EffectId) -> bool,
    columns: &Columns<'_>,
) -> Vec<Cycle> {
    let graph = graph_of(effects, groups, index);
    let by_id: HashMap<&ConsumerId, &Consumer> = consumers
        .iter()
        .map(|consumer| (&consumer.id, consumer))
        .collect();
    let mut cycles: Vec<Cycle> = components(&graph.edges)
        .into_iter()
        .filter_map(|component| {
            let mut members: Vec<&Effect> = component
                .iter()
                .filter_map(|at| effects.get(*at).copied())
                .collect();
            members.sort_by(|a, b| a.id.cmp(&b.id));
            let first = members.first()?;
            // Members are sorted by id, so those of one flow stand together.
            let mut flows: Vec<Arc<str>> =
                members.iter().map(|member| member.owner().into()).collect();
            flows.dedup();
            Some(Cycle {
                flows,
                effects: members.iter().map(|effect| effect.id.clone()).collect(),
                place: first.place.clone(),
                rounds: rounds_of(&members, &by_id),
                rests: rest_of(&members, &by_id, guarded, columns),
            })
        })
        .collect();
    cycles.sort_by(|a, b| a.effects.cmp(&b.effects));
    cycles
}

fn graph_of(effects: &[&Effect], groups: &ByConsumer, index: &Index) -> Graph {
    let mut events: BTreeMap<(String, String, bool), usize> = BTreeMap::new();
    let mut edges: Vec<Vec<usize>> = vec![Vec::new(); effects.len()];
    for (at, effect) in effects.iter().enumerate() {
        // A change in memory enqueues nothing by itself.
        if !effect.path.is_on() || effect.kind == EffectKind::RecordSet {
            continue;
        }
        let after = effect.enqueues.iter().map(|event| (event, false));
        let inside = effect.runs_inside.iter().map(|event| (event, true));
        for ((event, object), within) in after.chain(inside) {
            let consumers = if within {
                index.inside(event, object)
            } else {
                index.after(event, object)
            };
            let Some(consumers) = consumers else { continue };
            let key = (
                event.to_ascii_lowercase(),
                object.to_ascii_lowercase(),
                within,
            );
            let node = *events.entry(key).or_insert_with(|| {
                edges.push(targets(consumers, groups, effects));
                edges.len() - 1
            });
            if let Some(list) = edges.get_mut(at) {
                list.push(node);
            }
        }
    }
    Graph { edges }
}

fn targets(consumers: &Arc<[ConsumerId]>, groups: &ByConsumer, effects: &[&Effect]) -> Vec<usize> {
    consumers
        .iter()
        .flat_map(|consumer| groups.get(consumer).into_iter().flatten().copied())
        .filter(|at| effects.get(*at).is_some_and(|effect| effect.path.is_on()))
        .collect()
}

/// Strongly connected components that hold a cycle (Tarjan, with a stack of its own). An event
/// node lies between any two effects, so a component of one node is no cycle.
fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let count = edges.len();
    let mut number = vec![UNSEEN; count];
    let mut low = vec![0; count];
    let mut on_stack = vec![false; count];
    let mut stack = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    for root in 0..count {
        if number.get(root) != Some(&UNSEEN) {
            continue;
        }
        let mut work = vec![(root, 0usize)];
        while let Some((node, edge)) = work.pop() {
            if edge == 0 {
                set(&mut number, node, next);
                set(&mut low, node, next);
                next += 1;
                stack.push(node);
                set(&mut on_stack, node, true);
            }
            let targets = edges.get(node).map_or(&[][..], Vec::as_slice);
            if let Some(target) = targets.get(edge) {
                work.push((node, edge + 1));
                if number.get(*target) == Some(&UNSEEN) {
                    work.push((*target, 0));
                } else if on_stack.get(*target) == Some(&true) {
                    let reach = get(&number, *target).min(get(&low, node));
                    set(&mut low, node, reach);
                }
                continue;
            }
            if get(&low, node) == get(&number, node) {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    set(&mut on_stack, member, false);
                    component.push(member);
                    if member == node {
                        break;
                    }
                }
                if component.len() > 1 {
                    found.push(component);
                }
            }
            if let Some((parent, _)) = work.last() {
                let reach = get(&low, *parent).min(get(&low, node));
                set(&mut low, *parent, reach);
            }
        }
    }
    found
}

fn get(list: &[usize], at: usize) -> usize {
    list.get(at).copied().unwrap_or_default()
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(slot) = list.get_mut(at) {
        *slot = value;
    }
}

fn rounds_of(members: &[&Effect], consumers: &HashMap<&ConsumerId, &Consumer>) -> Vec<String> {
    members
        .iter()
        .take(6)
        .map(|effect| {
            let flow = consumers.get(&effect.consumer).map_or_else(
                || effect.consumer.to_string(),
                |consumer| consumer.title.to_string(),
            );
            let does = match effect.kind {
                kind if kind.is_create() => "creates",
                EffectKind::Delete => "deletes",
                _ => "updates",
            };
            let event = effect
                .enqueues
                .first()
                .map_or("its event", |(event, _)| event);
            format!(
                "{flow} {does} {}, which enqueues {event}",
                effect.target.name()
            )
        })
        .collect()
}
