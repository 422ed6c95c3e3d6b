//! The operations of Django, each as a change of the models and the statements that Django runs.
//! Source: `django/db/migrations/operations`.

use std::sync::Arc;

use crate::model::place::Place;
use crate::model::source::{Call, Expr};

use super::super::module::Args;
use super::super::statement::{Sql, Step};
use super::emit::{Emit, table};
use super::fields::FieldReader;
use super::keys::Found;
use super::state::{Field, ModelKey, State};

/// Operations that change no table.
const HARMLESS: [&str; 12] = [
    "AlterModelOptions",
    "AlterModelManagers",
    "AlterModelTableComment",
    "ValidateConstraint",
    "BloomExtension",
    "BtreeGinExtension",
    "BtreeGistExtension",
    "CITextExtension",
    "CreateExtension",
    "CryptoExtension",
    "HStoreExtension",
    "TrigramExtension",
];

/// Further ones, by their last word.
const HARMLESS_ENDS: [&str; 2] = ["Extension", "Collation"];

/// One migration being run.
pub(super) struct Run<'m, 'a> {
    pub(super) read: FieldReader<'m, 'a>,
    pub(super) state: &'m mut State,
    pub(super) emit: Emit,
}

impl<'a> Run<'_, 'a> {
    /// Runs the operations of a list.
    pub(super) fn all(&mut self, list: &'a Expr) {
        match self.read.module.list(list, self.read.names) {
            Some(operations) => {
                for operation in operations {
                    self.operation(operation);
                }
            }
            None => {
                let place = self.read.module.place(list);
                let says = "operations that are made at run time were not read".to_owned();
                self.emit.unread(None, says, &place);
            }
        }
    }

    fn operation(&mut self, of: &'a Expr) {
        let place = self.read.module.place(of);
        let call = self.read.module.call(of, self.read.names);
        let Some(call) = call else {
            let says = "an operation that is made at run time was not read".to_owned();
            return self.emit.unread(None, says, &place);
        };
        let class = self.read.module.qualified(&call.callee).unwrap_or_default();
        let word = class.rsplit('.').next().unwrap_or_default().to_owned();
        if !class.starts_with("django.") {
            let says = format!("the operation `{class}` is none of Django's, and was not read");
            return self.emit.unread(None, says, &place);
        }
        let harmless =
            HARMLESS.contains(&&*word) || HARMLESS_ENDS.iter().any(|end| word.ends_with(end));
        if harmless || self.run(&word, call, &place).is_some() {
            return;
        }
        let args = Args(call);
        let named = args
            .get(0, "model_name")
            .or_else(|| args.named("name"))
            .and_then(|name| self.read.module.text(name, self.read.names));
        let known = named.and_then(|name| {
            let model = self.state.models.get(&self.key(&name))?;
            Some(model.table.clone())
        });
        let says = match &known {
            Some(table) => format!("what `{word}` does to {table} was not read"),
            None => format!("what `{word}` does was not read"),
        };
        self.emit.unread(known.as_deref(), says, &place);
    }

    pub(super) fn key(&self, name: &str) -> ModelKey {
        (Arc::clone(self.read.app), name.to_ascii_lowercase())
    }

    pub(super) fn text(&self, args: Args<'a>, at: usize, word: &str) -> Option<String> {
        self.read.module.text(args.get(at, word)?, self.read.names)
    }

    fn run(&mut self, word: &str, call: &'a Call, place: &Place) -> Option<()> {
        let args = Args(call);
        if args.are_open() {
            return None;
        }
        match word {
            "CreateModel" => self.create_model(args, place),
            "DeleteModel" => {
                let key = self.key(&self.text(args, 0, "name")?);
                let model = self.state.models.remove(&key)?;
                if model.managed {
                    for field in &model.fields {
                        self.drop_pairs(&model, field, place);
                    }
                    self.emit.drop_table(&model.table, place);
                }
                Some(())
            }
            "RenameModel" => self.rename_model(args, place),
            "AlterModelTable" => self.alter_model_table(args, place),
            "AlterUniqueTogether" => self.alter_unique_together(args, place),
            // Indexes that enforce nothing, of a kind that Django has given up.
            "AlterIndexTogether" => Some(()),
            "AddField" => self.add_field(args),
            "RemoveField" => self.remove_field(args, place),
            "AlterField" => self.alter_field(args),
            "RenameField" => self.rename_field(args, place),
            "AddIndex" | "AddIndexConcurrently" => self.add_key(args, "index", place),
            "AddConstraint" | "AddConstraintNotValid" => self.add_key(args, "constraint", place),
            "RemoveIndex" | "RemoveIndexConcurrently" | "RemoveConstraint" => {
                self.remove_key(args, word != "RemoveConstraint", place)
            }
            "RenameIndex" => self.rename_index(args, place),
            "RunSQL" => self.run_sql(args, place),
            "RunPython" => self.run_python(args, place),
            "SeparateDatabaseAndState" => {
                let mut before = self.state.clone();
                if let Some(list) = args.get(0, "database_operations") {
                    self.all(list);
                }
                // What the models are is told by the other list alone.
                std::mem::swap(self.state, &mut before);
                if let Some(list) = args.get(1, "state_operations") {
                    let on = std::mem::replace(&mut self.emit.on, false);
                    self.all(list);
                    self.emit.on = on;
                }
                Some(())
            }
            _ => None,
        }
    }

    fn run_sql(&mut self, args: Args<'a>, place: &Place) -> Option<()> {
        let of = args.get(0, "sql")?;
        let mut texts: Vec<(Option<String>, Place)> = Vec::new();
        let noop = self
            .read
            .module
            .qualified(of)
            .is_some_and(|name| name.ends_with("RunSQL.noop"));
        if let Some(text) = self.read.module.text(of, self.read.names) {
            texts.push((Some(text), place.clone()));
        } else if let Some(list) = self.read.module.list(of, self.read.names) {
            for one in list {
                let pair = self.read.module.list(one, self.read.names);
                let text = pair.and_then(|pair| pair.first().copied()).unwrap_or(one);
                let read = self.read.module.text(text, self.read.names);
                texts.push((read, self.read.module.place(one)));
            }
        } else if !noop {
            texts.push((None, place.clone()));
        }
        for (text, place) in texts {
            match text {
                Some(text) => {
                    let sql = Sql::raw(text, place, self.emit.dialect);
                    self.emit.add(Step::Run(sql));
                }
                None => {
                    let says = "SQL that is made at run time was not read".to_owned();
                    self.emit.unread(None, says, &place);
                }
            }
        }
        if let Some(list) = args.get(2, "state_operations") {
            let on = std::mem::replace(&mut self.emit.on, false);
            self.all(list);
            self.emit.on = on;
        }
        Some(())
    }

    /// An index or constraint of a model.
    pub(super) fn key_of(&mut self, key: &ModelKey, of: &'a Expr, place: &Place) {
        let Some(model) = self.state.models.get_mut(key) else {
            return;
        };
        let (name, index) = match self.read.key(model, of) {
            Found::Key(key) => {
                if let Some(sql) = key.sql.filter(|_| model.managed) {
                    let quoted = super::super::statement::quoted(&model.table, self.emit.dialect);
                    let sql = sql.replacen("{}", &quoted, 1);
                    let sql = Sql::about(table(&model.table), place.clone(), self.emit.dialect)
                        .push(&sql);
                    self.emit.add(Step::Run(sql));
                }
                (Some(key.name), key.index)
            }
            Found::Unread(name) => {
                let says = format!("an index or constraint of {} was not read", model.table);
                let table = model.table.clone();
                self.emit.unread(Some(&table), says, place);
                (name, false)
            }
        };
        if let Some(name) = name {
            model.named_keys.insert(name, index);
        }
    }
}

/// What the engine calls the key of a field that is unique by itself, where it is made with its
/// column.
pub(super) fn name_key(field: &mut Field, table: &str, dialect: crate::model::schema::Dialect) {
    use crate::model::schema::Dialect;
    field.unique_name = match (field.unique, field.column(), dialect) {
        (true, Some(column), Dialect::Postgres) => Some(format!("{table}_{column}_key")),
        (true, Some(column), _) => Some(column.to_owned()),
        _ => None,
    };
}
