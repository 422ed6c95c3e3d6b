//! The storage engines of MySQL and MariaDB, by what they do with transactions.

/// True if a rollback takes back what the transaction wrote to a table of that engine.
pub fn obeys_transactions(engine: &str) -> bool {
    const KNOWN: [&str; 6] = [
        "innodb",
        "rocksdb",
        "myrocks",
        "tokudb",
        "ndbcluster",
        "ndb",
    ];
    KNOWN.iter().any(|known| known.eq_ignore_ascii_case(engine))
}

/// True if the rows of that engine are kept somewhere else.
pub fn is_elsewhere(engine: &str) -> bool {
    const KNOWN: [&str; 6] = [
        "federated",
        "connect",
        "spider",
        "mrg_myisam",
        "merge",
        "s3",
    ];
    KNOWN.iter().any(|known| known.eq_ignore_ascii_case(engine))
}

/// True if a restart empties its tables.
pub fn is_volatile(engine: &str) -> bool {
    engine.eq_ignore_ascii_case("memory") || engine.eq_ignore_ascii_case("heap")
}

/// What a table that obeys no transaction does.
pub fn without_transactions(table: &str, engine: &str) -> String {
    format!(
        "{table} is kept by the engine {engine}, which obeys no transaction: its rows stay when the run that wrote them is rolled back"
    )
}

/// How that is mended.
pub const CONVERT: &str = "convert it: ALTER TABLE … ENGINE = InnoDB";
