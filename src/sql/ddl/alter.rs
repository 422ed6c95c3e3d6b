//! `ALTER TABLE`: its actions, one after another.

use crate::model::schema::{Dialect, TableKind};
use crate::sql::cursor::{Cursor, QualifiedName, Stop};

use super::Places;
use super::alter_column;
use super::catalog::{Catalog, Relation, disagree, not_parsed, same_name};
use super::constraint::{Constraint, begins_constraint, constraint};
use super::constraint_name;
use super::create_table::bounds;
use super::define::add_key;
use super::{engine, partitioning, references, rename, switches};

/// One `ALTER TABLE` statement being applied.
pub(super) struct Alter<'a> {
    pub(super) catalog: &'a mut Catalog,
    pub(super) table: QualifiedName,
    pub(super) places: Places<'a>,
    pub(super) dialect: Dialect,
}

/// Reads `ALTER TABLE` behind the word TABLE and applies it.
pub(super) fn alter_table(
    catalog: &mut Catalog,
    cursor: &mut Cursor<'_>,
    places: Places<'_>,
) -> Result<(), Stop> {
    let if_exists = cursor.eat_all(&["IF", "EXISTS"]);
    cursor.eat("ONLY");
    let head = cursor.stop();
    let table = cursor.qualified()?;
    cursor.eat_punct(b'*');
    if catalog.get(&table).is_none_or(|relation| !relation.defined) {
        if !if_exists && alters_a_table(cursor) {
            let sentence = format!(
                "{} is altered, and no statement read before it makes the table",
                table.name
            );
            catalog.mark(&table, not_parsed(sentence, places(head.start, head.end)));
        }
        return Ok(());
    }
    let dialect = catalog.dialect;
    let mut alter = Alter {
        catalog,
        table,
        places,
        dialect,
    };
    if let Err(stop) = alter.actions(cursor) {
        let sentence = format!("a change of {} is not understood", alter.table.name);
        let reason = not_parsed(sentence, places(stop.start, stop.end));
        let Alter { catalog, table, .. } = alter;
        catalog.mark(&table, reason);
    }
    Ok(())
}

/// `ALTER TABLE sequence OWNER TO x` is how PostgreSQL's dumps speak of sequences and views.
fn alters_a_table(cursor: &Cursor<'_>) -> bool {
    !cursor.are(&["OWNER", "TO"])
}

impl Alter<'_> {
    fn actions(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        loop {
            self.action(cursor)?;
            if cursor.at_end() {
                return Ok(());
            }
            cursor.expect_punct(b',')?;
        }
    }

    fn action(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        if cursor.eat("ADD") {
            return self.add(cursor);
        }
        if cursor.eat("DROP") {
            return self.drop(cursor);
        }
        if cursor.eat("RENAME") {
            return self.rename(cursor);
        }
        if cursor.eat_all(&["ATTACH", "PARTITION"]) {
            let child = cursor.qualified()?;
            if !cursor.eat("DEFAULT") {
                cursor.expect("FOR")?;
                cursor.expect("VALUES")?;
                bounds(cursor)?;
            }
            let parent = self.catalog.key(&self.table);
            if let Some(relation) = self.catalog.get_mut(&child) {
                relation.partition_of = Some(parent);
            }
            return Ok(());
        }
        if cursor.eat_all(&["DETACH", "PARTITION"]) {
            let child = cursor.qualified()?;
            cursor.eat_any(&["CONCURRENTLY", "FINALIZE"]);
            let head = cursor.stop();
            let place = (self.places)(head.start, head.end);
            if references::forbid_detaching(self.catalog, &self.table, &child, place) {
                return Ok(());
            }
            return self.detach(&child);
        }
        if cursor.eat_all(&["SET", "SCHEMA"]) {
            let schema = cursor.name()?;
            let to = QualifiedName {
                schema: Some(schema),
                name: self.table.name.clone(),
            };
            rename::table(self.catalog, &self.table, to.clone());
            self.table = to;
            return Ok(());
        }
        if cursor.is_any(&["ALTER", "MODIFY", "CHANGE"]) {
            return alter_column::change(self, cursor);
        }
        self.setting(cursor)
    }

    fn add(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        if cursor.eat("PARTITION") {
            cursor.skip_to(&[]);
            return Ok(());
        }
        if !begins_constraint(cursor) {
            return alter_column::add(self, cursor);
        }
        if self.dialect == Dialect::Sqlite {
            return Err(cursor.stop());
        }
        let found = constraint(cursor, self.places)?;
        self.catalog.refresh();
        let Some(mut relation) = self.catalog.take(&self.table) else {
            return Ok(());
        };
        let before = relation.keys.len();
        let replaces = matches!(found, Constraint::UsingIndex(..));
        let added = self.add_constraint(&mut relation, found);
        match replaces {
            true => self.catalog.insert(relation),
            false => self.catalog.put_back(relation, before),
        }
        added.map_err(|()| cursor.stop())
    }

    fn add_constraint(&self, relation: &mut Relation, found: Constraint) -> Result<(), ()> {
        match found {
            Constraint::Key(key) => add_key(self.catalog, relation, *key, false),
            Constraint::UsingIndex(mut key, index) => {
                let found = relation
                    .keys
                    .iter()
                    .position(|known| same_name(self.dialect, &known.name, &index));
                let at = found.ok_or(())?;
                let index = relation.keys.remove(at);
                key.parts = index.parts;
                key.include = index.include;
                key.nulls_not_distinct = index.nulls_not_distinct;
                add_key(self.catalog, relation, *key, false);
            }
            Constraint::ForeignKey(key) => relation.table.foreign_keys.push(key),
            Constraint::NullCheck(name, columns) => relation
                .null_checks
                .extend(columns.into_iter().map(|column| (name.clone(), column))),
            Constraint::NotNull(name, column) => relation.not_null(name, &column),
            Constraint::Nothing => {}
        }
        Ok(())
    }

    fn drop(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        let mysql = !matches!(self.dialect, Dialect::Postgres | Dialect::Sqlite);
        if mysql && cursor.eat_all(&["PRIMARY", "KEY"]) {
            self.retain_keys(|key| !key.is_primary());
            return Ok(());
        }
        if mysql && cursor.eat_all(&["FOREIGN", "KEY"]) {
            cursor.eat_all(&["IF", "EXISTS"]);
            let name = cursor.name()?;
            if let Some(relation) = self.catalog.get_mut(&self.table) {
                constraint_name::without_foreign_key(relation, &name, self.dialect);
            }
            return Ok(());
        }
        if mysql && cursor.eat("PARTITION") {
            cursor.skip_to(&[]);
            return Ok(());
        }
        let check = mysql && cursor.eat("CHECK");
        let key = !check && mysql && cursor.eat_any(&["INDEX", "KEY"]);
        if check || key || cursor.eat("CONSTRAINT") {
            let if_exists = cursor.eat_all(&["IF", "EXISTS"]);
            let at = cursor.stop();
            let name = cursor.name()?;
            let cascade = cursor.eat("CASCADE");
            cursor.eat("RESTRICT");
            if !cascade && let Some(reason) = references::forbid(self, &name, at) {
                self.catalog.mark(&self.table, reason);
                return Ok(());
            }
            return constraint_name::drop(self, &name, if_exists, at);
        }
        alter_column::drop(self, cursor)
    }

    pub(super) fn retain_keys(&mut self, keep: impl Fn(&super::catalog::Key) -> bool) -> bool {
        let Some(relation) = self.catalog.get_mut(&self.table) else {
            return false;
        };
        let before = relation.keys.len();
        relation.keys.retain(keep);
        relation.keys.len() < before
    }

    fn rename(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        let mysql = !matches!(self.dialect, Dialect::Postgres | Dialect::Sqlite);
        if cursor.eat("CONSTRAINT") || (mysql && cursor.eat_any(&["INDEX", "KEY"])) {
            let from = cursor.name()?;
            cursor.expect("TO")?;
            let to = cursor.name()?;
            let dialect = self.dialect;
            if let Some(relation) = self.catalog.get_mut(&self.table) {
                constraint_name::rename(relation, &from, &to, dialect);
            }
            return Ok(());
        }
        if cursor.eat("TO") || (mysql && cursor.eat("AS")) || (mysql && cursor.ahead(1).is_none()) {
            let to = cursor.qualified()?;
            return self.rename_table(to, cursor);
        }
        cursor.eat("COLUMN");
        let from = cursor.name()?;
        cursor.expect("TO")?;
        let to = cursor.name()?;
        match self.catalog.get_mut(&self.table) {
            Some(relation) if relation.table.column(&from).is_some() => {
                rename::column(relation, &from, &to, self.dialect);
                Ok(())
            }
            Some(relation) if relation.table.columns.is_empty() => Ok(()),
            _ => Err(cursor.stop()),
        }
    }

    fn rename_table(&mut self, mut to: QualifiedName, cursor: &Cursor<'_>) -> Result<(), Stop> {
        to.schema = to.schema.or_else(|| self.table.schema.clone());
        if self.catalog.get(&to).is_some() && self.catalog.key(&to) != self.catalog.key(&self.table)
        {
            let sentence = format!(
                "{} is renamed to {}, which exists",
                self.table.name, to.name
            );
            let stop = cursor.stop();
            let reason = disagree(sentence, (self.places)(stop.start, stop.end));
            self.catalog.mark(&to, reason);
        }
        rename::table(self.catalog, &self.table, to.clone());
        self.table = to;
        Ok(())
    }

    fn detach(&mut self, child: &QualifiedName) -> Result<(), Stop> {
        let parent = self.catalog.get(&self.table).cloned();
        if let (Some(parent), Some(relation)) = (parent, self.catalog.get_mut(child)) {
            relation.partition_of = None;
            // What it was given by its parent stays with it.
            relation.take_keys_of(&parent);
        }
        Ok(())
    }

    /// Actions that change neither keys nor columns.
    fn setting(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        const POSTGRES: [&str; 13] = [
            "OWNER", "SET", "RESET", "CLUSTER", "ENABLE", "DISABLE", "VALIDATE", "REPLICA",
            "FORCE", "NO", "INHERIT", "OPTIONS", "OF",
        ];
        const MYSQL: [&str; 38] = [
            "ENGINE",
            "AUTO_INCREMENT",
            "DEFAULT",
            "CHARACTER",
            "CHARSET",
            "COLLATE",
            "COMMENT",
            "ROW_FORMAT",
            "ENABLE",
            "DISABLE",
            "FORCE",
            "ALGORITHM",
            "LOCK",
            "ORDER",
            "PARTITION",
            "CHECKSUM",
            "KEY_BLOCK_SIZE",
            "STATS_PERSISTENT",
            "STATS_AUTO_RECALC",
            "STATS_SAMPLE_PAGES",
            "TABLESPACE",
            "DISCARD",
            "IMPORT",
            "TRUNCATE",
            "COALESCE",
            "REORGANIZE",
            "EXCHANGE",
            "ANALYZE",
            "CHECK",
            "OPTIMIZE",
            "REBUILD",
            "REPAIR",
            "REMOVE",
            "AUTO_ID_CACHE",
            "SHARD_ROW_ID_BITS",
            "TTL",
            "AVG_ROW_LENGTH",
            "MAX_ROWS",
        ];
        if self.dialect != Dialect::Postgres && cursor.eat_all(&["CONVERT", "TO"]) {
            return self.convert(cursor);
        }
        if self.dialect == Dialect::Postgres && cursor.eat_all(&["NOT", "OF"]) {
            return Ok(());
        }
        let known = match self.dialect {
            Dialect::Sqlite => false,
            Dialect::Postgres => cursor.is_any(&POSTGRES),
            _ => cursor.is_any(&MYSQL),
        };
        if !known {
            return Err(cursor.stop());
        }
        if let Some(relation) = self.catalog.get_mut(&self.table) {
            match self.dialect {
                Dialect::Postgres if cursor.are(&["SET", "UNLOGGED"]) => {
                    relation.table.unlogged = true;
                }
                Dialect::Postgres if cursor.are(&["SET", "LOGGED"]) => {
                    relation.table.unlogged = false;
                }
                Dialect::Postgres => switches::trigger(relation, *cursor),
                _ => engine::changed(relation, cursor),
            }
        }
        // MySQL strings its options together without commas; of them a partitioning alone matters.
        if cursor.are(&["PARTITION", "BY"])
            && let Some(relation) = self.catalog.get_mut(&self.table)
        {
            relation.table.kind = TableKind::Partitioned;
            cursor.eat_all(&["PARTITION", "BY"]);
            partitioning::again(relation, cursor)?;
            cursor.skip_to(&[]);
            return Ok(());
        }
        if cursor.are(&["REMOVE", "PARTITIONING"])
            && let Some(relation) = self.catalog.get_mut(&self.table)
        {
            relation.table.kind = TableKind::Table;
            relation.partition_key.clear();
        }
        cursor.step();
        cursor.skip_to(&[]);
        Ok(())
    }

    /// `CONVERT TO CHARACTER SET x [COLLATE y]` gives every text column that collation.
    fn convert(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        cursor.skip_to(&["COLLATE"]);
        let collation = match cursor.eat("COLLATE") {
            true => Some(cursor.name()?),
            false => None,
        };
        if let Some(relation) = self.catalog.get_mut(&self.table) {
            for column in &mut relation.table.columns {
                let kind = column.data_type.to_ascii_lowercase();
                if kind.contains("char") || kind.contains("text") || kind.contains("enum") {
                    column.collation = collation.clone();
                }
            }
        }
        Ok(())
    }
}
