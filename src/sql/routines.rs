//! Routines that a query calls: those of the engines leave nothing behind, or are told by what they
//! do; of any other the text is elsewhere.

use super::columns::is_keyword;
use super::cursor::Cursor;
use super::lexer::TokenKind;
use super::volatility::{is_known, is_type};

/// Functions of the engines that no list of values names: of whole sets, of windows, that give rows,
/// that look at the engine. Sorted.
#[rustfmt::skip]
const OF_ENGINES: &[&str] = &[
    "ABS", "ACOS", "ADDDATE", "AGE", "ALL", "AND", "ANY", "ANY_VALUE", "ARRAY", "ARRAY_AGG",
    "ARRAY_APPEND", "ARRAY_CAT", "ARRAY_DIMS", "ARRAY_FILL", "ARRAY_LENGTH", "ARRAY_LOWER",
    "ARRAY_NDIMS", "ARRAY_POSITION", "ARRAY_POSITIONS", "ARRAY_PREPEND", "ARRAY_REMOVE",
    "ARRAY_REPLACE", "ARRAY_TO_JSON", "ARRAY_TO_STRING", "ARRAY_UPPER", "ASCII", "ASIN", "ATAN",
    "ATAN2", "AVG", "BENCHMARK", "BIN_TO_UUID", "BIT_AND", "BIT_LENGTH", "BIT_OR", "BIT_XOR",
    "BOOL_AND", "BOOL_OR", "BTRIM", "CARDINALITY", "CAST", "CBRT", "CEIL", "CEILING", "CHANGES",
    "CHAR", "CHARACTER_LENGTH", "CHAR_LENGTH", "CHR", "CLOCK_TIMESTAMP", "COALESCE",
    "COL_DESCRIPTION", "CONCAT", "CONCAT_WS", "CONNECTION_ID", "CONVERT", "CORR", "COS", "COUNT",
    "COVAR_POP", "COVAR_SAMP", "CRC32", "CUME_DIST", "CURDATE", "CURRENT_DATABASE",
    "CURRENT_DATE", "CURRENT_ROLE", "CURRENT_SCHEMA", "CURRENT_SCHEMAS", "CURRENT_SETTING",
    "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_USER", "CURRVAL", "CURTIME", "DATABASE", "DATE",
    "DATEDIFF", "DATETIME", "DATE_ADD", "DATE_BIN", "DATE_FORMAT", "DATE_PART", "DATE_SUB",
    "DATE_TRUNC", "DAY", "DAYOFMONTH", "DAYOFWEEK", "DAYOFYEAR", "DECODE", "DEFAULT", "DEGREES",
    "DENSE_RANK", "DIGEST", "DIV", "ELT", "ENCODE", "EVERY", "EXISTS", "EXP", "EXTRACT", "FIELD",
    "FIND_IN_SET", "FIRST", "FIRST_VALUE", "FLOOR", "FORMAT", "FORMAT_TYPE", "FOUND_ROWS",
    "FROM_UNIXTIME", "GCD", "GENERATE_SERIES", "GENERATE_SUBSCRIPTS", "GEN_RANDOM_UUID",
    "GETDATE", "GET_LOCK", "GLOB", "GREATEST", "GROUPING", "GROUP_CONCAT", "HASHINT8", "HASHTEXT",
    "HASHTEXTEXTENDED", "HAS_SCHEMA_PRIVILEGE", "HAS_TABLE_PRIVILEGE", "HEX", "HMAC", "HOST",
    "HOUR", "IF", "IFNULL", "IIF", "IN", "INET_CLIENT_ADDR", "INET_SERVER_ADDR", "INITCAP",
    "INSTR", "ISFINITE", "ISNULL", "IS_FREE_LOCK", "IS_USED_LOCK", "JSONB_AGG",
    "JSONB_ARRAY_ELEMENTS", "JSONB_ARRAY_ELEMENTS_TEXT", "JSONB_ARRAY_LENGTH",
    "JSONB_BUILD_ARRAY", "JSONB_BUILD_OBJECT", "JSONB_EACH", "JSONB_EACH_TEXT",
    "JSONB_EXTRACT_PATH", "JSONB_EXTRACT_PATH_TEXT", "JSONB_INSERT", "JSONB_OBJECT",
    "JSONB_OBJECT_AGG", "JSONB_OBJECT_KEYS", "JSONB_PATH_EXISTS", "JSONB_PATH_MATCH",
    "JSONB_PATH_QUERY", "JSONB_PATH_QUERY_ARRAY", "JSONB_PATH_QUERY_FIRST",
    "JSONB_POPULATE_RECORD", "JSONB_POPULATE_RECORDSET", "JSONB_PRETTY", "JSONB_SET",
    "JSONB_STRIP_NULLS", "JSONB_TO_RECORD", "JSONB_TO_RECORDSET", "JSONB_TYPEOF", "JSON_AGG",
    "JSON_ARRAY", "JSON_ARRAYAGG", "JSON_ARRAY_APPEND", "JSON_ARRAY_ELEMENTS",
    "JSON_ARRAY_ELEMENTS_TEXT", "JSON_ARRAY_INSERT", "JSON_ARRAY_LENGTH", "JSON_BUILD_ARRAY",
    "JSON_BUILD_OBJECT", "JSON_CONTAINS", "JSON_CONTAINS_PATH", "JSON_DEPTH", "JSON_EACH",
    "JSON_EACH_TEXT", "JSON_EXISTS", "JSON_EXTRACT", "JSON_EXTRACT_PATH",
    "JSON_EXTRACT_PATH_TEXT", "JSON_GROUP_ARRAY", "JSON_GROUP_OBJECT", "JSON_INSERT", "JSON_KEYS",
    "JSON_LENGTH", "JSON_MERGE_PATCH", "JSON_MERGE_PRESERVE", "JSON_OBJECT", "JSON_OBJECTAGG",
    "JSON_OBJECT_AGG", "JSON_OBJECT_KEYS", "JSON_OVERLAPS", "JSON_POPULATE_RECORD",
    "JSON_POPULATE_RECORDSET", "JSON_PRETTY", "JSON_QUERY", "JSON_QUOTE", "JSON_REMOVE",
    "JSON_REPLACE", "JSON_SEARCH", "JSON_SET", "JSON_STRIP_NULLS", "JSON_TABLE", "JSON_TO_RECORD",
    "JSON_TO_RECORDSET", "JSON_TREE", "JSON_TYPE", "JSON_TYPEOF", "JSON_UNQUOTE", "JSON_VALID",
    "JSON_VALUE", "JULIANDAY", "JUSTIFY_DAYS", "JUSTIFY_HOURS", "JUSTIFY_INTERVAL", "LAG", "LAST",
    "LASTVAL", "LAST_DAY", "LAST_INSERT_ID", "LAST_INSERT_ROWID", "LAST_VALUE", "LCM", "LEAD",
    "LEAST", "LEFT", "LENGTH", "LEVENSHTEIN", "LIKE", "LIKELIHOOD", "LIKELY", "LISTAGG", "LN",
    "LOCALTIME", "LOCALTIMESTAMP", "LOCATE", "LOG", "LOG10", "LOG2", "LOWER", "LPAD", "LTRIM",
    "MAKE_DATE", "MAKE_INTERVAL", "MAKE_TIME", "MAKE_TIMESTAMP", "MAKE_TIMESTAMPTZ", "MASKLEN",
    "MAX", "MAX_BY", "MD5", "MIN", "MINUTE", "MIN_BY", "MOD", "MODE", "MONTH", "NAME_CONST",
    "NETWORK", "NEWID", "NEXTVAL", "NOT", "NOW", "NTH_VALUE", "NTILE", "NULLIF", "NVL",
    "OBJ_DESCRIPTION", "OCTET_LENGTH", "OR", "OVERLAY", "PERCENTILE_CONT", "PERCENTILE_DISC",
    "PERCENT_RANK", "PG_ADVISORY_LOCK", "PG_ADVISORY_LOCK_SHARED", "PG_ADVISORY_UNLOCK",
    "PG_ADVISORY_UNLOCK_ALL", "PG_ADVISORY_XACT_LOCK", "PG_ADVISORY_XACT_LOCK_SHARED",
    "PG_BACKEND_PID", "PG_COLUMN_SIZE", "PG_CURRENT_SNAPSHOT", "PG_CURRENT_WAL_LSN",
    "PG_CURRENT_XACT_ID", "PG_DATABASE_SIZE", "PG_ENCODING_TO_CHAR", "PG_GET_CONSTRAINTDEF",
    "PG_GET_EXPR", "PG_GET_FUNCTIONDEF", "PG_GET_INDEXDEF", "PG_GET_SERIAL_SEQUENCE",
    "PG_GET_VIEWDEF", "PG_IS_IN_RECOVERY", "PG_LAST_WAL_RECEIVE_LSN", "PG_LAST_WAL_REPLAY_LSN",
    "PG_NOTIFY", "PG_RELATION_SIZE", "PG_SIZE_PRETTY", "PG_SLEEP", "PG_SNAPSHOT_XMAX",
    "PG_SNAPSHOT_XMIN", "PG_TABLE_IS_VISIBLE", "PG_TABLE_SIZE", "PG_TOTAL_RELATION_SIZE",
    "PG_TRY_ADVISORY_LOCK", "PG_TRY_ADVISORY_XACT_LOCK", "PG_TRY_ADVISORY_XACT_LOCK_SHARED",
    "PG_TYPEOF", "PG_VISIBLE_IN_SNAPSHOT", "PG_WAL_LSN_DIFF", "PG_XACT_STATUS",
    "PHRASETO_TSQUERY", "PI", "PLAINTO_TSQUERY", "POSITION", "POW", "POWER", "PRINTF", "QUARTER",
    "QUOTE_IDENT", "QUOTE_LITERAL", "QUOTE_NULLABLE", "RADIANS", "RAND", "RANDOM", "RANK",
    "REGEXP_COUNT", "REGEXP_INSTR", "REGEXP_LIKE", "REGEXP_MATCHES", "REGEXP_REPLACE",
    "REGEXP_SPLIT_TO_ARRAY", "REGEXP_SPLIT_TO_TABLE", "REGEXP_SUBSTR", "REGR_SLOPE",
    "RELEASE_LOCK", "REPEAT", "REPLACE", "REVERSE", "RIGHT", "ROUND", "ROW", "ROW_COUNT",
    "ROW_NUMBER", "ROW_TO_JSON", "RPAD", "RTRIM", "SCALE", "SCHEMA", "SECOND", "SEC_TO_TIME",
    "SESSION_USER", "SETSEED", "SETVAL", "SETWEIGHT", "SHA1", "SHA2", "SHA224", "SHA256",
    "SHA384", "SHA512", "SHOBJ_DESCRIPTION", "SIGN", "SIMILARITY", "SIN", "SLEEP", "SOME",
    "SOUNDEX", "SPACE", "SPLIT_PART", "SQRT", "STARTS_WITH", "STATEMENT_TIMESTAMP", "STDDEV",
    "STDDEV_POP", "STDDEV_SAMP", "STRCMP", "STRFTIME", "STRING_AGG", "STRING_TO_ARRAY",
    "STRING_TO_TABLE", "STRPOS", "STR_TO_DATE", "ST_ASGEOJSON", "ST_ASTEXT", "ST_CONTAINS",
    "ST_DISTANCE", "ST_DWITHIN", "ST_GEOMFROMTEXT", "ST_INTERSECTS", "ST_MAKEPOINT", "ST_SETSRID",
    "ST_WITHIN", "ST_X", "ST_Y", "SUBDATE", "SUBSTR", "SUBSTRING", "SUBSTRING_INDEX", "SUM",
    "SYSDATE", "TAN", "TIME", "TIMEDIFF", "TIMEOFDAY", "TIMESTAMP", "TIMESTAMPADD",
    "TIMESTAMPDIFF", "TIMEZONE", "TIME_TO_SEC", "TOTAL", "TOTAL_CHANGES", "TO_CHAR", "TO_DATE",
    "TO_JSON", "TO_JSONB", "TO_NUMBER", "TO_REGCLASS", "TO_REGTYPE", "TO_TIMESTAMP", "TO_TSQUERY",
    "TO_TSVECTOR", "TRANSACTION_TIMESTAMP", "TRANSLATE", "TRIM", "TRIM_ARRAY", "TRUNC",
    "TRUNCATE", "TRY_CAST", "TS_HEADLINE", "TS_RANK", "TS_RANK_CD", "TXID_CURRENT",
    "TXID_CURRENT_SNAPSHOT", "TXID_SNAPSHOT_XMAX", "TXID_SNAPSHOT_XMIN",
    "TXID_VISIBLE_IN_SNAPSHOT", "TYPEOF", "UNACCENT", "UNHEX", "UNIX_TIMESTAMP", "UNLIKELY",
    "UNNEST", "UPPER", "USER", "UTC_DATE", "UTC_TIME", "UTC_TIMESTAMP", "UUID", "UUIDV4",
    "UUIDV7", "UUID_GENERATE_V1", "UUID_GENERATE_V4", "UUID_TO_BIN", "VALUES", "VARIANCE",
    "VAR_POP", "VAR_SAMP", "VERSION", "WEBSEARCH_TO_TSQUERY", "WEEK", "WEEKDAY", "WIDTH_BUCKET",
    "WORD_SIMILARITY", "XMLAGG", "YEAR",
];

/// Words behind which a name with a bracket is no call: a table with its columns, an alias, a type.
const NAMES: &[&str] = &[
    "INTO",
    "TABLE",
    "AS",
    "UPDATE",
    "JOIN",
    "REFERENCES",
    "RECURSIVE",
    "OVER",
    "WINDOW",
];

/// The first routine that a statement calls and that is none of the engines'.
pub(super) fn unknown(mut cursor: Cursor<'_>) -> Option<String> {
    let mut tables: Vec<String> = Vec::new();
    let mut before: Option<String> = None;
    let mut is_with = cursor.is("WITH");
    let mut depth = 0usize;
    while let Some(token) = cursor.peek() {
        let word = cursor.source(token);
        match token.kind {
            TokenKind::Punct(b'(') => depth += 1,
            TokenKind::Punct(b')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        is_with &= !(depth == 0 && cursor.is("SELECT"));
        let is_word = matches!(token.kind, TokenKind::Word | TokenKind::Quoted);
        if is_word && cursor.token_is_punct(1, b'(') {
            let name = word.trim_matches(['"', '`']).to_uppercase();
            let previous = before.as_deref().unwrap_or_default();
            // `WITH x (a) AS`, `t(a, b)` behind a value.
            let names = NAMES.contains(&previous)
                || (is_with && depth == 0)
                || previous == ")"
                || (is_name(previous) && previous != ".");
            let known = OF_ENGINES.binary_search(&&*name).is_ok()
                || is_keyword(&name)
                || is_clause(&name)
                || is_type(&name)
                || is_known(&name)
                || tables.contains(&name);
            if !names && !known {
                return Some(word.trim_matches(['"', '`']).to_owned());
            }
            if names {
                tables.push(name);
            }
        }
        before = Some(word.to_uppercase());
        cursor.step();
    }
    None
}

/// Words of a statement that brackets may follow.
fn is_clause(word: &str) -> bool {
    const CLAUSES: &[&str] = &[
        "SELECT",
        "FROM",
        "WHERE",
        "HAVING",
        "ON",
        "USING",
        "BY",
        "UNION",
        "EXCEPT",
        "INTERSECT",
        "LIMIT",
        "OFFSET",
        "FETCH",
        "NEXT",
        "FIRST",
        "RETURNING",
        "SET",
        "VALUES",
        "VALUE",
        "INSERT",
        "UPDATE",
        "DELETE",
        "WITH",
        "LATERAL",
        "FILTER",
        "WITHIN",
        "GROUP",
        "ORDER",
        "PARTITION",
        "RANGE",
        "ROWS",
        "OVER",
        "MATERIALIZED",
        "CONFLICT",
        "KEY",
        "INDEX",
        "DO",
        "AGAINST",
        "SETS",
        "CUBE",
        "ROLLUP",
        "JOIN",
        "TABLESAMPLE",
        "EXPLAIN",
        "ONLY",
        "TABLE",
        "KILL",
        "LOCK",
        "SHOW",
        "OF",
        "RETURN",
        "DECLARE",
    ];
    CLAUSES.contains(&word)
}

/// True of a name, which another name with a bracket follows as its alias.
fn is_name(word: &str) -> bool {
    let is_word = word
        .chars()
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '"');
    is_word && !is_keyword(word) && !is_clause(word) && word != "."
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::schema::Dialect;
    use crate::sql::lexer::tokens_of;

    fn of(text: &str) -> Option<String> {
        let tokens = tokens_of(text, Dialect::Postgres).expect("tokens");
        unknown(Cursor::new(text, &tokens, Dialect::Postgres))
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(OF_ENGINES.is_sorted());
    }

    #[test]
    fn routines_of_the_engines_are_known() {
        for text in [
            "SELECT count(*), lower(a), t.b FROM t WHERE c IN (1, 2) AND EXISTS (SELECT 1 FROM u)",
            "WITH x (a) AS (SELECT 1), y(b) AS (SELECT 2) SELECT * FROM x JOIN y USING (a)",
            "SELECT a::numeric(10, 2), row_number() OVER (PARTITION BY b ORDER BY c) FROM t",
            "SELECT * FROM unnest($1::text[]) AS s(name) WHERE name = ANY($2)",
            "SELECT * FROM json_to_recordset($1) x(a int, b text)",
            "SELECT nextval('s'), coalesce(max(a), 0) FROM t FOR UPDATE",
            "SELECT DISTINCT ON (a) a FROM t ORDER BY a LIMIT (SELECT 1)",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn what_no_engine_brings_is_named() {
        assert_eq!(of("SELECT charge_card($1)"), Some("charge_card".to_owned()));
        assert_eq!(
            of("SELECT * FROM shop.take_job($1)"),
            Some("take_job".to_owned())
        );
        assert_eq!(
            of("SELECT a FROM t WHERE is_new(a)"),
            Some("is_new".to_owned())
        );
    }
}
