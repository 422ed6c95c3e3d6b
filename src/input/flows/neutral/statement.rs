//! An effect that is given as the statement it runs.

use std::sync::Arc;

use super::Reader;
use super::format;
use super::given::Given;
use super::inside::Inside;
use crate::model::consumer::{Consumer, PathState};
use crate::model::effect::{Effect, EffectKind, OnConflict, RowChoice, Target};
use crate::model::evidence::{Reason, Why};
use crate::model::place::Place;
use crate::model::value::Value;
use crate::sql::effect::{self, Part, Values};
use crate::sql::statement::{self, Placeholder};

impl Reader<'_> {
    /// The effects of a statement: one for each row of an insert, two for a MERGE of both arms.
    pub(super) fn of_statement(
        &mut self,
        raw: &format::Effect,
        consumer: &Consumer,
        order: usize,
        results: &[Arc<str>],
    ) -> Vec<Effect> {
        let Some(sql) = &raw.sql else {
            return Vec::new();
        };
        self.needless(raw);
        let inside = Inside::new(sql, self.file);
        let given = Given::new(self, raw, results);
        let parts = match self.dialect {
            None => Err(Box::new(self.refused(
                "which engine the statement is written for is not known".to_owned(),
                sql.place(self.file),
                "say it with --dialect or `inputs.dialect`, or give the schema",
            ))),
            Some(dialect) => match statement::parse(&sql.value, dialect) {
                Ok(mut statement) => match effect::fill(&mut statement, self.schemas) {
                    Ok(()) => {
                        let place = |start, end| inside.place(start, end);
                        let mut param = |wanted: &Placeholder, text: &str, here: &Place| {
                            self.param(&given, wanted, text, here)
                        };
                        let mut values = Values::new(&place, &mut param);
                        Ok(effect::parts(&statement, &mut values))
                    }
                    Err(why) => Err(Box::new(self.refused(
                        format!(
                            "the statement names no columns, and which its values go to is not known here: {why}"
                        ),
                        inside.place(0, 6),
                        "name the columns behind the table, or give the schema",
                    ))),
                },
                Err(error) => Err(Box::new(self.refused(
                    format!("this statement is not understood: {}", error.why),
                    inside.place(error.start, error.end),
                    "write it in a form this reader knows, or describe it by `kind`, `table` and `set`",
                ))),
            },
        };
        self.unused(raw, &given);
        match parts {
            Ok(parts) => parts
                .into_iter()
                .enumerate()
                .map(|(at, part)| self.made(raw, consumer, order + at, results, part))
                .collect(),
            Err(reason) => {
                let part = Part {
                    kind: EffectKind::Unmapped,
                    target: Target::Unknown("sql".into()),
                    writes: Vec::new(),
                    rows: RowChoice::Unknown(reason.clone()),
                    on_conflict: OnConflict::Error,
                    runs_if: Vec::new(),
                };
                let mut effect = self.made(raw, consumer, order, results, part);
                if consumer.path.may_be_on() {
                    effect.path = PathState::Unknown(reason);
                }
                vec![effect]
            }
        }
    }

    fn refused(
        &mut self,
        sentence: String,
        place: crate::model::place::Place,
        next_step: &str,
    ) -> Reason {
        let reason = super::problem(Why::NotParsed, sentence, place, next_step);
        self.problems.push(reason.clone());
        reason
    }

    fn param(&mut self, given: &Given, wanted: &Placeholder, text: &str, here: &Place) -> Value {
        if let Some(value) = given.get(wanted) {
            return value.clone();
        }
        self.complain(
            Why::NotResolved,
            format!("`params` does not say what `{text}` stands for"),
            here.clone(),
            "add it to `params`: a list in the order of the placeholders, or a map by name",
        );
        self.unknown(here.clone())
    }
}
