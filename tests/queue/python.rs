//! The repaired worker of Python, changed at one small place.

use super::languages::all;

#[test]
fn python_may_say_it_in_other_words() {
    use outbox_audit::model::queue::Promise::*;
    const CLAIM: &str = "        with self.engine.begin() as conn:
            claimed = conn.execute(CLAIM, {\"id\": id})
            return claimed.rowcount == 1";
    const AS_YOU_GO: &str = "        with self.engine.connect() as conn:
            claimed = conn.execute(CLAIM, {\"id\": id})
            conn.commit()
            return claimed.rowcount == 1";
    const FLAG: &str = "if os.environ.get(\"OUTBOX_PULL_WORKER\") != \"true\":";
    all(
        "python",
        &[
            (
                "won-more",
                &[("claimed.rowcount == 1", "claimed.rowcount > 0")],
                AtomicClaim,
                "kept",
            ),
            (
                "as-you-go",
                &[(CLAIM, AS_YOU_GO)],
                ClaimCommittedFirst,
                "kept",
            ),
            (
                "flag-index",
                &[(FLAG, "if os.environ[\"OUTBOX_PULL_WORKER\"] != \"true\":")],
                FlagGuardsWorkers,
                "kept",
            ),
            (
                "flag-lower",
                &[(
                    FLAG,
                    "if os.getenv(\"OUTBOX_PULL_WORKER\", \"\").lower() not in (\"1\", \"true\"):",
                )],
                FlagGuardsWorkers,
                "unknown",
            ),
            (
                "raised",
                &[(
                    "            return claimed.rowcount == 1\n",
                    "            if claimed.rowcount == 0:\n                raise ClaimLost(id)\n            return True\n",
                )],
                AtomicClaim,
                "kept",
            ),
        ],
    );
}

#[test]
fn python_that_is_not_safe_is_not_kept() {
    use outbox_audit::model::queue::Promise::*;
    const CLAIM: &str = "        with self.engine.begin() as conn:
            claimed = conn.execute(CLAIM, {\"id\": id})
            return claimed.rowcount == 1";
    const NEVER: &str = "        with self.engine.connect() as conn:
            claimed = conn.execute(CLAIM, {\"id\": id})
            return claimed.rowcount == 1";
    const AUTO: (&str, &str) = (
        "log = logging.getLogger(__name__)",
        "log = logging.getLogger(__name__)\n\n\ndef engine_of(url: str) -> Engine:\n    return create_engine(url, isolation_level=\"AUTOCOMMIT\")",
    );
    const AUTO_IMPORT: (&str, &str) = (
        "from sqlalchemy import Connection, Engine, text",
        "from sqlalchemy import Connection, Engine, create_engine, text",
    );
    all(
        "python",
        &[
            (
                "won-always",
                &[("return claimed.rowcount == 1", "return True")],
                AtomicClaim,
                "broken",
            ),
            (
                "claim-not-committed",
                &[(CLAIM, NEVER)],
                ClaimCommittedFirst,
                "broken",
            ),
            (
                "lost-ignored",
                &[(
                    "raise ClaimLost(event.id)",
                    "log.warning(\"lost %s\", event.id)",
                )],
                FencedStatus,
                "broken",
            ),
            (
                "thread-not-started",
                &[(
                    "args=(event.id, stop), daemon=True).start()",
                    "args=(event.id, stop), daemon=True)",
                )],
                Heartbeat,
                "broken",
            ),
            (
                "beat-not-stopped",
                &[("            stop.set()\n", "            pass\n")],
                Heartbeat,
                "unknown",
            ),
            (
                "beat-slow",
                &[("stop.wait(15)", "stop.wait(130)")],
                Heartbeat,
                "broken",
            ),
            (
                "beat-now-and-then",
                &[("stop.wait(15)", "stop.wait(61)")],
                CutoffOutlastsHeartbeats,
                "broken",
            ),
            (
                "claim-by-kind",
                &[("self.claim(event.id)", "self.claim(event.kind)")],
                AtomicClaim,
                "unknown",
            ),
            (
                "claim-of-the-first",
                &[("self.claim(event.id)", "self.claim(found[0].id)")],
                AtomicClaim,
                "broken",
            ),
            (
                "beat-once",
                &[("while not stop.wait(15):", "if not stop.wait(15):")],
                Heartbeat,
                "broken",
            ),
            (
                "handler-on-engine",
                &[(
                    "self.handlers[event.kind](conn, event)",
                    "self.handlers[event.kind](self.engine, event)",
                )],
                HandlerJoinsAttempt,
                "broken",
            ),
            (
                "no-savepoint",
                &[("with conn.begin_nested():", "if True:")],
                SavepointOnError,
                "broken",
            ),
            (
                "error-dropped",
                &[(
                    "                log.exception(\"the handler failed\")\n                fail(conn, event)",
                    "                log.exception(\"the handler failed\")",
                )],
                RetryReturnsToReady,
                "broken",
            ),
            (
                "autocommit-joins",
                &[AUTO, AUTO_IMPORT],
                HandlerJoinsAttempt,
                "unknown",
            ),
            (
                "autocommit-claim",
                &[AUTO, AUTO_IMPORT],
                ClaimCommittedFirst,
                "unknown",
            ),
            (
                "autocommit-savepoint",
                &[AUTO, AUTO_IMPORT],
                SavepointOnError,
                "unknown",
            ),
        ],
    );
}
