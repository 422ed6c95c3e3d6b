//! Statements that no text spells out: built by methods of a library, told as the SQL that they are.

use crate::model::source::{Call, Expr, ExprKind, Language, Operator};
use crate::rules::GuardRole;
use crate::sql::standing::{Standing, standing};
use crate::sql::statement::Placeholder;

use super::super::effects::dialect;
use super::super::frame::Frame;
use super::super::resolve::Callee;
use super::super::texts::called_name;
use super::Flow;
use super::made::{Params, Said};
use super::state::{State, Val};
use super::statements::Kind;

/// The parts of a statement that is built.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Built {
    /// `column = value`
    set: Vec<(String, String)>,
    /// Conditions.
    asks: Vec<String>,
    /// What stands behind the placeholders.
    params: Params,
}

impl<'a> Flow<'a, '_> {
    /// True of a statement of a library that begins a transaction by itself.
    pub(super) fn is_implicit(
        &self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> bool {
        let django = match callee {
            Callee::Method { receivers, .. } => {
                receivers.iter().any(|of| of.starts_with("django."))
            }
            _ => false,
        };
        let mut rules = self.analysis.rules.effects.iter();
        let rule = rules.find(|rule| {
            rule.language == frame.file.language
                && self
                    .analysis
                    .fits(&rule.call, call, callee, frame)
                    .is_some()
        });
        !django && rule.is_some_and(|rule| rule.implicit)
    }

    /// Reads what a call says of a statement without a text: its arguments, and the calls before it
    /// in the chain.
    pub(super) fn built(
        &mut self,
        number: usize,
        call: &'a Call,
        receiver: &Val,
        frame: &Frame<'a, '_>,
    ) {
        if let Some(statement) = self.statements.get_mut(number) {
            statement.built = Built::default();
            statement.raises = frame.file.language == Language::Python;
        }
        let mut at = &call.callee;
        while let ExprKind::Field { of, .. } = &at.kind
            && let ExprKind::Call(before) = &of.kind
        {
            for (role, not) in [(GuardRole::Asks, false), (GuardRole::AsksNot, true)] {
                if self.has_role(before, frame, role) {
                    self.asks(number, before, not, frame);
                }
            }
            at = &before.callee;
        }
        self.sets(number, call, frame);
        // `order.save()`, behind `order.state = …`
        let is_object = call.args.is_empty()
            || call
                .named
                .iter()
                .all(|(_, name)| &**name == "update_fields");
        if is_object && called_name(call) != "insert" {
            let fields = self
                .update_fields(call, frame)
                .unwrap_or_else(|| receiver.set.clone());
            if let Some(statement) = self.statements.get_mut(number) {
                statement.fields = Some(fields);
            }
        }
        self.tell(number);
    }

    fn update_fields(
        &self,
        call: &'a Call,
        frame: &Frame<'a, '_>,
    ) -> Option<std::collections::BTreeSet<std::sync::Arc<str>>> {
        let (at, _) = call
            .named
            .iter()
            .find(|(_, name)| &**name == "update_fields")?;
        self.analysis.refuel();
        let items = self.analysis.item_texts(call.args.get(*at)?, frame)?;
        Some(items.constants().into_iter().map(Into::into).collect())
    }

    /// One more part of the statements that a value is of: `.where(…)`, `.values(…)`.
    pub(super) fn built_on(
        &mut self,
        role: GuardRole,
        call: &'a Call,
        val: &Val,
        frame: &Frame<'a, '_>,
        state: &mut State<'a>,
    ) {
        for number in val.of.clone() {
            match role {
                GuardRole::Sets => self.sets(number, call, frame),
                GuardRole::IgnoreConflict => {
                    if let Some(statement) = self.statements.get_mut(number)
                        && statement.kind == Kind::Insert
                    {
                        statement.kind = Kind::Claim;
                        // It no longer raises where its key is taken.
                        state.passed.remove(&number);
                    }
                }
                role => self.asks(number, call, role == GuardRole::AsksNot, frame),
            }
            self.tell(number);
        }
    }

    fn sets(&mut self, number: usize, call: &'a Call, frame: &Frame<'a, '_>) {
        for (at, name) in &call.named {
            let Some(value) = call.args.get(*at) else {
                continue;
            };
            if &**name == "defaults" || name.starts_with("update_") || name.starts_with("index_") {
                continue;
            }
            let text = self.sql_of_value(number, value, frame);
            if let Some(statement) = self.statements.get_mut(number) {
                statement.built.set.push((name.to_string(), text));
            }
        }
    }

    fn asks(&mut self, number: usize, call: &'a Call, not: bool, frame: &Frame<'a, '_>) {
        let mut all = Vec::new();
        for (at, arg) in call.args.iter().enumerate() {
            let named = call.named.iter().find(|(of, _)| *of == at);
            let text = match (named, &arg.kind) {
                (Some((_, name)), _) => self.sql_of_lookup(number, name, arg, frame),
                (None, ExprKind::Binary { op, left, right }) => {
                    self.sql_of_comparison(number, *op, left, right, frame)
                }
                _ => None,
            };
            all.extend(text);
        }
        if all.is_empty() {
            return;
        }
        let all = all.join(" AND ");
        let text = if not { format!("NOT ({all})") } else { all };
        if let Some(statement) = self.statements.get_mut(number) {
            statement.built.asks.push(text);
        }
    }

    /// `state="open"`, `state__in=[…]`, `paid_at__isnull=True`.
    fn sql_of_lookup(
        &mut self,
        number: usize,
        name: &str,
        value: &'a Expr,
        frame: &Frame<'a, '_>,
    ) -> Option<String> {
        let (column, lookup) = name.split_once("__").unwrap_or((name, "exact"));
        let operator = match lookup {
            "exact" => "=",
            "lt" => "<",
            "lte" => "<=",
            "gt" => ">",
            "gte" => ">=",
            "isnull" => {
                let is = matches!(value.kind, ExprKind::Bool(true));
                return Some(format!("{column} IS {}NULL", if is { "" } else { "NOT " }));
            }
            "in" => {
                let ExprKind::Make { fields, .. } = &value.kind else {
                    return None;
                };
                let items: Vec<String> = fields
                    .iter()
                    .map(|field| self.sql_of_value(number, &field.value, frame))
                    .collect();
                return Some(format!("{column} IN ({})", items.join(", ")));
            }
            _ => return None,
        };
        let text = self.sql_of_value(number, value, frame);
        Some(format!("{column} {operator} {text}"))
    }

    /// `Order.state == "open"`
    fn sql_of_comparison(
        &mut self,
        number: usize,
        op: Operator,
        left: &'a Expr,
        right: &'a Expr,
        frame: &Frame<'a, '_>,
    ) -> Option<String> {
        let operator = match op {
            Operator::Equal => "=",
            Operator::NotEqual => "<>",
            Operator::Less => "<",
            Operator::AtMost => "<=",
            Operator::More => ">",
            Operator::AtLeast => ">=",
            _ => return None,
        };
        let ExprKind::Field { name, .. } = &left.kind else {
            return None;
        };
        let value = self.sql_of_value(number, right, frame);
        Some(format!("{name} {operator} {value}"))
    }

    /// A value as SQL: a constant, one more than a column, else a placeholder.
    fn sql_of_value(&mut self, number: usize, value: &'a Expr, frame: &Frame<'a, '_>) -> String {
        match &value.kind {
            ExprKind::Bool(truth) => return if *truth { "TRUE" } else { "FALSE" }.to_owned(),
            ExprKind::Nil => return "NULL".to_owned(),
            // `F("tries") + 1`
            ExprKind::Binary {
                op: Operator::Add | Operator::Subtract,
                left,
                ..
            } => {
                if let ExprKind::Call(call) = &left.kind
                    && let Some(ExprKind::Text(column)) = call.args.first().map(|arg| &arg.kind)
                {
                    return format!("{column} + 1");
                }
            }
            _ => {}
        }
        let param = self.param(value, false, frame);
        if let Some(constant) = &param.constant {
            return format!("'{}'", constant.replace('\'', "''"));
        }
        let Some(statement) = self.statements.get_mut(number) else {
            return "NULL".to_owned();
        };
        let name = format!("p{}", statement.built.params.len() + 1);
        let at = Placeholder::Name(name.as_str().into());
        statement.built.params.insert(at, param);
        format!(":{name}")
    }

    /// Reads the statement that the parts make.
    fn tell(&mut self, number: usize) {
        let Some(statement) = self.statements.get_mut(number) else {
            return;
        };
        let Built { set, asks, params } = &statement.built;
        let sql = match statement.kind {
            Kind::UpdateIf if !asks.is_empty() && !set.is_empty() => {
                let set: Vec<String> = set
                    .iter()
                    .map(|(name, value)| format!("{name} = {value}"))
                    .collect();
                format!(
                    "UPDATE t SET {} WHERE {}",
                    set.join(", "),
                    asks.join(" AND ")
                )
            }
            Kind::Claim | Kind::Insert if !set.is_empty() => {
                let (names, values): (Vec<&str>, Vec<&str>) =
                    set.iter().map(|(name, value)| (&**name, &**value)).unzip();
                format!(
                    "INSERT INTO t ({}) VALUES ({})",
                    names.join(", "),
                    values.join(", ")
                )
            }
            _ => return,
        };
        let mut said = Said {
            params: params.clone(),
            ..Said::default()
        };
        match standing(&sql, dialect(&sql)) {
            Some(Standing::UpdateIf(change) | Standing::Update(change)) => {
                said.change = Some(change)
            }
            Some(Standing::Insert(row)) => said.row = Some(row),
            _ => return,
        }
        said.sql = sql;
        if let Some(known) = statement.said.take() {
            said.meet(known);
        }
        statement.said = Some(said);
    }
}
