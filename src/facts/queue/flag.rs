//! The flag that chooses the workers: it is read, it chooses all of them, and it means the same wherever
//! it is read.

use crate::facts::source::trace::{FlagRead, Inside, Trace, is_off};
use crate::model::evidence::Why;
use crate::model::place::Place;

use super::answer::{Answer, broken, kept, reason, unknown};
use super::attempt::Read;
use super::under_flag;

/// What is known of the flag.
#[derive(Debug)]
pub(super) struct Guard<'q> {
    /// Its name.
    pub(super) flag: Option<&'q str>,
    /// True if it chooses a dispatcher.
    pub(super) chosen: bool,
    /// Dispatchers that it does not choose, beside those that it does.
    pub(super) free: &'q [&'q Place],
}

impl Guard<'_> {
    /// Whether it chooses the workers.
    pub(super) fn answer(&self, trace: &Trace, steps: &[Read<'_>], dispatcher: &Place) -> Answer {
        let Some(flag) = self.flag else {
            return reason(
                Why::NotGiven,
                Some(dispatcher.clone()),
                "no flag is named in the configuration",
                "name it: gate.flag",
            );
        };
        if let Some((set, not)) = differ(trace) {
            return broken(
                set,
                format!(
                    "{flag} is read twice: where it is missing it counts as set here, and as not set at \
                     {not}"
                ),
            );
        }
        if !self.chosen {
            return match trace.flag_read.first() {
                None => broken(
                    dispatcher,
                    format!(
                        "nothing in the tree reads {flag}: the workers run as they are, whatever it says"
                    ),
                ),
                Some(read) => unknown(
                    &read.place,
                    format!(
                        "{flag} is read here, and what it chooses was not found on the way to the \
                         workers, which hand events on at {dispatcher}"
                    ),
                    "let one condition on the flag stand where the workers are started",
                ),
            };
        }
        let place = chooses(trace, steps).unwrap_or(dispatcher);
        match self.free.first() {
            Some(free) => broken(
                free,
                format!(
                    "events are handed on here whatever {flag} says, beside the workers that it chooses \
                     at {place}"
                ),
            ),
            None => kept(place, format!("{flag} chooses the pull workers")),
        }
    }
}

/// Where the flag chooses.
fn chooses<'t>(trace: &'t Trace, steps: &[Read<'_>]) -> Option<&'t Place> {
    let mut chosen = steps
        .iter()
        .filter(|read| under_flag(trace, read.step) == Some(true));
    chosen.find_map(|read| {
        read.step.within.iter().find_map(|inside| {
            let (Inside::Then(at) | Inside::Else(at)) = inside else {
                return None;
            };
            let branch = trace.branches.get(*at)?;
            branch.flag?;
            branch.place.as_ref()
        })
    })
}

/// Two places that do not agree on a flag that is missing: where it counts as set, and where not.
fn differ(trace: &Trace) -> Option<(&Place, &Place)> {
    let defaults = |read: &FlagRead| read.default.as_deref().map(|text: &str| !is_off(text));
    let reads = &trace.flag_read;
    let given: Vec<(bool, &Place)> = match reads.iter().any(|read| read.default.is_some()) {
        true => reads
            .iter()
            .map(|read| (defaults(read).unwrap_or(false), &read.place))
            .collect(),
        false => trace
            .branches
            .iter()
            .filter_map(|branch| Some((branch.missing?, branch.place.as_ref()?)))
            .collect(),
    };
    let find = |wanted: bool| {
        given
            .iter()
            .find(|(is, _)| *is == wanted)
            .map(|(_, place)| *place)
    };
    Some((find(true)?, find(false)?))
}
