//! Tables as one line of text: the same description makes the schema that the audit reads and the
//! uniqueness that the interpreter enforces.

use std::collections::BTreeMap;
use std::sync::Arc;

use outbox_audit::model::evidence::{Evidence, Fact, InputKind, ObservedBy};
use outbox_audit::model::place::Place;
use outbox_audit::model::schema::{
    Column, Comparison, DefaultValue, Deferral, Dialect, Enforcer, EnforcerKind, KeyPart,
    Predicate, PredicateTree, Schema, SchemaOrigin, SqlLiteral, Table, TableKind, Volatility,
};
use serde_json::{Value as Json, json};

/// A stored row, by column.
pub(crate) type Row = BTreeMap<String, Json>;

/// One table.
#[derive(Debug, Clone)]
pub(crate) struct TableSpec {
    pub(crate) name: String,
    pub(crate) columns: Vec<ColumnSpec>,
    pub(crate) unique: Vec<UniqueSpec>,
}

/// One column.
#[derive(Debug, Clone)]
pub(crate) struct ColumnSpec {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) nullable: bool,
    pub(crate) default: Option<Json>,
}

/// The kinds of columns that behave differently when values are stored or compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Int,
    Decimal,
    Time,
}

/// A UNIQUE index, partial where `only` names a column and the value it must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UniqueSpec {
    pub(crate) columns: Vec<String>,
    pub(crate) only: Option<(String, String)>,
}

/// Reads `Task: k text, k2 text!, status text! = open; unique k2; unique k, c where status = open`.
/// `!` is NOT NULL. Each table also gets the columns that the platform adds to every object.
pub(crate) fn table(text: &str) -> TableSpec {
    let (name, rest) = text.split_once(':').expect("a name before the colon");
    let mut clauses = rest.split(';').map(str::trim);
    let columns = clauses.next().unwrap_or_default();
    let mut spec = TableSpec {
        name: name.trim().to_owned(),
        columns: columns
            .split(',')
            .map(str::trim)
            .filter(|column| !column.is_empty())
            .map(column)
            .collect(),
        unique: clauses
            .filter(|clause| !clause.is_empty())
            .map(unique)
            .collect(),
    };
    spec.columns.extend([
        system("__sys_gen_id", Kind::Text, None),
        system("__sys_gen_created_date", Kind::Time, None),
        system("__sys_gen_last_modified_date", Kind::Time, None),
        system("__sys_gen_is_deleted", Kind::Int, Some(json!(0))),
    ]);
    spec
}

fn system(name: &str, kind: Kind, default: Option<Json>) -> ColumnSpec {
    ColumnSpec {
        name: name.to_owned(),
        kind,
        nullable: false,
        default,
    }
}

fn column(text: &str) -> ColumnSpec {
    let (head, default) = match text.split_once('=') {
        Some((head, default)) => (head.trim(), Some(default.trim())),
        None => (text, None),
    };
    let (name, kind) = head.split_once(' ').expect("a name and a kind");
    let (kind, nullable) = match kind.trim().strip_suffix('!') {
        Some(kind) => (kind, false),
        None => (kind.trim(), true),
    };
    let kind = match kind {
        "text" => Kind::Text,
        "int" => Kind::Int,
        "decimal" => Kind::Decimal,
        "time" => Kind::Time,
        other => panic!("no such kind of column: {other}"),
    };
    ColumnSpec {
        name: name.to_owned(),
        kind,
        nullable,
        default: default.map(|text| match kind {
            Kind::Int | Kind::Decimal => text.parse().expect("a number"),
            Kind::Text | Kind::Time => json!(text),
        }),
    }
}

fn unique(text: &str) -> UniqueSpec {
    let text = text.strip_prefix("unique").expect("a unique clause").trim();
    let (columns, only) = match text.split_once(" where ") {
        Some((columns, only)) => {
            let (column, value) = only.split_once('=').expect("column = value");
            let only = (column.trim().to_owned(), value.trim().to_owned());
            (columns, Some(only))
        }
        None => (text, None),
    };
    UniqueSpec {
        columns: columns
            .split(',')
            .map(|name| name.trim().to_owned())
            .collect(),
        only,
    }
}

impl UniqueSpec {
    /// True if the two rows may not stand beside each other: both under the predicate, equal in
    /// every part of the key, no part NULL.
    pub(crate) fn refuses(&self, one: &Row, other: &Row) -> bool {
        let within = |row: &Row| {
            self.only
                .as_ref()
                .is_none_or(|(column, value)| row.get(column) == Some(&json!(value)))
        };
        within(one)
            && within(other)
            && self.columns.iter().all(|column| {
                let part = one.get(column).unwrap_or(&Json::Null);
                !part.is_null() && Some(part) == other.get(column)
            })
    }

    fn name(&self, table: &str) -> String {
        let partial = self.only.as_ref().map_or("", |_| "_partial");
        format!("uq_{table}_{}{partial}", self.columns.join("_"))
    }
}

impl TableSpec {
    /// The column of that name.
    pub(crate) fn column(&self, name: &str) -> Option<&ColumnSpec> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// The tables as a live catalog shows them.
pub(crate) fn schema(tables: &[TableSpec]) -> Schema {
    let mut tables: Vec<Table> = tables.iter().map(model_table).collect();
    tables.sort_by(|a, b| a.name.cmp(&b.name));
    Schema {
        origin: SchemaOrigin::Live,
        dialect: Some(Dialect::Mysql),
        tables,
        unknown: Vec::new(),
        search_path: Vec::new(),
        routines: Vec::new(),
    }
}

fn model_table(spec: &TableSpec) -> Table {
    let nullable = |name: &str| spec.column(name).is_none_or(|column| column.nullable);
    let identity = UniqueSpec {
        columns: vec!["__sys_gen_id".to_owned()],
        only: None,
    };
    let key = enforcer(
        spec,
        &identity,
        "PRIMARY",
        EnforcerKind::PrimaryKey,
        &nullable,
    );
    let indexes = spec.unique.iter().map(|unique| {
        let name = unique.name(&spec.name);
        enforcer(spec, unique, &name, EnforcerKind::UniqueIndex, &nullable)
    });
    Table {
        schema: None,
        name: spec.name.as_str().into(),
        kind: TableKind::Table,
        unlogged: false,
        columns: spec.columns.iter().map(model_column).collect(),
        enforcers: std::iter::once(key).chain(indexes).collect(),
        indexes: Vec::new(),
        triggers: Vec::new(),
        foreign_keys: Vec::new(),
        place: object(&spec.name),
    }
}

fn model_column(spec: &ColumnSpec) -> Column {
    Column {
        name: spec.name.as_str().into(),
        data_type: match spec.kind {
            Kind::Text => "VARCHAR(255)",
            Kind::Int => "INT",
            Kind::Decimal => "DECIMAL(18,2)",
            Kind::Time => "DATETIME",
        }
        .into(),
        nullable: spec.nullable,
        default: spec.default.as_ref().map(|value| DefaultValue {
            text: match value {
                Json::String(text) => format!("'{text}'").into(),
                other => other.to_string().into(),
            },
            volatility: Volatility::Constant,
        }),
        generated: None,
        on_update: None,
        auto_number: false,
        collation: None,
        place: object(&spec.name),
    }
}

fn enforcer(
    table: &TableSpec,
    spec: &UniqueSpec,
    name: &str,
    kind: EnforcerKind,
    nullable: &dyn Fn(&str) -> bool,
) -> Enforcer {
    let evidence = Arc::new(Evidence {
        input: InputKind::Database,
        by: ObservedBy::Catalog,
        place: object(name),
        says: format!("{} has {name}", table.name).into(),
    });
    Enforcer {
        name: name.into(),
        kind,
        parts: spec
            .columns
            .iter()
            .map(|column| KeyPart::column(column.as_str(), nullable(column)))
            .collect(),
        include: Vec::new(),
        predicate: spec.only.as_ref().map(|(column, value)| Predicate {
            text: format!("{column} = '{value}'").into(),
            tree: PredicateTree::Compare {
                column: column.as_str().into(),
                operator: Comparison::Equal,
                literal: SqlLiteral::String(value.as_str().into()),
            },
        }),
        nulls_not_distinct: false,
        deferral: Deferral::Immediate,
        on_conflict: None,
        enforced: Fact::Shown(true, Arc::clone(&evidence)),
        trusted: Fact::Shown(true, Arc::clone(&evidence)),
        evidence,
    }
}

fn object(name: &str) -> Place {
    Place::Object {
        connection: "generated".into(),
        object: name.into(),
    }
}
