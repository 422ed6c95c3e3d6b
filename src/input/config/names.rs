//! Names that must lead somewhere: flows, consumers and checks that the configuration speaks of.

use super::nearest::nearest_few;
use super::problem::{Problem, Quote};
use super::secret::shown;
use super::types::Config;
use crate::model::scope::Declared;

/// Reports every named or deferred flow, consumer and check that does not exist.
///
/// A contract or exclusion speaks of a consumer's id or of a flow's name. `flow_names` and
/// `consumer_ids` must be complete: where flows could not be read, nothing can be said of names.
pub fn check_names(
    config: &Config,
    flow_names: &[&str],
    consumer_ids: &[&str],
    check_ids: &[&str],
) -> Vec<Problem> {
    let said = &config.declarations;
    let named = said.named.iter();
    let deferred = said.deferred.iter().map(|deferred| &deferred.flow);
    let contracts = said.contracts.iter().map(|contract| &contract.consumer);
    let exclusions = said.exclusions.iter().map(|exclusion| &exclusion.consumer);
    let checks = said.waivers.iter().map(|waiver| &waiver.check);
    let consumers: Vec<&str> = [flow_names, consumer_ids].concat();
    let mut problems: Vec<Problem> = named
        .chain(deferred)
        .filter_map(|name| missing(config, name, "flow", flow_names))
        .chain(
            contracts
                .chain(exclusions)
                .filter_map(|name| missing(config, name, "consumer", &consumers)),
        )
        .chain(checks.filter_map(|name| missing(config, name, "check", check_ids)))
        .collect();
    problems.sort_by(|a, b| a.place.cmp(&b.place));
    problems
}

fn missing(config: &Config, name: &Declared, what: &str, known: &[&str]) -> Option<Problem> {
    if known.contains(&&*name.value) {
        return None;
    }
    let near: Vec<String> = nearest_few(&name.value, known, 3)
        .into_iter()
        .map(|near| format!("`{near}`"))
        .collect();
    let label = match near.as_slice() {
        [] => None,
        [one] => Some(format!("did you mean {one}?")),
        [first @ .., last] => Some(format!("did you mean {} or {last}?", first.join(", "))),
    };
    let help = near.is_empty().then(|| match known.len() {
        0 => format!("no {what} was read at all"),
        1 => format!("the only {what} is `{}`", known.concat()),
        many => format!("none of the {many} {what}s is called so"),
    });
    Some(Problem {
        sentence: format!("no {what} is called `{}`", shown(&name.value)),
        place: name.place.clone(),
        quote: name
            .place
            .span()
            .and_then(|span| Quote::of(&config.file, span.start, span.end)),
        label,
        help,
    })
}
