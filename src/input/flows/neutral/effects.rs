//! Effects of the neutral format.

use std::sync::Arc;

use super::conflict::{Conflict, ConflictKey, ConflictWord};
use super::format::{self, DrawnWord, ErrorWord, Row};
use super::given::Given;
use super::{Reader, problem};
use crate::model::consumer::Consumer;
use crate::model::effect::{
    Assignment, Effect, EffectId, EffectKind, NumberDraw, OnConflict, OnError, RowChoice, Target,
};
use crate::model::evidence::{Reason, Why};
use crate::model::place::Place;
use crate::sql::effect::Part;

impl Reader<'_> {
    /// The effects that an entry declares; none, with a problem, if its id is none.
    pub(super) fn effects(
        &mut self,
        raw: format::Effect,
        consumer: &Consumer,
        order: usize,
        results: &[Arc<str>],
    ) -> Vec<Effect> {
        if !self.is_id(&raw.id) {
            return Vec::new();
        }
        if raw.sql.is_some() {
            return self.of_statement(&raw, consumer, order, results);
        }
        let Some(kind) = &raw.kind else {
            let sentence = format!("`{}` says neither `kind` nor `sql`", raw.id.value);
            let place = raw.id.place(self.file);
            self.complain(Why::NotParsed, sentence, place, "add one of them");
            return Vec::new();
        };
        let kind = kind.value.model();
        let target = self.target(&raw, kind);
        let writes = raw.set.0.iter().map(|(column, value)| Assignment {
            field: column.value.as_str().into(),
            place: column.place(self.file),
            value: self.value(value, results),
            by_platform: false,
        });
        let part = Part {
            kind,
            target,
            writes: writes.collect(),
            rows: self.rows(&raw, kind, results),
            on_conflict: self.on_conflict(&raw, kind),
            runs_if: Vec::new(),
        };
        vec![self.made(&raw, consumer, order, results, part)]
    }

    /// An effect with what an entry says beside what it writes.
    pub(super) fn made(
        &mut self,
        raw: &format::Effect,
        consumer: &Consumer,
        order: usize,
        results: &[Arc<str>],
        part: Part,
    ) -> Effect {
        let id = format!(
            "{}/{}/{}:{}",
            consumer.id,
            raw.id.value,
            part.kind.word(),
            part.target.name()
        );
        let numbers = raw.numbers.iter().map(|number| NumberDraw {
            field: number.value.column.as_str().into(),
            before_insert: number.value.drawn == DrawnWord::BeforeInsert,
            rolls_back: number.value.rolls_back,
            place: number.place(self.file),
        });
        let enqueues = raw.enqueues.iter();
        let enqueues = enqueues.map(|it| (it.event.as_str().into(), it.object.as_str().into()));
        let mut runs_if: Vec<_> = raw
            .runs_if
            .iter()
            .map(|it| self.value(it, results))
            .collect();
        runs_if.extend(part.runs_if);
        Effect {
            id: EffectId(id.into()),
            consumer: consumer.id.clone(),
            order,
            kind: part.kind,
            target: part.target,
            writes: part.writes,
            rows: part.rows,
            on_conflict: part.on_conflict,
            runs_if,
            idempotency_key: raw
                .idempotency_key
                .as_ref()
                .map(|it| Box::new(self.value(it, results))),
            numbers: numbers.collect(),
            enqueues: enqueues.collect(),
            runs_inside: Vec::new(),
            on_error: match raw.errors {
                Some(ErrorWord::Swallowed) => OnError::Swallowed,
                Some(ErrorWord::Retried) => OnError::Retried,
                Some(ErrorWord::Unknown) | None => OnError::Unknown,
            },
            result_name: raw.result.as_ref().map(|it| it.text(self.file).value),
            equal_update_is_no_op: false,
            path: consumer.path.clone(),
            trail: Vec::new(),
            by_rule: Vec::new(),
            notes: Vec::new(),
            place: raw.id.place(self.file),
        }
    }

    /// What a statement says by itself stands nowhere else; a violation may be caught outside of it.
    pub(super) fn needless(&mut self, raw: &format::Effect) {
        let keys = [
            ("kind", raw.kind.as_ref().map(|it| it.place(self.file))),
            ("table", raw.table.as_ref().map(|it| it.place(self.file))),
            ("to", raw.to.as_ref().map(|it| it.place(self.file))),
            ("row", raw.row.as_ref().map(|it| it.place(self.file))),
            (
                "set",
                raw.set.0.first().map(|(name, _)| name.place(self.file)),
            ),
            (
                "on_conflict",
                raw.on_conflict.as_ref().map(|it| it.place(self.file)),
            ),
        ];
        for (key, place) in keys {
            if let Some(place) = place {
                let sentence = format!("`{key}` stands beside `sql`, which says it by itself");
                self.complain(Why::Disagree, sentence, place, "remove one of the two");
            }
        }
    }

    /// Values that no placeholder of the statement uses.
    pub(super) fn unused(&mut self, raw: &format::Effect, given: &Given) {
        for (name, place) in given.unused() {
            let sentence = format!(
                "no placeholder of `{}` uses parameter `{name}`",
                raw.id.value
            );
            self.complain(
                Why::Disagree,
                sentence,
                place,
                "remove it, or use it in the statement",
            );
        }
    }

    fn target(&mut self, raw: &format::Effect, kind: EffectKind) -> Target {
        let id = &raw.id.value;
        let (wanted, given, other, other_key) = match kind.is_external() {
            true => ("to", &raw.to, &raw.table, "table"),
            false => ("table", &raw.table, &raw.to, "to"),
        };
        if let Some(other) = other {
            let place = other.place(self.file);
            self.complain(
                Why::NotParsed,
                format!("`{other_key}` says nothing of the {} `{id}`", kind.word()),
                place,
                &format!("remove it, or name it `{wanted}`"),
            );
        }
        match given.as_ref().and_then(|it| it.filled(self.file)) {
            Some(name) if kind.is_external() => Target::Outside(without_secrets(name)),
            Some(name) => Target::Object(name.into()),
            None => {
                let place = kind_place(raw, self.file);
                self.complain(
                    Why::NotParsed,
                    format!("the {} `{id}` does not say where it goes", kind.word()),
                    place,
                    &format!("add `{wanted}`"),
                );
                Target::Unknown("?".into())
            }
        }
    }

    fn rows(&mut self, raw: &format::Effect, kind: EffectKind, results: &[Arc<str>]) -> RowChoice {
        let id = &raw.id.value;
        let chooses = !kind.is_create() && !kind.is_external();
        match &raw.row {
            Some(row) if !chooses => {
                let place = row.place(self.file);
                self.complain(
                    Why::NotParsed,
                    format!(
                        "the {} `{id}` touches no row that is there before",
                        kind.word()
                    ),
                    place,
                    "remove `row`",
                );
            }
            Some(row) => {
                return match &row.value {
                    Row::Own => RowChoice::OwnRecord,
                    Row::Named(value) => RowChoice::Named(self.value(value, results).into()),
                    Row::Search(value) => RowChoice::Search(self.value(value, results).into()),
                };
            }
            None => {}
        }
        if kind.is_create() {
            RowChoice::New
        } else if kind.is_external() {
            RowChoice::None
        } else {
            RowChoice::Unknown(self.gap(
                format!(
                    "the {} `{id}` does not say which row it touches",
                    kind.word()
                ),
                kind_place(raw, self.file),
                "add `row`: `own`, `{named: …}` or `{search: …}`",
            ))
        }
    }

    fn on_conflict(&mut self, raw: &format::Effect, kind: EffectKind) -> OnConflict {
        let id = &raw.id.value;
        let Some(conflict) = &raw.on_conflict else {
            return match kind {
                EffectKind::Upsert | EffectKind::FindOrCreate => OnConflict::Unknown(self.gap(
                    format!(
                        "the {} `{id}` does not say what happens when a key is taken",
                        kind.word()
                    ),
                    kind_place(raw, self.file),
                    "add `on_conflict`",
                )),
                _ => OnConflict::Error,
            };
        };
        let place = conflict.place(self.file);
        if !kind.is_create() {
            self.complain(
                Why::NotParsed,
                format!(
                    "the {} `{id}` makes no row, so no key can be in its way",
                    kind.word()
                ),
                place,
                "remove `on_conflict`",
            );
            return OnConflict::Error;
        }
        match &conflict.value {
            Conflict::Word(ConflictWord::Error) => OnConflict::Error,
            Conflict::Word(ConflictWord::DoNothing) => OnConflict::DoNothing(Vec::new()),
            Conflict::Word(ConflictWord::Replace) => OnConflict::Replace,
            Conflict::Key(key) => self.conflict_key(key, place),
        }
    }

    fn conflict_key(&mut self, key: &ConflictKey, place: Place) -> OnConflict {
        let ConflictKey {
            do_nothing,
            update,
            find_first,
            retries,
            sees_deleted,
            caught,
        } = key;
        let fault = match (do_nothing, update, find_first, caught) {
            (Some(columns), None, None, None) if retries.is_none() && sees_deleted.is_none() => {
                return OnConflict::DoNothing(names(columns));
            }
            (None, Some(columns), None, None) if retries.is_none() && sees_deleted.is_none() => {
                return OnConflict::Update(names(columns));
            }
            (None, None, None, Some(constraint)) if retries.is_none() && sees_deleted.is_none() => {
                return OnConflict::Caught {
                    constraint: Some(constraint.as_str().into()),
                    place,
                };
            }
            (None, None, Some(columns), None) if !columns.is_empty() => {
                if let (Some(retries), Some(sees_deleted)) = (*retries, *sees_deleted) {
                    return OnConflict::FindFirst {
                        fields: names(columns),
                        retries,
                        sees_deleted,
                        place,
                    };
                }
                "`find_first` needs `retries` and `sees_deleted`, each true or false"
            }
            (None, None, Some(_), None) => "`find_first` names no column",
            _ => {
                "`on_conflict` takes exactly one of `do_nothing`, `update`, `find_first`, `caught`; \
                 `retries` and `sees_deleted` go with `find_first`"
            }
        };
        OnConflict::Unknown(self.gap(
            fault.to_owned(),
            place,
            "say what happens when the key is taken",
        ))
    }

    /// A problem of the file that is the reason of one slot too.
    fn gap(&mut self, sentence: String, place: Place, next_step: &str) -> Box<Reason> {
        let gap = problem(Why::NotParsed, sentence, place, next_step);
        self.problems.push(gap.clone());
        Box::new(gap)
    }
}

fn kind_place(raw: &format::Effect, file: &crate::model::text::TextFile) -> Place {
    match &raw.kind {
        Some(kind) => kind.place(file),
        None => raw.id.place(file),
    }
}

fn names(columns: &[String]) -> Vec<Arc<str>> {
    columns.iter().map(|it| it.as_str().into()).collect()
}

/// An address without user, password, query and fragment: they may hold secrets, and a target
/// stands in ids and reports.
fn without_secrets(address: &str) -> Arc<str> {
    let end = address.find(['?', '#']).unwrap_or(address.len());
    let address = address.get(..end).unwrap_or(address);
    let Some((scheme, rest)) = address.split_once("://") else {
        return address.into();
    };
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}{path}").into()
}

#[cfg(test)]
mod tests {
    use super::without_secrets;

    #[test]
    fn an_address_loses_what_may_be_secret() {
        for (given, kept) in [
            ("https://u:p@x.example/a?token=1#t", "https://x.example/a"),
            ("https://x.example", "https://x.example"),
            ("amqp://u:p@ss@host:5672/v", "amqp://host:5672/v"),
            ("orders@shop.example?subject=x", "orders@shop.example"),
            ("topic.orders", "topic.orders"),
        ] {
            assert_eq!(&*without_secrets(given), kept);
        }
    }
}
