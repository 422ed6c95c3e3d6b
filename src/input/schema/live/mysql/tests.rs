//! Recorded rows of MySQL and TiDB, written from their documentation: no server of theirs is at
//! hand. Each row says what the manual says that the catalog shows.

mod mysql8;
mod rights;
mod tidb;

use std::sync::Arc;

use crate::model::schema::{Dialect, Enforcer, Schema, SchemaOrigin, Table};

use super::super::known::sorted;
use super::super::row::Row;
use super::server::Server;
use super::tables::Tables;

/// A row; `-` is NULL.
fn row(values: &[&str]) -> Row {
    let value = |value: &&str| (*value != "-").then(|| (*value).to_owned());
    Row(values.iter().map(value).collect())
}

fn rows(all: &[&[&str]]) -> Vec<Row> {
    all.iter().map(|values| row(values)).collect()
}

fn label() -> Arc<str> {
    "env:DB".into()
}

fn server(version: &str, comment: &str, variables: &[&[&str]]) -> Server {
    let version = [row(&[version, comment, "shop"])];
    let mut server = Server::of(&version, &label()).expect("a server that is read");
    server.variables(&rows(variables));
    server
}

/// The recorded rows of one database.
#[derive(Default)]
struct Recorded<'r> {
    tables: &'r [&'r [&'r str]],
    columns: &'r [&'r [&'r str]],
    checks: &'r [&'r [&'r str]],
    statistics: &'r [&'r [&'r str]],
}

impl Recorded<'_> {
    fn read(&self, server: &Server) -> Schema {
        let mut tables = Tables::new(&label(), server, &rows(self.tables), &rows(self.columns));
        tables.checks(&rows(self.checks));
        tables.keys(&rows(self.statistics));
        let mut schema = Schema {
            origin: SchemaOrigin::Live,
            dialect: Some(server.dialect),
            tables: Vec::new(),
            unknown: server.gaps(&label()),
            search_path: Vec::new(),
            routines: Vec::new(),
        };
        tables.finish(&mut schema);
        sorted(&mut schema.tables);
        schema
    }
}

fn table<'s>(schema: &'s Schema, name: &str) -> &'s Table {
    schema.table(name).expect("the table")
}

fn key<'s>(schema: &'s Schema, of: &str, name: &str) -> &'s Enforcer {
    let mut keys = table(schema, of).enforcers.iter();
    keys.find(|key| &*key.name == name).expect("the key")
}

#[test]
fn the_version_tells_the_engine() {
    let of = |version: &str, comment: &str| {
        Server::of(&[row(&[version, comment, "shop"])], "env:DB")
            .map(|server| server.dialect)
            .map_err(|reason| reason.sentence)
    };
    assert_eq!(
        of("8.4.3", "MySQL Community Server - GPL"),
        Ok(Dialect::Mysql)
    );
    assert_eq!(of("10.11.6-MariaDB-1", "Debian"), Ok(Dialect::Mariadb));
    assert_eq!(
        of(
            "5.5.5-10.6.12-MariaDB-log",
            "mariadb.org binary distribution"
        ),
        Ok(Dialect::Mariadb)
    );
    assert_eq!(
        of(
            "8.0.11-TiDB-v8.5.1",
            "TiDB Server (Apache License 2.0) Community Edition"
        ),
        Ok(Dialect::Tidb)
    );
    let vitess = of("8.0.30-Vitess", "Version: 20.0.0").expect_err("it is sharded");
    assert!(vitess.contains("one shard"), "{vitess}");
}

#[test]
fn settings_that_leave_something_open_are_said() {
    let sentences = |variables: &[&[&str]]| -> Vec<String> {
        server("8.4.3", "", variables)
            .gaps(&label())
            .into_iter()
            .map(|gap| gap.reason.sentence)
            .collect()
    };
    assert!(sentences(&[&["read_only", "OFF"], &["unique_checks", "ON"]]).is_empty());
    let replica = sentences(&[&["read_only", "ON"]]);
    assert!(replica[0].contains("as replicas are"), "{replica:?}");
    let replica = sentences(&[&["super_read_only", "1"]]);
    assert!(replica[0].contains("as replicas are"), "{replica:?}");
    let unchecked = sentences(&[&["unique_checks", "OFF"]]);
    assert!(unchecked[0].contains("unique_checks off"), "{unchecked:?}");
}
