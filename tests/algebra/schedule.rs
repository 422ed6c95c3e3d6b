//! Schedules: prefixes of a run, a stale holder beside another, changes of the world in between.

use std::cell::RefCell;

use serde_json::{Value as Json, json};

use super::database::{Database, Event, Holder};
use super::drive::{delivery_of, drive, step, turn};
use super::formulas::Moment;
use super::platform::{Delivery, Worker, World};
use super::system::{COUNTERS, System};
use super::tables::Row;

/// What a delivery meets: rows, the event, and what users do between deliveries.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) event: Event,
    pub(crate) rows: Vec<(String, Row)>,
    /// Applied one after the other, two between every two deliveries.
    pub(crate) edits: Vec<Edit>,
}

/// What a user does.
#[derive(Debug, Clone)]
pub(crate) enum Edit {
    /// Saves new values of a row.
    Save {
        table: String,
        id: Json,
        values: Row,
    },
    /// Saves new values of every row that a flow has created in a table.
    Created { table: String, values: Row },
}

/// How one event is handled in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Schedule {
    /// One delivery after the other: the first ones stop after so many statements, or do not; the
    /// last one is complete.
    Sequence(Vec<Option<usize>>),
    /// The first holder does so many statements, then the second so many; then the first dies, or
    /// comes to its end, before or after the second.
    Beside {
        first: usize,
        second: usize,
        then: Ending,
    },
    /// Delivered twice within two hours, the first time perhaps only for so many statements.
    Soon(Option<usize>),
    /// Delivered twice, and each time the events that it enqueued are handled to the end.
    Cascaded,
}

/// What becomes of the stale holder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    Dies,
    EndsFirst,
    EndsLast,
}

/// One complete run at a point of time: the yardstick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Once {
    /// Which delivery it stands for; the edits before that one come before it.
    pub(crate) point: usize,
    /// How many there are in all.
    pub(crate) edits: usize,
    /// The order of assignments in memory.
    pub(crate) backwards: bool,
    /// Handle the events that it enqueued.
    pub(crate) cascaded: bool,
    /// Deliveries lie an hour apart and not a week.
    pub(crate) soon: bool,
}

/// At most so many events are handled behind a delivery.
const CASCADE: usize = 12;

const USER: Holder = 9;

/// The number of every delivery that is not one of the event in question.
pub(crate) const ELSEWHERE: usize = usize::MAX;

/// A delivery that lies a week behind the one before it.
fn delivery(index: usize) -> Delivery {
    Delivery {
        index,
        moment: Moment {
            hour: 24 + 24 * 7 * index as i64,
            salt: index as u64 + 1,
        },
        // Two deliveries may walk a map in different orders.
        backwards: index % 2 == 1,
    }
}

/// A system, a state and the flow that is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) system: &'a System,
    pub(crate) state: &'a State,
    pub(crate) flow: &'a str,
    pub(crate) strict: bool,
}

impl Scene<'_> {
    /// The world before the first delivery.
    pub(crate) fn world(&self) -> World {
        let mut database = Database::new(&self.system.tables);
        for (object, field) in &self.system.numbers {
            let id = format!("{object}.{field}");
            database.preset(
                COUNTERS,
                Row::from([
                    ("__sys_gen_id".to_owned(), json!(id)),
                    ("counter".to_owned(), json!(id)),
                    ("current".to_owned(), json!(0)),
                ]),
            );
        }
        for (table, row) in &self.state.rows {
            database.preset(table, row.clone());
        }
        World {
            database,
            trace: Vec::new(),
            waiting: false,
        }
    }

    pub(crate) fn worker<'w>(
        &'w self,
        world: &'w RefCell<World>,
        holder: Holder,
        delivery: Delivery,
    ) -> Worker<'w> {
        Worker {
            system: self.system,
            world,
            holder,
            delivery,
            strict: self.strict,
        }
    }

    /// The number of statements of an undisturbed run.
    pub(crate) fn length(&self) -> usize {
        let world = RefCell::new(self.world());
        let worker = self.worker(&world, 0, delivery(0));
        drive(worker.deliver(&self.state.event, Some(self.flow)))
    }

    /// One complete run, with the edits of a longer schedule around it.
    pub(crate) fn once(&self, once: Once) -> World {
        let world = RefCell::new(self.world());
        let before = once.point.min(once.edits);
        for at in 0..before {
            self.edit(&world, at);
        }
        let mut only = delivery(once.point);
        only.backwards = once.backwards;
        if once.soon {
            only.moment.hour = delivery(0).moment.hour + once.point as i64;
        }
        let worker = self.worker(&world, 0, only);
        drive(worker.deliver(&self.state.event, Some(self.flow)));
        for at in before..once.edits {
            self.edit(&world, at);
        }
        if once.cascaded {
            self.cascade(&world);
        }
        world.into_inner()
    }

    /// The world after a schedule.
    pub(crate) fn run(&self, schedule: &Schedule) -> World {
        let world = RefCell::new(self.world());
        match schedule {
            Schedule::Sequence(parts) => {
                for (index, part) in parts.iter().enumerate() {
                    if index > 0 {
                        self.edit(&world, index - 1);
                    }
                    let worker = self.worker(&world, 0, delivery(index));
                    self.part(&worker, *part);
                }
            }
            Schedule::Beside {
                first,
                second,
                then,
            } => self.beside(&world, *first, *second, *then),
            Schedule::Soon(first) => {
                self.part(&self.worker(&world, 0, delivery(0)), *first);
                let mut soon = delivery(1);
                soon.moment.hour = delivery(0).moment.hour + 1;
                self.part(&self.worker(&world, 0, soon), None);
            }
            Schedule::Cascaded => {
                for index in 0..2 {
                    let worker = self.worker(&world, 0, delivery(index));
                    self.part(&worker, None);
                    self.cascade(&world);
                }
            }
        }
        world.into_inner()
    }

    /// Two events, one after the other, each delivered once.
    pub(crate) fn both(&self, other: &Event) -> World {
        let world = RefCell::new(self.world());
        for event in [&self.state.event, other] {
            let worker = self.worker(&world, 0, delivery(0));
            drive(worker.deliver(event, Some(self.flow)));
        }
        world.into_inner()
    }

    /// Handles what a delivery enqueued; what it does counts as somebody else's delivery.
    fn cascade(&self, world: &RefCell<World>) {
        for at in 0..CASCADE {
            let next = world.borrow_mut().database.next_event();
            let Some(event) = next else { return };
            let later = Delivery {
                index: ELSEWHERE,
                ..delivery_of(24 * 22 + at)
            };
            let worker = self.worker(world, 0, later);
            drive(worker.deliver(&event, None));
        }
    }

    fn part(&self, worker: &Worker<'_>, statements: Option<usize>) {
        let run = worker.deliver(&self.state.event, Some(self.flow));
        match statements {
            None => {
                drive(run);
            }
            Some(statements) => {
                let mut run = Box::pin(run);
                for _ in 0..statements {
                    if step(run.as_mut()) {
                        return;
                    }
                }
                // The worker is gone, and its transaction with it.
                drop(run);
                worker.rollback();
            }
        }
    }

    fn beside(&self, world: &RefCell<World>, first: usize, second: usize, then: Ending) {
        let stale = self.worker(world, 0, delivery(0));
        let other = self.worker(world, 1, delivery(1));
        let event = &self.state.event;
        let mut one = Some(Box::pin(stale.deliver(event, Some(self.flow))));
        let mut two = Some(Box::pin(other.deliver(event, Some(self.flow))));
        for _ in 0..first {
            turn(world, &mut one, &mut two);
        }
        for _ in 0..second {
            turn(world, &mut two, &mut one);
        }
        match then {
            Ending::Dies => {
                one = None;
                stale.rollback();
            }
            Ending::EndsFirst => {
                while one.is_some() {
                    turn(world, &mut one, &mut two);
                }
            }
            Ending::EndsLast => {}
        }
        while two.is_some() {
            turn(world, &mut two, &mut one);
        }
        while one.is_some() {
            turn(world, &mut one, &mut two);
        }
    }

    /// What users do behind a delivery: two saves.
    fn edit(&self, world: &RefCell<World>, at: usize) {
        for edit in self.state.edits.iter().skip(2 * at).take(2) {
            self.save(world, at, edit);
        }
    }

    fn save(&self, world: &RefCell<World>, at: usize, edit: &Edit) {
        let mut saved = delivery(at);
        saved.moment.hour += 24;
        saved.moment.salt += 100;
        saved.index = ELSEWHERE;
        let worker = self.worker(world, USER, saved);
        let save = |table: &str, id: &Json, values: &Row| {
            // A save that the database refuses changes nothing.
            drive(async {
                if worker
                    .update("user", table, id, values.clone())
                    .await
                    .is_ok()
                {
                    worker.commit();
                } else {
                    worker.rollback();
                }
            });
        };
        match edit {
            Edit::Save { table, id, values } => save(table, id, values),
            Edit::Created { table, values } => {
                let created: Vec<Json> = world
                    .borrow()
                    .database
                    .rows(table, USER)
                    .filter(|(_, origin)| origin.starts_with("flow:"))
                    .map(|(row, _)| row["__sys_gen_id"].clone())
                    .collect();
                for id in created {
                    save(table, &id, values);
                }
            }
        }
    }
}
