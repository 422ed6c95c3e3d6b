//! Edits that mean the same: helpers, names, the order of arms, other means of the language. None turns a
//! promise.

use super::{SERVICE, STORE, same};

const CLAIMED: &str =
    "if !claimed {\n\t\t\tcontinue\n\t\t}\n\t\treturn true, s.processClaimed(ctx, e)\n";
const WON: &str = "return count == 1, nil";
const LOOP: &str = "\t\tfor {\n\t\t\tselect {\n\t\t\tcase <-done:\n\t\t\t\treturn\n\t\t\tcase <-ticker.C:\n\
                    \t\t\t\tif err := s.repo.Heartbeat(ctx, id); err != nil {\n\
                    \t\t\t\t\tlog.Printf(\"heartbeat of %s: %v\", id, err)\n\t\t\t\t}\n\t\t\t}\n\t\t}\n";
const START: &str = "\tstop := s.startHeartbeat(ctx, e.ID)\n\tdefer stop()\n";
const STOP: &str = "return func() { once.Do(func() { close(done) }) }";
const EVERY: &str = "heartbeatInterval = 15 * time.Second";

#[test]
fn rows_may_be_handed_down_in_other_ways() {
    same(&[
        (
            "renamed",
            &[(
                SERVICE,
                "for _, e := range found {",
                "for _, event := range found {\n\t\te := event",
            )],
        ),
        (
            "by-number",
            &[(
                SERVICE,
                "for _, e := range found {",
                "for i := range found {\n\t\te := found[i]",
            )],
        ),
        (
            "by-count",
            &[(
                SERVICE,
                "for _, e := range found {",
                "for i := 0; i < len(found); i++ {\n\t\te := found[i]",
            )],
        ),
        (
            "claimed-by-helper",
            &[
                (SERVICE, "s.repo.ClaimEvent(ctx, e.ID)", "s.claim(ctx, e)"),
                (
                    SERVICE,
                    "",
                    "\nfunc (s *OutboxService) claim(ctx context.Context, e persistence.Event) (bool, error) {\n\
                     \tid := e.ID\n\treturn s.repo.ClaimEvent(ctx, id)\n}\n",
                ),
            ],
        ),
        (
            "read-by-helper",
            &[
                (
                    STORE,
                    "\t\tvar e Event\n\t\tif err := rows.Scan(&e.ID, &e.EventType, &e.Payload, &e.RetryCount); err != nil {\n",
                    "\t\te, err := oneEvent(rows)\n\t\tif err != nil {\n",
                ),
                (
                    STORE,
                    "",
                    "\nfunc oneEvent(rows *sql.Rows) (Event, error) {\n\tvar e Event\n\
                     \terr := rows.Scan(&e.ID, &e.EventType, &e.Payload, &e.RetryCount)\n\treturn e, err\n}\n",
                ),
            ],
        ),
        (
            "read-into",
            &[
                (
                    STORE,
                    "if err := rows.Scan(&e.ID, &e.EventType, &e.Payload, &e.RetryCount)",
                    "if err := fill(rows, &e)",
                ),
                (
                    STORE,
                    "",
                    "\nfunc fill(rows *sql.Rows, e *Event) error {\n\
                     \treturn rows.Scan(&e.ID, &e.EventType, &e.Payload, &e.RetryCount)\n}\n",
                ),
            ],
        ),
        (
            "read-by-variables",
            &[(
                STORE,
                "\t\tvar e Event\n\t\tif err := rows.Scan(&e.ID, &e.EventType, &e.Payload, &e.RetryCount); err != nil {\n\t\t\treturn nil, err\n\t\t}\n\t\tfound = append(found, e)\n",
                "\t\tvar id, kind, payload string\n\t\tvar retries int\n\t\tif err := rows.Scan(&id, &kind, &payload, &retries); err != nil {\n\t\t\treturn nil, err\n\t\t}\n\
                 \t\tfound = append(found, Event{ID: id, EventType: kind, Payload: payload, RetryCount: retries})\n",
            )],
        ),
        (
            "columns-turned",
            &[
                (
                    STORE,
                    "SELECT e.__sys_gen_id, e.event_type, e.payload, e.retry_count",
                    "SELECT e.event_type, e.__sys_gen_id, e.retry_count, e.payload",
                ),
                (
                    STORE,
                    "&e.ID, &e.EventType, &e.Payload, &e.RetryCount",
                    "&e.EventType, &e.ID, &e.RetryCount, &e.Payload",
                ),
            ],
        ),
        (
            "claimed-by-the-first",
            &[
                (
                    SERVICE,
                    "\tfor _, e := range found {\n\t\tclaimed, err := s.repo.ClaimEvent(ctx, e.ID)\n\t\tif err != nil {\n\t\t\treturn false, err\n\t\t}\n\t\tif !claimed {\n\t\t\tcontinue\n\t\t}\n\t\treturn true, s.processClaimed(ctx, e)\n\t}\n\treturn false, nil\n",
                    "\te, err := s.first(ctx, found)\n\tif err != nil {\n\t\treturn false, err\n\t}\n\tif e == nil {\n\t\treturn false, nil\n\t}\n\treturn true, s.processClaimed(ctx, *e)\n",
                ),
                (
                    SERVICE,
                    "",
                    "\nfunc (s *OutboxService) first(ctx context.Context, found []persistence.Event) (*persistence.Event, error) {\n\
                     \tfor _, e := range found {\n\t\tclaimed, err := s.repo.ClaimEvent(ctx, e.ID)\n\t\tif err != nil {\n\t\t\treturn nil, err\n\t\t}\n\
                     \t\tif claimed {\n\t\t\treturn &e, nil\n\t\t}\n\t}\n\treturn nil, nil\n}\n",
                ),
            ],
        ),
        (
            "in-a-job",
            &[
                (
                    SERVICE,
                    "return true, s.processClaimed(ctx, e)",
                    "return true, s.run(ctx, job{event: e})",
                ),
                (
                    SERVICE,
                    "",
                    "\ntype job struct {\n\tevent persistence.Event\n}\n\nfunc (s *OutboxService) run(ctx context.Context, j job) error {\n\
                     \treturn s.processClaimed(ctx, j.event)\n}\n",
                ),
            ],
        ),
    ]);
}

#[test]
fn a_claim_may_be_said_in_other_words() {
    same(&[
        (
            "claimed-first",
            &[(
                SERVICE,
                CLAIMED,
                "if claimed {\n\t\t\treturn true, s.processClaimed(ctx, e)\n\t\t}\n",
            )],
        ),
        (
            "won-apart",
            &[(
                STORE,
                WON,
                "if count != 1 {\n\t\treturn false, nil\n\t}\n\treturn true, nil",
            )],
        ),
        (
            "won-by-name",
            &[(STORE, WON, "won := count == 1\n\treturn won, nil")],
        ),
        (
            "won-by-constant",
            &[(
                STORE,
                WON,
                "const wanted = 1\n\treturn count == wanted, nil",
            )],
        ),
        (
            "claim-in-minutes",
            &[(
                STORE,
                "__sys_gen_last_modified_date < NOW(6) - INTERVAL %d SECOND))`, tableOutbox, staleSeconds)",
                "__sys_gen_last_modified_date < NOW(6) - INTERVAL 2 MINUTE))`, tableOutbox)",
            )],
        ),
        (
            "claim-by-date-sub",
            &[(
                STORE,
                "__sys_gen_last_modified_date < NOW(6) - INTERVAL %d SECOND))`, tableOutbox",
                "DATE_SUB(NOW(6), INTERVAL %d SECOND) > __sys_gen_last_modified_date))`, tableOutbox",
            )],
        ),
        (
            "lost-turned",
            &[(
                STORE,
                "\tif count == 0 {\n\t\treturn ErrClaimLost\n\t}\n\treturn nil\n",
                "\tif count > 0 {\n\t\treturn nil\n\t}\n\treturn ErrClaimLost\n",
            )],
        ),
        (
            "statuses-by-name",
            &[
                (
                    SERVICE,
                    "s.repo.UpdateStatus(ctx, tx, e.ID, persistence.StatusProcessed, \"\")",
                    "s.repo.MarkProcessed(ctx, tx, e.ID)",
                ),
                (
                    STORE,
                    "",
                    "\n// MarkProcessed ends an event.\nfunc (r *OutboxRepository) MarkProcessed(ctx context.Context, tx *sql.Tx, id string) error {\n\
                     \treturn r.UpdateStatus(ctx, tx, id, StatusProcessed, \"\")\n}\n",
                ),
            ],
        ),
    ]);
}

#[test]
fn a_heartbeat_may_be_kept_in_other_ways() {
    same(&[
        (
            "stopped-at-once",
            &[(SERVICE, START, "\tdefer s.startHeartbeat(ctx, e.ID)()\n")],
        ),
        (
            "stopped-in-a-function",
            &[(
                SERVICE,
                START,
                "\tstop := s.startHeartbeat(ctx, e.ID)\n\tdefer func() { stop() }()\n",
            )],
        ),
        (
            "closed-plainly",
            &[
                (SERVICE, STOP, "return func() { close(done) }"),
                (SERVICE, "\tvar once sync.Once\n", ""),
                (SERVICE, "\t\"sync\"\n", ""),
            ],
        ),
        (
            "closed-once",
            &[
                (
                    SERVICE,
                    STOP,
                    "return sync.OnceFunc(func() { close(done) })",
                ),
                (SERVICE, "\tvar once sync.Once\n", ""),
            ],
        ),
        (
            "ended-by-context",
            &[
                (
                    SERVICE,
                    "\tdone := make(chan struct{})\n\tvar once sync.Once\n",
                    "\tbeating, cancel := context.WithCancel(ctx)\n",
                ),
                (
                    SERVICE,
                    "\t\t\tcase <-done:\n",
                    "\t\t\tcase <-beating.Done():\n",
                ),
                (SERVICE, STOP, "return cancel"),
                (SERVICE, "\t\"sync\"\n", ""),
            ],
        ),
        (
            "each-tick",
            &[(
                SERVICE,
                LOOP,
                "\t\tfor range ticker.C {\n\t\t\tselect {\n\t\t\tcase <-done:\n\t\t\t\treturn\n\t\t\tdefault:\n\t\t\t}\n\
                 \t\t\tif err := s.repo.Heartbeat(ctx, id); err != nil {\n\t\t\t\tlog.Printf(\"heartbeat of %s: %v\", id, err)\n\t\t\t}\n\t\t}\n",
            )],
        ),
        (
            "after-each-wait",
            &[
                (
                    SERVICE,
                    "\t\tticker := time.NewTicker(heartbeatInterval)\n\t\tdefer ticker.Stop()\n",
                    "",
                ),
                (
                    SERVICE,
                    "case <-ticker.C:",
                    "case <-time.After(heartbeatInterval):",
                ),
            ],
        ),
        (
            "by-a-function",
            &[
                (
                    SERVICE,
                    "s.startHeartbeat(ctx, e.ID)",
                    "keepAlive(func() error { return s.repo.Heartbeat(ctx, e.ID) })",
                ),
                (
                    SERVICE,
                    "func (s *OutboxService) startHeartbeat(ctx context.Context, id string) func() {",
                    "func keepAlive(beat func() error) func() {",
                ),
                (
                    SERVICE,
                    "if err := s.repo.Heartbeat(ctx, id); err != nil {\n\t\t\t\t\tlog.Printf(\"heartbeat of %s: %v\", id, err)",
                    "if err := beat(); err != nil {\n\t\t\t\t\tlog.Printf(\"heartbeat: %v\", err)",
                ),
            ],
        ),
        (
            "ended-where-lost",
            &[
                (
                    SERVICE,
                    "if err := s.repo.Heartbeat(ctx, id); err != nil {\n\t\t\t\t\tlog",
                    "err := s.repo.Heartbeat(ctx, id)\n\t\t\t\tif errors.Is(err, persistence.ErrClaimLost) {\n\t\t\t\t\treturn\n\t\t\t\t}\n\t\t\t\tif err != nil {\n\t\t\t\t\tlog",
                ),
                (
                    STORE,
                    "\t_, err := r.db.ExecContext(ctx, query, id, StatusProcessing)\n\treturn err",
                    "\tresult, err := r.db.ExecContext(ctx, query, id, StatusProcessing)\n\treturn oneRow(result, err)",
                ),
            ],
        ),
        (
            "by-a-type",
            &[
                (
                    SERVICE,
                    START,
                    "\tbeats := &heart{repo: s.repo, id: e.ID, done: make(chan struct{})}\n\tgo beats.run(ctx)\n\tdefer beats.stop()\n",
                ),
                (
                    SERVICE,
                    "",
                    "\ntype heart struct {\n\trepo *persistence.OutboxRepository\n\tid   string\n\tdone chan struct{}\n}\n\n\
                     func (h *heart) stop() { close(h.done) }\n\nfunc (h *heart) run(ctx context.Context) {\n\
                     \tticker := time.NewTicker(heartbeatInterval)\n\tdefer ticker.Stop()\n\tfor {\n\t\tselect {\n\t\tcase <-h.done:\n\t\t\treturn\n\
                     \t\tcase <-ticker.C:\n\t\t\tif err := h.repo.Heartbeat(ctx, h.id); err != nil {\n\t\t\t\tlog.Print(err)\n\t\t\t}\n\t\t}\n\t}\n}\n",
                ),
            ],
        ),
        (
            "every-part",
            &[(
                SERVICE,
                EVERY,
                "staleAfter = 120 * time.Second\n\theartbeatInterval = staleAfter / 8",
            )],
        ),
        (
            "every-elsewhere",
            &[
                (SERVICE, "\theartbeatInterval = 15 * time.Second\n", ""),
                (
                    "events/settings.go",
                    "",
                    "package events\n\nimport \"time\"\n\n// heartbeatInterval is how often a claim is refreshed.\nvar heartbeatInterval = time.Duration(15) * time.Second\n",
                ),
            ],
        ),
    ]);
}
