//! The catalog queries of MySQL's family. Every value is cast to text: the servers do not agree on
//! the types of their own catalog.

use std::time::Duration;

use crate::model::schema::Dialect;

/// Which server answers, and the database that the URL names.
pub(super) const VERSION: &str = "SELECT CAST(VERSION() AS CHAR), \
    CAST(@@version_comment AS CHAR), CAST(DATABASE() AS CHAR)";

/// What runs before any catalog query.
pub(super) fn opening(dialect: Dialect, limit: Duration) -> Vec<String> {
    let seconds = limit.as_secs().max(1);
    let mut statements = match dialect {
        Dialect::Mariadb => vec![format!("SET SESSION max_statement_time = {seconds}")],
        _ => vec![format!(
            "SET SESSION max_execution_time = {}",
            limit.as_millis()
        )],
    };
    statements.push(format!("SET SESSION innodb_lock_wait_timeout = {seconds}"));
    if dialect == Dialect::Tidb {
        // It refuses the words READ ONLY. Source: TiDB, `tidb_enable_noop_functions`.
        statements.push("START TRANSACTION WITH CONSISTENT SNAPSHOT".to_owned());
        return statements;
    }
    statements.push(format!("SET SESSION lock_wait_timeout = {seconds}"));
    statements.push("SET SESSION TRANSACTION READ ONLY".to_owned());
    statements.push("START TRANSACTION READ ONLY, WITH CONSISTENT SNAPSHOT".to_owned());
    statements
}

/// Settings that decide what a key refuses. Absent ones have no row, so one query serves all.
pub(super) const VARIABLES: &str = "SHOW GLOBAL VARIABLES WHERE Variable_name IN \
    ('read_only', 'super_read_only', 'sql_mode', 'unique_checks', 'check_constraint_checks', \
    'tidb_txn_mode', 'tidb_constraint_check_in_place', \
    'tidb_constraint_check_in_place_pessimistic', 'version', 'transaction_isolation', \
    'tx_isolation', 'time_zone', 'system_time_zone')";

/// Whether TiDB compares by collation or by bytes; it was decided when the cluster was made.
pub(super) const TIDB_COLLATION: &str = "SELECT CAST(VARIABLE_VALUE AS CHAR) FROM mysql.tidb \
    WHERE VARIABLE_NAME = 'new_collation_enabled'";

/// Tables and views.
pub(super) fn tables(dialect: Dialect) -> String {
    let sharding = match dialect {
        Dialect::Tidb => "CAST(TIDB_ROW_ID_SHARDING_INFO AS CHAR)",
        _ => "''",
    };
    format!(
        "SELECT CAST(TABLE_NAME AS CHAR), CAST(TABLE_TYPE AS CHAR), CAST(ENGINE AS CHAR), \
         CAST(CREATE_OPTIONS AS CHAR), {sharding} FROM information_schema.TABLES \
         WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME"
    )
}

/// Columns.
pub(super) const COLUMNS: &str = "SELECT CAST(TABLE_NAME AS CHAR), CAST(COLUMN_NAME AS CHAR), \
    CAST(COLUMN_TYPE AS CHAR), CAST(IS_NULLABLE AS CHAR), CAST(COLUMN_DEFAULT AS CHAR), \
    CAST(EXTRA AS CHAR), CAST(COLLATION_NAME AS CHAR), CAST(GENERATION_EXPRESSION AS CHAR) \
    FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() \
    ORDER BY TABLE_NAME, ORDINAL_POSITION";

/// Key parts. MariaDB and MySQL before 8.0.13 have no column for expressions.
pub(super) fn statistics(expressions: bool) -> String {
    let expression = match expressions {
        true => "CAST(EXPRESSION AS CHAR)",
        false => "NULL",
    };
    format!(
        "SELECT CAST(TABLE_NAME AS CHAR), CAST(INDEX_NAME AS CHAR), CAST(NON_UNIQUE AS CHAR), \
         CAST(COLUMN_NAME AS CHAR), CAST(SUB_PART AS CHAR), CAST(NULLABLE AS CHAR), {expression} \
         FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() \
         ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX"
    )
}

/// CHECK constraints where the catalog names their table, as MariaDB's does.
pub(super) const CHECKS_OF_TABLE: &str = "SELECT CAST(TABLE_NAME AS CHAR), \
    CAST(CHECK_CLAUSE AS CHAR) FROM information_schema.CHECK_CONSTRAINTS \
    WHERE CONSTRAINT_SCHEMA = DATABASE()";

/// CHECK constraints of MySQL, whose names are unique in the database.
pub(super) const CHECKS_BY_NAME: &str = "SELECT CAST(t.TABLE_NAME AS CHAR), \
    CAST(c.CHECK_CLAUSE AS CHAR) FROM information_schema.CHECK_CONSTRAINTS c \
    JOIN information_schema.TABLE_CONSTRAINTS t ON t.CONSTRAINT_SCHEMA = c.CONSTRAINT_SCHEMA \
    AND t.CONSTRAINT_NAME = c.CONSTRAINT_NAME AND t.CONSTRAINT_TYPE = 'CHECK' \
    WHERE c.CONSTRAINT_SCHEMA = DATABASE() AND t.ENFORCED = 'YES'";

/// Columns of foreign keys.
pub(super) const FOREIGN_KEYS: &str = "SELECT CAST(TABLE_NAME AS CHAR), \
    CAST(CONSTRAINT_NAME AS CHAR), CAST(COLUMN_NAME AS CHAR), \
    CAST(REFERENCED_TABLE_NAME AS CHAR) FROM information_schema.KEY_COLUMN_USAGE \
    WHERE TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_NAME IS NOT NULL \
    ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION";

/// What deleting the parent does, by table and foreign key.
pub(super) const DELETE_RULES: &str = "SELECT CAST(TABLE_NAME AS CHAR), \
    CAST(CONSTRAINT_NAME AS CHAR), CAST(DELETE_RULE AS CHAR) \
    FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE()";

/// Triggers.
pub(super) const TRIGGERS: &str = "SELECT CAST(EVENT_OBJECT_TABLE AS CHAR), \
    CAST(TRIGGER_NAME AS CHAR), CAST(ACTION_TIMING AS CHAR), CAST(EVENT_MANIPULATION AS CHAR) \
    FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = DATABASE()";

/// A name in backticks.
pub(super) fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}
