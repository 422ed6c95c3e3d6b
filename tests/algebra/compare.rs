//! What one effect has left behind, in a form in which two worlds can be compared: generated ids
//! are called by what made their rows, and what other effects wrote to the same fields is left out.

use std::collections::{BTreeMap, BTreeSet};

use outbox_audit::model::effect::EffectKind;
use serde_json::{Value as Json, json};

use super::database::GENERATED;
use super::platform::{Did, Trace, World};
use super::schedule::ELSEWHERE;
use super::system::COUNTERS;
use super::tables::Row;
use super::verdict::{Judged, Judgement};

/// Lines, sorted; equal worlds give equal lines.
pub(crate) type View = Vec<String>;

/// Nobody holds a transaction under this number.
const NOBODY: u8 = 200;

/// How an effect is looked at.
pub(crate) struct Lens<'a> {
    effect: &'a Judged,
    /// Fields in which this effect's values show.
    fields: Vec<&'a str>,
}

/// Whose writes may hide those of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    /// Effects of the same run that are not judged safe.
    Unsafe,
    /// All effects of the same run: beside another holder the last writer is a matter of luck,
    /// which is another question (order-dependent).
    OfTheRun,
    /// All effects of the case: those of other events too.
    Everywhere,
}

impl<'a> Lens<'a> {
    /// Looks past the fields that these others may write over.
    pub(crate) fn new(effect: &'a Judged, all: &[Judged], flow: &str, others: Others) -> Self {
        let hides = |other: &&Judged| {
            let in_run = other.run_by.iter().any(|name| name == flow);
            other.id != effect.id
                && other.kind.is_set()
                && other.table.eq_ignore_ascii_case(&effect.table)
                && match others {
                    Others::Unsafe => in_run && other.judgement != Judgement::Safe,
                    Others::OfTheRun => in_run,
                    Others::Everywhere => other.judgement != Judgement::Off,
                }
        };
        let hiding: Vec<&Judged> = all.iter().filter(hides).collect();
        let shows = |field: &&String| !hiding.iter().any(|other| other.fields.contains(field));
        Self {
            effect,
            fields: effect
                .fields
                .iter()
                .filter(shows)
                .map(String::as_str)
                .collect(),
        }
    }

    /// The fields that are looked at.
    pub(crate) fn fields(&self) -> Vec<String> {
        self.fields.iter().map(|&field| field.to_owned()).collect()
    }

    /// What the effect left behind in a world. Rows that were there before are looked at if the
    /// effect touched them here, or in the world that this one is compared with.
    pub(crate) fn view(&self, world: &World, touched: &BTreeSet<String>) -> View {
        let mut lines = match self.effect.kind {
            kind if kind.is_external() => {
                let calls = own(world, self.effect).filter(|trace| trace.did == Did::Called);
                vec![format!("{} calls", calls.count().min(9))]
            }
            kind if kind.is_create() => self.created(world),
            _ => self.written(world, touched),
        };
        lines.sort();
        lines
    }

    fn created(&self, world: &World) -> View {
        let labels = Labels::new(world);
        let rows = world.database.rows(&self.effect.table, NOBODY);
        let mut lines: View = rows
            .filter(|(_, origin)| *origin == self.effect.site)
            .map(|(row, _)| self.line("row", row, &labels))
            .collect();
        for field in &self.effect.numbers {
            let id = json!(format!("{}.{field}", self.effect.table));
            let counter = world.database.row(COUNTERS, &id, NOBODY);
            let current = counter.map(|row| row["current"].clone());
            lines.push(format!("{field}: {current:?}"));
        }
        lines
    }

    fn written(&self, world: &World, touched: &BTreeSet<String>) -> View {
        let labels = Labels::new(world);
        let mut ids = rows_touched(world, self.effect);
        ids.extend(touched.iter().filter(|id| !id.contains(GENERATED)).cloned());
        let rows = world.database.rows(&self.effect.table, NOBODY);
        let mut lines: View = rows
            .filter(|(row, _)| ids.contains(&row["__sys_gen_id"].to_string()))
            .map(|(row, origin)| {
                let label = match origin {
                    // How many rows there are is the business of the create.
                    "" | "user" => labels.of(&row["__sys_gen_id"]),
                    origin if self.effect.kind == EffectKind::RecordSet => origin.to_owned(),
                    _ => labels.of(&row["__sys_gen_id"]),
                };
                self.line(&label, row, &labels)
            })
            .collect();
        if self.effect.kind == EffectKind::RecordSet {
            lines.sort();
            lines.dedup();
        }
        lines
    }

    fn line(&self, label: &str, row: &Row, labels: &Labels) -> String {
        let fields: Vec<String> = self
            .fields
            .iter()
            .map(|field| {
                let value = row.get(*field).unwrap_or(&Json::Null);
                format!("{field} = {}", labels.of(value))
            })
            .collect();
        format!("{label}: {}", fields.join(", "))
    }
}

/// The traces of one effect.
pub(crate) fn own<'a>(world: &'a World, effect: &Judged) -> impl Iterator<Item = &'a Trace> {
    let site = effect.site.clone();
    world.trace.iter().filter(move |trace| trace.site == site)
}

/// The rows that an effect assigned to, or tried to; none for effects that make their rows.
pub(crate) fn rows_touched(world: &World, effect: &Judged) -> BTreeSet<String> {
    if !effect.kind.is_set() {
        return BTreeSet::new();
    }
    own(world, effect)
        .filter_map(|trace| match &trace.did {
            Did::Wrote { id, .. } => Some(id.to_string()),
            _ => None,
        })
        .collect()
}

/// What each delivery assigned by this effect, or the row it had: with generated ids renamed.
pub(crate) fn assigned(world: &World, effect: &Judged) -> BTreeMap<usize, BTreeSet<String>> {
    let labels = Labels::new(world);
    let mut by_delivery: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for trace in own(world, effect) {
        // What a user's save runs is the user's.
        if trace.delivery == ELSEWHERE {
            continue;
        }
        if let Did::Has { id } = &trace.did {
            let line = format!("{} is the row", labels.of(id));
            by_delivery.entry(trace.delivery).or_default().insert(line);
        }
        if let Did::Wrote { id, values, .. } = &trace.did {
            let values: Vec<String> = values
                .iter()
                .map(|(field, value)| format!("{field} = {}", labels.of(value)))
                .collect();
            let line = format!("{}: {}", labels.of(id), values.join(", "));
            by_delivery.entry(trace.delivery).or_default().insert(line);
        }
    }
    by_delivery
}

/// True if an effect came to its end in a world, in any delivery.
pub(crate) fn is_done(world: &World, effect: &Judged) -> bool {
    own(world, effect).any(|trace| trace.did == Did::Done)
}

/// The messages with which an effect, or the run around it, failed.
pub(crate) fn failures(world: &World, effect: &Judged) -> BTreeSet<String> {
    own(world, effect)
        .filter_map(|trace| match &trace.did {
            Did::Failed(why) => Some(why.clone()),
            _ => None,
        })
        .collect()
}

/// True if a run of the flow was cut short at another effect that is not judged safe.
pub(crate) fn was_cut(world: &World, effect: &Judged, all: &[Judged]) -> bool {
    world.trace.iter().any(|trace| {
        matches!(trace.did, Did::Failed(_))
            && all.iter().any(|other| {
                other.site == trace.site
                    && other.flow == effect.flow
                    && other.site != effect.site
                    && other.judgement != Judgement::Safe
            })
    })
}

/// Names for generated ids: the site that made the row, and the how-manieth of that site it is.
struct Labels(BTreeMap<String, String>);

impl Labels {
    fn new(world: &World) -> Self {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let labels = world
            .database
            .generated()
            .map(|(id, origin)| {
                let count = counts.entry(origin.to_owned()).or_default();
                *count += 1;
                (id.to_owned(), format!("<{origin} {count}>"))
            })
            .collect();
        Self(labels)
    }

    /// A value with each generated id in it replaced.
    fn of(&self, value: &Json) -> String {
        let text = value.to_string();
        if !text.contains(GENERATED) {
            return text;
        }
        let mut pieces = text.split(GENERATED);
        let mut result = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (number, rest) = piece.split_at(piece.len().min(5));
            let id = format!("{GENERATED}{number}");
            let label = self.0.get(&id).map_or("<undone>", String::as_str);
            result.push_str(label);
            result.push_str(rest);
        }
        result
    }
}

/// True of effects that leave rows of their own.
pub(crate) fn makes_rows(effect: &Judged) -> bool {
    matches!(effect.kind, EffectKind::Insert | EffectKind::FindOrCreate)
}
