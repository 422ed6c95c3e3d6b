//! The operations of Django, each as a change of the models and the statements that Django runs.
//! Source: `django/db/migrations/operations`.

use std::sync::Arc;

use crate::model::place::Place;
use crate::model::source::{Call, Expr, ExprKind};

use super::super::module::Args;
use super::super::statement::{Sql, Step};
use super::emit::{Emit, pair_columns, table};
use super::fields::FieldReader;
use super::keys::Found;
use super::names;
use super::state::{Field, Kind, Model, ModelKey, State, Together};

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

    fn key(&self, name: &str) -> ModelKey {
        (Arc::clone(self.read.app), name.to_ascii_lowercase())
    }

    fn text(&self, args: Args<'a>, at: usize, word: &str) -> Option<String> {
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

    fn create_model(&mut self, args: Args<'a>, place: &Place) -> Option<()> {
        let name = self.text(args, 0, "name")?;
        let key = self.key(&name);
        let options = match args.get(2, "options") {
            Some(options) => self.read.module.pairs(options, self.read.names)?,
            None => Vec::new(),
        };
        let option = |word: &str| {
            let found = options.iter().find(|(name, _)| &**name == word);
            found.map(|(_, value)| *value)
        };
        let flag = |word: &str| match option(word) {
            Some(value) => self.read.module.flag(value, self.read.names),
            None => Some(word == "managed"),
        };
        let db_table = match option("db_table") {
            Some(of) => Some(self.read.module.text(of, self.read.names)?),
            None => None,
        };
        let mut model = Model {
            named: db_table.is_some(),
            table: db_table.unwrap_or_else(|| names::of_table(&format!("{}_{}", key.0, key.1))),
            managed: flag("managed")? && !flag("proxy")?,
            fields: Vec::new(),
            together: Vec::new(),
            named_keys: Default::default(),
            place: place.clone(),
        };
        let mut unread = Vec::new();
        for pair in self
            .read
            .module
            .list(args.get(1, "fields")?, self.read.names)?
        {
            let parts = self.read.module.list(pair, self.read.names);
            let field = match parts.as_deref() {
                Some([name, field]) => self
                    .read
                    .module
                    .text(name, self.read.names)
                    .and_then(|name| self.read.field(&name, field)),
                _ => None,
            };
            match field {
                Some(mut field) => {
                    name_key(&mut field, &model.table, self.emit.dialect);
                    model.fields.push(field);
                }
                None => unread.push(self.read.module.place(pair)),
            }
        }
        if let Some(of) = option("unique_together") {
            for fields in self.together(of)? {
                let columns = model.columns(&fields)?;
                let name = names::of_key(&model.table, &columns, "_uniq");
                model.together.push(Together { fields, name });
            }
        }
        let managed = model.managed;
        let table = model.table.clone();
        self.state.models.insert(key.clone(), model);
        self.emit.create(self.state, &key);
        for at in unread.into_iter().filter(|_| managed) {
            let says = format!("a field of {table} was not read");
            self.emit.unread(Some(&table), says, &at);
        }
        for word in ["indexes", "constraints"] {
            for of in option(word)
                .and_then(|of| self.read.module.list(of, self.read.names))
                .into_iter()
                .flatten()
            {
                self.key_of(&key, of, place);
            }
        }
        Some(())
    }

    fn together(&self, of: &'a Expr) -> Option<Vec<Vec<String>>> {
        if matches!(of.kind, ExprKind::Nil) {
            return Some(Vec::new());
        }
        // `set()`
        if let Some(call) = self.read.module.call(of, self.read.names)
            && call.args.is_empty()
        {
            return Some(Vec::new());
        }
        let parts = self.read.module.list(of, self.read.names)?;
        // One key may stand without a list around it.
        if parts
            .iter()
            .all(|part| matches!(part.kind, ExprKind::Text(_)))
        {
            let one = self.read.module.texts(of, self.read.names)?;
            return Some(if one.is_empty() {
                Vec::new()
            } else {
                vec![one]
            });
        }
        parts
            .into_iter()
            .map(|part| self.read.module.texts(part, self.read.names))
            .collect()
    }

    fn drop_pairs(&mut self, model: &Model, field: &Field, place: &Place) {
        if let Kind::Pairs { table, .. } = &field.kind {
            let name = State::pairs_table(model, &field.name, table.as_deref());
            self.emit.drop_table(&name, place);
        }
    }

    /// Tables of pairs go by the name of the table they belong to.
    fn rename_pairs(&mut self, old: &Model, new: &Model, place: &Place) {
        for field in &new.fields {
            if let Kind::Pairs { table, .. } = &field.kind {
                let from = State::pairs_table(old, &field.name, table.as_deref());
                let to = State::pairs_table(new, &field.name, table.as_deref());
                self.emit.rename_table(&from, &to, place);
            }
        }
    }

    fn rename_model(&mut self, args: Args<'a>, place: &Place) -> Option<()> {
        let old_key = self.key(&self.text(args, 0, "old_name")?);
        let new_key = self.key(&self.text(args, 1, "new_name")?);
        let old = self.state.models.remove(&old_key)?;
        let mut new = old.clone();
        if !new.named {
            new.table = names::of_table(&format!("{}_{}", new_key.0, new_key.1));
        }
        if new.managed {
            self.emit.rename_table(&old.table, &new.table, place);
            self.rename_pairs(&old, &new, place);
            for field in &new.fields {
                if let Kind::Pairs { table, to } = &field.kind
                    && let Some(to) = to
                {
                    let name = State::pairs_table(&new, &field.name, table.as_deref());
                    let before = pair_columns(&old_key, to);
                    let renamed = if *to == old_key { &new_key } else { to };
                    let after = pair_columns(&new_key, renamed);
                    for (from, to) in before.iter().zip(&after) {
                        self.emit.rename_column(&name, from, to, place);
                    }
                }
            }
        }
        self.state.models.insert(new_key.clone(), new);
        for model in self.state.models.values_mut() {
            for field in &mut model.fields {
                match &mut field.kind {
                    Kind::Column { to: Some(to), .. } | Kind::Pairs { to: Some(to), .. }
                        if *to == old_key =>
                    {
                        to.clone_from(&new_key);
                    }
                    _ => {}
                }
            }
        }
        Some(())
    }

    fn alter_model_table(&mut self, args: Args<'a>, place: &Place) -> Option<()> {
        let key = self.key(&self.text(args, 0, "name")?);
        let to = match args.get(1, "table") {
            Some(of) if !matches!(of.kind, ExprKind::Nil) => {
                Some(self.read.module.text(of, self.read.names)?)
            }
            _ => None,
        };
        let model = self.state.models.get_mut(&key)?;
        let old = model.clone();
        model.named = to.is_some();
        model.table = to.unwrap_or_else(|| names::of_table(&format!("{}_{}", key.0, key.1)));
        let new = model.clone();
        if new.managed {
            self.emit.rename_table(&old.table, &new.table, place);
            self.rename_pairs(&old, &new, place);
        }
        Some(())
    }

    fn alter_unique_together(&mut self, args: Args<'a>, place: &Place) -> Option<()> {
        let key = self.key(&self.text(args, 0, "name")?);
        let wanted = self.together(args.get(1, "unique_together")?)?;
        let model = self.state.models.get(&key)?.clone();
        let mut kept = Vec::new();
        for known in &model.together {
            if wanted.contains(&known.fields) {
                kept.push(known.clone());
            } else if model.managed {
                self.emit.drop_key(&model.table, &known.name, false, place);
            }
        }
        for fields in wanted {
            if kept.iter().any(|known| known.fields == fields) {
                continue;
            }
            let columns = model.columns(&fields)?;
            let name = names::of_key(&model.table, &columns, "_uniq");
            self.emit.unique(&model, &fields, &name, place);
            kept.push(Together { fields, name });
        }
        self.state.models.get_mut(&key)?.together = kept;
        Some(())
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
