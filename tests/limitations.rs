//! What the consumer map does not see today. Each test says what a reader of the code would expect;
//! it fails once that is seen, and then becomes a fixture.

use outbox_audit::facts;
use outbox_audit::input::source::parse;
use outbox_audit::model::source::{Language, SourceTree};
use outbox_audit::rules;

/// Consumers and effects of one file, as `HANDLER on EVENT` and `KIND TARGET`, and calls that
/// cannot be followed as `lost CALL`.
fn seen(language: Language, text: &str) -> Vec<String> {
    let rules = rules::load(&rules::builtin_names(), &[]).expect("the packs load");
    let files = parse(language, text).expect("a text that parses");
    assert!(files.iter().all(|file| file.unparsed.is_empty()));
    let tree = SourceTree {
        files,
        ..SourceTree::default()
    };
    let map = facts::source::map(&tree, &rules);
    let mut seen = Vec::new();
    for consumer in &map.consumers {
        let event = consumer.event.as_deref().unwrap_or("?");
        seen.push(format!("{} on {event}", consumer.handler));
        let effects = consumer.effects.iter();
        seen.extend(effects.map(|effect| format!("{} {}", effect.kind.word(), effect.target)));
    }
    seen.extend(
        map.unresolved
            .iter()
            .map(|lost| format!("lost {}", lost.call)),
    );
    seen
}

const GO: &str = "package shop\nimport (\n\"context\"\n\"database/sql\"\n\"reflect\"\n\"time\"\n\"github.com/hibiken/asynq\"\n\"example.org/gen\"\n)\ntype task = asynq.Task\n";

fn go(text: &str) -> Vec<String> {
    seen(Language::Go, &format!("{GO}{text}"))
}

/// Expected: `delete orders`.
#[test]
fn a_method_called_by_reflection() {
    let text = "type pay struct{ db *sql.DB }\nfunc (p pay) Run() { p.db.Exec(\"DELETE FROM orders\") }\nfunc (p pay) handle(ctx context.Context, t *task) error { reflect.ValueOf(p).MethodByName(\"Run\").Call(nil); return nil }\nfunc routes(m *asynq.ServeMux, p pay) { m.HandleFunc(\"pay\", p.handle) }";
    assert_eq!(go(text), ["pay.handle on pay"]);
}

/// Expected: `insert orders`, from the statement that a generator put into another module.
#[test]
fn generated_code_that_is_not_in_the_tree() {
    let text = "type pay struct{ q *gen.Queries }\nfunc (p pay) handle(ctx context.Context, t *task) error { return p.q.CreateOrder(ctx) }\nfunc routes(m *asynq.ServeMux, p pay) { m.HandleFunc(\"pay\", p.handle) }";
    assert_eq!(go(text), ["pay.handle on pay"]);
}

/// Expected: `pay on pay` and `ship on ship`; the key that belongs to a handler is not told.
#[test]
fn events_of_a_table_of_functions() {
    let text = "type h func(ctx context.Context, t *task) error\nfunc pay(ctx context.Context, t *task) error { return nil }\nfunc ship(ctx context.Context, t *task) error { return nil }\nfunc routes(m *asynq.ServeMux) {\nfor name, f := range map[string]h{\"pay\": pay, \"ship\": ship} { m.HandleFunc(name, f) }\n}";
    assert_eq!(go(text), ["pay on $name", "ship on $name"]);
}

/// Expected: a consumer; the table is the queue.
#[test]
fn a_loop_that_polls_a_table() {
    let text = "func work(ctx context.Context, db *sql.DB) { for { row := db.QueryRow(\"SELECT id FROM job LIMIT 1 FOR UPDATE SKIP LOCKED\")\nvar id int\nif row.Scan(&id) == nil { db.Exec(\"DELETE FROM job WHERE id = $1\", id) }\ntime.Sleep(time.Second) } }";
    assert_eq!(go(text), Vec::<String>::new());
}

/// Expected: `http https://example.org`, as the option sets the field.
#[test]
fn a_function_that_an_option_puts_into_a_field() {
    let text = "type app struct{ tell func() }\ntype option func(*app)\nfunc post() {}\nfunc hook() option { return func(a *app) { a.tell = post } }\nfunc (a *app) paid(ctx context.Context, t *task) error { a.tell(); return nil }\nfunc routes(m *asynq.ServeMux, a *app) { m.HandleFunc(\"paid\", a.paid) }";
    assert_eq!(go(text), ["app.paid on paid", "lost tell"]);
}

/// Expected: `charge on Order` beside `ship on Receipt`: all steps of the flow.
#[test]
fn the_steps_of_a_workflow() {
    let text = "use apalis::prelude::WorkerBuilder;\nuse apalis_workflow::Workflow;\nstruct Order;\nstruct Receipt;\nasync fn charge(o: Order) -> Receipt { Receipt }\nasync fn ship(r: Receipt) {}\nfn run() { let flow = Workflow::new(\"buy\").and_then(charge).and_then(ship); WorkerBuilder::new(\"buy\").build(flow); }";
    assert_eq!(seen(Language::Rust, text), ["ship on Receipt"]);
}

/// Expected: `update stock`; the macro of the crate itself writes the statement.
#[test]
fn a_statement_that_a_macro_of_the_crate_writes() {
    let text = "use apalis::prelude::WorkerBuilder;\nstruct Job;\nmacro_rules! touch { ($db:expr, $t:ident) => { sqlx::query(concat!(\"UPDATE \", stringify!($t), \" SET n = 1\")).execute($db) }; }\nasync fn work(j: Job, db: sqlx::PgPool) { touch!(&db, stock).await.unwrap(); }\nfn run() { WorkerBuilder::new(\"job\").build_fn(work); }";
    assert_eq!(seen(Language::Rust, text), ["work on Job"]);
}

/// Guards of all effects of one file, as `KIND WORTH`.
fn guards(language: Language, text: &str) -> Vec<String> {
    let rules = rules::load(&rules::builtin_names(), &[]).expect("the packs load");
    let files = parse(language, text).expect("a text that parses");
    let tree = SourceTree {
        files,
        ..SourceTree::default()
    };
    let map = facts::source::map(&tree, &rules);
    let effects = map.consumers.iter().flat_map(|one| &one.effects);
    let guards = effects.flat_map(|effect| &effect.guards);
    guards
        .map(|guard| format!("{} {}", guard.kind.word(), guard.worth.word()))
        .collect()
}

/// Expected: `insert-claim full` for both inserts; a variant of an enum that says whether
/// the claim was taken is not followed.
#[test]
fn a_claim_whose_outcome_is_a_variant() {
    let text = "use apalis::prelude::WorkerBuilder;\nuse sqlx::PgPool;\nenum Claim { Fresh, Seen }\nstruct Order { id: i64 }\nasync fn take(tx: &mut sqlx::Transaction<'_, sqlx::Postgres>, id: i64) -> Claim { let n = sqlx::query(\"INSERT INTO seen (id) VALUES ($1) ON CONFLICT DO NOTHING\").bind(id).execute(&mut **tx).await.unwrap().rows_affected(); if n == 1 { Claim::Fresh } else { Claim::Seen } }\nasync fn pay(o: Order, pool: PgPool) { let mut tx = pool.begin().await.unwrap(); match take(&mut tx, o.id).await { Claim::Seen => return, Claim::Fresh => {} } sqlx::query(\"INSERT INTO charge (id) VALUES ($1)\").bind(o.id).execute(&mut *tx).await.unwrap(); tx.commit().await.unwrap(); }\nfn run() { WorkerBuilder::new(\"pay\").build(pay); }";
    assert_eq!(
        guards(Language::Rust, text),
        ["insert-claim full", "insert-claim none"],
        "the first is the claim's own insert"
    );
}

/// Expected: `conditional-update full` for the insert; a query builder's conditions are not read.
#[test]
fn a_conditional_update_by_a_query_builder() {
    let text = format!(
        "{GO}\ntype bill struct{{}}\ntype charge struct{{}}\nfunc pay(db *gorm.DB) func(ctx context.Context, t *task) error {{ return func(ctx context.Context, t *task) error {{ return db.Transaction(func(tx *gorm.DB) error {{ res := tx.Model(&bill{{}}).Where(\"id = ? AND state = ?\", 1, \"open\").Update(\"state\", \"paid\")\nif res.RowsAffected == 0 {{ return nil }}\nreturn tx.Create(&charge{{}}).Error }}) }} }}\nfunc routes(m *asynq.ServeMux, db *gorm.DB) {{ m.HandleFunc(\"pay\", pay(db)) }}"
    );
    let text = text.replace("\"reflect\"", "\"gorm.io/gorm\"");
    assert_eq!(guards(Language::Go, &text), Vec::<String>::new());
}

const PYTHON: &str = "import sqlite3\nfrom celery import shared_task\nfrom sqlalchemy.orm import DeclarativeBase, Session\nclass Base(DeclarativeBase): pass\nclass Order(Base): pass\n";

fn python(text: &str) -> Vec<String> {
    seen(Language::Python, &format!("{PYTHON}{text}"))
}

/// Expected: `delete orders`.
#[test]
fn a_method_of_python_called_by_its_name_as_a_text() {
    let text = "class Pay:\n    def run(self):\n        sqlite3.connect('shop').execute('DELETE FROM orders')\n@shared_task\ndef pay(name):\n    getattr(Pay(), name)()\n";
    assert_eq!(
        python(text),
        ["pay on example.pay", "lost a computed function"]
    );
}

/// Expected: `update Order`, as the session writes what was changed when it commits.
#[test]
fn an_attribute_of_a_mapped_row() {
    let text = "@shared_task\ndef pay(session: Session, id):\n    order = session.get(Order, id)\n    order.paid = True\n    session.commit()\n";
    assert_eq!(python(text), ["pay on example.pay"]);
}

/// Expected: `publish mail`: huey puts a task into its queue when it is called.
#[test]
fn a_task_that_is_enqueued_by_a_plain_call() {
    let text = "from huey import RedisHuey\nhuey = RedisHuey()\n@huey.task()\ndef mail(id):\n    pass\n@shared_task\ndef pay(id):\n    mail(id)\n";
    assert_eq!(python(text), ["mail on example.mail", "pay on example.pay"]);
}

/// Expected: `delete orders`, by the property that is only read.
#[test]
fn an_effect_of_a_property() {
    let text = "class Pay:\n    @property\n    def done(self):\n        return sqlite3.connect('shop').execute('DELETE FROM orders')\n@shared_task\ndef pay(id):\n    return Pay().done\n";
    assert_eq!(python(text), ["pay on example.pay"]);
}

/// Expected: `relay` is a consumer of the table: no broker calls it, and it asks for rows by itself.
#[test]
fn a_loop_that_asks_a_table_for_rows() {
    let text = "import time, requests\ndef relay():\n    db = sqlite3.connect('shop')\n    while True:\n        for row in db.execute('SELECT id FROM outbox'):\n            requests.post('https://example.org', json=row)\n        time.sleep(1)\n";
    assert_eq!(python(text), Vec::<String>::new());
}
