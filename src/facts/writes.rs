//! Effects that write to the database: creates, updates, changes of the record being saved.

use std::sync::Arc;

use crate::model::consumer::Phase;
use crate::model::effect::{
    Assignment, Effect, EffectKind, NumberDraw, OnConflict, RowChoice, Target,
};
use crate::model::evidence::{Reason, Why};
use crate::model::metadata::{Node, Text};
use crate::model::value::{Literal, Nullness, ValueSource};
use crate::rules::{ActionRule, Becomes, WriteKind};

use super::action::{ActionContext, Site};
use super::failing::fail;
use super::formula::{drawn_from, literal, value_of};

/// An insert, an update or a change of the record being saved.
pub(super) fn write_effect(
    context: &mut ActionContext<'_>,
    site: &Site<'_>,
    rule: &ActionRule,
    word: &Text,
) {
    let own = context.consumer.trigger.object.clone().unwrap_or_default();
    let target = match rule.becomes {
        Becomes::UpdateOwn | Becomes::RecordSet => own,
        _ => config_string(site, rule.target.as_deref()).unwrap_or_default(),
    };
    let word = rule.words.first().unwrap_or(&word.value);
    let mut effect = context.blank(site, word, Target::Object(Arc::clone(&target)));
    if let Some(node) = rule.target.as_deref().and_then(|key| site.config?.get(key)) {
        effect.place = node.place();
    }
    effect
        .by_rule
        .push(context.by_rule(&rule.id, &format!("what {word} does at delivery")));
    effect.writes = assignments(context, site, rule);
    fail_if_a_value_fails(&mut effect);
    match rule.becomes {
        Becomes::Insert => insert(context, site, rule, &target, &mut effect),
        Becomes::RecordSet => {
            effect.kind = EffectKind::RecordSet;
            effect.rows = RowChoice::BeingSaved;
        }
        Becomes::UpdateNamed => {
            effect.kind = EffectKind::Update;
            effect.rows = named_row(context, site, rule);
            saved(context, WriteKind::Update, &target, &mut effect);
        }
        _ => {
            effect.kind = EffectKind::Update;
            effect.rows = match context.consumer.trigger.phase {
                Phase::InsideSave => RowChoice::BeingSaved,
                _ => RowChoice::OwnRecord,
            };
            saved(context, WriteKind::Update, &target, &mut effect);
        }
    }
    context.push(effect);
}

fn insert(
    context: &ActionContext<'_>,
    site: &Site<'_>,
    rule: &ActionRule,
    target: &Arc<str>,
    effect: &mut Effect,
) {
    let platform = context.unfolding.platform;
    effect.kind = EffectKind::Insert;
    effect.rows = RowChoice::New;
    effect.result_name = result_name(site);
    let lookup = rule
        .find_first
        .as_deref()
        .and_then(|key| site.config?.get(key));
    if let Some(node) = lookup {
        effect.kind = EffectKind::FindOrCreate;
        effect.on_conflict = find_first(context, node);
    }
    effect.numbers = numbers(context, target);
    saved(context, WriteKind::Insert, target, effect);
    let says = if platform.find_first.retries {
        "finds first by the natural key, inserts, and on that key's violation takes the row"
    } else {
        "finds first by the natural key, then inserts"
    };
    if effect.kind == EffectKind::FindOrCreate {
        effect.by_rule.push(context.by_rule("find-first", says));
    }
}

fn find_first(context: &ActionContext<'_>, node: &Node) -> OnConflict {
    let fields: Vec<Arc<str>> = match node.string() {
        Some(field) => vec![Arc::clone(field)],
        None => node
            .items()
            .iter()
            .filter_map(|item| item.string().cloned())
            .collect(),
    };
    if fields.is_empty() || (node.string().is_none() && fields.len() != node.items().len()) {
        return OnConflict::Unknown(Box::new(Reason {
            why: Why::NotParsed,
            needs: None,
            sentence: "the natural key of the action is no list of field names".into(),
            place: Some(node.place()),
            next_step: "write it as a list of field names".into(),
        }));
    }
    let rule = &context.unfolding.platform.find_first;
    OnConflict::FindFirst {
        fields,
        retries: rule.retries,
        sees_deleted: rule.sees_deleted,
        place: node.place(),
    }
}

/// The rows that the platform inserts by itself for an action.
pub(super) fn fixed_inserts(
    context: &mut ActionContext<'_>,
    site: &Site<'_>,
    rule: &ActionRule,
    word: &Text,
) {
    let named = rule.words.first().unwrap_or(&word.value);
    let word = if named.contains(' ') {
        "Insert"
    } else {
        &**named
    };
    for row in &rule.inserts {
        if row.only_multistep && !site.multistep {
            continue;
        }
        let mut effect = context.blank(site, word, Target::Object(Arc::clone(&row.table)));
        let says = format!("{named} inserts a row of {}", row.table);
        let evidence = context.by_rule(&rule.id, &says);
        effect.kind = EffectKind::Insert;
        effect.rows = RowChoice::New;
        effect.writes = row
            .columns
            .iter()
            .map(|column| Assignment {
                field: Arc::clone(&column.column),
                place: evidence.place.clone(),
                value: match column.draws {
                    ValueSource::Constant => literal(
                        Literal::String(Arc::clone(&column.what)),
                        Arc::clone(&column.what),
                        evidence.place.clone(),
                    ),
                    source => drawn_from(
                        source,
                        &column.what,
                        evidence.place.clone(),
                        Nullness::Never,
                    ),
                },
                by_platform: true,
            })
            .collect();
        effect.by_rule.push(evidence);
        saved(context, WriteKind::Insert, &row.table, &mut effect);
        context.push(effect);
    }
}

fn assignments(context: &ActionContext<'_>, site: &Site<'_>, rule: &ActionRule) -> Vec<Assignment> {
    let Some(node) = rule.writes.as_deref().and_then(|key| site.config?.get(key)) else {
        return Vec::new();
    };
    let environment = context.environment();
    node.members()
        .iter()
        .map(|member| Assignment {
            field: Arc::clone(&member.key),
            place: member.value.origin.place(member.key_start, member.key_end),
            value: value_of(&member.value, rule.formula, environment),
            by_platform: false,
        })
        .collect()
}

fn fail_if_a_value_fails(effect: &mut Effect) {
    let failing = effect.writes.iter().find_map(|write| {
        let why = write.value.fails.as_ref()?;
        let sentence = format!(
            "it fails on every event: the value of `{}` cannot be evaluated: {why}",
            write.field
        );
        Some((sentence, write.value.place.clone()))
    });
    if let Some((sentence, place)) = failing {
        fail(effect, sentence, place);
    }
}

fn named_row(context: &ActionContext<'_>, site: &Site<'_>, rule: &ActionRule) -> RowChoice {
    match rule.row.as_deref().and_then(|key| site.config?.get(key)) {
        Some(node) => RowChoice::Named(value_of(node, rule.formula, context.environment()).into()),
        None => RowChoice::OwnRecord,
    }
}

/// What the platform does around a write: synchronous flows and the event it enqueues.
fn saved(context: &ActionContext<'_>, kind: WriteKind, target: &Arc<str>, effect: &mut Effect) {
    for trigger in &context.unfolding.rules.triggers {
        let Some(event) = &trigger.event else {
            continue;
        };
        if trigger.inside == Some(kind) {
            effect
                .runs_inside
                .push((Arc::clone(event), Arc::clone(target)));
        }
    }
    for enqueue in &context.unfolding.platform.enqueues {
        if enqueue.on == kind {
            effect
                .enqueues
                .push((Arc::clone(&enqueue.event), Arc::clone(target)));
        }
    }
    for side in &context.unfolding.platform.side_writes {
        if side.on.contains(&kind) {
            effect.by_rule.push(context.by_rule(&side.id, &side.says));
        }
    }
}

/// The numbers an insert draws: fields of a number type, and counters declared for the object.
fn numbers(context: &ActionContext<'_>, target: &str) -> Vec<NumberDraw> {
    let unfolding = context.unfolding;
    let platform = unfolding.platform;
    let draw = |field: &Arc<str>, place| NumberDraw {
        field: Arc::clone(field),
        before_insert: platform.numbers_before_insert,
        rolls_back: platform.numbers_roll_back,
        place,
    };
    let mut numbers: Vec<NumberDraw> = unfolding
        .metadata
        .objects
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case(target))
        .flat_map(|(_, object)| &object.fields)
        .filter(|field| platform.number_types.contains(&field.field_type))
        .map(|field| draw(&field.name.value, field.name.place.clone()))
        .collect();
    for counter in &unfolding.metadata.auto_numbers {
        let known = numbers.iter().any(|number| number.field == counter.field);
        if counter.object.eq_ignore_ascii_case(target) && !known {
            numbers.push(draw(&counter.field, counter.place.clone()));
        }
    }
    numbers
}

fn config_string(site: &Site<'_>, key: Option<&str>) -> Option<Arc<str>> {
    site.config?.get(key?)?.string().cloned()
}

/// Composite steps publish their result under their id; a simple action has none.
fn result_name(site: &Site<'_>) -> Option<Arc<str>> {
    site.step.rsplit_once('.').map(|(_, step)| step.into())
}
