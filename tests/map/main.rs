//! The consumer map of small source trees. Their own comments say what has to be found, line by
//! line, so that a line number is judged by the text that stands on it:
//!
//! - `//~ consumer HANDLER on EVENT` on the line of the handler's name;
//! - `//~ registers HANDLER on EVENT` on the line of the subscribing call;
//! - `//~ KIND TARGET of HANDLER` on the line of an effect; `, low` or `, medium` says how sure;
//! - `//~ draws SOURCE LINE of KIND TARGET` on the line of an effect: what differs between deliveries;
//! - `//~ guard KIND WORTH LINE of KIND TARGET, before, together` on the line of an effect: `before` if
//!   it dominates the effect, `together` if both are committed together;
//! - `//~ note KIND LINE of KIND TARGET` and `//~ key SOURCE LINE of KIND TARGET` on that line;
//! - `//~ library NAME of HANDLER` on the line of the handler: a library that no rule describes;
//! - `//~ lost CALL of HANDLER` on the line of a call that cannot be followed.
//!
//! What is not said must not be found.

mod documents;
mod marks;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use outbox_audit::facts;
use outbox_audit::input::files::Limits;
use outbox_audit::input::source::{self, Wanted};
use outbox_audit::model::map::{ConsumerMap, Sureness};
use outbox_audit::model::place::Place;
use outbox_audit::rules;

use marks::Mark;

fn fixtures(language: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/source");
    let folder = folder.join(language);
    let entries = std::fs::read_dir(&folder).expect("the fixtures are there");
    let mut cases: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .collect();
    cases.sort();
    cases
}

fn mapped(case: &Path) -> ConsumerMap {
    let rules = rules::load(&rules::builtin_names(), &[]).expect("the packs load");
    let tree = source::read(
        &[case.to_owned()],
        case,
        &Limits::default(),
        &Wanted::Product,
    );
    assert_eq!(tree.gaps, [], "{}", case.display());
    let broken: Vec<_> = tree
        .files
        .iter()
        .filter(|file| !file.unparsed.is_empty())
        .collect();
    assert!(broken.is_empty(), "{} does not parse", case.display());
    facts::source::map(&tree, &rules)
}

fn at(place: &Place) -> (String, u32) {
    let span = place.span().expect("a place in a text");
    (span.file.to_string(), span.start.line)
}

fn found(map: &ConsumerMap) -> BTreeSet<Mark> {
    let mut marks = BTreeSet::new();
    for consumer in &map.consumers {
        let who = &consumer.handler;
        let event = consumer.event.as_deref().unwrap_or("?");
        let doubt = sure(consumer.sureness);
        marks.insert(Mark::new(
            at(&consumer.handler_at),
            format!("consumer {who} on {event}{doubt}"),
        ));
        marks.insert(Mark::new(
            at(&consumer.registered_at),
            format!("registers {who} on {event}"),
        ));
        for library in &consumer.libraries {
            let says = format!("library {library} of {who}");
            marks.insert(Mark::new(at(&consumer.handler_at), says));
        }
        for effect in &consumer.effects {
            let doubt = sure(effect.sureness);
            let says = format!("{} {} of {who}{doubt}", effect.kind.word(), effect.target);
            marks.insert(Mark::new(at(&effect.place), says));
            let of = format!("{} {}", effect.kind.word(), effect.target);
            for guard in &effect.guards {
                let before = if guard.dominates { ", before" } else { "" };
                let together = if guard.same_transaction {
                    ", together"
                } else {
                    ""
                };
                let (kind, worth, line) =
                    (guard.kind.word(), guard.worth.word(), at(&guard.place).1);
                let says = format!("guard {kind} {worth} {line} of {of}{before}{together}");
                marks.insert(Mark::new(at(&effect.place), says));
            }
            for note in &effect.notes {
                let says = format!("note {} {} of {of}", note.kind.word(), at(&note.place).1);
                marks.insert(Mark::new(at(&effect.place), says));
            }
            if let Some(key) = &effect.key {
                let says = format!("key {} {} of {of}", key.from.word(), at(&key.place).1);
                marks.insert(Mark::new(at(&effect.place), says));
            }
            for draw in &effect.draws {
                let (source, line) = (draw.source.word(), at(&draw.place).1);
                let what = format!("{} {}", effect.kind.word(), effect.target);
                let says = format!("draws {source} {line} of {what}");
                marks.insert(Mark::new(at(&effect.place), says));
            }
        }
    }
    for lost in &map.unresolved {
        let mut consumers = map.consumers.iter();
        let whose = consumers
            .find(|consumer| consumer.id == lost.consumer)
            .expect("a call of a consumer");
        let says = format!("lost {} of {}", lost.call, whose.handler);
        marks.insert(Mark::new(at(&lost.place), says));
    }
    marks
}

fn sure(sureness: Sureness) -> &'static str {
    match sureness {
        Sureness::High => "",
        Sureness::Medium => ", medium",
        Sureness::Low => ", low",
    }
}

fn judge(language: &str) {
    let mut wrong = String::new();
    let cases = fixtures(language);
    assert!(!cases.is_empty(), "no fixture of {language}");
    for case in cases {
        let said = marks::of(&case);
        let found = found(&mapped(&case));
        for mark in said.difference(&found) {
            wrong.push_str(&format!("{}: not found: {mark}\n", case.display()));
        }
        for mark in found.difference(&said) {
            wrong.push_str(&format!("{}: found, not said: {mark}\n", case.display()));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn go() {
    judge("go");
}

#[test]
fn python() {
    judge("python");
}

#[test]
fn rust() {
    judge("rust");
}

/// The calls between handler and effect are those of the text, each where it stands.
#[test]
fn a_path_names_every_call() {
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/source/go/in-process-bus");
    let map = mapped(&case);
    let consumer = map.consumers.first().expect("a consumer");
    let effect = consumer.effects.first().expect("an effect");
    let text = std::fs::read_to_string(case.join("shop.go")).expect("the fixture");
    let lines: Vec<&str> = text.lines().collect();
    let hops: Vec<&str> = effect
        .path
        .iter()
        .map(|hop| lines[at(&hop.place).1 as usize - 1].trim())
        .collect();
    let wanted = ["return s.place(ctx, e)", "return s.store.Save(ctx, e.ID)"];
    assert_eq!(hops, wanted);
}

/// A call in a part that does not parse would not be seen, so the map says where that part is.
#[test]
fn parts_that_are_not_read_are_told() {
    use outbox_audit::model::source::{Language, SourceTree};
    let rules = rules::load(&rules::builtin_names(), &[]).expect("the packs load");
    let gaps = |text: &str| {
        let files = source::parse(Language::Go, text).expect("files");
        let tree = SourceTree {
            files,
            ..SourceTree::default()
        };
        facts::source::map(&tree, &rules).gaps
    };
    assert_eq!(gaps("package p\nfunc f() {}\n"), []);
    let told = gaps("package p\nfunc f() {}\nfunc g( { ) ]] }\n");
    let [told] = &told[..] else {
        panic!("one gap: {told:?}");
    };
    assert!(told.place.is_some(), "{told:?}");
}

/// Methods that share one name are looked at once for each call: four times as many take about four
/// times as long, and not sixteen times.
#[test]
fn methods_of_one_name_cost_each_the_same() {
    use outbox_audit::model::source::{Language, SourceTree};
    use std::fmt::Write;
    use std::time::{Duration, Instant};
    let rules = rules::load(&rules::builtin_names(), &[]).expect("the packs load");
    let took = |count: usize| {
        let mut text = String::from(
            "package p\nimport (\n\"context\"\n\"database/sql\"\n\"github.com/hibiken/asynq\"\n)\n\
             type saver interface { Save(x any) error }\ntype svc struct { s saver }\n",
        );
        for at in 0..count {
            let _ = writeln!(
                text,
                "type T{at} struct {{ db *sql.DB }}\nfunc (t *T{at}) Save(x any) error {{ _, err := t.db.Exec(\"DELETE FROM t{at}\"); return err }}"
            );
        }
        text.push_str("func (s *svc) h(ctx context.Context, t *asynq.Task) error {\n");
        text.push_str(&"s.s.Save(t)\n".repeat(60));
        text.push_str(
            "return nil }\nfunc r(m *asynq.ServeMux, s *svc) { m.HandleFunc(\"a\", s.h) }\n",
        );
        let files = source::parse(Language::Go, &text).expect("files");
        let tree = SourceTree {
            files,
            ..SourceTree::default()
        };
        let once = || {
            let started = Instant::now();
            let map = facts::source::map(&tree, &rules);
            assert_eq!(map.consumers.len(), 1);
            assert_eq!(map.consumers[0].effects.len(), count);
            started.elapsed()
        };
        once().min(once())
    };
    let (few, many) = (took(400), took(1_600));
    assert!(many < few * 12 + Duration::from_secs(1), "{few:?} {many:?}");
}
