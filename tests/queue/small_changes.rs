//! The repaired worker, changed at one small place: what is no longer safe is not kept, and what means
//! the same is kept as before.

use outbox_audit::model::queue::Promise;

use super::cases::changed;
use super::{told, word};

/// One change: its name, what it replaces, and the promise that it breaks, or leaves.
type Change = (&'static str, &'static str, &'static str, Promise);

fn all(changes: &[Change], kept: bool) {
    let wrong: Vec<String> = changes
        .iter()
        .filter_map(|(name, from, to, promise)| {
            let queue = changed(name, &[(from, to)]);
            let is = word(&queue.promises[promise]) == "kept";
            (is != kept).then(|| format!("{name}: {}", told(&queue, *promise)))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const WON: &str = "\treturn n == 1, err\n";
const LOST: &str = "if n, err := result.RowsAffected(); err != nil || n == 0 {\n\t\treturn errLost\n\t}\n\treturn nil";

#[test]
fn a_row_count_must_tell_none_from_one() {
    use Promise::{AtomicClaim, FencedStatus};
    all(
        &[
            ("won-always", WON, "\treturn n >= 0, err\n", AtomicClaim),
            ("won-never", WON, "\treturn n < 0, err\n", AtomicClaim),
            ("won-two", WON, "\treturn n == 2, err\n", AtomicClaim),
            (
                "won-unknown",
                WON,
                "\treturn n > int64(len(id)), err\n",
                AtomicClaim,
            ),
            ("won-where-none", WON, "\treturn n == 0, err\n", AtomicClaim),
            ("won-turned", "if !claimed {", "if claimed {", AtomicClaim),
            (
                "won-both",
                WON,
                "\tif n == 0 {\n\t\treturn true, nil\n\t}\n\treturn true, err\n",
                AtomicClaim,
            ),
            ("lost-never", "n == 0 {", "n < 0 {", FencedStatus),
            (
                "lost-at-least",
                "err != nil || n == 0 {",
                "n >= 0 {",
                FencedStatus,
            ),
            (
                "lost-where-one",
                "err != nil || n == 0 {",
                "n != 0 {",
                FencedStatus,
            ),
        ],
        false,
    );
}

#[test]
fn a_row_count_may_be_asked_in_other_words() {
    use Promise::{AtomicClaim, FencedStatus};
    all(
        &[
            ("won-more", WON, "\treturn n > 0, err\n", AtomicClaim),
            ("won-at-least", WON, "\treturn 1 <= n, err\n", AtomicClaim),
            ("won-not-none", WON, "\treturn n != 0, err\n", AtomicClaim),
            (
                "won-apart",
                WON,
                "\tif err != nil {\n\t\treturn false, err\n\t}\n\tif n == 0 {\n\t\treturn false, nil\n\t}\n\treturn true, nil\n",
                AtomicClaim,
            ),
            (
                "won-by-another",
                "\tn, err := result.RowsAffected()\n\treturn n == 1, err\n}\n",
                "\treturn changedOne(result)\n}\n\nfunc changedOne(result sql.Result) (bool, error) {\n\
                 \tn, err := result.RowsAffected()\n\tif err != nil {\n\t\treturn false, err\n\t}\n\treturn n == 1, nil\n}\n",
                AtomicClaim,
            ),
            (
                "lost-cases",
                LOST,
                "n, err := result.RowsAffected()\n\tif err != nil {\n\t\treturn err\n\t}\n\tswitch n {\n\tcase 0:\n\
                 \t\treturn errLost\n\tdefault:\n\t\treturn nil\n\t}",
                FencedStatus,
            ),
            ("lost-under-one", "n == 0 {", "n < 1 {", FencedStatus),
        ],
        true,
    );
}

#[test]
fn a_choice_may_be_a_switch() {
    all(
        &[
            (
                "switched-error",
                "if err == nil || errors.Is(err, errLost) {\n\t\treturn err\n\t}",
                "switch {\n\tcase err == nil:\n\t\treturn nil\n\tcase errors.Is(err, errLost):\n\t\treturn err\n\t}",
                Promise::DetachedBookkeeping,
            ),
            (
                "switched-flag",
                "if os.Getenv(\"OUTBOX_PULL_WORKER\") != \"true\" {\n\t\treturn\n\t}",
                "switch os.Getenv(\"OUTBOX_PULL_WORKER\") {\n\tcase \"true\", \"1\":\n\tdefault:\n\t\treturn\n\t}",
                Promise::FlagGuardsWorkers,
            ),
        ],
        true,
    );
}

#[test]
fn an_error_that_is_dropped_counts() {
    use Promise::{DetachedBookkeeping, FencedStatus, RetryReturnsToReady, SavepointOnError};
    const FAILED: &str = "if isDeadlock(err) {\n\t\t\t\treturn err\n\t\t\t}\n\t\t\tif _, back := tx.ExecContext(ctx, \
                          \"ROLLBACK TO SAVEPOINT handler_work\"); back != nil {\n\t\t\t\treturn back\n\t\t\t}\n\t\t\treturn s.fail(ctx, tx, e)";
    const DONE: &str = "return s.write(ctx, tx, `UPDATE _System_OutboxEvent SET Status = 'processed', LastModifiedDate = NOW(6)\n\
                        \t\t\tWHERE Id = ? AND Status = 'processing' AND RetryCount = ?`, e)";
    let dropped = DONE.replace("return s.write", "_ = s.write") + "\n\t\treturn nil";
    let dropped: &'static str = dropped.leak();
    all(
        &[
            (
                "handler-logged",
                FAILED,
                "log.Print(err)",
                RetryReturnsToReady,
            ),
            ("status-dropped", DONE, dropped, FencedStatus),
            (
                "back-logged",
                "return back\n",
                "log.Print(back)\n",
                SavepointOnError,
            ),
            (
                "commit-after-error",
                "if err := run(tx); err != nil {\n\t\treturn err\n\t}",
                "if err := run(tx); err != nil {\n\t\tlog.Print(err)\n\t}",
                FencedStatus,
            ),
            (
                "commit-dropped",
                "return tx.Commit()",
                "_ = tx.Commit()\n\treturn nil",
                DetachedBookkeeping,
            ),
            (
                "commit-never",
                "return tx.Commit()",
                "return nil",
                RetryReturnsToReady,
            ),
        ],
        false,
    );
}

#[test]
fn retries_are_raised_and_bounded_from_above() {
    use Promise::{RetriesAreBounded, RetryCounts};
    const BOUND: &str = "if e.retries+1 >= maxRetryAttempts {";
    all(
        &[
            (
                "raised-by-none",
                "RetryCount + 1",
                "RetryCount + 0",
                RetryCounts,
            ),
            (
                "bound-turned",
                BOUND,
                "if e.retries+1 < maxRetryAttempts {",
                RetriesAreBounded,
            ),
            ("bound-none", BOUND, "if e.retries < 0 {", RetriesAreBounded),
        ],
        false,
    );
    all(
        &[
            (
                "bound-less-one",
                BOUND,
                "if e.retries >= maxRetryAttempts-1 {",
                RetriesAreBounded,
            ),
            (
                "bound-not-less",
                BOUND,
                "if !(e.retries < maxRetryAttempts-1) {",
                RetriesAreBounded,
            ),
        ],
        true,
    );
}

#[test]
fn heartbeats_savepoints_and_transactions_are_those_of_the_attempt() {
    use Promise::{FencedStatus, Heartbeat, SavepointOnError};
    const BEAT: &str = "SET LastModifiedDate = NOW(6) WHERE Id = ? AND Status = 'processing'`";
    const DONE: &str =
        "return s.write(ctx, tx, `UPDATE _System_OutboxEvent SET Status = 'processed'";
    all(
        &[
            (
                "beat-waiting",
                BEAT,
                "SET LastModifiedDate = NOW(6) WHERE Id = ? AND Status = 'pending'`",
                Heartbeat,
            ),
            (
                "beat-constant",
                BEAT,
                "SET LastModifiedDate = '2020-01-01' WHERE Id = ? AND Status = 'processing'`",
                Heartbeat,
            ),
            (
                "another-savepoint",
                "ROLLBACK TO SAVEPOINT handler_work",
                "ROLLBACK TO SAVEPOINT other_work",
                SavepointOnError,
            ),
            (
                "done-alone",
                DONE,
                "return s.write(ctx, s.db, `UPDATE _System_OutboxEvent SET Status = 'processed'",
                FencedStatus,
            ),
        ],
        false,
    );
}
