//! The claim: which row, under which condition, with which count.

use outbox_audit::model::queue::Promise::{
    AtomicClaim, ClaimCommittedFirst, FencedStatus, Heartbeat, SelectsStale,
};

use super::{SERVICE, STORE, harm};

const CLAIM: &str = "s.repo.ClaimEvent(ctx, e.ID)";
const BEAT: &str = "s.startHeartbeat(ctx, e.ID)";
const DONE: &str = "s.repo.UpdateStatus(ctx, tx, e.ID, persistence.StatusProcessed, \"\")";
const RETRY: &str = "s.repo.IncrementRetry(ctx, exec, e.ID, cause.Error())";

#[test]
fn the_id_is_the_chosen_rows_own() {
    harm(&[
        (
            "claim-by-type",
            AtomicClaim,
            "event_type",
            &[(SERVICE, CLAIM, "s.repo.ClaimEvent(ctx, e.EventType)")],
        ),
        (
            "claim-the-first",
            AtomicClaim,
            "another row",
            &[(SERVICE, CLAIM, "s.repo.ClaimEvent(ctx, found[0].ID)")],
        ),
        (
            "claim-a-constant",
            AtomicClaim,
            "constant",
            &[(SERVICE, CLAIM, "s.repo.ClaimEvent(ctx, \"outbox\")")],
        ),
        (
            "claim-by-host",
            AtomicClaim,
            "id",
            &[
                (SERVICE, CLAIM, "s.repo.ClaimEvent(ctx, hostname())"),
                (
                    SERVICE,
                    "",
                    "\nfunc hostname() string {\n\tname, _ := os.Hostname()\n\treturn name\n}\n",
                ),
            ],
        ),
        (
            "claim-scanned-over",
            AtomicClaim,
            "event_type",
            &[(
                STORE,
                "SELECT e.__sys_gen_id, e.event_type, e.payload",
                "SELECT e.event_type, e.__sys_gen_id, e.payload",
            )],
        ),
        (
            "claim-bound-over",
            AtomicClaim,
            "",
            &[(
                STORE,
                "query, StatusProcessing, id, StatusPending, StatusProcessing)",
                "query, id, StatusProcessing, StatusPending, StatusProcessing)",
            )],
        ),
        (
            "beat-by-payload",
            Heartbeat,
            "payload",
            &[(SERVICE, BEAT, "s.startHeartbeat(ctx, e.Payload)")],
        ),
        (
            "done-by-type",
            FencedStatus,
            "event_type",
            &[(
                SERVICE,
                DONE,
                "s.repo.UpdateStatus(ctx, tx, e.EventType, persistence.StatusProcessed, \"\")",
            )],
        ),
        (
            "retry-by-payload",
            FencedStatus,
            "payload",
            &[(
                SERVICE,
                RETRY,
                "s.repo.IncrementRetry(ctx, exec, e.Payload, cause.Error())",
            )],
        ),
        (
            "handled-another",
            AtomicClaim,
            "another row",
            &[(
                SERVICE,
                "return true, s.processClaimed(ctx, e)",
                "return true, s.processClaimed(ctx, found[0])",
            )],
        ),
    ]);
}

#[test]
fn the_claim_takes_what_the_selection_calls_free() {
    harm(&[
        (
            "claim-without-stamp",
            AtomicClaim,
            "stamp",
            &[(
                STORE,
                "SET status = ?, __sys_gen_last_modified_date = NOW(6)\n\t\tWHERE __sys_gen_id = ?\n\t\t  AND (status",
                "SET status = ?\n\t\tWHERE __sys_gen_id = ?\n\t\t  AND (status",
            )],
        ),
        (
            "claim-old-stamp",
            AtomicClaim,
            "stamp",
            &[(
                STORE,
                "SET status = ?, __sys_gen_last_modified_date = NOW(6)\n\t\tWHERE __sys_gen_id = ?\n\t\t  AND (status",
                "SET status = ?, __sys_gen_last_modified_date = __sys_gen_created_date\n\t\tWHERE __sys_gen_id = ?\n\t\t  AND (status",
            )],
        ),
        (
            "claim-sooner",
            AtomicClaim,
            "cutoff",
            &[(
                STORE,
                "SECOND))`, tableOutbox, staleSeconds)",
                "SECOND))`, tableOutbox, retrySeconds)",
            )],
        ),
        (
            "claim-later",
            AtomicClaim,
            "",
            &[(
                STORE,
                "SECOND))`, tableOutbox, staleSeconds)",
                "SECOND))`, tableOutbox, 10*staleSeconds)",
            )],
        ),
        (
            "claim-minutes",
            AtomicClaim,
            "cutoff",
            &[(
                STORE,
                "INTERVAL %d SECOND))`, tableOutbox",
                "INTERVAL %d MINUTE))`, tableOutbox",
            )],
        ),
        (
            "claim-open-in-one-branch",
            AtomicClaim,
            "another worker holds",
            &[(
                STORE,
                "\tresult, err := r.db.ExecContext(ctx, query, StatusProcessing, id, StatusPending, StatusProcessing)\n",
                "\tif len(id) > 36 {\n\t\tresult, err := r.db.ExecContext(ctx, `UPDATE `+tableOutbox+` SET status = ?, \
                 __sys_gen_last_modified_date = NOW(6) WHERE __sys_gen_id = ?`, StatusProcessing, id)\n\t\tif err != nil {\n\t\t\treturn false, err\n\t\t}\n\
                 \t\tchanged, err := result.RowsAffected()\n\t\treturn changed == 1, err\n\t}\n\
                 \tresult, err := r.db.ExecContext(ctx, query, StatusProcessing, id, StatusPending, StatusProcessing)\n",
            )],
        ),
        (
            "claim-won-before",
            AtomicClaim,
            "",
            &[(
                STORE,
                "return count == 1, nil",
                "wanted := int64(0)\n\treturn count >= wanted, nil",
            )],
        ),
        (
            "claim-won-two",
            AtomicClaim,
            "",
            &[(
                STORE,
                "return count == 1, nil",
                "const wanted = 2\n\treturn count == wanted, nil",
            )],
        ),
        (
            "claim-lost-as-won",
            AtomicClaim,
            "",
            &[(
                STORE,
                "return count == 1, nil",
                "won := count == 0\n\treturn won, nil",
            )],
        ),
        (
            "claim-error-as-won",
            AtomicClaim,
            "",
            &[(
                SERVICE,
                "if !claimed {\n\t\t\tcontinue\n\t\t}",
                "if !claimed {\n\t\t\tlog.Printf(\"outbox: %s is held\", e.ID)\n\t\t}",
            )],
        ),
        (
            "claim-in-the-attempt",
            ClaimCommittedFirst,
            "",
            &[
                (
                    SERVICE,
                    "if _, err := tx.ExecContext(ctx, \"SAVEPOINT",
                    "if claimed, err := s.repo.ClaimIn(ctx, tx, e.ID); err != nil || !claimed {\n\t\t\treturn persistence.ErrClaimLost\n\t\t}\n\
                     \t\tif _, err := tx.ExecContext(ctx, \"SAVEPOINT",
                ),
                (
                    SERVICE,
                    "claimed, err := s.repo.ClaimEvent(ctx, e.ID)\n\t\tif err != nil {\n\t\t\treturn false, err\n\t\t}\n\t\tif !claimed {\n\t\t\tcontinue\n\t\t}\n",
                    "",
                ),
                (
                    STORE,
                    "ClaimEvent(ctx context.Context, id string)",
                    "ClaimIn(ctx context.Context, tx *sql.Tx, id string)",
                ),
                (
                    STORE,
                    "result, err := r.db.ExecContext(ctx, query, StatusProcessing, id, StatusPending",
                    "result, err := tx.ExecContext(ctx, query, StatusProcessing, id, StatusPending",
                ),
                (
                    "events/outbox_batches.go",
                    "claimed, err := s.repo.ClaimEvent(ctx, e.ID)\n\t\t\t\tif err != nil || !claimed {\n\t\t\t\t\tcontinue\n\t\t\t\t}\n",
                    "",
                ),
            ],
        ),
        (
            "stale-at-once",
            SelectsStale,
            "fresh",
            &[(
                STORE,
                "OR (e.status = ? AND e.__sys_gen_last_modified_date < NOW(6) - INTERVAL %[2]d SECOND))",
                "OR (e.status = ? AND e.__sys_gen_last_modified_date < NOW(6) + INTERVAL %[2]d SECOND))",
            )],
        ),
    ]);
}
