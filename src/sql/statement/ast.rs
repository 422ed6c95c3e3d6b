//! What a statement says, as data. Offsets point into the statement's text.

use std::sync::Arc;

use crate::model::schema::{ConflictClause, PredicateTree, SqlLiteral};
use crate::sql::cursor::QualifiedName;

/// One statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// INSERT or REPLACE.
    Insert(Box<Insert>),
    /// UPDATE.
    Update(Box<Update>),
    /// DELETE.
    Delete(Box<Delete>),
    /// MERGE.
    Merge(Box<Merge>),
    /// One of them, with the queries that stand in front of it.
    With(Vec<Expression>, Box<Statement>),
}

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name as the engine keeps it.
    pub name: Arc<str>,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset just behind it.
    pub end: u32,
}

/// INSERT or REPLACE.
#[derive(Debug, Clone, PartialEq)]
pub struct Insert {
    /// Table written.
    pub table: QualifiedName,
    /// Columns named; empty where the statement names none.
    pub columns: Vec<Name>,
    /// The rows.
    pub rows: Rows,
    /// What the verb itself does about conflicts.
    pub verb: InsertVerb,
    /// `ON CONFLICT` or `ON DUPLICATE KEY`, in order.
    pub arms: Vec<ConflictArm>,
    /// True if it gives back what it wrote.
    pub returning: bool,
}

/// The rows of an insert.
#[derive(Debug, Clone, PartialEq)]
pub enum Rows {
    /// `VALUES`, `SET`, or a query without FROM: one list of values for each row.
    Values(Vec<Vec<Expression>>),
    /// `DEFAULT VALUES`.
    Defaults,
    /// One row, made only if a look at the table finds none.
    IfAbsent(Vec<Expression>, Lookup),
    /// A query over tables: values, and how many rows they make, come from live state.
    Query(Expression),
}

/// `WHERE NOT EXISTS (SELECT … FROM table WHERE column = value …)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Lookup {
    /// Table looked at.
    pub table: QualifiedName,
    /// What is compared; nothing if the condition is more than equalities.
    pub equals: Option<Vec<(Name, Expression)>>,
}

/// The word behind INSERT.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertVerb {
    /// A conflict that no arm takes is an error.
    Plain,
    /// MySQL `INSERT IGNORE`: conflicts and most other errors become warnings.
    Ignore,
    /// `REPLACE`: the rows in the way are deleted.
    Replace,
    /// SQLite `INSERT OR …`.
    Or(ConflictClause),
}

/// One `ON CONFLICT` or `ON DUPLICATE KEY UPDATE`.
#[derive(Debug, Clone, PartialEq)]
pub struct ConflictArm {
    /// Which keys it is for.
    pub target: ConflictTarget,
    /// What it does.
    pub action: ArmAction,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset just behind it.
    pub end: u32,
}

/// Which keys an arm is for.
#[derive(Debug, Clone, PartialEq)]
pub enum ConflictTarget {
    /// Every key.
    Any,
    /// `ON CONSTRAINT name`.
    Constraint(Arc<str>),
    /// Parts of a key, with the predicate behind WHERE.
    Parts {
        /// The parts as written.
        parts: Vec<TargetPart>,
        /// The predicate as written and as parsed.
        predicate: Option<(Arc<str>, PredicateTree)>,
    },
}

/// One part of a conflict target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetPart {
    /// A column.
    pub column: Option<Arc<str>>,
    /// An expression as written.
    pub expression: Option<Arc<str>>,
    /// A collation that is asked for.
    pub collation: Option<Arc<str>>,
    /// The operator class that is asked for.
    pub operator_class: Option<Arc<str>>,
}

/// What an arm does.
#[derive(Debug, Clone, PartialEq)]
pub enum ArmAction {
    /// Nothing is written.
    Nothing,
    /// The row in the way is changed, if the condition holds.
    Update {
        /// What is set.
        set: Vec<Assignment>,
        /// `WHERE …`.
        only_if: Option<Condition>,
    },
}

/// `column = value`.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The column.
    pub column: Name,
    /// The value.
    pub value: Expression,
}

/// UPDATE.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    /// Table written.
    pub table: QualifiedName,
    /// What is set.
    pub set: Vec<Assignment>,
    /// WHERE, if any.
    pub only_if: Option<Condition>,
    /// True if rows of other tables take part (`FROM`, joins) or a LIMIT chooses among them.
    pub chooses: bool,
}

/// DELETE.
#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    /// Table written.
    pub table: QualifiedName,
    /// WHERE, if any.
    pub only_if: Option<Condition>,
    /// True if rows of other tables take part or a LIMIT chooses among them.
    pub chooses: bool,
}

/// MERGE over one row of values.
#[derive(Debug, Clone, PartialEq)]
pub struct Merge {
    /// Table written.
    pub table: QualifiedName,
    /// What is compared to find the row; nothing if it is more than equalities.
    pub equals: Option<Vec<(Name, Expression)>>,
    /// `WHEN MATCHED THEN UPDATE SET …`.
    pub matched: Vec<Assignment>,
    /// `WHEN MATCHED THEN DELETE`.
    pub deletes: bool,
    /// `WHEN NOT MATCHED THEN INSERT …`.
    pub absent: Option<MergeInsert>,
}

/// What MERGE inserts.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeInsert {
    /// Columns named.
    pub columns: Vec<Name>,
    /// Their values.
    pub values: Vec<Expression>,
}

/// A condition on rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// As written.
    pub whole: Expression,
    /// Columns that must equal a value, joined by AND.
    pub equals: Vec<(Name, Expression)>,
    /// Columns that must be less than a value, joined by AND: `version < $1`.
    pub newer: Vec<(Name, Expression)>,
    /// True if nothing but the equalities stands in it.
    pub only_equals: bool,
    /// True if nothing but the equalities and the columns to be less stands in it.
    pub only_known: bool,
}

/// A value as written, with everything it draws from.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// Offset of its first byte.
    pub start: u32,
    /// Offset just behind it.
    pub end: u32,
    /// On one line, without comments.
    pub text: Arc<str>,
    /// What it is as a whole.
    pub form: Form,
    /// Its sources, in order of position; empty for what is constant.
    pub draws: Vec<Draw>,
}

/// What an expression is as a whole.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// The word DEFAULT.
    Default,
    /// A literal.
    Literal(SqlLiteral),
    /// One placeholder or name.
    Plain,
    /// `x + …`, `x || …` and the like.
    Arithmetic,
    /// `NOT x`, `1 - x`.
    Negation,
    /// `COALESCE(x, …)`.
    FirstKnown,
    /// `GREATEST(x, …)`, `LEAST(x, …)`: applying it twice is applying it once.
    Extreme,
    /// Any other computation.
    Computed,
}

/// One source of a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Draw {
    /// What it is.
    pub source: DrawSource,
    /// As written.
    pub text: Arc<str>,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset just behind it.
    pub end: u32,
}

/// Where a part of a value comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum DrawSource {
    /// A value that the caller gives.
    Placeholder(Placeholder),
    /// A column of the row in the table, or of another table.
    Column {
        /// Table or alias.
        of: Option<Arc<str>>,
        /// Column.
        name: Arc<str>,
    },
    /// The value that the insert proposes for that column: `EXCLUDED.x`, `VALUES(x)`.
    Proposed(Arc<str>),
    /// A clock.
    Clock,
    /// A random source.
    Random,
    /// A sequence or the like.
    Sequence,
    /// Live rows, through a query.
    Query,
    /// A function that no list names.
    Function,
}

/// A placeholder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Placeholder {
    /// By its position: `?`, `%s`, `$1`, `?1`, `:1`; from 1.
    Position(u32),
    /// By name: `:name`, `%(name)s`, `@name`.
    Name(Arc<str>),
}
