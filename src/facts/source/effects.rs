//! What a call leaves behind by itself: by the rules for libraries, and by the SQL it is given.

use std::sync::Arc;

use crate::model::effect::EffectKind;
use crate::model::map::Sureness;
use crate::model::schema::Dialect;
use crate::model::source::{Call, Expr, ExprKind};
use crate::model::value::ValueSource;
use crate::rules::{EffectRule, TargetSource};
use crate::sql::verbs::{Verbs, verbs};

use super::frame::{Analysis, Frame};
use super::matching::argument;
use super::resolve::Callee;
use super::subscriptions::short;
use super::text::Text;
use super::texts::called_name;

/// The effects of one call.
#[derive(Debug)]
pub(super) struct Effects {
    /// Each one; empty for a call that only reads.
    pub(super) found: Vec<Found>,
    /// What the SQL text draws from by itself.
    pub(super) in_sql: Vec<(ValueSource, String)>,
    /// The rule that says what the call is.
    pub(super) rule: Arc<str>,
    /// How sure it is.
    pub(super) sure: Sureness,
}

/// One effect of a call.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    /// What it does.
    pub(super) kind: EffectKind,
    /// What it acts on.
    pub(super) target: String,
    /// The SQL text.
    pub(super) sql: Option<Arc<str>>,
}

impl<'a> Analysis<'a> {
    /// The effects of a call, if a rule speaks of it.
    pub(super) fn effects_of(
        &self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> Option<Effects> {
        let (rule, sure) = self.rules.effects.iter().find_map(|rule| {
            let known = rule.language == frame.file.language;
            let sure = known.then(|| self.fits(&rule.call, call, callee, frame))??;
            Some((rule, sure))
        })?;
        let mut in_sql = Vec::new();
        let found = match rule
            .sql
            .and_then(|arg| argument(call, Some(arg), &rule.sql_named))
        {
            // What builds the statement is told by itself.
            Some(sql) if self.is_built(sql, rule, frame) => Vec::new(),
            Some(sql) => {
                let texts = self.texts(sql, frame);
                let mut found: Vec<Found> = Vec::new();
                for text in &texts.options {
                    in_sql.extend(super::draws::of_sql(text));
                    let sql: Arc<str> = text.as_sql().into();
                    for (kind, target) in of_sql(text, rule) {
                        let mut others = found.iter_mut();
                        match others.find(|other| other.kind == kind && other.target == target) {
                            // Which of several texts runs is not told: none of them is.
                            Some(known) => known.sql = known.sql.take().filter(|it| *it == sql),
                            None => found.push(Found {
                                kind,
                                target,
                                sql: Some(Arc::clone(&sql)),
                            }),
                        }
                    }
                }
                found
            }
            None => match rule.kind {
                Some(kind) => vec![Found {
                    kind,
                    target: self.target(&rule.target, call, frame),
                    sql: None,
                }],
                None => Vec::new(),
            },
        };
        Some(Effects {
            found,
            in_sql,
            rule: Arc::clone(&rule.id),
            sure,
        })
    }

    /// The SQL texts that a call is given, of one that reads too.
    pub(super) fn sql_of(
        &self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> Vec<Text> {
        let rule = self.rules.effects.iter().find(|rule| {
            rule.language == frame.file.language
                && rule.sql.is_some()
                && self.fits(&rule.call, call, callee, frame).is_some()
        });
        let arg = rule.and_then(|rule| call.args.get(rule.sql?.checked_sub(1)?));
        arg.map_or_else(Vec::new, |arg| self.texts(arg, frame).options)
    }

    /// The rule that says what a call does to the database, with its statement where all texts that
    /// it can be are one.
    pub(super) fn statement_of(
        &self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> Option<(&'a EffectRule, Option<Text>)> {
        let rule = self.rules.effects.iter().find(|rule| {
            rule.language == frame.file.language
                && self.fits(&rule.call, call, callee, frame).is_some()
        })?;
        let Some(sql) = rule.sql.and_then(|arg| call.args.get(arg.checked_sub(1)?)) else {
            return Some((rule, None));
        };
        let mut texts = self.texts(sql, frame).options;
        match texts.len() {
            1 => Some((rule, texts.pop())),
            _ => None,
        }
    }

    /// True of a call that a rule speaks of, unless it is known to read only.
    pub(super) fn speaks_of_effect(
        &self,
        call: &'a Call,
        callee: &Callee<'a>,
        frame: &Frame<'a, '_>,
    ) -> bool {
        self.rules.effects.iter().any(|rule| {
            rule.language == frame.file.language
                && self.fits(&rule.call, call, callee, frame).is_some()
        })
    }

    /// The type of the rows of a query on which a method is called.
    pub(super) fn rows_of(&self, call: &'a Call, frame: &Frame<'a, '_>) -> Option<String> {
        let held = TargetSource {
            held: true,
            ..TargetSource::default()
        };
        Some(self.target(&held, call, frame)).filter(|name| name != "?")
    }

    fn target(&self, source: &TargetSource, call: &'a Call, frame: &Frame<'a, '_>) -> String {
        let arg = |at: usize| argument(call, Some(at), &source.named);
        if let Some(name) = self.chained(&source.chained, call, frame) {
            return name;
        }
        if let Some(arg) = source.type_of.and_then(arg)
            && let Some(name) = self.row_type(arg, frame)
        {
            return short(&name).to_owned();
        }
        if source.held
            && let ExprKind::Field { of, .. } = &call.callee.kind
        {
            let of = self.type_of(of, frame);
            let held = of.and_then(|of| self.held_by(&of, frame));
            let names = held.map_or_else(Vec::new, |held| self.names_of(&held));
            if let Some(name) = names.first() {
                return table_of(name).to_owned();
            }
        }
        if source.receiver_name
            && let ExprKind::Field { of, .. } = &call.callee.kind
            && let ExprKind::Name(name) | ExprKind::Field { name, .. } = &of.kind
        {
            return name.to_string();
        }
        if let Some(name) = self.maker_names(source, call, frame) {
            return name;
        }
        if let Some(arg) = source.path.and_then(arg) {
            if let ExprKind::Name(path) = &arg.kind {
                return table_of(path).to_owned();
            }
            return "?".to_owned();
        }
        if let Some(arg) = source.arg.and_then(arg) {
            let texts = self.texts(arg, frame);
            let names: Vec<String> = texts.options.iter().map(Text::shown).collect();
            return names.join(" | ");
        }
        if let Some(list) = source.items.and_then(arg) {
            let items = self.item_texts(list, frame);
            let last = items.and_then(|items| items.options.last().map(Text::shown));
            return last.unwrap_or_else(|| "?".to_owned());
        }
        if source.receiver {
            match &call.callee.kind {
                ExprKind::Field { of, .. } => {
                    let of = match &of.kind {
                        // `super().save()` is about the receiver.
                        ExprKind::Cast { value, .. } => value,
                        _ => of,
                    };
                    let of = self.type_of(of, frame);
                    let names = of.map_or_else(Vec::new, |of| self.names_of(&of));
                    if let Some(name) = names.first() {
                        return table_of(name).to_owned();
                    }
                }
                ExprKind::Name(path) => {
                    let of = path.rsplit_once("::").map_or(&**path, |(of, _)| of);
                    return table_of(&self.program.named(frame.file, of)).to_owned();
                }
                _ => {}
            }
        }
        let word = source.word.as_ref();
        word.map_or_else(|| "?".to_owned(), |word| word.to_string())
    }
}

impl<'a> Analysis<'a> {
    /// What the function that made the first argument was given.
    fn maker_names(
        &self,
        source: &TargetSource,
        call: &'a Call,
        frame: &Frame<'a, '_>,
    ) -> Option<String> {
        if source.made_by.is_empty() {
            return None;
        }
        let mut names: Vec<String> = Vec::new();
        self.origins(call.args.first()?, 0, frame, &mut |made, inner| {
            let ExprKind::Call(call) = &made.kind else {
                return;
            };
            let Callee::External(full) = self.resolve(call, inner) else {
                return;
            };
            let at = source.made_by.get(&*full).copied();
            if let Some(arg) = at.and_then(|at| call.args.get(at.checked_sub(1)?)) {
                let texts = self.texts(arg, inner);
                names.extend(texts.options.iter().map(Text::shown));
            }
        });
        names.dedup();
        (!names.is_empty()).then(|| names.join(" | "))
    }

    /// The type of a value, or of the items of a list that is written out.
    fn row_type(&self, arg: &'a Expr, frame: &Frame<'a, '_>) -> Option<String> {
        self.row_types(arg, frame)?.into_iter().next()
    }

    /// The same with the types that it is made of.
    pub(super) fn row_types(&self, arg: &'a Expr, frame: &Frame<'a, '_>) -> Option<Vec<String>> {
        if let Some(of) = self.type_of(arg, frame) {
            let names = self.names_of(&of);
            if !names.is_empty() && names != ["[]"] {
                return Some(names);
            }
        }
        let mut found = None;
        self.origins(arg, 0, frame, &mut |origin, inner| {
            let items: Vec<&'a Expr> = match &origin.kind {
                ExprKind::Make { fields, .. } => fields.iter().map(|field| &field.value).collect(),
                _ => return,
            };
            let of = items.first().and_then(|item| self.type_of(item, inner));
            let names = of.map(|of| self.names_of(&of));
            if found.is_none() {
                found = names.filter(|names| !names.is_empty());
            }
        });
        found
    }

    /// True of a statement that functions of some libraries build.
    fn is_built(&self, arg: &'a Expr, rule: &EffectRule, frame: &Frame<'a, '_>) -> bool {
        if rule.built_by.is_empty() {
            return false;
        }
        let mut built = false;
        self.origins(arg, 0, frame, &mut |origin, inner| {
            let mut at = origin;
            while let ExprKind::Call(call) = &at.kind {
                match &call.callee.kind {
                    ExprKind::Field { of, .. } if matches!(of.kind, ExprKind::Call(_)) => at = of,
                    _ => {
                        let full = match self.resolve(call, inner) {
                            Callee::External(full) => full,
                            Callee::Method { receivers, .. } => receivers.join(" "),
                            _ => return,
                        };
                        let mut by = rule.built_by.iter();
                        built |= by.any(|library| full.starts_with(&**library));
                        return;
                    }
                }
            }
        });
        built
    }

    /// What an earlier call of the chain names as the target.
    fn chained(
        &self,
        methods: &[Arc<str>],
        call: &'a Call,
        frame: &Frame<'a, '_>,
    ) -> Option<String> {
        let mut at = &call.callee;
        loop {
            let ExprKind::Field { of, .. } = &at.kind else {
                return None;
            };
            let ExprKind::Call(before) = &of.kind else {
                return None;
            };
            if methods.iter().any(|name| **name == *called_name(before)) {
                let arg = before.args.first()?;
                if let ExprKind::Text(text) = &arg.kind {
                    return Some(text.to_string());
                }
                return Some(short(&self.row_type(arg, frame)?).to_owned());
            }
            at = &before.callee;
        }
    }
}

/// The table that a path names: the module around `table`, `Entity`, `ActiveModel`, `Model`, which
/// generated code calls alike for every table; the last name of any other path.
fn table_of(path: &str) -> &str {
    match path.rsplit_once("::") {
        Some((module, "table" | "dsl" | "Entity" | "ActiveModel" | "Model")) => short(module),
        _ => short(path),
    }
}

/// The writes of a SQL text; one that is not known at all may write anything.
fn of_sql(text: &Text, rule: &EffectRule) -> Vec<(EffectKind, String)> {
    let sql = text.as_sql();
    match verbs(&sql, dialect(&sql)) {
        Verbs::Reads => Vec::new(),
        Verbs::Writes(writes) => writes
            .into_iter()
            .map(|write| (write.kind, text.original(&write.table)))
            .collect(),
        Verbs::Other(word) | Verbs::Calls(word) => vec![(EffectKind::Unmapped, word)],
        // A call that writes, with a text that the tree does not show.
        Verbs::NotSql => vec![(
            rule.kind.unwrap_or(EffectKind::Unmapped),
            text.shown().chars().take(60).collect(),
        )],
    }
}

/// The dialect of a text in code: backticks are MySQL's.
pub(super) fn dialect(sql: &str) -> Dialect {
    if sql.contains('`') {
        Dialect::Mysql
    } else {
        Dialect::Postgres
    }
}
