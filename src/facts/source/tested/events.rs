//! What happens in a test, and what that shows: how often one event comes to the consumer, and how.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::source::program::FnId;
use crate::model::place::Place;
use crate::model::tests::Grade;

/// A loop around something: its number, and how often it surely runs.
pub(super) type Round = (usize, usize);

/// What happens in a test.
#[derive(Debug)]
pub(super) enum Event {
    /// The consumers are subscribed.
    Subscribed,
    /// An event is handed to the consumer.
    Delivered(Delivered),
    /// A type of the tests takes the event.
    StandIn(Place),
    /// Something is put in place of the consumer.
    Replaced(Place),
    /// What was launched has ended: these, or all of it.
    Joined {
        /// Numbers of what was launched; none for all.
        launches: Option<BTreeSet<usize>>,
        /// The loops around.
        loops: Vec<Round>,
    },
    /// Something is compared.
    Asserted(Place),
    /// The rest is left out.
    Skipped(Place),
}

/// A delivery.
#[derive(Debug)]
pub(super) struct Delivered {
    /// What is handed over, as written, with what the helpers around it are given.
    pub(super) event: String,
    /// The loops around that hand over the same.
    pub(super) loops: Vec<Round>,
    /// The call.
    pub(super) place: Place,
    /// The handlers that the call runs; none where it goes by a bus.
    pub(super) to: Option<BTreeSet<FnId>>,
    /// The number of what was launched, where it runs beside the test.
    pub(super) launch: Option<usize>,
    /// True if the test demands that it fails.
    pub(super) fails: bool,
}

/// What a test shows.
#[derive(Debug)]
pub(super) struct Shown {
    /// The last delivery that counts.
    pub(super) delivered: Place,
    /// The comparison behind it.
    pub(super) asserted: Place,
    /// How the event is delivered again.
    pub(super) grades: BTreeSet<Grade>,
    /// Why it is not shown in another way.
    pub(super) not: BTreeMap<Grade, String>,
    /// The handlers that the event comes to; none where it goes by a bus.
    pub(super) to: Option<BTreeSet<FnId>>,
}

/// One event on its way through a test.
#[derive(Debug, Default)]
struct Course<'e> {
    /// Complete deliveries so far.
    complete: usize,
    /// Deliveries that were made to fail.
    cut: usize,
    /// What runs beside the test now.
    beside: Vec<&'e Delivered>,
    /// Where the grades were reached.
    reached: BTreeMap<Grade, (usize, &'e Place)>,
    to: Option<BTreeSet<FnId>>,
}

impl<'e> Course<'e> {
    fn reach(&mut self, grade: Grade, at: usize, place: &'e Place) {
        self.reached.entry(grade).or_insert((at, place));
    }

    fn complete(&mut self, times: usize, at: usize, place: &'e Place) {
        self.complete = self.complete.saturating_add(times);
        if self.complete >= 2 {
            self.reach(Grade::Sequential, at, place);
        }
        if self.cut > 0 {
            self.reach(Grade::AfterPrefix, at, place);
        }
    }

    /// Ends what runs beside, where the test waits for it.
    fn join(&mut self, launches: Option<&BTreeSet<usize>>, loops: &[Round], at: usize) {
        // A wait in the same round as the launch ends each before the next begins.
        let own = |one: &Delivered| {
            let outer: BTreeSet<usize> = loops.iter().map(|(number, _)| *number).collect();
            let free = one
                .loops
                .iter()
                .filter(|(number, _)| !outer.contains(number));
            product(free)
        };
        let together = self.beside.iter().fold(0, |sum: usize, one| {
            sum.saturating_add(if one.fails { 0 } else { own(one) })
        });
        let is_over = |one: &&Delivered| {
            launches.is_none_or(|all| one.launch.is_some_and(|launch| all.contains(&launch)))
        };
        let (over, rest): (Vec<_>, Vec<_>) = self.beside.drain(..).partition(is_over);
        self.beside = rest;
        for one in over {
            if together >= 2 {
                self.reach(Grade::Concurrent, at, &one.place);
            }
            if one.fails {
                self.cut += 1;
            } else {
                self.complete(product(one.loops.iter()), at, &one.place);
            }
        }
    }
}

fn product<'r>(loops: impl Iterator<Item = &'r Round>) -> usize {
    loops.fold(1, |all, (_, rounds)| all.saturating_mul(*rounds))
}

/// What the events of a test show; or what is missing.
pub(super) fn judged(events: &[Event]) -> Result<Shown, String> {
    let mut courses: BTreeMap<&str, Course<'_>> = BTreeMap::new();
    let mut subscribed = false;
    let mut asserted: Option<(usize, &Place)> = None;
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Skipped(place) => return Err(format!("it skips at {place}")),
            Event::Replaced(place) => {
                return Err(format!(
                    "it puts something in place of the consumer at {place}"
                ));
            }
            Event::Subscribed => subscribed = true,
            Event::Delivered(one) => {
                if one.to.is_none() && !subscribed {
                    let place = &one.place;
                    return Err(format!(
                        "the consumer is not subscribed where it publishes at {place}"
                    ));
                }
                deliver(courses.entry(&one.event).or_default(), one, at);
            }
            Event::Joined { launches, loops } => {
                for course in courses.values_mut() {
                    course.join(launches.as_ref(), loops, at);
                }
            }
            Event::Asserted(place) => asserted = Some((at, place)),
            Event::StandIn(_) => {}
        }
    }
    let shown = courses
        .values()
        .filter_map(|course| shown(course, asserted))
        .max_by_key(|shown| shown.grades.last().copied());
    shown.ok_or_else(|| missing(events, &courses))
}

fn deliver<'e>(course: &mut Course<'e>, one: &'e Delivered, at: usize) {
    match (&mut course.to, &one.to) {
        (Some(all), Some(to)) => all.extend(to),
        (all @ None, to) => all.clone_from(to),
        (Some(_), None) => {}
    }
    if one.launch.is_some() {
        course.beside.push(one);
        return;
    }
    if one.fails {
        course.cut += 1;
        return;
    }
    if course.beside.iter().any(|other| !other.fails) {
        course.reach(Grade::Concurrent, at, &one.place);
    }
    course.complete(product(one.loops.iter()), at, &one.place);
}

/// The grades that something is compared behind.
fn shown(course: &Course<'_>, asserted: Option<(usize, &Place)>) -> Option<Shown> {
    let (end, asserted) = asserted?;
    let reached = course.reached.iter().filter(|(_, (at, _))| *at < end);
    let reached: BTreeMap<Grade, &Place> = reached
        .map(|(grade, (_, place))| (*grade, *place))
        .collect();
    let (_, delivered) = reached.last_key_value()?;
    let mut not = BTreeMap::new();
    if !reached.contains_key(&Grade::Concurrent) {
        not.insert(
            Grade::Concurrent,
            "no two deliveries of it are launched beside each other and waited for".to_owned(),
        );
    }
    if !reached.contains_key(&Grade::AfterPrefix) {
        not.insert(
            Grade::AfterPrefix,
            "no delivery of it is made to fail before a complete one".to_owned(),
        );
    }
    Some(Shown {
        delivered: (*delivered).clone(),
        asserted: asserted.clone(),
        grades: reached.into_keys().collect(),
        not,
        to: course.to.clone(),
    })
}

fn missing(events: &[Event], courses: &BTreeMap<&str, Course<'_>>) -> String {
    let twice = courses
        .values()
        .find_map(|course| course.reached.values().next());
    if let Some((_, place)) = twice {
        return format!("it asserts nothing after the second delivery at {place}");
    }
    let left = courses.values().find_map(|course| course.beside.first());
    if let Some(one) = left {
        return format!(
            "nothing waits for the delivery that is launched at {}",
            one.place
        );
    }
    if !courses.is_empty() {
        return "it delivers no event twice".to_owned();
    }
    let stand_in = events.iter().find_map(|event| match event {
        Event::StandIn(place) => Some(place),
        _ => None,
    });
    match stand_in {
        Some(place) => {
            format!("it hands the event to a type of the tests at {place}, and not to the consumer")
        }
        None => "nothing in it hands an event to the consumer itself".to_owned(),
    }
}
