//! The whole systems, before the repair and after it.

use outbox_audit::model::queue::Promise;
use outbox_audit::model::schema::Dialect;

use super::{read, root, told};

#[test]
fn show() {
    for name in ["nexuscrm", "nexuscrm-repaired"] {
        let queue = read(
            &root().join("fixtures/whole").join(name).join("source"),
            Some(Dialect::Tidb),
        );
        println!(
            "== {name} {:?}",
            queue.dispatcher.as_ref().map(ToString::to_string)
        );
        for promise in Promise::ALL {
            println!("{promise:?}: {}", told(&queue, promise));
        }
    }
}
