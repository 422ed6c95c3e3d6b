//! Saves: what the platform does around an insert or an update, inside one transaction.

use serde_json::{Value as Json, json};

use super::database::{Change, Event, Refusal};
use super::formulas::Scope;
use super::platform::{Boxed, Did, Fault, Within, Worker, with_id};
use super::system::{COUNTERS, Flow};
use super::tables::{ColumnSpec, Kind, Row, TableSpec};

impl Worker<'_> {
    /// `CreateRecord`. With a natural key the row is looked up first, rows marked deleted
    /// included; then inserted; and if the key was taken in between, the row that took it is used.
    pub(crate) async fn create(
        &self,
        site: &str,
        config: &Json,
        scope: &Scope,
        within: Within,
    ) -> Result<Row, Fault> {
        let table = config["target_object"].as_str().unwrap_or_default();
        let values = self.mappings(config, scope)?;
        let key: Vec<String> = config["natural_key"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|field| field.as_str().map(str::to_owned))
            .collect();
        if !key.is_empty() {
            let found = self.find(table, &key, &values);
            self.pause().await;
            if let Some(row) = found {
                return Ok(self.has(site, row));
            }
        }
        match self.insert(site, table, values.clone()).await {
            Ok(row) => {
                self.pause().await;
                if within == Within::Own {
                    self.commit();
                    self.pause().await;
                }
                Ok(self.has(site, row))
            }
            Err(Fault::Violated(columns)) if !key.is_empty() && self.handles(&columns, &key) => {
                if within == Within::Another {
                    return Err(Fault::Again);
                }
                self.rollback();
                self.pause().await;
                let found = self.find(table, &key, &values);
                match found {
                    Some(row) => Ok(self.has(site, row)),
                    None => Err(Fault::Violated(columns)),
                }
            }
            Err(fault) => Err(fault),
        }
    }

    fn has(&self, site: &str, row: Row) -> Row {
        let id = row["__sys_gen_id"].clone();
        self.trace(site, Did::Has { id });
        self.trace(site, Did::Done);
        row
    }

    fn handles(&self, violated: &[String], key: &[String]) -> bool {
        !self.strict
            || (violated.len() == key.len() && violated.iter().all(|column| key.contains(column)))
    }

    /// NULL equals nothing, as in SQL.
    fn find(&self, table: &str, key: &[String], values: &Row) -> Option<Row> {
        let world = self.world.borrow();
        let spec = world.database.spec(table)?;
        let wanted = |field: &String| {
            let value = values.get(field).filter(|value| !value.is_null())?;
            stored(spec.column(field)?, value).ok()
        };
        world
            .database
            .rows(table, self.holder)
            .map(|(row, _)| row)
            .find(|row| {
                key.iter()
                    .all(|field| wanted(field).is_some_and(|value| row.get(field) == Some(&value)))
            })
            .cloned()
    }

    /// A save of a new row: defaults, auto-numbers, before-flows, the insert, the event.
    pub(crate) async fn insert(&self, site: &str, table: &str, values: Row) -> Result<Row, Fault> {
        let spec = self.world.borrow().database.spec(table);
        let Some(spec) = spec else {
            return Err(Fault::Error(format!("no table {table}")));
        };
        let mut record: Row = spec
            .columns
            .iter()
            .map(|column| {
                (
                    column.name.clone(),
                    column.default.clone().unwrap_or_default(),
                )
            })
            .collect();
        record.extend(values);
        let id = self.world.borrow_mut().database.fresh_id();
        record.insert("__sys_gen_id".to_owned(), json!(id));
        record.insert("__sys_gen_created_date".to_owned(), self.now());
        record.insert("__sys_gen_last_modified_date".to_owned(), self.now());
        for (object, field) in &self.system.numbers {
            if object.eq_ignore_ascii_case(table) {
                let number = self.draw(object, field).await;
                record.insert(field.clone(), json!(format!("N-{number}")));
                self.pause().await;
            }
        }
        self.before("beforeCreate", table, &mut record, None).await;
        let row = checked(&spec, record).map_err(Fault::Error)?;
        loop {
            let mut world = self.world.borrow_mut();
            match world.database.insert(self.holder, table, row.clone(), site) {
                Ok(()) => {
                    let event = Event {
                        kind: Change::Created,
                        object: table.to_owned(),
                        record: row.clone(),
                        prior: None,
                    };
                    world.database.enqueue(self.holder, event);
                    return Ok(row);
                }
                Err(Refusal::Violates(columns)) => return Err(Fault::Violated(columns)),
                Err(Refusal::Wait) => {
                    drop(world);
                    self.wait().await;
                }
            }
        }
    }

    /// The next number; the counter's row is written in the transaction of the insert, so that a
    /// rollback gives the number back.
    async fn draw(&self, object: &str, field: &str) -> i64 {
        let id = json!(format!("{object}.{field}"));
        loop {
            let mut world = self.world.borrow_mut();
            let row = world.database.row(COUNTERS, &id, self.holder).cloned();
            if let Some(mut row) = row
                && !world.database.is_locked(COUNTERS, &id, self.holder)
            {
                let number = row["current"].as_i64().unwrap_or_default() + 1;
                row.insert("current".to_owned(), json!(number));
                if world.database.update(self.holder, COUNTERS, row).is_ok() {
                    return number;
                }
            }
            drop(world);
            self.wait().await;
        }
    }

    /// `UpdateRecord` on a stored row.
    pub(crate) async fn set(
        &self,
        site: &str,
        table: &str,
        id: &Json,
        config: &Json,
        scope: &Scope,
        within: Within,
    ) -> Result<(), Fault> {
        let values = self.mappings(config, scope)?;
        self.update(site, table, id, values).await?;
        self.pause().await;
        if within == Within::Own {
            self.commit();
            self.pause().await;
        }
        self.trace(site, Did::Done);
        Ok(())
    }

    /// A save of a stored row. An update whose values all print like the stored ones ends here:
    /// no before-flow, no write, no event.
    pub(crate) async fn update(
        &self,
        site: &str,
        table: &str,
        id: &Json,
        values: Row,
    ) -> Result<(), Fault> {
        let spec = self.world.borrow().database.spec(table);
        let Some(spec) = spec else {
            return Err(Fault::Error(format!("no table {table}")));
        };
        self.trace(
            site,
            Did::Wrote {
                table: table.to_owned(),
                id: id.clone(),
                values: values.clone(),
            },
        );
        loop {
            let locked = {
                let world = self.world.borrow();
                world.database.is_locked(table, id, self.holder)
            };
            if locked {
                self.wait().await;
                continue;
            }
            let row = self
                .world
                .borrow()
                .database
                .row(table, id, self.holder)
                .cloned();
            let Some(prior) = row else {
                return Err(Fault::Error(format!("no row {id} in {table}")));
            };
            let changes = |(field, value): (&String, &Json)| match spec.column(field) {
                Some(column) => {
                    printed_stored(column, prior.get(field).unwrap_or(&Json::Null))
                        != printed(value)
                }
                None => true,
            };
            if !values.iter().any(changes) {
                return Ok(());
            }
            let mut record = prior.clone();
            record.extend(values.clone());
            self.before("beforeUpdate", table, &mut record, Some(&prior))
                .await;
            record.insert("__sys_gen_last_modified_date".to_owned(), self.now());
            self.pause().await;
            let changed: Row = record
                .into_iter()
                .filter(|(field, value)| prior.get(field) != Some(value))
                .collect();
            let mut world = self.world.borrow_mut();
            // Only the changed columns are written; what another wrote in between stays.
            let mut row = match world.database.row(table, id, self.holder) {
                Some(row) => row.clone(),
                None => return Err(Fault::Error(format!("no row {id} in {table}"))),
            };
            row.extend(changed);
            let row = checked(&spec, row).map_err(Fault::Error)?;
            match world.database.update(self.holder, table, row.clone()) {
                Ok(()) => {
                    let event = Event {
                        kind: Change::Updated,
                        object: table.to_owned(),
                        record: row,
                        prior: Some(prior),
                    };
                    world.database.enqueue(self.holder, event);
                    return Ok(());
                }
                Err(Refusal::Violates(columns)) => return Err(Fault::Violated(columns)),
                Err(Refusal::Wait) => {
                    drop(world);
                    self.wait().await;
                }
            }
        }
    }

    /// The synchronous flows of a save, on the record in memory. An error ends one flow and is
    /// swallowed; what it had set stays.
    fn before<'b>(
        &'b self,
        trigger: &'b str,
        table: &'b str,
        record: &'b mut Row,
        prior: Option<&'b Row>,
    ) -> Boxed<'b, ()> {
        Box::pin(async move {
            for flow in self.matching(trigger, table) {
                let scope = Scope {
                    record: with_id(record),
                    prior: prior.map(with_id),
                    ..Scope::default()
                };
                if !self.applies(flow, &scope) {
                    continue;
                }
                let site = format!("flow:{}/action", flow.name);
                let ran = match &*flow.word.to_ascii_lowercase() {
                    "updaterecord" => self.set_in_memory(&site, flow, table, record, scope),
                    "createrecord" => {
                        let made = self
                            .create(&site, &flow.config, &scope, Within::Another)
                            .await;
                        made.map(|_| ())
                    }
                    word => self.call(&site, word, &flow.config, &scope).await,
                };
                if let Err(fault) = ran {
                    self.trace(&site, Did::Failed(format!("{fault:?}")));
                }
            }
        })
    }

    /// Assigns one field after the other, in no defined order; a value that begins with `=` is a
    /// formula over the record as it is by then.
    fn set_in_memory(
        &self,
        site: &str,
        flow: &Flow,
        table: &str,
        record: &mut Row,
        mut scope: Scope,
    ) -> Result<(), Fault> {
        let Some(mappings) = flow.config["field_mappings"].as_object() else {
            return Err(Fault::Error("no field_mappings".to_owned()));
        };
        let mut fields: Vec<(&String, &Json)> = mappings.iter().collect();
        if self.delivery.backwards {
            fields.reverse();
        }
        for (field, value) in fields {
            let formula = value.as_str().and_then(|text| text.strip_prefix('='));
            let value = match formula {
                Some(formula) => self.evaluate(formula, &scope).map_err(Fault::Error)?,
                None => value.clone(),
            };
            record.insert(field.clone(), value.clone());
            scope.record.insert(field.clone(), value.clone());
            self.trace(
                site,
                Did::Wrote {
                    table: table.to_owned(),
                    id: record["__sys_gen_id"].clone(),
                    values: Row::from([(field.clone(), value)]),
                },
            );
        }
        self.trace(site, Did::Done);
        Ok(())
    }
}

/// The row as the columns hold it; an error where a column refuses it.
fn checked(spec: &TableSpec, mut row: Row) -> Result<Row, String> {
    row.remove("id");
    let mut result = Row::new();
    for (field, value) in row {
        let Some(column) = spec.column(&field) else {
            return Err(format!("no column {field} in {}", spec.name));
        };
        if value.is_null() && !column.nullable {
            return Err(format!("column {field} cannot be NULL"));
        }
        result.insert(field, stored(column, &value)?);
    }
    Ok(result)
}

/// A value as a column of that kind holds it.
fn stored(column: &ColumnSpec, value: &Json) -> Result<Json, String> {
    match (column.kind, value) {
        (_, Json::Null) => Ok(Json::Null),
        (Kind::Text, Json::String(_)) => Ok(value.clone()),
        (Kind::Text, other) => Ok(json!(other.to_string())),
        (Kind::Time, Json::String(_)) => Ok(value.clone()),
        (Kind::Int | Kind::Decimal, Json::Number(_)) => Ok(value.clone()),
        (Kind::Int, Json::Bool(value)) => Ok(json!(i64::from(*value))),
        _ => Err(format!("column {} does not hold {value}", column.name)),
    }
}

/// A value as it prints.
fn printed(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A stored value as it prints: decimals with their digits, times with their zone.
fn printed_stored(column: &ColumnSpec, value: &Json) -> String {
    match (column.kind, value) {
        (_, Json::Null) => printed(value),
        (Kind::Decimal, value) => format!("{:.2}", value.as_f64().unwrap_or_default()),
        (Kind::Time, value) => format!("{} +0000 UTC", printed(value)),
        _ => printed(value),
    }
}
