//! Operations on the fields and keys of a model.

use crate::model::place::Place;
use crate::model::source::Expr;

use super::super::module::Args;
use super::names;
use super::operations::{Run, name_key};
use super::state::{Kind, ModelKey, State};

impl<'a> Run<'_, 'a> {
    fn model_of(&self, args: Args<'a>) -> Option<ModelKey> {
        let name = args.get(0, "model_name")?;
        let name = self.read.module.text(name, self.read.names)?;
        let key = (
            std::sync::Arc::clone(self.read.app),
            name.to_ascii_lowercase(),
        );
        self.state.models.contains_key(&key).then_some(key)
    }

    fn word(&self, args: Args<'a>, at: usize, name: &str) -> Option<String> {
        self.read.module.text(args.get(at, name)?, self.read.names)
    }

    pub(super) fn add_field(&mut self, args: Args<'a>) -> Option<()> {
        let key = self.model_of(args)?;
        let name = self.word(args, 1, "name")?;
        let mut field = self.read.field(&name, args.get(2, "field")?)?;
        let model = self.state.models.get_mut(&key)?;
        name_key(&mut field, &model.table, self.emit.dialect);
        model.fields.push(field.clone());
        self.emit.add_field(self.state, &key, &field);
        Some(())
    }

    pub(super) fn remove_field(&mut self, args: Args<'a>, place: &Place) -> Option<()> {
        let key = self.model_of(args)?;
        let name = self.word(args, 1, "name")?;
        let model = self.state.models.get_mut(&key)?;
        let at = model.fields.iter().position(|field| field.name == name)?;
        let field = model.fields.remove(at);
        model.together.retain(|key| !key.fields.contains(&name));
        let model = model.clone();
        if !model.managed {
            return Some(());
        }
        match &field.kind {
            Kind::Pairs { table, .. } => {
                let name = State::pairs_table(&model, &field.name, table.as_deref());
                self.emit.drop_table(&name, place);
            }
            Kind::Column { column, .. } => {
                if self.emit.dialect == crate::model::schema::Dialect::Sqlite {
                    self.emit.remake(self.state, &key, place);
                } else {
                    let column = super::super::statement::quoted(column, self.emit.dialect);
                    let rest = format!(" DROP COLUMN {column}");
                    self.emit.alter(&model.table, place, &rest);
                }
            }
            Kind::Nothing => {}
        }
        Some(())
    }

    pub(super) fn alter_field(&mut self, args: Args<'a>) -> Option<()> {
        let key = self.model_of(args)?;
        let name = self.word(args, 1, "name")?;
        let mut field = self.read.field(&name, args.get(2, "field")?)?;
        let model = self.state.models.get_mut(&key)?;
        let at = model.fields.iter().position(|known| known.name == name)?;
        let old = model.fields.get(at)?.clone();
        if field.unique {
            field.unique_name = match (&old.unique_name, field.column()) {
                (Some(name), _) => Some(name.clone()),
                (None, Some(column)) => {
                    Some(names::of_key(&model.table, &[column.to_owned()], "_uniq"))
                }
                (None, None) => None,
            };
        }
        *model.fields.get_mut(at)? = field.clone();
        let model = model.clone();
        match (old.column().is_some(), field.column().is_some()) {
            (true, true) => self.emit.alter_field(self.state, &key, &old, &field),
            // From pairs to pairs: Django keeps the table, and the columns that it has.
            (false, false) => {}
            _ => {
                let says = format!("the field {name} of {} changes its kind", model.table);
                self.emit.unread(Some(&model.table), says, &field.place);
            }
        }
        Some(())
    }

    pub(super) fn rename_field(&mut self, args: Args<'a>, place: &Place) -> Option<()> {
        let key = self.model_of(args)?;
        let old_name = self.word(args, 1, "old_name")?;
        let new_name = self.word(args, 2, "new_name")?;
        let model = self.state.models.get_mut(&key)?;
        let before = model.clone();
        for together in &mut model.together {
            for field in &mut together.fields {
                if *field == old_name {
                    field.clone_from(&new_name);
                }
            }
        }
        let field = model
            .fields
            .iter_mut()
            .find(|field| field.name == old_name)?;
        field.name.clone_from(&new_name);
        let managed = model.managed;
        match &mut field.kind {
            Kind::Column { column, .. } => {
                // A column with a name of its own keeps it.
                let to = match &**column {
                    known if known == old_name => new_name,
                    known if known == format!("{old_name}_id") => format!("{new_name}_id"),
                    _ => return Some(()),
                };
                let from = std::mem::replace(column, to.clone());
                if managed {
                    self.emit.rename_column(&before.table, &from, &to, place);
                }
            }
            Kind::Pairs { table, .. } => {
                let from = State::pairs_table(&before, &old_name, table.as_deref());
                let to = State::pairs_table(&before, &new_name, table.as_deref());
                if managed {
                    self.emit.rename_table(&from, &to, place);
                }
            }
            Kind::Nothing => {}
        }
        Some(())
    }

    pub(super) fn add_key(&mut self, args: Args<'a>, word: &str, place: &Place) -> Option<()> {
        let key = self.model_of(args)?;
        let of: &'a Expr = args.get(1, word)?;
        self.key_of(&key, of, place);
        Some(())
    }

    pub(super) fn remove_key(&mut self, args: Args<'a>, index: bool, place: &Place) -> Option<()> {
        let key = self.model_of(args)?;
        let name = self.word(args, 1, "name")?;
        let model = self.state.models.get_mut(&key)?;
        let as_index = model.named_keys.remove(&name).unwrap_or(index);
        let (table, managed) = (model.table.clone(), model.managed);
        if managed {
            self.emit.drop_key(&table, &name, as_index, place);
        }
        Some(())
    }

    pub(super) fn rename_index(&mut self, args: Args<'a>, place: &Place) -> Option<()> {
        let key = self.model_of(args)?;
        let to = self.word(args, 1, "new_name")?;
        // An index of `index_together` has no name that the models know.
        let from = self.word(args, 2, "old_name")?;
        let model = self.state.models.get_mut(&key)?;
        let known = model.named_keys.remove(&from).unwrap_or(true);
        model.named_keys.insert(to.clone(), known);
        let (table, managed) = (model.table.clone(), model.managed);
        if managed {
            let dialect = self.emit.dialect;
            let quoted = |name: &str| super::super::statement::quoted(name, dialect);
            let sql = self.emit.about(&table, place);
            self.emit
                .add(super::super::statement::Step::Run(match dialect {
                    crate::model::schema::Dialect::Postgres => sql
                        .push("ALTER INDEX ")
                        .push(&format!("{} RENAME TO {}", quoted(&from), quoted(&to))),
                    crate::model::schema::Dialect::Sqlite => return None,
                    _ => sql.push("ALTER TABLE ").table().push(&format!(
                        " RENAME INDEX {} TO {}",
                        quoted(&from),
                        quoted(&to)
                    )),
                }));
        }
        Some(())
    }
}
