//! The heartbeat: started before the handler, stopped behind it, often enough, with a stamp that moves.

use outbox_audit::model::queue::Promise::{
    CutoffOutlastsHeartbeats, DetachedBookkeeping, Heartbeat,
};

use super::{SERVICE, STORE, harm};

const START: &str =
    "\tstop := s.startHeartbeat(ctx, e.ID)\n\tdefer stop()\n\terr := s.attempt(ctx, e)\n";
const EVERY: &str = "heartbeatInterval = 15 * time.Second";
const STAMP: &str = "SET __sys_gen_last_modified_date = NOW(6) WHERE __sys_gen_id = ? AND status = ?`\n\t_, err := r.db.ExecContext(ctx, query, id, StatusProcessing)";
const SPAWN: &str = "\tgo func() {\n\t\tticker";
const FAILED: &str = "if err := s.repo.Heartbeat(ctx, id); err != nil {\n\t\t\t\t\tlog.Printf(\"heartbeat of %s: %v\", id, err)\n\t\t\t\t}";

#[test]
fn it_runs_while_the_handler_runs() {
    harm(&[
        (
            "beat-stopped-before",
            Heartbeat,
            "stopped before",
            &[(
                SERVICE,
                START,
                "\tstop := s.startHeartbeat(ctx, e.ID)\n\tstop()\n\terr := s.attempt(ctx, e)\n",
            )],
        ),
        (
            "beat-stopped-by-block",
            Heartbeat,
            "stopped before",
            &[(
                SERVICE,
                START,
                "\tfunc() {\n\t\tstop := s.startHeartbeat(ctx, e.ID)\n\t\tdefer stop()\n\t}()\n\terr := s.attempt(ctx, e)\n",
            )],
        ),
        (
            "beat-after",
            Heartbeat,
            "while the handler runs",
            &[(
                SERVICE,
                START,
                "\terr := s.attempt(ctx, e)\n\tstop := s.startHeartbeat(ctx, e.ID)\n\tdefer stop()\n",
            )],
        ),
        (
            "beat-deferred",
            Heartbeat,
            "while the handler runs",
            &[(
                SERVICE,
                START,
                "\tdefer s.startHeartbeat(ctx, e.ID)\n\terr := s.attempt(ctx, e)\n",
            )],
        ),
        (
            "beat-never-started",
            Heartbeat,
            "",
            &[
                (SERVICE, SPAWN, "\tbeat := func() {\n\t\tticker"),
                (
                    SERVICE,
                    "\t}()\n\treturn func() { once",
                    "\t}\n\t_ = beat\n\treturn func() { once",
                ),
            ],
        ),
        (
            "beat-in-line",
            Heartbeat,
            "",
            &[(SERVICE, SPAWN, "\tfunc() {\n\t\tticker")],
        ),
        (
            "beat-once",
            Heartbeat,
            "",
            &[(
                SERVICE,
                FAILED,
                "if err := s.repo.Heartbeat(ctx, id); err != nil {\n\t\t\t\t\tlog.Print(err)\n\t\t\t\t}\n\t\t\t\treturn",
            )],
        ),
        (
            "beat-ends-by-error",
            Heartbeat,
            "error",
            &[(
                SERVICE,
                FAILED,
                "if err := s.repo.Heartbeat(ctx, id); err != nil {\n\t\t\t\t\treturn\n\t\t\t\t}",
            )],
        ),
        (
            "beat-ends-by-logged-error",
            Heartbeat,
            "error",
            &[(
                SERVICE,
                FAILED,
                "if err := s.repo.Heartbeat(ctx, id); err != nil {\n\t\t\t\t\tlog.Printf(\"heartbeat of %s: %v\", id, err)\n\t\t\t\t\treturn\n\t\t\t\t}",
            )],
        ),
        (
            "beat-stopped-before-bookkeeping",
            DetachedBookkeeping,
            "heartbeat",
            &[(
                SERVICE,
                START,
                "\tstop := s.startHeartbeat(ctx, e.ID)\n\terr := s.attempt(ctx, e)\n\tstop()\n",
            )],
        ),
        (
            "beat-stopped-with-attempt",
            DetachedBookkeeping,
            "heartbeat",
            &[
                (SERVICE, START, "\terr := s.beaten(ctx, e)\n"),
                (
                    SERVICE,
                    "",
                    "\nfunc (s *OutboxService) beaten(ctx context.Context, e persistence.Event) error {\n\
                     \tstop := s.startHeartbeat(ctx, e.ID)\n\tdefer stop()\n\treturn s.attempt(ctx, e)\n}\n",
                ),
            ],
        ),
        (
            "beat-never-stopped",
            Heartbeat,
            "stop",
            &[(
                SERVICE,
                "\t\tfor {\n\t\t\tselect {\n\t\t\tcase <-done:\n\t\t\t\treturn\n\t\t\tcase <-ticker.C:",
                "\t\tfor {\n\t\t\tselect {\n\t\t\tcase <-ticker.C:",
            )],
        ),
        (
            "beat-timed-out",
            Heartbeat,
            "",
            &[
                (
                    SERVICE,
                    "\tdone := make(chan struct{})\n",
                    "\tbeating, cancel := context.WithTimeout(ctx, time.Minute)\n",
                ),
                (
                    SERVICE,
                    "\t\t\tcase <-done:\n",
                    "\t\t\tcase <-beating.Done():\n",
                ),
                (SERVICE, "\tvar once sync.Once\n", ""),
                (
                    SERVICE,
                    "return func() { once.Do(func() { close(done) }) }",
                    "return cancel",
                ),
                (SERVICE, "\t\"sync\"\n", ""),
            ],
        ),
    ]);
}

#[test]
fn it_comes_before_the_cutoff() {
    harm(&[
        (
            "beat-slower-than-cutoff",
            Heartbeat,
            "cutoff",
            &[(SERVICE, EVERY, "heartbeatInterval = 5 * time.Minute")],
        ),
        (
            "beat-as-slow-as-cutoff",
            Heartbeat,
            "cutoff",
            &[(SERVICE, EVERY, "heartbeatInterval = 2 * time.Minute")],
        ),
        (
            "beat-two-in-cutoff",
            CutoffOutlastsHeartbeats,
            "heartbeat",
            &[(SERVICE, EVERY, "heartbeatInterval = time.Minute")],
        ),
        (
            "cutoff-short",
            Heartbeat,
            "cutoff",
            &[(STORE, "staleSeconds = 120", "staleSeconds = 10")],
        ),
        (
            "beat-unknown-interval",
            CutoffOutlastsHeartbeats,
            "",
            &[
                (
                    SERVICE,
                    "time.NewTicker(heartbeatInterval)",
                    "time.NewTicker(s.every)",
                ),
                (
                    SERVICE,
                    "\tstop chan struct{}\n",
                    "\tstop chan struct{}\n\tevery time.Duration\n",
                ),
            ],
        ),
    ]);
}

#[test]
fn its_stamp_moves() {
    harm(&[
        (
            "beat-constant-stamp",
            Heartbeat,
            "",
            &[(
                STORE,
                STAMP,
                "SET __sys_gen_last_modified_date = ? WHERE __sys_gen_id = ? AND status = ?`\n\t_, err := r.db.ExecContext(ctx, query, \"2026-01-01\", id, StatusProcessing)",
            )],
        ),
        (
            "beat-created-stamp",
            Heartbeat,
            "",
            &[(
                STORE,
                STAMP,
                "SET __sys_gen_last_modified_date = __sys_gen_created_date WHERE __sys_gen_id = ? AND status = ?`\n\t_, err := r.db.ExecContext(ctx, query, id, StatusProcessing)",
            )],
        ),
        (
            "beat-own-stamp",
            Heartbeat,
            "",
            &[(
                STORE,
                STAMP,
                "SET __sys_gen_last_modified_date = __sys_gen_last_modified_date WHERE __sys_gen_id = ? AND status = ?`\n\t_, err := r.db.ExecContext(ctx, query, id, StatusProcessing)",
            )],
        ),
        (
            "beat-past-stamp",
            Heartbeat,
            "",
            &[(
                STORE,
                STAMP,
                "SET __sys_gen_last_modified_date = NOW(6) - INTERVAL 1 HOUR WHERE __sys_gen_id = ? AND status = ?`\n\t_, err := r.db.ExecContext(ctx, query, id, StatusProcessing)",
            )],
        ),
        (
            "beat-time-of-start",
            Heartbeat,
            "once",
            &[
                (
                    STORE,
                    "Heartbeat(ctx context.Context, id string) error",
                    "Heartbeat(ctx context.Context, id string, now time.Time) error",
                ),
                (
                    STORE,
                    STAMP,
                    "SET __sys_gen_last_modified_date = ? WHERE __sys_gen_id = ? AND status = ?`\n\t_, err := r.db.ExecContext(ctx, query, now, id, StatusProcessing)",
                ),
                (STORE, "\t\"fmt\"\n", "\t\"fmt\"\n\t\"time\"\n"),
                (
                    SERVICE,
                    "\tvar once sync.Once\n",
                    "\tvar once sync.Once\n\tnow := time.Now()\n",
                ),
                (
                    SERVICE,
                    "s.repo.Heartbeat(ctx, id)",
                    "s.repo.Heartbeat(ctx, id, now)",
                ),
            ],
        ),
    ]);
}
