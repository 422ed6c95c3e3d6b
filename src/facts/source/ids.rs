//! Names of consumers and effects: readable, and each there once.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::consumer::ConsumerId;
use crate::model::effect::EffectKind;
use crate::model::map::ConsumerMap;
use crate::model::source::Function;

/// `find-or-create` as ids write it: `FindOrCreate`.
pub(super) fn kind_title(kind: EffectKind) -> String {
    let mut title = String::new();
    for part in kind.word().split('-') {
        let mut chars = part.chars();
        title.extend(chars.next().map(|c| c.to_ascii_uppercase()));
        title.push_str(chars.as_str());
    }
    title
}

/// Equal names get `~2`, `~3` (consumers) and `#2`, `#3` (effects), in order.
pub(super) fn name_apart(map: &mut ConsumerMap) {
    let mut seen: BTreeMap<Arc<str>, usize> = BTreeMap::new();
    for consumer in &mut map.consumers {
        let count = seen.entry(Arc::clone(&consumer.id.0)).or_default();
        *count += 1;
        let mut old = String::new();
        if *count > 1 {
            old = consumer.id.0.to_string();
            consumer.id = ConsumerId(format!("{}~{count}", consumer.id.0).into());
        }
        let mut inner: BTreeMap<Arc<str>, usize> = BTreeMap::new();
        for effect in &mut consumer.effects {
            if !old.is_empty() {
                effect.id = effect.id.replacen(&old, &consumer.id.0, 1).into();
            }
            let count = inner.entry(Arc::clone(&effect.id)).or_default();
            *count += 1;
            if *count > 1 {
                effect.id = format!("{}#{count}", effect.id).into();
            }
        }
    }
}

/// What a person calls a function: `Type.Method`, or its name.
pub(super) fn title(function: &Function) -> Arc<str> {
    match &function.owner {
        Some(owner) => {
            let owner = owner.rsplit(['.', ':']).next().unwrap_or(owner);
            format!("{owner}.{}", function.name).into()
        }
        None => Arc::clone(&function.name),
    }
}
