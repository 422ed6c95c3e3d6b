//! Operations on models: made, dropped, renamed, unique together.

use crate::model::place::Place;
use crate::model::source::{Expr, ExprKind};

use super::super::module::Args;
use super::emit::pair_columns;
use super::names;
use super::operations::{Run, name_key};
use super::state::{Field, Kind, Model, State, Together};

impl<'a> Run<'_, 'a> {
    pub(super) fn create_model(&mut self, args: Args<'a>, place: &Place) -> Option<()> {
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
            && self.read.module.qualified(&call.callee).as_deref() == Some("set")
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

    pub(super) fn drop_pairs(&mut self, model: &Model, field: &Field, place: &Place) {
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

    pub(super) fn rename_model(&mut self, args: Args<'a>, place: &Place) -> Option<()> {
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

    pub(super) fn alter_model_table(&mut self, args: Args<'a>, place: &Place) -> Option<()> {
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

    pub(super) fn alter_unique_together(&mut self, args: Args<'a>, place: &Place) -> Option<()> {
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
}
