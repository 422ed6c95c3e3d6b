//! Indexes and constraints of models, with their conditions.

use crate::model::schema::Dialect;
use crate::model::source::{Call, Expr, ExprKind};

use super::super::module::{Args, is_none};
use super::super::statement::{list, literal, quoted};
use super::fields::FieldReader;
use super::state::Model;

/// An index or constraint, read.
pub(super) struct Key {
    pub(super) name: String,
    /// True if it is dropped as an index.
    pub(super) index: bool,
    /// The statement, with `{}` where the quoted table goes; absent where the engine gets none.
    pub(super) sql: Option<String>,
}

/// What an index or constraint is called, and what it is, or that it was not read.
pub(super) enum Found {
    Key(Key),
    /// It is there, under this name if that was read, and enforces what is not known.
    Unread(Option<String>),
}

impl<'a> FieldReader<'_, 'a> {
    /// `models.Index(…)`, `models.UniqueConstraint(…)`.
    pub(super) fn key(&self, model: &Model, of: &'a Expr) -> Found {
        let Some(call) = self.module.call(of, self.names) else {
            return Found::Unread(None);
        };
        let args = Args(call);
        let name = args
            .named("name")
            .and_then(|name| self.module.text(name, self.names));
        match self.read_key(model, call, name.as_deref()) {
            Some(key) => Found::Key(key),
            None => Found::Unread(name),
        }
    }

    fn read_key(&self, model: &Model, call: &'a Call, name: Option<&str>) -> Option<Key> {
        let class = self.module.qualified(&call.callee)?;
        if !class.starts_with("django.") {
            return None;
        }
        let word = class.rsplit('.').next()?;
        let args = Args(call);
        let name = name?;
        if args.are_open() {
            return None;
        }
        match word {
            "CheckConstraint" => Some(Key {
                name: name.to_owned(),
                index: false,
                // A check refuses rows whatever others are there: no key rests on it.
                sql: None,
            }),
            "UniqueConstraint" => self.unique_constraint(model, args, name),
            "Index" | "BTreeIndex" | "HashIndex" | "GinIndex" | "GistIndex" | "BrinIndex"
            | "SpGistIndex" | "BloomIndex" => self.index(model, args, name, word),
            _ => None,
        }
    }

    fn index(&self, model: &Model, args: Args<'a>, name: &str, word: &str) -> Option<Key> {
        let parts = self.parts(model, args)?;
        let method = match (self.dialect, word.strip_suffix("Index")) {
            (Dialect::Postgres, Some(method)) if !method.is_empty() => {
                format!(" USING {}", method.to_ascii_lowercase())
            }
            _ => String::new(),
        };
        let only_if = self.only_if(model, args)?;
        Some(Key {
            name: name.to_owned(),
            index: true,
            sql: Some(format!(
                "CREATE INDEX {} ON {{}}{method} ({parts}){}",
                quoted(name, self.dialect),
                only_if.unwrap_or_default()
            )),
        })
    }

    fn unique_constraint(&self, model: &Model, args: Args<'a>, name: &str) -> Option<Key> {
        let parts = self.parts(model, args)?;
        let only_if = self.only_if(model, args)?;
        let include = match args.named("include").filter(|of| !is_none(of)) {
            Some(fields) if self.dialect == Dialect::Postgres => {
                let fields = self.module.texts(fields, self.names)?;
                format!(" INCLUDE {}", list(&model.columns(&fields)?, self.dialect))
            }
            Some(_) => return None,
            None => String::new(),
        };
        let nulls = match args.named("nulls_distinct").filter(|of| !is_none(of)) {
            Some(value) => match self.module.flag(value, self.names)? {
                true => "",
                false if self.dialect == Dialect::Postgres => " NULLS NOT DISTINCT",
                false => return None,
            },
            None => "",
        };
        let deferral = match args.named("deferrable").filter(|of| !is_none(of)) {
            Some(value) => match self.module.qualified(value)?.rsplit('.').next()? {
                "DEFERRED" => " DEFERRABLE INITIALLY DEFERRED",
                "IMMEDIATE" => " DEFERRABLE INITIALLY IMMEDIATE",
                _ => return None,
            },
            None => "",
        };
        let partial = matches!(self.dialect, Dialect::Postgres | Dialect::Sqlite);
        if only_if.is_some() && !partial {
            // Django leaves a conditional key out where the engine has none.
            return Some(Key {
                name: name.to_owned(),
                index: true,
                sql: None,
            });
        }
        let quoted = quoted(name, self.dialect);
        let as_index = only_if.is_some()
            || !include.is_empty()
            || !nulls.is_empty()
            || args.positional().next().is_some()
            || args.named("opclasses").is_some()
            || self.dialect == Dialect::Sqlite;
        let sql = match as_index {
            true => format!(
                "CREATE UNIQUE INDEX {quoted} ON {{}} ({parts}){include}{nulls}{}",
                only_if.unwrap_or_default()
            ),
            false => format!("ALTER TABLE {{}} ADD CONSTRAINT {quoted} UNIQUE ({parts}){deferral}"),
        };
        Some(Key {
            name: name.to_owned(),
            index: as_index,
            sql: Some(sql),
        })
    }

    /// The parts of a key: fields, or expressions of one function over a field.
    fn parts(&self, model: &Model, args: Args<'a>) -> Option<String> {
        let mut parts = Vec::new();
        for of in args.positional() {
            parts.push(self.expression(model, of)?);
        }
        let fields = match args.named("fields") {
            Some(fields) => self.module.texts(fields, self.names)?,
            None => Vec::new(),
        };
        let classes = match args.named("opclasses") {
            Some(classes) => self.module.texts(classes, self.names)?,
            None => Vec::new(),
        };
        for (at, field) in fields.iter().enumerate() {
            let (field, order) = match field.strip_prefix('-') {
                Some(field) => (field, " DESC"),
                None => (&**field, ""),
            };
            let column = model.field(field)?.column()?;
            let class = match classes.get(at) {
                Some(class) if self.dialect == Dialect::Postgres => format!(" {class}"),
                _ => String::new(),
            };
            parts.push(format!("{}{class}{order}", quoted(column, self.dialect)));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    fn expression(&self, model: &Model, of: &'a Expr) -> Option<String> {
        if let Some(field) = self.module.text(of, self.names) {
            return Some(quoted(model.field(&field)?.column()?, self.dialect));
        }
        let call = self.module.call(of, self.names)?;
        let name = self.module.qualified(&call.callee)?;
        let only = match &call.args[..] {
            [only] => only,
            _ => return None,
        };
        let inner = self.expression(model, only)?;
        match name.strip_prefix("django.db.models.")?.rsplit('.').next()? {
            "F" => Some(inner),
            "Lower" => Some(format!("(LOWER({inner}))")),
            "Upper" => Some(format!("(UPPER({inner}))")),
            _ => None,
        }
    }

    /// The condition behind WHERE; `Some(None)` where there is none.
    fn only_if(&self, model: &Model, args: Args<'a>) -> Option<Option<String>> {
        match args.named("condition").filter(|of| !is_none(of)) {
            Some(of) => Some(Some(format!(" WHERE {}", self.condition(model, of, 0)?))),
            None => Some(None),
        }
    }

    /// `models.Q(…)` as SQL.
    fn condition(&self, model: &Model, of: &'a Expr, depth: usize) -> Option<String> {
        let call = self.module.call(of, self.names)?;
        let class = self.module.qualified(&call.callee)?;
        if depth > 20 || !class.starts_with("django.") || !class.ends_with(".Q") {
            return None;
        }
        let args = Args(call);
        if args.are_open() {
            return None;
        }
        let mut parts = Vec::new();
        for part in args.positional() {
            parts.push(match self.module.list(part, self.names).as_deref() {
                Some([name, value]) => {
                    let name = self.module.text(name, self.names)?;
                    self.comparison(model, &name, value)?
                }
                _ => self.condition(model, part, depth + 1)?,
            });
        }
        let mut word = " AND ";
        let mut negated = false;
        for (at, name) in &call.named {
            let value = call.args.get(*at)?;
            match &**name {
                "_connector" => {
                    word = match &*self.module.text(value, self.names)? {
                        "AND" => " AND ",
                        "OR" => " OR ",
                        _ => return None,
                    };
                }
                "_negated" => negated = self.module.flag(value, self.names)?,
                field => parts.push(self.comparison(model, field, value)?),
            }
        }
        // What NOT does to NULL is not what Django's does.
        let nullable = || model.fields.iter().any(|field| field.nullable);
        match (parts.is_empty(), negated) {
            (true, _) => None,
            (false, true) if nullable() => None,
            (false, true) => Some(format!("NOT ({})", parts.join(word))),
            (false, false) => Some(format!("({})", parts.join(word))),
        }
    }

    fn comparison(&self, model: &Model, name: &str, value: &'a Expr) -> Option<String> {
        let (field, lookup) = name.split_once("__").unwrap_or((name, "exact"));
        let column = quoted(
            model
                .field(field)
                .or_else(|| model.field(field.strip_suffix("_id")?))?
                .column()?,
            self.dialect,
        );
        let value = self.module.resolve(value, self.names);
        let operator = match lookup {
            "isnull" => {
                return Some(match self.module.flag(value, self.names)? {
                    true => format!("{column} IS NULL"),
                    false => format!("{column} IS NOT NULL"),
                });
            }
            "in" => {
                let values = self.module.list(value, self.names)?;
                let values: Option<Vec<String>> = values
                    .into_iter()
                    .map(|value| self.constant(value))
                    .collect();
                return Some(format!("{column} IN ({})", values?.join(", ")));
            }
            "exact" if is_none(value) => return Some(format!("{column} IS NULL")),
            "exact" => match &value.kind {
                ExprKind::Bool(true) => return Some(column),
                ExprKind::Bool(false) => return Some(format!("NOT {column}")),
                _ => "=",
            },
            "gt" => ">",
            "gte" => ">=",
            "lt" => "<",
            "lte" => "<=",
            _ => return None,
        };
        Some(format!("{column} {operator} {}", self.constant(value)?))
    }

    fn constant(&self, of: &'a Expr) -> Option<String> {
        match self.module.number(of, self.names) {
            Some(number) => Some(number.to_owned()),
            None => Some(literal(&self.module.text(of, self.names)?, self.dialect)),
        }
    }
}
