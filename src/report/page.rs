//! The page of a check for a terminal: the same text as on the page, broken where the line ends.

use std::io::{self, Write};

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use crate::model::check::CheckInfo;

use super::fitted::fitted;
use super::wrap::wrap;

/// Columns by which a paragraph of a page is never narrower.
const NARROWEST: usize = 40;

/// Writes the page.
///
/// # Errors
/// If `out` does.
pub fn write_page(check: &CheckInfo, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page {
        width: width.max(NARROWEST),
        text: String::new(),
        item: None,
    };
    for event in Parser::new(check.page) {
        page.take(event, out)?;
    }
    writeln!(out, "Clause {} · {}", check.clause, check.weight.word())
}

struct Page {
    width: usize,
    /// What was read of the paragraph, heading or block that is open.
    text: String,
    /// The number of the next item of an ordered list; of a bulleted one it is 0.
    item: Option<u64>,
}

impl Page {
    fn take(&mut self, event: Event<'_>, out: &mut dyn Write) -> io::Result<()> {
        match event {
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                self.text.push_str(&text);
            }
            Event::Code(code) => self.text.push_str(&format!("`{code}`")),
            // Signs of weight stay as they are typed.
            Event::Start(Tag::Emphasis) | Event::End(TagEnd::Emphasis) => self.text.push('*'),
            Event::Start(Tag::Strong) | Event::End(TagEnd::Strong) => self.text.push_str("**"),
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            Event::Start(Tag::Heading { level, .. }) => {
                self.text = "#".repeat(level as usize) + " ";
            }
            // A paragraph right before a list has no empty line behind it.
            Event::Start(Tag::List(first)) => self.item = Some(first.unwrap_or(0)),
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_)) => {
                self.flow("", out)?;
                writeln!(out)?;
            }
            Event::End(TagEnd::Item) => {
                let label = match self.item {
                    Some(number) if number > 0 => format!("{number}. "),
                    _ => "- ".to_owned(),
                };
                self.item = self.item.map(|number| number + u64::from(number > 0));
                self.flow(&label, out)?;
            }
            Event::End(TagEnd::List(_)) => {
                self.item = None;
                writeln!(out)?;
            }
            Event::End(TagEnd::CodeBlock) => {
                let lines = std::mem::take(&mut self.text);
                // An example is wider than a terminal here and there; it goes on below its text.
                fitted(self.width, out, |out| {
                    for line in lines.lines() {
                        writeln!(out, "    {line}")?;
                    }
                    Ok(())
                })?;
                writeln!(out)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes what was read, behind a label.
    fn flow(&mut self, label: &str, out: &mut dyn Write) -> io::Result<()> {
        let room = self.width - label.len();
        for (at, line) in wrap(&self.text, room, room).iter().enumerate() {
            let start = match at {
                0 => label.to_owned(),
                _ => " ".repeat(label.len()),
            };
            writeln!(out, "{start}{line}")?;
        }
        self.text.clear();
        Ok(())
    }
}
