//! Errors: which of them go back to the savepoint, which end the attempt, and whether any is dropped.

use outbox_audit::model::queue::Promise::{
    DeadlockToldApart, DetachedBookkeeping, ErrorsReachDispatcher, FencedStatus,
    HandlerJoinsAttempt, SavepointOnError, SavepointOnLockTimeout,
};

use super::{BUS, SERVICE, STORE, TRANSACTIONS, harm};

const APART: &str = "if isDeadlock(err) {\n\t\t\t\treturn err\n\t\t\t}";
const DONE: &str = "s.repo.UpdateStatus(ctx, tx, e.ID, persistence.StatusProcessed, \"\")";
const RUN: &str = "if err := handler(ctx, payload); err != nil {\n\t\t\treturn fmt.Errorf(\"handler of %s: %w\", eventType, err)\n\t\t}";
const DETACHED: &str = "if err == nil || errors.Is(err, persistence.ErrClaimLost) {\n\t\treturn err\n\t}\n\treturn s.recordFailure(ctx, nil, e, err)";

#[test]
fn each_class_of_error_takes_its_own_way() {
    harm(&[
        (
            "apart-turned",
            SavepointOnError,
            "",
            &[(
                SERVICE,
                APART,
                "if !isDeadlock(err) {\n\t\t\t\treturn err\n\t\t\t}",
            )],
        ),
        (
            "apart-turned-deadlock",
            DeadlockToldApart,
            "",
            &[(
                SERVICE,
                APART,
                "if !isDeadlock(err) {\n\t\t\t\treturn err\n\t\t\t}",
            )],
        ),
        (
            "apart-turned-inside",
            SavepointOnError,
            "",
            &[(
                SERVICE,
                "failed.Number == errDeadlock",
                "failed.Number != errDeadlock",
            )],
        ),
        (
            "apart-no-code",
            DeadlockToldApart,
            "",
            &[(SERVICE, "errDeadlock = 1213", "errDeadlock = 9999")],
        ),
        (
            "apart-timeout",
            SavepointOnLockTimeout,
            "",
            &[(SERVICE, "errDeadlock = 1213", "errDeadlock = 1205")],
        ),
        (
            "apart-timeout-deadlock",
            DeadlockToldApart,
            "",
            &[(SERVICE, "errDeadlock = 1213", "errDeadlock = 1205")],
        ),
        (
            "apart-both",
            SavepointOnLockTimeout,
            "",
            &[(
                SERVICE,
                "failed.Number == errDeadlock",
                "(failed.Number == errDeadlock || failed.Number == 1205)",
            )],
        ),
        (
            "apart-any-of-the-driver",
            SavepointOnLockTimeout,
            "",
            &[(
                SERVICE,
                "return errors.As(err, &failed) && failed.Number == errDeadlock",
                "return errors.As(err, &failed)",
            )],
        ),
        (
            "apart-never",
            DeadlockToldApart,
            "",
            &[(
                SERVICE,
                APART,
                "if isDeadlock(err) {\n\t\t\t\tlog.Print(err)\n\t\t\t}",
            )],
        ),
        (
            "apart-always",
            SavepointOnError,
            "",
            &[(
                SERVICE,
                "return errors.As(err, &failed) && failed.Number == errDeadlock",
                "return true",
            )],
        ),
        (
            "apart-always-timeout",
            SavepointOnLockTimeout,
            "",
            &[(SERVICE, APART, "return err")],
        ),
    ]);
}

#[test]
fn a_status_that_was_not_written_ends_the_attempt() {
    harm(&[
        (
            "lost-is-fine",
            FencedStatus,
            "",
            &[(
                STORE,
                "\tif count == 0 {\n\t\treturn ErrClaimLost\n\t}\n",
                "\tif count == 0 {\n\t\treturn nil\n\t}\n",
            )],
        ),
        (
            "lost-is-logged",
            FencedStatus,
            "",
            &[(
                STORE,
                "\tif count == 0 {\n\t\treturn ErrClaimLost\n\t}\n",
                "\tif count == 0 {\n\t\tfmt.Println(ErrClaimLost)\n\t}\n",
            )],
        ),
        (
            "lost-is-forgotten",
            FencedStatus,
            "",
            &[
                (
                    SERVICE,
                    "return s.tx.WithTransaction(ctx, func(tx *sql.Tx) error {",
                    "err := s.run(ctx, e)\n\tif errors.Is(err, persistence.ErrClaimLost) {\n\t\treturn nil\n\t}\n\treturn err\n}\n\n\
                 func (s *OutboxService) run(ctx context.Context, e persistence.Event) error {\n\
                 \treturn s.tx.WithTransaction(ctx, func(tx *sql.Tx) error {",
                ),
                (
                    TRANSACTIONS,
                    "if err := run(tx); err != nil {\n\t\treturn err\n\t}",
                    "if err := run(tx); err != nil {\n\t\tfmt.Println(err)\n\t}",
                ),
            ],
        ),
        (
            "done-without-transaction",
            FencedStatus,
            "",
            &[(
                SERVICE,
                DONE,
                "s.repo.UpdateStatus(ctx, nil, e.ID, persistence.StatusProcessed, \"\")",
            )],
        ),
        (
            "done-in-another",
            FencedStatus,
            "another",
            &[(
                SERVICE,
                "return s.repo.UpdateStatus(ctx, tx, e.ID, persistence.StatusProcessed, \"\")",
                "return s.tx.WithTransaction(ctx, func(other *sql.Tx) error {\n\
                 \t\t\treturn s.repo.UpdateStatus(ctx, other, e.ID, persistence.StatusProcessed, \"\")\n\t\t})",
            )],
        ),
        (
            "done-by-the-store",
            FencedStatus,
            "",
            &[(STORE, "\tif exec != nil {\n\t\treturn exec\n\t}\n", "")],
        ),
    ]);
}

#[test]
fn the_failure_is_written_apart_and_under_the_heartbeat() {
    harm(&[
        (
            "apart-only-if-lost",
            DetachedBookkeeping,
            "",
            &[(
                SERVICE,
                DETACHED,
                "if err == nil || !errors.Is(err, persistence.ErrClaimLost) {\n\t\treturn err\n\t}\n\treturn s.recordFailure(ctx, nil, e, err)",
            )],
        ),
        (
            "apart-only-deadlock",
            DetachedBookkeeping,
            "",
            &[(
                SERVICE,
                DETACHED,
                "if err == nil || !isDeadlock(err) {\n\t\treturn err\n\t}\n\treturn s.recordFailure(ctx, nil, e, err)",
            )],
        ),
        (
            "apart-not-at-all",
            DetachedBookkeeping,
            "",
            &[(SERVICE, DETACHED, "return err")],
        ),
        (
            "apart-beside",
            DetachedBookkeeping,
            "",
            &[(
                SERVICE,
                "return s.recordFailure(ctx, nil, e, err)",
                "go s.recordFailure(ctx, nil, e, err)\n\treturn err",
            )],
        ),
    ]);
}

#[test]
fn handlers_write_where_the_attempt_does() {
    harm(&[
        (
            "no-transaction-in-context",
            HandlerJoinsAttempt,
            "",
            &[(SERVICE, "persistence.InjectTx(ctx, tx)", "ctx")],
        ),
        (
            "nobody-takes-it-out",
            HandlerJoinsAttempt,
            "",
            &[(
                TRANSACTIONS,
                "tx, _ := ctx.Value(txKey{}).(*sql.Tx)\n\treturn tx",
                "return nil",
            )],
        ),
        (
            "a-handler-that-never-asks",
            HandlerJoinsAttempt,
            "outside",
            &[(
                "actions/runner.go",
                "log.Printf(\"mail to %v: %v\", to, config[\"subject\"])\n\treturn nil",
                "_, err = r.db.Exec(\"INSERT INTO mails (recipient, subject) VALUES (?, ?)\", to, config[\"subject\"])\n\treturn err",
            )],
        ),
        (
            "a-save-of-its-own",
            HandlerJoinsAttempt,
            "",
            &[(
                "persistence/records.go",
                "\tif tx == nil {\n\t\treturn r.tx.WithTransaction(ctx, work)\n\t}\n",
                "\treturn r.tx.WithTransaction(ctx, work)\n}\n\nfunc (r *Records) inside(ctx context.Context, tx *sql.Tx, work \
                 func(tx *sql.Tx) error) error {\n",
            )],
        ),
    ]);
}

#[test]
fn no_error_of_a_handler_is_dropped() {
    harm(&[
        (
            "bus-logs",
            ErrorsReachDispatcher,
            "",
            &[(
                BUS,
                RUN,
                "if err := handler(ctx, payload); err != nil {\n\t\t\tfmt.Println(eventType, err)\n\t\t}",
            )],
        ),
        (
            "bus-ignores",
            ErrorsReachDispatcher,
            "",
            &[
                (BUS, RUN, "_ = handler(ctx, payload)"),
                (BUS, "\t\"fmt\"\n", ""),
            ],
        ),
        (
            "bus-calls-bare",
            ErrorsReachDispatcher,
            "",
            &[
                (BUS, RUN, "handler(ctx, payload)"),
                (BUS, "\t\"fmt\"\n", ""),
            ],
        ),
        (
            "bus-recovers",
            ErrorsReachDispatcher,
            "",
            &[(
                BUS,
                "\tb.mu.RLock()\n",
                "\tdefer func() {\n\t\t_ = recover()\n\t}()\n\tb.mu.RLock()\n",
            )],
        ),
        (
            "bus-beside",
            ErrorsReachDispatcher,
            "",
            &[
                (BUS, RUN, "go handler(ctx, payload)"),
                (BUS, "\t\"fmt\"\n", ""),
            ],
        ),
    ]);
}
