//! Values of the neutral format: the sources are declared, so they are taken as declared.

use std::sync::Arc;

use super::Reader;
use super::at::At;
use super::constant::Constant;
use super::errors::nearest;
use super::format::{self, NullWord};
use crate::model::evidence::Why;
use crate::model::place::Place;
use crate::model::value::{Draw, FieldRef, Literal, Nullness, Root, Shape, Value, ValueSource};

impl Reader<'_> {
    /// The value of the model. `results` are the names of results of earlier effects.
    pub(super) fn value(&mut self, at: &At<format::Value>, results: &[Arc<str>]) -> Value {
        let place = at.place(self.file);
        let value = &at.value;
        let null = value.nulls.map(nullness);
        let sources: Vec<(ValueSource, &At<String>)> = [
            (ValueSource::Snapshot, &value.snapshot),
            (ValueSource::Clock, &value.clock),
            (ValueSource::Random, &value.random),
            (ValueSource::Sequence, &value.sequence),
            (ValueSource::LiveState, &value.live),
            (ValueSource::StepResult, &value.result),
            (ValueSource::Deployment, &value.deployment),
            (ValueSource::Locale, &value.locale),
            (ValueSource::External, &value.external),
        ]
        .into_iter()
        .filter_map(|(source, text)| Some((source, text.as_ref()?)))
        .collect();
        match (&value.constant, sources.as_slice(), &value.all) {
            (Some(constant), [], None) => self.constant(constant),
            (None, [(source, text)], None) => self.source(*source, text, null, results),
            (None, [], Some(parts)) if !parts.is_empty() => {
                let parts: Vec<Value> = parts.iter().map(|it| self.value(it, results)).collect();
                computed(&parts, place, null)
            }
            _ => {
                self.complain(
                    Why::NotParsed,
                    "a value must have exactly one source".to_owned(),
                    place.clone(),
                    "write one of `constant`, `snapshot`, `clock`, `random`, `sequence`, `live`, `result`, \
                     `deployment`, `locale`, `external`; or `all` with the values it is computed from",
                );
                self.unknown(place)
            }
        }
    }

    fn constant(&self, at: &At<Constant>) -> Value {
        let source = at.source(self.file);
        let (text, constant) = match &at.value {
            Constant::Null => ("null", Literal::Null),
            Constant::Bool(value) => (if *value { "true" } else { "false" }, Literal::Bool(*value)),
            Constant::Number => (source, Literal::Number(source.into())),
            Constant::String(text) => (text.as_str(), Literal::String(text.as_str().into())),
            Constant::Json => (source, Literal::Json),
        };
        let null = match constant {
            Literal::Null => Nullness::Always,
            _ => Nullness::Never,
        };
        Value {
            text: text.into(),
            place: at.place(self.file),
            draws: Vec::new(),
            null,
            constant: Some(constant),
            fails: None,
            shape: Shape::Constant,
        }
    }

    fn source(
        &mut self,
        source: ValueSource,
        at: &At<String>,
        null: Option<Nullness>,
        results: &[Arc<str>],
    ) -> Value {
        let what: Arc<str> = at.value.as_str().into();
        let place = at.place(self.file);
        if source == ValueSource::StepResult {
            self.check_result(&what, &place, results);
        }
        let field = match source {
            ValueSource::Snapshot => Some(field(&what)),
            ValueSource::StepResult => Some(FieldRef {
                root: Root::Step,
                name: result_of(&what).into(),
            }),
            _ => None,
        };
        let usual = match source {
            ValueSource::Snapshot => Nullness::Maybe,
            _ => Nullness::Never,
        };
        Value {
            text: Arc::clone(&what),
            place: place.clone(),
            draws: vec![Draw {
                source,
                what,
                place,
                field,
                note: None,
            }],
            null: null.unwrap_or(usual),
            constant: None,
            fails: None,
            shape: Shape::Plain,
        }
    }

    /// `name.field` must name the result of an earlier effect.
    fn check_result(&mut self, what: &str, place: &Place, results: &[Arc<str>]) {
        let name = result_of(what);
        if results.iter().any(|known| &**known == name) {
            return;
        }
        let next_step = match nearest(name, results.iter().map(|it| &**it)) {
            Some(known) => format!("write `{known}`"),
            None => "give an earlier effect that `result` name".to_owned(),
        };
        self.complain(
            Why::NotResolved,
            format!("no earlier effect of this consumer has the result `{name}`"),
            place.clone(),
            &next_step,
        );
    }

    /// What stands where a value could not be read: it counts as changing.
    pub(super) fn unknown(&self, place: Place) -> Value {
        let what: Arc<str> = "a value that could not be read".into();
        Value {
            text: Arc::clone(&what),
            place: place.clone(),
            draws: vec![Draw {
                source: ValueSource::Unknown,
                what,
                place,
                field: None,
                note: Some("its declaration has not exactly one source".into()),
            }],
            null: Nullness::Maybe,
            constant: None,
            fails: None,
            shape: Shape::Computed,
        }
    }
}

/// A computation draws from all that its parts draw from.
fn computed(parts: &[Value], place: Place, null: Option<Nullness>) -> Value {
    let texts: Vec<&str> = parts.iter().map(|part| &*part.text).collect();
    let may_be_null = parts.iter().any(|part| part.null != Nullness::Never);
    let usual = match may_be_null {
        true => Nullness::Maybe,
        false => Nullness::Never,
    };
    Value {
        text: texts.join(", ").into(),
        place,
        draws: parts.iter().flat_map(|part| part.draws.clone()).collect(),
        null: null.unwrap_or(usual),
        constant: None,
        fails: None,
        shape: Shape::Computed,
    }
}

/// The field that a path of the payload names: its last part, and whose it is by its first.
fn field(path: &str) -> FieldRef {
    let root = match path.split('.').next() {
        Some("prior" | "old_record") => Root::Prior,
        Some("user" | "current_user") => Root::User,
        _ => Root::Record,
    };
    let name = path.rsplit('.').next().unwrap_or(path);
    FieldRef {
        root,
        name: name.into(),
    }
}

fn nullness(word: NullWord) -> Nullness {
    match word {
        NullWord::Never => Nullness::Never,
        NullWord::Maybe => Nullness::Maybe,
        NullWord::Always => Nullness::Always,
    }
}

/// The name of the result in `name.field`.
fn result_of(what: &str) -> &str {
    what.split_once('.').map_or(what, |(name, _)| name)
}
