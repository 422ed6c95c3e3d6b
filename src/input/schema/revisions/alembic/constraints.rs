//! Constraints of SQLAlchemy as SQL.

use crate::model::schema::Dialect;
use crate::model::source::{Expr, ExprKind};

use super::super::module::Args;
use super::super::statement::{list, quoted};
use super::columns::Reader;

/// A constraint of a table.
pub(super) struct Constraint {
    pub(super) sql: String,
    /// The columns, if it is the primary key.
    pub(super) primary: Option<Vec<String>>,
}

impl<'a> Reader<'_, 'a> {
    /// `CONSTRAINT name `, or nothing where it has none.
    pub(super) fn constraint_name(&self, args: Args<'a>) -> Option<String> {
        match args.named("name") {
            Some(name) if !matches!(name.kind, ExprKind::Nil) => {
                let name = self.text(name)?;
                Some(format!("CONSTRAINT {} ", quoted(&name, self.dialect)))
            }
            _ => Some(String::new()),
        }
    }

    pub(super) fn check(&self, args: Args<'a>) -> Option<String> {
        let text = self.text(args.get(0, "sqltext")?)?;
        Some(format!("{}CHECK ({text})", self.constraint_name(args)?))
    }

    /// A constraint that stands in a table; none if it cannot be read.
    pub(super) fn constraint(&self, of: &'a Expr) -> Option<Constraint> {
        let (call, word) = self.part(of)?;
        let args = Args(call);
        if args.are_open() {
            return None;
        }
        let columns = || -> Option<Vec<String>> {
            args.positional().map(|column| self.text(column)).collect()
        };
        let name = self.constraint_name(args)?;
        let mut primary = None;
        let sql = match &*word {
            "PrimaryKeyConstraint" => {
                let columns = columns()?;
                let sql = format!("{name}PRIMARY KEY {}", list(&columns, self.dialect));
                primary = Some(columns);
                sql
            }
            "UniqueConstraint" => format!(
                "{name}UNIQUE{} {}{}",
                self.nulls(args)?,
                list(&columns()?, self.dialect),
                self.deferral(args)?
            ),
            "ForeignKeyConstraint" => {
                let columns = self.module.texts(args.get(0, "columns")?, self.names)?;
                let targets = self.module.texts(args.get(1, "refcolumns")?, self.names)?;
                let mut to = Vec::new();
                let mut table = None;
                for target in &targets {
                    let (of, column) = target.rsplit_once('.')?;
                    table = Some(of);
                    to.push(column.to_owned());
                }
                let table: Vec<String> = table?
                    .split('.')
                    .map(|part| quoted(part, self.dialect))
                    .collect();
                format!(
                    "{name}FOREIGN KEY {} REFERENCES {} {}{}",
                    list(&columns, self.dialect),
                    table.join("."),
                    list(&to, self.dialect),
                    self.on_delete(args)?
                )
            }
            "CheckConstraint" => self.check(args)?,
            "ExcludeConstraint" => {
                format!("{name}{}", self.exclusion(args.positional(), args)?)
            }
            _ => return None,
        };
        Some(Constraint { sql, primary })
    }

    /// An exclusion constraint of pairs of a column and an operator.
    pub(super) fn exclusion(
        &self,
        pairs: impl Iterator<Item = &'a Expr>,
        args: Args<'a>,
    ) -> Option<String> {
        let mut parts = Vec::new();
        for pair in pairs {
            let [column, operator] = self.module.list(pair, self.names)?[..] else {
                return None;
            };
            let column = match self.text(column) {
                Some(name) if matches!(column.kind, ExprKind::Text(_)) => {
                    quoted(&name, self.dialect)
                }
                other => other?,
            };
            parts.push(format!("{column} WITH {}", self.text(operator)?));
        }
        let using = match args.named("using") {
            Some(using) => self.text(using)?,
            None => "gist".to_owned(),
        };
        let only_if = match args.named("where") {
            Some(only_if) => format!(" WHERE ({})", self.text(only_if)?),
            None => String::new(),
        };
        Some(format!(
            "EXCLUDE USING {using} ({}){only_if}{}",
            parts.join(", "),
            self.deferral(args)?
        ))
    }

    /// `NULLS NOT DISTINCT`, where it is asked for.
    pub(super) fn nulls(&self, args: Args<'a>) -> Option<&'static str> {
        match args.named("postgresql_nulls_not_distinct") {
            Some(value) if self.dialect == Dialect::Postgres => {
                match self.module.flag(value, self.names)? {
                    true => Some(" NULLS NOT DISTINCT"),
                    false => Some(""),
                }
            }
            _ => Some(""),
        }
    }

    /// When a constraint is checked.
    pub(super) fn deferral(&self, args: Args<'a>) -> Option<String> {
        let mut sql = String::new();
        if let Some(value) = args.named("deferrable")
            && !matches!(value.kind, ExprKind::Nil)
        {
            let word = match self.module.flag(value, self.names)? {
                true => " DEFERRABLE",
                false => " NOT DEFERRABLE",
            };
            sql.push_str(word);
        }
        if let Some(value) = args.named("initially")
            && !matches!(value.kind, ExprKind::Nil)
        {
            let word = self.text(value)?.to_ascii_uppercase();
            if !matches!(&*word, "DEFERRED" | "IMMEDIATE") {
                return None;
            }
            sql.push_str(&format!(" INITIALLY {word}"));
        }
        Some(sql)
    }
}
