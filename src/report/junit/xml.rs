//! XML written element by element; what XML cannot hold is shown escaped.

use std::fmt::Write as _;
use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use crate::report::visible;

/// The document.
pub(super) struct Xml<W: Write> {
    writer: Writer<W>,
}

/// Attributes in the order written.
pub(super) type Attributes = Vec<(&'static str, String)>;

impl<W: Write> Xml<W> {
    pub(super) fn new(out: W) -> io::Result<Self> {
        let mut writer = Writer::new_with_indent(out, b' ', 2);
        writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
        Ok(Self { writer })
    }

    pub(super) fn open(&mut self, name: &str, attributes: &Attributes) -> io::Result<()> {
        self.writer
            .write_event(Event::Start(start(name, attributes)))
    }

    pub(super) fn close(&mut self, name: &str) -> io::Result<()> {
        self.writer.write_event(Event::End(BytesEnd::new(name)))
    }

    /// An element with text, or without any. The text keeps its line breaks.
    pub(super) fn element(
        &mut self,
        name: &str,
        attributes: &Attributes,
        text: &str,
    ) -> io::Result<()> {
        let begin = start(name, attributes);
        if text.is_empty() {
            return self.writer.write_event(Event::Empty(begin));
        }
        self.writer.write_event(Event::Start(begin))?;
        let lines: Vec<String> = text.split('\n').map(shown).collect();
        let lines = lines.join("\n");
        self.writer
            .write_event(Event::Text(BytesText::new(&lines)))?;
        self.close(name)
    }

    pub(super) fn finish(self) -> io::Result<()> {
        let mut out = self.writer.into_inner();
        out.write_all(b"\n")?;
        out.flush()
    }
}

fn start<'a>(name: &'a str, attributes: &Attributes) -> BytesStart<'a> {
    let mut start = BytesStart::new(name);
    for (key, value) in attributes {
        start.push_attribute((*key, &*shown(value)));
    }
    start
}

/// The text with hidden characters escaped, and the two that XML knows no way to write.
fn shown(text: &str) -> String {
    let shown = visible::visible(text);
    let forbidden = ['\u{fffe}', '\u{ffff}'];
    if !shown.contains(forbidden) {
        return shown;
    }
    let mut out = String::with_capacity(shown.len() + 8);
    for character in shown.chars() {
        if forbidden.contains(&character) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{{{:x}}}", character as u32);
        } else {
            out.push(character);
        }
    }
    out
}
