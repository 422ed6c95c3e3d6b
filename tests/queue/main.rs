//! The promises of the queue, read from the source of its workers.
//!
//! The whole systems are the ground: the unrepaired one and the repaired one, promise by promise. The
//! fixtures of the checks change a repaired worker at one place after another.

mod cases;
mod edits;
#[path = "../fixture_support/mod.rs"]
mod fixture_support;
mod flags;
mod harm;
mod languages;
mod python;
mod rust;
mod shapes;
mod small_changes;
mod whole;

use std::path::{Path, PathBuf};

use outbox_audit::facts::outbox_names;
use outbox_audit::facts::queue::{QueueInput, source as read_source};
use outbox_audit::input::files::Limits;
use outbox_audit::input::source::{self, Wanted};
use outbox_audit::model::evidence::Fact;
use outbox_audit::model::outbox::{OutboxCutoffs, OutboxStates};
use outbox_audit::model::queue::{Promise, Queue};
use outbox_audit::model::schema::Dialect;
use outbox_audit::rules;

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The promises of the source in a folder.
fn read(folder: &Path, dialect: Option<Dialect>) -> Queue {
    let mut names = rules::builtin_names();
    names.sort_by_key(|name| *name != "nexuscrm");
    let rules = rules::load(&names, &[]).expect("the packs load");
    let tree = source::read(
        &[folder.to_owned()],
        folder,
        &Limits::default(),
        &Wanted::All,
    );
    assert_eq!(tree.gaps, [], "{}", folder.display());
    let broken = tree.files.iter().find(|file| !file.unparsed.is_empty());
    assert!(
        broken.is_none(),
        "{:?} does not parse",
        broken.map(|file| &file.path)
    );
    let outbox = outbox_names(
        &rules.outboxes,
        None,
        &Default::default(),
        &OutboxStates::default(),
        &OutboxCutoffs::default(),
        None,
    );
    let read = read_source(QueueInput {
        tree: &tree,
        rules: &rules,
        outbox: &outbox,
        dialect,
        flag: Some("OUTBOX_PULL_WORKER"),
        named: None,
    });
    read.queue.expect("an outbox is named")
}

/// One word for what is known of a promise.
fn word(fact: &Fact<std::sync::Arc<str>>) -> &'static str {
    match fact {
        Fact::Shown(..) => "kept",
        Fact::Absent(_) => "broken",
        Fact::Unknown(_) => "unknown",
    }
}

/// What is said, with its place: `broken events/outbox_service.go:12: sentence`.
fn told(queue: &Queue, promise: Promise) -> String {
    let (place, says) = match &queue.promises[&promise] {
        Fact::Shown(_, evidence) | Fact::Absent(evidence) => {
            (Some(evidence.place.clone()), evidence.says.to_string())
        }
        Fact::Unknown(reason) => (reason.place.clone(), reason.sentence.clone()),
    };
    let place = place.map_or_else(|| "?".to_owned(), |place| place.to_string());
    format!("{} {place}: {says}", word(&queue.promises[&promise]))
}
