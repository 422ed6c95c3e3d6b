//! Types of columns by name: domains that refuse NULL, and types that the engine does not have,
//! which show that the text is written for another one.

use crate::model::evidence::Reason;
use crate::model::schema::{Column, Dialect};
use crate::sql::lexer::{Lexer, TokenKind};

use super::catalog::{Catalog, not_parsed};
use super::domain;

/// Types and words of types that PostgreSQL does not have, unless the script makes them.
const NOT_POSTGRES: [&str; 23] = [
    "NUMBER",
    "VARCHAR2",
    "NVARCHAR2",
    "NVARCHAR",
    "NCLOB",
    "CLOB",
    "BLOB",
    "TINYINT",
    "MEDIUMINT",
    "DATETIME",
    "DATETIME2",
    "DATETIMEOFFSET",
    "SMALLDATETIME",
    "UNIQUEIDENTIFIER",
    "TINYTEXT",
    "MEDIUMTEXT",
    "LONGTEXT",
    "LONGBLOB",
    "VARBINARY",
    "UNSIGNED",
    "IDENTITY",
    "AUTO_INCREMENT",
    "AUTOINCREMENT",
];

/// All types of MySQL, MariaDB and TiDB: no script can make another.
const MYSQL: [&str; 67] = [
    "TINYINT",
    "SMALLINT",
    "MEDIUMINT",
    "MIDDLEINT",
    "INT",
    "INTEGER",
    "BIGINT",
    "INT1",
    "INT2",
    "INT3",
    "INT4",
    "INT8",
    "DECIMAL",
    "DEC",
    "NUMERIC",
    "FIXED",
    "FLOAT",
    "FLOAT4",
    "FLOAT8",
    "DOUBLE",
    "REAL",
    "BIT",
    "BOOL",
    "BOOLEAN",
    "SERIAL",
    "DATE",
    "TIME",
    "DATETIME",
    "TIMESTAMP",
    "YEAR",
    "CHAR",
    "CHARACTER",
    "NCHAR",
    "NATIONAL",
    "VARCHAR",
    "VARCHARACTER",
    "NVARCHAR",
    "BINARY",
    "VARBINARY",
    "TINYBLOB",
    "BLOB",
    "MEDIUMBLOB",
    "LONGBLOB",
    "TINYTEXT",
    "TEXT",
    "MEDIUMTEXT",
    "LONGTEXT",
    "LONG",
    "ENUM",
    "SET",
    "JSON",
    "GEOMETRY",
    "POINT",
    "LINESTRING",
    "POLYGON",
    "MULTIPOINT",
    "MULTILINESTRING",
    "MULTIPOLYGON",
    "GEOMETRYCOLLECTION",
    "GEOMCOLLECTION",
    "VECTOR",
    "UUID",
    "INET4",
    "INET6",
    "XMLTYPE",
    // MariaDB in Oracle's mode.
    "CLOB",
    "RAW",
];

/// Gives the column what its domain says, and the reason if its type is none of this engine.
pub(super) fn settle(catalog: &Catalog, column: &mut Column) -> Option<Reason> {
    if catalog
        .strict_domains
        .contains(&domain::name(&column.data_type))
    {
        column.nullable = false;
    }
    let word = foreign(catalog, &column.data_type)?;
    let sentence = format!(
        "{word}, the type of the column {}, is none of {}",
        column.name,
        catalog.dialect.word()
    );
    let mut reason = not_parsed(sentence, column.place.clone());
    reason.next_step =
        "Say which engine the text is written for with --dialect, or give the live database with --database."
            .to_owned();
    Some(reason)
}

fn foreign(catalog: &Catalog, data_type: &str) -> Option<String> {
    let words = words(data_type, catalog.dialect);
    let is =
        |word: &String, list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(word));
    match catalog.dialect {
        // Any word is a type there.
        Dialect::Sqlite => None,
        Dialect::Postgres => words.into_iter().find(|word| {
            is(word, &NOT_POSTGRES) && !catalog.named_types.contains(&word.to_ascii_lowercase())
        }),
        _ => {
            let unknown = words.first().filter(|first| !is(first, &MYSQL)).cloned();
            unknown.or_else(|| words.into_iter().find(|word| is(word, &["IDENTITY"])))
        }
    }
}

/// The words of a type outside its parentheses; quoted names are the user's own.
fn words(data_type: &str, dialect: Dialect) -> Vec<String> {
    let mut lexer = Lexer::new(data_type, dialect);
    let mut depth = 0u32;
    let mut words = Vec::new();
    loop {
        let token = lexer.advance();
        match token.kind {
            TokenKind::End | TokenKind::Broken | TokenKind::Terminator => return words,
            TokenKind::Punct(b'(') => depth += 1,
            TokenKind::Punct(b')') => depth = depth.saturating_sub(1),
            TokenKind::Word if depth == 0 => {
                let word = data_type.get(token.start as usize..token.end as usize);
                words.extend(word.map(str::to_owned));
            }
            _ => {}
        }
    }
}
