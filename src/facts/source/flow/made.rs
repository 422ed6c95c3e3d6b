//! What the key of a claim, and the condition of an update, are made of: a claim whose key differs
//! from delivery to delivery, or is the same for all events, stops nothing.

use std::collections::BTreeMap;

use crate::model::redelivery::KeySource;
use crate::model::source::{Call, Expr, ExprKind, Language};
use crate::sql::standing::{Again, Change, Row, Standing, standing};
use crate::sql::statement::{DrawSource, Expression, Form, Placeholder};

use super::super::effects::dialect;
use super::super::frame::Frame;
use super::Flow;
use super::state::Val;
use super::statements::{Kind, Statement};

/// What stands behind a placeholder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Param {
    /// What it is made of.
    pub(super) from: KeySource,
    /// Its text, where that is one and known.
    pub(super) constant: Option<String>,
}

/// What stands behind the placeholders of a statement.
pub(super) type Params = BTreeMap<Placeholder, Param>;

/// What a statement says, where it could be read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Said {
    /// Its text.
    pub(super) sql: String,
    /// The row that it inserts.
    pub(super) row: Option<Row>,
    /// The update that it is.
    pub(super) change: Option<Change>,
    /// What it is given.
    pub(super) params: Params,
    /// How many values were bound to it so far.
    pub(super) bound: u32,
}

/// True of what no delivery draws twice.
fn varies(from: KeySource) -> bool {
    matches!(
        from,
        KeySource::Random | KeySource::Clock | KeySource::Attempt
    )
}

/// True of what tells one event from another, and is the same on each delivery of one.
fn tells(from: KeySource) -> bool {
    matches!(
        from,
        KeySource::EventId | KeySource::Snapshot | KeySource::Payload
    )
}

/// What parts make together, where each of them is part of the key.
fn together(parts: &[KeySource]) -> KeySource {
    let first = |is: &dyn Fn(KeySource) -> bool| parts.iter().copied().find(|part| is(*part));
    first(&varies)
        .or_else(|| first(&|part| part == KeySource::Unknown))
        .or_else(|| first(&tells))
        .unwrap_or(KeySource::Constant)
}

/// What values make of which some, nobody says which, are the key.
fn among(parts: &[KeySource]) -> KeySource {
    let first = |is: &dyn Fn(KeySource) -> bool| parts.iter().copied().find(|part| is(*part));
    first(&tells)
        .or_else(|| first(&|part| part == KeySource::Unknown))
        .or_else(|| first(&varies))
        .unwrap_or(match parts {
            [] => KeySource::Unknown,
            _ => KeySource::Constant,
        })
}

impl Said {
    fn of(&self, value: &Expression) -> KeySource {
        if value.form == Form::Default {
            return KeySource::Unknown;
        }
        let parts: Vec<KeySource> = value
            .draws
            .iter()
            .map(|draw| match &draw.source {
                DrawSource::Placeholder(at) => self.param(at),
                DrawSource::Clock => KeySource::Clock,
                DrawSource::Random | DrawSource::Sequence => KeySource::Random,
                DrawSource::Column { .. } | DrawSource::Proposed(_) => KeySource::Snapshot,
                DrawSource::Query | DrawSource::Function => KeySource::Unknown,
            })
            .collect();
        together(&parts)
    }

    fn param(&self, at: &Placeholder) -> KeySource {
        self.params
            .get(at)
            .map_or(KeySource::Unknown, |param| param.from)
    }

    /// What the key of the row is made of.
    fn key(&self, row: &Row) -> KeySource {
        let all = |keep: &dyn Fn(&Option<std::sync::Arc<str>>) -> bool| -> Vec<KeySource> {
            let kept = row.values.iter().filter(|(column, _)| keep(column));
            kept.map(|(_, value)| self.of(value)).collect()
        };
        let named = row.values.iter().all(|(column, _)| column.is_some());
        match &row.key {
            Some(key) if named => {
                let parts = all(&|column| {
                    let mut key = key.iter();
                    column
                        .as_ref()
                        .is_some_and(|it| key.any(|part| part.eq_ignore_ascii_case(it)))
                });
                match parts.is_empty() {
                    // What the engine gives by itself is drawn anew.
                    true => KeySource::Random,
                    false => together(&parts),
                }
            }
            _ => among(&all(&|_| true)),
        }
    }

    /// True of a row that is the same for every event.
    fn is_one_row(&self, row: &Row) -> bool {
        let mut values = row.values.iter();
        values.all(|(_, value)| self.of(value) == KeySource::Constant)
    }

    /// Whether the update finds its row again, with the constants that it is given.
    fn again(&self, change: &Change) -> Again {
        if change.again != Again::Unknown {
            return change.again;
        }
        let text = self.with_constants(change);
        match standing(&text, dialect(&self.sql)) {
            Some(Standing::UpdateIf(change)) => change.again,
            _ => Again::Unknown,
        }
    }

    /// The text with the constants in the place of their placeholders.
    fn with_constants(&self, change: &Change) -> String {
        let mut text = self.sql.clone();
        for (at, start, end) in change.given.iter().rev() {
            let constant = self
                .params
                .get(at)
                .and_then(|param| param.constant.as_ref());
            if let (Some(constant), Some(_)) = (constant, text.get(*start..*end)) {
                let literal = format!("'{}'", constant.replace('\'', "''"));
                text.replace_range(*start..*end, &literal);
            }
        }
        text
    }

    /// True if the condition of the update asks for anything that the event says.
    fn names_event(&self) -> bool {
        let mut params = self.params.values();
        params.any(|param| tells(param.from) || param.from == KeySource::Unknown)
    }

    /// What another way gives, added: the worse of both.
    pub(super) fn meet(&mut self, other: Said) {
        for (at, param) in other.params {
            let known = self.params.entry(at).or_insert_with(|| param.clone());
            known.from = together(&[known.from, param.from]);
            if known.constant != param.constant {
                known.constant = None;
            }
        }
        self.bound = other.bound;
    }
}

impl Statement {
    /// Why it keeps no further delivery apart, whatever is done with its result.
    pub(super) fn weakness(&self, is_own: bool) -> Option<&'static str> {
        let said = self.said.as_ref()?;
        match self.kind {
            Kind::Claim | Kind::Insert | Kind::Ttl => {
                let from = match (&said.row, said.params.values().next()) {
                    (Some(row), _)
                        if is_own && self.kind == Kind::Claim && said.is_one_row(row) =>
                    {
                        return None;
                    }
                    (Some(row), _) => said.key(row),
                    (None, Some(key)) => key.from,
                    (None, None) => return None,
                };
                match from {
                    KeySource::Random => {
                        Some("its key is drawn at random: a further delivery has another one")
                    }
                    KeySource::Clock => {
                        Some("its key is drawn from a clock: a further delivery has another one")
                    }
                    KeySource::Attempt => {
                        Some("its key differs from attempt to attempt: no repetition is recognised")
                    }
                    KeySource::Constant => Some(
                        "its key is the same for every event: whatever comes after the first is taken for a repetition",
                    ),
                    KeySource::Unknown => Some("the tree does not show what its key is made of"),
                    KeySource::EventId | KeySource::Snapshot | KeySource::Payload => None,
                }
            }
            Kind::UpdateIf => match said.change.as_ref().map(|change| said.again(change)) {
                Some(Again::Yes) => Some(
                    "it asks for just what it sets: it finds the row again on a further delivery",
                ),
                Some(Again::Unknown) => Some(
                    "it is not shown that what it sets ends what it asks for: a further delivery may find the row again",
                ),
                Some(Again::No) if !said.names_event() => {
                    Some("it names no row of the event: a further delivery takes another one")
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// True of an update that asks for a column that it changes.
    pub(super) fn is_conditional(&self) -> bool {
        let change = self.said.as_ref().and_then(|said| said.change.as_ref());
        change.is_some_and(|change| change.asks)
    }

    /// Keeps what it says on one more way.
    pub(super) fn says(&mut self, said: Said) {
        match &mut self.said {
            None => self.said = Some(said),
            Some(known) => known.meet(said),
        }
    }
}

impl<'a> Flow<'a, '_> {
    /// What a call gives to the placeholders of its statement: the arguments behind the text, or
    /// the parts of the one list or table that stands there.
    pub(super) fn params(
        &self,
        call: &'a Call,
        behind: usize,
        args: &[Val],
        frame: &Frame<'a, '_>,
    ) -> Params {
        let mut params = Params::new();
        let rest = call.args.get(behind..).unwrap_or_default();
        if let ([one], true) = (rest, frame.file.language != Language::Go || rest.len() == 1) {
            self.parts_of_list(one, frame, &mut params);
        }
        if params.is_empty() {
            for (at, arg) in rest.iter().enumerate() {
                let drawn = args.get(behind + at).is_some_and(|val| self.is_drawn(val));
                let param = self.param(arg, drawn, frame);
                params.insert(Placeholder::Position(at as u32 + 1), param);
            }
        }
        params
    }

    fn parts_of_list(&self, list: &'a Expr, frame: &Frame<'a, '_>, params: &mut Params) {
        self.analysis.refuel();
        let mut found = Vec::new();
        self.analysis.origins(list, 0, frame, &mut |origin, inner| {
            let ExprKind::Make { fields, .. } = &origin.kind else {
                return;
            };
            for (at, field) in fields.iter().enumerate() {
                let key = field.key.as_ref().and_then(|key| match &key.kind {
                    ExprKind::Text(text) => Some(text.clone()),
                    _ => None,
                });
                let at = match field.name.clone().or(key) {
                    Some(name) => Placeholder::Name(name),
                    None => Placeholder::Position(at as u32 + 1),
                };
                found.push((at, self.param(&field.value, false, inner)));
            }
        });
        for (at, param) in found {
            params.entry(at).or_insert(param);
        }
    }

    /// True of what a read without a table gave: the next number of a sequence.
    pub(super) fn is_drawn(&self, val: &Val) -> bool {
        let mut of = val.of.iter().filter_map(|of| self.statements.get(*of));
        of.any(|of| of.kind == Kind::Read && of.table.is_empty() && of.said.is_some())
    }

    /// What one value is made of.
    pub(super) fn param(&self, value: &'a Expr, drawn: bool, frame: &Frame<'a, '_>) -> Param {
        let from = match drawn {
            true => KeySource::Random,
            false => self.made_of(value, frame),
        };
        Param {
            constant: self.constant(value, frame),
            from,
        }
    }

    /// The text of a value, or the name of a constant whose text is not known.
    pub(super) fn constant(&self, value: &'a Expr, frame: &Frame<'a, '_>) -> Option<String> {
        self.analysis.refuel();
        let texts = self.analysis.texts(value, frame);
        if let ([one], true) = (&texts.options[..], texts.complete)
            && let Some(text) = one.constant()
        {
            return Some(text.to_owned());
        }
        let is_outer = |name: &str| frame.binding(self.analysis, name, value.at).is_none();
        match &value.kind {
            ExprKind::Name(name) if name.contains("::") && is_outer(name) => Some(name.to_string()),
            ExprKind::Field { of, name, .. } => {
                let package = self.analysis.package_of(of, frame)?;
                Some(format!("{package}.{name}"))
            }
            _ => None,
        }
    }

    /// `.bind(x)`: one more value for the statements that a value is of.
    pub(super) fn bind_value(&mut self, call: &'a Call, of: &Val, frame: &Frame<'a, '_>) {
        let Some(value) = call.args.first() else {
            return;
        };
        let param = self.param(value, false, frame);
        for number in &of.of {
            let statement = self.statements.get_mut(*number);
            if let Some(said) = statement.and_then(|it| it.said.as_mut()) {
                said.bound += 1;
                let at = Placeholder::Position(said.bound);
                said.meet(Said {
                    params: [(at, param.clone())].into(),
                    bound: said.bound,
                    ..Said::default()
                });
            }
        }
    }
}
