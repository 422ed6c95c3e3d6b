//! Tables, columns and what enforces uniqueness, in terms that hold for every engine.

use std::sync::Arc;

pub use super::dialect::Dialect;
use super::evidence::{Evidence, Fact, Reason};
use super::place::Place;
pub use super::predicate::{Comparison, Predicate, PredicateTree, SqlLiteral};
use super::routine::Routine;

/// Whether a schema was declared in a text or seen in a live catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaOrigin {
    /// Text: it says what ought to be there.
    Declared,
    /// The catalog of a live database.
    Live,
}

/// All tables of one input.
#[derive(Debug, Clone)]
pub struct Schema {
    /// Declared or live.
    pub origin: SchemaOrigin,
    /// The engine whose rules apply; absent where the text does not say, as in `system_tables.json`.
    pub dialect: Option<Dialect>,
    /// Tables, sorted by name.
    pub tables: Vec<Table>,
    /// Statements or objects that were not understood, by the table they touch.
    pub unknown: Vec<UnknownTable>,
    /// Schemas that a bare name is looked for in, in order, where the engine says so.
    pub search_path: Vec<Arc<str>>,
    /// Functions of the user whose bodies were read.
    pub routines: Vec<Routine>,
}

/// A table about which something could not be read.
#[derive(Debug, Clone)]
pub struct UnknownTable {
    /// The table, when its name could be read.
    pub table: Option<Arc<str>>,
    /// Why, and where.
    pub reason: Reason,
}

/// The kinds of relations that a write can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableKind {
    /// An ordinary table.
    Table,
    /// A partitioned table.
    Partitioned,
    /// A view.
    View,
    /// SQLite virtual or PostgreSQL foreign table: its rules are elsewhere.
    Foreign,
}

/// One table.
#[derive(Debug, Clone)]
pub struct Table {
    /// Schema, where the engine has them.
    pub schema: Option<Arc<str>>,
    /// Name as the engine keeps it.
    pub name: Arc<str>,
    /// What kind of relation it is.
    pub kind: TableKind,
    /// True if a crash empties it (PostgreSQL UNLOGGED).
    pub unlogged: bool,
    /// Columns in order.
    pub columns: Vec<Column>,
    /// Primary key, unique constraints, unique indexes, exclusion constraints.
    pub enforcers: Vec<Enforcer>,
    /// Indexes that enforce nothing.
    pub indexes: Vec<Index>,
    /// Triggers on it.
    pub triggers: Vec<DbTrigger>,
    /// Foreign keys that point from it.
    pub foreign_keys: Vec<ForeignKey>,
    /// Where it is defined.
    pub place: Place,
}

/// One column.
#[derive(Debug, Clone)]
pub struct Column {
    /// Name as the engine keeps it.
    pub name: Arc<str>,
    /// Type as declared, lengths included: `VARCHAR(36)`, `datetime(6)`.
    pub data_type: Arc<str>,
    /// False only if the engine refuses NULL in it.
    pub nullable: bool,
    /// Default expression, as the engine prints it.
    pub default: Option<DefaultValue>,
    /// Expression of a generated column.
    pub generated: Option<Arc<str>>,
    /// `ON UPDATE CURRENT_TIMESTAMP` and the like.
    pub on_update: Option<Arc<str>>,
    /// True where the engine draws a number by itself (identity, AUTO_INCREMENT, rowid alias).
    pub auto_number: bool,
    /// Collation, where it is named.
    pub collation: Option<Arc<str>>,
    /// Where it is defined.
    pub place: Place,
}

/// The default of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct DefaultValue {
    /// As the engine prints it.
    pub text: Arc<str>,
    /// Whether two inserts get the same value.
    pub volatility: Volatility,
}

/// Whether an expression gives the same value each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Volatility {
    /// The same value for ever.
    Constant,
    /// Differs between deliveries: a clock, a random source, a sequence.
    Volatile,
    /// Not known.
    Unknown,
}

/// What kind of object enforces uniqueness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EnforcerKind {
    /// PRIMARY KEY.
    PrimaryKey,
    /// A UNIQUE constraint.
    UniqueConstraint,
    /// A unique index without a constraint.
    UniqueIndex,
    /// An exclusion constraint.
    Exclusion,
}

impl EnforcerKind {
    /// The word used in JSON.
    pub fn word(self) -> &'static str {
        match self {
            EnforcerKind::PrimaryKey => "primary-key",
            EnforcerKind::UniqueConstraint => "unique-constraint",
            EnforcerKind::UniqueIndex => "unique-index",
            EnforcerKind::Exclusion => "exclusion",
        }
    }
}

/// Something that refuses a second row with an equal key.
#[derive(Debug, Clone)]
pub struct Enforcer {
    /// The engine's name for it; generated names as the engine generates them.
    pub name: Arc<str>,
    /// What it is.
    pub kind: EnforcerKind,
    /// Key parts in order.
    pub parts: Vec<KeyPart>,
    /// Columns carried without being compared (`INCLUDE`).
    pub include: Vec<Arc<str>>,
    /// Predicate of a partial index.
    pub predicate: Option<Predicate>,
    /// True if NULLs count as equal.
    pub nulls_not_distinct: bool,
    /// When it is checked.
    pub deferral: Deferral,
    /// What the DDL itself says to do on a conflict (SQLite).
    pub on_conflict: Option<ConflictClause>,
    /// Whether the engine enforces it today; unknown for text.
    pub enforced: Fact<bool>,
    /// Whether every row is known to obey it, so that a statement may name it as its conflict
    /// target. An index whose build was cut off can be enforced and not be trusted.
    pub trusted: Fact<bool>,
    /// The observation a proof cites.
    pub evidence: Arc<Evidence>,
}

/// When uniqueness is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deferral {
    /// At once, row by row.
    Immediate,
    /// DEFERRABLE INITIALLY IMMEDIATE.
    Deferrable,
    /// DEFERRABLE INITIALLY DEFERRED: at the commit.
    Deferred,
}

/// SQLite's conflict clause in the DDL of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictClause {
    /// Rolls the whole transaction back.
    Rollback,
    /// Undoes the statement (the default).
    Abort,
    /// Stops, keeping what the statement did before.
    Fail,
    /// Skips the row.
    Ignore,
    /// Deletes the rows in the way.
    Replace,
}

/// One part of a key.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyPart {
    /// The column, unless it is an expression.
    pub column: Option<Arc<str>>,
    /// The expression as the engine prints it, unless it is a column.
    pub expression: Option<Arc<str>>,
    /// Prefix length of a MySQL index part.
    pub prefix_length: Option<u32>,
    /// True if the part can be NULL.
    pub nullable: bool,
    /// Collation the index compares with.
    pub collation: Option<Arc<str>>,
    /// Why two different values can be equal here, where the catalog shows it.
    pub folds: Option<Arc<str>>,
}

/// An index that enforces nothing.
#[derive(Debug, Clone)]
pub struct Index {
    /// Name.
    pub name: Arc<str>,
    /// Key parts in order.
    pub parts: Vec<KeyPart>,
    /// Predicate of a partial index.
    pub predicate: Option<Predicate>,
    /// Where it is defined.
    pub place: Place,
}

/// A trigger in the database.
#[derive(Debug, Clone)]
pub struct DbTrigger {
    /// Name.
    pub name: Arc<str>,
    /// True if it runs before the row is written.
    pub before: bool,
    /// True if it fires on INSERT.
    pub on_insert: bool,
    /// True if it fires on UPDATE.
    pub on_update: bool,
    /// True if it fires on DELETE.
    pub on_delete: bool,
    /// Columns of its own table that its body sets in rows that are there, where the body was read.
    pub sets: Vec<Arc<str>>,
    /// Where it is defined.
    pub place: Place,
}

/// A foreign key.
#[derive(Debug, Clone)]
pub struct ForeignKey {
    /// Its name, where one is given.
    pub name: Option<Arc<str>>,
    /// Columns that point.
    pub columns: Vec<Arc<str>>,
    /// The table pointed at.
    pub references: Arc<str>,
    /// The columns pointed at, where they are named; else it is the primary key.
    pub to: Vec<Arc<str>>,
    /// True if deleting the parent deletes the child.
    pub on_delete_cascade: bool,
    /// Where it is defined.
    pub place: Place,
}

impl Schema {
    /// The table of that name. A bare name matches without regard to case; a qualified one also
    /// needs its schema. Of several tables the search path decides; two that match equally well
    /// give none: the caller must say so.
    pub fn table(&self, name: &str) -> Option<&Table> {
        let (schema, bare) = match name.rsplit_once('.') {
            Some((schema, bare)) => (Some(schema), bare),
            None => (None, name),
        };
        let fits = |table: &&Table| {
            table.name.eq_ignore_ascii_case(bare)
                && schema.is_none_or(|wanted| {
                    table
                        .schema
                        .as_deref()
                        .is_none_or(|has| has.eq_ignore_ascii_case(wanted))
                })
        };
        let mut found = self.tables.iter().filter(fits);
        let first = found.next()?;
        if found.next().is_none() {
            return Some(first);
        }
        self.search_path.iter().find_map(|path| {
            let mut here = self
                .tables
                .iter()
                .filter(fits)
                .filter(|table| schema.is_none() && table.schema.as_ref() == Some(path));
            let first = here.next()?;
            here.next().is_none().then_some(first)
        })
    }
}

impl Table {
    /// The column of that name, without regard to case.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns
            .iter()
            .find(|column| column.name.eq_ignore_ascii_case(name))
    }
}

impl Enforcer {
    /// The name of a key that is SQLite's rowid itself: no index stands behind it.
    pub const ROWID: &'static str = "rowid";

    /// True if it is a column that is SQLite's rowid.
    pub fn is_rowid(&self, dialect: Option<Dialect>) -> bool {
        dialect == Some(Dialect::Sqlite)
            && self.kind == EnforcerKind::PrimaryKey
            && &*self.name == Self::ROWID
    }

    /// The key as a person writes it: `(lead_id, kind)`.
    pub fn key_text(&self) -> String {
        let parts: Vec<String> = self.parts.iter().map(KeyPart::to_text).collect();
        format!("({})", parts.join(", "))
    }
}

impl KeyPart {
    /// A plain column.
    pub fn column(name: impl Into<Arc<str>>, nullable: bool) -> Self {
        Self {
            column: Some(name.into()),
            expression: None,
            prefix_length: None,
            nullable,
            collation: None,
            folds: None,
        }
    }

    /// The part as a person writes it.
    pub fn to_text(&self) -> String {
        let name = self
            .column
            .as_deref()
            .or(self.expression.as_deref())
            .unwrap_or("?");
        match self.prefix_length {
            Some(length) => format!("{name}({length})"),
            None => name.to_owned(),
        }
    }
}
