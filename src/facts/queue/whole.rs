//! Trees with several dispatchers, or with none.

use std::sync::Arc;

use crate::facts::source::trace::Trace;
use crate::model::evidence::{Evidence, Fact, Reason, Why};
use crate::model::outbox::OutboxNames;
use crate::model::place::Place;
use crate::model::queue::{Promise, Queue};

use super::answer::{Answer, reason};

/// Of one dispatcher among several: what is broken or not known names it.
pub(super) fn of_one(answer: Answer, dispatcher: &Place) -> Answer {
    match answer {
        Fact::Absent(seen) => Fact::Absent(Arc::new(Evidence {
            says: format!("{}; so of the dispatcher at {dispatcher}", seen.says).into(),
            ..Evidence::clone(&seen)
        })),
        Fact::Unknown(why) => Fact::Unknown(Arc::new(Reason {
            sentence: format!("{}; so of the dispatcher at {dispatcher}", why.sentence),
            ..Reason::clone(&why)
        })),
        Fact::Shown(..) => answer,
    }
}

/// Of all: what is kept is kept by each of them.
pub(super) fn of_all(answer: &mut Answer, dispatchers: &[&Place]) {
    if let Fact::Shown(how, seen) = answer {
        let places: Vec<String> = dispatchers.iter().map(|place| place.to_string()).collect();
        let says: Arc<str> = format!(
            "{how}; so of each of the {} dispatchers: {}",
            places.len(),
            places.join(", ")
        )
        .into();
        *answer = Fact::Shown(
            Arc::clone(&says),
            Arc::new(Evidence {
                says,
                ..Evidence::clone(seen)
            }),
        );
    }
}

/// A queue without a dispatcher: what was looked for, and how far it was found.
pub(super) fn no_dispatcher(trace: &Trace, outbox: &OutboxNames) -> Queue {
    let tables: Vec<&str> = outbox.tables.iter().map(|table| &**table).collect();
    let mut sentence = format!(
        "no function was found that takes rows of the outbox and hands them to handlers: looked for were \
         a statement on {}, and below the same function a call of a bus or a handler that the tree keeps, \
         or of a library that publishes",
        tables.join(" or ")
    );
    let place = match (trace.open_calls.first(), trace.elsewhere.first()) {
        (Some(call), _) => {
            sentence.push_str(&format!(
                "; the call at {call} is of an interface of which the tree shows no implementation, or \
                 too many to follow"
            ));
            Some(call)
        }
        (None, Some((_, statement))) => {
            sentence.push_str(&format!(
                "; a statement was found at {statement}, and no such call"
            ));
            Some(statement)
        }
        (None, None) => {
            sentence.push_str("; no statement was found");
            None
        }
    };
    let answer = reason(
        Why::NotResolved,
        place.cloned(),
        sentence,
        "name the folder with the workers, and what they hand events to, as source; and the outbox's \
         table in the configuration",
    );
    let all = Promise::ALL.into_iter();
    Queue {
        promises: all.map(|promise| (promise, answer.clone())).collect(),
        ..Queue::default()
    }
}
