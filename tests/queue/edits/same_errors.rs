//! Edits of how errors are told apart, and of transactions, that mean the same.

use super::{BUS, SERVICE, TRANSACTIONS, same};

const DEADLOCK: &str = "return errors.As(err, &failed) && failed.Number == errDeadlock";
const ENDED: &str = "if err == nil || errors.Is(err, persistence.ErrClaimLost) {\n\t\treturn err\n\t}\n\treturn s.recordFailure(ctx, nil, e, err)";

#[test]
fn errors_may_be_told_apart_in_other_ways() {
    same(&[
        (
            "ended-by-cases",
            &[(
                SERVICE,
                ENDED,
                "switch {\n\tcase err == nil:\n\t\treturn nil\n\tcase errors.Is(err, persistence.ErrClaimLost):\n\t\treturn err\n\tdefault:\n\t\treturn s.recordFailure(ctx, nil, e, err)\n\t}",
            )],
        ),
        (
            "ended-turned",
            &[(
                SERVICE,
                ENDED,
                "if err != nil && !errors.Is(err, persistence.ErrClaimLost) {\n\t\treturn s.recordFailure(ctx, nil, e, err)\n\t}\n\treturn err",
            )],
        ),
        (
            "deadlock-early",
            &[(
                SERVICE,
                DEADLOCK,
                "if !errors.As(err, &failed) {\n\t\treturn false\n\t}\n\treturn failed.Number == errDeadlock",
            )],
        ),
        (
            "deadlock-by-cases",
            &[(
                SERVICE,
                DEADLOCK,
                "if errors.As(err, &failed) {\n\t\tswitch failed.Number {\n\t\tcase errDeadlock:\n\t\t\treturn true\n\t\t}\n\t}\n\treturn false",
            )],
        ),
        (
            "deadlock-if",
            &[(
                SERVICE,
                DEADLOCK,
                "if errors.As(err, &failed) && failed.Number == errDeadlock {\n\t\treturn true\n\t}\n\treturn false",
            )],
        ),
        (
            "back-turned",
            &[(
                SERVICE,
                "\t\t\tif isDeadlock(err) {\n\t\t\t\treturn err\n\t\t\t}\n\t\t\tif _, back := tx.ExecContext(ctx, \"ROLLBACK TO SAVEPOINT handler_work\"); back != nil {\n\
                 \t\t\t\treturn errors.Join(err, back)\n\t\t\t}\n\t\t\treturn s.recordFailure(ctx, tx, e, err)\n",
                "\t\t\tif !isDeadlock(err) {\n\t\t\t\tif _, back := tx.ExecContext(ctx, \"ROLLBACK TO SAVEPOINT handler_work\"); back != nil {\n\
                 \t\t\t\t\treturn errors.Join(err, back)\n\t\t\t\t}\n\t\t\t\treturn s.recordFailure(ctx, tx, e, err)\n\t\t\t}\n\t\t\treturn err\n",
            )],
        ),
        (
            "published-by-helper",
            &[
                (
                    SERVICE,
                    "s.bus.Publish(persistence.InjectTx(ctx, tx), e.EventType, payload)",
                    "s.deliver(ctx, tx, e, payload)",
                ),
                (
                    SERVICE,
                    "",
                    "\nfunc (s *OutboxService) deliver(ctx context.Context, tx *sql.Tx, e persistence.Event, payload any) error {\n\
                     \tif err := s.bus.Publish(persistence.InjectTx(ctx, tx), e.EventType, payload); err != nil {\n\
                     \t\treturn fmt.Errorf(\"event %s: %w\", e.ID, err)\n\t}\n\treturn nil\n}\n",
                ),
            ],
        ),
        (
            "failure-turned",
            &[(
                SERVICE,
                "\tif e.RetryCount+1 >= MaxRetryAttempts {\n\t\treturn s.repo.UpdateStatus(ctx, exec, e.ID, persistence.StatusFailed, cause.Error())\n\t}\n\
                 \treturn s.repo.IncrementRetry(ctx, exec, e.ID, cause.Error())\n",
                "\tif e.RetryCount+1 < MaxRetryAttempts {\n\t\treturn s.repo.IncrementRetry(ctx, exec, e.ID, cause.Error())\n\t}\n\
                 \treturn s.repo.UpdateStatus(ctx, exec, e.ID, persistence.StatusFailed, cause.Error())\n",
            )],
        ),
        (
            "rolled-back-plainly",
            &[
                (TRANSACTIONS, "\tdefer tx.Rollback()\n", ""),
                (
                    TRANSACTIONS,
                    "if err := run(tx); err != nil {\n",
                    "if err := run(tx); err != nil {\n\t\ttx.Rollback()\n",
                ),
            ],
        ),
        (
            "rolled-back-unless",
            &[(
                TRANSACTIONS,
                "\tdefer tx.Rollback()\n\tif err := run(tx); err != nil {\n\t\treturn err\n\t}\n\treturn tx.Commit()\n",
                "\tcommitted := false\n\tdefer func() {\n\t\tif !committed {\n\t\t\ttx.Rollback()\n\t\t}\n\t}()\n\tif err := run(tx); err != nil {\n\t\treturn err\n\t}\n\
                 \tif err := tx.Commit(); err != nil {\n\t\treturn err\n\t}\n\tcommitted = true\n\treturn nil\n",
            )],
        ),
        (
            "rolled-back-by-name",
            &[
                (
                    TRANSACTIONS,
                    "run func(tx *sql.Tx) error) error {",
                    "run func(tx *sql.Tx) error) (err error) {",
                ),
                (
                    TRANSACTIONS,
                    "\tdefer tx.Rollback()\n\tif err := run(tx); err != nil {\n",
                    "\tdefer func() {\n\t\tif err != nil {\n\t\t\ttx.Rollback()\n\t\t}\n\t}()\n\tif err = run(tx); err != nil {\n",
                ),
            ],
        ),
        (
            "attempted-by-method",
            &[
                (
                    SERVICE,
                    "\treturn s.tx.WithTransaction(ctx, func(tx *sql.Tx) error {\n",
                    "\treturn s.tx.WithTransaction(ctx, func(tx *sql.Tx) error { return s.attemptIn(ctx, tx, e) })\n}\n\n\
                     func (s *OutboxService) attemptIn(ctx context.Context, tx *sql.Tx, e persistence.Event) error {\n",
                ),
                (
                    SERVICE,
                    "persistence.StatusProcessed, \"\")\n\t})\n",
                    "persistence.StatusProcessed, \"\")\n",
                ),
            ],
        ),
        (
            "bus-joins",
            &[
                (
                    BUS,
                    "\tfor _, handler := range handlers {\n\t\tif err := handler(ctx, payload); err != nil {\n\t\t\treturn fmt.Errorf(\"handler of %s: %w\", eventType, err)\n\t\t}\n\t}\n\treturn nil\n",
                    "\tvar failed error\n\tfor _, handler := range handlers {\n\t\tif err := handler(ctx, payload); err != nil {\n\t\t\tfailed = errors.Join(failed, err)\n\t\t}\n\t}\n\treturn failed\n",
                ),
                (BUS, "\t\"fmt\"\n", "\t\"errors\"\n"),
            ],
        ),
        (
            "bus-tells-panics",
            &[(
                BUS,
                "payload any) error {\n\tb.mu.RLock()",
                "payload any) (err error) {\n\tdefer func() {\n\t\tif caught := recover(); caught != nil {\n\t\t\terr = fmt.Errorf(\"panic: %v\", caught)\n\t\t}\n\t}()\n\tb.mu.RLock()",
            )],
        ),
        (
            "flag-by-name",
            &[(
                SERVICE,
                "\tif os.Getenv(\"OUTBOX_PULL_WORKER\") == \"true\" {\n\t\tfor n := 0; n < pullWorkers; n++ {\n\t\t\tgo s.pull(ctx, interval)\n\t\t}\n\t\treturn\n\t}\n\tgo s.runBatches(ctx, interval)\n",
                "\tpulls := os.Getenv(\"OUTBOX_PULL_WORKER\") == \"true\"\n\tif !pulls {\n\t\tgo s.runBatches(ctx, interval)\n\t\treturn\n\t}\n\tfor range pullWorkers {\n\t\tgo s.pull(ctx, interval)\n\t}\n",
            )],
        ),
    ]);
}
