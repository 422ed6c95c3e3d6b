//! The engines.

use serde::{Deserialize, Serialize};

/// The database engines whose rules the audit knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
pub enum Dialect {
    /// PostgreSQL.
    Postgres,
    /// MySQL.
    Mysql,
    /// MariaDB.
    Mariadb,
    /// TiDB, through the MySQL protocol.
    Tidb,
    /// SQLite.
    Sqlite,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Dialect; 5] = [
        Dialect::Postgres,
        Dialect::Mysql,
        Dialect::Mariadb,
        Dialect::Tidb,
        Dialect::Sqlite,
    ];

    /// The word used on the command line and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Dialect::Postgres => "postgres",
            Dialect::Mysql => "mysql",
            Dialect::Mariadb => "mariadb",
            Dialect::Tidb => "tidb",
            Dialect::Sqlite => "sqlite",
        }
    }

    /// True of engines that read the same statements: those of MySQL are one family.
    pub fn is_kin_of(self, other: Dialect) -> bool {
        let is_mysql =
            |dialect| matches!(dialect, Dialect::Mysql | Dialect::Mariadb | Dialect::Tidb);
        self == other || (is_mysql(self) && is_mysql(other))
    }
}
