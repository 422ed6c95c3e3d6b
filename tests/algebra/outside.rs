//! What leaves the database, rows that the platform writes by itself, and the values of actions.

use serde_json::{Value as Json, json};

use super::formulas::{Scope, printed_date};
use super::system::{Flow, WORK_ITEMS};
use super::tables::Row;

use super::platform::{Did, Fault, Worker};

impl Worker<'_> {
    /// A call goes out at once and cannot be taken back.
    pub(crate) async fn call(
        &self,
        site: &str,
        word: &str,
        config: &Json,
        scope: &Scope,
    ) -> Result<(), Fault> {
        let required: &[&str] = if word.eq_ignore_ascii_case("SendEmail") {
            &["to", "subject", "body"]
        } else {
            &["url"]
        };
        for key in required {
            if config[*key].is_null() {
                return Err(Fault::Error(format!("{key} is missing")));
            }
            self.value(&config[*key], scope)?;
        }
        self.pause().await;
        self.trace(site, Did::Called);
        self.pause().await;
        self.trace(site, Did::Done);
        Ok(())
    }

    pub(crate) async fn work_item(
        &self,
        site: &str,
        flow: &Flow,
        scope: &Scope,
    ) -> Result<(), Fault> {
        let values = [
            ("object_api_name", json!(flow.object)),
            ("record_id", scope.record["__sys_gen_id"].clone()),
            ("process_id", json!(flow.name)),
            ("submitted_date", self.now()),
        ];
        self.platform_row(site, WORK_ITEMS, values).await
    }

    /// A row that the platform inserts by itself.
    pub(crate) async fn platform_row<const N: usize>(
        &self,
        site: &str,
        table: &str,
        values: [(&str, Json); N],
    ) -> Result<(), Fault> {
        let values = values.map(|(column, value)| (column.to_owned(), value));
        self.insert(site, table, Row::from(values)).await?;
        self.pause().await;
        self.commit();
        self.trace(site, Did::Done);
        Ok(())
    }

    /// Assignments of an action, each evaluated if the whole string is `{!…}`.
    pub(crate) fn mappings(&self, config: &Json, scope: &Scope) -> Result<Row, Fault> {
        let Some(mappings) = config["field_mappings"].as_object() else {
            return Err(Fault::Error("no field_mappings".to_owned()));
        };
        let value =
            |(field, value): (&String, &Json)| Ok((field.clone(), self.value(value, scope)?));
        mappings.iter().map(value).collect()
    }

    pub(crate) fn value(&self, value: &Json, scope: &Scope) -> Result<Json, Fault> {
        let formula = value
            .as_str()
            .and_then(|text| text.strip_prefix("{!")?.strip_suffix('}'));
        match formula {
            Some(formula) => self.evaluate(formula.trim(), scope).map_err(Fault::Error),
            None => Ok(value.clone()),
        }
    }

    pub(crate) fn now(&self) -> Json {
        json!(printed_date(self.delivery.moment.hour))
    }
}
