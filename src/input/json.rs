//! JSON text to nodes that know where they stand.
//!
//! One strict pass (RFC 8259) that keeps the byte offsets of every value and key, the spelling of
//! numbers and the order of members. `serde_json` gives no offsets except by reading each value
//! again at every level above it, which a deeply nested file turns into quadratic work; it stays
//! the decoder of escaped strings and the oracle of the tests.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::evidence::{InputKind, Reason, Why};
use crate::model::metadata::{Member, Node, NodeKind, NodeOrigin};
use crate::model::text::TextFile;

/// Arrays and objects may nest this deep, as in `serde_json`.
pub const MAX_DEPTH: usize = 127;

/// Texts up to this length are kept once each: keys, words, ids. Longer ones rarely repeat.
const SHARED_LENGTH: usize = 64;

/// Objects with more members than this look for repeated keys by sorting.
const FEW_MEMBERS: usize = 24;

/// What is wrong with a JSON text, and the byte where it shows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct JsonError {
    /// Byte offset in the text; its length when the text ends too early.
    pub offset: u32,
    /// What is wrong there.
    pub fault: JsonFault,
}

/// The ways in which a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JsonFault {
    /// Nothing but white space.
    #[error("it is empty")]
    Empty,
    /// It stops before it is complete.
    #[error("it ends where {0} should follow")]
    Ends(&'static str),
    /// A character that cannot stand there.
    #[error("`{found}` stands where {wanted} should")]
    Unexpected {
        /// The character.
        found: char,
        /// What could stand there.
        wanted: &'static str,
    },
    /// A number that JSON does not allow.
    #[error("`{0}` is not a JSON number")]
    Number(String),
    /// A string with a bad escape, a lone surrogate or a control character.
    #[error("the string is not valid: {0}")]
    String(String),
    /// Something follows the value.
    #[error("something follows the end of the value")]
    Trailing,
    /// Too many levels.
    #[error("it nests deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// An object has the same key twice; readers disagree on which one counts.
    #[error("the key `{0}` stands twice in one object")]
    Duplicate(Arc<str>),
    /// More than 4 GiB.
    #[error("it is longer than 4 GiB")]
    TooLong,
}

impl JsonError {
    /// The gap it leaves, with its place in the file.
    pub fn reason(&self, file: &TextFile, needs: InputKind) -> Reason {
        let next_step = match self.fault {
            JsonFault::Empty => "export the metadata again: the file holds nothing",
            JsonFault::Ends(_) => "export the file again: it is cut off",
            JsonFault::Duplicate(_) => "remove one of the two members",
            JsonFault::TooLong => "split the file",
            _ => "correct the JSON at that place",
        };
        Reason {
            why: Why::NotParsed,
            needs: Some(needs),
            sentence: format!("`{}` is not valid JSON: {}", file.path, self.fault),
            place: Some(file.place(self.offset, self.offset)),
            next_step: next_step.to_owned(),
        }
    }
}

/// Reads a whole file.
///
/// # Errors
/// The first place where the text is not JSON, or where a key is repeated.
pub fn parse(file: &Arc<TextFile>) -> Result<Node, JsonError> {
    parse_text(file.text(), &NodeOrigin::File(Arc::clone(file)))
}

/// Reads a text whose offsets count from its own first byte.
///
/// # Errors
/// As [`parse`].
pub fn parse_text(text: &str, origin: &NodeOrigin) -> Result<Node, JsonError> {
    let mut parser = Parser {
        text,
        at: 0,
        depth: 0,
        origin,
        words: HashSet::new(),
        items: Vec::new(),
        members: Vec::new(),
    };
    if u32::try_from(text.len()).is_err() {
        return Err(parser.fault(JsonFault::TooLong));
    }
    parser.skip_space();
    if parser.peek().is_none() {
        return Err(parser.fault(JsonFault::Empty));
    }
    let node = parser.value("a value")?;
    parser.skip_space();
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(parser.fault(JsonFault::Trailing)),
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    origin: &'t NodeOrigin,
    /// Short texts seen so far.
    words: HashSet<Arc<str>>,
    /// Items and members of the containers that are open; each is moved out at its exact size.
    items: Vec<Node>,
    members: Vec<Member>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    fn fault_at(&self, offset: usize, fault: JsonFault) -> JsonError {
        JsonError {
            offset: offset.min(self.text.len()) as u32,
            fault,
        }
    }

    fn fault(&self, fault: JsonFault) -> JsonError {
        self.fault_at(self.at, fault)
    }

    /// The next character cannot stand here, or there is none.
    fn unexpected(&self, wanted: &'static str) -> JsonError {
        let rest = self.text.get(self.at..).unwrap_or("");
        match rest.chars().next() {
            Some(found) => self.fault(JsonFault::Unexpected { found, wanted }),
            None => self.fault(JsonFault::Ends(wanted)),
        }
    }

    fn value(&mut self, wanted: &'static str) -> Result<Node, JsonError> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'"') => NodeKind::String(self.string()?),
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::array)?,
            Some(b'-' | b'0'..=b'9') => NodeKind::Number(self.number()?),
            Some(b't') => self.word("true", NodeKind::Bool(true))?,
            Some(b'f') => self.word("false", NodeKind::Bool(false))?,
            Some(b'n') => self.word("null", NodeKind::Null)?,
            _ => return Err(self.unexpected(wanted)),
        };
        Ok(Node {
            kind,
            start: start as u32,
            end: self.at as u32,
            origin: self.origin.clone(),
        })
    }

    fn nested(
        &mut self,
        read: fn(&mut Self) -> Result<NodeKind, JsonError>,
    ) -> Result<NodeKind, JsonError> {
        if self.depth == MAX_DEPTH {
            return Err(self.fault(JsonFault::TooDeep));
        }
        self.depth += 1;
        self.at += 1;
        self.skip_space();
        let kind = read(self)?;
        self.depth -= 1;
        Ok(kind)
    }

    fn word(&mut self, word: &'static str, kind: NodeKind) -> Result<NodeKind, JsonError> {
        for byte in word.bytes() {
            if self.peek() != Some(byte) {
                return Err(self.unexpected(word));
            }
            self.at += 1;
        }
        Ok(kind)
    }

    fn array(&mut self) -> Result<NodeKind, JsonError> {
        let mark = self.items.len();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(NodeKind::Array(Vec::new()));
        }
        loop {
            let item = self.value("an item or `]`")?;
            self.items.push(item);
            if self.ends_container(b']', "`,` or `]`")? {
                let items = self.items.drain(mark..).collect();
                return Ok(NodeKind::Array(items));
            }
        }
    }

    fn object(&mut self) -> Result<NodeKind, JsonError> {
        let mark = self.members.len();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(NodeKind::Object(Vec::new()));
        }
        loop {
            let key_start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let key = self.string()?;
            let key_end = self.at as u32;
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected("`:`"));
            }
            self.at += 1;
            self.skip_space();
            let value = self.value("a value")?;
            self.members.push(Member {
                key,
                key_start: key_start as u32,
                key_end,
                value,
            });
            if self.ends_container(b'}', "`,` or `}`")? {
                let members: Vec<Member> = self.members.drain(mark..).collect();
                return match repeated(&members) {
                    None => Ok(NodeKind::Object(members)),
                    Some(member) => Err(self.fault_at(
                        member.key_start as usize,
                        JsonFault::Duplicate(Arc::clone(&member.key)),
                    )),
                };
            }
        }
    }

    /// Reads what follows an item: true behind the closing bracket, false behind a comma.
    fn ends_container(&mut self, close: u8, wanted: &'static str) -> Result<bool, JsonError> {
        self.skip_space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.skip_space();
                Ok(false)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(true)
            }
            _ => Err(self.unexpected(wanted)),
        }
    }

    fn number(&mut self) -> Result<Arc<str>, JsonError> {
        let start = self.at;
        while matches!(
            self.peek(),
            Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
        ) {
            self.at += 1;
        }
        let written = self.text.get(start..self.at).unwrap_or("");
        if is_number(written) {
            Ok(self.share(written))
        } else if self.peek().is_none() {
            Err(self.fault(JsonFault::Ends("the rest of a number")))
        } else {
            Err(self.fault_at(start, JsonFault::Number(written.to_owned())))
        }
    }

    /// Reads a string; stands on its opening quote.
    fn string(&mut self) -> Result<Arc<str>, JsonError> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut escaped = false;
        self.at += 1;
        loop {
            let rest = bytes.get(self.at..).unwrap_or(&[]);
            match memchr::memchr2(b'"', b'\\', rest) {
                Some(found) if rest.get(found) == Some(&b'"') => {
                    self.at += found + 1;
                    break;
                }
                // A backslash and what it escapes; a closing quote may follow at the earliest then.
                Some(found) => {
                    escaped = true;
                    self.at += found + 2;
                }
                None => {
                    self.at = bytes.len();
                    return Err(self.fault(JsonFault::Ends("the closing `\"` of a string")));
                }
            }
        }
        let inner = self.text.get(start + 1..self.at - 1).unwrap_or("");
        if let Some(found) = inner.bytes().position(|byte| byte < b' ') {
            let fault = JsonFault::String("a control character must be escaped".to_owned());
            return Err(self.fault_at(start + 1 + found, fault));
        }
        if !escaped {
            return Ok(self.share(inner));
        }
        let raw = self.text.get(start..self.at).unwrap_or("");
        match serde_json::from_str::<String>(raw) {
            Ok(text) => Ok(self.share(&text)),
            Err(error) => {
                // The column is that of the last byte looked at.
                let offset = start + error.column().saturating_sub(1);
                let told = error.to_string();
                let told = told.split(" at line ").next().unwrap_or("bad escape");
                Err(self.fault_at(offset, JsonFault::String(told.to_owned())))
            }
        }
    }

    /// One shared copy of each short text.
    fn share(&mut self, text: &str) -> Arc<str> {
        if text.len() > SHARED_LENGTH {
            return Arc::from(text);
        }
        if let Some(word) = self.words.get(text) {
            return Arc::clone(word);
        }
        let word: Arc<str> = Arc::from(text);
        self.words.insert(Arc::clone(&word));
        word
    }
}

/// The first member whose key stands earlier in the same object.
fn repeated(members: &[Member]) -> Option<&Member> {
    if members.len() <= FEW_MEMBERS {
        return members.iter().enumerate().find_map(|(at, member)| {
            let earlier = members.get(..at)?;
            let twice = earlier.iter().any(|other| other.key == member.key);
            twice.then_some(member)
        });
    }
    let mut seen = HashSet::with_capacity(members.len());
    members.iter().find(|member| !seen.insert(&*member.key))
}

/// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
fn is_number(written: &str) -> bool {
    let body = written.strip_prefix('-').unwrap_or(written);
    let (mantissa, exponent) = match body.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (body, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}
