//! The faults of an attempt, made on a real server.

use std::time::Duration;

use outbox_audit::model::queue::Promise;
use outbox_audit::protocol::Engine;
use outbox_audit::protocol::state::Fault;

use crate::replay::Replay;
use crate::wire::Wire;

/// The code of a wait for a lock that timed out.
pub(crate) fn lock_timeout(engine: Engine) -> &'static str {
    match engine {
        Engine::MySql => "1205",
        Engine::Postgres => "55P03",
    }
}

fn deadlock(engine: Engine) -> &'static str {
    match engine {
        Engine::MySql => "1213",
        Engine::Postgres => "40P01",
    }
}

impl Replay<'_> {
    /// Makes a worker's attempt fail.
    pub(crate) async fn fault(&mut self, worker: usize, fault: Fault) {
        let engine = self.sql.protocol.engine;
        match fault {
            // No statement of the handler's, hence none to be sent.
            Fault::Error => {}
            Fault::LockTimeout => {
                let mut user = Wire::open(engine, &self.url, true).await;
                user.must("BEGIN").await;
                user.must("UPDATE side SET n = n + 1 WHERE id = 1").await;
                let ran = self
                    .handler(worker)
                    .run("UPDATE side SET n = n + 1 WHERE id = 1")
                    .await;
                assert_eq!(ran, Err(lock_timeout(engine).to_owned()));
                user.must("ROLLBACK").await;
            }
            Fault::Deadlock => self.deadlock(worker).await,
            Fault::Connection => {
                let new = Wire::open(engine, &self.url, false).await;
                let old = std::mem::replace(&mut self.seats[worker].attempt, new);
                old.break_off(&mut self.admin).await;
            }
        }
    }

    /// The handler holds a row and asks for another, which a user holds who asks for the first. The
    /// user has written more, and looks for no deadlock: the worker is the victim.
    async fn deadlock(&mut self, worker: usize) {
        let engine = self.sql.protocol.engine;
        let mut user = Wire::open(engine, &self.url, true).await;
        user.must("BEGIN").await;
        user.must("UPDATE busy SET n = n + 1").await;
        user.must("UPDATE side SET n = n + 1 WHERE id = 2").await;
        let handler = self.handler(worker);
        handler.must("UPDATE side SET n = n + 1 WHERE id = 1").await;
        let user = tokio::spawn(async move {
            let waited = user.run("UPDATE side SET n = n + 1 WHERE id = 1").await;
            (user, waited)
        });
        tokio::time::sleep(Duration::from_millis(150)).await;
        let handler = self.handler(worker);
        let ran = handler.run("UPDATE side SET n = n + 1 WHERE id = 2").await;
        let (mut user, waited) = user.await.expect("the user waits to the end");
        assert_eq!(ran, Err(deadlock(engine).to_owned()));
        assert_eq!(waited, Ok(1), "the victim's locks are free at once");
        user.must("ROLLBACK").await;
    }

    /// Where the handler's statements go.
    pub(crate) fn handler(&mut self, worker: usize) -> &mut Wire {
        let joins = self.sql.protocol.keeps(Promise::HandlerJoinsAttempt);
        let seat = &mut self.seats[worker];
        match joins {
            true => &mut seat.attempt,
            false => &mut seat.side,
        }
    }
}
