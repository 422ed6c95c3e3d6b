//! Whether the default of a column gives every insert the same value.
//!
//! Only what is known to be constant is called constant: a function that no list names is unknown.

mod words;

use crate::model::schema::{Dialect, Volatility};

use super::lexer::{Lexer, TokenKind};
use words::{CONSTANT, DATES, TYPES, VOLATILE};

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

/// True of a function that the lists of the engines name.
pub fn is_known(name: &str) -> bool {
    word(name, "(", &["x"]) != Word::Unknown
}

/// True of the names of types.
pub(super) fn is_type(word: &str) -> bool {
    TYPES.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Judges a default as the text writes it or a catalog prints it. Without a dialect every
/// dialect's words count.
pub fn of_default(text: &str, dialect: Option<Dialect>) -> Volatility {
    judged(text, dialect.unwrap_or(Dialect::Mysql), &|_, _| None)
}

/// What a catalog says of a function by its schema, where one is named, and its name.
pub type OfFunction<'f> = &'f dyn Fn(Option<&str>, &str) -> Option<Volatility>;

/// The same with a catalog that is asked first about every function that is called.
pub fn of_default_where(text: &str, dialect: Dialect, of_function: OfFunction<'_>) -> Volatility {
    judged(text, dialect, of_function)
}

/// The names of the functions that an expression calls, without their schemas.
pub fn called(text: &str, dialect: Dialect) -> Vec<String> {
    let found = std::cell::RefCell::new(Vec::new());
    judged(text, dialect, &|_, name| {
        found.borrow_mut().push(name.to_owned());
        None
    });
    found.into_inner()
}

fn judged(text: &str, dialect: Dialect, of_function: OfFunction<'_>) -> Volatility {
    let mut lexer = Lexer::new(text, dialect);
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
    let mut worst = judged;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let is_name = matches!(token.kind, TokenKind::Word | TokenKind::Quoted);
        let name = Name::at(&words, at).filter(|_| is_name);
        let known = name.as_ref().and_then(|name| {
            let calls = words.get(name.end) == Some(&"(");
            let is_type = at.checked_sub(1).and_then(|at| words.get(at)) == Some(&"::");
            match (is_type && name.schema.is_some(), calls) {
                // The name behind `::` is a type, whatever it is called.
                (true, _) => Some(Volatility::Constant),
                (false, true) if !is_type => of_function(name.schema.as_deref(), &name.name)
                    .filter(|known| *known != Volatility::Unknown)
                    .or_else(|| by_list(&words, name)),
                _ => None,
            }
        });
        let one = match (known, &name) {
            (Some(known), Some(name)) => {
                at = name.end;
                known
            }
            _ => {
                at += 1;
                of_token(&words, at - 1, token.kind)
            }
        };
        match one {
            Volatility::Volatile => worst = Volatility::Volatile,
            Volatility::Unknown => judged = Volatility::Unknown,
            Volatility::Constant => {}
        }
    }
    if worst == Volatility::Volatile {
        return worst;
    }
    judged
}

/// What the lists say of a qualified function: of other schemas than the engine's own only that it
/// is volatile, for a constant may be another function of that name.
fn by_list(words: &[&str], name: &Name) -> Option<Volatility> {
    let schema = name.schema.as_deref()?;
    let listed = of_token(words, name.end - 1, TokenKind::Word);
    Some(match listed {
        Volatility::Constant if schema != "pg_catalog" => Volatility::Unknown,
        listed => listed,
    })
}

/// A name with the schema in front of it, and the position behind both.
struct Name {
    schema: Option<String>,
    name: String,
    end: usize,
}

impl Name {
    fn at(words: &[&str], at: usize) -> Option<Self> {
        let bare = |at: usize| {
            let word = words.get(at)?;
            let is_name = word
                .chars()
                .next()
                .is_some_and(|first| first.is_alphabetic() || "_\"`".contains(first));
            let quoted = word.starts_with(['"', '`']);
            is_name.then(|| match quoted {
                true => word.trim_matches(['"', '`']).to_owned(),
                false => word.to_lowercase(),
            })
        };
        let first = bare(at)?;
        match (words.get(at + 1), bare(at + 2)) {
            (Some(&"."), Some(name)) => Some(Self {
                schema: Some(first),
                name,
                end: at + 3,
            }),
            _ => Some(Self {
                schema: None,
                name: first,
                end: at + 1,
            }),
        }
    }
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
            ("'draft'::public.order_status", Constant),
            ("'{}'::public.status[]", Constant),
            ("public.f()", Unknown),
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

    #[test]
    fn a_catalog_knows_the_functions_that_no_list_names() {
        use Volatility::*;
        let of = |schema: Option<&str>, name: &str| match (schema, name) {
            (Some("public"), "steady") | (None, "format") => Some(Constant),
            (Some("public"), "draw") => Some(Volatile),
            _ => None,
        };
        let cases = [
            ("public.steady('a'::text)", Constant),
            ("format('%s', public.steady())", Constant),
            ("public.draw()", Volatile),
            ("public.steady(now())", Volatile),
            ("other.steady()", Unknown),
            ("\"public\".steady()", Constant),
            ("steady()", Unknown),
        ];
        for (text, expected) in cases {
            assert_eq!(
                of_default_where(text, Dialect::Postgres, &of),
                expected,
                "{text}"
            );
        }
        assert_eq!(
            called("public.a(b(1), 'c()')", Dialect::Postgres),
            ["a", "b"]
        );
    }
}
