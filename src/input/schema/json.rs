//! JSON with the place of every value: an object as its pairs, each value borrowed from the text.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::place::Place;
use crate::model::text::TextFile;

/// A value as it stands in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Json<'a> {
    file: &'a TextFile,
    text: &'a str,
}

/// The pairs of an object in their order; a key that occurs twice is an error.
struct Pairs<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Pairs<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Pairs<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<'de>, A::Error> {
                let mut pairs = Vec::new();
                while let Some((key, value)) = map.next_entry::<Key<'de>, &RawValue>()? {
                    pairs.push((key.0, value));
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Collect)
    }
}

/// A key, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Json<'a> {
    /// The file's one value; the whole text is checked to be JSON first.
    pub(super) fn of_file(file: &'a TextFile) -> Result<Self, Reason> {
        let text = file.text();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let whole = Json { file, text };
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| whole.broken(&error))?;
        Ok(Json {
            file,
            text: raw.get(),
        })
    }

    /// The offset of the value: the text is a slice of the file's, so the distance is in range.
    fn offset(&self) -> usize {
        (self.text.as_ptr() as usize).saturating_sub(self.file.text().as_ptr() as usize)
    }

    /// Where it stands.
    pub(super) fn place(&self) -> Place {
        let start = self.offset();
        self.file
            .place(start as u32, (start + self.text.len()) as u32)
    }

    /// Its first characters: for objects and arrays, whose whole span would mark many lines.
    pub(super) fn head(&self) -> Place {
        let start = self.offset() as u32;
        self.file.place(start, start + 1)
    }

    fn broken(&self, error: &serde_json::Error) -> Reason {
        let line_start = match error.line().checked_sub(2) {
            Some(breaks) => memchr::memchr_iter(b'\n', self.text.as_bytes())
                .nth(breaks)
                .map_or(self.text.len(), |at| at + 1),
            None => 0,
        };
        let at = (line_start + error.column().saturating_sub(1)).min(self.text.len());
        let start = (self.offset() + at) as u32;
        let sentence = match error.classify() {
            serde_json::error::Category::Eof => {
                format!("{} ends in the middle of its JSON", self.file.path)
            }
            _ => format!("{} is not valid JSON here", self.file.path),
        };
        Reason {
            why: Why::NotParsed,
            needs: Some(InputKind::Schema),
            sentence,
            place: Some(self.file.place(start, start + 1)),
            next_step:
                "Correct the file, or write it anew from its source; nothing of it was used."
                    .to_owned(),
        }
    }

    /// A reason that stands at this value.
    pub(super) fn reason(&self, sentence: String) -> Reason {
        Reason {
            why: Why::NotParsed,
            needs: Some(InputKind::Schema),
            sentence,
            place: Some(self.head()),
            next_step: "Correct the file; nothing of it was used.".to_owned(),
        }
    }

    pub(super) fn is_array(&self) -> bool {
        self.text.starts_with('[')
    }

    pub(super) fn is_object(&self) -> bool {
        self.text.starts_with('{')
    }

    pub(super) fn is_null(&self) -> bool {
        self.text == "null"
    }

    /// Its elements; `what` names it in the message if it is no array.
    pub(super) fn elements(&self, what: &str) -> Result<Vec<Json<'a>>, Reason> {
        if !self.is_array() {
            return Err(self.wrong(what, "an array"));
        }
        let raw: Vec<&'a RawValue> =
            serde_json::from_str(self.text).map_err(|error| self.broken(&error))?;
        let file = self.file;
        Ok(raw
            .into_iter()
            .map(|raw| Json {
                file,
                text: raw.get(),
            })
            .collect())
    }

    /// Its pairs; a key that occurs twice is refused.
    pub(super) fn object(&self, what: &str) -> Result<Object<'a>, Reason> {
        if !self.is_object() {
            return Err(self.wrong(what, "an object"));
        }
        let pairs: Pairs<'a> =
            serde_json::from_str(self.text).map_err(|error| self.broken(&error))?;
        let file = self.file;
        let pairs: Vec<(Cow<'a, str>, Json<'a>)> = pairs
            .0
            .into_iter()
            .map(|(key, raw)| {
                let value = Json {
                    file,
                    text: raw.get(),
                };
                (key, value)
            })
            .collect();
        let mut keys: Vec<(&str, &Json<'a>)> =
            pairs.iter().map(|(key, value)| (&**key, value)).collect();
        keys.sort_by_key(|(key, _)| *key);
        for pair in keys.windows(2) {
            if let [(one, _), (other, second)] = pair
                && one == other
            {
                return Err(second.reason(format!("{what} has the key \"{one}\" twice")));
            }
        }
        Ok(Object {
            value: *self,
            pairs,
        })
    }

    /// Its text; an error if it is no string.
    pub(super) fn string(&self, what: &str) -> Result<String, Reason> {
        serde_json::from_str(self.text).map_err(|_| self.wrong(what, "a string"))
    }

    /// Its truth value.
    pub(super) fn boolean(&self, what: &str) -> Result<bool, Reason> {
        serde_json::from_str(self.text).map_err(|_| self.wrong(what, "true or false"))
    }

    /// A scalar as SQL text: strings as they are, numbers and booleans as written.
    pub(super) fn scalar(&self, what: &str) -> Result<String, Reason> {
        if self.is_array() || self.is_object() {
            return Err(self.wrong(what, "a string, number or boolean"));
        }
        if self.text.starts_with('"') {
            return self.string(what);
        }
        Ok(self.text.to_owned())
    }

    fn wrong(&self, what: &str, wanted: &str) -> Reason {
        self.reason(format!("{what} has to be {wanted}"))
    }
}

/// An object whose keys are all different.
#[derive(Debug)]
pub(super) struct Object<'a> {
    /// The object itself.
    pub(super) value: Json<'a>,
    pairs: Vec<(Cow<'a, str>, Json<'a>)>,
}

impl<'a> Object<'a> {
    /// The value of a key, unless it is absent or null.
    pub(super) fn get(&self, key: &str) -> Option<Json<'a>> {
        self.pairs
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, value)| *value)
            .filter(|value| !value.is_null())
    }

    /// The value of a key that has to be there.
    pub(super) fn need(&self, key: &str, what: &str) -> Result<Json<'a>, Reason> {
        self.get(key)
            .ok_or_else(|| self.value.reason(format!("{what} has no \"{key}\"")))
    }

    /// A truth value that is false when absent.
    pub(super) fn flag(&self, key: &str, what: &str) -> Result<bool, Reason> {
        match self.get(key) {
            Some(value) => value.boolean(&format!("\"{key}\" of {what}")),
            None => Ok(false),
        }
    }
}
