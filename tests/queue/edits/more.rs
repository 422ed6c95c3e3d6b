//! Further edits that do harm, each at one small place.

use outbox_audit::model::queue::Promise::{
    AtomicClaim, FencedStatus, HandlerJoinsAttempt, Heartbeat, RetriesAreBounded, RetryCounts,
    RetryReturnsToReady, SavepointOnError, TerminalStates,
};

use super::{SERVICE, STORE, TRANSACTIONS, harm};

const DONE: &str = "return s.repo.UpdateStatus(ctx, tx, e.ID, persistence.StatusProcessed, \"\")";
const RETRY: &str = "return s.recordFailure(ctx, tx, e, err)";

#[test]
fn rows_of_others_are_left_alone() {
    harm(&[
        (
            "beat-of-all",
            Heartbeat,
            "other",
            &[(
                STORE,
                "__sys_gen_last_modified_date = NOW(6) WHERE __sys_gen_id = ? AND status = ?`\n\t_, err := r.db.ExecContext(ctx, query, id, StatusProcessing)",
                "__sys_gen_last_modified_date = NOW(6) WHERE status = ?`\n\t_, err := r.db.ExecContext(ctx, query, StatusProcessing)",
            )],
        ),
        (
            "retry-of-all",
            FencedStatus,
            "other",
            &[(
                STORE,
                "error_message = ?, __sys_gen_last_modified_date = NOW(6)\n\t\tWHERE __sys_gen_id = ? AND status = ?`\n\tresult, err := r.executor(exec).ExecContext(ctx, query, StatusPending, message, id, StatusProcessing)",
                "error_message = ?, __sys_gen_last_modified_date = NOW(6)\n\t\tWHERE status = ?`\n\tresult, err := r.executor(exec).ExecContext(ctx, query, StatusPending, message, StatusProcessing)",
            )],
        ),
        (
            "retry-over-any",
            FencedStatus,
            "whatever state",
            &[(
                STORE,
                "error_message = ?, __sys_gen_last_modified_date = NOW(6)\n\t\tWHERE __sys_gen_id = ? AND status = ?`\n\tresult, err := r.executor(exec).ExecContext(ctx, query, StatusPending, message, id, StatusProcessing)",
                "error_message = ?, __sys_gen_last_modified_date = NOW(6)\n\t\tWHERE __sys_gen_id = ?`\n\tresult, err := r.executor(exec).ExecContext(ctx, query, StatusPending, message, id)",
            )],
        ),
        (
            "claim-despite-error",
            AtomicClaim,
            "",
            &[(
                SERVICE,
                "if err != nil {\n\t\t\treturn false, err\n\t\t}\n\t\tif !claimed {\n\t\t\tcontinue\n\t\t}",
                "if err == nil && !claimed {\n\t\t\tcontinue\n\t\t}",
            )],
        ),
        (
            "claim-of-the-last",
            AtomicClaim,
            "",
            &[
                (
                    SERVICE,
                    "for _, e := range found {",
                    "var last persistence.Event\n\tfor _, e := range found {",
                ),
                (
                    SERVICE,
                    "s.repo.ClaimEvent(ctx, e.ID)",
                    "s.repo.ClaimEvent(ctx, last.ID)",
                ),
                (
                    SERVICE,
                    "if !claimed {\n\t\t\tcontinue",
                    "if !claimed {\n\t\t\tlast = e\n\t\t\tcontinue",
                ),
            ],
        ),
        (
            "claim-counts-wrong",
            AtomicClaim,
            "",
            &[
                (
                    SERVICE,
                    "for _, e := range found {",
                    "for i := 0; i < len(found); i++ {\n\t\te := found[0]",
                ),
                (
                    SERVICE,
                    "s.repo.ClaimEvent(ctx, e.ID)",
                    "s.repo.ClaimEvent(ctx, found[i].ID)",
                ),
            ],
        ),
        (
            "claim-from-the-id-on",
            AtomicClaim,
            "other rows",
            &[(
                STORE,
                "WHERE __sys_gen_id = ?\n\t\t  AND (status = ?\n",
                "WHERE __sys_gen_id >= ?\n\t\t  AND (status = ?\n",
            )],
        ),
        (
            "claim-without-brackets",
            AtomicClaim,
            "other rows",
            &[
                (
                    STORE,
                    "WHERE __sys_gen_id = ?\n\t\t  AND (status = ?\n",
                    "WHERE __sys_gen_id = ?\n\t\t  AND status = ?\n",
                ),
                (STORE, "INTERVAL %d SECOND))`", "INTERVAL %d SECOND)`"),
            ],
        ),
        (
            "claim-for-later",
            AtomicClaim,
            "",
            &[
                (
                    SERVICE,
                    "if !claimed {\n\t\t\tcontinue\n\t\t}\n\t\treturn true, s.processClaimed(ctx, e)\n\t}\n",
                    "if claimed {\n\t\t\tmine = append(mine, e)\n\t\t}\n\t}\n\tfor _, e := range mine {\n\t\tif err := s.processClaimed(ctx, e); err != nil {\n\t\t\treturn true, err\n\t\t}\n\t}\n",
                ),
                (
                    SERVICE,
                    "\tfor _, e := range found {",
                    "\tvar mine []persistence.Event\n\tfor _, e := range found {",
                ),
            ],
        ),
        (
            "beat-sometimes",
            Heartbeat,
            "condition",
            &[(
                SERVICE,
                "\tstop := s.startHeartbeat(ctx, e.ID)\n\tdefer stop()\n",
                "\tif len(e.Payload) > 1000 {\n\t\tstop := s.startHeartbeat(ctx, e.ID)\n\t\tdefer stop()\n\t}\n",
            )],
        ),
        (
            "query-sooner",
            AtomicClaim,
            "cutoff",
            &[(
                STORE,
                "LIMIT ?`, tableOutbox, staleSeconds, retrySeconds)",
                "LIMIT ?`, tableOutbox, retrySeconds, retrySeconds)",
            )],
        ),
    ]);
}

#[test]
fn an_attempt_ends_as_it_says() {
    harm(&[
        (
            "done-dropped",
            FencedStatus,
            "",
            &[(
                SERVICE,
                DONE,
                "if err := s.repo.UpdateStatus(ctx, tx, e.ID, persistence.StatusProcessed, \"\"); err != nil {\n\t\t\tlog.Print(err)\n\t\t}\n\t\treturn nil",
            )],
        ),
        (
            "done-never",
            TerminalStates,
            "",
            &[(SERVICE, DONE, "return nil")],
        ),
        (
            "done-as-waiting",
            TerminalStates,
            "",
            &[(
                SERVICE,
                "persistence.StatusProcessed, \"\")",
                "persistence.StatusPending, \"\")",
            )],
        ),
        (
            "retry-never",
            RetryReturnsToReady,
            "",
            &[
                (SERVICE, RETRY, "return nil"),
                (
                    SERVICE,
                    "return s.recordFailure(ctx, nil, e, err)",
                    "return err",
                ),
            ],
        ),
        (
            "retry-not-counted",
            RetryCounts,
            "",
            &[(STORE, "retry_count = retry_count + 1, ", "")],
        ),
        (
            "retry-bound-turned",
            RetriesAreBounded,
            "few",
            &[(
                SERVICE,
                "e.RetryCount+1 >= MaxRetryAttempts",
                "e.RetryCount+1 <= MaxRetryAttempts",
            )],
        ),
        (
            "retry-stays-claimed",
            RetryReturnsToReady,
            "",
            &[(
                STORE,
                "ctx, query, StatusPending, message, id, StatusProcessing)",
                "ctx, query, StatusProcessing, message, id, StatusProcessing)",
            )],
        ),
        (
            "savepoint-behind",
            SavepointOnError,
            "",
            &[
                (
                    SERVICE,
                    "\t\tif _, err := tx.ExecContext(ctx, \"SAVEPOINT handler_work\"); err != nil {\n\t\t\treturn fmt.Errorf(\"savepoint: %w\", err)\n\t\t}\n",
                    "",
                ),
                (
                    SERVICE,
                    "\t\t\tif isDeadlock(err) {",
                    "\t\t\tif _, err := tx.ExecContext(ctx, \"SAVEPOINT handler_work\"); err != nil {\n\t\t\t\treturn fmt.Errorf(\"savepoint: %w\", err)\n\t\t\t}\n\t\t\tif isDeadlock(err) {",
                ),
            ],
        ),
        (
            "savepoint-sometimes",
            SavepointOnError,
            "condition",
            &[(
                SERVICE,
                "\t\tif _, err := tx.ExecContext(ctx, \"SAVEPOINT handler_work\"); err != nil {\n\t\t\treturn fmt.Errorf(\"savepoint: %w\", err)\n\t\t}\n",
                "\t\tif e.RetryCount > 0 {\n\t\t\tif _, err := tx.ExecContext(ctx, \"SAVEPOINT handler_work\"); err != nil {\n\t\t\t\treturn fmt.Errorf(\"savepoint: %w\", err)\n\t\t\t}\n\t\t}\n",
            )],
        ),
        (
            "committed-in-any-case",
            FencedStatus,
            "",
            &[(TRANSACTIONS, "defer tx.Rollback()", "defer tx.Commit()")],
        ),
        (
            "lost-is-passed",
            FencedStatus,
            "",
            &[(
                TRANSACTIONS,
                "if err := run(tx); err != nil {",
                "if err := run(tx); err != nil && !errors.Is(err, ErrClaimLost) {",
            )],
        ),
        (
            "savepoint-by-text",
            SavepointOnError,
            "",
            &[
                (
                    SERVICE,
                    "if isDeadlock(err) {",
                    "if strings.Contains(err.Error(), \"Deadlock\") {",
                ),
                (SERVICE, "\t\"sync\"\n", "\t\"strings\"\n\t\"sync\"\n"),
            ],
        ),
        (
            "rolled-back-never",
            FencedStatus,
            "",
            &[(
                TRANSACTIONS,
                "if err := run(tx); err != nil {\n\t\treturn err\n\t}\n\treturn tx.Commit()",
                "err = run(tx)\n\tif commit := tx.Commit(); commit != nil {\n\t\treturn commit\n\t}\n\treturn err",
            )],
        ),
    ]);
}

#[test]
fn the_transaction_that_handlers_get_is_the_attempts() {
    harm(&[
        (
            "another-key",
            HandlerJoinsAttempt,
            "",
            &[
                (
                    TRANSACTIONS,
                    "return context.WithValue(ctx, txKey{}, tx)",
                    "return context.WithValue(ctx, attemptKey{}, tx)",
                ),
                (
                    TRANSACTIONS,
                    "type txKey struct{}",
                    "type txKey struct{}\n\ntype attemptKey struct{}",
                ),
            ],
        ),
        (
            "another-transaction",
            FencedStatus,
            "another",
            &[(
                SERVICE,
                "if err := s.bus.Publish(persistence.InjectTx(ctx, tx), e.EventType, payload); err != nil {",
                "if err := s.tx.WithTransaction(ctx, func(own *sql.Tx) error {\n\t\t\treturn s.bus.Publish(persistence.InjectTx(ctx, own), e.EventType, payload)\n\t\t}); err != nil {",
            )],
        ),
    ]);
}
