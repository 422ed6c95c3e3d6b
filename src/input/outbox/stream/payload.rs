//! One payload and the key that it gives. Only names are kept on the way, and the values of paths.

use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::model::template::Part;

/// Arrays and objects inside each other that are followed. Every engine reads so many.
const DEEPEST: usize = 30;

/// True for a `jsonb`, which refuses texts that JSON can escape and Unicode does not have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Strict(pub(super) bool);

/// What a payload gives.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Judged {
    /// It is no JSON.
    NoJson,
    /// A key, or none.
    Key(Option<String>),
    /// Engines make different keys of it: what it is, in words behind "it".
    Undecided(&'static str),
}

/// The key that the parts of a template make of it.
pub(super) fn judge(text: &str, parts: &[Part<'_>], strict: Strict) -> Judged {
    let looks = look(text);
    if looks.depth > DEEPEST {
        return Judged::Undecided("nests more than 30 deep");
    }
    if serde_json::from_str::<IgnoredAny>(text).is_err() || (strict.0 && looks.no_unicode) {
        return Judged::NoJson;
    }
    let mut key = Some(String::new());
    let mut undecided = None;
    for part in parts {
        let found = match part {
            Part::Literal(text) => Ok(Some((*text).to_owned())),
            Part::Path(path) => at(text, path),
        };
        match found {
            Ok(Some(found)) => {
                if let Some(key) = &mut key {
                    key.push_str(&found);
                }
            }
            Ok(None) => key = None,
            Err(why) => undecided = Some(why),
        }
    }
    match (key, undecided) {
        (Some(_), Some(why)) => Judged::Undecided(why),
        (key, _) => Judged::Key(key),
    }
}

/// Names of the payload's object, or of the one below a name; values are not looked at.
pub(super) fn names(text: &str, below: Option<&str>) -> Vec<String> {
    let inside = match below {
        Some(name) => member(text, name).ok().flatten(),
        None => Some(text),
    };
    let object = inside.and_then(|text| serde_json::from_str::<Members<'_>>(text).ok());
    let members = object.map_or_else(Vec::new, |object| object.0);
    members.into_iter().map(|(name, _)| name).collect()
}

/// The text at a path: of a text that is not empty, or of a whole number.
fn at(text: &str, path: &[&str]) -> Result<Option<String>, &'static str> {
    let mut inside = text;
    for name in path {
        match member(inside, name)? {
            Some(value) => inside = value,
            None => return Ok(None),
        }
    }
    let value = inside.trim();
    match value.bytes().next() {
        Some(b'"') => match serde_json::from_str::<String>(value) {
            Ok(text) => Ok(Some(text).filter(|text| !text.is_empty())),
            Err(_) => Err("holds half of a character where its key is"),
        },
        Some(b'-' | b'0'..=b'9') => match is_plain(value) {
            true => Ok(Some(value.to_owned())),
            false => Err("holds a number that engines write differently where its key is"),
        },
        _ => Ok(None),
    }
}

/// A whole number that every engine writes as it stands.
fn is_plain(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    number != "-0" && digits.len() <= 15 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The value of a name in an object; none where it has no such name, or is no object.
fn member<'t>(text: &'t str, name: &str) -> Result<Option<&'t str>, &'static str> {
    if !text.trim_start().starts_with('{') {
        return Ok(None);
    }
    let Ok(members) = serde_json::from_str::<Members<'t>>(text) else {
        return Err("holds half of a character in a name");
    };
    let mut found = members.0.into_iter().filter(|(each, _)| each == name);
    match (found.next(), found.next()) {
        (_, Some(_)) => Err("says a name twice that its key is made of"),
        (found, None) => Ok(found.map(|(_, value)| value.get())),
    }
}

/// The members of an object, each as it is written.
struct Members<'t>(Vec<(String, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members<'de>;
            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

/// What a look over the signs shows.
struct Looks {
    depth: usize,
    /// An escape stands for no character of Unicode, or for the one with number 0.
    no_unicode: bool,
}

fn look(text: &str) -> Looks {
    let mut bytes = text.bytes();
    let (mut depth, mut deepest) = (0usize, 0usize);
    let (mut in_text, mut no_unicode) = (false, false);
    // The first half of a character, which only its second half may follow.
    let mut half = false;
    while let Some(byte) = bytes.next() {
        let was_half = std::mem::take(&mut half);
        match (in_text, byte) {
            (true, b'\\') => match bytes.next() {
                Some(b'u') => {
                    let digits: Vec<u8> = bytes.by_ref().take(4).collect();
                    let digits = std::str::from_utf8(&digits).unwrap_or_default();
                    let code = u32::from_str_radix(digits, 16).unwrap_or(0);
                    half = (0xd800..0xdc00).contains(&code);
                    let is_second = (0xdc00..0xe000).contains(&code);
                    no_unicode |= code == 0 || was_half != is_second;
                }
                _ => no_unicode |= was_half,
            },
            (_, b'"') => {
                in_text = !in_text;
                no_unicode |= was_half;
            }
            (true, _) => no_unicode |= was_half,
            (false, b'{' | b'[') => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            (false, b'}' | b']') => depth = depth.saturating_sub(1),
            (false, _) => {}
        }
    }
    Looks {
        depth: deepest,
        no_unicode,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::template::parse;

    fn judged(text: &str, strict: bool) -> Judged {
        let parts = parse("{kind}:{record.id}").expect("a template");
        judge(text, &parts, Strict(strict))
    }

    fn lead(id: &str) -> String {
        format!("{{\"kind\": \"Lead\", \"record\": {{\"x\": [1e400], \"id\": {id}}}}}")
    }

    #[test]
    fn a_key_is_made_of_texts_and_whole_numbers() {
        for (id, key) in [
            ("\"a\"", Some("Lead:a")),
            ("17", Some("Lead:17")),
            ("-3", Some("Lead:-3")),
            ("\"\\ud83d\\ude00\"", Some("Lead:\u{1f600}")),
            ("\"\"", None),
            ("null", None),
            ("true", None),
            ("{}", None),
        ] {
            let wanted = Judged::Key(key.map(str::to_owned));
            assert_eq!(judged(&lead(id), true), wanted, "{id}");
        }
        assert_eq!(judged("[]", true), Judged::Key(None));
        assert_eq!(
            judged("{\"record\": {\"id\": 1.5}}", true),
            Judged::Key(None)
        );
    }

    #[test]
    fn what_engines_read_differently_is_left_open() {
        let twice = "{\"kind\": \"Lead\", \"record\": {\"id\": 1, \"id\": 2}}";
        let deep = format!("{}1{}", "[".repeat(31), "]".repeat(31));
        for text in [
            lead("1.50"),
            lead("1e2"),
            lead("-0"),
            lead("1234567890123456"),
            twice.to_owned(),
            deep,
        ] {
            assert!(
                matches!(judged(&text, true), Judged::Undecided(_)),
                "{text}"
            );
        }
        for text in ["\"\\ud83d\"", "\"\\ude00\""] {
            assert_eq!(judged(&lead(text), true), Judged::NoJson);
            assert!(matches!(judged(&lead(text), false), Judged::Undecided(_)));
        }
        assert_eq!(judged(&lead("\"a\\u0000\""), true), Judged::NoJson);
        // A backslash in front of it: these are six plain signs.
        let plain = judged(&lead("\"a\\\\u0000\""), true);
        assert_eq!(plain, Judged::Key(Some("Lead:a\\u0000".to_owned())));
    }

    #[test]
    fn what_is_no_json_is_none() {
        for text in ["", "{", "{\"kind\": }", "nul", "{} {}", "{'kind': 1}"] {
            assert_eq!(judged(text, false), Judged::NoJson, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[{}\\[\\]\":,\\\\u0d8a1 é.-]{0,24}") {
            let _ = judged(&text, true);
            let _ = names(&text, Some("record"));
        }

        #[test]
        fn it_never_takes_for_json_what_the_library_refuses(text in "[{}\\[\\]\":,\\\\a1 .-]{0,16}") {
            let is_json = serde_json::from_str::<IgnoredAny>(&text).is_ok();
            proptest::prop_assert_eq!(judged(&text, false) != Judged::NoJson, is_json);
        }
    }
}
