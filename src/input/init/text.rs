//! The file that `init` writes, before it is filled.
//!
//! `# Prose` explains; `#option` and `#  nested` are options that can be switched on by removing
//! the `#`; `@key example` becomes what was found, or `#key: example`.

pub(super) const FILE_NAME: &str = "outbox-audit.yaml";

pub(super) const TEMPLATE: &str = r##"# What outbox-audit reads and asks. Paths are relative to this file.
# Remove the `#` before an option to use it.

# Version of this format.
version: 1

# What the verdict is asked about.
gate:
  # The flag in question, for the head of the report.
  @flag OUTBOX_PULL_WORKER
  # The rule pack whose conditions are asked; without it the one that recognises the flows.
  #pack: nexuscrm
  # Names of the flows the gate is about; without them everything on the path is in scope.
  #named: [Convert lead]

# What to read: one path or a list of paths.
inputs:
  # Flow metadata, files or directories.
  @flows metadata/flows.json
  # Schema as SQL or system_tables.json, files or directories.
  @schema schema/system_tables.json
  # The engine that SQL text is written for: postgres, mysql, mariadb, tidb or sqlite. What `init` writes here is
  # guessed from the text.
  @dialect postgres
  # A live database: env:NAME (its URL stands in that environment variable) or sqlite:FILE.
  @database env:DATABASE_URL
  # Source trees.
  @source backend
  # Results of redelivery tests.
  @tests reports/junit.xml
  # Answers to printed queries, where no connection is possible.
  #answers: answers.json

# The outbox, where it differs from what the rule pack says.
outbox:
  # Name of the table.
  #table: _System_OutboxEvent
  # Names of its columns by the part they play.
  #columns:
    # Primary key.
    #id: Id
    # Event type.
    #event_type: EventType
    # The frozen snapshot.
    #payload: Payload
    # Status.
    #status: Status
    # Retries so far.
    #retry_count: RetryCount
    # Last error.
    #error_message: ErrorMessage
    # When it was enqueued.
    #created: CreatedDate
    # Heartbeat: refreshed while a handler runs.
    #modified: LastModifiedDate
    # When it was done.
    #processed: ProcessedDate
    # The key by which events of one record are ordered.
    #record_key: RecordKey
  # Words of the status column.
  #states:
    # Waiting.
    #ready: pending
    # Being handled.
    #claimed: processing
    # Handled.
    #done: processed
    # Given up.
    #dead: failed
  # The key by which events of one record are ordered; without it the key facts stay unknown.
  #record_key:
    # Literal text and dotted payload paths in braces.
    #template: "{object_api_name}:{record.__sys_gen_id}"
    # Since when every writer fills it, as the stamps of the table are written.
    #since: 2026-01-31 09:00:00
  # The query by which workers look for an event: asked for its plan, never run.
  #eligible_query: SELECT q.Id FROM _System_OutboxEvent q WHERE NOT EXISTS (SELECT 1 FROM _System_OutboxEvent o WHERE o.RecordKey = q.RecordKey)
  # A claim whose heartbeat is older is taken over.
  #stale_cutoff: 5m
  # A row that failed is tried again so much later.
  #retry_cutoff: 30s
  # A row that failed so often is given up.
  #max_retries: 5

# Business key of each object: what makes two rows one fact. It claims nothing about conflicts.
#natural_keys:
#  Opportunity: [lead_id]

# Rule packs by name; without them those that recognise the inputs.
#packs: [nexuscrm]

# Files or directories of rules of your own.
#rules: [audit/rules]

# How long an event can still be delivered again: a number and d, h, m or s.
#horizon: 7d

# What makes the repetition of a consumer's effects harmless: dedup-table (table, key),
# idempotency-key (key), attempt-ledger (table, in_doubt) or accepted-duplicate (reason, owner).
# Each part is held against what is read: the table and its UNIQUE key, the code, the test, and
# how long a key is remembered against the horizon.
#contracts:
#  - consumer: Notify owner
#    kind: accepted-duplicate
#    reason: a second mail does no harm
#    owner: ann@example.org
#  - consumer: Push order
#    kind: dedup-table
#    table: sent_orders
#    key: [consumer, event_id]
#    code: SentOrders.Claim
#    test: "*.SentOrdersTest.twice"
#  - consumer: Charge card
#    kind: attempt-ledger
#    table: charge_attempts
#    key: [event_id]
#    in_doubt: park
#    window: 30d

# Which tests deliver which effects again, where no annotation says so: the test's id in the
# results (`*` is any stretch), what it proves, and how: sequential, concurrent or after-prefix.
#tests:
#  - test: "*.ConvertLeadTest.*"
#    proves: flow:Convert lead/action/CreateRecord:Opportunity
#    grade: concurrent

# Consumers kept off the path, and what shows it.
#exclusions:
#  - consumer: Old import
#    reason: its status is Draft

# Findings accepted until a day; check and subject stand in the finding.
#waivers:
#  - check: unguarded-create
#    subject: flow:Convert lead/action/Insert:Opportunity
#    reason: merged by hand every morning
#    owner: ann@example.org
#    expires: 2030-12-31

# Flows put off on purpose; they are counted and shown.
#deferred:
#  - flow: Nightly sync
#    reason: not part of this repair
#    owner: ann@example.org

# What people say of code that cannot be resolved, bound to the digest of its source.
#assertions:
#  - callee: mailer.Render
#    says: pure
#    owner: ann@example.org
#    digest: 0123456789abcdef

# What holds when things are run again: where it is enforced, which tests would fail if it broke, and what is
# held against code, schema and rows (`explain broken-guarantee` lists the kinds of checks).
#guarantees:
#  - id: hand-off
#    statement: an approval and its job are one transaction, and a job that was given up stays so
#    enforced_by:
#      - code: app/approve.py::approve
#      - migration: 0017_launch_outbox
#    proven_by:
#      - suite: tests/test_outbox.py
#        test: test_launch_comes_last
#    checks:
#      - kind: same-transaction
#        function: app/approve.py::approve
#        writes:
#          - table: orders
#            verb: update
#            sets: {status: active}
#          - table: launch_outbox
#            verb: insert
#      - kind: never-automatic
#        functions: [app/launch.py::sweep]
#        state:
#          table: launch_outbox
#          column: status
#          values: [abandoned]

# Bounds on reading.
#limits:
  # Largest file that is read, in bytes.
  #max_file_bytes: 268435456
  # Most files that are read of one kind of input.
  #max_files: 100000
  # Longest wait for one answer of a database, in seconds.
  #timeout_seconds: 10
"##;
