//! What remains even where every obligation is met, each said once.

use crate::model::facts::Facts;

/// The residuals of the system, the queue and the guards.
pub(super) fn of(facts: &Facts) -> Vec<String> {
    let mut residuals: Vec<String> = facts
        .queue_residuals
        .iter()
        .chain(&facts.ambient)
        .map(ToString::to_string)
        .chain(takeover(facts))
        .collect();
    let mut lapsing: Vec<String> = facts
        .effects
        .iter()
        .filter(|effect| effect.is_asked())
        .filter_map(|effect| {
            let guard = effect.create.as_ref()?.guard()?;
            let why = guard.lapses.as_ref()?;
            Some(format!(
                "{} on {} guards only for a while: {why}.",
                guard.enforcer,
                effect.effect.target.name()
            ))
        })
        .collect();
    lapsing.sort();
    lapsing.dedup();
    residuals.extend(lapsing);
    if let Some(seconds) = facts.declarations.horizon_seconds {
        residuals.push(format!(
            "Redelivery later than the declared horizon of {} is not covered.",
            horizon_words(seconds)
        ));
    }
    residuals
}

/// What happens although every promise of the queue is kept, step by step.
fn takeover(facts: &Facts) -> Option<String> {
    let steps = facts.queue_harm.takeover.iter();
    let told: Vec<String> = steps
        .map(|step| match step.actor {
            "time" => step.does.to_string(),
            actor => format!("{actor} {}", step.does),
        })
        .collect();
    (!told.is_empty()).then(|| {
        format!(
            "With every promise of the queue kept, two workers may still run one event: {}. Rows are \
             safe behind the fenced status; what the handler sends outside is sent twice.",
            told.join("; ")
        )
    })
}

fn horizon_words(seconds: u64) -> String {
    for (size, unit) in [(86_400, "days"), (3_600, "hours"), (60, "minutes")] {
        if seconds >= size && seconds.is_multiple_of(size) {
            return format!("{} {unit}", seconds / size);
        }
    }
    format!("{seconds} seconds")
}
