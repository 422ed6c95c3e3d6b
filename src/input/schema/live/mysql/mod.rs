//! MySQL, MariaDB and TiDB.
use super::failure::Failure;
use crate::model::evidence::Reason;
use crate::model::schema::Schema;
use sqlx::mysql::MySqlConnectOptions;
use std::sync::Arc;
use std::time::Duration;
pub(super) async fn read(
    _: &MySqlConnectOptions,
    label: &Arc<str>,
    _: Duration,
) -> Result<Schema, Reason> {
    Err(Failure::Protocol.reason(label, "x"))
}
