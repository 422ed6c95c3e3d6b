//! The theorem, tried: every schedule of a safe effect leaves what one complete run leaves; for
//! every blocked effect some schedule does not.

use std::collections::{BTreeMap, BTreeSet};

use outbox_audit::model::effect::{Class, EffectKind};

use super::case::{Case, another, state};
use super::compare::{
    Lens, Others, View, assigned, failures, is_done, makes_rows, rows_touched, was_cut,
};
use super::platform::World;
use super::schedule::{Ending, Once, Scene, Schedule, State};
use super::system::System;
use super::tally::Tally;
use super::verdict::{Judged, Judgement, Verdict, judge};

/// States per flow.
const STATES: u64 = 7;

/// What is found about a case; the error names the effect, the state and the schedule.
pub(crate) fn examine(case: &Case, tally: &mut Tally) -> Result<(), String> {
    let verdict = judge(&case.metadata, &case.tables);
    let system = System::new(&case.metadata, &case.tables);
    let mut open: BTreeSet<&str> = verdict
        .effects
        .iter()
        .filter(|effect| effect.judgement == Judgement::Blocked)
        .filter(|effect| effect.failed != ["non-converging-cycle"])
        .map(|effect| effect.id.as_str())
        .collect();
    let may_delete = !verdict.effects.iter().any(|effect| effect.lapses);
    for flow in &system.flows {
        if !flow.trigger.starts_with("after") {
            continue;
        }
        let effects: Vec<&Judged> = verdict
            .effects
            .iter()
            .filter(|effect| {
                effect.judgement != Judgement::Off && effect.run_by.contains(&flow.name)
            })
            .collect();
        for seed in 0..STATES {
            let made = state(case, &flow.object, &flow.trigger, seed, may_delete);
            let Some(state) = made else { break };
            for strict in [false, true] {
                let scene = Scene {
                    system: &system,
                    state: &state,
                    flow: &flow.name,
                    strict,
                };
                let trial = Trial {
                    verdict: &verdict,
                    scene,
                };
                let wanted: Vec<&Judged> = effects
                    .iter()
                    .copied()
                    .filter(|effect| {
                        open.contains(effect.id.as_str())
                            || (!strict && effect.judgement == Judgement::Safe)
                    })
                    .collect();
                if !wanted.is_empty() {
                    trial.run(&wanted, &mut open, tally)?;
                }
            }
        }
    }
    for effect in &verdict.effects {
        tally.judged(effect);
        if open.contains(effect.id.as_str()) {
            if tally.lenient {
                tally.unshown += 1;
                continue;
            }
            return Err(format!(
                "{} is blocked by {:?}, and no schedule shows a difference",
                effect.id, effect.failed
            ));
        }
    }
    super::cycles::examine(case, &verdict, &system, tally)
}

struct Trial<'a> {
    verdict: &'a Verdict,
    scene: Scene<'a>,
}

impl Trial<'_> {
    fn run(
        &self,
        effects: &[&Judged],
        open: &mut BTreeSet<&str>,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let mut yardsticks = Yardsticks::default();
        for schedule in schedules(self.scene.length()) {
            let world = self.scene.run(&schedule);
            tally.schedules += 1;
            for effect in effects {
                if effect.judgement == Judgement::Safe {
                    self.holds(effect, &schedule, &world, &mut yardsticks, tally)?;
                } else if open.contains(effect.id.as_str())
                    && self.differs(effect, &schedule, &world, &mut yardsticks)
                {
                    open.remove(effect.id.as_str());
                    tally.witnessed(effect);
                }
            }
        }
        for effect in effects {
            if open.contains(effect.id.as_str()) && self.swallows(effect) {
                open.remove(effect.id.as_str());
                tally.witnessed(effect);
            }
        }
        Ok(())
    }

    fn lens<'e>(&'e self, effect: &'e Judged, schedule: &Schedule) -> Lens<'e> {
        let others = match schedule {
            Schedule::Sequence(_) | Schedule::Soon(_) => Others::Unsafe,
            Schedule::Beside { .. } => Others::OfTheRun,
            Schedule::Cascaded => Others::Everywhere,
        };
        Lens::new(effect, &self.verdict.effects, self.scene.flow, others)
    }

    /// A safe effect: what is left is what one complete run leaves.
    fn holds(
        &self,
        effect: &Judged,
        schedule: &Schedule,
        world: &World,
        yardsticks: &mut Yardsticks,
        tally: &mut Tally,
    ) -> Result<(), String> {
        if was_cut(world, effect, &self.verdict.effects) {
            tally.cut += 1;
            return Ok(());
        }
        let lens = self.lens(effect, schedule);
        let touched = rows_touched(world, effect);
        let mut holds = false;
        let mut expected: Vec<View> = Vec::new();
        let points = points(schedule);
        let edits = edits(schedule);
        // A set from the event alone is decided by the last delivery; anything else may also be
        // left as an earlier one made it.
        let first = if effect.from_event { points - 1 } else { 0 };
        let mut fails_once = false;
        for point in first..points {
            for backwards in [false, true] {
                let once = Once {
                    point,
                    edits,
                    backwards,
                    cascaded: *schedule == Schedule::Cascaded,
                    soon: matches!(schedule, Schedule::Soon(_)),
                };
                let yardstick = yardsticks.of(&self.scene, effect, &lens, once, &touched);
                fails_once |= yardstick.fails;
                if yardstick.done {
                    tally.compared(effect);
                }
                holds |= yardstick.view == lens.view(world, &yardstick.touched);
                if !expected.contains(&yardstick.view) {
                    expected.push(yardstick.view.clone());
                }
            }
        }
        let failed = failures(world, effect);
        let harmed = !failed.is_empty() && !fails_once;
        if holds && !harmed {
            return Ok(());
        }
        let left = lens.view(world, &touched);
        Err(format!(
            "{} is judged safe ({}), and {schedule:?} leaves\n  {left:#?}\nwhere one run leaves one of\n  {expected:#?}\nfailures: {failed:?}\nstate: {:#?}",
            effect.id,
            effect.class.word(),
            self.scene.state
        ))
    }

    /// A blocked effect: this schedule shows why.
    fn differs(
        &self,
        effect: &Judged,
        schedule: &Schedule,
        world: &World,
        yardsticks: &mut Yardsticks,
    ) -> bool {
        let edits = edits(schedule);
        let once = Once {
            point: 0,
            edits,
            backwards: false,
            cascaded: *schedule == Schedule::Cascaded,
            soon: matches!(schedule, Schedule::Soon(_)),
        };
        let lens = self.lens(effect, schedule);
        let touched = rows_touched(world, effect);
        let yardstick = yardsticks.of(&self.scene, effect, &lens, once, &touched);
        let left = lens.view(world, &yardstick.touched);
        if effect.kind.is_external() {
            return yardstick.view != ["0 calls"] && yardstick.view < left;
        }
        if makes_rows(effect)
            && failures(world, effect)
                .iter()
                .any(|why| why.contains("Violated") || why.contains("Again"))
        {
            return true;
        }
        if yardstick.view != left {
            return true;
        }
        // Another value, another row, or nothing at the second delivery.
        let by_delivery = assigned(world, effect);
        let whole =
            matches!(schedule, Schedule::Sequence(parts) if parts.iter().all(Option::is_none));
        let mut values = (0..points(schedule)).map(|index| by_delivery.get(&index));
        let first = values.next().flatten();
        whole && !by_delivery.is_empty() && values.any(|other| other != first)
    }

    /// A key that no event varies: the second of two events leaves nothing.
    fn swallows(&self, effect: &Judged) -> bool {
        if !effect.failed.contains(&"constant-key") {
            return false;
        }
        let other = another(&self.scene.state.event);
        // Nothing stands in the table that the key could meet.
        let mut state = self.scene.state.clone();
        state.rows.retain(|(table, _)| *table != effect.table);
        let first = Scene {
            state: &state,
            ..self.scene
        };
        let second = Scene {
            state: &State {
                event: other.clone(),
                ..state.clone()
            },
            ..self.scene
        };
        let rows = |world: &World| {
            let rows = world.database.rows(&effect.table, 200);
            rows.filter(|(_, origin)| *origin == effect.site).count()
        };
        let once = Once {
            point: 0,
            edits: 0,
            backwards: false,
            cascaded: false,
            soon: false,
        };
        rows(&first.once(once)) + rows(&second.once(once)) > rows(&first.both(&other))
    }
}

/// What one effect leaves after one complete run.
struct Yardstick {
    view: View,
    /// The rows it was asked to look at, and those that it touches by itself.
    touched: BTreeSet<String>,
    done: bool,
    fails: bool,
}

/// The complete runs of one state, and what each effect leaves after each: made once.
#[derive(Default)]
struct Yardsticks {
    worlds: BTreeMap<Once, World>,
    views: BTreeMap<(String, Vec<String>, BTreeSet<String>, Once), Yardstick>,
}

impl Yardsticks {
    fn of(
        &mut self,
        scene: &Scene<'_>,
        effect: &Judged,
        lens: &Lens<'_>,
        once: Once,
        touched: &BTreeSet<String>,
    ) -> &Yardstick {
        let key = (effect.id.clone(), lens.fields(), touched.clone(), once);
        self.views.entry(key).or_insert_with(|| {
            let world = self.worlds.entry(once).or_insert_with(|| scene.once(once));
            let mut touched = touched.clone();
            touched.extend(rows_touched(world, effect));
            Yardstick {
                view: lens.view(world, &touched),
                touched,
                done: is_done(world, effect),
                fails: !failures(world, effect).is_empty(),
            }
        })
    }
}

fn points(schedule: &Schedule) -> usize {
    match schedule {
        Schedule::Sequence(parts) => parts.len(),
        Schedule::Soon(Some(_)) => 2,
        Schedule::Soon(None) => 1,
        Schedule::Beside { .. } | Schedule::Cascaded => 2,
    }
}

fn edits(schedule: &Schedule) -> usize {
    match schedule {
        Schedule::Sequence(parts) => parts.len() - 1,
        Schedule::Soon(_) | Schedule::Beside { .. } | Schedule::Cascaded => 0,
    }
}

/// The schedules of a run of so many statements: repeated, after every prefix, beside a stale
/// holder that stopped at any statement.
fn schedules(length: usize) -> Vec<Schedule> {
    let mut list = vec![
        Schedule::Sequence(vec![None, None]),
        Schedule::Sequence(vec![None, None, None]),
        Schedule::Soon(None),
        Schedule::Cascaded,
    ];
    for stop in 1..=length {
        list.push(Schedule::Sequence(vec![Some(stop), None]));
        let other = 1 + (stop * 2) % length.max(1);
        list.push(Schedule::Sequence(vec![Some(stop), Some(other), None]));
        list.push(Schedule::Soon(Some(stop)));
    }
    for first in 1..=length {
        for then in [Ending::Dies, Ending::EndsFirst, Ending::EndsLast] {
            let second = match first % 3 {
                0 => first,
                1 => length,
                _ => 1 + first % 2,
            };
            list.push(Schedule::Beside {
                first,
                second,
                then,
            });
        }
    }
    list
}

/// The word under which a safe effect is counted.
pub(crate) fn word(effect: &Judged) -> &'static str {
    match (effect.judgement, effect.kind, effect.class) {
        (Judgement::Off, ..) => "off",
        (Judgement::Unknown, ..) => "unknown",
        (Judgement::Safe, EffectKind::RecordSet, Class::Derived) => "safe derived",
        (Judgement::Safe, EffectKind::RecordSet, _) => "safe in memory",
        (Judgement::Safe, kind, _) if kind.is_create() => "safe create",
        (Judgement::Safe, ..) => "safe set",
        (_, EffectKind::RecordSet, _) => "blocked in memory",
        (_, kind, _) if kind.is_external() => "blocked external",
        (_, kind, _) if kind.is_create() => "blocked create",
        _ => "blocked set",
    }
}
