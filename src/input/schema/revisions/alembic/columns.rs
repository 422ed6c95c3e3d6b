//! Columns and constraints of SQLAlchemy as SQL.

use crate::model::place::Place;
use crate::model::schema::Dialect;
use crate::model::source::{Call, Expr, ExprKind};

use super::super::module::{Args, Module, Names};
use super::super::statement::{literal, quoted};
use super::types::data_type;

/// What a reader of parts is told.
#[derive(Clone, Copy)]
pub(super) struct Reader<'m, 'a> {
    pub(super) module: &'m Module<'a>,
    pub(super) names: &'m Names<'a>,
    pub(super) dialect: Dialect,
}

/// A column.
#[derive(Debug, Default)]
pub(super) struct Column {
    pub(super) name: String,
    /// Its type; absent where it is none that is known.
    pub(super) data_type: Option<String>,
    /// True if the type is a whole number.
    integer: bool,
    /// Everything behind the type but NOT NULL.
    rest: String,
    pub(super) nullable: bool,
    pub(super) primary: bool,
    /// True unless it says that the engine does not number it.
    numbered: bool,
    pub(super) unique: bool,
    pub(super) indexed: bool,
    /// What could not be read of it.
    pub(super) unread: Vec<(String, Place)>,
}

impl Column {
    /// Its definition; `alone` if it is the whole primary key.
    pub(super) fn sql(&self, alone: bool, dialect: Dialect) -> String {
        let number = alone && self.integer && self.numbered;
        let mut data_type = match &self.data_type {
            Some(data_type) => data_type.clone(),
            // The table is unknown in this case; any word does.
            None => "text".to_owned(),
        };
        if number && dialect == Dialect::Postgres {
            data_type = match &*data_type {
                "bigint" => "bigserial",
                "smallint" => "smallserial",
                _ => "serial",
            }
            .to_owned();
        }
        let mut sql = format!("{} {data_type}{}", quoted(&self.name, dialect), self.rest);
        if !self.nullable || self.primary {
            sql.push_str(" NOT NULL");
        }
        if number && matches!(dialect, Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb) {
            sql.push_str(" AUTO_INCREMENT");
        }
        sql
    }
}

impl<'a> Reader<'_, 'a> {
    pub(super) fn text(&self, of: &'a Expr) -> Option<String> {
        self.module.text(of, self.names)
    }

    /// The call of a part, with the last part of the name of what is called.
    pub(super) fn part(&self, of: &'a Expr) -> Option<(&'a Call, String)> {
        let call = self.module.call(of, self.names)?;
        let name = self.module.qualified(&call.callee)?;
        let package = name.split('.').next().unwrap_or_default();
        let known = matches!(package, "sqlalchemy" | "sqlmodel");
        known.then(|| (call, name.rsplit('.').next().unwrap_or_default().to_owned()))
    }

    /// `sa.Column(name, type, …)`; none where not even its name can be read.
    pub(super) fn column(&self, of: &'a Expr) -> Option<Column> {
        let (call, word) = self.part(of)?;
        if word != "Column" {
            return None;
        }
        let args = Args(call);
        let mut positional = args.positional();
        let mut column = Column {
            name: self.text(args.named("name").or_else(|| positional.next())?)?,
            nullable: true,
            numbered: true,
            ..Column::default()
        };
        let place = self.module.place(of);
        if args.are_open() {
            let says = format!(
                "what the column {} is given is made at run time",
                column.name
            );
            column.unread.push((says, place.clone()));
        }
        for part in positional {
            self.part_of_column(part, &mut column);
        }
        if let Some(part) = args.named("type_") {
            self.part_of_column(part, &mut column);
        }
        if column.data_type.is_none() && column.unread.is_empty() {
            let says = format!("the type of the column {} was not read", column.name);
            column.unread.push((says, place.clone()));
        }
        if let Some(value) = args.named("server_default") {
            self.default(value, &mut column);
        }
        if args.named("server_onupdate").is_some() {
            let says = format!("what changes the column {} is not read", column.name);
            column.unread.push((says, place.clone()));
        }
        let mut flags = Vec::new();
        for name in [
            "primary_key",
            "unique",
            "index",
            "autoincrement",
            "nullable",
        ] {
            let value = args.named(name);
            let told = value.map(|value| self.module.flag(value, self.names));
            let words = name == "autoincrement"
                && value.is_some_and(|value| matches!(value.kind, ExprKind::Text(_)));
            let none = value.is_some_and(|value| matches!(value.kind, ExprKind::Nil));
            if told == Some(None) && !words && !none {
                let says = format!("{name} of the column {} is told at run time", column.name);
                column.unread.push((says, place.clone()));
            }
            flags.push(told.flatten());
        }
        column.primary = flags.first().copied().flatten().unwrap_or(false);
        column.unique = flags.get(1).copied().flatten().unwrap_or(false);
        column.indexed = flags.get(2).copied().flatten().unwrap_or(false);
        column.numbered &= flags.get(3).copied().flatten().unwrap_or(true);
        let nullable = flags.get(4).copied().flatten();
        column.nullable = nullable.unwrap_or(column.nullable && !column.primary);
        Some(column)
    }

    /// The type, or what else a column is made with.
    fn part_of_column(&self, part: &'a Expr, column: &mut Column) {
        let word = self.part(part);
        let unread = match &word {
            Some((call, word)) => match (&**word, Args(call)) {
                ("ForeignKey", args) => {
                    column.numbered = false;
                    self.foreign_key(args, column)
                }
                ("Identity", args) => {
                    column.numbered = false;
                    column.nullable = false;
                    let always = args.get(usize::MAX, "always");
                    let always = always
                        .is_some_and(|value| self.module.flag(value, self.names) == Some(true));
                    let word = if always { "ALWAYS" } else { "BY DEFAULT" };
                    column
                        .rest
                        .push_str(&format!(" GENERATED {word} AS IDENTITY"));
                    Some(())
                }
                ("Computed", args) => {
                    column.numbered = false;
                    self.computed(args, column)
                }
                ("CheckConstraint", args) => self.check(args).map(|sql| {
                    column.rest.push_str(&format!(" {sql}"));
                }),
                ("Sequence", _) => {
                    column.numbered = false;
                    None
                }
                ("FetchedValue", _) => None,
                _ => self.data_type(part, column),
            },
            None => self.data_type(part, column),
        };
        if unread.is_none() {
            let says = format!("what the column {} is made of was not read", column.name);
            column.unread.push((says, self.module.place(part)));
        }
    }

    fn data_type(&self, part: &'a Expr, column: &mut Column) -> Option<()> {
        let found = data_type(self.module, self.names, part, self.dialect)?;
        column.data_type = Some(found.sql);
        column.integer = found.integer;
        Some(())
    }

    fn foreign_key(&self, args: Args<'a>, column: &mut Column) -> Option<()> {
        let target = self.text(args.get(0, "column")?)?;
        let (table, to) = target.rsplit_once('.')?;
        let table: Vec<String> = table
            .split('.')
            .map(|part| quoted(part, self.dialect))
            .collect();
        let name = self.constraint_name(args)?;
        column.rest.push_str(&format!(
            "{} REFERENCES {} ({}){}",
            if name.is_empty() {
                String::new()
            } else {
                format!(" {}", name.trim_end())
            },
            table.join("."),
            quoted(to, self.dialect),
            self.on_delete(args)?
        ));
        Some(())
    }

    pub(super) fn on_delete(&self, args: Args<'a>) -> Option<String> {
        match args.named("ondelete") {
            Some(value) if !matches!(value.kind, ExprKind::Nil) => {
                let word = self.text(value)?;
                let known = [
                    "CASCADE",
                    "SET NULL",
                    "SET DEFAULT",
                    "RESTRICT",
                    "NO ACTION",
                ];
                let word = word.to_ascii_uppercase();
                known
                    .contains(&&*word)
                    .then(|| format!(" ON DELETE {word}"))
            }
            _ => Some(String::new()),
        }
    }

    fn computed(&self, args: Args<'a>, column: &mut Column) -> Option<()> {
        let text = self.text(args.get(0, "sqltext")?)?;
        let stored = match args.get(1, "persisted") {
            Some(value) => self.module.flag(value, self.names)?,
            None => self.dialect == Dialect::Postgres,
        };
        let word = if stored { " STORED" } else { "" };
        column
            .rest
            .push_str(&format!(" GENERATED ALWAYS AS ({text}){word}"));
        Some(())
    }

    /// What a row gets that names no value.
    fn default(&self, value: &'a Expr, column: &mut Column) {
        match self.default_of(value) {
            Some(None) => {}
            Some(Some(sql)) => {
                column.numbered = false;
                column.rest.push_str(&format!(" DEFAULT {sql}"));
            }
            None => match self.part(value) {
                Some((_, word)) if word == "Identity" || word == "Computed" => {
                    self.part_of_column(value, column);
                }
                _ => {
                    column.numbered = false;
                    let says = format!("the default of the column {} was not read", column.name);
                    column.unread.push((says, self.module.place(value)));
                }
            },
        }
    }

    /// The SQL of a default; `Some(None)` for `None`, none if it cannot be told.
    pub(super) fn default_of(&self, value: &'a Expr) -> Option<Option<String>> {
        let value = self.module.resolve(value, self.names);
        match &value.kind {
            ExprKind::Nil => return Some(None),
            ExprKind::Call(call) => {
                let name = self.module.qualified(&call.callee)?;
                let (of, last) = name.rsplit_once('.')?;
                if !of.starts_with("sqlalchemy") {
                    return None;
                }
                let none = call.args.is_empty();
                let sqlite = self.dialect == Dialect::Sqlite;
                return match last {
                    "text" | "literal_column" => {
                        Some(Some(self.text(call.args.first()?)?)).filter(|_| call.named.is_empty())
                    }
                    "true" | "false" if none => Some(Some(match self.dialect {
                        Dialect::Postgres => last.to_owned(),
                        _ => u8::from(last == "true").to_string(),
                    })),
                    "now" if none && of.ends_with(".func") && sqlite => {
                        Some(Some("CURRENT_TIMESTAMP".to_owned()))
                    }
                    "current_timestamp" | "current_date" | "current_time"
                        if none && of.ends_with(".func") =>
                    {
                        Some(Some(last.to_ascii_uppercase()))
                    }
                    _ if none && of.ends_with(".func") => Some(Some(format!("{last}()"))),
                    _ => None,
                };
            }
            _ => {}
        }
        let text = self.text(value)?;
        Some(Some(literal(&text, self.dialect)))
    }
}
