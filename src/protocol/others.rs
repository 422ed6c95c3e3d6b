//! The transitions of those who are no workers: the producer, time and the rescuer.

use super::act::Act;
use super::state::{Producer, State, Status};
use super::step::{Next, View};
use crate::model::queue::Promise;

impl View<'_> {
    pub(super) fn producer(&self, into: &mut Vec<Next>) {
        let mut push = |act, change: &dyn Fn(&mut State)| {
            let mut state = *self.state;
            change(&mut state);
            into.push(Next {
                act,
                state,
                harm: None,
            });
        };
        match self.state.producer {
            Producer::Before => push(Act::Save, &|state| state.producer = Producer::Saved),
            Producer::Saved => {
                push(Act::Enqueue, &|state| {
                    state.producer = Producer::Done;
                    state.events[1].status = Status::Pending;
                });
                if self.state.crashes > 0 {
                    push(Act::ProducerCrashes, &|state| {
                        state.producer = Producer::Gone;
                        state.crashes -= 1;
                    });
                }
            }
            Producer::Done | Producer::Gone => {}
        }
    }

    pub(super) fn time(&self, into: &mut Vec<Next>) {
        let in_time = [
            Promise::Heartbeat,
            Promise::CutoffOutlastsHeartbeats,
            Promise::DatabaseTime,
        ];
        let in_time = in_time.iter().all(|promise| self.keeps(*promise));
        for number in 0..self.protocol.limits.events {
            let event = &self.state.events[usize::from(number)];
            let mut state = *self.state;
            let after = &mut state.events[usize::from(number)];
            let act = if event.status == Status::Processing && !event.stale {
                let mut workers = self.state.workers.iter();
                let beats = workers.any(|it| it.event == number && self.moves_heartbeat(it));
                if beats && in_time {
                    None
                } else {
                    after.stale = true;
                    // The row has one stamp, and the stale cutoff is the longer one.
                    after.recent = false;
                    Some(Act::GoStale(number))
                }
            } else {
                None
            };
            if let Some(act) = act {
                into.push(Next {
                    act,
                    state,
                    harm: None,
                });
            }
            if event.recent {
                let mut state = *self.state;
                state.events[usize::from(number)].recent = false;
                into.push(Next {
                    act: Act::PassRetryCutoff(number),
                    state,
                    harm: None,
                });
            }
        }
    }

    pub(super) fn rescuer(&self, into: &mut Vec<Next>) {
        const DONE: u8 = 7;
        let mut state = *self.state;
        match self.state.rescuer {
            0 => {
                for number in 0..self.protocol.limits.events {
                    let event = &self.state.events[usize::from(number)];
                    if event.status == Status::Processing && event.stale {
                        state.rescuer = number + 1;
                        into.push(Next {
                            act: Act::RescuerReads(number),
                            state,
                            harm: None,
                        });
                    }
                }
            }
            DONE => {}
            read => {
                let number = read - 1;
                let event = &mut state.events[usize::from(number)];
                let is_as_read = event.status == Status::Processing && event.stale;
                if is_as_read || !self.keeps(Promise::RescuerComparesFirst) {
                    event.status = Status::Pending;
                    event.stale = false;
                    // Every update stamps the row, and the retry cutoff asks the stamp.
                    event.recent = true;
                }
                state.rescuer = DONE;
                if !self.row_is_locked(u8::MAX, number) {
                    into.push(Next {
                        act: Act::RescuerWrites(number),
                        state,
                        harm: None,
                    });
                }
            }
        }
    }
}
