//! The repaired worker of Rust, changed at one small place.

use super::languages::all;

#[test]
fn rust_may_say_it_in_other_words() {
    use outbox_audit::model::queue::Promise::*;
    const WON: &str = "let claimed = sqlx::query(CLAIM).bind(id).execute(&self.pool).await?;\n        Ok(claimed.rows_affected() == 1)";
    let by_row = "let claimed: Option<(String,)> = sqlx::query_as(CLAIM).bind(id).fetch_optional(&self.pool).await?;\n        ";
    let returning = (
        "LastModifiedDate < now() - INTERVAL '120 seconds'))\";\n\nconst TOUCH",
        "LastModifiedDate < now() - INTERVAL '120 seconds')) RETURNING Id\";\n\nconst TOUCH",
    );
    let is_some = format!("{by_row}Ok(claimed.is_some())");
    let fits = format!(
        "{by_row}let Some(_row) = claimed else {{\n            return Ok(false);\n        }};\n        Ok(true)"
    );
    const FLAG: &str = "if std::env::var(\"OUTBOX_PULL_WORKER\").as_deref() != Ok(\"true\") {";
    const BODY: &str = "        sqlx::query(\"SAVEPOINT handler_work\").execute(&mut *tx).await?;
        match self.hand_on(&mut tx, event).await {
            Ok(()) => write(&mut *tx, DONE, event).await?,
            Err(error) => {
                tracing::warn!(?error, event.id, \"the handler failed\");
                sqlx::query(\"ROLLBACK TO SAVEPOINT handler_work\").execute(&mut *tx).await?;
                fail(&mut *tx, event).await?;
            }
        }";
    const NESTED: &str = "        let mut work = tx.begin().await?;
        match self.hand_on(&mut work, event).await {
            Ok(()) => {
                work.commit().await?;
                write(&mut *tx, DONE, event).await?;
            }
            Err(error) => {
                tracing::warn!(?error, event.id, \"the handler failed\");
                work.rollback().await?;
                fail(&mut *tx, event).await?;
            }
        }";
    const IF_LET: &str = "        sqlx::query(\"SAVEPOINT handler_work\").execute(&mut *tx).await?;
        if let Err(error) = self.hand_on(&mut tx, event).await {
            tracing::warn!(?error, event.id, \"the handler failed\");
            sqlx::query(\"ROLLBACK TO SAVEPOINT handler_work\").execute(&mut *tx).await?;
            fail(&mut *tx, event).await?;
        } else {
            write(&mut *tx, DONE, event).await?;
        }";
    all(
        "rust",
        &[
            ("won-more", &[("== 1)", "> 0)")], AtomicClaim, "kept"),
            (
                "won-by-row",
                &[(WON, &is_some), returning],
                AtomicClaim,
                "kept",
            ),
            (
                "won-or-else",
                &[(WON, &fits), returning],
                AtomicClaim,
                "kept",
            ),
            (
                "flag-asked",
                &[(
                    FLAG,
                    "if !std::env::var(\"OUTBOX_PULL_WORKER\").is_ok_and(|set| set == \"true\") {",
                )],
                FlagGuardsWorkers,
                "kept",
            ),
            (
                "flag-mapped",
                &[(
                    FLAG,
                    "let on = std::env::var(\"OUTBOX_PULL_WORKER\").map(|set| set == \"1\").unwrap_or(false);\n        if !on {",
                )],
                FlagGuardsWorkers,
                "kept",
            ),
            ("nested", &[(BODY, NESTED)], SavepointOnError, "kept"),
            (
                "nested-joins",
                &[(BODY, NESTED)],
                HandlerJoinsAttempt,
                "kept",
            ),
            ("nested-fenced", &[(BODY, NESTED)], FencedStatus, "kept"),
            ("if-let", &[(BODY, IF_LET)], SavepointOnError, "kept"),
            ("if-let-fenced", &[(BODY, IF_LET)], FencedStatus, "kept"),
            (
                "if-let-retries",
                &[(BODY, IF_LET)],
                RetryReturnsToReady,
                "kept",
            ),
        ],
    );
}

#[test]
fn rust_that_is_not_safe_is_not_kept() {
    use outbox_audit::model::queue::Promise::*;
    const ROUND: &str = "        for event in found {
            if !self.claim(&event.id).await? {
                continue;
            }
            self.process(&event).await?;
            return Ok(true);
        }
        Ok(false)";
    const TASKS: &str = "        let mut tasks = Vec::new();
        for event in found {
            let this = self.clone();
            tasks.push(tokio::spawn(async move {
                if this.claim(&event.id).await? {
                    this.process(&event).await?;
                }
                Ok::<(), Error>(())
            }));
        }
        for task in tasks {
            task.await;
        }
        Ok(true)";
    const BEAT: &str = "let beat = tokio::spawn(beat(self.pool.clone(), event.id.clone()));";
    all(
        "rust",
        &[
            (
                "beat-not-stopped",
                &[("        beat.abort();\n", "")],
                Heartbeat,
                "broken",
            ),
            (
                "beat-slow",
                &[("Duration::from_secs(15)", "Duration::from_secs(130)")],
                Heartbeat,
                "broken",
            ),
            (
                "beat-now-and-then",
                &[("Duration::from_secs(15)", "Duration::from_secs(61)")],
                CutoffOutlastsHeartbeats,
                "broken",
            ),
            (
                "claim-by-kind",
                &[("self.claim(&event.id)", "self.claim(&event.kind)")],
                AtomicClaim,
                "unknown",
            ),
            (
                "claim-of-the-first",
                &[("self.claim(&event.id)", "self.claim(&found[0].id)")],
                AtomicClaim,
                "unknown",
            ),
            (
                "won-always",
                &[("Ok(claimed.rows_affected() == 1)", "Ok(true)")],
                AtomicClaim,
                "broken",
            ),
            (
                "won-never",
                &[("if !self.claim", "if self.claim")],
                AtomicClaim,
                "broken",
            ),
            (
                "lost-ignored",
                &[(
                    "return Err(Error::Lost);",
                    "tracing::warn!(event.id, \"lost\");",
                )],
                FencedStatus,
                "broken",
            ),
            (
                "done-dropped",
                &[(
                    "Ok(()) => write(&mut *tx, DONE, event).await?,",
                    "Ok(()) => {\n                let _ = write(&mut *tx, DONE, event).await;\n            }",
                )],
                FencedStatus,
                "broken",
            ),
            (
                "done-alone",
                &[("write(&mut *tx, DONE", "write(&self.pool, DONE")],
                FencedStatus,
                "broken",
            ),
            (
                "back-dropped",
                &[(
                    "sqlx::query(\"ROLLBACK TO SAVEPOINT handler_work\").execute(&mut *tx).await?;",
                    "let _ = sqlx::query(\"ROLLBACK TO SAVEPOINT handler_work\").execute(&mut *tx).await;",
                )],
                SavepointOnError,
                "broken",
            ),
            (
                "never-back",
                &[(
                    "                sqlx::query(\"ROLLBACK TO SAVEPOINT handler_work\").execute(&mut *tx).await?;\n",
                    "",
                )],
                SavepointOnError,
                "broken",
            ),
            (
                "never-committed",
                &[("        tx.commit().await?;\n", "")],
                RetryReturnsToReady,
                "broken",
            ),
            (
                "handler-on-pool",
                &[(
                    "handler.handle(tx, event)",
                    "handler.handle(&self.pool, event)",
                )],
                HandlerJoinsAttempt,
                "broken",
            ),
            (
                "beat-once",
                &[(
                    "    loop {\n        ticks.tick().await;",
                    "    {\n        ticks.tick().await;",
                )],
                Heartbeat,
                "broken",
            ),
            (
                "beat-never",
                &[(BEAT, "let beat = tokio::spawn(async {});")],
                Heartbeat,
                "broken",
            ),
            (
                "text-built",
                &[(
                    "sqlx::query(CLAIM)",
                    "sqlx::query(&std::env::args().next().unwrap())",
                )],
                AtomicClaim,
                "unknown",
            ),
            (
                "task-for-each",
                &[(ROUND, TASKS)],
                NoBatchBarrier,
                "unknown",
            ),
        ],
    );
}
