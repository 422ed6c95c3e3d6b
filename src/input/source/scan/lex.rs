//! What the scans of all languages share: a cursor over bytes, and where names go.

use memchr::{memchr, memchr2, memmem};

use super::Names;
use super::names::{Growing, NameKey};

/// True of bytes that a name is made of. Whatever is not ASCII may be part of one.
const PART: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let is = byte as u8;
        table[byte] = is.is_ascii_alphanumeric() || is == b'_' || is >= 0x80;
        byte += 1;
    }
    table
};

/// A scan under way.
pub(super) struct Lex<'t> {
    pub(super) bytes: &'t [u8],
    pub(super) at: usize,
    declares: Growing,
    calls: Growing,
    mentions: Growing,
    words: Growing,
    word: Vec<u8>,
    /// Brackets that are open.
    open: Vec<u8>,
    pub(super) torn: bool,
    declaring: Declaring,
}

/// How far a declaration of a function has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Declaring {
    No,
    /// The name comes next, or the receiver.
    Name,
    /// In the receiver, which closes at this depth.
    Receiver(usize),
}

impl<'t> Lex<'t> {
    pub(super) fn new(bytes: &'t [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            declares: Growing::new(),
            calls: Growing::new(),
            mentions: Growing::new(),
            words: Growing::new(),
            word: Vec::new(),
            open: Vec::new(),
            torn: false,
            declaring: Declaring::No,
        }
    }

    pub(super) fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// True of a byte that a name is made of.
    pub(super) fn is_part(byte: u8) -> bool {
        PART.get(usize::from(byte)).copied().unwrap_or(false)
    }

    /// The name or number that begins here.
    pub(super) fn name(&mut self) -> &'t [u8] {
        let rest = self.rest();
        let end = rest.iter().position(|byte| !Self::is_part(*byte));
        let (name, _) = rest.split_at(end.unwrap_or(rest.len()));
        self.at += name.len();
        name
    }

    pub(super) fn line_comment(&mut self) {
        let rest = self.rest();
        self.at += memchr(b'\n', rest).unwrap_or(rest.len());
    }

    /// `/* … */` that does not nest.
    pub(super) fn block_comment(&mut self) {
        self.at += 2;
        match memmem::find(self.rest(), b"*/") {
            Some(end) => self.at += end + 2,
            None => self.tear(),
        }
    }

    /// Nothing behind here can be told apart.
    pub(super) fn tear(&mut self) {
        self.torn = true;
        self.at = self.bytes.len();
    }

    /// Something is wrong here; goes on so many bytes further.
    pub(super) fn torn_at(&mut self, skip: usize) {
        self.torn = true;
        self.at += skip;
    }

    /// `"…"` with escapes, the quote being here; a language says if it may span lines.
    pub(super) fn string(&mut self, lines: bool) {
        let start = self.at + 1;
        self.at = start;
        loop {
            let rest = self.rest();
            match memchr2(b'"', b'\\', rest) {
                Some(end) if rest.get(end) == Some(&b'"') => {
                    let text = self.bytes.get(start..self.at + end).unwrap_or_default();
                    self.at += end + 1;
                    if !lines && memchr(b'\n', text).is_some() {
                        self.torn = true;
                    }
                    return self.words_of(text);
                }
                Some(end) => self.at += end + 2,
                None => return self.tear(),
            }
        }
    }

    /// A string without escapes that begins so many bytes from here and ends with `close`.
    pub(super) fn raw_string(&mut self, skip: usize, close: &[u8]) {
        self.at += skip;
        let rest = self.rest();
        match memmem::find(rest, close) {
            Some(end) => {
                self.at += end + close.len();
                self.words_of(rest.get(..end).unwrap_or_default());
            }
            None => self.tear(),
        }
    }

    /// The words of a string literal, in small letters. An escape is no part of a word.
    pub(super) fn words_of(&mut self, text: &[u8]) {
        let mut rest = text;
        while let Some(start) = rest.iter().position(|byte| Self::is_part(*byte)) {
            let word = rest.get(start..).unwrap_or_default();
            let end = word.iter().position(|byte| !Self::is_part(*byte));
            let (word, after) = word.split_at(end.unwrap_or(word.len()));
            let escaped = start > 0 && rest.get(start - 1) == Some(&b'\\');
            self.add_word(word);
            if let (true, Some((_, behind))) = (escaped, word.split_first()) {
                self.add_word(behind);
            }
            rest = after;
        }
    }

    fn add_word(&mut self, word: &[u8]) {
        self.word.clear();
        self.word.extend(word.iter().map(u8::to_ascii_lowercase));
        self.words.add(NameKey::of_bytes(&self.word));
    }

    /// A bracket.
    pub(super) fn bracket(&mut self, byte: u8) {
        self.at += 1;
        let opens = match byte {
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => {
                self.open.push(byte);
                if byte == b'(' && self.declaring == Declaring::Name {
                    self.declaring = Declaring::Receiver(self.open.len());
                }
                return;
            }
        };
        let depth = self.open.len();
        if self.open.pop() != Some(opens) {
            self.torn = true;
        }
        if self.declaring == Declaring::Receiver(depth) {
            self.declaring = Declaring::Name;
        }
    }

    /// The word that begins a function was read.
    pub(super) fn function(&mut self) {
        self.declaring = Declaring::Name;
    }

    /// A name of the code; `is_call` says what stands behind it.
    pub(super) fn note(&mut self, name: &[u8], is_call: bool) {
        let key = NameKey::of_bytes(name);
        if self.declaring == Declaring::Name {
            self.declaring = Declaring::No;
            self.declares.add(key);
        }
        if is_call {
            self.calls.add(key);
        } else {
            self.mentions.add(key);
        }
    }

    /// The byte behind blanks and comments, as far behind `from` as it stands.
    pub(super) fn next(&self, from: usize) -> (usize, u8) {
        let mut at = from;
        loop {
            let byte = self.bytes.get(at).copied().unwrap_or(0);
            let after = self.bytes.get(at + 1).copied().unwrap_or(0);
            let rest = self.bytes.get(at..).unwrap_or_default();
            match (byte, after) {
                (b' ' | b'\t' | b'\r' | b'\n', _) => at += 1,
                (b'/', b'/') => at += memchr(b'\n', rest).unwrap_or(rest.len()),
                (b'/', b'*') => match memmem::find(rest, b"*/") {
                    Some(end) => at += end + 2,
                    None => return (at, byte),
                },
                _ => return (at, byte),
            }
        }
    }

    /// True if what stands at `from` is `)` and then `(`: `(f)(x)` calls `f`.
    pub(super) fn closes_and_calls(&self, from: usize) -> bool {
        let (mut at, mut byte) = self.next(from);
        if byte != b')' {
            return false;
        }
        while byte == b')' {
            (at, byte) = self.next(at + 1);
        }
        byte == b'('
    }

    pub(super) fn finish(self) -> Names {
        Names {
            declares: self.declares.finish(),
            calls: self.calls.finish(),
            mentions: self.mentions.finish(),
            words: self.words.finish(),
            torn: self.torn || !self.open.is_empty(),
        }
    }
}
