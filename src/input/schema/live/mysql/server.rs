//! Which server it is, and the settings of it that decide what a key refuses.

use std::sync::Arc;

use crate::model::evidence::{Reason, Why};
use crate::model::schema::{Deferral, Dialect, UnknownTable};
use crate::model::server;

use super::super::failure::Failure;
use super::super::known::gap;
use super::super::row::{Row, first};

/// The server.
pub(in crate::input::schema::live) struct Server {
    pub(in crate::input::schema::live) dialect: Dialect,
    /// The database that the URL names.
    pub(super) database: Arc<str>,
    /// Values that are too long are refused.
    pub(super) strict: bool,
    /// CHECK constraints are asked of new rows.
    pub(super) checks_hold: bool,
    /// When a key is checked.
    pub(super) deferral: Deferral,
    /// Text is compared by its bytes, whatever its collation is called (TiDB).
    pub(super) by_bytes: bool,
    replica: bool,
    version: Arc<str>,
    isolation: Arc<str>,
    time_zone: Arc<str>,
    unique_checks: bool,
    framework_known: bool,
}

impl Server {
    /// From the version, its comment and the database.
    pub(super) fn of(rows: &[Row], label: &str) -> Result<Self, Reason> {
        let Some(row) = rows.first() else {
            return Err(Failure::Protocol.reason(label, "no table of the database is known"));
        };
        let kind = format!("{} {}", row.text(0), row.text(1));
        // A key holds within one shard only, and no catalog says which rows share one.
        let sharded = [
            "Vitess",
            "PlanetScale",
            "SingleStore",
            "MemSQL",
            "OceanBase",
        ];
        if let Some(name) = sharded.iter().find(|name| kind.contains(**name)) {
            return Err(gap(
                Why::NotReadable,
                None,
                format!("{label} is {name}, where a key may hold within one shard only"),
                "give the schema as text (--schema), and see to it that each key holds the sharding column",
            ));
        }
        let dialect = if kind.contains("-TiDB-") {
            Dialect::Tidb
        } else if kind.to_ascii_lowercase().contains("mariadb") {
            Dialect::Mariadb
        } else {
            Dialect::Mysql
        };
        Ok(Self {
            dialect,
            database: row.text(2).into(),
            strict: true,
            checks_hold: true,
            deferral: Deferral::Immediate,
            by_bytes: false,
            replica: false,
            version: row.text(0).into(),
            isolation: "".into(),
            time_zone: "".into(),
            unique_checks: true,
            framework_known: true,
        })
    }

    /// From `SHOW GLOBAL VARIABLES`.
    pub(super) fn variables(&mut self, rows: &[Row]) {
        let value = |name: &str| {
            rows.iter()
                .find(|row| row.text(0).eq_ignore_ascii_case(name))
                .map(|row| row.text(1))
        };
        let is = |name: &str, values: &[&str]| {
            value(name)
                .is_some_and(|value| values.iter().any(|known| value.eq_ignore_ascii_case(known)))
        };
        let (on, off) = (["ON", "1"], ["OFF", "0"]);
        let mode = value("sql_mode").unwrap_or("").to_ascii_uppercase();
        self.strict = mode.contains("STRICT_TRANS_TABLES")
            || mode.contains("STRICT_ALL_TABLES")
            || mode.contains("TRADITIONAL");
        self.replica = ["read_only", "super_read_only"]
            .iter()
            .any(|name| value(name).is_some_and(|value| !is_off(value)));
        // MariaDB before 11.1 has the older name only, MySQL from 8 on the newer one.
        let isolation = value("transaction_isolation").or(value("tx_isolation"));
        let isolation = isolation.unwrap_or_default().to_ascii_lowercase();
        self.isolation = isolation.replace('-', " ").into();
        let zone = value("time_zone").unwrap_or_default();
        self.time_zone = match value("system_time_zone") {
            Some(system) if zone == "SYSTEM" => format!("{system}, of its system").into(),
            _ => zone.into(),
        };
        self.unique_checks = !is("unique_checks", &off);
        self.checks_hold = !is("check_constraint_checks", &off);
        // Source: TiDB, "Constraints": optimistic transactions check at the commit unless told
        // otherwise, pessimistic ones unless told not to.
        let optimistic =
            value("tidb_txn_mode").is_some_and(|mode| !mode.eq_ignore_ascii_case("pessimistic"));
        let lazy = match optimistic {
            true => !is("tidb_constraint_check_in_place", &on),
            false => is("tidb_constraint_check_in_place_pessimistic", &off),
        };
        if self.dialect == Dialect::Tidb && lazy {
            self.deferral = Deferral::Deferred;
        }
    }

    /// From TiDB's own table of settings; without rows it could not be read.
    pub(super) fn collation_framework(&mut self, rows: &[Row]) {
        self.framework_known = first(rows).is_some();
        self.by_bytes = first(rows).is_some_and(|value| value.eq_ignore_ascii_case("false"));
    }

    /// What it says of itself.
    pub(super) fn told(&self) -> server::Server {
        server::Server {
            version: match self.dialect {
                // The build of a distribution stands behind it.
                Dialect::Mariadb => self.version.split('-').next().unwrap_or_default().into(),
                _ => Arc::clone(&self.version),
            },
            isolation: Arc::clone(&self.isolation),
            time_zone: Arc::clone(&self.time_zone),
            is_copy: self.replica,
        }
    }

    /// What these settings leave open.
    pub(super) fn gaps(&self, label: &Arc<str>) -> Vec<UnknownTable> {
        let mut gaps = Vec::new();
        let mut note = |why, sentence: String, next_step: &str| {
            gaps.push(UnknownTable {
                table: None,
                reason: gap(why, None, sentence, next_step),
            });
        };
        if self.replica {
            note(
                Why::Stale,
                format!(
                    "{label} is read-only, as replicas are: it was read, and what its primary has by now is not known"
                ),
                "name the primary with --database",
            );
        }
        if !self.unique_checks {
            note(
                Why::NotDecidable,
                format!(
                    "{label} has unique_checks off: a session that starts so may let duplicates in"
                ),
                "set the global unique_checks to ON",
            );
        }
        if !self.framework_known {
            note(
                Why::NotReadable,
                format!("{label} does not show whether it compares text by collation or by bytes"),
                "grant the user SELECT on mysql.tidb",
            );
        }
        gaps
    }
}

fn is_off(value: &str) -> bool {
    value.is_empty() || value == "0" || value.eq_ignore_ascii_case("OFF")
}
