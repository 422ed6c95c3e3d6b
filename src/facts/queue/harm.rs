//! What goes wrong by promises that are not kept: the model of the protocol is searched for it.

use crate::model::queue::{Queue, QueueHarm};
use crate::model::schema::Dialect;
use crate::protocol::{Engine, harms, takeover};

/// Searches for it, on all threads. Nothing is searched where no dispatcher was found: of its promises
/// nothing is known then, and of each the same would have to be said.
pub(in crate::facts) fn harm_of(queue: &Queue) -> QueueHarm {
    if queue.dispatcher.is_none() {
        return QueueHarm::default();
    }
    let engine = engine_of(queue.dialect);
    let (by_promise, takeover) = rayon::join(|| harms(queue, engine), || takeover(engine));
    QueueHarm {
        by_promise,
        takeover,
        as_mysql: !matches!(
            queue.dialect,
            Some(Dialect::Postgres | Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb)
        ),
    }
}

/// How transactions end on an engine. The outboxes that are audited most run on MySQL's protocol: it
/// stands for the engines that have no model.
fn engine_of(dialect: Option<Dialect>) -> Engine {
    match dialect {
        Some(Dialect::Postgres) => Engine::Postgres,
        _ => Engine::MySql,
    }
}
