//! Whether the default of a column gives every insert the same value.
//!
//! Only what is known to be constant is called constant: a function that no list names is unknown.

use crate::model::schema::{Dialect, Volatility};

use super::lexer::{Lexer, TokenKind};

/// Clocks, random sources, sequences. Words that need no parentheses stand here as well.
const VOLATILE: [&str; 52] = [
    "CURRENT_TIMESTAMP",
    "CURRENT_DATE",
    "CURRENT_TIME",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "NOW",
    "SYSDATE",
    "SYSDATETIME",
    "GETDATE",
    "GETUTCDATE",
    "CURDATE",
    "CURTIME",
    "UTC_TIMESTAMP",
    "UTC_DATE",
    "UTC_TIME",
    "UNIX_TIMESTAMP",
    "CLOCK_TIMESTAMP",
    "STATEMENT_TIMESTAMP",
    "TRANSACTION_TIMESTAMP",
    "TIMEOFDAY",
    "RANDOM",
    "RAND",
    "RANDOM_NORMAL",
    "RANDOMBLOB",
    "RANDOM_BYTES",
    "UUID",
    "UUID_SHORT",
    "UUIDV4",
    "UUIDV7",
    "UUID_V4",
    "UUID_V7",
    "SYS_GUID",
    "GEN_RANDOM_UUID",
    "GEN_RANDOM_BYTES",
    "GEN_SALT",
    "GEN_ULID",
    "GENERATE_ULID",
    "NEWID",
    "NEWSEQUENTIALID",
    "UUID_GENERATE_V1",
    "UUID_GENERATE_V1MC",
    "UUID_GENERATE_V4",
    "UUID_GENERATE_V7",
    "NEXTVAL",
    "NEXT",
    "LASTVAL",
    "LAST_INSERT_ID",
    "UNIQUE_ROWID",
    "TXID_CURRENT",
    "PG_CURRENT_XACT_ID",
    "CONNECTION_ID",
    "PG_BACKEND_PID",
];

/// SQLite's date functions are constant unless they are asked for the present.
/// Source: SQLite, "Date And Time Functions".
const DATES: [&str; 7] = [
    "DATE",
    "TIME",
    "DATETIME",
    "JULIANDAY",
    "UNIXEPOCH",
    "STRFTIME",
    "TIMEDIFF",
];

/// Functions and words that make no value vary.
const CONSTANT: [&str; 75] = [
    "NULL",
    "TRUE",
    "FALSE",
    "ARRAY",
    "ROW",
    "CAST",
    "AS",
    "LOWER",
    "UPPER",
    "MD5",
    "SHA1",
    "SHA2",
    "COALESCE",
    "NULLIF",
    "IF",
    "IFNULL",
    "ABS",
    "LENGTH",
    "CHAR_LENGTH",
    "CONCAT",
    "REPLACE",
    "TRIM",
    "CHR",
    "CHAR",
    "ASCII",
    "HEX",
    "UNHEX",
    "JSON",
    "JSON_ARRAY",
    "JSON_OBJECT",
    "JSON_BUILD_ARRAY",
    "JSON_BUILD_OBJECT",
    "JSONB_BUILD_ARRAY",
    "JSONB_BUILD_OBJECT",
    "UUID_NIL",
    "INTERVAL",
    "DECODE",
    "TO_TSVECTOR",
    "POWER",
    "COLLATE",
    "GREATEST",
    "LEAST",
    "ROUND",
    "FLOOR",
    "CEIL",
    "CEILING",
    "MOD",
    "SIGN",
    "POW",
    "SUBSTR",
    "SUBSTRING",
    "LEFT",
    "RIGHT",
    "LPAD",
    "RPAD",
    "LTRIM",
    "RTRIM",
    "BTRIM",
    "CONCAT_WS",
    "SPLIT_PART",
    "REGEXP_REPLACE",
    "SHA224",
    "SHA256",
    "SHA512",
    "DIGEST",
    "ENCODE",
    "UUID_GENERATE_V3",
    "UUID_GENERATE_V5",
    "BIN_TO_UUID",
    "UUID_TO_BIN",
    "JSON_EXTRACT",
    "JSON_SET",
    "JSONB_SET",
    "JSON_VALUE",
    "JSON_UNQUOTE",
];

/// What makes a word vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moves {
    /// A clock.
    Clock,
    /// Chance.
    Random,
    /// A counter, or what only this session knows.
    Sequence,
}

/// What a word of an expression does to its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// It makes nothing vary.
    Constant,
    /// It varies.
    Moves(Moves),
    /// No list names it.
    Unknown,
}

/// Judges a word with what follows it.
pub(super) fn word(word: &str, next: &str, arguments: &[&str]) -> Word {
    let word = word.to_ascii_uppercase();
    match of_word(&word, next, arguments) {
        Volatility::Constant => Word::Constant,
        Volatility::Unknown => Word::Unknown,
        Volatility::Volatile => Word::Moves(moves(&word)),
    }
}

fn moves(word: &str) -> Moves {
    const RANDOM: [&str; 7] = [
        "RAND",
        "UUID",
        "SALT",
        "ULID",
        "NEWID",
        "GUID",
        "NEWSEQUENTIALID",
    ];
    const SEQUENCE: [&str; 9] = [
        "NEXT",
        "LASTVAL",
        "LAST_INSERT",
        "ROWID",
        "TXID",
        "XACT",
        "CONNECTION_ID",
        "BACKEND",
        "UUID_SHORT",
    ];
    if SEQUENCE.iter().any(|part| word.contains(part)) {
        Moves::Sequence
    } else if RANDOM.iter().any(|part| word.contains(part)) {
        Moves::Random
    } else {
        Moves::Clock
    }
}

/// True of functions that are called by their bare name.
pub(super) fn needs_no_parentheses(word: &str) -> bool {
    let word = word.to_ascii_uppercase();
    ["CURRENT_", "LOCALTIME", "UTC_", "SYSDATE"]
        .iter()
        .any(|head| word.starts_with(head))
}

/// True of the names of types.
pub(super) fn is_type(word: &str) -> bool {
    TYPES.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Judges a default as the text writes it or a catalog prints it. Without a dialect every
/// dialect's words count.
pub fn of_default(text: &str, dialect: Option<Dialect>) -> Volatility {
    let mut lexer = Lexer::new(text, dialect.unwrap_or(Dialect::Mysql));
    let mut tokens = Vec::new();
    loop {
        let token = lexer.advance();
        match token.kind {
            TokenKind::End | TokenKind::Terminator => break,
            TokenKind::Broken => return Volatility::Unknown,
            _ => tokens.push(token),
        }
    }
    let words: Vec<&str> = tokens
        .iter()
        .map(|token| {
            text.get(token.start as usize..token.end as usize)
                .unwrap_or("")
        })
        .collect();
    let mut judged = match tokens.is_empty() {
        true => Volatility::Unknown,
        false => Volatility::Constant,
    };
    for (at, token) in tokens.iter().enumerate() {
        match of_token(&words, at, token.kind) {
            Volatility::Volatile => return Volatility::Volatile,
            Volatility::Unknown => judged = Volatility::Unknown,
            Volatility::Constant => {}
        }
    }
    judged
}

fn of_token(words: &[&str], at: usize, kind: TokenKind) -> Volatility {
    let word = words.get(at).copied().unwrap_or("");
    let before = at.checked_sub(1).and_then(|at| words.get(at)).copied();
    match kind {
        // `'now'::timestamp` is read when the table is made, `'now'` as text each time.
        TokenKind::String => match word.to_ascii_lowercase().contains("'now'") {
            true => Volatility::Unknown,
            false => Volatility::Constant,
        },
        TokenKind::Number | TokenKind::Punct(_) | TokenKind::Operator => Volatility::Constant,
        // The name behind `::` is a type, whatever it is called.
        _ if before == Some("::") => Volatility::Constant,
        TokenKind::Word | TokenKind::Quoted => {
            let word = word.trim_matches(['"', '`']).to_ascii_uppercase();
            let next = words.get(at + 1).copied().unwrap_or("");
            of_word(&word, next, words.get(at + 2..).unwrap_or_default())
        }
        _ => Volatility::Unknown,
    }
}

fn of_word(word: &str, next: &str, arguments: &[&str]) -> Volatility {
    if VOLATILE.contains(&word) {
        return Volatility::Volatile;
    }
    if DATES.contains(&word) && next == "(" {
        let inside: Vec<String> = arguments
            .iter()
            .take_while(|argument| **argument != ")")
            .map(|argument| argument.to_ascii_lowercase())
            .collect();
        // Without a time, behind the format of strftime, the present is meant.
        let present = inside.len() <= usize::from(word == "STRFTIME")
            || inside.iter().any(|argument| argument == "'now'");
        return match present {
            true => Volatility::Volatile,
            false => Volatility::Constant,
        };
    }
    // Character set introducers (`_utf8mb4'x'`), schema qualifiers, and types without parentheses
    // that follow a cast vary nothing.
    if CONSTANT.contains(&word)
        || word.starts_with("_UTF")
        || word == "_LATIN1"
        || word == "_BINARY"
    {
        return Volatility::Constant;
    }
    if word == "PG_CATALOG" && next == "." {
        return Volatility::Constant;
    }
    if TYPES.contains(&word) {
        return Volatility::Constant;
    }
    Volatility::Unknown
}

/// Type names that stand in casts and typed literals.
const TYPES: [&str; 26] = [
    "VARYING",
    "CHARACTER",
    "VARCHAR",
    "TEXT",
    "INTEGER",
    "INT",
    "BIGINT",
    "SMALLINT",
    "NUMERIC",
    "DECIMAL",
    "DOUBLE",
    "PRECISION",
    "REAL",
    "FLOAT",
    "BOOLEAN",
    "TIMESTAMP",
    "DATE",
    "TIME",
    "WITHOUT",
    "WITH",
    "ZONE",
    "BYTEA",
    "JSONB",
    "BIT",
    "SIGNED",
    "UNSIGNED",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_by_what_they_give() {
        use Volatility::*;
        let cases = [
            ("0", Constant),
            ("'x'", Constant),
            ("-1.5", Constant),
            ("NULL", Constant),
            ("true", Constant),
            ("CURRENT_TIMESTAMP", Volatile),
            ("current_timestamp(6)", Volatile),
            ("now()", Volatile),
            ("(uuid())", Volatile),
            ("gen_random_uuid()", Volatile),
            ("nextval('s'::regclass)", Volatile),
            ("timezone('utc'::text, now())", Volatile),
            ("(datetime('now'))", Volatile),
            ("(strftime('%s','now'))", Volatile),
            ("(strftime('%s'))", Volatile),
            ("(date())", Volatile),
            ("(date('2020-01-01'))", Constant),
            ("'{}'::jsonb", Constant),
            ("''::character varying", Constant),
            ("'draft'::order_status", Constant),
            ("ARRAY[]::text[]", Constant),
            ("my_function()", Unknown),
            ("current_user", Unknown),
            ("", Unknown),
            ("'open", Unknown),
            ("'now'::timestamp", Unknown),
            ("b'0'", Constant),
            ("(1 + 2)", Constant),
            ("'it is now'", Constant),
        ];
        for (text, expected) in cases {
            assert_eq!(of_default(text, None), expected, "{text}");
        }
        assert_eq!(of_default("$$a$$", Some(Dialect::Postgres)), Constant);
    }
}
