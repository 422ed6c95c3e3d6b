//! Statements that wait for another worker's commit: the model says that they cannot be sent yet, the
//! engine that they do not come back. After a takeover both attempts write the same rows.

use std::time::Duration;

use outbox_audit::protocol::{Engine, Protocol};

use crate::servers::{block_on, mariadb, postgres};
use crate::sql::{Claim, Sql, tables};
use crate::table::{PROCESSED, Table};
use crate::wire::Wire;

/// The old holder has written and wakes while the new one waits for its rows: the old one's commit
/// lets the new one go on, whose own status then finds nothing.
async fn takeover(engine: Engine, url: &str) {
    let sql = Sql {
        protocol: Protocol::kept(engine),
    };
    let mut admin = Wire::open(engine, url, true).await;
    admin.must(&tables(&sql.protocol)).await;
    let mut old = Wire::open(engine, url, true).await;
    let mut new = Wire::open(engine, url, true).await;
    // Without the claim's own stamp, so that the old holder's status is accepted.
    let unstamped = Sql {
        protocol: sql
            .protocol
            .without(outbox_audit::model::queue::Promise::EpochFence),
    };
    let claim = Claim::default();
    old.must(&sql.claim(0)).await;
    old.must("BEGIN; SAVEPOINT attempt").await;
    old.must(&sql.write(0, 0)).await;
    old.must(&sql.write(0, 1)).await;
    admin.must(&sql.age(0, "10 HOUR")).await;
    assert_eq!(new.must(&sql.claim(0)).await, 1);
    new.must("BEGIN; SAVEPOINT attempt").await;
    let write = sql.write(0, 0);
    let waiting = tokio::spawn(async move {
        let waited = new.run(&write).await;
        (new, waited)
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!waiting.is_finished(), "{engine:?}: it waits for the row");
    assert_eq!(old.must(&unstamped.finish(claim)).await, 1);
    assert!(!waiting.is_finished(), "{engine:?}: until the commit");
    old.must("COMMIT").await;
    let (mut new, waited) = waiting.await.expect("it comes back");
    assert_eq!(waited, Ok(0), "{engine:?}: the row is found");
    new.must(&sql.write(0, 1)).await;
    let late = new.must(&unstamped.finish(claim)).await;
    assert_eq!(late, 0, "{engine:?}: the event is no longer its own");
    new.must("ROLLBACK").await;
    let table = Table::read(&sql, &mut admin).await;
    assert_eq!(table.status(0), PROCESSED);
    assert_eq!((table.made, table.values), (vec![0], vec![1, 0]));
}

#[test]
fn a_takeover_waits_for_the_old_holder_on_mariadb() {
    let database = mariadb().database();
    block_on(takeover(Engine::MySql, database.url()));
}

#[test]
fn a_takeover_waits_for_the_old_holder_on_postgres() {
    let database = postgres().database();
    block_on(takeover(Engine::Postgres, database.url()));
}
