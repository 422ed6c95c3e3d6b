//! Small edits of the repaired system, each in the idiom of the field: what does harm turns a promise,
//! with the line and the true reason; what means the same turns none.

mod claim;
mod errors;
mod heartbeat;
mod more;
mod same;
mod same_errors;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use outbox_audit::model::evidence::Fact;
use outbox_audit::model::queue::{Promise, Queue};
use outbox_audit::model::schema::Dialect;

use super::{read, root, told, word};

/// The worker.
const SERVICE: &str = "events/outbox_service.go";
/// The statements.
const STORE: &str = "persistence/outbox_repository.go";
/// Transactions.
const TRANSACTIONS: &str = "persistence/transaction.go";
/// The bus.
const BUS: &str = "events/bus.go";

/// One replacement: the file, the text that is there, and what stands there instead.
type Change = (&'static str, &'static str, &'static str);

/// An edit that does harm: its name, the promise that it breaks, a part of the reason, its changes.
type Harm = (&'static str, Promise, &'static str, &'static [Change]);

/// An edit that means the same: its name and its changes.
type Same = (&'static str, &'static [Change]);

fn edited(name: &str, changes: &[Change]) -> Queue {
    let base = root().join("fixtures/whole/nexuscrm-repaired/source");
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("queue-edits")
        .join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("it can be emptied");
    }
    copy(&base, &folder);
    for (file, from, to) in changes {
        let path = folder.join(file);
        let source = fs::read_to_string(&path).unwrap_or_default();
        let source = match from.is_empty() {
            true => source + to,
            false => {
                assert!(source.contains(from), "{name}: {file} has no {from}");
                source.replacen(from, to, 1)
            }
        };
        fs::write(path, source).expect("it can be written");
    }
    read(&folder, Some(Dialect::Tidb))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("it is there") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => {
                fs::copy(entry.path(), target).expect("it can be copied");
            }
        }
    }
}

/// Runs something for each of a list, on two threads, and gives what went wrong.
fn each<T: Sync>(all: &[T], run: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    let wrong = Mutex::new(Vec::new());
    let (one, two) = all.split_at(all.len() / 2);
    std::thread::scope(|scope| {
        for half in [one, two] {
            scope.spawn(|| {
                let found: Vec<String> = half.iter().filter_map(&run).collect();
                wrong.lock().expect("no thread ended").extend(found);
            });
        }
    });
    wrong.into_inner().expect("no thread ended")
}

/// Each edit breaks its promise, or leaves it unknown with a place and a next step; and says why.
fn harm(all: &[Harm]) {
    let wrong = each(all, |(name, promise, says, changes)| {
        let queue = edited(name, changes);
        let told = told(&queue, *promise);
        let placed = match &queue.promises[promise] {
            Fact::Shown(..) => false,
            Fact::Absent(_) => true,
            Fact::Unknown(reason) => reason.place.is_some() && !reason.next_step.is_empty(),
        };
        (!placed || !told.contains(says)).then(|| format!("{name}: {promise:?} is {told}"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each edit leaves every promise as it was.
fn same(all: &[Same]) {
    let first = all.first().map_or("none", |(name, _)| *name);
    let base = edited(&format!("before-{first}"), &[]);
    let wrong = each(all, |(name, changes)| {
        let queue = edited(name, changes);
        let turned: Vec<String> = Promise::ALL
            .into_iter()
            .filter(|promise| word(&queue.promises[promise]) != word(&base.promises[promise]))
            .map(|promise| format!("{name}: {promise:?} is {}", told(&queue, promise)))
            .collect();
        (!turned.is_empty()).then(|| turned.join("\n"))
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
