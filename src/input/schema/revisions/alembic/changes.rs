//! Operations that change columns and indexes.

use crate::model::schema::Dialect;
use crate::model::source::{Expr, ExprKind};

use super::super::statement::{Sql, Step, quoted};
use super::operations::Operation;
use super::types::data_type;

impl<'a> Operation<'_, 'a> {
    /// `alter_column`: what is given changes, the rest stays.
    pub(super) fn alter_column(&self) -> Option<Vec<Step>> {
        let column = self.text(1, "column_name")?;
        match self.read.dialect {
            Dialect::Postgres => self.alter_column_of_postgres(&column),
            Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb => self.modify_column(&column),
            // SQLite changes no column: the table is made anew, from what is there.
            Dialect::Sqlite => match self.args.named("new_column_name") {
                Some(to) if self.changes_nothing_else() => self.rename_column(&column, to),
                _ => None,
            },
        }
    }

    fn changes_nothing_else(&self) -> bool {
        let changes = ["nullable", "server_default", "type_"];
        !changes.iter().any(|name| self.args.named(name).is_some())
    }

    fn rename_column(&self, column: &str, to: &'a Expr) -> Option<Vec<Step>> {
        let to = self.read.module.text(to, self.read.names)?;
        self.alter(|sql| {
            sql.push(" RENAME COLUMN ")
                .name(column)
                .push(" TO ")
                .name(&to)
        })
    }

    fn alter_column_of_postgres(&self, column: &str) -> Option<Vec<Step>> {
        let mut steps = Vec::new();
        let named = |name: &str| self.args.named(name);
        let change = |rest: &str| {
            self.alter(|sql| sql.push(" ALTER COLUMN ").name(column).push(" ").push(rest))
        };
        if let Some(value) = named("type_")
            && !matches!(value.kind, ExprKind::Nil)
        {
            let of = data_type(self.read.module, self.read.names, value, self.read.dialect)?;
            steps.extend(change(&format!("TYPE {}", of.sql))?);
        }
        if let Some(value) = named("nullable")
            && !matches!(value.kind, ExprKind::Nil)
        {
            steps.extend(match self.read.module.flag(value, self.read.names)? {
                true => change("DROP NOT NULL")?,
                false => change("SET NOT NULL")?,
            });
        }
        if let Some(value) = named("server_default")
            && !matches!(value.kind, ExprKind::Bool(false))
        {
            steps.extend(match self.read.default_of(value)? {
                Some(default) => change(&format!("SET DEFAULT {default}"))?,
                None => change("DROP DEFAULT")?,
            });
        }
        if let Some(to) = named("new_column_name") {
            steps.extend(self.rename_column(column, to)?);
        }
        Some(steps)
    }

    /// MySQL says a column anew as a whole: what is not told of it cannot be known here.
    fn modify_column(&self, column: &str) -> Option<Vec<Step>> {
        let named = |name: &str| self.args.named(name);
        if let Some(to) = named("new_column_name")
            && self.changes_nothing_else()
        {
            return self.rename_column(column, to);
        }
        let of = named("type_").or_else(|| named("existing_type"))?;
        let of = data_type(self.read.module, self.read.names, of, self.read.dialect)?;
        let nullable = match named("nullable").or_else(|| named("existing_nullable")) {
            Some(value) => self.read.module.flag(value, self.read.names)?,
            None => true,
        };
        let default = match named("server_default").or_else(|| named("existing_server_default")) {
            Some(value) if !matches!(value.kind, ExprKind::Bool(false)) => {
                self.read.default_of(value)?
            }
            _ => None,
        };
        let mut rest = of.sql;
        if !nullable {
            rest.push_str(" NOT NULL");
        }
        if let Some(default) = default {
            rest.push_str(&format!(" DEFAULT {default}"));
        }
        let name = match named("new_column_name") {
            Some(to) => self.read.module.text(to, self.read.names)?,
            None => column.to_owned(),
        };
        self.alter(|sql| {
            sql.push(" CHANGE COLUMN ")
                .name(column)
                .push(" ")
                .name(&name)
                .push(" ")
                .push(&rest)
        })
    }

    /// `create_index`: its columns are names, or expressions as text.
    pub(super) fn create_index(&self) -> Option<Vec<Step>> {
        let name = self.named_first("index_name")?;
        let parts = self
            .read
            .module
            .list(self.arg(2, "columns")?, self.read.names)?;
        let mut sql = self.sql()?.push("CREATE ");
        if self.flag("unique")? {
            sql = sql.push("UNIQUE ");
        }
        sql = sql.push("INDEX ");
        let postgres = self.read.dialect == Dialect::Postgres;
        if postgres && self.flag("postgresql_concurrently")? {
            sql = sql.push("CONCURRENTLY ");
        }
        if self.flag("if_not_exists")? {
            sql = sql.push("IF NOT EXISTS ");
        }
        sql = sql.name(&name).push(" ON ").table();
        if postgres && let Some(using) = self.args.named("postgresql_using") {
            let using = self.read.module.text(using, self.read.names)?;
            sql = sql.push(" USING ").push(&using);
        }
        sql = sql.push(" (");
        for (at, part) in parts.into_iter().enumerate() {
            if at > 0 {
                sql = sql.push(", ");
            }
            let text = self.part(part)?;
            sql = sql.push_at(&text, &self.read.module.place(part));
        }
        Some(vec![Step::Run(self.behind_parts(sql.push(")"))?)])
    }

    /// A part of a key: a name is a column, a text of SQL an expression.
    fn part(&self, of: &'a Expr) -> Option<String> {
        let text = self.read.module.text(of, self.read.names)?;
        let is_sql = matches!(
            self.read.module.resolve(of, self.read.names).kind,
            ExprKind::Call(_)
        );
        if is_sql {
            return Some(text);
        }
        let length = |lengths: &'a Expr| -> Option<&'a str> {
            if let Some(number) = self.read.module.number(lengths, self.read.names) {
                return Some(number);
            }
            let pairs = self.read.module.pairs(lengths, self.read.names)?;
            let (_, length) = pairs.into_iter().find(|(name, _)| **name == *text)?;
            self.read.module.number(length, self.read.names)
        };
        let mysql = !matches!(self.read.dialect, Dialect::Postgres | Dialect::Sqlite);
        let quoted = quoted(&text, self.read.dialect);
        Some(match self.args.named("mysql_length") {
            Some(lengths) if mysql => match length(lengths) {
                Some(length) => format!("{quoted}({length})"),
                None => quoted,
            },
            _ => quoted,
        })
    }

    fn behind_parts(&self, mut sql: Sql) -> Option<Sql> {
        let postgres = self.read.dialect == Dialect::Postgres;
        if postgres && let Some(include) = self.args.named("postgresql_include") {
            let include = self.read.module.texts(include, self.read.names)?;
            sql = sql.push(" INCLUDE ").names(&include);
        }
        if postgres {
            sql = sql.push(self.read.nulls(self.args)?);
        }
        let only_if = match self.read.dialect {
            Dialect::Postgres => self.args.named("postgresql_where"),
            Dialect::Sqlite => self.args.named("sqlite_where"),
            _ => None,
        };
        if let Some(only_if) = only_if
            && !matches!(only_if.kind, ExprKind::Nil)
        {
            let text = self.read.module.text(only_if, self.read.names)?;
            let place = self.read.module.place(only_if);
            sql = sql.push(" WHERE ").push_at(&text, &place);
        }
        Some(sql)
    }

    pub(super) fn drop_index(&self) -> Option<Vec<Step>> {
        let name = self.named_first("index_name")?;
        let exists = match self.flag("if_exists")? {
            true => "IF EXISTS ",
            false => "",
        };
        let mysql = !matches!(self.read.dialect, Dialect::Postgres | Dialect::Sqlite);
        let sql = match self.sql() {
            Some(sql) => sql,
            None if mysql => return None,
            None => Sql::raw(String::new(), self.place.clone(), self.read.dialect),
        };
        let sql = sql.push("DROP INDEX ").push(exists);
        let sql = match self.table().and_then(|table| table.schema) {
            Some(schema) if !mysql => sql.name(&schema).push("."),
            _ => sql,
        };
        let sql = sql.name(&name);
        Some(vec![Step::Run(match mysql {
            true => sql.push(" ON ").table(),
            false => sql,
        })])
    }
}
