//! The models as migrations leave them, as far as the tables of the database go.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::place::Place;
use crate::model::schema::Dialect;

use super::super::statement::{list, quoted};
use super::names;

/// A model is known by its app and its name in lower case.
pub(super) type ModelKey = (Arc<str>, String);

/// All models.
#[derive(Debug, Default, Clone)]
pub(in crate::input::schema::revisions) struct State {
    pub(super) models: BTreeMap<ModelKey, Model>,
}

/// A model.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub(super) table: String,
    /// True if the table's name is given, not made of the model's.
    pub(super) named: bool,
    /// False where there is no table of it: a proxy, or one that somebody else manages.
    pub(super) managed: bool,
    pub(super) fields: Vec<Field>,
    /// Fields that are unique together.
    pub(super) together: Vec<Together>,
    /// Indexes and constraints by their name; true of those that are dropped as indexes.
    pub(super) named_keys: BTreeMap<String, bool>,
    pub(super) place: Place,
}

/// Fields that are unique together, and the name of their key as it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Together {
    pub(super) fields: Vec<String>,
    pub(super) name: String,
}

/// A field.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) nullable: bool,
    pub(super) primary: bool,
    pub(super) unique: bool,
    /// The name of the key of a field that is unique by itself, as it was made.
    pub(super) unique_name: Option<String>,
    pub(super) indexed: bool,
    /// What could not be read of it.
    pub(super) unread: Option<String>,
    pub(super) place: Place,
}

/// What a field is in the database.
#[derive(Debug, Clone)]
pub(super) enum Kind {
    /// A column.
    Column {
        column: String,
        data_type: String,
        /// True if the engine numbers it.
        numbered: bool,
        /// The model it points at, where it does.
        to: Option<ModelKey>,
        /// True if the database enforces that it does.
        constrained: bool,
        /// What a row gets that names no value, as SQL.
        default: Option<String>,
    },
    /// A table of its own, of pairs.
    Pairs {
        /// The name of the table, where it is given.
        table: Option<String>,
        /// The model it points at.
        to: Option<ModelKey>,
    },
    /// Nothing: a table of pairs that another model is.
    Nothing,
}

/// What stands for a type that is not known.
pub(super) const UNKNOWN_TYPE: &str = "unknown";

impl Model {
    pub(super) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The columns of fields; none if one of them is none.
    pub(super) fn columns(&self, fields: &[String]) -> Option<Vec<String>> {
        fields
            .iter()
            .map(|name| self.field(name)?.column().map(str::to_owned))
            .collect()
    }

    pub(super) fn primary(&self) -> Option<&Field> {
        self.fields.iter().find(|field| field.primary)
    }
}

impl Field {
    pub(super) fn column(&self) -> Option<&str> {
        match &self.kind {
            Kind::Column { column, .. } => Some(column),
            _ => None,
        }
    }

    pub(super) fn has_known_type(&self) -> bool {
        match &self.kind {
            Kind::Column { data_type, .. } => data_type != UNKNOWN_TYPE,
            _ => true,
        }
    }
}

impl State {
    /// The type of a column that points at a model.
    pub(super) fn type_of_key(&self, to: &ModelKey) -> Option<String> {
        let mut at = to.clone();
        for _ in 0..20 {
            let field = self.models.get(&at)?.primary()?;
            let Kind::Column { data_type, to, .. } = &field.kind else {
                return None;
            };
            match to {
                // A key that is a key of another model.
                Some(next) if data_type == UNKNOWN_TYPE => at = next.clone(),
                _ => return Some(data_type.clone()),
            }
        }
        None
    }

    /// The name of the table of pairs of a field.
    pub(super) fn pairs_table(model: &Model, field: &str, given: Option<&str>) -> String {
        match given {
            Some(given) => given.to_owned(),
            None => names::of_table(&format!("{}_{field}", model.table)),
        }
    }

    /// The definition of a column.
    pub(super) fn column_sql(&self, field: &Field, dialect: Dialect) -> Option<String> {
        let Kind::Column {
            column,
            data_type,
            numbered,
            to,
            default,
            ..
        } = &field.kind
        else {
            return None;
        };
        let told = match (data_type == UNKNOWN_TYPE, to) {
            (true, Some(to)) => self.type_of_key(to),
            _ => None,
        };
        let data_type = told.as_deref().unwrap_or(data_type);
        let mut sql = format!("{} {data_type}", quoted(column, dialect));
        if let Some(default) = default {
            sql.push_str(&format!(" DEFAULT {default}"));
        }
        if !field.nullable || field.primary {
            sql.push_str(" NOT NULL");
        }
        if field.primary {
            sql.push_str(" PRIMARY KEY");
        } else if field.unique {
            sql.push_str(" UNIQUE");
        }
        if *numbered {
            sql.push_str(match dialect {
                Dialect::Postgres => " GENERATED BY DEFAULT AS IDENTITY",
                Dialect::Sqlite => " AUTOINCREMENT",
                _ => " AUTO_INCREMENT",
            });
        }
        Some(sql)
    }

    /// The foreign key of a field.
    pub(super) fn reference(&self, field: &Field, dialect: Dialect) -> Option<String> {
        let Kind::Column {
            column,
            to: Some(to),
            constrained: true,
            ..
        } = &field.kind
        else {
            return None;
        };
        let target = self.models.get(to)?;
        let key = target.primary()?.column()?;
        Some(format!(
            "FOREIGN KEY {} REFERENCES {} {}",
            list(std::slice::from_ref(column), dialect),
            quoted(&target.table, dialect),
            list(&[key.to_owned()], dialect),
        ))
    }
}
