//! The operations of Alembic, each as the statements that it runs.
//! Source: `alembic/operations/ops.py`.

use crate::model::place::Place;
use crate::model::source::{Expr, ExprKind};
use crate::sql::cursor::QualifiedName;

use super::super::module::Args;
use super::super::statement::{Sql, Step, list};
use super::columns::Reader;
use super::execute::execute;

/// One operation.
pub(super) struct Operation<'m, 'a> {
    pub(super) read: Reader<'m, 'a>,
    /// What it is called: `add_column`.
    name: &'m str,
    pub(super) args: Args<'a>,
    pub(super) place: Place,
    /// True if it is one of a batch: its table is no argument then.
    in_batch: bool,
    /// The table, where it is one of a table and that can be read.
    table: Option<QualifiedName>,
}

/// Operations that change no definition.
const HARMLESS: [&str; 9] = [
    "f",
    "get_bind",
    "get_context",
    "bulk_insert",
    "inline_literal",
    "create_table_comment",
    "drop_table_comment",
    "batch_alter_table",
    "is_offline_mode",
];

impl<'m, 'a> Operation<'m, 'a> {
    /// The operation of that name; `batch` is the table of the batch around.
    pub(super) fn new(
        read: Reader<'m, 'a>,
        name: &'m str,
        args: Args<'a>,
        place: Place,
        batch: Option<QualifiedName>,
    ) -> Self {
        let in_batch = batch.is_some();
        let mut made = Self {
            read,
            name,
            args,
            place,
            in_batch,
            table: batch,
        };
        if !in_batch {
            made.table = made.named_table();
        }
        made
    }

    /// What it runs.
    pub(super) fn steps(&self) -> Vec<Step> {
        if HARMLESS.contains(&self.name) {
            return Vec::new();
        }
        if self.name == "execute" {
            return self.execute();
        }
        if !self.args.are_open()
            && let Some(steps) = self.read_steps()
        {
            return steps;
        }
        let sentence = match &self.table {
            Some(table) => format!("what `{}` does to {} was not read", self.name, table.name),
            None => format!("what `{}` does was not read", self.name),
        };
        vec![Step::unread(
            self.table.clone(),
            sentence,
            self.place.clone(),
        )]
    }

    fn read_steps(&self) -> Option<Vec<Step>> {
        match self.name {
            "create_table" => self.create_table(),
            "drop_table" => {
                let exists = if self.flag("if_exists")? {
                    "IF EXISTS "
                } else {
                    ""
                };
                let sql = self.sql()?.push("DROP TABLE ").push(exists).table();
                Some(vec![Step::Run(sql)])
            }
            "rename_table" => self.rename_table(),
            "add_column" => self.add_column(),
            "drop_column" => {
                let column = self.text(1, "column_name")?;
                self.alter(|sql| sql.push(" DROP COLUMN ").name(&column))
            }
            "alter_column" => self.alter_column(),
            "create_index" => self.create_index(),
            "drop_index" => self.drop_index(),
            "create_unique_constraint" => {
                let columns = self.list(2, "columns")?;
                let rest = format!(
                    "UNIQUE{} {}{}",
                    self.read.nulls(self.args)?,
                    list(&columns, self.read.dialect),
                    self.read.deferral(self.args)?
                );
                self.add_constraint(&rest)
            }
            "create_primary_key" => {
                let columns = self.list(2, "columns")?;
                self.add_constraint(&format!(
                    "PRIMARY KEY {}",
                    list(&columns, self.read.dialect)
                ))
            }
            "create_check_constraint" => {
                let condition = self.text(2, "condition")?;
                self.add_constraint(&format!("CHECK ({condition})"))
            }
            "create_foreign_key" => self.create_foreign_key(),
            "create_exclude_constraint" => self.create_exclusion(),
            "drop_constraint" => {
                let name = self.named_first("constraint_name")?;
                self.alter(|sql| sql.push(" DROP CONSTRAINT ").name(&name))
            }
            _ => None,
        }
    }

    /// `op.execute(…)`: a text, or an expression of SQLAlchemy that moves data.
    fn execute(&self) -> Vec<Step> {
        match self.args.get(0, "sqltext") {
            Some(sql) => execute(&self.read, sql, &self.place),
            None => vec![Step::unread(
                None,
                "what `execute` runs was not read".to_owned(),
                self.place.clone(),
            )],
        }
    }

    /// The table that an argument names.
    fn named_table(&self) -> Option<QualifiedName> {
        let (at, word) = match self.name {
            "create_table" | "drop_table" | "add_column" | "drop_column" | "alter_column" => {
                (0, "table_name")
            }
            "rename_table" => (0, "old_table_name"),
            "create_foreign_key" => (1, "source_table"),
            _ => (1, "table_name"),
        };
        let named = |name: &str| self.args.named(name);
        Some(QualifiedName {
            schema: match named("schema").or_else(|| named("source_schema")) {
                Some(schema) if matches!(schema.kind, ExprKind::Nil) => None,
                Some(schema) => Some(self.read.module.text(schema, self.read.names)?.into()),
                None => None,
            },
            name: self
                .read
                .module
                .text(self.args.get(at, word)?, self.read.names)?
                .into(),
        })
    }

    /// A name that stands first, before the table; in a batch too.
    pub(super) fn named_first(&self, word: &str) -> Option<String> {
        let name = self.args.get(0, word)?;
        self.read.module.text(name, self.read.names)
    }

    /// The argument at a position behind the table; in a batch the table is none of them.
    pub(super) fn arg(&self, at: usize, word: &str) -> Option<&'a Expr> {
        self.args.get(at - usize::from(self.in_batch), word)
    }

    pub(super) fn text(&self, at: usize, word: &str) -> Option<String> {
        self.read.module.text(self.arg(at, word)?, self.read.names)
    }

    fn list(&self, at: usize, word: &str) -> Option<Vec<String>> {
        self.read.module.texts(self.arg(at, word)?, self.read.names)
    }

    /// A flag that is false where it is not given; none where it cannot be told.
    pub(super) fn flag(&self, word: &str) -> Option<bool> {
        match self.args.named(word) {
            Some(value) => self.read.module.flag(value, self.read.names),
            None => Some(false),
        }
    }

    /// The table; none where the operation is of one that cannot be read.
    pub(super) fn table(&self) -> Option<QualifiedName> {
        self.table.clone()
    }

    /// The beginning of a statement about the table.
    pub(super) fn sql(&self) -> Option<Sql> {
        Some(Sql::about(
            self.table()?,
            self.place.clone(),
            self.read.dialect,
        ))
    }

    /// `ALTER TABLE` with what follows.
    pub(super) fn alter(&self, rest: impl FnOnce(Sql) -> Sql) -> Option<Vec<Step>> {
        let sql = self.sql()?.push("ALTER TABLE ").table();
        Some(vec![Step::Run(rest(sql))])
    }

    fn rename_table(&self) -> Option<Vec<Step>> {
        let to = self.text(1, "new_table_name")?;
        self.alter(|sql| sql.push(" RENAME TO ").name(&to))
    }

    fn add_column(&self) -> Option<Vec<Step>> {
        let table = self.table()?;
        let part = self.arg(1, "column")?;
        let column = self.read.column(part)?;
        let place = self.read.module.place(part);
        let exists = match self.flag("if_not_exists")? {
            true => " ADD COLUMN IF NOT EXISTS ",
            false => " ADD COLUMN ",
        };
        let sql = self
            .sql()?
            .push("ALTER TABLE ")
            .table()
            .push(exists)
            .push_at(&column.sql(false, self.read.dialect), &place);
        let mut steps = vec![Step::Run(sql)];
        if column.indexed {
            steps.push(self.index_of_column(&table, &column, part));
        } else if column.unique {
            let sql = Sql::about(table.clone(), place, self.read.dialect)
                .push("ALTER TABLE ")
                .table()
                .push(" ADD UNIQUE ")
                .names(std::slice::from_ref(&column.name));
            steps.push(Step::Run(sql));
        }
        for (says, place) in column.unread {
            steps.push(Step::unread(Some(table.clone()), says, place));
        }
        Some(steps)
    }

    fn add_constraint(&self, rest: &str) -> Option<Vec<Step>> {
        let name = match self.args.get(0, "constraint_name") {
            Some(name) if matches!(name.kind, ExprKind::Nil) => None,
            Some(_) => Some(self.named_first("constraint_name")?),
            None => None,
        };
        self.alter(|sql| {
            let sql = sql.push(" ADD ");
            let sql = match &name {
                Some(name) => sql.push("CONSTRAINT ").name(name).push(" "),
                None => sql,
            };
            sql.push(rest)
        })
    }

    fn create_foreign_key(&self) -> Option<Vec<Step>> {
        let target = QualifiedName {
            schema: match self.args.named("referent_schema") {
                Some(schema) => Some(self.read.module.text(schema, self.read.names)?.into()),
                None => None,
            },
            name: self.text(2, "referent_table")?.into(),
        };
        let rest = format!(
            "FOREIGN KEY {} REFERENCES {} {}{}",
            list(&self.list(3, "local_cols")?, self.read.dialect),
            super::super::statement::qualified(&target, self.read.dialect),
            list(&self.list(4, "remote_cols")?, self.read.dialect),
            match self.args.named("ondelete") {
                Some(value) if !matches!(value.kind, ExprKind::Nil) => format!(
                    " ON DELETE {}",
                    self.read.module.text(value, self.read.names)?
                ),
                _ => String::new(),
            }
        );
        self.add_constraint(&rest)
    }

    fn create_exclusion(&self) -> Option<Vec<Step>> {
        let skipped = 2 - usize::from(self.in_batch);
        let parts = self.args.positional().skip(skipped);
        self.add_constraint(&self.read.exclusion(parts, self.args)?)
    }
}
