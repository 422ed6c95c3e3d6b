//! `create_table`: columns, constraints, and the indexes of columns.

use crate::model::place::Place;
use crate::model::source::Expr;
use crate::sql::cursor::QualifiedName;

use super::super::statement::{Sql, Step, list, quoted};
use super::columns::Column;
use super::operations::Operation;

impl<'a> Operation<'_, 'a> {
    pub(super) fn create_table(&self) -> Option<Vec<Step>> {
        let table = self.table()?;
        let mut columns: Vec<(Column, &Expr)> = Vec::new();
        let mut constraints = Vec::new();
        let mut primary: Option<Vec<String>> = None;
        let mut unread: Vec<(String, Place)> = Vec::new();
        let mut steps = Vec::new();
        for part in self.args.positional().skip(1) {
            if let Some(column) = self.read.column(part) {
                columns.push((column, part));
            } else if let Some(constraint) = self.read.constraint(part) {
                primary = constraint.primary.or(primary);
                constraints.push((constraint.sql, part));
            } else {
                let says = format!("a part of the table {} was not read", table.name);
                unread.push((says, self.read.module.place(part)));
            }
        }
        let marked: Vec<String> = columns
            .iter()
            .filter(|(column, _)| column.primary)
            .map(|(column, _)| column.name.clone())
            .collect();
        if primary.is_none() && !marked.is_empty() {
            let first = columns.iter().find(|(column, _)| column.primary);
            let sql = format!("PRIMARY KEY {}", list(&marked, self.read.dialect));
            if let Some((_, part)) = first {
                constraints.insert(0, (sql, *part));
            }
            primary = Some(marked);
        }
        let mut sql = self.sql()?.push("CREATE TABLE ");
        if self.flag("if_not_exists")? {
            sql = sql.push("IF NOT EXISTS ");
        }
        sql = sql.table().push(" (");
        let mut first = true;
        for (column, part) in &columns {
            let alone = primary.as_deref() == Some(std::slice::from_ref(&column.name));
            let comma = if first { "" } else { ", " };
            first = false;
            let place = self.read.module.place(part);
            let text = column.sql(alone, self.read.dialect);
            sql = sql.push(comma).push_at(&text, &place);
        }
        for (constraint, part) in &constraints {
            let comma = if first { "" } else { ", " };
            first = false;
            sql = sql
                .push(comma)
                .push_at(constraint, &self.read.module.place(part));
        }
        for (column, part) in &columns {
            if column.unique && !column.indexed {
                let text = format!(", UNIQUE ({})", quoted(&column.name, self.read.dialect));
                sql = sql.push_at(&text, &self.read.module.place(part));
            }
        }
        steps.push(Step::Run(sql.push(")")));
        for (column, part) in columns {
            if column.indexed {
                steps.push(self.index_of_column(&table, &column, part));
            }
            unread.extend(column.unread);
        }
        for (says, place) in unread {
            steps.push(Step::unread(Some(table.clone()), says, place));
        }
        Some(steps)
    }

    /// The index of `Column(…, index=True)`.
    pub(super) fn index_of_column(
        &self,
        table: &QualifiedName,
        column: &Column,
        part: &Expr,
    ) -> Step {
        let unique = if column.unique { "UNIQUE " } else { "" };
        let name = format!("ix_{}_{}", table.name, column.name);
        let place = self.read.module.place(part);
        Step::Run(
            Sql::about(table.clone(), place, self.read.dialect)
                .push("CREATE ")
                .push(unique)
                .push("INDEX ")
                .name(&name)
                .push(" ON ")
                .table()
                .push(" ")
                .names(std::slice::from_ref(&column.name)),
        )
    }
}
