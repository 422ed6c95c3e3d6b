//! Values of a statement as the model keeps them: what its placeholders stand for put in.

use std::sync::Arc;

use crate::model::effect::Assignment;
use crate::model::place::Place;
use crate::model::schema::SqlLiteral;
use crate::model::value::{Draw, Literal, Nullness, Shape, Value, ValueSource};
use crate::sql::cursor::QualifiedName;
use crate::sql::statement::{self, DrawSource, Expression, Form, Name, Placeholder};

/// Makes values of the expressions of one statement.
pub struct Values<'a> {
    place: &'a dyn Fn(u32, u32) -> Place,
    param: &'a mut dyn FnMut(&Placeholder, &str, &Place) -> Value,
}

impl<'a> Values<'a> {
    /// `place` says where a stretch of the statement is written, `param` what a placeholder that
    /// stands there is given.
    pub fn new(
        place: &'a dyn Fn(u32, u32) -> Place,
        param: &'a mut dyn FnMut(&Placeholder, &str, &Place) -> Value,
    ) -> Self {
        Self { place, param }
    }

    pub(super) fn place(&self, start: u32, end: u32) -> Place {
        (self.place)(start, end)
    }

    pub(super) fn whole(&self) -> Place {
        self.place(0, 6)
    }

    /// The assignments of one row; `DEFAULT` leaves its column to the table.
    pub(super) fn row(&mut self, columns: &[Name], row: &[Expression]) -> Vec<Assignment> {
        let mut writes = Vec::with_capacity(row.len());
        for (name, value) in columns.iter().zip(row) {
            if value.form != Form::Default {
                writes.push(self.assignment(
                    name,
                    self.place(name.start, name.end),
                    value,
                    None,
                    &[],
                ));
            }
        }
        writes
    }

    /// The assignments of SET; `proposed` is the row that an insert proposes. One that is guarded by
    /// a version reads its own row without harm.
    pub(super) fn set(
        &mut self,
        table: &QualifiedName,
        set: &[statement::Assignment],
        proposed: &[Assignment],
        guarded: bool,
    ) -> Vec<Assignment> {
        let mut writes = Vec::with_capacity(set.len());
        for it in set {
            let own = (&table.name, &it.column.name);
            if keeps(&it.column.name, &it.value) || it.value.form == Form::Default {
                continue;
            }
            let place = self.place(it.column.start, it.column.end);
            let mut write = self.assignment(&it.column, place, &it.value, Some(own), proposed);
            if guarded {
                write
                    .value
                    .draws
                    .retain(|draw| draw.source != ValueSource::LiveState);
            }
            writes.push(write);
        }
        writes
    }

    fn assignment(
        &mut self,
        name: &Name,
        place: Place,
        value: &Expression,
        own: Option<(&Arc<str>, &Arc<str>)>,
        proposed: &[Assignment],
    ) -> Assignment {
        Assignment {
            field: Arc::clone(&name.name),
            place,
            value: self.value(value, own, proposed),
            by_platform: false,
        }
    }

    /// A value; `own` is the table and column that it is assigned to by an update.
    pub(super) fn value(
        &mut self,
        expression: &Expression,
        own: Option<(&Arc<str>, &Arc<str>)>,
        proposed: &[Assignment],
    ) -> Value {
        let place = self.place(expression.start, expression.end);
        if let Form::Literal(literal) = &expression.form {
            return constant(literal, expression, place);
        }
        let mut draws = Vec::new();
        let mut nulls = Vec::new();
        let mut reads_itself = false;
        for draw in &expression.draws {
            let here = self.place(draw.start, draw.end);
            let one = |source, note: Option<&str>| Draw {
                source,
                what: Arc::clone(&draw.text),
                place: here.clone(),
                field: None,
                note: note.map(Arc::from),
            };
            match &draw.source {
                DrawSource::Placeholder(wanted) => {
                    let value = (self.param)(wanted, &draw.text, &here);
                    if expression.form == Form::Plain {
                        return value;
                    }
                    nulls.push(value.null);
                    draws.extend(value.draws);
                }
                DrawSource::Proposed(name) => {
                    let mut written = proposed.iter();
                    match written.find(|write| write.field.eq_ignore_ascii_case(name)) {
                        Some(write) if expression.form == Form::Plain => {
                            return write.value.clone();
                        }
                        Some(write) => {
                            nulls.push(write.value.null);
                            draws.extend(write.value.draws.clone());
                        }
                        None => {
                            nulls.push(Nullness::Unknown);
                            draws.push(one(
                                ValueSource::Unknown,
                                Some("the insert gives that column no value"),
                            ));
                        }
                    }
                }
                DrawSource::Column { of, name } => {
                    let itself = own.is_some_and(|(table, column)| {
                        column.eq_ignore_ascii_case(name)
                            && of.as_ref().is_none_or(|of| of.eq_ignore_ascii_case(table))
                    });
                    reads_itself |= itself;
                    nulls.push(Nullness::Unknown);
                    // Filling what is empty, or keeping the greater, ends in the same each time.
                    let settles = matches!(expression.form, Form::FirstKnown | Form::Extreme);
                    if !(itself && settles) {
                        draws.push(one(ValueSource::LiveState, None));
                    }
                }
                DrawSource::Clock => draws.push(one(ValueSource::Clock, None)),
                DrawSource::Random => draws.push(one(ValueSource::Random, None)),
                DrawSource::Sequence => draws.push(one(ValueSource::Sequence, None)),
                DrawSource::Query => {
                    nulls.push(Nullness::Unknown);
                    draws.push(one(ValueSource::LiveState, None));
                }
                DrawSource::Function => {
                    nulls.push(Nullness::Unknown);
                    draws.push(one(
                        ValueSource::Unknown,
                        Some("no list says what this function does"),
                    ));
                }
            }
        }
        Value {
            text: Arc::clone(&expression.text),
            place,
            draws,
            null: either(&nulls),
            constant: None,
            fails: None,
            shape: shape(&expression.form, reads_itself),
        }
    }

    /// An expression that live rows decide, whatever else stands in it.
    pub(super) fn live(&mut self, expression: &Expression) -> Value {
        let mut value = self.value(expression, None, &[]);
        if !value
            .draws
            .iter()
            .any(|draw| draw.source == ValueSource::LiveState)
        {
            value.draws.extend(
                self.live_text(&expression.text, expression.start, expression.end)
                    .draws,
            );
        }
        value.shape = Shape::Computed;
        value.constant = None;
        value
    }

    pub(super) fn live_text(&self, text: &str, start: u32, end: u32) -> Value {
        let place = self.place(start, end);
        Value {
            text: text.into(),
            place: place.clone(),
            draws: vec![Draw {
                source: ValueSource::LiveState,
                what: text.into(),
                place,
                field: None,
                note: None,
            }],
            null: Nullness::Unknown,
            constant: None,
            fails: None,
            shape: Shape::Computed,
        }
    }

    /// One value of several that name a row together.
    pub(super) fn joined(&self, parts: &[Value]) -> Value {
        if let [only] = parts {
            return only.clone();
        }
        let texts: Vec<&str> = parts.iter().map(|part| &*part.text).collect();
        Value {
            text: texts.join(", ").into(),
            place: parts
                .first()
                .map_or_else(|| self.whole(), |part| part.place.clone()),
            draws: parts.iter().flat_map(|part| part.draws.clone()).collect(),
            null: Nullness::Unknown,
            constant: None,
            fails: None,
            shape: Shape::Computed,
        }
    }
}

/// `id = id`, `id = LAST_INSERT_ID(id)` and `n = GREATEST(n, EXCLUDED.n)` change nothing in the row
/// that the same statement inserted.
fn keeps(column: &str, value: &Expression) -> bool {
    let inside = value
        .text
        .to_ascii_lowercase()
        .strip_prefix("last_insert_id(")
        .and_then(|rest| rest.strip_suffix(')').map(|name| name.trim().to_owned()));
    let itself = matches!(
        (value.form.clone(), value.draws.as_slice()),
        (Form::Plain, [statement::Draw { source: DrawSource::Column { name, .. }, .. }]) if name.eq_ignore_ascii_case(column)
    );
    let settles = matches!(value.form, Form::Extreme | Form::FirstKnown)
        && value.draws.len() == 2
        && value.draws.iter().all(|draw| match &draw.source {
            DrawSource::Column { name, .. } | DrawSource::Proposed(name) => {
                name.eq_ignore_ascii_case(column)
            }
            _ => false,
        })
        && value
            .draws
            .iter()
            .any(|draw| matches!(draw.source, DrawSource::Proposed(_)));
    itself
        || settles
        || inside.is_some_and(|name| name.trim_matches('`').eq_ignore_ascii_case(column))
}

fn constant(literal: &SqlLiteral, expression: &Expression, place: Place) -> Value {
    let (constant, null) = match literal {
        SqlLiteral::Null => (Literal::Null, Nullness::Always),
        SqlLiteral::Bool(value) => (Literal::Bool(*value), Nullness::Never),
        SqlLiteral::Number(number) => (Literal::Number(Arc::clone(number)), Nullness::Never),
        SqlLiteral::String(text) => (Literal::String(Arc::clone(text)), Nullness::Never),
    };
    Value {
        text: Arc::clone(&expression.text),
        place,
        draws: Vec::new(),
        null,
        constant: Some(constant),
        fails: None,
        shape: Shape::Constant,
    }
}

fn either(nulls: &[Nullness]) -> Nullness {
    let has = |wanted| nulls.contains(&wanted);
    if has(Nullness::Unknown) {
        Nullness::Unknown
    } else if has(Nullness::Maybe) || has(Nullness::Always) {
        Nullness::Maybe
    } else {
        Nullness::Never
    }
}

fn shape(form: &Form, reads_itself: bool) -> Shape {
    match form {
        Form::Plain => Shape::Plain,
        Form::Arithmetic if reads_itself => Shape::Accumulates,
        Form::Negation if reads_itself => Shape::Toggles,
        Form::FirstKnown if reads_itself => Shape::FillsEmpty,
        Form::Extreme if reads_itself => Shape::Normalises,
        Form::Literal(_) => Shape::Constant,
        _ => Shape::Computed,
    }
}
