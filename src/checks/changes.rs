//! The changes that findings ask for. Two findings that need the same change get the same key, so
//! that it counts once on the way to GO.

use std::sync::Arc;

use crate::model::check::Change;
use crate::model::effect::{Effect, OnConflict};
use crate::model::facts::{EffectFacts, Facts};
use crate::model::guard::{
    ConflictTarget, CreateFacts, GuardDecision, KeyMend, KeyProposal, MendStep, Refused,
};

/// A UNIQUE index.
pub(super) fn unique(proposal: &KeyProposal) -> Change {
    let columns = proposal.columns.join(", ");
    let caution = proposal
        .caution
        .as_ref()
        .map_or_else(String::new, |caution| format!("; {caution}"));
    Change {
        key: proposal.change_key(),
        title: format!("UNIQUE ({columns}) on {}{caution}", proposal.table),
        how: Some(proposal.ddl.clone()),
    }
}

/// Find-or-create in front of an insert.
fn find_or_create(facts: &EffectFacts, columns: &[Arc<str>]) -> Change {
    let effect = &facts.effect;
    let list = columns.join(", ");
    let before = if effect.numbers.is_empty() {
        ""
    } else {
        ", before the number is drawn"
    };
    // A declared consumer is code: what changes is its statement, and then what declares it.
    if facts.declared && effect.result_name.is_some() {
        // Later steps use the row: it has to be found, not only left alone.
        return Change {
            key: format!("find-or-create:{}", effect.id),
            title: format!(
                "in `{}`: look for the {} by ({list}), insert it if there is none, and take the row that is there on a violation{before}; declare it",
                effect.owner(),
                effect.target.name()
            ),
            how: Some(format!(
                "on_conflict: {{find_first: [{list}], retries: true, sees_deleted: true}}"
            )),
        };
    }
    if facts.declared {
        return Change {
            key: format!("find-or-create:{}", effect.id),
            title: format!(
                "in `{}`: let a conflict on ({list}) of {} do nothing{before}, and declare it",
                effect.owner(),
                effect.target.name()
            ),
            how: Some(format!("on_conflict: {{do_nothing: [{list}]}}")),
        };
    }
    Change {
        key: format!("find-or-create:{}", effect.id),
        title: format!(
            "in `{}`: find or create {} on ({list}){before}",
            effect.owner(),
            effect.target.name()
        ),
        how: Some(format!("natural_key: [{list}]")),
    }
}

/// What would guard a create: for each key that its effect fixes, the index and the handling.
pub(super) fn guard(facts: &EffectFacts, create: &CreateFacts) -> Vec<Vec<Change>> {
    let effect = &facts.effect;
    if effect.is_platform_row() {
        // Either settles more than this create: all of the consumer's, or all that make such a row.
        let off = Change {
            key: format!("off-path:{}", effect.consumer),
            title: format!("keep `{}` off the path", effect.owner()),
            how: None,
        };
        let table = effect.target.name();
        let lookup = Change {
            key: format!("platform-row:{table}"),
            title: format!(
                "let the platform look for the record's open {table} first, with a UNIQUE index behind the lookup"
            ),
            how: None,
        };
        return vec![vec![off], vec![lookup]];
    }
    if let Some(guard) = create.guard() {
        return vec![handling(facts, guard)];
    }
    let mends = create.mends.iter().filter_map(|mend| {
        let key = create.decisions.get(mend.at)?;
        let mut changes: Vec<Change> = mend
            .steps
            .iter()
            .map(|step| mend_step(effect, mend, step))
            .collect();
        let handled = key.target == ConflictTarget::Columns
            && (finds_by(effect, &key.columns) || ignores_already(effect, &key.columns));
        if !handled {
            changes.extend(handling(facts, key));
        }
        Some(changes)
    });
    let mut all: Vec<Vec<Change>> = mends.collect();
    all.extend(create.proposals.iter().map(|proposal| {
        let mut changes = vec![unique(proposal)];
        if !finds_by(effect, &proposal.columns) {
            changes.push(find_or_create(facts, &proposal.columns));
        }
        changes
    }));
    if all.is_empty() {
        all.push(vec![Change {
            key: format!("key:{}", effect.id),
            title: format!(
                "in `{}`: set a field of {} from the event that names the business fact, and make that field UNIQUE",
                effect.owner(),
                effect.target.name()
            ),
            how: None,
        }]);
    }
    all
}

fn mend_step(effect: &Effect, mend: &KeyMend, step: &MendStep) -> Change {
    match step {
        MendStep::FromEvent { column, instead_of } => rewrite(effect, column, instead_of),
        MendStep::Schema { what, title, ddl } => Change {
            key: format!("mend:{}:{what}", mend.table),
            title: title.clone(),
            how: ddl.clone(),
        },
    }
}

/// What lets a conflict with a key that protects the create end well.
fn handling(facts: &EffectFacts, guard: &GuardDecision) -> Vec<Change> {
    let effect = &facts.effect;
    let plain = || find_or_create(facts, &guard.columns);
    match &guard.target {
        ConflictTarget::Columns if ignores_already(effect, &guard.columns) => {
            vec![caught(effect, &guard.enforcer)]
        }
        // Statements of MySQL name no key, and the columns do not either.
        ConflictTarget::Columns if guard.columns.iter().any(|column| column.is_empty()) => {
            vec![on_any_key(facts)]
        }
        ConflictTarget::Columns => vec![plain()],
        ConflictTarget::Violation => vec![caught(effect, &guard.enforcer)],
        ConflictTarget::Written(target) => vec![named(facts, target)],
        ConflictTarget::AtCommit(statement) => {
            let at_once = Change {
                key: format!("at-once:{}:{}", effect.target.name(), guard.enforcer),
                title: format!(
                    "check {} of {} at once, not at the commit",
                    guard.enforcer,
                    effect.target.name()
                ),
                how: Some(statement.to_string()),
            };
            let handled = finds_by(effect, &guard.columns);
            let after = (!handled && !ignores_already(effect, &guard.columns)).then(plain);
            [at_once].into_iter().chain(after).collect()
        }
    }
}

fn on_any_key(facts: &EffectFacts) -> Change {
    let effect = &facts.effect;
    Change {
        key: format!("find-or-create:{}", effect.id),
        title: format!(
            "in `{}`: let a conflict on any key of {} do nothing, and declare it",
            effect.owner(),
            effect.target.name()
        ),
        how: facts.declared.then(|| "on_conflict: do-nothing".to_owned()),
    }
}

/// A conflict target that is more than columns, in the statement of a consumer.
fn named(facts: &EffectFacts, target: &str) -> Change {
    let effect = &facts.effect;
    let table = effect.target.name();
    let declared = facts.declared;
    let (what, declare) = match (declared, effect.result_name.is_some()) {
        (false, _) => (format!("find or create {table} on {target}"), ""),
        (true, true) => (
            format!(
                "look for the {table} by {target}, insert it if there is none, and take the row that is there on a violation"
            ),
            "; declare it",
        ),
        (true, false) => (
            format!("let a conflict on {target} of {table} do nothing"),
            ", and declare its statement",
        ),
    };
    Change {
        key: format!("find-or-create:{}", effect.id),
        title: format!("in `{}`: {what}{declare}", effect.owner()),
        how: (declared && effect.result_name.is_none())
            .then(|| format!("sql: INSERT INTO {table} … ON CONFLICT {target} DO NOTHING")),
    }
}

/// What would make the row of an earlier step the same one each time: the guard of the create
/// that makes it.
pub(super) fn of_step(facts: &Facts, user: &EffectFacts, step: &str) -> Vec<Vec<Change>> {
    facts
        .effects
        .iter()
        .filter(|other| other.effect.consumer == user.effect.consumer)
        .filter(|other| other.effect.result_name.as_deref() == Some(step))
        .find_map(|other| Some(guard(other, other.create.as_ref()?)))
        .unwrap_or_default()
}

/// True if the effect already does nothing on a conflict of these columns, or on any.
fn ignores_already(effect: &Effect, columns: &[Arc<str>]) -> bool {
    let same = |named: &[Arc<str>]| {
        named.len() == columns.len()
            && named.iter().all(|name| {
                let mut all = columns.iter();
                all.any(|column| column.eq_ignore_ascii_case(name))
            })
    };
    match &effect.on_conflict {
        OnConflict::DoNothing(named) => named.is_empty() || same(named),
        _ => false,
    }
}

/// No conflict target means the key: what is left is its violation.
fn caught(effect: &Effect, enforcer: &str) -> Change {
    Change {
        key: format!("caught:{}", effect.id),
        title: format!(
            "in `{}`: insert without ON CONFLICT and in a savepoint of its own, take a violation of {enforcer} for already done, and declare it",
            effect.owner()
        ),
        how: Some(format!("on_conflict: {{caught: {enforcer}}}")),
    }
}

/// True if the effect already looks up by exactly these columns.
fn finds_by(effect: &Effect, columns: &[Arc<str>]) -> bool {
    match &effect.on_conflict {
        OnConflict::FindFirst { fields, .. } => {
            fields.len() == columns.len()
                && columns.iter().all(|column| {
                    fields
                        .iter()
                        .any(|field| field.eq_ignore_ascii_case(column))
                })
        }
        _ => false,
    }
}

/// What lets a row be written that no delivery writes.
pub(super) fn written(
    effect: &EffectFacts,
    create: &CreateFacts,
    refused: &Refused,
) -> Vec<Vec<Change>> {
    match &refused.column {
        Some((column, gets)) => vec![vec![rewrite(&effect.effect, column, gets)]],
        None => guard(effect, create),
    }
}

/// A rewrite of one value.
pub(super) fn rewrite(effect: &Effect, field: &str, what: &str) -> Change {
    Change {
        key: format!("rewrite:{}:{field}", effect.id),
        title: format!(
            "in `{}`: set {}.{field} from the event instead of {what}",
            effect.owner(),
            effect.target.name()
        ),
        how: None,
    }
}

/// A text in double quotes, as YAML reads it back: on one line, and nothing in it that hides.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        let unseen = matches!(u32::from(character), 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff);
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            _ if character.is_control() || unseen => {
                out.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

/// A contract for a consumer, or its removal from the path.
pub(super) fn contract(facts: &EffectFacts) -> Change {
    Change {
        key: format!("contract:{}", facts.effect.consumer),
        title: format!(
            "give `{}` a contract (dedup table, provider key or attempt ledger), or keep it off the path",
            facts.effect.owner()
        ),
        how: Some(format!(
            "contracts: [{{consumer: {}, kind: …}}]",
            quoted(&facts.effect.consumer.0)
        )),
    }
}
