//! The neutral format: consumers of any system, their triggers and effects, written by hand or by
//! an exporter, as YAML or JSON.
//!
//! A file is checked as a whole against its types (unknown keys, missing ones, wrong words, with
//! the nearest name), then each consumer and effect against itself. What does not hold together is
//! a problem with its place, and the consumer around it is left out; the others are read.

mod at;
mod conflict;
mod constant;
mod consumers;
mod effects;
mod errors;
mod faults;
mod format;
mod given;
mod inside;
mod params;
mod statement;
mod values;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::metadata::Metadata;
use crate::model::place::Place;
use crate::model::schema::{Dialect, Schema};
use crate::model::text::TextFile;

pub use format::Document;

/// YAML grows in memory; an export larger than this is better split by consumer.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// The only version there is.
const VERSION: u32 = 1;

/// Ids of consumers, and where each is declared.
pub type Ids = BTreeMap<String, Place>;

/// Reads one file into `metadata.declared`; what cannot be read goes to its problems. `taken` are
/// the ids of the files before.
///
/// `dialect` is the engine that statements are written for, `schemas` what they may leave unsaid.
pub fn read(
    file: &Arc<TextFile>,
    dialect: Option<Dialect>,
    schemas: &[&Schema],
    metadata: &mut Metadata,
    taken: &mut Ids,
) {
    metadata.neutral = true;
    if file.text().len() > MAX_BYTES {
        let sentence = format!(
            "`{}` has {} bytes, more than the {MAX_BYTES} that are read of one file of consumers",
            file.path,
            file.text().len()
        );
        metadata.problems.push(Reason {
            why: Why::NotReadable,
            needs: Some(InputKind::Flows),
            sentence,
            place: Some(Place::Path(Arc::clone(&file.path))),
            next_step: "split the file by consumer".to_owned(),
        });
        return;
    }
    let document = match parse(file.text()) {
        Ok(document) => document,
        Err(error) => {
            let faults = faults::all(&error, file);
            // Consumers without a fault stand, each in its place.
            let rest = faults.rest.and_then(|rest| parse(&rest).ok());
            let told = faults.reasons.into_iter().map(|reason| match &rest {
                Some(_) => left_out(reason),
                None => reason,
            });
            metadata.problems.extend(told);
            match rest {
                Some(document) => document,
                None => return,
            }
        }
    };
    if document.version.value != VERSION {
        metadata.problems.push(problem(
            Why::NotParsed,
            format!(
                "`{}` is of version {}, and only version {VERSION} is known",
                file.path, document.version.value
            ),
            document.version.place(file),
            "write `version: 1`, or use a newer outbox-audit",
        ));
        return;
    }
    metadata.read = true;
    let mut reader = Reader {
        file,
        dialect,
        schemas,
        problems: &mut metadata.problems,
    };
    for consumer in document.consumers {
        let id_place = consumer.value.id.place(file);
        let id = consumer.value.id.clone();
        match taken.entry(id.value) {
            Entry::Occupied(entry) => {
                let sentence = format!(
                    "the consumer `{}` is declared at {} too, and left out here",
                    entry.key(),
                    entry.get()
                );
                let next_step = "give each consumer its own id";
                reader.complain(Why::Disagree, sentence, id_place, next_step);
            }
            Entry::Vacant(entry) => {
                entry.insert(id_place);
                metadata.declared.extend(reader.consumer(consumer.value));
            }
        }
    }
}

/// A fault in one consumer beside others that stand.
fn left_out(reason: Reason) -> Reason {
    Reason {
        sentence: format!("{}; the consumer around it is left out", reason.sentence),
        ..reason
    }
}

/// YAML to its types, with bounded time and memory. Aliases may repeat small parts, not multiply.
fn parse(text: &str) -> Result<Document, Box<serde_saphyr::Error>> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_nodes: 2_000_000,
            max_events: 4_000_000,
            max_depth: 32,
            flow_nesting_limit: 32,
            max_anchors: 1_000,
            max_aliases: 10_000,
            max_recorded_anchor_events: 100_000,
            max_documents: 1,
            max_merge_keys: 10_000,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 200_000,
            max_replay_stack_depth: 8,
        },
        strict_booleans: true,
        // Else the older key `null` would need quotes.
        null_as_string: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(Box::new)
}

/// The file being read, and what is wrong with it so far.
struct Reader<'r> {
    file: &'r Arc<TextFile>,
    dialect: Option<Dialect>,
    schemas: &'r [&'r Schema],
    problems: &'r mut Vec<Reason>,
}

impl Reader<'_> {
    fn complain(&mut self, why: Why, sentence: String, place: Place, next_step: &str) {
        self.problems.push(problem(why, sentence, place, next_step));
    }
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
