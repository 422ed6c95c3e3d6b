//! Dispatchers of other shapes: behind an interface, several of them, none.

use outbox_audit::model::evidence::Fact;
use outbox_audit::model::queue::{Promise, Queue};

use super::cases::changed;
use super::{told, word};

const HAND: &str = "s.bus.Publish(inject(ctx, tx), e.kind, e.payload)";
const FIELD: (&str, &str) = (
    "\tonce sync.Once\n",
    "\tonce sync.Once\n\tnext Dispatcher\n",
);
const ASKED: (&str, &str) = (HAND, "s.next.Dispatch(inject(ctx, tx), e)");
pub(super) const END: &str = "type txKey struct{}";

/// The worker behind an interface, with what is added to it.
fn behind_interface(name: &str, implementations: &str) -> Queue {
    let added = format!(
        "// Dispatcher hands an event on.\ntype Dispatcher interface {{\n\
         \tDispatch(ctx context.Context, e event) error\n}}\n{implementations}\n{END}"
    );
    changed(name, &[FIELD, ASKED, (END, &added)])
}

const DIRECT: &str = "
type direct struct{ bus *Bus }

func (d direct) Dispatch(ctx context.Context, e event) error {
	return d.bus.Publish(ctx, e.kind, e.payload)
}
";
const APART: &str = "
type apart struct{ bus *Bus }

func (a apart) Dispatch(ctx context.Context, e event) error {
	return a.bus.Publish(context.Background(), e.kind, e.payload)
}
";

/// Promises of the gate that are not kept.
fn open(queue: &Queue) -> Vec<String> {
    let all = Promise::ALL.into_iter().filter(|promise| promise.gates());
    all.filter(|promise| word(&queue.promises[promise]) != "kept")
        .map(|promise| format!("{promise:?}: {}", told(queue, promise)))
        .collect()
}

fn next_step(queue: &Queue, promise: Promise) -> String {
    match &queue.promises[&promise] {
        Fact::Unknown(reason) => reason.next_step.clone(),
        _ => String::new(),
    }
}

#[test]
fn one_implementation_is_followed() {
    let queue = behind_interface("interface-one", DIRECT);
    assert_eq!(open(&queue), Vec::<String>::new());
}

#[test]
fn of_two_implementations_each_is_read_and_the_worse_told() {
    let queue = behind_interface("interface-two", &format!("{DIRECT}{APART}"));
    let joins = told(&queue, Promise::HandlerJoinsAttempt);
    assert!(joins.starts_with("broken worker.go:"), "{joins}");
    assert!(
        joins.contains("so of the dispatcher at worker.go:"),
        "{joins}"
    );
    assert_eq!(open(&queue).len(), 1, "{:?}", open(&queue));
    let claim = told(&queue, Promise::AtomicClaim);
    assert!(
        claim.contains("so of each of the 2 dispatchers: worker.go:"),
        "{claim}"
    );
}

#[test]
fn without_an_implementation_the_call_is_named() {
    let queue = behind_interface("interface-none", "");
    assert!(queue.dispatcher.is_none());
    for promise in Promise::ALL {
        let told = told(&queue, promise);
        assert!(
            told.starts_with("unknown worker.go:"),
            "{promise:?}: {told}"
        );
        assert!(
            told.contains("of which the tree shows no implementation"),
            "{told}"
        );
        assert!(!next_step(&queue, promise).is_empty());
    }
}

#[test]
fn more_implementations_than_are_followed_are_unknown() {
    let many: String = (0..5)
        .map(|number| DIRECT.replace("direct", &format!("direct{number}")))
        .collect();
    let queue = behind_interface("interface-many", &many);
    for promise in Promise::ALL {
        let told = told(&queue, promise);
        assert!(
            told.starts_with("unknown worker.go:"),
            "{promise:?}: {told}"
        );
    }
}

#[test]
fn handlers_may_be_objects_in_a_table() {
    let queue = changed(
        "objects",
        &[
            (
                "type Handler func(ctx context.Context, payload any) error",
                "type Handler interface {\n\tHandle(ctx context.Context, payload any) error\n}",
            ),
            (
                "handler(ctx, payload); err",
                "handler.Handle(ctx, payload); err",
            ),
        ],
    );
    assert_eq!(open(&queue), Vec::<String>::new());
}

#[test]
fn the_worker_may_run_what_it_keeps_itself() {
    let queue = changed(
        "inline",
        &[
            (
                "\tonce sync.Once\n",
                "\tonce sync.Once\n\thandlers map[string][]Handler\n",
            ),
            (
                "if err := s.bus.Publish(inject(ctx, tx), e.kind, e.payload); err != nil {",
                "var err error\n\t\tfor _, handler := range s.handlers[e.kind] {\n\
                 \t\t\tif err = handler(inject(ctx, tx), e.payload); err != nil {\n\t\t\t\tbreak\n\t\t\t}\n\t\t}\n\
                 \t\tif err != nil {",
            ),
            (
                "func (s *Service) pull(",
                "// On adds a handler.\nfunc (s *Service) On(kind string, handler Handler) {\n\
                 \ts.handlers[kind] = append(s.handlers[kind], handler)\n}\n\nfunc (s *Service) pull(",
            ),
        ],
    );
    assert!(queue.dispatcher.is_some());
    assert_eq!(word(&queue.promises[&Promise::AtomicClaim]), "kept");
    let joins = told(&queue, Promise::HandlerJoinsAttempt);
    assert!(joins.starts_with("kept"), "{joins}");
}

#[test]
fn where_there_is_no_dispatcher_it_is_said_what_was_looked_for() {
    let queue = changed("no-hand-off", &[(HAND, "error(nil)")]);
    let told = told(&queue, Promise::AtomicClaim);
    assert!(told.starts_with("unknown worker.go:"), "{told}");
    assert!(
        told.contains("a statement on _System_OutboxEvent"),
        "{told}"
    );
    assert!(
        told.contains("a statement was found at worker.go:"),
        "{told}"
    );
}

/// A second dispatcher, which claims nothing.
pub(super) const SECOND: &str = "// Drain hands on without a claim.
func (s *Service) Drain(ctx context.Context) error {
	found, err := s.candidates(ctx)
	for _, e := range found {
		err = s.bus.Publish(ctx, e.kind, e.payload)
	}
	return err
}

type txKey struct{}";

#[test]
fn each_of_several_dispatchers_is_told_and_none_hides_another() {
    let queue = changed("several", &[(END, SECOND)]);
    for (promise, word) in [
        (Promise::AtomicClaim, "broken"),
        (Promise::Heartbeat, "broken"),
        (Promise::SavepointOnError, "broken"),
        (Promise::SelectsReady, "kept"),
    ] {
        let told = told(&queue, promise);
        assert!(told.starts_with(word), "{promise:?}: {told}");
        let named = match word {
            "kept" => "so of each of the 2 dispatchers: worker.go:",
            _ => "so of the dispatcher at worker.go:",
        };
        assert!(told.contains(named), "{promise:?}: {told}");
    }
}

#[test]
fn a_text_that_is_built_at_run_time_is_told_where_it_is_built() {
    const CLAIM: &str = "\tresult, err := s.db.ExecContext(ctx, `UPDATE _System_OutboxEvent SET Status = 'processing', LastModifiedDate = NOW(6)\n\
        \t\tWHERE Id = ? AND (Status = 'pending' OR (Status = 'processing' AND LastModifiedDate < NOW(6) - INTERVAL 120 SECOND))`, id)";
    const BUILT: &str = "\tstatement := \"UPDATE _System_OutboxEvent SET Status = 'processing' WHERE Id = ? AND \" + os.Args[1]\n\
        \tresult, err := s.db.ExecContext(ctx, statement, id)";
    let queue = changed("built-before", &[(CLAIM, BUILT)]);
    let file =
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("queue/built-before/worker.go");
    let text = std::fs::read_to_string(file).expect("it was written");
    let mut lines = text.lines();
    let line = 1 + lines
        .position(|line| line.contains("statement :="))
        .expect("the line is there");
    let told = told(&queue, Promise::AtomicClaim);
    assert!(
        told.starts_with(&format!("unknown worker.go:{line}:")),
        "{told}"
    );
    assert!(!next_step(&queue, Promise::AtomicClaim).is_empty());
}
