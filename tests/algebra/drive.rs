//! Drives deliveries: one after another, or a statement at a time beside each other.

use std::cell::RefCell;
use std::future::Future;
use std::task::{Context, Poll, Waker};

use super::formulas::Moment;
use super::platform::{Delivery, World};
use super::system::System;

use super::schedule::{Scene, State};

/// Runs the queue from an event on, every flow taking part, for at most so many events; gives the
/// number that were handled, and whether any are left.
pub(crate) fn drain(system: &System, state: &State, most: usize) -> (usize, bool) {
    let scene = Scene {
        system,
        state,
        flow: "",
        strict: false,
    };
    let world = RefCell::new(scene.world());
    let mut next = Some(state.event.clone());
    let mut handled = 0;
    while let Some(event) = next {
        if handled == most {
            return (handled, true);
        }
        let worker = scene.worker(&world, 0, delivery_of(handled));
        drive(worker.deliver(&event, None));
        handled += 1;
        next = world.borrow_mut().database.next_event();
    }
    (handled, false)
}

/// Deliveries of different events: an hour apart, so that a month holds many.
pub(crate) fn delivery_of(index: usize) -> Delivery {
    Delivery {
        index,
        moment: Moment {
            hour: 24 + index as i64 % 600,
            salt: index as u64 + 1,
        },
        backwards: index % 2 == 1,
    }
}

/// One statement of the first holder; where it waits for a lock, one of the other instead.
pub(crate) fn turn<F: Future + Unpin>(
    world: &RefCell<World>,
    one: &mut Option<F>,
    other: &mut Option<F>,
) {
    world.borrow_mut().waiting = false;
    if let Some(run) = one
        && step(std::pin::Pin::new(run))
    {
        *one = None;
        return;
    }
    if world.borrow().waiting
        && let Some(run) = other
        && step(std::pin::Pin::new(run))
    {
        *other = None;
    }
}

/// Runs to the end; gives the number of statements.
pub(crate) fn drive(run: impl Future) -> usize {
    let mut run = Box::pin(run);
    let mut statements = 0;
    while !step(run.as_mut()) {
        statements += 1;
        assert!(
            statements < 10_000,
            "a run beside which nobody else runs waits for ever"
        );
    }
    statements
}

/// One statement; true at the end.
pub(crate) fn step(run: std::pin::Pin<&mut impl Future>) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    matches!(run.poll(&mut context), Poll::Ready(_))
}
